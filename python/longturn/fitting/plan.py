"""
The plan for a history: a walk over its points, at each of which the stages may move the cut.

While the view fits, nothing moves; when it does not, the stages move the cut, and it stays there
until the view is over the budget again ([H1]).  So the plan follows from history and policy alone.

A history may be a view that was saved.  A result that came in cleared was whole when the model read it,
so no request up to that one was made of these messages, and the walk begins after it: that keeps a
fitted view as it is ([H4]) even where it is over the budget ([F3]).
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from typing import Final

from longturn.fitting.clear import clearings, kept_whole
from longturn.fitting.outline import Outline
from longturn.fitting.rounds import keep_rounds, newest_turn, smallest
from longturn.fitting.turns import keep_turns
from longturn.fitting.view import Cut, Terms, gain, visible_cleared

PILE: Final = 32
"""Notes in a view before they, and the calls they answer, can be what fills it."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What to send of a history, and what it weighs, in quarter-tokens."""

    cut: Cut
    quarters: int  # of the view, system prompt and tools included
    whole: int  # of the history, likewise


class Walk:
    """
    The walk so far over one growing outline.

    Remembers the cut at the last point passed, so that a grown history costs its new points only.
    The end of a history is no point yet: what the plan decides there is not remembered.
    """

    __slots__ = ("_cut", "_passed", "_revision", "_terms")

    def __init__(self) -> None:
        self._terms: Terms | None = None
        self._restart(None, 0)

    def plan(self, outline: Outline, terms: Terms) -> Plan:
        """Return the plan for the whole outline."""
        if terms != self._terms or outline.revision != self._revision:
            self._restart(terms, outline.revision)
        if terms.hold:
            self._pass_points(outline, terms)
        place = len(outline)
        cut = decide(outline, self._cut, place, terms)
        whole = terms.overhead + outline.totals[place]
        return Plan(cut, whole - cut.gain, whole)

    def _restart(self, terms: Terms | None, revision: int) -> None:
        self._terms, self._revision = terms, revision
        self._cut, self._passed = Cut(), 0

    def _pass_points(self, outline: Outline, terms: Terms) -> None:
        points, totals, cut = outline.points, outline.totals, self._cut
        free = terms.budget - terms.overhead
        for number in range(max(self._passed, first_point(outline)), len(points)):
            if totals[points[number]] - cut.gain > free:
                cut = decide(outline, cut, points[number], terms)
        self._cut, self._passed = cut, len(points)


def first_point(outline: Outline) -> int:
    """Return the number of the first point at which the history was what it is."""
    return bisect_right(outline.points, outline.settled) + 1 if outline.settled >= 0 else 0


def decide(outline: Outline, cut: Cut, place: int, terms: Terms) -> Cut:
    """Return the cut for a request of the first ``place`` messages: ``cut`` itself if its view fits."""
    free = terms.budget - terms.overhead
    size = outline.totals[place]
    if size - cut.gain <= free:
        return cut
    limit = _limit(outline, cut, place, terms)
    if size - cut.gain <= limit:
        return cut
    fixed = _fixed(outline, cut, place, terms)
    low_water = fixed + int(terms.low_water * (limit - fixed)) if limit == free else limit  # [H2], [F3]
    for cleared in clearings(outline, cut, place, terms):
        cut = cleared
        if size - cut.gain <= _enough(outline, cut, place, limit, fixed, low_water, terms):
            return cut
    turned = keep_turns(outline, cut, place, limit, low_water, terms)
    return turned if turned != cut else keep_rounds(outline, cut, place, low_water, terms)


def _limit(outline: Outline, cut: Cut, place: int, terms: Terms) -> int:
    """Return what a view may weigh: what is free, or a share beyond the smallest where that weighs more ([F3])."""
    free, size = terms.budget - terms.overhead, outline.totals[place]
    least = smallest(outline, cut, place, terms)
    if size - least.gain <= free:
        return free
    return size - gain(outline, least, terms, note_is_fixed=True) + terms.keep_window


def _fixed(outline: Outline, cut: Cut, place: int, terms: Terms) -> int:
    """Return what every view holds: head, note, system messages, and the opener of the newest turn."""
    _, opener = newest_turn(outline, place)
    nothing_else = cut._replace(keep_from=place, opener=opener, made_at=place)
    return outline.totals[place] - gain(outline, nothing_else, terms, note_is_fixed=True)


def _enough(outline: Outline, cut: Cut, place: int, limit: int, fixed: int, low_water: int, terms: Terms) -> int:
    """
    Return what a view may weigh for clearing to have been enough ([H2]).

    Calls, notes and small results stay.  Once they have piled up, clearing frees less and less, until it
    moves the cut at every other call.  So from then on they may take, beside the results in the keep window,
    three fifths of the room below the low-water mark; where they take more, turns or rounds go as well.
    """
    if low_water == limit or len(visible_cleared(outline, cut)) < PILE:
        return limit
    return min(fixed + 3 * (low_water - fixed) // 5 + kept_whole(outline, cut, place, terms), limit)
