"""
The tables of ``errors.md``, out of the rows that the code goes by.

``python docs/error_tables.py`` writes them between the page's marks; a test sees that they are current.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import Path

from longturn.failures import table
from longturn.failures.table import Names, Verdict, Wording

PAGE = Path(__file__).parent / "errors.md"
NAMED = {
    "Codes that settle it": table.DECISIVE_CODES,
    "Codes that count where no wording says more": table.CODES,
    "Exception classes that settle it": table.DECISIVE_CLASSES,
    "Exception classes that count where nothing else tells": table.CLASSES,
    "Reasons why an answer ended": table.STOPS,
}
WORDED = (
    *table.FIRST_WORDINGS,
    *table.WORDINGS,
    *table.WHOLE_WORDINGS,
    *table.OTHER_WORDINGS,
    *table.CODE_WORDINGS,
    *table.TROUBLE_WORDINGS,
)


def verdicts() -> list[Verdict]:
    """Return every verdict, in the order in which the table defines them."""
    return [value for value in vars(table).values() if isinstance(value, Verdict)]


def grid(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in line)} |" for line in lines)


def yes(value: object) -> str:
    return "yes" if value else "no"


def verdict_row(verdict: Verdict) -> list[str]:
    person = f"`{verdict.sentence}`" if verdict.sentence else "–"
    flags = [yes(verdict.retryable), yes(verdict.page), yes(verdict.shrink_helps)]
    return [f"`{verdict.kind.name}`", verdict.means, *flags, person]


def names_row(row: Names) -> list[str]:
    names = ", ".join(f"`{name}`" for name in row.names)
    return [row.provider, names, f"`{row.verdict.kind.name}`", row.source]


def wording_row(row: Wording) -> list[str]:
    spoken, left = ", ".join(sorted(row.speaks_of)), ", ".join(sorted(row.not_of)) or "–"
    return [f"`{row.verdict.kind.name}`", spoken, left, row.example]


def rendered() -> str:
    head = ["kind", "what happened", "retry", "page the team", "shrinking helps", "the person reads"]
    parts = [grid(head, map(verdict_row, verdicts()))]
    for title, rows in NAMED.items():
        parts += [f"### {title}", grid(["who says it", "names", "kind", "source"], map(names_row, rows))]
    statuses = ([str(status), f"`{verdict.kind.name}`"] for status, verdict in table.STATUSES.items())
    parts += ["### Statuses, where nothing else tells", grid(["status", "kind"], statuses)]
    parts += ["### Words", grid(["kind", "speaks of", "and not of", "for instance"], map(wording_row, WORDED))]
    return "\n\n".join(parts)


def updated(page: str) -> str:
    """Return a page with its tables as they should be."""
    marks = re.compile(r"(?<=<!-- tables -->\n).*?(?=\n<!-- end of tables -->)", re.DOTALL)
    return marks.sub(lambda _: rendered(), page)


if __name__ == "__main__":
    PAGE.write_text(updated(PAGE.read_text("utf-8")), "utf-8")
