"""Weights by classes of characters: both backends find the same integers, and JSON weighs what its text does."""

from __future__ import annotations

import json
import struct
import sys
from collections import Counter
from itertools import pairwise
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from longturn.tokens import reference
from longturn.tokens.backend import BACKEND, core
from longturn.tokens.walker import new_walker

FIRSTS = (
    0,
    9,
    10,
    11,
    32,
    33,
    48,
    58,
    65,
    91,
    97,
    98,
    110,
    118,
    123,
    0x80,
    0x100,
    0x400,
    0x4E00,
    0xD800,
    0xE000,
    0x1F600,
)
LASTS = (*(first - 1 for first in FIRSTS[1:]), sys.maxunicode)
NUMBERS = tuple(number - number % 3 if number % 4 == 3 else number for number in range(len(FIRSTS)))
RANGES = tuple(zip(FIRSTS, LASTS, NUMBERS, strict=True))
SIZE = 1 + max(NUMBERS)
START = 2
UNITS = tuple(Random(7).randrange(9_000) for _ in range(SIZE**2))

BACKENDS = [pytest.param(reference, id="twin")] + [pytest.param(core, id="rust")] * (BACKEND == "rust")
by_backend = pytest.mark.parametrize("backend", BACKENDS)

edges = st.sampled_from(
    [chr(point) for first in FIRSTS for point in (max(first - 1, 0), first)] + list('"\\\n\t\x00\x1f\x7f')
)
surrogates = st.characters(min_codepoint=0xD800, max_codepoint=0xDFFF)
widest = st.sampled_from([0x7F, 0xFF, 0xFFFF, sys.maxunicode])  # a lane of a string is chosen by it
texts = widest.flatmap(
    lambda last: st.text(edges.filter(lambda one: ord(one) <= last) | st.characters(max_codepoint=last), max_size=60)
) | st.text(surrogates | edges, max_size=20)
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.integers(-(10**40), 10**40) | st.floats() | texts,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(texts, inner, max_size=4),
    max_leaves=12,
)


def weights(backend: Any) -> Any:
    return backend.Weights(backend.Classes(RANGES, START), UNITS)


RUST = {backend.values[0]: weights(backend.values[0]) for backend in BACKENDS}
WALKERS = {backend: new_walker(backend, weights=made) for backend, made in RUST.items()}


def expected(text: str) -> int:
    """Sum up character by character, as it is defined."""
    before, units = START, 0
    for character in text:
        number = next(number for first, last, number in RANGES if first <= ord(character) <= last)
        units += UNITS[before * SIZE + number]
        before = number
    return -(-units // 1_024)


@by_backend
@given(text=texts)
def test_a_text_weighs_the_sum_of_its_characters(backend: Any, text: str) -> None:
    """Each by its class and the one before it; one rounding up, to quarter-tokens."""
    assert expected(text) == RUST[backend].quarters(text)
    assert -(-expected(text) // 4) == RUST[backend].tokens(text)
    data = text.encode("utf-8", "surrogatepass")
    assert expected(data.decode("utf-8", "surrogateescape")) == RUST[backend].quarters(data)


@by_backend
@given(value=values)
def test_a_value_weighs_what_its_compact_text_does(backend: Any, value: Any) -> None:
    """Escapes, numbers and keys included, though the text is never built."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    assert expected(text) == WALKERS[backend].json(value)


@by_backend
def test_keys_that_are_no_texts_are_written_as_json_writes_them(backend: Any) -> None:
    """Numbers, booleans and None, in quotes."""
    value = {1: 0.1, None: 1e22, 2.5: -1e-7, 3.5: 5e-324, float("inf"): 123456789.0, -(10**30): float("nan")}
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    assert expected(text) == WALKERS[backend].json(value)


@by_backend
def test_a_number_too_long_to_print_weighs_what_zeros_do(backend: Any) -> None:
    """Python refuses to print it, and its digits are of one class."""
    assert expected("-" + "0" * 5_001) == WALKERS[backend].json(-(10**5_000))


@by_backend
def test_an_unknown_member_weighs_what_it_would_in_json(backend: Any) -> None:
    """Name, colon, value and comma as one text."""
    message = {"role": "user", "foo": {"bar": 'a "b"\n'}}
    assert 16 + expected('"foo":{"bar":"a \\"b\\"\\n"},') == WALKERS[backend].message(message)


@by_backend
@given(text=texts)
def test_pairs_are_counted_as_they_are_weighed(backend: Any, text: str) -> None:
    """What calibration fits weights to."""
    found = struct.unpack(f"={SIZE**2}q", backend.Classes(RANGES, START).pairs(text))
    numbers = [START, *(n for c in text for first, last, n in RANGES if first <= ord(c) <= last)]
    assert Counter(pairwise(numbers)) == {divmod(place, SIZE): times for place, times in enumerate(found) if times}


@by_backend
def test_many_texts_weigh_what_each_does(backend: Any) -> None:
    """Also where there is so much of it that threads take part."""
    many = ["a text, 1", "", "Привет", b"\xff bytes", "long text " * 300_000, "字" * 500_000]
    found = struct.unpack(f"={len(many)}q", RUST[backend].quarters_batch(many))
    assert [RUST[backend].quarters(text) for text in many] == list(found)
    with pytest.raises(TypeError, match=r"texts\[1\] must be str or bytes \(got int\)"):
        RUST[backend].quarters_batch(["a", 1])


@by_backend
@pytest.mark.parametrize(
    ("ranges", "start", "reason"),
    [
        (((0, 9, 0), (11, sys.maxunicode, 1)), 0, "the next range must begin at 0xa"),
        (((0, 9, 0), (9, sys.maxunicode, 1)), 0, "the next range must begin at 0xa"),
        (((0, sys.maxunicode + 1, 0),), 0, "the next range must begin at 0x0"),
        (((0, 0xFFFF, 0),), 0, "ranges must reach to 0x10ffff"),
        (((0, sys.maxunicode, 64),), 0, "class must be below 64"),
        (((0, sys.maxunicode, 0),), 1, "start must be one of the 1 classes"),
    ],
)
def test_ranges_must_hold_every_code_point_once(backend: Any, ranges: Any, start: int, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        backend.Classes(ranges, start)


@by_backend
@pytest.mark.parametrize(
    ("units", "reason"), [((), r"weights must be 1 numbers, .* \(got 0\)"), ((20_000,), "weights must be small")]
)
def test_weights_must_be_one_a_pair_and_small(backend: Any, units: Any, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        backend.Weights(backend.Classes([(0, sys.maxunicode, 0)], 0), units)
