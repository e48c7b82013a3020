"""The console with colours and bars, by rich; only the extra ``cli`` brings it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

import rich.box
from rich.console import Console as Screen
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn
from rich.table import Table as Grid
from rich.text import Text as Styled

from longturn.cli.console import PATIENCE_SECONDS, Block, Console, Step, Table, Text, Toned, plain, printable

_STYLES: Final = {"good": "green", "bad": "bold red", "quiet": "dim", "title": "bold"}


class ColourConsole(Console):
    """Colours on a terminal; rich itself leaves them out where the output goes elsewhere, or NO_COLOR is set."""

    def __init__(self) -> None:
        self._out: Final = Screen(highlight=False, soft_wrap=True)
        self._err: Final = Screen(highlight=False, soft_wrap=True, stderr=True)

    def show(self, *blocks: Block) -> None:
        """Print lines and tables to standard output."""
        if not self._out.is_terminal:
            super().show(*blocks)
            return
        for block in blocks:
            self._out.print(_grid(block) if isinstance(block, Table) else _styled(block))

    def warn(self, text: str) -> None:
        """Print a warning to standard error."""
        self._err.print(Styled.assemble(("longturn: warning: ", "yellow"), printable(text)))

    def error(self, text: str) -> None:
        """Print an error to standard error."""
        self._err.print(Styled.assemble(("longturn: error: ", "bold red"), printable(text)))

    @contextmanager
    def progress(self, what: str) -> Iterator[Step]:
        """Show a bar on a terminal's standard error, once something takes longer than a second."""
        if not self._err.is_terminal:
            with super().progress(what) as step:
                yield step
            return
        bar = Progress(
            TextColumn("{task.description}", markup=False), BarColumn(), TaskProgressColumn(), TimeRemainingColumn(),
            console=self._err, transient=True,
        )  # fmt: skip
        shown = _Shown(bar, printable(what))
        try:
            yield shown.step
        finally:
            bar.stop()


class _Shown:
    """A bar that starts late."""

    def __init__(self, bar: Progress, what: str) -> None:
        self._bar = bar
        self._task = bar.add_task(what, total=None)
        self._start = bar.get_time() + PATIENCE_SECONDS
        self._is_started = False

    def step(self, done: int, whole: int) -> None:
        if not self._is_started and self._bar.get_time() < self._start:
            return
        if not self._is_started:
            self._is_started = True
            self._bar.start()
        self._bar.update(self._task, completed=done, total=whole or None)


def _grid(table: Table) -> Grid:
    grid = Grid(
        box=rich.box.SIMPLE_HEAD, pad_edge=False, show_edge=False, header_style="bold", show_header=table.has_headings
    )
    for column, heading in enumerate(table.headings):
        justify: Any = "left" if table.is_left(column) else "right"
        grid.add_column(heading.removeprefix("<"), justify=justify, overflow="fold")
    for row in table.rows:
        grid.add_row(*map(_styled, row))
    return grid


def _styled(text: Text) -> Styled:
    return Styled(printable(plain(text)), style=_STYLES[text.tone] if isinstance(text, Toned) else "")
