"""``longturn estimate``: what ``wc`` is for lines, for tokens."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import NamedTuple

from longturn.tokens.scripts import Scripts, scripts


class Row(NamedTuple):
    """The count of one file."""

    name: str
    scripts: Scripts


def count(name: str, data: bytes) -> Row:
    """Count a file as UTF-8 text; an invalid byte is one code point of ``other``."""
    return Row(name, scripts(data))


def total(rows: Sequence[Row]) -> Row:
    """Return the sum over several files: of code points, so that tokens are rounded up once."""
    sums = (sum(counts) for counts in zip(*(row.scripts for row in rows), strict=True))
    return Row("total", Scripts(*sums) if rows else Scripts(0, 0, 0))


def rows_text(rows: Sequence[Row]) -> str:
    """Return the counts as columns, with a total where there are several."""
    shown = [*rows, total(rows)] if len(rows) > 1 else list(rows)
    cells = [("ascii", "cjk", "other", "tokens", ""), *(_cells(row) for row in shown)]
    widths = [max(len(row[column]) for row in cells) for column in range(4)]
    return "\n".join(_line(row, widths) for row in cells)


def rows_json(rows: Sequence[Row]) -> str:
    """Return the counts as one JSON object."""
    return json.dumps({"files": [_value(row) for row in rows], "total": _value(total(rows))}, ensure_ascii=False)


def _cells(row: Row) -> tuple[str, ...]:
    return (*map(str, row.scripts), str(row.scripts.tokens), row.name)


def _line(cells: Sequence[str], widths: Sequence[int]) -> str:
    numbers = "  ".join(f"{cell:>{width}}" for cell, width in zip(cells, widths, strict=False))
    return f"{numbers}  {cells[-1]}".rstrip()


def _value(row: Row) -> dict[str, object]:
    return {"name": row.name, **row.scripts._asdict(), "tokens": row.scripts.tokens}
