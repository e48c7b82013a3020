"""
Where the command prints: lines, tables and progress, plain or, with the extra ``cli`` on a terminal, coloured.

Commands hand over what is to be shown, and never how.
"""

from __future__ import annotations

import json
import re
import sys
import time
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

PATIENCE_SECONDS: Final = 1.0
"""How long work may go on before progress is shown."""
_REDRAW_SECONDS: Final = 0.1
_STEERING: Final = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")
"""Control characters, and those that turn the direction of a line."""


class Toned(NamedTuple):
    """A text that a terminal may colour."""

    text: str
    tone: str
    """One of good, bad, quiet, title."""


Text = str | Toned


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """Rows of texts under their headings; a heading that begins with ``<`` is of a column of words, flush left."""

    headings: Sequence[str]
    rows: Sequence[Sequence[Text]]

    @property
    def has_headings(self) -> bool:
        """Whether any column says what it is."""
        return any(heading != "<" for heading in self.headings)

    def is_left(self, column: int) -> bool:
        """Tell whether a column is flush left."""
        return self.headings[column].startswith("<")


Block = Text | Table
Step = Callable[[int, int], None]
"""Is told how much of how much is done."""


class Console:
    """Plain text: for files, pipes, and terminals without the extra."""

    def show(self, *blocks: Block) -> None:
        """Print lines and tables to standard output."""
        for block in blocks:
            for line in _lines(block):
                print(line)

    def json(self, value: Any, *, indent: int | None = 2) -> None:
        """Print a value as JSON to standard output."""
        print(_STEERING.sub(_as_json, json.dumps(value, ensure_ascii=False, indent=indent)))

    def note(self, text: str) -> None:
        """Print a line to standard error."""
        print(printable(text), file=sys.stderr)

    def warn(self, text: str) -> None:
        """Print a warning to standard error."""
        self.note(f"longturn: warning: {text}")

    def error(self, text: str) -> None:
        """Print an error to standard error."""
        self.note(f"longturn: error: {text}")

    @contextmanager
    def progress(self, what: str) -> Iterator[Step]:
        """Show how far something is, on a terminal's standard error, once it takes longer than a second."""
        if not is_terminal(sys.stderr):
            yield _ignore
            return
        meter = _Meter(what)
        try:
            yield meter.step
        finally:
            meter.clear()


class _Meter:
    """One line that is written over and over."""

    def __init__(self, what: str) -> None:
        self._what = printable(what)
        self._next = time.monotonic() + PATIENCE_SECONDS
        self._width = 0

    def step(self, done: int, whole: int) -> None:
        if (now := time.monotonic()) < self._next:
            return
        self._next = now + _REDRAW_SECONDS
        self._write(f"{self._what} {done / whole:.0%}" if whole else f"{self._what} {done:,}")

    def clear(self) -> None:
        if self._width:
            self._write("")
            print(end="\r", file=sys.stderr, flush=True)

    def _write(self, line: str) -> None:
        print(f"\r{line:<{self._width}}", end="", file=sys.stderr, flush=True)
        self._width = len(line)


def suitable_console() -> Console:
    """Return the console that suits this process: a coloured one on a terminal that has the extra."""
    for stream in (sys.stdout, sys.stderr):
        # Names of files and tools hold what they like; a terminal that can't show it must not stop a report.
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    if is_terminal(sys.stdout) or is_terminal(sys.stderr):
        try:
            from longturn.cli.colours import ColourConsole
        except ImportError:
            return Console()
        return ColourConsole()
    return Console()


def is_terminal(stream: Any) -> bool:
    """Tell whether somebody looks at a stream; it is None where whoever started us closed it."""
    return stream is not None and stream.isatty()


def plain(text: Text) -> str:
    """Return a text without its tone."""
    return text.text if isinstance(text, Toned) else text


def printable(text: str) -> str:
    """
    Return a text with what would steer a terminal spelled out as an escape.

    Names of files and tools, and what providers say, hold what they like.
    """
    return _STEERING.sub(lambda found: found[0].encode("unicode_escape").decode(), text)


def _as_json(found: re.Match[str]) -> str:
    """Return a control character as JSON spells it; a line's end is outside of every text there."""
    return found[0] if found[0] == "\n" else f"\\u{ord(found[0]):04x}"


def _lines(block: Block) -> Iterable[str]:
    return _table_lines(block) if isinstance(block, Table) else (printable(plain(block)),)


def _table_lines(table: Table) -> Iterator[str]:
    rows = [[printable(plain(cell)) for cell in row] for row in table.rows]
    if table.has_headings:
        rows.insert(0, [heading.removeprefix("<") for heading in table.headings])
    widths = [max((_columns(row[column]) for row in rows), default=0) for column in range(len(table.headings))]
    for row in rows:
        blanks = [" " * (width - _columns(cell)) for cell, width in zip(row, widths, strict=True)]
        cells = (
            f"{cell}{blank}" if table.is_left(column) else f"{blank}{cell}"
            for column, (cell, blank) in enumerate(zip(row, blanks, strict=True))
        )
        yield "  ".join(cells).rstrip()


def _columns(text: str) -> int:
    """Return how many columns of a terminal a text takes: Chinese, Japanese and Korean characters take two."""
    if text.isascii():
        return len(text)
    return sum(0 if unicodedata.combining(one) else 1 + (unicodedata.east_asian_width(one) in "WF") for one in text)


def _ignore(done: int, whole: int) -> None:
    """Show nothing."""
