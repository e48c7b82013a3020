"""Rows as measured, and how they are shown."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

NANOSECOND, MICROSECOND, MILLISECOND = 1e-9, 1e-6, 1e-3

Row = dict[str, Any]
Rows = dict[str, list[Row]]  # by group


def best(rows: Rows, group: str, name: str, key: str = "min") -> float:
    """Return a number of one row; not a number where it was not measured."""
    return next((row[key] for row in rows.get(group, ()) if row["name"] == name), float("nan"))


def known(value: float) -> float | None:
    return None if value != value else value


def section(title: str, lead: str, shown: str) -> str:
    return f"### {title}\n\n{lead}\n\n{shown}"


def table(head: Sequence[str], body: Iterable[Sequence[str]]) -> str:
    lines = [head, ["---", *["--:"] * (len(head) - 1)], *body]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def seconds(value: float) -> str:
    """Show a time with three digits."""
    for unit, name in ((1, "s"), (MILLISECOND, "ms"), (MICROSECOND, "µs")):
        if value >= 0.9995 * unit:
            return f"{digits(value / unit)} {name}"
    return f"{value / NANOSECOND:.0f} ns"


def ratio(value: float) -> str:
    return f"{digits(value)} ×" if value < 1_000 else f"{value:,.0f} ×"


def digits(value: float) -> str:
    return f"{value:.2f}" if value < 9.995 else f"{value:.1f}" if value < 99.95 else f"{value:.0f}"
