"""The page about refusals shows the rows that the code goes by."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

from longturn import classify
from longturn.failures import table
from longturn.failures.vocabulary import concepts, spaced

DOCS = Path(__file__).parents[2] / "docs"


@pytest.fixture(scope="module")
def tables() -> ModuleType:
    spec = importlib.util.spec_from_file_location("error_tables", DOCS / "error_tables.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_tables_are_current(tables: ModuleType) -> None:
    """If not: python docs/error_tables.py."""
    page = tables.PAGE.read_text("utf-8")
    assert table.DECISIVE_CODES[0].source in page
    assert tables.updated(page) == page


@pytest.mark.parametrize(
    "row",
    [
        *table.FIRST_WORDINGS,
        *table.WORDINGS,
        *table.WHOLE_WORDINGS,
        *table.OTHER_WORDINGS,
        *table.TROUBLE_WORDINGS,
    ],
    ids=lambda row: row.example,
)
def test_each_example_is_what_its_row_says(row: table.Wording) -> None:
    """As a refusal with a status, for only then is every row looked at."""
    status = 503 if row.verdict in (table.OVERLOADED, table.NETWORK) else 400
    assert row.verdict.kind == classify({"status": status, "error": {"message": row.example}}).kind


@pytest.mark.parametrize("row", table.CODE_WORDINGS, ids=lambda row: row.example)
def test_each_code_is_what_its_row_says(row: table.Wording) -> None:
    assert row.verdict.kind == classify({"error": {"code": row.example, "message": "No."}}).kind


def test_rows_speak_of_known_things_and_name_their_sources() -> None:
    wordings = [
        *table.FIRST_WORDINGS,
        *table.WORDINGS,
        *table.WHOLE_WORDINGS,
        *table.OTHER_WORDINGS,
        *table.CODE_WORDINGS,
        *table.TROUBLE_WORDINGS,
    ]
    spoken = {name for row in wordings for name in row.speaks_of | row.not_of}
    assert set() == spoken - set(table.CONCEPTS) - {"pair"}
    for rows in (table.DECISIVE_CODES, table.CODES, table.DECISIVE_CLASSES, table.CLASSES, table.STOPS):
        assert all(row.source and row.names and row.provider for row in rows)
        assert all(name == name.lower() for row in rows for name in row.names)


def test_no_word_is_everywhere() -> None:
    """A pattern that matches nothing in particular would match everything."""
    assert frozenset() == concepts(spaced(""))
    assert frozenset() == concepts(spaced("lorem ipsum dolor sit amet"))
