"""What stages two and three share: a cut moved to a later place, and the choice among places."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Sequence

from longturn.fitting.outline import Outline
from longturn.fitting.view import Cut, Terms, gain


def weighed(outline: Outline, cut: Cut, terms: Terms) -> Cut:
    """Return a cut with what it gains."""
    return cut._replace(gain=gain(outline, cut, terms))


def allowed(outline: Outline, places: Sequence[int]) -> Sequence[int]:
    """Return those of ``places``, oldest first, where a cut separates no call from its result."""
    return places if not outline.glue else [place for place in places if outline.may_cut(place)]


def oldest_within(
    outline: Outline, places: Sequence[int], cut_at: Callable[[int], Cut], terms: Terms, low_water: int
) -> Cut:
    """Return the cut at the oldest of ``places`` whose view is within ``low_water``; at the newest if none is."""

    def fits(place: int) -> bool:
        cut = cut_at(place)
        return outline.totals[cut.made_at] - gain(outline, cut, terms, note_is_fixed=True) <= low_water

    oldest = places[-1]
    if fits(oldest):
        oldest = places[bisect_left(places, True, key=fits)]  # sizes fall from place to place
    return weighed(outline, cut_at(oldest), terms)
