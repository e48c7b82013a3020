"""One estimate per message, remembered ([S7]): by identity, holding the message, no longer than its history lives."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Callable
from copy import deepcopy
from typing import Any

import pytest

import longturn
from longturn import Window
from longturn.tokens.estimate import Estimator
from longturn.tokens.measure import SCRIPT
from longturn.tokens.memo import Memo, Track
from longturn.tokens.walker import walker


class Message(dict[str, Any]):
    """A mapping that can be watched dying."""


def says(text: str, role: str = "user") -> Message:
    return Message(role=role, content=text)


def a_run(rounds: int, size: int = 2_000) -> list[Any]:
    history: list[Any] = [says("Count the words.")]
    for number in range(rounds):
        call = {"id": f"call_{number}", "type": "function", "function": {"name": "read", "arguments": "{}"}}
        history.append(Message(role="assistant", content=None, tool_calls=[call]))
        history.append(Message(role="tool", tool_call_id=f"call_{number}", content="a" * size))
    return history


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Return how many messages each step counted."""
    steps: list[int] = []

    def messages(history: list[object], start: int = 0) -> list[int]:
        steps.append(len(history) - start)
        return [walker.message(message) for message in history[start:]]

    monkeypatch.setattr(SCRIPT, "messages", messages)
    return steps


SIZERS: dict[str, Callable[[], Callable[[list[Any]], int]]] = {
    "estimate": lambda: Estimator(),
    "window": lambda: _whole_size(Window(100_000)),
}
by_sizer = pytest.mark.parametrize("new_sizer", SIZERS.values(), ids=SIZERS)


def _whole_size(window: Window) -> Callable[[list[Any]], int]:
    return lambda history: window.fit(history).tokens_before


@by_sizer
def test_P1_a_step_counts_its_new_messages_only(new_sizer: Any, counted: list[int]) -> None:
    """Whether the list grew, or is another list of the same messages."""
    sizer, run = new_sizer(), a_run(6)
    sizer(run[:3])
    sizer(run[:5])
    sizer(list(run))
    sizer(tuple(run))
    assert [n for n in counted if n] == [3, 2, 8]


@by_sizer
@pytest.mark.parametrize(
    "edit",
    [
        lambda run: run.__setitem__(3, says("other")),
        lambda run: run[0].__setitem__("content", "Count the words, and all of them."),
        lambda run: run[0]["content"].append({"type": "text", "text": "Please."}),
        lambda run: run[4].__setitem__("content", "short"),
        lambda run: run[3]["tool_calls"].append(run[1]["tool_calls"][0]),
        lambda run: run.__delitem__(slice(3, None)),
        lambda run: run.__delitem__(slice(1, 3)),
        lambda run: run.insert(0, says("Before all.", "system")),
        lambda run: run.reverse(),
    ],
)
def test_S7_what_changed_is_counted_anew(new_sizer: Any, edit: Callable[[list[Any]], None]) -> None:
    """A message exchanged, its content exchanged or longer, messages gone, inserted or in another order."""
    run = a_run(4)
    run[0]["content"] = [{"type": "text", "text": "Count the words."}]
    sizer = new_sizer()
    sizer(run)
    if edit.__code__.co_consts and "Count the words, and all of them." in edit.__code__.co_consts:
        run[0]["content"] = "Count"
        sizer(run)
    edit(run)
    assert new_sizer()(deepcopy(run)) == sizer(run)
    run.append(says("And?"))
    assert new_sizer()(deepcopy(run)) == sizer(run)


@by_sizer
def test_S7_ids_of_calls_are_no_keys(new_sizer: Any) -> None:
    """Real histories use one id for different calls."""
    run = a_run(3)
    for message in run[1:]:
        for call in message.get("tool_calls", ()):
            call["id"] = "call"
        message.get("tool_call_id") and message.update(tool_call_id="call")
    run[4]["content"] = "b" * 50
    assert sum(map(longturn.estimate, run)) >= new_sizer()(run) >= sum(map(longturn.estimate, run)) - len(run)


@by_sizer
def test_S7_a_rewound_run_keeps_both_branches(new_sizer: Any, counted: list[int]) -> None:
    """Going back and forth between two ways to go on counts nothing twice."""
    sizer, run = new_sizer(), a_run(4)
    other = [*run[:5], *a_run(2)[1:]]
    for history in (run, other, run, other, run):
        sizer(history)
    assert [n for n in counted if n] == [9, 4]


@by_sizer
def test_S7_a_history_nobody_holds_is_forgotten(new_sizer: Any) -> None:
    """When another one comes, the messages of the first are free again."""
    sizer = new_sizer()
    run = a_run(3)
    watched = [weakref.ref(message) for message in run]
    sizer(run)
    sizer(run[:5])
    del run
    gc.collect()
    sizer(a_run(1))
    gc.collect()
    assert [None] * len(watched) == [ref() for ref in watched]


def test_S7_a_cut_history_nobody_holds_is_forgotten_too() -> None:
    """What a window keeps of its own to render views is no reason to keep a history."""
    window = Window(1_000)
    run = a_run(6, size=4_000)
    watched = [weakref.ref(message) for message in run]
    assert window.fit(run).cleared
    assert window.fit(run[:9]).cleared
    del run
    gc.collect()
    window.fit(a_run(1))
    gc.collect()
    assert [None] * len(watched) == [ref() for ref in watched]


@by_sizer
def test_S7_no_more_than_eight_histories_are_remembered(new_sizer: Any) -> None:
    """However many live: the one not asked for longest goes first."""
    sizer = new_sizer()
    runs = [a_run(1) for _ in range(12)]
    for run in runs:
        sizer(run)
    held = [gc.get_referrers(run[-1]) for run in runs]
    assert sum(len(referrers) > 1 for referrers in held) <= 8


def test_S7_an_id_can_not_be_reused_while_it_is_remembered() -> None:
    """The message itself is held, so another one never takes its place in memory."""
    estimator = Estimator()
    for size in range(200):
        assert longturn.estimate("a" * size) + 4 == estimator([says("a" * size)])


def test_P1_a_grown_history_is_compared_by_pointers() -> None:
    """Contents are not looked into: a message that forbids it is compared all the same."""

    class Guarded(str):
        __slots__ = ()

        def __eq__(self, other: object) -> bool:
            raise AssertionError("compared by value")

        __hash__ = str.__hash__

    estimator, run = Estimator(), [says("a"), says("b")]
    run[0]["content"] = Guarded("a")
    estimator(run)
    run.append(says("c"))
    assert estimator(run) == estimator(deepcopy([says("a"), says("b"), says("c")]))


def test_a_track_forks_where_histories_part() -> None:
    """The old branch stays as it is."""
    memo = Memo(Track)
    run = a_run(3)
    with memo.held():
        track = memo.grow(*memo.find(run), run)
        other = [*run[:3], says("Stop.")]
        fork = memo.grow(*memo.find(other), other)
    assert (7, 4) == (len(track.messages), len(fork.messages))
    assert track.totals[:4] == fork.totals[:4]
