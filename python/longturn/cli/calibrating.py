"""``longturn calibrate``: a profile for a tokenizer of one's own."""

from __future__ import annotations

import argparse
import datetime
import json
import os
import sys
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from longturn.cli.arguments import add_json, tokens
from longturn.cli.console import Console, Step, Table
from longturn.cli.errors import Exit, InputError
from longturn.cli.files import STDIN, found, opened, pieces
from longturn.tokens.calibrate import PIECE_CHARS, Errors, Fitted, Sample, calibrate
from longturn.tokens.calibrate import pieces as text_pieces
from longturn.tokens.profiles import SCRIPT, Profile

if TYPE_CHECKING:
    from types import ModuleType

DESCRIPTION = """\
Fits a profile to a tokenizer, from texts and their true counts.  Needs: pip install 'longturn[calibrate]'

Either FILE is text, counted by the function that --counter names; or, with --table, JSON lines that hold a
"text" (or the name of a "file") and its "tokens", and may have a "kind" and a "source".  Errors are told of
sources that had no part in the fit; of a text file the kind is its suffix, the source its folder.

  longturn calibrate --counter mine:count --output mine.json docs src
  longturn calibrate --table counted.jsonl --start qwen --output mine.json

Profile.load('mine.json') reads what it writes.
"""

_PERCENT: Final = "{:+.1f}"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("files", metavar="FILE", nargs="*", help="text files, folders or patterns")
    parser.add_argument("--counter", metavar="MODULE:FUNCTION", help="what returns the tokens of a text")
    parser.add_argument("--table", metavar="FILE", help="texts with their counts, JSON lines, or - for standard input")
    parser.add_argument("--output", "-o", metavar="FILE", required=True, help="where the profile is written")
    parser.add_argument("--name", help="of the profile (default: that of the output file)")
    parser.add_argument(
        "--start", metavar="PROFILE", default="cautious",
        help="what stands where the texts say nothing, and the tokens around messages: a name or a file "
        "(default: %(default)s)",
    )  # fmt: skip
    parser.add_argument(
        "--piece", type=tokens, default=PIECE_CHARS, metavar="N",
        help="characters of the pieces that --counter is asked for (default: %(default)s)",
    )  # fmt: skip
    add_json(parser)


def run(options: argparse.Namespace, console: Console) -> int:
    """
    Fit a profile, write it and tell how far off it is.

    Raises:
        InputError: the texts, the counts or the function can't be used; NumPy is missing.
    """
    if bool(options.counter) == bool(options.table) or bool(options.table and options.files):
        raise InputError("give either text files and --counter MODULE:FUNCTION, or --table FILE alone")
    start = _profile(options.start)
    with console.progress("counting") as step:
        samples = list(_of_table(options.table) if options.table else _of_files(options, step))
    if not any(sample.tokens > 0 for sample in samples):
        raise InputError("there is no text with tokens to fit to")
    name = options.name or Path(options.output).stem
    if name == SCRIPT:
        raise InputError(f"--name must not be {SCRIPT}, which is the rule without weights (name it otherwise)")
    fitted = _fitted(samples, name=name, prior=start, options=options)
    fitted.profile.save(options.output)
    _tell(fitted, samples, options, console)
    return Exit.DONE


def _fitted(samples: list[Sample], *, name: str, prior: Profile, options: argparse.Namespace) -> Fitted:
    told = {
        "tokenizer": options.counter or f"the counts in {Path(options.table).name}",
        "texts": f"{len(samples)} from {len({sample.source for sample in samples})} sources",
        "date": datetime.date.today().isoformat(),
        "frames": f"those of {prior.name}",
    }
    try:
        return calibrate(samples, name=name, prior=prior, provenance=told)
    except ModuleNotFoundError as error:
        raise InputError(f"{error.name} is missing: pip install 'longturn[calibrate]'") from error


def _profile(name: str) -> Profile:
    try:
        return Profile.named(name) if name in Profile.names() else Profile.load(name)
    except FileNotFoundError:
        raise InputError(
            f"--start must be a profile file or one of {', '.join(Profile.names())} (got {name})"
        ) from None
    except (OSError, ValueError) as error:
        raise InputError(str(error)) from error


# ---------------------------------------------------------------------- text files and a function


def _of_files(options: argparse.Namespace, step: Step) -> Iterator[Sample]:
    count = _counter(options.counter)
    names = [name for given in options.files for name in found(given).names]
    if not names:
        raise InputError("name text files, or folders of them, to count")
    for done, name in enumerate(names):
        path = Path(name)
        for piece in text_pieces(_text(name), options.piece):
            yield Sample(piece, _count(count, piece, name), path.suffix or "text", str(path.parent))
        step(done + 1, len(names))


def _text(name: str) -> str:
    with opened(name) as file:
        return b"".join(pieces(name, file)).decode("utf-8", "replace")


def _counter(named: str) -> Callable[[str], object]:
    module, _, function = named.partition(":")
    if not module or not function:
        raise InputError(f"--counter must be MODULE:FUNCTION, like mine:count (got {named})")
    found_function = getattr(_module(module), function, None)
    if not callable(found_function):
        raise InputError(f"--counter: module {module} has no function {function}")
    counter: Callable[[str], object] = found_function
    return counter


def _module(name: str) -> ModuleType:
    if os.getcwd() not in sys.path:  # a console script looks beside itself only
        sys.path.append(os.getcwd())
    try:
        return import_module(name)
    except ImportError as error:
        raise InputError(f"--counter: cannot import {name}: {error}") from error


def _count(count: Callable[[str], object], text: str, name: str) -> int:
    try:
        counted = count(text)
    except Exception as error:
        raise InputError(f"--counter failed on a piece of {name}: {type(error).__name__}: {error}") from error
    if not isinstance(counted, int) or isinstance(counted, bool) or counted < 0:
        raise InputError(f"--counter must return the number of tokens, an int (got {counted!r:.40})")
    return counted


# ---------------------------------------------------------------------- a table of counts


def _of_table(name: str) -> Iterator[Sample]:
    folder = Path() if name == STDIN else Path(name).parent
    with opened(name) as file:
        lines = b"".join(pieces(name, file)).splitlines()
    for number, line in enumerate(lines, 1):
        if line.strip():
            yield _sample(_row(line, f"{name}, line {number}"), f"{name}, line {number}", folder)


def _row(line: bytes, where: str) -> dict[str, Any]:
    try:
        row = json.loads(line)
    except ValueError as error:
        raise InputError(f"{where}: no JSON: {error}") from None
    if not isinstance(row, dict):
        raise InputError(f'{where}: must be an object with "text" or "file", and "tokens" (got {row!r:.40})')
    return row


def _sample(row: dict[str, Any], where: str, folder: Path) -> Sample:
    counted = row.get("tokens")
    if not isinstance(counted, int) or isinstance(counted, bool) or counted < 0:
        raise InputError(f'{where}: "tokens" must be a number of tokens (got {counted!r:.40})')
    text = row.get("text")
    if text is None and isinstance(row.get("file"), str):
        text = _text(str(folder / row["file"]))
    if not isinstance(text, str):
        raise InputError(f'{where}: must have a "text", or a "file" that holds it')
    return Sample(text, counted, str(row.get("kind", "")), str(row.get("source", row.get("file", where))))


# ---------------------------------------------------------------------- what is told


def _tell(fitted: Fitted, samples: list[Sample], options: argparse.Namespace, console: Console) -> None:
    profile = fitted.profile
    if options.json:
        errors = {kind: found_errors.shown() for kind, found_errors in fitted.by_kind.items()}
        told = {"output": options.output, "name": profile.name, "margin": profile.margin, "errors_percent": errors}
        console.json({**told, "total": profile.provenance["errors_percent"]})
        return
    amounts = {kind: sum(sample.kind == kind for sample in samples) for kind in fitted.by_kind}
    rows = [_line(kind or "text", amounts[kind], found_errors) for kind, found_errors in fitted.by_kind.items()]
    console.show(
        Table(headings=("<kind", "pieces", "mean %", "p10 %", "p90 %", "least %"), rows=rows),
        f"{options.output}: profile {profile.name!r}; times {profile.margin} it falls short about once in ten times.",
        "Percent off the true count, by weights that a text's source had no part in."
        if len({sample.source for sample in samples}) > 1
        else "Percent off the true count of the very texts; those of a second source would tell more.",
    )


def _line(kind: str, amount: int, errors: Errors) -> tuple[str, ...]:
    signed = (_PERCENT.format(100 * share) for share in (errors.p10, errors.p90, errors.least))
    return (kind, f"{amount:,}", f"{100 * errors.mean:.1f}", *signed)
