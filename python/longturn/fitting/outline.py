"""
What a decision sees of a history: kinds, calls, results and quarter-tokens, as columns.

The words are those of the documentation.  A *point* is a place where a request is made: just before
each run of model messages.  A *round* runs from one point to the next, a *turn* from a user message
that follows a model message to the next such one; the user messages that open a turn are its
*opener*.  The *head* is everything up to and including the first run of user messages.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Callable
from dataclasses import dataclass
from enum import IntEnum
from typing import Any, NamedTuple, Self


class Kind(IntEnum):
    """Who a message speaks for."""

    SYSTEM = 0  # system and developer messages, and items that may never leave
    USER = 1
    MODEL = 2
    REPLY = 3  # tool results, and whatever else belongs to the tail of a round


class Call(NamedTuple):
    """A tool call as an outline needs it."""

    id: str | None
    tool: str | None
    slot: int  # which block of its message
    arguments: object = 0  # what `Rules.value_size` measures, if ever it is asked; 0 if they can't be replaced
    key: str | None = None  # of the object in their place that holds the note; None: the note is all


class Result(NamedTuple):
    """A tool result as an outline needs it."""

    id: str | None
    tool: str | None  # None: the name stands only with the call
    slot: int
    content: object  # what `Rules.size_of` measures
    is_replaceable: bool = True  # can be replaced by text, and is not a note already
    key: str | None = None  # of the object in its place that holds the note; None: the note is all
    is_note: bool = False  # came in cleared, out of a view that was saved


def _bare(note: Any, key: str | None) -> int:
    """Return a note that is a number: its own size."""
    return int(note)


class Facts(NamedTuple):
    """What a format reads off one message."""

    kind: Kind
    calls: tuple[Call, ...] = ()
    results: tuple[Result, ...] = ()
    thinking: object = 0  # the reasoning blocks that may be stripped, which `Rules.size_of` measures
    has_note: bool = False  # carries the note about left-out messages


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """
    What the policy and the wording say about single results, and how they are measured; sizes in quarter-tokens.

    Notes and contents are whatever the measures take: texts and blocks, or bare numbers.
    """

    small_result: int
    note: Any  # in place of a cleared result
    recall_note: Any  # in place of a cleared result whose tool must not be run twice
    input_note: Any  # in place of cleared arguments
    exclude_tools: frozenset[str]
    recall_tools: frozenset[str]
    strict_roles: bool = False  # roles must alternate
    input_tools: frozenset[str] | None  # None: the arguments of every cleared call go too
    size_of: Callable[[Any], int] = int  # of a content
    value_size: Callable[[Any], int] = int  # of a call's arguments, measured only where they may go
    note_size: Callable[[Any, str | None], int] = _bare  # of a note, in an object under this key or bare

    def clears_input_of(self, tool: str | None) -> bool:
        """Tell whether the arguments of a cleared call to ``tool`` go as well."""
        return self.input_tools is None or tool in self.input_tools

    def note_for(self, tool: str | None, key: str | None) -> int:
        """Return the size of the note in place of a result of ``tool``."""
        return self.note_size(self.recall_note if tool in self.recall_tools else self.note, key)


class _OpenCall(NamedTuple):
    message: int
    call: Call


@dataclass(slots=True)
class _Pairing:
    """Calls that wait for their results.  By position within a round: ids repeat in real histories."""

    waiting: dict[str | None, list[_OpenCall]]  # of the present round
    answered: dict[str | None, _OpenCall]  # of the present round, for a second result of one call
    late: dict[str | None, _OpenCall]  # of earlier rounds

    def next_round(self) -> None:
        """Calls left open stay answerable, by id, for histories that answer late."""
        for key, calls in self.waiting.items():
            self.late[key] = calls[-1]
        self.waiting = {}
        self.answered = {}

    def open(self, message: int, call: Call) -> None:
        self.waiting.setdefault(call.id or call.tool, []).append(_OpenCall(message, call))

    def answer(self, result: Result) -> tuple[_OpenCall | None, bool]:
        """Return the call that ``result`` answers, if any, and whether this is its first result."""
        for key in (result.id, result.tool):
            if key is not None and (calls := self.waiting.get(key)):
                found = calls.pop(0)
                if not calls:
                    del self.waiting[key]
                self.answered[key] = found
                return found, True
        key = result.id or result.tool
        if key in self.answered:
            return self.answered[key], False
        return self.late.pop(key, None), True


class Outline:
    """The columns; grows at its end.  Results are numbered in order of appearance."""

    __slots__ = (
        "_in_head_run", "_pairing", "_speaker", "call_ids", "call_message", "call_slot", "clearable", "first_user",
        "glue", "has_input", "has_note", "head_end", "kinds", "opener_ends", "points", "result_message",
        "result_quarters", "result_slot", "revision", "rules", "savings", "settled", "system_sums", "systems",
        "thinking", "thinking_sums", "tools", "totals", "turns",
    )  # fmt: skip

    def __init__(self, rules: Rules) -> None:
        self.rules = rules
        self.kinds = bytearray()
        self.totals = array("q", [0])  # quarter-tokens of the first n messages
        self.points = array("q")  # where a run of model messages begins
        self.turns = array("q")  # where the opener of a turn begins, the first turn's not included
        self.opener_ends = array("q")
        self.head_end = 0
        self.first_user = -1
        self._in_head_run = False
        self._speaker = -1  # the kind of the last message that is not a system message
        self.has_note = False
        self.systems = array("q")
        self.system_sums = array("q", [0])
        self.thinking = array("q")  # messages with reasoning that may be stripped
        self.thinking_sums = array("q", [0])
        self.result_message = array("q")
        self.result_slot = array("q")
        self.result_quarters = array("q")  # with the arguments that go along
        self.call_message = array("q")  # -1: the call is not in the history
        self.call_slot = array("q")
        self.has_input = bytearray()  # 1: clearing this result clears its call's arguments too
        self.call_ids: list[str | None] = []
        self.tools: list[str | None] = []
        self.savings = array("q", [0])  # what clearing the first n results frees
        self.clearable = array("q")  # numbers of the results that may be cleared
        self.glue: list[tuple[int, int]] = []  # no cut at a place in (first, last]
        self.settled = -1  # the newest message with a result that came in cleared
        self.revision = 0  # moves when what was known of earlier messages changes
        self._pairing = _Pairing({}, {}, {})

    def __len__(self) -> int:
        return len(self.kinds)

    # ------------------------------------------------------------------ growing

    def append(self, facts: Facts, quarters: int) -> None:
        """Take in the next message."""
        kind, calls, results, thinking, has_note = facts
        index = len(self.kinds)
        self.kinds.append(kind)
        self.totals.append(self.totals[-1] + quarters)
        if kind == Kind.MODEL:
            self._append_model(index, calls)
        elif kind == Kind.USER:
            self._append_user(index, has_note)
        elif kind == Kind.SYSTEM:
            self._append_system(index, quarters)
        for result in results:
            self._append_result(index, result)
        if thinking:
            self.thinking.append(index)
            self.thinking_sums.append(self.thinking_sums[-1] + self.rules.size_of(thinking))
        if kind != Kind.SYSTEM:
            self._speaker = kind
            self._in_head_run = self._in_head_run and kind == Kind.USER
        if self.first_user < 0:
            self._guess_head(index)

    def _append_system(self, index: int, quarters: int) -> None:
        self.systems.append(index)
        self.system_sums.append(self.system_sums[-1] + quarters)

    def _append_user(self, index: int, has_note: bool) -> None:
        if self.first_user < 0:
            self.first_user = index
            self._in_head_run = True
            self.revision += bool(self.points)  # the model spoke first: where the head ends was a guess
        elif self._speaker == Kind.MODEL or (self._in_head_run and self.has_note):
            self._open_turn(index)
        elif self.turns and self._only_systems(self.opener_ends[-1], index):
            self.opener_ends[-1] = index + 1
        if self._in_head_run:
            self.head_end = index + 1
            self.has_note = self.has_note or has_note

    def _open_turn(self, index: int) -> None:
        """
        Let a turn begin: after a model message, or in a view that comes back, after the note.

        Where roles must alternate, it begins with the round before: two user messages would be neighbours
        where that is left out.
        """
        with_round = self.rules.strict_roles and self.points
        self.turns.append(self.points[-1] if with_round else index)
        self.opener_ends.append(index + 1)
        self._in_head_run = False

    def _only_systems(self, start: int, stop: int) -> bool:
        return all(kind == Kind.SYSTEM for kind in self.kinds[start:stop])

    def _append_model(self, index: int, calls: tuple[Call, ...]) -> None:
        if self._speaker != Kind.MODEL:
            self.points.append(index)
            self._pairing.next_round()
        for call in calls:
            self._pairing.open(index, call)

    def _append_result(self, index: int, result: Result) -> None:
        number = len(self.result_message)
        found, is_first = self._pairing.answer(result)
        tool = result.tool if found is None else found.call.tool or result.tool
        if found is not None:
            self._hold_together(found.message, index)
        if result.is_note:
            self.settled = index
            self.revision += 1
        size = self.rules.size_of(result.content)
        saving, arguments = self._saving(result, size, found if is_first else None, tool)
        self.result_message.append(index)
        self.result_slot.append(result.slot)
        self.result_quarters.append(size + arguments)
        self.call_message.append(-1 if found is None else found.message)
        self.call_slot.append(-1 if found is None else found.call.slot)
        self.call_ids.append(result.id)
        self.tools.append(tool)
        self.has_input.append(arguments > 0)
        self.savings.append(self.savings[-1] + saving)
        if saving > 0:
            self.clearable.append(number)

    def _saving(self, result: Result, size: int, found: _OpenCall | None, tool: str | None) -> tuple[int, int]:
        """
        Return what clearing ``result`` frees, 0 if it may not be cleared, and the arguments that go along with it.

        A small result goes only along with large arguments.
        """
        rules = self.rules
        if not result.is_replaceable or tool in rules.exclude_tools:
            return 0, 0
        if result.id is None and tool in rules.recall_tools:
            return 0, 0  # nothing could bring it back
        arguments, of_input = self._clearable_input(found.call) if found and rules.clears_input_of(tool) else (0, 0)
        if size < rules.small_result and of_input < rules.small_result:
            return 0, 0
        saving = size - rules.note_for(tool, result.key) + of_input
        return (saving, arguments) if saving > 0 else (0, 0)

    def _clearable_input(self, call: Call) -> tuple[int, int]:
        """Return a call's arguments, and what clearing them frees; neither if the note would be larger."""
        arguments = self.rules.value_size(call.arguments) if call.arguments else 0
        saving = arguments - self.rules.note_size(self.rules.input_note, call.key)
        return (arguments, saving) if saving > 0 else (0, 0)

    def _hold_together(self, call_message: int, result_message: int) -> None:
        """Forbid what would separate a call from its result, where they are not neighbours."""
        if call_message < self.head_end <= result_message:
            self.head_end = result_message + 1
            self.revision += 1
        last_point = self.points[-1] if self.points else -1
        if self.turns and self.opener_ends[-1] > max(call_message, last_point):
            self.turns.pop()  # a user message between the two opens nothing; no point has seen it do so
            self.opener_ends.pop()
        if last_point > call_message:
            self.glue.append((call_message, result_message))
            self.revision += 1

    def _guess_head(self, index: int) -> None:
        """While no user has spoken, take the first round for the head."""
        if len(self.points) < 2:
            self.head_end = index + 1
        elif index == self.points[1]:
            self.head_end = index

    # ------------------------------------------------------------------ reading

    def may_cut(self, place: int) -> bool:
        """Tell whether no call before ``place`` has its result at or after it."""
        return not any(first < place <= last for first, last in self.glue)

    def results_before(self, message: int) -> int:
        """Return how many results stand before a message."""
        return bisect_left(self.result_message, message)

    def systems_between(self, start: int, stop: int) -> tuple[int, int]:
        """Return count and quarter-tokens of the system messages in ``[start, stop)``."""
        first, last = bisect_left(self.systems, start), bisect_left(self.systems, stop)
        return max(last - first, 0), self.system_sums[max(last, first)] - self.system_sums[first]

    def thinking_between(self, start: int, stop: int) -> int:
        """Return the quarter-tokens of strippable reasoning in ``[start, stop)``."""
        first, last = bisect_left(self.thinking, start), bisect_left(self.thinking, stop)
        return self.thinking_sums[max(last, first)] - self.thinking_sums[first]

    def fork(self, length: int) -> Self:
        """Return an empty outline under the same rules; the caller appends what it keeps."""
        return type(self)(self.rules)
