"""What a window remembers of one history: sizes, outline, the walk so far, and the messages already edited."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple, Self

from longturn.fitting.outline import Kind, Outline, Rules
from longturn.fitting.plan import Plan, Walk
from longturn.fitting.view import NOTHING, Cut, LeftOut, Terms, first_edit, left_out, visible_cleared
from longturn.formats.base import Edit, Format
from longturn.formats.detect import UNDECIDED, check, detected
from longturn.tokens.memo import Track
from longturn.tokens.walker import walker, whole_tokens
from longturn.wording.phrases import Phrases


class Cleared(NamedTuple):
    """A tool result that a request shows as cleared."""

    call_id: str | None
    tool: str | None
    tokens: int
    """What it weighs in the saved history, its call's arguments included where they went too."""


@dataclass(frozen=True, slots=True)
class Settings:
    """What a window fits by, besides the numbers of one request."""

    format: Format | None  # None: told by the messages
    words: Phrases
    rules: Rules
    recall_tools: frozenset[str]
    strict_roles: bool
    strips_thinking: bool


@dataclass(frozen=True, slots=True)
class Shown:
    """What a view shows changed; stays the same while the cut does."""

    cleared: tuple[Cleared, ...] = ()
    gone: LeftOut = NOTHING
    first_changed: int | None = None
    stable_until: int = 0
    has_bound_thinking: bool = False  # reasoning whose prefix an edit has changed is still there


class Ledger(Track):
    """A track that also knows how to fit its history."""

    __slots__ = (
        "_cut",
        "_edited",
        "_head",
        "_settings",
        "_shown",
        "_walk",
        "format",
        "is_decided",
        "outline",
    )

    def __init__(self, settings: Settings) -> None:
        super().__init__()
        self._settings = settings
        self.is_decided = settings.format is not None
        self.format: Format = settings.format or UNDECIDED
        self._start_over()

    def _start_over(self) -> None:
        self.outline = Outline(self._settings.rules)
        self._walk = Walk()
        self._cut = Cut()
        self._shown = Shown()
        self._edited: list[Any] = []  # the history as it is sent: originals, and copies where results are cleared
        self._head: list[Any] | None = None

    def extend(self, history: list[object]) -> None:
        """Take in what ``history`` has beyond this ledger: check, tell the format, count, outline."""
        known = len(self.messages)
        check(history, known)
        super().extend(history)
        self._decide_format(known)
        self._outline_from(len(self.outline))

    def fork(self, length: int) -> Self:
        """Return a ledger of the first ``length`` messages; sizes are kept, the outline is drawn anew."""
        other = type(self)(self._settings)
        self._copy_columns(other, length)
        other._decide_format(0)
        other._outline_from(0)
        return other

    def holds(self, message: object) -> int:
        """Return how often this ledger refers to its first message, ``message``."""
        lists = (self.messages, self._edited, self._head or ())
        return sum(entries[0] is message for entries in lists if entries)

    def _decide_format(self, start: int) -> None:
        if self.is_decided:
            return
        if (found := detected(self.messages, start)) is not None:
            self.is_decided = True
            if found is not self.format:
                self.format = found
                self._start_over()

    def _outline_from(self, start: int) -> None:
        read, append, totals = self.format.read, self.outline.append, self.totals
        for index in range(start, len(self.messages)):
            append(read(self.messages[index]), totals[index + 1] - totals[index])
        self._edited.extend(self.messages[start:])

    # ------------------------------------------------------------------ planning

    def plan(self, terms: Callable[[bool, int], Terms]) -> Plan:
        """Return the plan for the whole history under ``terms(note_is_message, note_quarters)``."""
        place = self._note_place()
        made = terms(place is None, self._note_quarters(place))
        plan = self._walk.plan(self.outline, made)
        if plan.cut != self._cut:
            self._show(plan.cut, made)
        return plan

    def _note_place(self) -> int | None:
        """Return the index of the message that the note is appended to; None if it is a message of its own."""
        last = self.outline.head_end - 1
        if last < 0 or self.outline.kinds[last] != Kind.USER:
            return None  # nobody has spoken to the model yet
        return None if self.format.note_is_message and not self._settings.strict_roles else last

    def _note_quarters(self, place: int | None) -> int:
        """Return exactly what the note adds, in the shape it takes there."""
        note = self._settings.words.left_out
        if place is None:
            return int(walker.message(self.format.note_message(note, self.messages[0])))
        message = self.messages[place]
        size = self.totals[place + 1] - self.totals[place]
        return int(walker.message(self.format.with_note(message, note))) - size

    # ------------------------------------------------------------------ rendering

    def view(self) -> list[Any]:
        """Return the messages to send under the plan made last."""
        if not self._shown.gone.messages:
            return self._edited.copy()
        return self._head_and_middle() + self._edited[self._cut.keep_from :]

    def _head_and_middle(self) -> list[Any]:
        if self._head is None:
            self._head = self._make_head()
        return self._head

    def _make_head(self) -> list[Any]:
        """Return what stands before ``keep_from``: head, note, and what stays of the messages left out."""
        cut, outline = self._cut, self.outline
        head = self._edited[: outline.head_end]
        if self._shown.gone.has_note:
            place, note = self._note_place(), self._settings.words.left_out
            if place is None:
                head.append(self.format.note_message(note, self.messages[0]))
            else:
                head[place] = self.format.with_note(head[place], note)
        opener = range(*cut.opener)
        head.extend(
            self._edited[index]
            for index in range(outline.head_end, cut.keep_from)
            if index in opener or outline.kinds[index] == Kind.SYSTEM
        )
        return head

    @property
    def shown(self) -> Shown:
        """What the view of the plan made last shows changed."""
        return self._shown

    def _show(self, cut: Cut, terms: Terms) -> None:
        """Bring the edited messages up to a new cut: the only work that is not for new messages alone."""
        start = self._cut.frontier
        moved_back = cut.frontier < start or cut.keep_from < self._cut.keep_from
        if moved_back or self._settings.strips_thinking:
            self._edited, start = list(self.messages), 0
        self._cut, self._head = cut, None
        numbers = list(visible_cleared(self.outline, cut))
        self._edit(numbers, start, terms)
        self._shown = self._describe(numbers, terms)

    def _edit(self, numbers: list[int], start: int, terms: Terms) -> None:
        """Replace the messages of newly cleared results by copies; ``numbers`` are all those shown as cleared."""
        outline = self.outline
        results: dict[int, list[int]] = {}
        inputs: dict[int, list[int]] = {}
        for number in numbers:
            results.setdefault(outline.result_message[number], []).append(number)
            if outline.has_input[number]:
                inputs.setdefault(outline.call_message[number], []).append(number)
        touched = {outline.result_message[number] for number in numbers if number >= start}
        touched |= {outline.call_message[n] for n in numbers if n >= start and outline.has_input[n]}
        stripped = self._stripped_messages(terms)
        for index in touched | stripped:
            message = self.messages[index]
            if index in results:
                message = self.format.with_results(message, [self._edit_of(n) for n in results[index]])
            if index in inputs:
                words = self._settings.words.cleared_input
                edits = [Edit(outline.call_slot[n], words) for n in inputs[index]]
                message = self.format.with_inputs(message, edits)
            if index in stripped:
                message = self.format.without_thinking(message)
            self._edited[index] = message

    def _edit_of(self, number: int) -> Edit:
        words, tool = self._settings.words, self.outline.tools[number]
        note = words.cleared_recall if tool in self._settings.recall_tools else words.cleared
        return Edit(self.outline.result_slot[number], note)

    def _stripped_messages(self, terms: Terms) -> set[int]:
        if not self._settings.strips_thinking:
            return set()
        edit = first_edit(self.outline, self._cut, terms)
        if edit is None:
            return set()
        hidden = range(self.outline.head_end, self._cut.keep_from)
        after_edit = range(edit + 1, self._cut.made_at)
        return {index for index in self.outline.thinking if index in after_edit and index not in hidden}

    def _describe(self, numbers: list[int], terms: Terms) -> Shown:
        cut, outline = self._cut, self.outline
        cleared = tuple(
            Cleared(outline.call_ids[n], outline.tools[n], whole_tokens(outline.result_quarters[n])) for n in numbers
        )
        gone = left_out(outline, cut, terms)
        edit = first_edit(outline, cut, terms)
        if edit is None:
            return Shown()
        self._shown = Shown(cleared, gone)  # `view` needs to know what is gone
        bound = self.format.binds_thinking and not terms.strips_thinking and self._has_thinking(edit)
        return Shown(cleared, gone, self._first_changed(), self._stable_until(numbers, terms), bound)

    def _has_thinking(self, edit: int) -> bool:
        outline, cut = self.outline, self._cut
        head = outline.thinking_between(edit + 1, min(outline.head_end, cut.made_at))
        tail = outline.thinking_between(max(edit + 1, outline.head_end, cut.keep_from), cut.made_at)
        return head + tail > 0

    def _first_changed(self) -> int | None:
        pairs = enumerate(zip(self.view(), self.messages, strict=False))
        return next((index for index, (sent, own) in pairs if sent is not own), None)

    def _stable_until(self, numbers: list[int], terms: Terms) -> int:
        """Return how many leading messages of the view there are up to the last edited one."""
        outline, cut = self.outline, self._cut
        edited = [outline.result_message[number] for number in numbers[-1:]]
        last = max([*edited, *self._stripped_messages(terms)], default=-1)
        if not self._shown.gone.messages:
            return last + 1
        if last >= cut.keep_from:
            return len(self._head_and_middle()) + last - cut.keep_from + 1
        place = self._note_place()
        note_end = (outline.head_end if place is None else place) + 1
        return max(note_end if self._shown.gone.has_note else outline.head_end, last + 1)
