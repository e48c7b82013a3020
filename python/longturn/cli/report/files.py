"""Where pages and pictures go: the options that name them, and writing them."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

from longturn.cli.console import Console
from longturn.cli.errors import InputError
from longturn.cli.report.transcript import Chapter

PAGE_RUNS: Final = 20
"""How many runs a page holds: more would make it slow to open."""


def add_files(parser: argparse.ArgumentParser) -> None:
    """Let the command draw what it found."""
    parser.add_argument("--html", metavar="FILE", help="write a page with charts and every request's messages")
    parser.add_argument("--png", metavar="FILE", help="write a picture of one run")


def are_wanted(options: argparse.Namespace) -> bool:
    """Tell whether anything is to be drawn."""
    return bool(options.html or options.png)


def check(options: argparse.Namespace, files: int) -> None:
    """
    See that what is to be drawn can be, before anything is replayed.

    Raises:
        InputError: matplotlib is missing; a picture is wanted of several files.
    """
    if not are_wanted(options):
        return
    if options.png and files > 1:
        raise InputError(f"--png draws one run (got {files:,} files); --html takes several")
    try:
        import matplotlib as mpl
    except ModuleNotFoundError:
        raise InputError("--html and --png need matplotlib: pip install 'longturn[report]'") from None
    mpl.use("agg")  # files only: no window, whatever the machine is set to


def best(chapters: Sequence[Chapter]) -> list[Chapter]:
    """Return the runs that a page has room for: those where the cut moved first, the largest first."""
    ranked = sorted(chapters, key=lambda one: (bool(one.run.moves), one.run.without.tokens_sent), reverse=True)
    return ranked[:PAGE_RUNS]


def write(options: argparse.Namespace, chapters: Sequence[Chapter], console: Console) -> None:
    """
    Write the files that are wanted, and say so.

    Raises:
        InputError: a file can't be written.
    """
    from longturn.cli.report.drawing import png
    from longturn.cli.report.page import page

    if options.html:
        _save(options.html, lambda: page(chapters).encode(), console)
    if options.png:
        _save(options.png, lambda: png(chapters[0].run), console)


def _save(name: str, made: Callable[[], bytes], console: Console) -> None:
    data = made()
    try:
        Path(name).write_bytes(data)
    except OSError as error:
        raise InputError(f"cannot write {name}: {error.strerror or error}") from error
    console.note(f"wrote {name} ({len(data) / 1000:,.0f} kB)")
