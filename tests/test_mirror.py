"""A mirror shows the same message as the same dict at every step, and gives the framework's own objects back."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import pytest

import longturn
from longturn.mirror import Mirror, Shape, Steady, shown_call
from longturn.mirroring import MirroredCalls, overridden

LONG = "All work. " * 280


@dataclass(frozen=True)
class Message:
    """A framework's message, with a shape that no provider has: results of a round together."""

    who: str
    texts: tuple[str, ...] = ()
    calls: tuple[str, ...] = ()


def show(message: Message) -> list[dict[str, Any]]:
    if message.who == "tools":
        pairs = zip(message.calls, message.texts, strict=True)
        return [{"role": "tool", "tool_call_id": call, "content": text} for call, text in pairs]
    shown: dict[str, Any] = {"role": message.who, "content": "".join(message.texts)}
    return [
        {**shown, "tool_calls": [shown_call(call, "read", "{}") for call in message.calls]} if message.calls else shown
    ]


def edit(message: Message, texts: list[str | None]) -> Message:
    pairs = zip(message.texts, texts, strict=True)
    return replace(message, texts=tuple(old if new is None else new for old, new in pairs))


SHAPE: Shape[Message] = Shape(
    show=show,
    edit=edit,
    user=lambda text: Message("user", (text,)),
    system=lambda text: Message("system", (text,)),
)


def history(rounds: int) -> list[Message]:
    messages = [Message("system", ("Be careful.",)), Message("user", ("Read it all.",))]
    for number in range(rounds):
        calls = (f"a{number}", f"b{number}")
        messages += [Message("assistant", calls=calls), Message("tools", (LONG, LONG), calls)]
    return messages


def sent(own: longturn.Window, messages: list[Message]) -> list[Message]:
    seen: list[list[Message]] = []
    MirroredCalls(own, SHAPE, lambda answer: None).call(seen.append, messages)
    return seen[0]


def test_equal_messages_are_shown_as_the_same_dicts() -> None:
    """A framework that builds its messages anew for every call costs no counting anew."""
    mirror = Mirror(SHAPE)
    first, second = mirror(history(3)).messages, mirror(history(4)).messages
    assert all(one is other for one, other in zip(first, second, strict=False))
    assert len(second) == len(first) + 3


def test_what_parts_from_the_last_history_is_shown_anew() -> None:
    mirror = Mirror(SHAPE)
    first = mirror(history(3)).messages
    other = history(3)
    other[1] = Message("user", ("Read half of it.",))
    second = mirror(other).messages
    assert first[0] is second[0]
    assert second[1]["content"] == "Read half of it."
    assert all(one is not other for one, other in zip(first[1:], second[1:], strict=True))


def test_unchanged_messages_come_back_as_the_frameworks_own() -> None:
    """[V5]: but for the system message, which has the instructions at its end."""
    messages, own = history(2), longturn.Window(100_000)
    found = sent(own, messages)
    assert found[0] == Message("system", (f"Be careful.\n\n{own.instructions()}",))
    assert all(one is other for one, other in zip(found[1:], messages[1:], strict=True))


def test_each_result_of_a_message_is_cleared_by_itself() -> None:
    messages, own = history(4), longturn.Window(policy=longturn.Policy(budget=5_300, keep_share=0.45, batch=1))
    found = sent(own, messages)
    cleared = [[text != LONG for text in one.texts] for one in found if one.who == "tools"]
    assert cleared == [[True, True], [True, True], [True, False], [False, False]]
    assert messages == history(4)


def test_a_note_is_a_message_of_the_frameworks() -> None:
    messages = history(12)
    policy = longturn.Policy(budget=3_000, exclude_tools=("read",))
    found = sent(longturn.Window(policy=policy), messages)
    assert found[2].who == "user"
    assert "left out" in found[2].texts[0]
    assert found[-1] is messages[-1]


def test_a_history_without_a_system_message_gets_one() -> None:
    own = longturn.Window(100_000)
    found = sent(own, history(1)[1:])
    assert found[0] == Message("system", (own.instructions(),))


def test_V8_a_history_on_the_server_passes_through() -> None:
    messages, own = history(4), longturn.Window(2_000)
    calls = MirroredCalls(own, SHAPE, lambda answer: 1_000_000)
    with pytest.warns(UserWarning, match="provider keeps"):
        assert calls.call(lambda own: own, messages, is_held=True) == messages
    assert list(calls.stream(iter, messages, is_held=True)) == messages
    assert own.ratio == 1


def test_messages_that_do_not_compare_are_taken_for_new_ones() -> None:
    class Odd:
        def __eq__(self, other: object) -> bool:
            raise ValueError

        __hash__ = None  # type: ignore[assignment]

    steady: Steady[Odd] = Steady()
    steady([Odd()])
    second = [Odd()]
    assert steady(second)[0] is second[0]


def test_a_steady_list_holds_the_objects_of_the_last_one() -> None:
    steady: Steady[dict[str, int]] = Steady()
    first = steady([{"a": 1}, {"b": 2}])
    second = steady([{"a": 1}, {"b": 3}, {"c": 4}])
    assert second == [{"a": 1}, {"b": 3}, {"c": 4}]
    assert first[0] is second[0]


def test_an_overridden_model_leaves_the_first_one_alone() -> None:
    class Model:
        def ask(self) -> str:
            return "before"

    model = Model()
    assert overridden(model, {"ask": lambda self: f"not {Model.ask(self)}"}).ask() == "not before"
    assert isinstance(overridden(model, {}), Model)
    assert model.ask() == "before"
