"""
A request whose tokens the provider counted, and what the next one will count by it ([K2], [K3]).

A count anchors: whatever the estimate does not see, a hidden prompt or a tokenizer of its own, is in it.  What
was added since is estimated and scaled; what was taken out is scaled as its own report said when it was added,
for a table may weigh three times what prose does.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, Self

from longturn.tokens.costs import QUARTERS

LEAST_PACE: Final = 0.25
MOST_PACE: Final = 8.0  # beyond these what was counted is something else than what was added


@dataclass(frozen=True, slots=True)
class Pace:
    """How many tokens the provider counts for one estimated, of all that was added between its reports."""

    estimated: int
    counted: int

    @property
    def ratio(self) -> float:
        """The provider's tokens to one that is estimated."""
        return self.counted / self.estimated

    def learned(self, estimated: int, counted: int) -> Pace:
        """Return the pace after ``counted`` tokens more for a request of so many estimated more."""
        if not _is_pace(counted, estimated):
            return self
        return Pace(self.estimated + estimated, self.counted + counted)

    def begun(self, estimated: int, counted: int) -> Pace:
        """Return the pace after the first report, of a request that is text for the most part."""
        if self != USUAL_PACE or not _is_pace(counted, estimated):
            return self
        return Pace(self.estimated, round(self.estimated * counted / estimated))

    @classmethod
    def loaded(cls, saved: Mapping[str, Any]) -> Self:
        """
        Return what was saved.

        Raises:
            ValueError: it is no pace.
        """
        match saved:
            case {"estimated": int(estimated), "counted": int(counted)} if _is_pace(counted, estimated):
                return cls(estimated, counted)
        raise ValueError(
            f"pace must hold two numbers of tokens, estimated and counted, of which the second is between "
            f"{LEAST_PACE} and {MOST_PACE} times the first (got {saved!r})"
        )


USUAL_PACE: Final = Pace(500, 500)
"""What reports are added to: a single small one says little."""

Measure = Callable[[Sequence[Any], int], Sequence[int]]
"""Returns the quarter-tokens of each of some messages, from an index on."""


@dataclass(frozen=True, slots=True)
class _Change:
    """From the reported request to another one."""

    is_addition: bool
    """Nothing of the reported one is gone."""
    added: int
    """Estimated tokens."""
    kept: float
    """What the provider counts for what is left of the reported one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """A request, what it was estimated at, and what its provider counted."""

    messages: list[Any]
    ratios: array[float]  # the provider's tokens to one estimated, of each message
    estimated: int
    counted: int
    measure: Measure

    @classmethod
    def first(cls, messages: list[Any], estimated: int, counted: int, pace: Pace, measure: Measure) -> Self:
        """Return the first report of a conversation: its messages were counted in one sum."""
        ratios = array("d", [pace.ratio]) * len(messages)
        return cls(messages=messages, ratios=ratios, estimated=estimated, counted=counted, measure=measure)

    def next(self, messages: list[Any], estimated: int, counted: int, pace: Pace) -> tuple[Report, Pace]:
        """Return the report of a later request, and the pace after it."""
        change = self._change(messages, estimated)
        seen = counted - change.kept
        learned = pace.learned(change.added, round(seen)) if change.is_addition else pace
        is_told = change.is_addition and _is_pace(seen, change.added)
        ratio = seen / change.added if is_told else learned.ratio
        ratios = self._ratios(messages, ratio, change.is_addition)
        return replace(self, messages=messages, ratios=ratios, estimated=estimated, counted=counted), learned

    def moved(self, messages: list[Any], estimated: int, pace: Pace) -> Report:
        """Return the report to expect of a later request, which may hold less than this one."""
        change = self._change(messages, estimated)
        ratios = self._ratios(messages, pace.ratio, change.is_addition)
        counted = max(round(change.kept + change.added * pace.ratio), 1)
        return replace(self, messages=messages, ratios=ratios, estimated=estimated, counted=counted)

    def expected(self, estimated: int, pace: Pace) -> int:
        """Return what the provider will count for a request that extends this one."""
        return max(round(self.counted + (estimated - self.estimated) * pace.ratio), 1)

    def is_extended_by(self, messages: list[Any]) -> bool:
        """Tell whether a request is this one with messages added."""
        return messages[: len(self.messages)] == self.messages

    def _change(self, messages: list[Any], estimated: int) -> _Change:
        more = estimated - self.estimated
        if self.is_extended_by(messages):
            return _Change(True, more, self.counted)
        kept = set(map(id, messages))
        places = [place for place, message in enumerate(self.messages) if id(message) not in kept]
        sizes = self.measure([self.messages[place] for place in places], 0)
        gone = sum(size * self.ratios[place] for size, place in zip(sizes, places, strict=True))
        return _Change(False, more + sum(sizes) // QUARTERS, self.counted - gone / QUARTERS)

    def _ratios(self, messages: list[Any], ratio: float, is_addition: bool) -> array[float]:
        if is_addition:
            return self.ratios + array("d", [ratio]) * (len(messages) - len(self.messages))
        known = dict(zip(map(id, self.messages), self.ratios, strict=True))
        return array("d", [known.get(id(message), ratio) for message in messages])


def _is_pace(counted: float, estimated: float) -> bool:
    return estimated > 0 and LEAST_PACE <= counted / estimated <= MOST_PACE
