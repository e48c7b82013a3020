"""Whatever is handed in: no exception, bounded work, nothing awaited, nothing changed."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import cached_property
from types import SimpleNamespace
from typing import Any
from unittest.mock import MagicMock

import hypothesis.strategies as st
import pytest
from hypothesis import given

from longturn import Failure, FailureKind, classify, is_retryable
from longturn.failures import numbers, reading, text, waiting
from tests.failures.objects import Refused, Response

scalars = st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.binary()
keys = st.sampled_from(
    "error message code type status status_code body detail details errors param headers choices usage response "
    "finish_reason stop_reason delta metadata raw retry_after prompt_tokens n_ctx content".split()
)
bodies = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(keys | st.text(), inner, max_size=5),
    max_leaves=30,
)


class Hostile(Exception):
    """Every attribute fights back."""

    def __getattribute__(self, name: str) -> Any:
        if name.startswith("__"):
            return super().__getattribute__(name)
        raise OSError(name)

    def __str__(self) -> str:
        raise ValueError("no string")

    def __repr__(self) -> str:
        raise ValueError("no repr")


@given(bodies)
def test_any_body_is_classified(body: Any) -> None:
    assert isinstance(classify(body), Failure)


@given(bodies, st.integers(0, 700), st.dictionaries(st.text(), st.text(), max_size=3))
def test_any_response_is_classified(body: Any, status: int, headers: dict[str, str]) -> None:
    assert isinstance(classify(Response(status, str(body), headers)), Failure)


@given(st.dictionaries(keys, bodies, max_size=6), st.text())
def test_any_exception_is_classified(attributes: dict[str, Any], shown: str) -> None:
    assert isinstance(classify(Refused(shown, **attributes)), Failure)


@given(st.text())
def test_any_words_are_classified(words: str) -> None:
    """Also by the parts, which promise it too."""
    assert isinstance(classify(RuntimeError(words)), Failure)
    assert isinstance(numbers.numbers([words]), numbers.Numbers)
    text.split_bodies(words)
    waiting.duration(words)
    waiting.retry_after({"retry-after": words, "date": words, "retry-after-ms": words}, [words], [words])


def test_objects_that_fight_back() -> None:
    assert FailureKind.UNKNOWN == classify(Hostile()).kind
    assert FailureKind.UNKNOWN == classify(Hostile("x")).kind
    assert isinstance(classify(MagicMock()), Failure)


class Closed(Exception):
    """Not even its class is told, nor its causes."""

    def __getattribute__(self, name: str) -> Any:
        raise OSError(name)


class Sour:
    """Neither true nor equal to anything, nor to be remembered."""

    __hash__ = None  # type: ignore[assignment]

    def __eq__(self, other: object) -> bool:
        raise ValueError

    def __bool__(self) -> bool:
        raise ValueError

    @property
    def __class__(self) -> Any:
        raise ValueError


FIGHTERS = (lambda: Closed("x"), Sour, lambda: 10**5_000, lambda: "²", lambda: [Sour()], lambda: float("nan"))


@pytest.mark.parametrize("make", FIGHTERS, ids=["closed", "sour", "endless", "raised", "list", "nan"])
@pytest.mark.parametrize("name", ["usage", "choices", "error", "code", "status", "retry_after", "response", "headers"])
def test_what_fights_back_hides_nothing_beside_it(make: Callable[[], Any], name: str) -> None:
    """Wherever it stands, and whatever comes after it."""
    assert isinstance(classify(make()), Failure)
    said = {"message": "prompt is too long: 9000 tokens > 8192 maximum"}
    body = {name: make(), **said}
    for error in (body, {"error": body}, Refused(**body)):
        failure = classify(error)
        assert (FailureKind.CONTEXT_OVERFLOW, 9000) == (failure.kind, failure.tokens)


def test_an_attribute_is_found_however_an_object_has_it() -> None:
    """Of its own, of a class above, in a slot, computed, made when it is asked for."""
    text = "prompt is too long: 9000 tokens > 8192 maximum"

    class Slotted:
        __slots__ = ("message",)

        def __init__(self) -> None:
            self.message = text

    class Computed:
        @property
        def message(self) -> str:
            return text

    class Kept:
        @cached_property
        def message(self) -> str:
            return text

    class Asked:
        def __getattr__(self, name: str) -> str:
            if name == "message":
                return text
            raise AttributeError(name)

    class Read:
        def __getattribute__(self, name: str) -> Any:
            return text if name == "message" else super().__getattribute__(name)

    class Below(Computed):
        pass

    class Shared:
        message = text

    things = (Slotted(), Computed(), Kept(), Asked(), Read(), Below(), Shared(), SimpleNamespace(message=text))
    assert [9000] * len(things) == [classify(thing).tokens for thing in things]


@given(st.sampled_from((-5, 0, 15, 10**10, 10**30)), st.sampled_from((-1, 0, 10**12)))
def test_absurd_counts_are_none(tokens: int, limit: int) -> None:
    """Nothing is learned from them."""
    body = {"error": {"code": 400, "type": "exceed_context_size_error", "n_prompt_tokens": tokens, "n_ctx": limit}}
    worded = {"error": {"message": f"prompt is too long: {tokens} tokens > {limit} maximum"}}
    for failure in (classify(body), classify(worded)):
        assert FailureKind.CONTEXT_OVERFLOW == failure.kind
        assert (None, None, True) == (failure.tokens, failure.limit, failure.shrink_helps)


def test_what_points_to_itself_comes_to_an_end() -> None:
    body: dict[str, Any] = {"message": "?"}
    body["error"] = body["errors"] = [body, {"error": body}]
    first, second = RuntimeError("a"), RuntimeError("b")
    first.__cause__, second.__cause__ = second, first
    for error in (body, first, Refused(body=body, response=Response(400, "x"))):
        assert isinstance(classify(error), Failure)


def test_nesting_has_an_end() -> None:
    """Far deeper than the interpreter's stack, in memory and as text."""
    body: Any = "prompt is too long"
    for _ in range(sys.getrecursionlimit() * 3):
        body = {"error": body}
    assert isinstance(classify(body), Failure)
    for text_ in ("[" * 100_000, '{"error":' * 50_000, "{'a':" * 50_000, "(" * 50_000):
        assert isinstance(classify(text_), Failure)


@pytest.mark.parametrize(
    "filler",
    [
        "a",
        " ",
        "max ",
        "input ",
        "1 ",
        "1,000,",
        "{'",
        '{"a":',
        "the prompt ",
        "\n",
        "context ",
        "'",
        "请",
        "max_tokens_",
        "too ",
        "9",
    ],
)
def test_only_the_ends_of_a_long_text_are_looked_at(filler: str) -> None:
    """What stands there is found; nothing in between makes the work grow."""
    long = filler * (2_000_000 // len(filler))
    said = text.bounded(long)
    assert text.HEAD_CHARS + text.TAIL_CHARS + 1 == len(said)
    assert FailureKind.CONTEXT_OVERFLOW == classify(Response(400, f"prompt is too long. {long}")).kind
    assert isinstance(classify(f'{{"error": {{"message": "{long}"'), Failure)


def test_a_walk_looks_at_a_bounded_number_of_things() -> None:
    looked = 0

    class Body(dict[str, Any]):
        def items(self) -> Any:
            nonlocal looked
            for number in range(10**9):
                looked += 1
                yield f"error{number}", {"message": "?"}

    assert isinstance(classify(Body()), Failure)
    assert looked < reading._THINGS


def test_nothing_is_awaited_and_nothing_is_left_unawaited() -> None:
    """An asynchronous response keeps its body: reading it is not ours to do."""

    class Response:
        status_code = 503

        async def text(self) -> str:
            raise AssertionError

        async def json(self) -> str:
            raise AssertionError

    assert FailureKind.OVERLOADED == classify(Response()).kind


def test_what_is_handed_in_stays_as_it_was() -> None:
    body = {"error": {"message": "prompt is too long", "details": [{"a": 1}]}}
    before = repr(body)
    classify(body)
    is_retryable(body)
    assert before == repr(body)
