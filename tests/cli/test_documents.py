"""Files of JSON: lines and long lists one after the other, and what is broken named by its place."""

from __future__ import annotations

import gzip
import io
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from longturn.cli import documents, files
from longturn.cli.documents import source_of
from longturn.cli.errors import InputError

scalars = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8)
values = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=4), inner, max_size=4),
    max_leaves=12,
)  # fmt: skip


def ignore(text: str) -> None:
    """Take no notice of a warning."""


def read(data: bytes, name: str = "f.json") -> Any:
    source = source_of(name, io.BytesIO(data), ignore)
    return [line.value for line in source.lines] if source.is_lines else source.document


def refused(data: bytes, name: str = "f.json") -> str:
    with pytest.raises(InputError) as raised:
        read(data, name)
    return str(raised.value)


@given(value=values, indent=st.sampled_from([None, 1]), piece=st.sampled_from([1, 2, 3, 7, 1 << 20]))
def test_a_document_reads_like_the_whole_text(value: Any, indent: int | None, piece: int) -> None:
    """In pieces of any size, a list's items one by one."""
    text = json.dumps(value, ensure_ascii=False, indent=indent)
    data = text.encode("utf-8", "surrogatepass")
    try:
        expected = json.loads(data.decode("utf-8"))
    except UnicodeDecodeError:
        return
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(files, "PIECE_BYTES", piece)
        assert read(b"\xef\xbb\xbf" + data) == expected


@given(items=st.lists(st.dictionaries(st.text(max_size=4), scalars, max_size=4), min_size=2, max_size=6))
def test_lines_read_one_by_one(items: list[Any]) -> None:
    """Blank ones left out."""
    assert read("\n\n".join(map(json.dumps, items)).encode()) == items


def test_one_line_is_a_document_unless_its_name_says_otherwise() -> None:
    """A body on one line."""
    assert read(b'{"a": 1}') == {"a": 1}
    assert read(b'{"a": 1}\n', "f.jsonl") == [{"a": 1}]
    assert read(b'{\n"a": 1}') == {"a": 1}


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ('{"a": ', "line 1, column 7"),
        ('\n\n{"a": 1,\n "b": }', "line 4, column 7"),
        ("[1,\n 2,\n 3 4]", "line 3, column 4"),
        ('[{"a": 1},\n {"b": tru}]', "line 2, column 8"),
        ("[1, 2", "line 1, column 6"),
        ("[1, 2]\n\n]", "line 3, column 1"),
        ("[,]", "line 1, column 2"),
        ('{"a": 1}\n{"b": }\n{"c": 1}', "line 2, column 7"),
    ],
)
@pytest.mark.parametrize("piece", [1, 4, 1 << 20])
def test_what_is_broken_is_named_by_line_and_column(
    text: str, place: str, piece: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whether it is a document, one of many items, or a line."""
    monkeypatch.setattr(files, "PIECE_BYTES", piece)
    assert place in refused(text.encode())


def test_other_texts_are_refused() -> None:
    """Empty, not UTF-8, too deep, a number no Python reads."""
    assert refused(b"") == "f.json is empty"
    assert refused(b" \n ") == "f.json is empty"
    assert refused("[]".encode("utf-16")) == "f.json is UTF-16 text: save it as UTF-8"
    assert refused(gzip.compress(b"[]")) == "f.json is compressed: gzip -dc FILE | longturn ... - reads it"
    assert "byte 0xff, line 2" in refused(b'[1,\n"\xff"]')
    assert "byte 0xc3, line 1" in refused(b'["\xc3')
    assert "nested too deeply" in refused(b"[" * 200_000)
    assert "nested too deeply" in refused(b'{"a":' * 200_000)
    assert "line 1" in refused(b"[" + b"9" * 5_000 + b"]")


def test_what_is_too_large_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """One document, or one item; the same in lines is not."""
    monkeypatch.setattr(documents, "LARGEST_BYTES", 1_000)
    monkeypatch.setattr(files, "PIECE_BYTES", 100)
    item = {"a": "x" * 300}
    assert "one JSON document of more than" in refused(json.dumps({"b": [item] * 9}, indent=1).encode())
    assert "one item of more than" in refused(json.dumps([{"b": [item] * 9}], indent=1).encode())
    assert read(json.dumps([item] * 9, indent=1).encode()) == [item] * 9
    assert read("\n".join([json.dumps(item)] * 9).encode()) == [item] * 9
