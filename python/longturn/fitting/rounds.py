"""Stage three: keep whole tool rounds of the newest turn."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence

from longturn.fitting.cutting import allowed, oldest_within
from longturn.fitting.outline import Outline
from longturn.fitting.view import Cut, Stage, Terms


def keep_rounds(outline: Outline, cut: Cut, place: int, low_water: int, terms: Terms) -> Cut:
    """
    Return a cut that keeps the newest whole rounds of the newest turn ([R1]).

    The newest round is kept always, older ones as long as the view stays at or below ``low_water``.
    """
    start, opener = newest_turn(outline, place)
    places = allowed(outline, _rounds(outline, max(start, cut.keep_from + 1), place) or [start])
    if not places or places[-1] <= cut.keep_from:
        return cut

    def cut_at(point: int) -> Cut:
        if point <= start:
            return Cut(cut.frontier, point, (0, 0), Stage.TURNS, place)
        return Cut(cut.frontier, point, opener, Stage.ROUNDS, place)

    return oldest_within(outline, places, cut_at, terms, low_water)


def _rounds(outline: Outline, start: int, place: int) -> Sequence[int]:
    """Return where the rounds from ``start`` on begin that are complete at ``place``."""
    points = outline.points
    return points[bisect_left(points, start) : bisect_left(points, place)]


def newest_turn(outline: Outline, place: int) -> tuple[int, tuple[int, int]]:
    """Return where the newest turn's own messages begin, and its opener; the first turn's is in the head."""
    number = bisect_left(outline.turns, place) - 1
    if number < 0:
        return outline.head_end, (0, 0)
    start = outline.turns[number]
    return start, (start, min(outline.opener_ends[number], place))


def smallest(outline: Outline, cut: Cut, place: int, terms: Terms) -> int:
    """Return the quarter-tokens of the smallest view: what is fixed, and the newest round ([F3])."""
    return outline.totals[place] - keep_rounds(outline, cut, place, 0, terms).gain
