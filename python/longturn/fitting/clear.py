"""Stage one: clear old tool results."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator

from longturn.fitting.cutting import weighed
from longturn.fitting.outline import Outline
from longturn.fitting.view import Cut, Terms


def clear(outline: Outline, cut: Cut, place: int, limit: int, terms: Terms) -> Cut:
    """
    Return a cut that clears results outside the keep window, oldest first.

    As many as the largest multiple of ``batch`` allows; the rest of them only if the view of the first
    ``place`` messages is still over ``limit`` ([C1], [C2]).
    """
    candidates = clearable(outline, cut, keep_start(outline, cut, place, terms))
    in_batches = len(candidates) // terms.batch * terms.batch
    for count in (in_batches, len(candidates)):
        if count:
            tried = weighed(outline, cut._replace(frontier=candidates[count - 1] + 1, made_at=place), terms)
            if outline.totals[place] - tried.gain <= limit or count == len(candidates):
                return tried
    return cut


def keep_start(outline: Outline, cut: Cut, place: int, terms: Terms) -> int:
    """
    Return the number of the oldest result in the keep window.

    Counting back from the newest, results stay whole while they fit together in the window, up to the
    first that does not; the newest always, and every one the model has not read yet.
    """
    stop = outline.results_before(place)
    last_model = outline.points[bisect_left(outline.points, place) - 1] if outline.points else 0
    protected = min(outline.results_before(last_model), stop - 1)
    used = 0
    for number in range(stop - 1, -1, -1):
        used += _size(outline, cut, number)
        if used > terms.keep_window and number < protected:
            return number + 1
    return 0


def _size(outline: Outline, cut: Cut, number: int) -> int:
    """Return what a result weighs in the view: a cleared one as much as its note."""
    size = outline.result_quarters[number]
    if number < cut.frontier:
        size -= outline.savings[number + 1] - outline.savings[number]
    return size


def clearable(outline: Outline, cut: Cut, stop: int) -> list[int]:
    """Return the numbers of the visible results before ``stop`` that may still be cleared, oldest first."""
    return list(_clearable(outline, cut, stop))


def _clearable(outline: Outline, cut: Cut, stop: int) -> Iterator[int]:
    hidden = range(0)
    if cut.keep_from > outline.head_end:
        hidden = range(outline.results_before(outline.head_end), outline.results_before(cut.keep_from))
    start = cut.frontier if cut.frontier not in hidden else hidden.stop
    for number in outline.clearable[bisect_left(outline.clearable, start) :]:
        if number >= stop:
            return
        if number not in hidden:
            yield number
