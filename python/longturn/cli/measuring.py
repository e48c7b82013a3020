"""``longturn bench``: this machine's own ratios, in about ten seconds."""

from __future__ import annotations

import argparse
import json
import platform
import time
from collections.abc import Callable
from functools import partial
from typing import Any, Final, NamedTuple

from longturn.cli.arguments import add_json
from longturn.cli.console import Console, Table
from longturn.cli.made_up import LANGUAGES, agent_run, prose
from longturn.cli.records import counted
from longturn.tokens import reference
from longturn.tokens.backend import BACKEND
from longturn.tokens.estimate import Estimator, estimate
from longturn.window import Window

DESCRIPTION = """\
Measures estimates of one text and of a history, against other ways to count, and what a step of
fitting costs.  Times are the best of many repetitions; the other ways are what is often used
instead, in plain Python.
"""

_TEXT_CHARS: Final = 100_000
_CALLS: Final = 250
_SECONDS: Final = 0.3
"""How long each measurement is repeated."""


Task = tuple[str, str, Callable[[], int]]
"""What is counted, in which way, and the counting."""


class Measured(NamedTuple):
    """One way to count."""

    what: str
    way: str
    seconds: float
    answer: int


def _summed(text: str) -> int:
    """Count by the same rule as one would write it down."""
    weights = (1 if ord(c) < 0x80 else 4 if "\u2e80" <= c <= "\u9fff" or "\uac00" <= c <= "\ud7ff" else 2 for c in text)
    return -(-sum(weights) // 4)


_WAYS: Final[dict[str, Callable[[str], int]]] = {
    "longturn": estimate,
    "plain-Python twin": reference.tokens,
    "sum over characters": _summed,
    "characters / 4": lambda text: -(-len(text) // 4),
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    add_json(parser)


def run(options: argparse.Namespace, console: Console) -> int:
    """Measure and print."""
    rows: list[Measured] = []
    tasks = [*_text_tasks(), *_history_tasks()]
    with console.progress("measuring") as step:
        for number, (what, way, count) in enumerate(tasks):
            step(number, len(tasks))
            rows.append(Measured(what, way, _best(count), count()))
    machine = f"{platform.machine()}, Python {platform.python_version()}, backend {BACKEND}"
    if options.json:
        console.json({"machine": machine, "measured": [row._asdict() for row in rows]})
        return 0
    console.show(f"{machine}; {_TEXT_CHARS:,} characters a text, {counted(_CALLS, 'call')} in the history", "")
    console.show(
        _table(rows), "", f"A step of fitting that history, one call longer: {_microseconds(_step_seconds())}."
    )
    return 0


def _text_tasks() -> list[Task]:
    return [
        (f"{language} text", way, partial(count, prose(language, _TEXT_CHARS)))
        for language in LANGUAGES
        for way, count in _WAYS.items()
    ]


def _history_tasks() -> list[Task]:
    history = agent_run(_CALLS)
    known = Estimator()
    return [
        ("history, again", "longturn", lambda: known(history)),
        ("history, first time", "longturn", lambda: Estimator()(history)),
        ("history, first time", "json.dumps / 4", lambda: len(json.dumps(history)) // 4),
    ]


def _best(work: Callable[[], Any]) -> float:
    """Return the seconds that some work takes at its fastest."""
    best, end = float("inf"), time.perf_counter() + _SECONDS
    while True:
        start = time.perf_counter()
        work()
        now = time.perf_counter()
        best = min(best, now - start)
        if now > end:
            return best


def _step_seconds() -> float:
    """Return what a step costs a window that knows all but the last call."""
    history, window = agent_run(_CALLS), Window(60_000)
    window.fit(history)
    more = agent_run(_CALLS + 40)[len(history) :]

    def step() -> None:
        if more:
            history.extend([more.pop(0), more.pop(0)])
        window.fit(history)

    return _best(step)


def _table(rows: list[Measured]) -> Table:
    ours = {row.what: row.seconds for row in rows if row.way == "longturn"}
    cells = [
        [row.what, row.way, _microseconds(row.seconds), _times(row.seconds / ours[row.what]), f"{row.answer:,}"]
        for row in rows
    ]
    return Table(headings=("<what", "<way", "time", "times longturn's", "tokens"), rows=cells)


def _microseconds(seconds: float) -> str:
    return f"{seconds * 1e6:,.1f} µs"


def _times(ratio: float) -> str:
    return f"{ratio:,.0f}" if ratio >= 10 else f"{ratio:.2g}"
