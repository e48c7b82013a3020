"""Stage three: keep whole tool rounds of the newest turn."""

from __future__ import annotations

from bisect import bisect_left

from longturn.fitting.cutting import oldest_within, resized
from longturn.fitting.outline import Outline
from longturn.fitting.view import Cut, Stage, Terms


def keep_rounds(outline: Outline, cut: Cut, place: int, low_water: int, terms: Terms) -> Cut:
    """
    Return a cut that keeps the newest whole rounds of the newest turn ([R1]).

    The newest round is kept always, older ones as long as the view stays at or below ``low_water``.
    """
    start, opener = newest_turn(outline, place)
    first, last = bisect_left(outline.points, max(start, cut.keep_from)), bisect_left(outline.points, place)
    places = list(reversed(outline.points[first:last])) or [start]
    cuts = [
        resized(
            outline, cut, terms, keep_from=point, stage=Stage.ROUNDS if point > start else Stage.TURNS, made_at=place,
            opener=opener if opener[1] <= point else (0, 0),
        )
        for point in places
        if outline.may_cut(point) and point > cut.keep_from
    ]  # fmt: skip
    return oldest_within(outline, cuts, place, low_water) if cuts else cut


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
