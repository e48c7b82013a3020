"""
One estimate per message, remembered ([S7]).

A *track* remembers one history as columns: the messages themselves (holding them keeps their ids
from being reused), a witness of each one's content, and running sums.  A step of an agent finds its
track by the first message and compares pointers; only what was appended is counted.
"""

from __future__ import annotations

import os
import sys
from array import array
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import RLock
from typing import Any, Final, Generic, Self, TypeVar
from weakref import WeakSet

from longturn.tokens.backend import core
from longturn.tokens.measure import SCRIPT, Measure

_TRACKS: Final = 8  # histories remembered at once: an agent, its rewinds, a few sub-agents
_ARGUMENT: Final = 1  # what getrefcount counts besides: the reference that it is given


class Track:
    """What is remembered of one history; grows at its end, and forks where histories part."""

    __slots__ = ("lengths", "measure", "messages", "totals", "witnesses")

    def __init__(self, measure: Measure = SCRIPT) -> None:
        self.measure = measure
        self.messages: list[object] = []
        self.witnesses: list[object] = []
        self.lengths: array[int] = array("q")
        self.totals: array[int] = array("q", [0])  # quarter-tokens of the first n messages

    def agreement(self, history: list[object]) -> int:
        """Return how many leading messages of ``history`` are remembered here, unchanged."""
        agreed: int = core.agreement(history, self.messages, self.witnesses, self.lengths)
        return agreed

    def extend(self, history: list[object]) -> None:
        """Count and remember what ``history`` has beyond this track."""
        known = len(self.messages)
        quarters = self.measure.messages(
            history, known
        )  # whatever is wrong with a message shows here, before any change
        witnesses, lengths = core.witnesses(history, known)
        total = self.totals[-1]
        for quarter_tokens in quarters:
            total += quarter_tokens
            self.totals.append(total)
        self.messages.extend(history[known:])
        self.witnesses.extend(witnesses)
        self.lengths.frombytes(lengths)

    def fork(self, length: int) -> Self:
        """Return a track of the first ``length`` messages; this one stays as it is."""
        other = type(self)(self.measure)
        self._copy_columns(other, length)
        return other

    def _copy_columns(self, other: Track, length: int) -> None:
        other.messages = self.messages[:length]
        other.witnesses = self.witnesses[:length]
        other.lengths = self.lengths[:length]
        other.totals = self.totals[: length + 1]

    def holds(self, message: object) -> int:
        """Return how often this track refers to its first message, ``message``."""
        return 1


T = TypeVar("T", bound=Track)


class Memo(Generic[T]):
    """
    The tracks of the histories seen last, safe to share between threads.

    Bounded by the life of the histories: whenever a new one arrives, those that nobody holds any
    more are dropped, and beyond eight the one not asked for longest.
    """

    def __init__(self, new_track: Callable[[], T]) -> None:
        self._new_track: Final = new_track
        self.forget()
        _MEMOS.add(self)

    def forget(self) -> None:
        """Start over: in a forked child, what another thread held at the fork is never let go."""
        self._lock = RLock()
        self._is_held = False
        self._tracks: list[T] = []  # the one used last stands last

    @contextmanager
    def held(self) -> Iterator[Self]:
        """
        Hold the memo for one step.

        A step inside another one (an object that counts itself when it is asked for its JSON form, a
        finaliser) gets an empty memo of its own: the outer one may be half-way through a change.
        """
        with self._lock:
            if self._is_held:
                yield type(self)(self._new_track)
                return
            self._is_held = True
            try:
                yield self
            finally:
                self._is_held = False

    def find(self, history: list[object]) -> tuple[T, int]:
        """Return the track that agrees longest with ``history``, and for how many messages."""
        best, agreed = None, 0
        for track in reversed(self._tracks):
            if track.messages[0] is history[0] and (length := track.agreement(history)) > agreed:
                best, agreed = track, length
                if agreed == len(history):
                    break
        if best is None:
            return self._new_track(), 0
        self._keep(best)
        return best, agreed

    def grow(self, track: T, agreed: int, history: list[object]) -> T:
        """
        Return a track of exactly ``history``, counting what is beyond the ``agreed`` messages.

        Where the history left the track's, a fork goes on and the old branch stays remembered.
        """
        if agreed < len(track.messages):
            track = track.fork(agreed)
        if agreed < len(history):
            track.extend(history)
        self._keep(track)
        return track

    def _keep(self, track: T) -> None:
        if self._tracks and self._tracks[-1] is track:
            return
        others = [other for other in self._alive() if other is not track]
        self._tracks = [*others[-(_TRACKS - 1) :], track]

    def _alive(self) -> list[T]:
        """Return the tracks of histories that somebody else still holds, told by their first messages."""
        own: Counter[int] = Counter()
        for track in self._tracks:
            own[id(track.messages[0])] += track.holds(track.messages[0])
        return [
            track
            for track in self._tracks
            if sys.getrefcount(track.messages[0]) - _ARGUMENT > own[id(track.messages[0])]
        ]


_MEMOS: Final[WeakSet[Memo[Any]]] = WeakSet()


def _forget_all() -> None:
    for memo in list(_MEMOS):
        memo.forget()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_all)
