"""``longturn.estimate`` as users call it: what is a text, a message, a history, a JSON value."""

from __future__ import annotations

import copy
import inspect
import json
import multiprocessing
import os
import pickle
import sys
import threading
import weakref
from collections import ChainMap, UserDict
from types import MappingProxyType
from typing import Any

import pytest

import longturn
from longturn.tokens import costs
from longturn.tokens.memo import Memo, Track

HELLO = {"role": "user", "content": "hello world"}


def compact(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("", 0),
        ("a", 1),
        ("abcd", 1),
        ("abcde", 2),
        ("Привет, мир", 5),
        ("漢字", 2),
        ("한국어", 3),
        ("かな", 2),
        ("ไทย", 2),
        ("😀😀", 1),
        ("\ud800", 1),
        (b"abcde", 2),
        ("Привет".encode(), 3),
        (b"\xff\xfe", 1),
        (bytearray(b"abcde"), 2),
        (memoryview(b"abcde"), 2),
    ],
)
def test_S1_a_text_costs_what_its_script_does(text: Any, tokens: int) -> None:
    """ASCII four characters a token, CJK one, everything else two; invalid bytes and surrogates are else."""
    assert tokens == longturn.estimate(text)


def test_S2_only_the_result_is_rounded() -> None:
    """Ten texts of a quarter-token each are three tokens together, not ten."""
    messages = [{"role": "user", "content": ["a"] * 10}]
    assert costs.MESSAGE_TOKENS + 3 == longturn.estimate(messages)


def test_S5_a_russian_chapter() -> None:
    """73,600 Cyrillic and 26,492 ASCII characters are 43,423 tokens, where characters ÷ 4 says 25,023."""
    chapter = "ж" * 73_600 + "x" * 26_492
    assert longturn.estimate(chapter) == 43_423
    assert len(chapter) // 4 == 25_023
    assert longturn.scripts(chapter) == (26_492, 0, 73_600)
    assert longturn.scripts(chapter).tokens == 43_423


def test_S8_a_mapping_of_any_kind_is_a_message() -> None:
    """What is no dict but reads like one counts like one."""
    expected = longturn.estimate([HELLO])
    for kind in (MappingProxyType, UserDict, ChainMap):
        assert expected == longturn.estimate([kind(HELLO)])
        assert expected == longturn.estimate(kind(HELLO))


def test_S8_items_of_unknown_types_count_among_messages() -> None:
    """A type of tomorrow does not turn the history around it into a JSON value."""
    future = {"type": "future_item", "content": "hello world"}
    history = [HELLO, future]
    assert longturn.estimate(history) == longturn.Window(1_000).fit(history).tokens
    assert longturn.estimate([future]) == longturn.estimate(compact([future]))


@pytest.mark.parametrize(
    "value", [[], {}, [1, 2], {"a": [True, None, 1.5]}, ["text"], [HELLO, 5], {"text": "x"}, 7, None]
)
def test_S8_anything_else_is_a_json_value(value: Any) -> None:
    """It counts as its compact text, without that being built."""
    assert longturn.estimate(compact(value)) == longturn.estimate(value)


def test_S8_constants_per_message_call_and_result() -> None:
    """A message costs its constant, its texts, and a constant per call and per result."""
    call = {"role": "assistant", "content": None, "tool_calls": [
        {"id": "a", "type": "function", "function": {"name": "read", "arguments": "{}  "}}]}  # fmt: skip
    result = {"role": "tool", "tool_call_id": "a", "content": "four"}
    assert costs.MESSAGE_TOKENS + costs.CALL_TOKENS + 2 == longturn.estimate([call])
    assert costs.MESSAGE_TOKENS + costs.RESULT_TOKENS + 1 == longturn.estimate([result])


def test_it_fits_the_slots_of_other_libraries() -> None:
    """A callable object with a signature, and the methods that protocols ask for."""
    assert list(inspect.signature(longturn.estimate).parameters) == ["content", "tools", "profile"]
    assert longturn.estimate.count_tokens("abcde") == 2
    assert longturn.estimate.count([HELLO], [{"name": "x"}]) == longturn.estimate([HELLO], [{"name": "x"}])
    assert [len(tokens) for tokens in longturn.estimate.encode_batch_fast(["abcde", ""])] == [2, 0]
    assert len(longturn.tokenizer("abcde")) == 2
    saved = longturn.estimate.to_dict()
    assert type(longturn.estimate).from_dict(saved)("abcde") == 2
    assert not hasattr(longturn.estimate, "encode")


def test_it_can_be_copied_and_sent_to_other_processes() -> None:
    """A copy counts alike and shares no memory."""
    assert copy.deepcopy({"counter": longturn.estimate})["counter"]("abcde") == 2
    assert pickle.loads(pickle.dumps(longturn.estimate))("abcde") == 2


@pytest.mark.parametrize(
    ("wrong", "error"), [("no such", ValueError), ("", ValueError), (None, TypeError), (["script"], TypeError)]
)
def test_an_unknown_profile_is_refused(wrong: Any, error: type[Exception]) -> None:
    """The error names what is allowed."""
    with pytest.raises(error, match="profile must be "):
        longturn.estimate("text", profile=wrong)


def test_what_cannot_be_counted_is_named_with_its_place() -> None:
    """The error says the type and where it sits."""
    with pytest.raises(TypeError, match=r"type set at \$\[1\]\.content\[0\]\.input\.x"):
        longturn.estimate([HELLO, {"role": "assistant", "content": [{"type": "tool_use", "input": {"x": {1}}}]}])


# ---------------------------------------------------------------------- the memo


def test_S7_dead_histories_are_let_go() -> None:
    """When a new history comes, those that nobody holds any more leave the memo."""

    class Text(str):
        __slots__ = ("__weakref__",)

    memo: Memo[Track] = Memo(Track)

    def remembered(count: int) -> weakref.ref[Text]:
        text = Text("hello")
        history: list[object] = [{"role": "user", "content": text} for _ in range(count)]
        with memo.held() as held:
            held.grow(*held.find(history), history)
            if count > 1:  # a rewind: two tracks of one history hold the same first message
                held.grow(*held.find(history[:-1]), history[:-1])
        return weakref.ref(text)

    first = remembered(3)
    assert first() is not None
    remembered(1)
    assert first() is None


def test_S7_windows_let_go_of_dead_histories_too() -> None:
    """Edited copies that the window made do not keep a dead history alive."""

    class Text(str):
        __slots__ = ("__weakref__",)

    window = longturn.Window(1_000)

    def fitted() -> weakref.ref[Text]:
        text = Text("task")
        history: list[Any] = [{"role": "user", "content": text}]
        for number in range(6):
            call = {"type": "tool_use", "id": f"c{number}", "name": "read", "input": {}}
            result = {"type": "tool_result", "tool_use_id": f"c{number}", "content": "word" * 400}
            history += [{"role": "assistant", "content": [call]}, {"role": "user", "content": [result]}]
        assert window.fit(history).stage != longturn.Stage.WHOLE
        return weakref.ref(text)

    dead = fitted()
    fitted()
    assert dead() is None


def test_S7_an_object_may_count_itself_while_it_is_counted() -> None:
    """A step inside another one neither waits for it nor disturbs it."""

    class Counted:
        role = "user"
        content = "hello world"

        def model_dump(self) -> dict[str, Any]:
            assert longturn.estimate([HELLO, HELLO]) == 2 * longturn.estimate([HELLO])
            return dict(HELLO)

    history = [HELLO, Counted(), HELLO]
    assert longturn.estimate(history) == longturn.estimate([dict(HELLO)] * 3)
    assert longturn.estimate(history) == longturn.estimate([dict(HELLO)] * 3)


def _estimate_in_child(queue: Any) -> None:
    queue.put(longturn.estimate([dict(HELLO)]))


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
@pytest.mark.skipif(sys.version_info >= (3, 12), reason="newer Pythons warn of any fork beside threads")
def test_S7_a_forked_child_does_not_wait_for_its_parent() -> None:
    """A lock that another thread held at the fork would never be let go in the child."""
    entered, leave = threading.Event(), threading.Event()

    class Slow:
        role = "user"
        content = "slow"

        def model_dump(self) -> dict[str, Any]:
            entered.set()
            leave.wait(30)
            return dict(HELLO)

    thread = threading.Thread(target=longturn.estimate, args=([Slow()],))
    thread.start()
    try:
        assert entered.wait(30)
        context = multiprocessing.get_context("fork")
        queue = context.SimpleQueue()
        child = context.Process(target=_estimate_in_child, args=(queue,))
        child.start()
        child.join(30)
        hung = child.is_alive()
        if hung:
            child.kill()
        assert not hung
        assert queue.get() == longturn.estimate(dict(HELLO))
    finally:
        leave.set()
        thread.join()
