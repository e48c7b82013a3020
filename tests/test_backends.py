"""The Rust core gives the answers and the errors of its plain-Python twin, whatever it is given."""

from __future__ import annotations

import json
import math
import sys
from collections import OrderedDict, UserDict, defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum, IntEnum
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from longturn.tokens import reference, rules
from longturn.tokens.backend import BACKEND, core
from longturn.tokens.media import price
from longturn.tokens.plain import plain

if BACKEND != "rust":
    pytest.skip("one backend is not enough to compare", allow_module_level=True)

SETTINGS: dict[str, Any] = {
    "key_rules": rules.KEY_RULES,
    "call_types": rules.CALL_TYPES,
    "result_types": rules.RESULT_TYPES,
    "result_roles": rules.RESULT_ROLES,
    "media_types": rules.MEDIA_TYPES,
    "media_keys": rules.MEDIA_KEYS,
    "item_types": rules.ITEM_TYPES,
    "block_keys": rules.BLOCK_KEYS,
    "costs": (16, 32, 17, 1024),  # each another one, and not all multiples of four
    "max_depth": 24,
    "plain": plain,
    "price": price,
}
RUST, TWIN = core.Walker(**SETTINGS), reference.Walker(**SETTINGS)
METHODS = ("json", "content", "message", "is_message")


# ---------------------------------------------------------------------- values of every kind


class Text(str):
    __slots__ = ()


class Items(list[Any]):
    pass


class Members(dict[str, Any]):
    pass


class Shade(Enum):
    DARK = "тёмный"


class Level(IntEnum):
    HIGH = 1_000


@dataclass
class Reply:
    role: str
    content: Any


class Dumped:
    """A look-alike of a pydantic model."""

    def __init__(self, members: dict[str, Any]) -> None:
        self.members = members
        self.role = members.get("role")

    def model_dump(self, **options: Any) -> dict[str, Any]:
        return self.members


class Unheard:
    """Has no JSON form at all."""


EDGES = (
    [chr(code_point) for first, last in reference.CJK_RANGES for code_point in (first - 1, first, last, last + 1)]
    + list('\x00\x08\t\n\x0b\x0c\r\x1f "\\/\x7f\x80é\xffĀж')
    + ["\ud800", "\udbff", "\udc00", "\udfff", "😀", "\U0010ffff"]
)

characters = st.sampled_from(EDGES) | st.characters() | st.characters(min_codepoint=0xD800, max_codepoint=0xDFFF)
# A lane is chosen by the widest character, and short and long strings go different ways.
lanes = st.sampled_from([0x7F, 0xFF, 0xFFFF, 0x10FFFF]).flatmap(
    lambda widest: (
        st.sampled_from([edge for edge in EDGES if ord(edge) <= widest]) | st.characters(max_codepoint=widest)
    )
)
texts = st.text(characters, max_size=40)
long_texts = st.builds(
    lambda part, times, tail: part * times + tail,
    st.text(characters, min_size=1, max_size=30),
    st.integers(1, 400),
    texts,
)
numbers = (
    st.integers()
    | st.integers(-(2**70), 2**70)
    | st.builds(lambda digits, off: 10**digits + off, st.integers(0, 700), st.integers(-1, 1))
    | st.floats()
)
scalars = st.none() | st.booleans() | numbers | texts
names = st.sampled_from(sorted(rules.KEY_RULES) + sorted(rules.MEDIA_KEYS) + ["foo", "ключ", 'a"b', "\n"]) | texts
known_kinds = rules.CALL_TYPES | rules.RESULT_TYPES | rules.MEDIA_TYPES | rules.ITEM_TYPES | rules.RESULT_ROLES
kinds = st.sampled_from([*sorted(known_kinds), "text", "thinking", "user"])
keys = names | st.integers() | st.booleans() | st.none() | st.floats(allow_nan=False)


def nested(leaves: st.SearchStrategy[Any], keys: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.recursive(
        leaves,
        lambda inner: st.lists(inner, max_size=4) | st.lists(inner, max_size=3).map(tuple) | members(keys, inner),
        max_leaves=12,
    )


def members(keys: st.SearchStrategy[Any], values: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.dictionaries(keys, values, max_size=5)


def blocks(values: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """Mappings that look like messages, blocks, calls, results or pictures."""
    typed = st.fixed_dictionaries(
        {},
        optional={
            "type": kinds | scalars,
            "part_kind": kinds,
            "kind": kinds,
            "role": kinds,
            "content": values,
            "tool_calls": values,
            "additional_kwargs": values,
            "function_call": values,
            "source": values,
        },
    )
    return st.builds(lambda one, other: {**one, **other}, members(names, values), typed)


def strange(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """Subclasses of what JSON knows, and objects that stand for it."""
    mappings = blocks(inner)
    return st.one_of(
        texts.map(Text),
        st.lists(inner, max_size=3).map(Items),
        mappings.map(Members),
        mappings.map(OrderedDict),
        mappings.map(UserDict),
        mappings.map(lambda members: defaultdict(list, members)),
        mappings.map(Dumped),
        st.builds(Reply, kinds, inner),
        st.binary(max_size=20),
        st.binary(max_size=20).map(bytearray),
        st.binary(max_size=20).map(memoryview),
        st.sampled_from([Shade.DARK, Level.HIGH, Unheard(), Unheard, {1, 2}, range(3), (1 + 2j)]),
    )


json_values = nested(scalars, keys)
anything = st.recursive(
    scalars | kinds,
    lambda inner: (
        st.lists(inner, max_size=4) | blocks(inner) | members(keys | st.binary(max_size=3), inner) | strange(inner)
    ),
    max_leaves=16,
)


def outcome(call: Callable[..., object], *arguments: object) -> object:
    """What a call returns, or the type and the words of its error."""
    try:
        return call(*arguments)
    except (TypeError, ValueError) as error:
        return type(error), str(error)


def printable(value: object) -> object:
    """An outcome without lone surrogates, which messages made in Rust cannot hold."""
    if isinstance(value, tuple):
        return tuple(printable(part) for part in value)
    return (
        "".join("?" if "\ud7ff" < c < "\ue000" or c == "\ufffd" else c for c in value)
        if isinstance(value, str)
        else value
    )


# ---------------------------------------------------------------------- texts


@given(texts | long_texts | st.text(lanes, max_size=200))
@example("".join(EDGES) * 40)
def test_s1_strings_count_alike(text: str) -> None:
    assert core.counts(text) == reference.counts(text)
    assert core.quarters(text) == reference.quarters(text)
    assert core.tokens(text) == reference.tokens(text)
    assert RUST.json(text) == TWIN.json(text)


@given(st.binary(max_size=200) | long_texts.map(lambda text: text.encode("utf-8", "surrogatepass")))
def test_s1_bytes_count_as_python_decodes_them(data: bytes) -> None:
    assert core.counts(data) == core.counts(data.decode("utf-8", "surrogateescape")) == reference.counts(data)
    assert RUST.json(data) == TWIN.json(data)


@pytest.mark.parametrize(
    "first", reference.CJK_RANGES, ids=lambda edges: f"U+{edges[0]:04X}" if isinstance(edges, tuple) else None
)
def test_s1_each_edge_counts_alike(first: tuple[int, int]) -> None:
    for code_point in (first[0] - 1, first[0], first[1], first[1] + 1):
        for text in (chr(code_point), chr(code_point) * 100, f"a{chr(code_point)}"):
            assert core.counts(text) == reference.counts(text), hex(code_point)


@given(texts.map(Text))
def test_subclasses_of_str_count_like_str(text: Text) -> None:
    assert core.counts(text) == core.counts(str(text))


def test_s3_nothing_is_left_behind_in_a_string() -> None:
    for text in ("é" * 1_000, "ж" * 1_000, "😀" * 1_000):
        before = sys.getsizeof(text)
        core.counts(text)
        RUST.json(text)
        assert sys.getsizeof(text) == before


@pytest.mark.parametrize("wrong", [None, 1, bytearray(b"a"), ["a"]])
def test_a_text_is_a_str_or_bytes(wrong: Any) -> None:
    for name in ("counts", "quarters"):
        assert outcome(getattr(core, name), wrong) == outcome(getattr(reference, name), wrong)


# ---------------------------------------------------------------------- many texts


@given(st.lists(texts | st.binary(max_size=40), max_size=12), st.sampled_from([list, tuple]))
def test_batches_hold_what_single_calls_return(values: list[str | bytes], kind: Callable[..., Any]) -> None:
    assert core.counts_batch(kind(values)) == reference.counts_batch(values)
    assert core.quarters_batch(kind(values)) == reference.quarters_batch(values)


def test_a_batch_of_megabytes_is_cut_at_the_right_places() -> None:
    values = ["a", "ж" * 700_000, b"\xff", "字" * 900_000, "", "é" * 1_500_000, "😀" * 300_000, "b"] * 2
    assert core.counts_batch(values) == reference.counts_batch(values)


@pytest.mark.parametrize("wrong", [None, 3, bytearray(b"a")])
def test_a_batch_names_what_it_cannot_count(wrong: Any) -> None:
    for name in ("counts_batch", "quarters_batch"):
        seen = outcome(getattr(core, name), ["a", b"b", wrong])
        assert seen == outcome(getattr(reference, name), ["a", b"b", wrong])
        assert "texts[2]" in str(seen)


# ---------------------------------------------------------------------- nested values


@given(json_values)
def test_json_counts_as_python_writes_it(value: Any) -> None:
    written = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    assert RUST.json(value) == TWIN.json(value) == reference.quarters(written)


@given(anything)
@example(Dumped({"role": "tool", "type": "message", "content": [{"type": "tool_use", "input": {"a": Shade.DARK}}]}))
@example({"tool_calls": [{"function": {"arguments": "{}"}}], "content": [{"type": "tool_use", "input": {}}]})
@example({"content": [{"type": "image", "source": {"type": "base64", "data": "iVBORw0KGgo="}}]})
@example({"role": "user", "parts": [{"inline_data": {"mime_type": "image/png", "data": b"\x89PNG"}}]})
@example({"content": [{"foo": Unheard()}]})
@example({"foo": {(1,): 2}})
def test_s4_any_value_counts_alike(value: Any) -> None:
    for method in METHODS:
        seen = outcome(getattr(RUST, method), value)
        assert printable(seen) == printable(outcome(getattr(TWIN, method), value)), method


@given(st.lists(blocks(anything), max_size=4), st.integers(0, 5))
def test_histories_count_message_by_message(history: list[Any], start: int) -> None:
    for kind in (list, tuple):
        seen = outcome(RUST.messages, kind(history), start)
        assert printable(seen) == printable(outcome(TWIN.messages, kind(history), start))


@given(st.floats())
@example(1e16)
@example(9999999999999998.0)
@example(1e-4)
@example(9.999e-5)
@example(5e-324)
@example(sys.float_info.max)
@example(-0.0)
@example(math.inf)
@example(math.nan)
def test_floats_are_as_long_as_python_writes_them(number: float) -> None:
    assert RUST.json(number) == len(json.dumps(number))


@given(st.integers(0, 6_000), st.integers(-2, 2), st.booleans())
@example(4_300, 0, True)
@example(18, 0, True)
@example(19, 0, False)
def test_integers_are_as_long_as_their_digits(digits: int, off: int, is_negative: bool) -> None:
    number = (10**digits + off) * (-1 if is_negative else 1)
    length = (1 if number < 0 else 0) + len(_digits(abs(number)))
    assert RUST.json(number) == TWIN.json(number) == length


def _digits(number: int) -> str:
    # Piece by piece: Python refuses to print more than 4,300 at once.
    high, low = divmod(number, 10**4_000)
    return f"{high}{low:04000}" if high else str(number)


# ---------------------------------------------------------------------- bounds


def cycle(through: str) -> Any:
    if through == "list":
        items: list[Any] = []
        items.append(items)
        return items
    mapping: dict[str, Any] = {}
    mapping[through] = [mapping]
    return mapping


@pytest.mark.parametrize("through", ["list", "content", "input", "tool_calls", "toolUse", "foo", "additional_kwargs"])
@pytest.mark.parametrize("method", ["json", "content", "message"])
def test_cycles_are_errors_that_say_where(through: str, method: str) -> None:
    seen = outcome(getattr(RUST, method), cycle(through))
    assert seen == outcome(getattr(TWIN, method), cycle(through))


@pytest.mark.parametrize("depth", [23, 24, 25])
def test_the_deepest_level_that_counts_is_the_same(depth: int) -> None:
    for wrap in (lambda inner: [inner], lambda inner: {"content": inner}, lambda inner: {"foo": inner}):
        value: Any = []
        for _ in range(depth):
            value = wrap(value)
        for method in ("json", "content", "message"):
            seen = outcome(getattr(RUST, method), value)
            assert seen == outcome(getattr(TWIN, method), value), method


def test_documents_in_documents_end_before_the_stack_does() -> None:
    value: Any = "text"
    for _ in range(3_000):
        value = [{"type": "document", "source": {"type": "content", "content": value}}]
    outcome(RUST.content, value)  # an answer or an error, and the process lives


def test_what_an_object_raises_comes_through() -> None:
    def broken(value: object) -> Any:
        raise LookupError("not today")

    walker = core.Walker(**{**SETTINGS, "plain": broken})
    with pytest.raises(LookupError, match="not today"):
        walker.json([Unheard()])


def test_a_mapping_that_changes_while_it_is_counted_does_no_harm() -> None:
    mapping: dict[str, Any] = {}

    def meddling(value: object) -> Any:
        mapping.clear()
        mapping.update({str(i): i for i in range(100)})
        return "x"

    walker = core.Walker(**{**SETTINGS, "plain": meddling})
    mapping.update(content=Unheard(), foo=[Unheard()], bar="y")
    assert walker.message(mapping) > 0
    mapping.update(a=Unheard())
    assert walker.json(mapping) > 0


def test_an_unknown_rule_is_refused() -> None:
    with pytest.raises(ValueError, match="got 99"):
        core.Walker(**{**SETTINGS, "key_rules": {"a": 99}})


@pytest.mark.parametrize("value", [SimpleNamespace(role=None), SimpleNamespace(type="reasoning"), SimpleNamespace()])
def test_objects_are_messages_by_their_attributes(value: object) -> None:
    assert RUST.is_message(value) is TWIN.is_message(value)


# ---------------------------------------------------------------------- images


def test_image_headers_are_read() -> None:
    header = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + (640).to_bytes(4) + (480).to_bytes(4) + b"\x08\2\0\0\0"
    assert core.image_size(header) == (640, 480)


@given(st.binary(max_size=64))
def test_what_is_no_image_has_no_size(data: bytes) -> None:
    found = core.image_size(data)
    assert found is None or all(side > 0 for side in found)
