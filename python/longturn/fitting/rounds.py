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
    later = _later_rounds(outline, max(start, opener[1]), place, cut.keep_from)
    places = allowed(outline, [start, *later] if max(cut.keep_from, outline.head_end) < start else later)
    if not places:
        return cut

    def cut_at(point: int) -> Cut:
        if point == start:
            return Cut(cut.frontier, start, (0, 0), Stage.TURNS, place)
        return Cut(cut.frontier, point, opener, Stage.ROUNDS, place)

    return oldest_within(outline, places, cut_at, terms, low_water)


def _later_rounds(outline: Outline, start: int, place: int, kept_from: int) -> Sequence[int]:
    """Return where the rounds from ``start`` on begin, but the first, that are beyond the present cut."""
    points = outline.points
    first, beyond = bisect_left(points, start) + 1, bisect_left(points, kept_from + 1)
    return points[max(first, beyond) : bisect_left(points, place)]


def newest_turn(outline: Outline, place: int) -> tuple[int, tuple[int, int]]:
    """Return where the newest turn's own messages begin, and its opener; the first turn's is in the head."""
    number = bisect_left(outline.turns, place) - 1
    if number < 0 or outline.opener_ends[number] <= outline.head_end:
        return outline.head_end, (0, 0)
    start = max(outline.turns[number], outline.head_end)
    return start, (start, min(outline.opener_ends[number], place))


def smallest(outline: Outline, cut: Cut, place: int, terms: Terms) -> Cut:
    """
    Return the cut of the smallest view ([F3]): what is fixed, and the newest round.

    Where results in it may be cleared, they are.
    """
    numbers = candidates(outline, cut, place, terms)
    cleared = weighed(outline, cut._replace(frontier=numbers[-1] + 1, made_at=place), terms) if numbers else cut
    return keep_rounds(outline, cleared, place, 0, terms)
