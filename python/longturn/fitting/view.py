"""A cut, and what the view behind it weighs."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from longturn.fitting.outline import Outline


class Stage(StrEnum):
    """How far a request had to be shortened."""

    WHOLE = "whole"
    CLEARED = "cleared"
    TURNS = "turns"
    ROUNDS = "rounds"


@dataclass(frozen=True, slots=True, kw_only=True)
class Terms:
    """What a plan is made under, in quarter-tokens: the policy's numbers and what every request carries."""

    budget: int
    overhead: int  # system prompt and tool definitions
    keep_window: int
    note: int  # about left-out messages
    batch: int
    low_water: float
    hold: bool
    strips_thinking: bool
    note_is_message: bool  # inserted after the head, rather than appended to the head's last user message


class Cut(NamedTuple):
    """
    What a view leaves out: the only thing that moves, and only forwards.

    The view is the head, the note, the opener, and everything from ``keep_from``; system messages stay
    wherever they stand.  Of the visible results that may be cleared, those before ``frontier`` are.
    """

    frontier: int = 0  # a result's number
    keep_from: int = 0  # a message's index; nothing is left out while it is 0
    opener: tuple[int, int] = (0, 0)  # of the turn that ``keep_from`` lies in, where it lies before it
    stage: Stage = Stage.WHOLE  # of the messages left out: WHOLE, TURNS or ROUNDS
    made_at: int = 0  # how many messages the history had
    gain: int = 0  # quarter-tokens by which the view is smaller than the history it was made of


class LeftOut(NamedTuple):
    """The messages a cut leaves out."""

    messages: int
    quarters: int
    has_note: bool  # a note about it is added


NOTHING = LeftOut(0, 0, False)


def left_out(outline: Outline, cut: Cut, terms: Terms) -> LeftOut:
    """Return how much lies between the head and ``keep_from``, without system messages and opener."""
    start, stop = outline.head_end, cut.keep_from
    if stop <= start:
        return NOTHING
    first, last = cut.opener
    messages, quarters = stop - start, outline.totals[stop] - outline.totals[start]
    for count, size in (
        outline.systems_between(start, first) if first < last else outline.systems_between(start, stop),
        (last - first, outline.totals[last] - outline.totals[first]),
        outline.systems_between(last, stop) if first < last else (0, 0),
    ):
        messages, quarters = messages - count, quarters - size
    if messages == 0:
        return NOTHING
    return LeftOut(messages, quarters, not outline.has_note and quarters > terms.note)


def visible_cleared(outline: Outline, cut: Cut) -> Sequence[int]:
    """Return the numbers of the results that the view shows as cleared, oldest first."""
    return clearable(outline, cut, 0, cut.frontier)


def clearable(outline: Outline, cut: Cut, start: int, stop: int) -> Sequence[int]:
    """Return the numbers in ``[start, stop)`` of the visible results that may be cleared, oldest first."""
    head, tail = visible_results(outline, cut)
    numbers = outline.clearable

    def among(first: int, last: int) -> Sequence[int]:
        return numbers[bisect_left(numbers, first) : bisect_left(numbers, last)]

    return [*among(start, min(head, stop)), *among(max(tail, start), stop)]


def visible_results(outline: Outline, cut: Cut) -> tuple[int, int]:
    """Return where the head's results end and where the tail's begin; what lies between is left out."""
    if cut.keep_from <= outline.head_end:
        return 0, 0
    return outline.results_before(outline.head_end), outline.results_before(cut.keep_from)


def saved(outline: Outline, cut: Cut) -> int:
    """Return the quarter-tokens that the visible cleared results free."""
    head, tail = visible_results(outline, cut)
    savings, frontier = outline.savings, cut.frontier
    return savings[min(frontier, head)] + savings[max(frontier, tail)] - savings[tail]


def first_edit(outline: Outline, cut: Cut, terms: Terms) -> int | None:
    """Return the index in the history of the first message that the view shows changed or leaves out."""
    edits = []
    gone = left_out(outline, cut, terms)
    if gone.messages:
        edits.append(outline.head_end - (gone.has_note and not terms.note_is_message))
    if numbers := visible_cleared(outline, cut):
        edits.append(outline.result_message[numbers[0]])
        edits.extend(outline.call_message[number] for number in numbers if outline.has_input[number])
    return min(edits, default=None)


def visible_between(outline: Outline, cut: Cut, start: int, stop: int) -> Iterator[range]:
    """Yield the parts of ``[start, stop)`` that are visible whole: of the head, the opener and the tail."""
    tail = max(cut.keep_from, outline.head_end)
    for first, last in ((0, outline.head_end), cut.opener, (tail, stop)):
        yield range(max(first, start), min(last, stop))


def bound_thinking(outline: Outline, cut: Cut, terms: Terms) -> int:
    """Return the quarter-tokens of the visible reasoning made before the cut that stands after its first edit."""
    if not outline.thinking or (edit := first_edit(outline, cut, terms)) is None:
        return 0
    parts = visible_between(outline, cut, edit + 1, cut.made_at)
    return sum(outline.thinking_between(part.start, part.stop) for part in parts)


def stripped(outline: Outline, cut: Cut, terms: Terms) -> int:
    """Return the quarter-tokens of the reasoning that goes."""
    return bound_thinking(outline, cut, terms) if terms.strips_thinking else 0


def gain(outline: Outline, cut: Cut, terms: Terms, *, note_is_fixed: bool = False) -> int:
    """
    Return the quarter-tokens by which the view is smaller than the history it was made of.

    With ``note_is_fixed`` the note counts however little is left out: then, the later the place a view
    keeps from, the smaller it is, without exception.
    """
    gone = left_out(outline, cut, terms)
    has_note = not outline.has_note if note_is_fixed else gone.has_note
    return gone.quarters - has_note * terms.note + saved(outline, cut) + stripped(outline, cut, terms)
