"""What a window remembers of one history: its sizes, its outline, the walk so far, and how it is sent."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Self

from longturn.fitting.outline import Outline, Rules
from longturn.fitting.plan import Plan, Walk
from longturn.fitting.view import Terms
from longturn.formats.base import Format
from longturn.formats.detect import UNDECIDED, check, detected
from longturn.rendering import Rendering, Shown, Style
from longturn.tokens.measure import Measure
from longturn.tokens.memo import Track


@dataclass(frozen=True, slots=True)
class Settings:
    """What a window fits by, besides the numbers of one request."""

    format: Format | None  # None: told by the messages
    measure: Measure
    rules: Rules
    style: Style


class Ledger(Track):
    """A track that also knows how to fit its history: outline, plan, render."""

    __slots__ = ("_format", "_is_decided", "_rendering", "_settings", "_walk", "outline")

    def __init__(self, settings: Settings) -> None:
        super().__init__(settings.measure)
        self._settings = settings
        self._is_decided = settings.format is not None
        self._start_over(settings.format or UNDECIDED)

    def _start_over(self, format: Format) -> None:
        self._format = format
        self._walk = Walk()
        self.outline = Outline(self._settings.rules)
        self._rendering = Rendering(self.messages, self.outline, format, self._settings.style)

    def extend(self, history: list[object]) -> None:
        """Take in what ``history`` has beyond this ledger: check, count, tell the format, outline."""
        known = len(self.messages)
        check(history, known)
        super().extend(history)
        self._take_in(known)

    def fork(self, length: int) -> Self:
        """Return a ledger of the first ``length`` messages; sizes are kept, the outline is drawn anew."""
        other = type(self)(self._settings)
        self._copy_columns(other, length)
        other._start_over(other._format)  # over the columns that it now has
        other._take_in(0)
        return other

    def holds(self, message: object) -> int:
        """Return how often this ledger refers to its first message, ``message``."""
        return super().holds(message) + self._rendering.holds(message)

    def _take_in(self, start: int) -> None:
        if not self._is_decided and (found := detected(self.messages, start)) is not None:
            self._is_decided = True
            if found is not self._format:
                self._start_over(found)
        read, append, totals = self._format.read, self.outline.append, self.totals
        for index in range(len(self.outline), len(self.messages)):
            append(read(self.messages[index]), totals[index + 1] - totals[index])
        self._rendering.grow()

    def plan(self, terms: Callable[[bool, int], Terms]) -> Plan:
        """Return the plan for the whole history under ``terms(note_is_message, note_quarters)``."""
        place = self._rendering.note_place()
        made = terms(place is None, self._note_quarters(place))
        plan = self._walk.plan(self.outline, made)
        self._rendering.show(plan.cut, made)
        return plan

    def _note_quarters(self, place: int | None) -> int:
        """Return exactly what the note adds, in the shape it takes there."""
        note = self._settings.style.words.left_out
        if place is None:
            return self.measure.message(self._format.note_message(note, self.messages[0]))
        message = self.messages[place]
        size = self.totals[place + 1] - self.totals[place]
        return self.measure.message(self._format.with_note(message, note)) - size

    def view(self) -> list[Any]:
        """Return the messages to send under the plan made last."""
        return self._rendering.view()

    @property
    def shown(self) -> Shown:
        """What the view of the plan made last shows changed."""
        return self._rendering.shown
