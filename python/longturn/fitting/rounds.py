"""Stage three: keep whole tool rounds of the newest turn."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence

from longturn.fitting.clear import candidates
from longturn.fitting.cutting import allowed, oldest_within, weighed
from longturn.fitting.outline import Outline
from longturn.fitting.view import Cut, Stage, Terms


def keep_rounds(outline: Outline, cut: Cut, place: int, low_water: int, terms: Terms) -> Cut:
    """
    Return a cut that keeps the newest whole rounds of the newest turn ([R1]).

    The newest round is kept always, older ones as long as the view stays at or below ``low_water``.
    """
    start, opener = newest_turn(outline, place)
    places = allowed(outline, _places(outline, start, place, max(cut.keep_from, outline.head_end)))
    if not places:
        return cut

    def cut_at(point: int) -> Cut:
        if point == start:
            return Cut(cut.frontier, start, (0, 0), Stage.TURNS, place)
        return Cut(cut.frontier, point, opener, Stage.ROUNDS, place)

    return oldest_within(outline, places, cut_at, terms, low_water)


def _places(outline: Outline, start: int, place: int, kept_from: int) -> Sequence[int]:
    """Return where the rounds of the newest turn begin, beyond the present cut; the first one at its ``start``."""
    points = outline.points
    first, last = bisect_left(points, start), bisect_left(points, place)
    if kept_from < start:
        return [start, *points[first + 1 : last]]
    return points[max(first + 1, bisect_left(points, kept_from + 1)) : last]


def newest_turn(outline: Outline, place: int) -> tuple[int, tuple[int, int]]:
    """Return where the newest turn's own messages begin, and its opener; the first turn's is in the head."""
    number = bisect_left(outline.turns, place) - 1
    if number < 0:
        return outline.head_end, (0, 0)
    start = outline.turns[number]
    return start, (start, min(outline.opener_ends[number], place))


def smallest(outline: Outline, cut: Cut, place: int, terms: Terms) -> Cut:
    """
    Return the cut of the smallest view ([F3]): what is fixed, and the newest round.

    Where results in it may be cleared, they are.
    """
    numbers = candidates(outline, cut, place, terms)
    cleared = weighed(outline, cut._replace(frontier=numbers[-1] + 1, made_at=place), terms) if numbers else cut
    return keep_rounds(outline, cleared, place, 0, terms)
