"""Columns: every layout gives what ``longturn.estimate`` gives entry by entry, and no layout is trusted."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from array import array
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from columns import LAYOUTS, Column, Stream, TextEntry, chunks_of, entries_of, with_dictionary, with_offsets, with_views
from hypothesis import given
from hypothesis import strategies as st

import longturn
from longturn.arrow import estimate

LONGTURN_HOME = Path(longturn.__file__).parents[1]
needs_core = pytest.mark.skipif(longturn.BACKEND != "rust", reason="pyarrow reads columns on this backend")

ENTRIES: list[TextEntry] = [
    "hello, world", "Привет, мир", None, "日本語の文章", "", "a", "😀 mixed текст 漢字 abc", "twelve bytes",
    "thirteen byte", "шесть_", "é" * 60, None, "，。！？", "ascii " * 900, "книга " * 700, "漢字" * 900, "\0", "🎉🎊",
]  # fmt: skip
LONE_BYTES: list[TextEntry] = [b"\xff", b"a\xe4\xb8", b"\xad", b"\xed\xa0\x80", None, b"\xf0\x9f\x98", b"\x80" * 5000]


@pytest.fixture(autouse=True)
def _reader() -> None:
    if longturn.BACKEND != "rust":
        pytest.importorskip("pyarrow")


def expected(entries: list[TextEntry]) -> list[int | None]:
    return [None if entry is None else longturn.estimate(entry) for entry in entries]


def is_binary(layout: str) -> bool:
    return "z" in layout.lower()


# ---------------------------------------------------------------------- what is counted


@pytest.mark.parametrize("layout", LAYOUTS)
def test_each_entry_is_estimated_on_its_own(layout: str) -> None:
    """The tokens of an entry are those of the same text alone, nulls stay null."""
    column = estimate(LAYOUTS[layout](ENTRIES))
    assert expected(ENTRIES) == entries_of(column)
    assert len(ENTRIES) == len(column)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_slice_is_counted_from_where_it_starts(layout: str) -> None:
    """Offset and length of the array hold for offsets, views, keys and validity bits alike."""
    column = LAYOUTS[layout](ENTRIES)
    for start in range(len(ENTRIES)):
        for end in {start, start + 1, min(start + 3, len(ENTRIES)), len(ENTRIES)}:
            assert expected(ENTRIES[start:end]) == entries_of(estimate(column.slice(start, end - start)))


@pytest.mark.parametrize("layout", [layout for layout in LAYOUTS if is_binary(layout)])
def test_invalid_bytes_count_as_other(layout: str) -> None:
    """Binary columns are read as UTF-8; bytes that are none count one character each, as everywhere."""
    entries = [*ENTRIES, *LONE_BYTES, *ENTRIES]
    assert expected(entries) == entries_of(estimate(LAYOUTS[layout](entries)))


@needs_core
@pytest.mark.parametrize("layout", ["u", "U", "vu", "i to u"])
def test_strings_that_are_no_utf8_count_like_bytes(layout: str) -> None:
    """Arrow forbids them and nobody checks; a character is never made of two neighbours' halves."""
    entries = [*LONE_BYTES, *ENTRIES]
    assert expected(entries) == entries_of(estimate(LAYOUTS[layout](entries)))


@pytest.mark.parametrize("layout", LAYOUTS)
def test_nothing_and_nothing_but_nulls(layout: str) -> None:
    """An empty column gives an empty one, a column of nulls as many nulls."""
    assert [] == entries_of(estimate(LAYOUTS[layout]([])))
    assert [None] * 11 == entries_of(estimate(LAYOUTS[layout]([None] * 11)))


def test_the_null_type_is_all_nulls() -> None:
    """A column that no value was ever seen for has this type; it has no buffers."""
    assert [None] * 9 == entries_of(estimate(Column("n", 9, [], null_count=9)))


@needs_core
@pytest.mark.parametrize("format", ["u", "U", "vu"])
def test_an_empty_array_needs_no_buffers(format: str) -> None:
    """Arrow allows null pointers where there are no rows."""
    assert [] == entries_of(estimate(Column(format, 0, [None] * 3)))


@needs_core
def test_validity_may_be_missing_or_idle() -> None:
    """Without a bitmap, or with a null count of 0, every entry counts."""
    texts: list[TextEntry] = ["one", "два", "三"]
    column = with_offsets(texts)
    bare = Column("u", 3, [None, *column.buffers[1:]])
    idle = Column("u", 3, [b"\x00", *column.buffers[1:]], null_count=0)
    assert [expected(texts)] * 2 == [entries_of(estimate(bare)), entries_of(estimate(idle))]


def test_null_entries_may_have_bytes() -> None:
    """What lies below a null is not read, and does not have to make sense."""
    offsets = array("i", [0, 3, 1, 4]).tobytes()
    assert [1, None, 1] == entries_of(estimate(Column("u", 3, [b"\x05", offsets, b"abcd"])))


def test_a_dictionary_may_hold_nulls_views_and_slices() -> None:
    """A key of a null value is a null; values are a column like any other."""
    values = with_views(["unused", "слово", None, "a text longer than a view"]).slice(1, 3)
    keys = array("b", [0, 1, 2, 0]).tobytes()
    column = Column("c", 4, [None, keys], dictionary=values)
    assert expected(["слово", None, "a text longer than a view", "слово"]) == entries_of(estimate(column))


def test_a_dictionary_may_be_longer_than_the_column() -> None:
    """Then only the texts that the column uses are read."""
    values = with_offsets([f"text {number}" for number in range(1_000)])
    column = Column("S", 3, [None, array("H", [999, 7, 999]).tobytes()], dictionary=values)
    assert expected(["text 999", "text 7", "text 999"]) == entries_of(estimate(column))


def test_a_large_column_is_the_same_in_threads() -> None:
    """Megabytes are shared out among threads: each row is counted once, in its place."""
    entries = [*ENTRIES, "x" * 3_000_000, *ENTRIES * 200, "книга" * 300_000, *ENTRIES * 50, None]
    for layout in ("u", "vu", "i to u"):
        assert expected(entries) == entries_of(estimate(LAYOUTS[layout](entries)))


@given(
    st.lists(st.none() | st.text(max_size=40), max_size=80),
    st.sampled_from(list(LAYOUTS)),
    st.data(),
)
def test_any_column(entries: list[TextEntry], layout: str, data: st.DataObject) -> None:
    """Any texts in any layout, any slice of them, in any chunks."""
    entries = [None if entry is None else entry.encode("utf-8", "replace").decode() for entry in entries]
    column = LAYOUTS[layout](entries)
    cuts = data.draw(st.lists(st.integers(0, len(entries)), min_size=2, max_size=5).map(sorted))
    chunks = [column.slice(start, end - start) for start, end in pairwise(cuts)]
    assert expected(entries[cuts[0] : cuts[-1]]) == entries_of(estimate(Stream(chunks)))


# ---------------------------------------------------------------------- streams and ownership


def test_chunks_of_a_stream_become_one_column() -> None:
    """Each chunk is a column of its own: other buffers, other slices, other dictionaries."""
    chunks = [with_dictionary(ENTRIES), with_dictionary(ENTRIES[:4]).slice(1, 3), with_dictionary([])]
    column = estimate(Stream(chunks))
    assert expected(ENTRIES + ENTRIES[1:4]) == entries_of(column)


def test_the_result_is_an_array_and_a_stream() -> None:
    """It can be asked for either, more than once, and outlives the object it came from."""
    column = estimate(with_offsets(ENTRIES))
    assert [expected(ENTRIES)] == chunks_of(column) == chunks_of(column)
    assert expected(ENTRIES) == entries_of(column)
    assert expected(ENTRIES) == entries_of(estimate(with_offsets(ENTRIES)))
    assert [[]] == chunks_of(estimate(with_offsets([])))


def test_what_comes_in_is_released_once() -> None:
    """Schema, array and stream, each by its own callback."""
    column, stream = with_offsets(ENTRIES), Stream([with_offsets(ENTRIES), with_offsets(ENTRIES)])
    estimate(column)
    estimate(stream)
    assert {"schema": 1, "array": 1} == column.released
    assert [{"schema": 1, "array": 1}, {"schema": 0, "array": 1}] == [chunk.released for chunk in stream.chunks]
    assert 1 == stream.released


@needs_core
def test_what_is_refused_is_released_too() -> None:
    """A wrong type or a malformed row is no reason to leak."""
    wrong, torn = Column("l", 1, [None, bytes(8)]), with_offsets(["ok"])
    bad = Column("u", 1, [None, array("i", [5, 4]).tobytes(), b"text"])
    stream = Stream([torn, bad])
    for column in (wrong, stream):
        with pytest.raises((TypeError, ValueError)):
            estimate(column)
    assert {"schema": 1, "array": 1} == wrong.released
    assert ([1, 1], 1) == ([chunk.released["array"] for chunk in stream.chunks], stream.released)


@needs_core
def test_a_failing_stream_says_why() -> None:
    """The message of the stream is the message of the exception; without one the system's words stand in."""
    stream = Stream([with_offsets(ENTRIES)], error="disk on fire")
    with pytest.raises(RuntimeError, match="the column's stream failed: disk on fire"):
        estimate(stream)
    assert 1 == stream.released == stream.chunks[0].released["array"]
    with pytest.raises(RuntimeError, match="stream failed: no schema today"):
        estimate(Stream([], error="no schema today"))
    with pytest.raises(RuntimeError, match="stream failed: Input/output error"):
        estimate(Stream([]))


@needs_core
def test_a_capsule_is_used_once() -> None:
    """Who hands out the same capsules twice is told so, instead of being read after release."""
    column = with_offsets(ENTRIES)
    capsules = column.__arrow_c_array__()

    class SameAgain:
        def __arrow_c_array__(self, requested_schema: object = None) -> tuple[object, object]:
            return capsules

    estimate(SameAgain())
    with pytest.raises(ValueError, match="used before"):
        estimate(SameAgain())


@needs_core
def test_the_interpreter_runs_on() -> None:
    """Counting holds no lock: this thread gets on while another one counts."""
    column = with_offsets(["страница " * 2_000] * 2_000)
    counting = threading.Thread(target=estimate, args=[column])
    counting.start()
    steps = 0
    while counting.is_alive():
        steps += 1
    assert steps > 20


# ---------------------------------------------------------------------- what is refused


@pytest.mark.parametrize("value", ["text", ["texts"], None, 7, object()])
def test_what_is_no_column_is_named(value: Any) -> None:
    """The error says what was seen and what a column has."""
    with pytest.raises(TypeError, match=rf"__arrow_c_stream__ or __arrow_c_array__ \(got {type(value).__name__}\)"):
        estimate(value)


@needs_core
@pytest.mark.parametrize(
    ("column", "seen"),
    [
        (Column("l", 1, [None, bytes(8)]), "'l'"),
        (Column("+l", 1, [None, bytes(8)]), "'+l'"),
        (Column("w:16", 1, [None, bytes(16)]), "'w:16'"),
        (Column("+s", 0, [None]), "'+s'; pass one column of the table"),
        (Column("i", 0, [None, b""], dictionary=Column("g", 0, [None, b""])), "'g'"),
        (Column("g", 0, [None, b""], dictionary=with_offsets([])), "'g'"),
    ],
)
def test_what_holds_no_strings_is_named(column: Column, seen: str) -> None:
    """The error has Arrow's own name of the type, and what to do about a table."""
    with pytest.raises(TypeError, match=r"column must hold strings: utf8.* \(got Arrow format ") as raised:
        estimate(column)
    assert seen in str(raised.value)


def offsets_column(*offsets: int, data: bytes = b"text") -> Column:
    return Column("u", len(offsets) - 1, [None, array("i", offsets).tobytes(), data])


def view_column(*numbers: int) -> Column:
    content = array("i", numbers).tobytes()
    return Column("vu", 1, [None, content, b"a text of twenty byte", array("q", [20]).tobytes()])


MALFORMED: list[tuple[str, Callable[[], Column]]] = [
    ("row 0", lambda: offsets_column(5, 4)),
    ("row 1", lambda: offsets_column(0, 2, 4, 3)),
    ("row 2", lambda: offsets_column(0, 0, 0, 9, 4)),
    ("negative or too large", lambda: offsets_column(0, -1)),
    ("row 0", lambda: offsets_column(-3, 4)),
    ("row 0", lambda: view_column(13, 0, 1, 0)),
    ("row 0", lambda: view_column(13, 0, 0, 8)),
    ("row 0", lambda: view_column(13, 0, 0, -1)),
    ("row 0", lambda: view_column(-1, 0, 0, 0)),
    ("row 0", lambda: Column("c", 2, [None, b"\xff\x00"], dictionary=with_offsets(["a"]))),
    ("row 1", lambda: Column("C", 2, [None, b"\x00\x01"], dictionary=with_offsets(["a"]))),
    ("no dictionary", lambda: KeysAlone("i", 1, [None, bytes(4)])),
    ("buffer is missing", lambda: Column("u", 1, [None, None, b"text"])),
    ("buffer is missing", lambda: Column("u", 1, [None, array("i", [0, 4]).tobytes(), None])),
    ("number of buffers", lambda: Column("u", 1, [None, array("i", [0, 4]).tobytes()])),
    ("number of buffers", lambda: Column("vu", 1, [None, bytes(16)])),
    ("negative", lambda: Column("u", -1, [None, bytes(8), b""])),
    ("negative", lambda: Column("u", 1, [None, bytes(8), b""], start=-1)),
]


class KeysAlone(Column):
    """The schema has a dictionary, the array none."""

    def fill_schema(self, schema: Any) -> None:
        self.dictionary = with_offsets(["a"])
        super().fill_schema(schema)
        self.dictionary = None


@needs_core
@pytest.mark.parametrize(("complaint", "column"), MALFORMED)
def test_a_malformed_column_is_an_error(complaint: str, column: Callable[[], Column]) -> None:
    """Nothing a buffer says is followed out of its bounds."""
    with pytest.raises(ValueError, match=f"malformed Arrow column: .*{complaint}"):
        estimate(column())


@needs_core
def test_a_malformed_row_is_counted_from_the_first_chunk() -> None:
    """The number in the error is the row of the whole column."""
    with pytest.raises(ValueError, match="row 4 "):
        estimate(Stream([with_offsets(["a", "b", "c"]), offsets_column(0, 1, 3, 2)]))


def test_without_core_and_pyarrow_the_error_says_what_is_needed() -> None:
    """The plain-Python backend reads columns through pyarrow, or not at all."""
    script = """
import sys
sys.modules["pyarrow"] = None
from longturn.arrow import estimate
try:
    estimate(object())
except ModuleNotFoundError as error:
    assert "Rust core" in str(error) and "pip install pyarrow" in str(error), error
else:
    raise SystemExit("no error")
"""
    environment = {**os.environ, "LONGTURN_BACKEND": "python", "PYTHONPATH": str(LONGTURN_HOME)}
    subprocess.run([sys.executable, "-c", script], env=environment, check=True)


# ---------------------------------------------------------------------- columns of real libraries


def test_pyarrow_columns() -> None:
    """Arrays, slices and chunked arrays of each string type; the result passes pyarrow's own checks."""
    pa = pytest.importorskip("pyarrow")
    for kind in ("string", "large_string", "string_view", "binary", "large_binary", "binary_view"):
        texts = pa.array(ENTRIES, pa.string()).cast(getattr(pa, kind)())
        tokens = pa.array(estimate(texts[1:]))
        tokens.validate(full=True)
        assert (pa.int64(), expected(ENTRIES[1:])) == (tokens.type, tokens.to_pylist())
        chunked = pa.chunked_array([texts[5:], texts[:0], texts[2:9]])
        assert expected(ENTRIES[5:] + ENTRIES[2:9]) == pa.chunked_array(estimate(chunked)).to_pylist()
    encoded = pa.array(ENTRIES).dictionary_encode()
    assert expected(ENTRIES) == pa.array(estimate(encoded)).to_pylist()
    assert [None] * 3 == pa.array(estimate(pa.nulls(3))).to_pylist()


def test_a_pyarrow_column_of_numbers_is_refused() -> None:
    """The same on both backends, in the words of the one that reads."""
    pa = pytest.importorskip("pyarrow")
    for column in (pa.array([1]), pa.array([["x"]]), pa.array([1]).dictionary_encode(), pa.table({"t": ["x"]})):
        with pytest.raises(TypeError, match="column must"):
            estimate(column)


def test_polars_columns() -> None:
    """Strings, categories, several chunks, slices."""
    pl = pytest.importorskip("polars")
    texts = pl.Series("text", ENTRIES)
    assert expected(ENTRIES) == pl.Series(estimate(texts)).to_list()
    assert expected(ENTRIES[3:9]) == pl.Series(estimate(texts[3:9])).to_list()
    chunked = pl.concat([texts, texts[2:4]], rechunk=False)
    assert expected(ENTRIES + ENTRIES[2:4]) == pl.Series(estimate(chunked)).to_list()
    assert expected(ENTRIES) == pl.Series(estimate(texts.cast(pl.Categorical))).to_list()
    assert pl.Int64 == pl.Series(estimate(texts)).dtype


def test_nanoarrow_columns() -> None:
    """The smallest of the libraries: its arrays, and its reading of ours."""
    na = pytest.importorskip("nanoarrow")
    texts = na.Array(ENTRIES, na.string())
    assert expected(ENTRIES) == na.Array(estimate(texts)).to_pylist()
    assert expected(ENTRIES) == na.Array(estimate(na.c_array(ENTRIES, na.large_string()))).to_pylist()
