"""What stages two and three share: a cut moved to another place, and the choice among several."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from longturn.fitting.outline import Outline
from longturn.fitting.view import Cut, Stage, Terms, gain


def resized(
    outline: Outline, cut: Cut, terms: Terms, *, keep_from: int, opener: tuple[int, int], stage: Stage, made_at: int
) -> Cut:
    """Return ``cut`` moved to ``keep_from``, with what it now gains."""
    moved = replace(cut, keep_from=keep_from, opener=opener, stage=stage, made_at=made_at)
    return replace(moved, gain=gain(outline, moved, terms))


def oldest_within(outline: Outline, cuts: Sequence[Cut], place: int, low_water: int) -> Cut:
    """Return the last of ``cuts``, newest place first, whose view is within ``low_water``; at least the first."""
    chosen = cuts[0]
    for cut in cuts[1:]:
        if outline.totals[place] - cut.gain > low_water:
            break
        chosen = cut
    return chosen
