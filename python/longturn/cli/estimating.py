"""``longturn estimate``: what ``wc`` is for lines, for tokens."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Any, Final, NamedTuple

from longturn.cli.arguments import add_json, add_profile, measured_by
from longturn.cli.console import Console, Step, Table, Text, Toned
from longturn.cli.errors import Exit, InputError
from longturn.cli.files import STDIN, chunks, found, size_of
from longturn.tokens.backend import core
from longturn.tokens.measure import SCRIPT, Measure, measure_of
from longturn.tokens.scripts import Scripts
from longturn.tokens.walker import whole_tokens

DESCRIPTION = """\
Counts the tokens of text files by the script rule (4 ASCII characters a token, 1 Chinese, Japanese
or Korean one, 2 others), or by what is known of a model.  Reads standard input where no FILE is given, or for -.

Of a folder, all files in it are counted, but for hidden ones and those that are no text.
A FILE that is not there may be a pattern: '**/*.py'.
"""


_BATCH: Final = 64
"""Pieces that are counted at once: 4 MB are enough for all cores to take part."""


class Row(NamedTuple):
    """The count of one file."""

    name: str
    bytes: int
    scripts: Scripts
    quarters: int

    @property
    def tokens(self) -> int:
        """The estimate, rounded up."""
        return whole_tokens(self.quarters)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("files", metavar="FILE", nargs="*", help="text files, folders, patterns, or -")
    parser.add_argument("--by-script", action="store_true", help="tell the characters of each script class")
    add_profile(parser)
    add_json(parser)


def run(options: argparse.Namespace, console: Console) -> int:
    """Count files and print the counts; the others are counted even if one can't be read."""
    measure = measure_of(measured_by(options))
    rows: list[Row] = []
    failed = False
    with console.progress("counting") as step:
        for name in _named(options.files or [STDIN], console):
            try:
                rows.append(count(name, step, measure))
            except InputError as error:
                console.error(str(error))
                failed = True
    if options.json:
        console.json({"files": [_value(row) for row in rows], "total": _value(total(rows))})
    elif rows:
        console.show(_table(rows, by_script=options.by_script))
    return Exit.BAD_INPUT if failed else Exit.DONE


def _named(names: Iterable[str], console: Console) -> Iterator[str]:
    for name in names:
        files = found(name)
        if files.left_out:
            console.warn(f"{name}: {files.left_out:,} files are left out: hidden, or no text")
        yield from files.names


def count(name: str, step: Step, measure: Measure = SCRIPT) -> Row:
    """
    Count a file as UTF-8 text, a piece at a time; an invalid byte is one code point of ``other``.

    Only the script rule adds up exactly; by a profile a piece may be a token off.

    Raises:
        InputError: it can't be read.
    """
    whole, done = size_of(name), 0
    sums, quarters = Scripts(0, 0, 0), 0
    pieces = chunks(name)
    while batch := list(islice(pieces, _BATCH)):
        sums = Scripts(*map(int.__add__, sums, _counted(batch)))
        if measure is not SCRIPT:
            quarters += sum(map(measure.quarters, batch))
        done += sum(map(len, batch))
        step(done, whole)
    return Row(name, done, sums, quarters if measure is not SCRIPT else quarters_of(sums))


def quarters_of(counts: Scripts) -> int:
    """Return the quarter-tokens of code points by the script rule."""
    return counts.ascii + 2 * counts.other + 4 * counts.cjk


def _counted(pieces: Sequence[bytes]) -> Scripts:
    """Count pieces, on all cores where there are several megabytes."""
    counts = memoryview(core.counts_batch(pieces)).cast("q")
    return Scripts(*(sum(counts[script::3]) for script in range(3)))


def total(rows: Sequence[Row]) -> Row:
    """Return the sum over several files: of code points, so that tokens are rounded up once."""
    sums = [sum(counts) for counts in zip(*(row.scripts for row in rows), strict=True)]
    scripts = Scripts(*sums) if rows else Scripts(0, 0, 0)
    return Row("total", sum(row.bytes for row in rows), scripts, sum(row.quarters for row in rows))


def _table(rows: Sequence[Row], *, by_script: bool) -> Table:
    columns = ("tokens", "ascii", "cjk", "other", "bytes") if by_script else ("tokens", "bytes")
    shown: list[Sequence[Text]] = [_cells(row, columns) for row in rows]
    if len(rows) > 1:
        shown.append([Toned(cell, "title") for cell in _cells(total(rows), columns)])
    return Table(headings=(*columns, "<file"), rows=shown)


def _cells(row: Row, columns: Sequence[str]) -> list[str]:
    values = _value(row)
    return [f"{values[column]:,}" for column in columns] + [row.name]


def _value(row: Row) -> dict[str, Any]:
    return {"name": row.name, "tokens": row.tokens, "bytes": row.bytes, **row.scripts._asdict()}
