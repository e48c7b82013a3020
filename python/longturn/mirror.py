"""
Frameworks' messages, mirrored: the same object stands for the same message at every step.

A window knows messages by their identity.  Frameworks that build their messages anew for every call, or have a
shape that no format here reads, are fitted through a mirror: messages equal to those of the call before are
shown as what stood for them then.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any, Final, Generic, TypeVar

from longturn.instructing import instructed, is_instructed, leading_system

M = TypeVar("M")


class Steady(Generic[M]):
    """Remembers one history, and hands out the objects it remembers for messages equal to them."""

    def __init__(self) -> None:
        self._seen: list[M] = []

    def __call__(self, messages: Sequence[M]) -> list[M]:
        """Return ``messages``, those that begin as the last ones did exchanged for the objects of then."""
        seen = self._seen
        agreed = _agreement(seen, messages)
        self._seen = [*seen[:agreed], *messages[agreed:]]  # another list: a call in another thread may hold the old one
        return list(self._seen)


@dataclass(frozen=True, slots=True)
class Shape(Generic[M]):
    """How a framework's messages look as messages of Chat Completions, and back."""

    show: Callable[[M], list[dict[str, Any]]]
    """One dict for each message of the model's or the user's; one for each result of a message that has several."""
    edit: Callable[[M, list[str | None]], M]
    """A copy with new texts, one for each dict that ``show`` returns; None where it stays as it is."""
    user: Callable[[str], M]
    """A user message of its own."""
    system: Callable[[str], M] | None
    """A system message of its own; None where the system prompt is kept apart from the messages."""


@dataclass(frozen=True, slots=True)
class Reflection(Generic[M]):
    """One call's messages, and what is shown for them."""

    shape: Shape[M]
    own: Sequence[M]
    shown: list[list[dict[str, Any]]]

    @property
    def messages(self) -> list[dict[str, Any]]:
        """What to fit."""
        return [one for group in self.shown for one in group]

    def back(self, view: Sequence[dict[str, Any]], instructions: str) -> list[M]:
        """
        Return the framework's messages for a fitted view: its own objects where nothing was changed.

        The instructions are at the end of the system message that it begins with.
        """
        found: list[M] = []
        for place, group in groupby(view, key=lambda one: one.get(_PLACE)):
            sent = list(group)
            if place is None:
                found += [self.shape.user(one["content"]) for one in sent]
            else:
                found.append(self._edited(place, sent))
        return self._instructed(found, view, instructions)

    def _edited(self, place: int, sent: list[dict[str, Any]]) -> M:
        pairs = zip(sent, self.shown[place], strict=True)
        texts = [None if one is before else one["content"] for one, before in pairs]
        return self.shape.edit(self.own[place], texts) if any(text is not None for text in texts) else self.own[place]

    def _instructed(self, found: list[M], view: Sequence[dict[str, Any]], instructions: str) -> list[M]:
        leading = leading_system(view)
        if self.shape.system is None or is_instructed(leading, instructions):
            return found
        if not leading:
            return [self.shape.system(instructions), *found]
        last = len(leading) - 1
        text = instructed(leading[last]["content"], instructions)
        return [*found[:last], self.shape.edit(found[last], [text]), *found[last + 1 :]]


class Mirror(Generic[M]):
    """Shows a framework's messages as dicts of Chat Completions."""

    def __init__(self, shape: Shape[M]) -> None:
        self._shape: Final = shape
        self._seen: tuple[list[M], list[list[dict[str, Any]]]] = [], []

    def __call__(self, messages: Sequence[M]) -> Reflection[M]:
        """Return what is shown for ``messages``: the same dicts as at the last call, as far as they agree."""
        seen, shown = self._seen
        agreed = _agreement(seen, messages)
        new = enumerate(messages[agreed:], agreed)
        shown = [*shown[:agreed], *([{**one, _PLACE: place} for one in self._shape.show(own)] for place, own in new)]
        self._seen = list(messages), shown
        return Reflection(self._shape, list(messages), shown)


def shown_call(call_id: str | None, name: str | None, arguments: Any) -> dict[str, Any]:
    """Return a call as Chat Completions have it."""
    return {"id": call_id, "type": "function", "function": {"name": name, "arguments": arguments}}


@dataclass(frozen=True, slots=True)
class Told:
    """What a framework's model returned, with its usage where a window looks for it."""

    answer: Any
    usage: Any


_PLACE: Final = "index"  # not read by the model, so it counts nothing


def _agreement(seen: Sequence[Any], messages: Sequence[Any]) -> int:
    """Return how many leading messages are the same, or equal."""
    pairs = enumerate(zip(seen, messages, strict=False))
    return next((place for place, (one, other) in pairs if not _is_same(one, other)), min(len(seen), len(messages)))


def _is_same(one: Any, other: Any) -> bool:
    try:
        return one is other or bool(one == other)
    except (TypeError, ValueError):  # arrays in it do not compare to yes or no
        return False
