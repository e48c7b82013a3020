"""Render: the messages to send under a plan, copied only where something is replaced."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from longturn.fitting.outline import Kind, Outline
from longturn.fitting.view import (
    NOTHING,
    Cut,
    LeftOut,
    Terms,
    bound_thinking,
    first_edit,
    left_out,
    visible_between,
    visible_cleared,
)
from longturn.formats.base import Edit, Format
from longturn.tokens.walker import whole_tokens
from longturn.wording.phrases import Phrases


class Cleared(NamedTuple):
    """A tool result that a request shows as cleared."""

    call_id: str | None
    tool: str | None
    tokens: int
    """What it weighs in the saved history, its call's arguments included where they went too."""


@dataclass(frozen=True, slots=True)
class Style:
    """How what is changed reads."""

    words: Phrases
    recall_tools: frozenset[str]
    strict_roles: bool


@dataclass(frozen=True, slots=True)
class Shown:
    """What a view shows changed; stays the same while the cut does."""

    cleared: tuple[Cleared, ...] = ()
    gone: LeftOut = NOTHING
    first_changed: int | None = None
    stable_until: int = 0
    has_bound_thinking: bool = False  # reasoning whose prefix an edit has changed is still there


class Rendering:
    """
    One history as it is sent: its own messages, and copies where results are cleared.

    The copies are kept, so that a step copies a list and a new cut edits what it newly clears.
    """

    __slots__ = (
        "_cut",
        "_edited",
        "_format",
        "_head",
        "_messages",
        "_outline",
        "_reported",
        "_stripped",
        "_style",
        "shown",
    )

    def __init__(self, messages: list[Any], outline: Outline, format: Format, style: Style) -> None:
        self._messages = messages
        self._outline = outline
        self._format = format
        self._style = style
        self._edited: list[Any] = []
        self._head: list[Any] | None = None  # what stands before `keep_from`, made when first asked for
        self._stripped: frozenset[int] = frozenset()  # messages without their reasoning
        self._cut = Cut()
        self._reported: dict[int, Cleared] = {}  # once each: without holding, every step has them all anew
        self.shown = Shown()

    def grow(self) -> None:
        """Take in what the history has grown by."""
        self._edited.extend(self._messages[len(self._edited) :])

    def holds(self, message: object) -> int:
        """Return how often this rendering refers to the history's first message, ``message``."""
        return sum(entries[0] is message for entries in (self._edited, self._head) if entries)

    def note_place(self) -> int | None:
        """Return the index of the message that the note is appended to; None if it is a message of its own."""
        last = self._outline.head_end - 1
        if last < 0 or self._outline.kinds[last] != Kind.USER:
            return None  # nobody has spoken to the model yet
        return None if self._format.note_is_message and not self._style.strict_roles else last

    def show(self, cut: Cut, terms: Terms) -> None:
        """Bring the messages up to a cut: the only work that is not for new messages alone."""
        if cut == self._cut:
            return
        start, stripped = self._cut.frontier, self._stripped_by(cut, terms)
        moved_back = cut.frontier < start or cut.keep_from < self._cut.keep_from
        if moved_back or not self._stripped.issubset(stripped):
            self._edited, self._stripped, start = list(self._messages), frozenset(), 0
        newly_stripped, self._stripped = stripped - self._stripped, stripped
        self._cut, self._head = cut, None
        numbers = visible_cleared(self._outline, cut)
        self._edit(numbers, start, newly_stripped)
        self.shown = Shown(gone=left_out(self._outline, cut, terms))  # what is gone decides what the view is
        self.shown = self._described(numbers, terms)

    def view(self) -> list[Any]:
        """Return the messages to send under the cut shown last."""
        if not self.shown.gone.messages:
            return self._edited.copy()
        return self._before_tail() + self._edited[self._cut.keep_from :]

    # ------------------------------------------------------------------ head and middle

    def _before_tail(self) -> list[Any]:
        if self._head is None:
            self._head = [*self._noted_head(), *(self._edited[index] for index in self._middle())]
        return self._head

    def _noted_head(self) -> list[Any]:
        head = self._edited[: self._outline.head_end]
        if self.shown.gone.has_note:
            place, note = self.note_place(), self._style.words.left_out
            if place is None:
                head.append(self._format.note_message(note, self._messages[0]))
            else:
                head[place] = self._format.with_note(head[place], note)
        return head

    def _middle(self) -> Iterator[int]:
        """Yield what stays of the messages left out: system messages, and the opener."""
        (first, last), systems = self._cut.opener, self._outline.systems
        start, stop = (bisect_left(systems, place) for place in (self._outline.head_end, self._cut.keep_from))
        before = bisect_left(systems, first) if first < last else stop
        yield from systems[start:before]
        yield from range(first, last)
        yield from systems[max(bisect_left(systems, last), before) : stop]

    # ------------------------------------------------------------------ edits

    def _edit(self, numbers: Sequence[int], start: int, stripped: frozenset[int]) -> None:
        """Copy the messages of the results cleared from ``start`` on, and those newly ``stripped`` of reasoning."""
        outline = self._outline
        numbers = self._from_message_of(numbers, start)
        results = _grouped((outline.result_message[n], self._result_edit(n)) for n in numbers)
        inputs = _grouped((outline.call_message[n], self._input_edit(n)) for n in numbers if outline.has_input[n])
        for index in results.keys() | inputs.keys() | stripped:
            message = self._messages[index]
            if index in stripped and index not in inputs:
                message = self._edited[index]  # model messages: at most their arguments were cleared before
            if index in results:
                message = self._format.with_results(message, results[index])
            if index in inputs:
                message = self._format.with_inputs(message, inputs[index])
            if index in self._stripped:
                message = self._format.without_thinking(message)
            self._edited[index] = message

    def _from_message_of(self, numbers: Sequence[int], start: int) -> Sequence[int]:
        """
        Return those of ``numbers`` from ``start`` on, and those before that share a message with them.

        A message with several results, or calls, is always copied from the original, with all its edits.
        """
        outline, first = self._outline, bisect_left(numbers, start)
        if first == len(numbers):
            return ()
        result, call = outline.result_message[numbers[first]], outline.call_message[numbers[first]]
        while first > 0 and (
            outline.result_message[numbers[first - 1]] == result or outline.call_message[numbers[first - 1]] == call
        ):
            first -= 1
        return numbers[first:]

    def _result_edit(self, number: int) -> Edit:
        words, outline = self._style.words, self._outline
        note = words.cleared_recall if outline.tools[number] in self._style.recall_tools else words.cleared
        return Edit(outline.result_slot[number], note)

    def _input_edit(self, number: int) -> Edit:
        return Edit(self._outline.call_slot[number], self._style.words.cleared_input)

    def _stripped_by(self, cut: Cut, terms: Terms) -> frozenset[int]:
        """Return the visible messages whose reasoning goes: made before the cut, standing after its first edit."""
        if not terms.strips_thinking or (edit := first_edit(self._outline, cut, terms)) is None:
            return frozenset()
        thinking = self._outline.thinking
        return frozenset(
            index
            for part in visible_between(self._outline, cut, edit + 1, cut.made_at)
            for index in thinking[bisect_left(thinking, part.start) : bisect_left(thinking, part.stop)]
        )

    # ------------------------------------------------------------------ what to report

    def _described(self, numbers: Sequence[int], terms: Terms) -> Shown:
        outline = self._outline
        if first_edit(outline, self._cut, terms) is None:
            return Shown()
        cleared = tuple(self._described_result(number) for number in numbers)
        is_bound = self._format.binds_thinking and not terms.strips_thinking
        has_bound = is_bound and bound_thinking(outline, self._cut, terms) > 0
        return Shown(cleared, self.shown.gone, self._first_changed(), self._stable_until(numbers), has_bound)

    def _described_result(self, number: int) -> Cleared:
        found, outline = self._reported.get(number), self._outline
        if found is None:
            tokens = whole_tokens(outline.result_quarters[number])
            found = self._reported[number] = Cleared(outline.call_ids[number], outline.tools[number], tokens)
        return found

    def _first_changed(self) -> int | None:
        pairs = enumerate(zip(self.view(), self._messages, strict=False))
        return next((index for index, (sent, own) in pairs if sent is not own), None)

    def _stable_until(self, numbers: Sequence[int]) -> int:
        """Return how many leading messages of the view there are up to the last edited one."""
        outline, cut, gone = self._outline, self._cut, self.shown.gone
        edited = [outline.result_message[number] for number in numbers[-1:]]
        last = max([*edited, *self._stripped], default=-1)
        if not gone.messages:
            return last + 1
        if last >= cut.keep_from:
            return len(self._before_tail()) + last - cut.keep_from + 1
        place = self.note_place()
        note_end = (outline.head_end if place is None else place) + 1
        return max(note_end if gone.has_note else outline.head_end, last + 1)


def _grouped(edits: Iterable[tuple[int, Edit]]) -> dict[int, list[Edit]]:
    """Return the edits by the message they are made in."""
    groups: dict[int, list[Edit]] = {}
    for message, edit in edits:
        groups.setdefault(message, []).append(edit)
    return groups
