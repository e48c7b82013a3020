"""Stage one: clear old tool results."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from itertools import chain

from longturn.fitting.cutting import weighed
from longturn.fitting.outline import Outline
from longturn.fitting.view import Cut, Terms, clearable, visible_results


def clearings(outline: Outline, cut: Cut, place: int, terms: Terms) -> Iterator[Cut]:
    """
    Yield the cuts that clear results outside the keep window, oldest first ([C1], [C2]).

    First as many as the largest multiple of ``batch`` allows, then the rest of them as well.
    """
    numbers = candidates(outline, cut, place, terms)
    in_batches = len(numbers) // terms.batch * terms.batch
    for count in sorted({in_batches, len(numbers)} - {0}):
        yield weighed(outline, cut._replace(frontier=numbers[count - 1] + 1, made_at=place), terms)


def candidates(outline: Outline, cut: Cut, place: int, terms: Terms) -> Sequence[int]:
    """Return the numbers of the results that may still be cleared, oldest first."""
    return clearable(outline, cut, cut.frontier, keep_start(outline, cut, place, terms))


def kept_whole(outline: Outline, cut: Cut, place: int, terms: Terms) -> int:
    """Return the quarter-tokens of the results in the keep window that are not cleared."""
    start, stop = keep_start(outline, cut, place, terms), outline.results_before(place)
    head, tail = visible_results(outline, cut)
    quarters, savings = outline.result_quarters, outline.savings
    return sum(
        quarters[number]
        for number in chain(range(start, head), range(max(start, tail), stop))
        if number >= cut.frontier or savings[number + 1] == savings[number]
    )


def keep_start(outline: Outline, cut: Cut, place: int, terms: Terms) -> int:
    """
    Return the number of the oldest result in the keep window.

    Counting back from the newest, results stay whole while they fit together in the window, up to the
    first that does not; the newest always, and every one the model has not read yet.  What is left out
    takes no room in the window, what is cleared as much as its note.
    """
    stop = outline.results_before(place)
    protected = min(_unread(outline, place), stop - 1)
    head, tail = visible_results(outline, cut)
    used = 0
    for number in chain(range(stop - 1, tail - 1, -1), range(head - 1, -1, -1)):
        used += _size(outline, cut, number)
        if used > terms.keep_window and number < protected:
            return number + 1
    return 0


def _unread(outline: Outline, place: int) -> int:
    """Return the number of the first result after the last model message before ``place``."""
    spoken = bisect_left(outline.points, place)
    return outline.results_before(outline.points[spoken - 1]) if spoken else 0


def _size(outline: Outline, cut: Cut, number: int) -> int:
    """Return what a result weighs in the view: a cleared one as much as its note."""
    size = outline.result_quarters[number]
    if number < cut.frontier:
        size -= outline.savings[number + 1] - outline.savings[number]
    return size
