"""What the memo asks at every step: which leading messages are those seen before, unchanged."""

from __future__ import annotations

from array import array
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest

from longturn.tokens import reference
from longturn.tokens.backend import core


def seen(history: list[Any]) -> tuple[list[Any], list[Any], array[int]]:
    found, lengths = core.witnesses(history, 0)
    columns = array("q")
    columns.frombytes(lengths)
    return list(history), found, columns


def example() -> list[Any]:
    return [
        {"role": "user", "content": "hello"},
        {"role": "assistant", "content": None, "tool_calls": [{"id": "a"}]},
        {"role": "tool", "content": [{"type": "text", "text": "one"}]},
        {"role": "model", "parts": [{"text": "two"}]},
        {"type": "function_call_output", "output": "three"},
        {"type": "reasoning"},
        SimpleNamespace(role="assistant", content=["four"]),
        SimpleNamespace(parts=("five",)),
    ]


CHANGES: dict[str, tuple[Callable[[list[Any]], object], int]] = {
    "nothing": (lambda history: None, 8),
    "an equal message in place of the own one": (lambda history: history.__setitem__(2, dict(history[2])), 2),
    "a text exchanged": (lambda history: history[0].update(content="bye"), 0),
    "a block appended": (lambda history: history[2]["content"].append({}), 2),
    "content where there was none": (lambda history: history[1].update(content="now"), 1),
    "a call appended": (lambda history: history[1]["tool_calls"].append({}), 1),
    "parts exchanged": (lambda history: history[3].update(parts=[]), 3),
    "an output exchanged": (lambda history: history[4].update(output="else"), 4),
    "content gone": (lambda history: history[0].pop("content"), 0),
    "content that is new": (lambda history: history[5].update(content="new"), 5),
    "a block appended to an object": (lambda history: history[6].content.append("more"), 6),
    "an object's parts exchanged": (lambda history: setattr(history[7], "parts", ()), 7),
    "a message appended": (lambda history: history.append({"role": "user", "content": "more"}), 8),
    "the last message gone": (lambda history: history.pop(), 7),
    "all messages gone": (lambda history: history.clear(), 0),
}


@pytest.mark.parametrize(("change", "agreed"), CHANGES.values(), ids=CHANGES)
def test_S7_a_change_of_message_content_or_length_is_seen(change: Callable[[list[Any]], object], agreed: int) -> None:
    """Both backends name the first message that is another one, or says something else."""
    history = example()
    columns = seen(history)
    change(history)
    assert agreed == core.agreement(history, *columns)
    assert agreed == reference.agreement(history, *columns)


def test_S7_backends_bear_the_same_witness() -> None:
    """What stands for a message's content is the same object on both backends."""
    for message in example():
        found, length = core.witness(message)
        expected, expected_length = reference.witness(message)
        assert expected is found
        assert expected_length == length


def test_S7_dicts_with_odd_keys_are_compared() -> None:
    """A key that compares by its own rules neither breaks nor fools the comparison."""

    class Odd(str):
        __slots__ = ()

        def __hash__(self) -> int:
            return hash("content")

        def __eq__(self, other: object) -> bool:
            return False

    history: list[Any] = [{Odd("content"): "no", "content": "yes"}, {Odd("content"): "no"}]
    columns = seen(history)
    assert core.agreement(history, *columns) == 2
    assert core.witness(history[0])[0] == "yes"
    assert core.witness(history[1])[0] is None
