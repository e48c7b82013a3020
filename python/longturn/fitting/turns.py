"""Stage two: keep whole user turns."""

from __future__ import annotations

from bisect import bisect_left

from longturn.fitting.outline import Outline
from longturn.fitting.view import Cut, Stage, Terms
from longturn.fitting.cutting import oldest_within, resized


def keep_turns(outline: Outline, cut: Cut, place: int, limit: int, low_water: int, terms: Terms) -> Cut:
    """
    Return a cut that keeps the newest whole turns, or ``cut`` if not even the newest one fits ([T1]).

    The newest turn is kept if it fits ``limit``, older ones as long as the view stays at or below ``low_water``.
    """
    starts = outline.turns[bisect_left(outline.turns, cut.keep_from) : bisect_left(outline.turns, place)]
    cuts = [
        resized(outline, cut, terms, keep_from=start, opener=(0, 0), stage=Stage.TURNS, made_at=place)
        for start in reversed(starts)
        if outline.may_cut(start)
    ]
    if not cuts or outline.totals[place] - cuts[0].gain > limit:
        return cut
    return oldest_within(outline, cuts, place, low_water)
