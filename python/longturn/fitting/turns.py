"""Stage two: keep whole user turns."""

from __future__ import annotations

from bisect import bisect_left

from longturn.fitting.cutting import allowed, oldest_within, weighed
from longturn.fitting.outline import Outline
from longturn.fitting.view import Cut, Stage, Terms


def keep_turns(outline: Outline, cut: Cut, place: int, limit: int, low_water: int, terms: Terms) -> Cut:
    """
    Return a cut that keeps the newest whole turns, or ``cut`` if not even the newest one fits ([T1]).

    The newest turn is kept if it fits ``limit``, older ones as long as the view stays at or below ``low_water``.
    """
    turns, kept_from = outline.turns, max(cut.keep_from, outline.head_end)
    starts = allowed(outline, turns[bisect_left(turns, kept_from + 1) : bisect_left(turns, place)])
    if not starts:
        return cut

    def cut_at(start: int) -> Cut:
        return Cut(cut.frontier, start, (0, 0), Stage.TURNS, place)

    newest = weighed(outline, cut_at(starts[-1]), terms)
    if outline.totals[place] - newest.gain > limit:
        return cut
    return oldest_within(outline, starts, cut_at, terms, low_water)
