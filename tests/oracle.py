"""
The view rules once more, slowly: a second reading of the documentation for the library to agree with.

Nothing is shared with ``longturn.fitting`` and nothing is clever.  A history is a list of messages with
sizes; what a view leaves out is a set of message numbers, what it clears a set of result names.  Every
sum is added up from scratch at every point.  Sizes are in quarter-tokens.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple


class Call(NamedTuple):
    """A tool call in a numeric history."""

    tool: str = "read"
    arguments: int = 0


class Result(NamedTuple):
    """A tool result in a numeric history."""

    size: int
    call: tuple[int, int] | None = None  # message and place in it
    tool: str = "read"
    is_replaceable: bool = True
    is_note: bool = False  # came in cleared
    has_id: bool = True  # or nothing could bring it back


class Message(NamedTuple):
    """A message in a numeric history: ``size`` includes arguments, results and reasoning in it."""

    kind: str  # system, user, model, reply
    size: int
    calls: tuple[Call, ...] = ()
    results: tuple[Result, ...] = ()
    thinking: int = 0
    has_note: bool = False


class Rules(NamedTuple):
    """What a history is fitted by."""

    budget: int
    overhead: int = 0
    keep_window: int = 0
    batch: int = 4
    small_result: int = 0
    low_water: float = 0.5
    hold: bool = True
    note: int = 10  # about what is left out
    cleared: int = 5  # in place of a result
    recalled: int = 5  # in place of a result of a tool not to be run twice
    cleared_input: int = 3  # in place of arguments
    exclude_tools: tuple[str, ...] = ()
    recall_tools: tuple[str, ...] = ()
    input_tools: tuple[str, ...] = ()
    strict_roles: bool = False
    strips_thinking: bool = False
    note_is_message: bool = False


class View(NamedTuple):
    """What of a history is sent."""

    gone: frozenset[int] = frozenset()  # messages
    cleared: frozenset[tuple[int, int]] = frozenset()  # results: message and place in it
    bound: frozenset[int] = frozenset()  # messages whose reasoning an edit has cut off from what it was made after
    stage: str = "whole"


# ---------------------------------------------------------------------- the words


class History:
    """A list of messages, with the words of the documentation looked up in it once."""

    def __init__(self, messages: Sequence[Message], *, strict_roles: bool = False) -> None:
        self.messages = list(messages)
        self.strict_roles = strict_roles
        self.speakers = [i for i, message in enumerate(messages) if message.kind != "system"]
        self.pairs = [
            (result.call[0], i)
            for i, message in enumerate(messages)
            for result in message.results
            if result.call is not None
        ]
        self.points = self._request_points()
        self.head_run_end = self._head_run_end()
        self.head_end = self._head_end()
        self.turns = self._turns()
        self.head_has_note = any(m.has_note for m in self.messages[: self.head_run_end] if m.kind == "user")

    def _request_points(self) -> list[int]:
        """*Request point*: just before each run of model messages (and the end of the history)."""
        points, previous = [], None
        for i in self.speakers:
            if self.messages[i].kind == "model" and previous != "model":
                points.append(i)
            previous = self.messages[i].kind
        return points

    def replayed_points(self) -> list[int]:
        """
        Return the points a plan is walked by.

        A result that came in cleared was whole when the model read it: requests up to that one were made
        of another history.
        """
        notes = [i for i, message in enumerate(self.messages) if any(result.is_note for result in message.results)]
        if not notes:
            return self.points
        return [point for point in self.points if point > notes[-1]][1:]

    def _head_run_end(self) -> int:
        """
        *Head*: everything up to and including the first run of user messages.

        Where no user ever speaks, the first round stands in for it.  In a view that comes back the note ends
        the run: what follows it was the opener of a turn.
        """
        users = [i for i in self.speakers if self.messages[i].kind == "user"]
        if not users:
            return self.points[1] if len(self.points) > 1 else len(self.messages)
        end = users[0]
        for i in self.speakers:
            if i > users[0]:
                if self.messages[i].kind != "user" or self.messages[end].has_note:
                    break
                end = i
        return end + 1

    def _head_end(self) -> int:
        """Where the model spoke first: the results of its calls belong to the head as well ([V1])."""
        end = self.head_run_end
        while late := [result for call, result in self.pairs if call < end <= result]:
            end = max(late) + 1
        return end

    def _turns(self) -> list[tuple[int, int]]:
        """
        *Turn*: opens with a user message that follows a model message; *opener*: that run of user messages.

        Between a call and its result in one round a user message opens nothing.  Where roles must alternate a
        turn begins with the round before its opener, or two user messages would be neighbours.
        """
        found: list[tuple[int, int]] = []
        before, is_open = -1, False
        for i in self.speakers:
            kind, previous = self.messages[i].kind, self.messages[before].kind if before >= 0 else None
            follows_note = before == self.head_run_end - 1 and self.messages[before].has_note
            if kind == "user" and i >= self.head_run_end and (previous == "model" or follows_note):
                rounds = [point for point in self.points if point < i] if self.strict_roles else []
                found.append((max(rounds, default=i), i + 1))
                is_open = True
            elif kind == "user" and is_open:
                found[-1] = (found[-1][0], i + 1)
            else:
                is_open = False
            before = i
        opened = [(first, end) for first, end in found if end > self.head_end and not self._waits(end)]
        return [(max(first, self.head_end), end) for first, end in opened]

    def _waits(self, end: int) -> bool:
        """Tell whether a result of the same round comes after an opener, its call before."""
        round_end = min((point for point in self.points if point >= end), default=len(self.messages))
        return any(call < end <= result < round_end for call, result in self.pairs)

    def newest_turn(self, place: int) -> tuple[int, range]:
        """Return where the newest turn's own messages begin, and its opener: the first turn's is in the head."""
        before = [(first, last) for first, last in self.turns if first < place]
        return (before[-1][0], range(*before[-1])) if before else (self.head_end, range(0))

    def rest(self, start: int, opener: range) -> frozenset[int]:
        """Return what is neither head nor opener nor from ``start`` on."""
        between = range(self.head_end, start)
        return frozenset(i for i in between if i not in opener and self.messages[i].kind != "system")

    def may_cut(self, place: int) -> bool:
        """No call before ``place`` may have its result at or after it ([V1])."""
        return not any(call < place <= result for call, result in self.pairs)


# ---------------------------------------------------------------------- what a view weighs


def results_of(history: History, place: int, view: View) -> list[tuple[int, int]]:
    """Return the visible results of the first ``place`` messages, oldest first."""
    return [(i, k) for i in range(place) if i not in view.gone for k in range(len(history.messages[i].results))]


def shows_note(history: History, view: View, rules: Rules) -> bool:
    """[C4]: none when nothing is left out or what is left out is smaller, never twice."""
    left_out = sum(history.messages[i].size for i in view.gone)
    return bool(view.gone) and left_out > rules.note and not history.head_has_note


def arguments_of(history: History, result: Result, rules: Rules) -> int:
    """Return the arguments that are cleared along with ``result``: those larger than what would stand there."""
    if result.call is None or result.tool not in rules.input_tools:
        return 0
    message, place = result.call
    arguments = history.messages[message].calls[place].arguments
    return arguments if arguments > rules.cleared_input else 0


def whole_size(history: History, result: Result, rules: Rules) -> int:
    """Return what a result weighs with the arguments that go when it does."""
    if not is_clearable(history, result, rules):
        return result.size
    return result.size + arguments_of(history, result, rules)


def cleared_size(history: History, result: Result, rules: Rules) -> int:
    """Return what stands in its place."""
    note = rules.recalled if result.tool in rules.recall_tools else rules.cleared
    return note + rules.cleared_input * bool(arguments_of(history, result, rules))


def is_clearable(history: History, result: Result, rules: Rules) -> bool:
    """Not small, not excluded, replaceable by text, and larger than what would stand there."""
    if not result.is_replaceable or result.is_note or result.tool in rules.exclude_tools:
        return False
    if not result.has_id and result.tool in rules.recall_tools:
        return False
    arguments = arguments_of(history, result, rules)
    is_small = result.size < rules.small_result and max(arguments - rules.cleared_input, 0) < rules.small_result
    return not is_small and result.size + arguments > cleared_size(history, result, rules)


def size_without_note(history: History, place: int, view: View, rules: Rules) -> int:
    size = rules.overhead
    for i in range(place):
        if i in view.gone:
            continue
        message = history.messages[i]
        size += message.size
        if rules.strips_thinking and i in view.bound:
            size -= message.thinking
        for k, result in enumerate(message.results):
            if (i, k) in view.cleared:
                size -= whole_size(history, result, rules) - cleared_size(history, result, rules)
    return size


def size_of(history: History, place: int, view: View, rules: Rules) -> int:
    return size_without_note(history, place, view, rules) + rules.note * shows_note(history, view, rules)


def size_with_note(history: History, place: int, view: View, rules: Rules) -> int:
    """*Fixed* includes the note: what is weighed against the low-water mark counts it always."""
    return size_without_note(history, place, view, rules) + rules.note * (not history.head_has_note)


def bind(history: History, place: int, view: View, rules: Rules) -> View:
    """[V7]: note the blocks made before an edit, that is before ``place``, that lie after the first one visible."""
    edits = [i for i, _ in view.cleared if i not in view.gone]
    for i, k in view.cleared:
        result = history.messages[i].results[k]
        if i not in view.gone and result.call is not None and arguments_of(history, result, rules):
            edits.append(result.call[0])
    if view.gone:
        changes_head = shows_note(history, view, rules) and not rules.note_is_message
        edits.append(history.head_end - changes_head)
    after = range(min(edits, default=place) + 1, place)
    return view._replace(bound=frozenset(i for i in after if i not in view.gone and history.messages[i].thinking))


# ---------------------------------------------------------------------- the three stages


def keep_window(history: History, place: int, view: View, rules: Rules) -> set[tuple[int, int]]:
    """[C1]: the newest results that fit together in their share; the newest and all unread ones always."""
    visible = results_of(history, place, view)
    last_model = max((i for i in range(place) if history.messages[i].kind == "model"), default=-1)
    kept, used, is_full = set(), 0, False
    for i, k in reversed(visible):
        weigh = cleared_size if (i, k) in view.cleared else whole_size
        used += weigh(history, history.messages[i].results[k], rules)
        is_full = is_full or used > rules.keep_window
        if not is_full or (i, k) == visible[-1] or i > last_model:
            kept.add((i, k))
    return kept


def candidates(history: History, place: int, view: View, rules: Rules) -> list[tuple[int, int]]:
    """[C1]: which results may be cleared, oldest first."""
    kept = keep_window(history, place, view, rules)
    return [
        (i, k)
        for i, k in results_of(history, place, view)
        if (i, k) not in kept
        and (i, k) not in view.cleared
        and is_clearable(history, history.messages[i].results[k], rules)
    ]


def clear(history: History, place: int, view: View, rules: Rules, names: list[tuple[int, int]]) -> View:
    if not names:
        return view
    stage = "cleared" if view.stage == "whole" else view.stage
    return bind(history, place, view._replace(cleared=view.cleared.union(names), stage=stage), rules)


def keep_from(history: History, place: int, view: View, rules: Rules, start: int, *, stage: str) -> View:
    """Return the view of what is fixed and everything from ``start``."""
    turn_start, opener = history.newest_turn(place)
    gone = history.rest(start, opener if turn_start < start else range(0))
    return bind(history, place, view._replace(gone=gone, stage=stage), rules)


def turn_views(history: History, place: int, view: View, rules: Rules) -> list[View]:
    """[T1]: the views of whole turns, the largest first."""
    starts = [(first, "turns") for first, _ in history.turns if first < place]
    return moved_views(history, place, view, rules, starts)


def round_views(history: History, place: int, view: View, rules: Rules) -> list[View]:
    """[R1]: the views of whole rounds of the newest turn, the largest first: that of the turn itself."""
    turn_start, opener = history.newest_turn(place)
    points = [point for point in history.points if max(turn_start, opener.stop) <= point < place]
    starts = [(turn_start, "turns")] + [(point, "rounds") for point in points[1:]]
    return moved_views(history, place, view, rules, starts)


def moved_views(history: History, place: int, view: View, rules: Rules, starts: list[tuple[int, str]]) -> list[View]:
    """Cuts never move back, and where nothing more is left out none is made."""
    reached = max(view.gone, default=-1) + 1
    views = [
        keep_from(history, place, view, rules, start, stage=stage)
        for start, stage in starts
        if reached <= start and history.may_cut(start)
    ]
    return [moved for moved in views if moved.gone != view.gone]


def smallest(history: History, place: int, view: View, rules: Rules) -> View:
    """Fixed and the newest round, with everything cleared that may be."""
    view = clear(history, place, view, rules, candidates(history, place, view, rules))
    views = round_views(history, place, view, rules)
    return views[-1] if views else view


def fixed_size(history: History, place: int, view: View, rules: Rules) -> int:
    """*Fixed*: what every view holds."""
    _, opener = history.newest_turn(place)
    fixed_only = bind(history, place, view._replace(gone=history.rest(place, opener)), rules)
    return size_with_note(history, place, fixed_only, rules)


def low_water_mark(fixed: int, rules: Rules) -> int:
    """[H2]: fixed, and a share of what is then free."""
    return fixed + int((rules.low_water if rules.hold else 1) * (rules.budget - fixed))


def is_enough(history: History, place: int, view: View, rules: Rules, limit: int, mark: int, fixed: int) -> bool:
    """
    [H2] for clearing: beside the keep window, three fifths of the room below the mark, once notes pile up.

    Otherwise it would free less and less, until the cut moves at every other call.
    """
    kept = [(i, k) for i, k in keep_window(history, place, view, rules) if (i, k) not in view.cleared]
    whole = sum(whole_size(history, history.messages[i].results[k], rules) for i, k in kept)
    notes = sum(i not in view.gone for i, _ in view.cleared)
    size = size_of(history, place, view, rules)
    is_held = mark < limit and notes >= 32
    return size <= limit and (not is_held or size - whole <= fixed + 3 * (mark - fixed) // 5)


def step(history: History, place: int, view: View, rules: Rules) -> View:
    """The three stages at one request point."""
    if size_of(history, place, view, rules) <= rules.budget:
        return view
    least = smallest(history, place, view, rules)
    is_too_small = size_of(history, place, least, rules) > rules.budget  # [F3]
    limit = size_with_note(history, place, least, rules) + rules.keep_window if is_too_small else rules.budget
    if size_of(history, place, view, rules) <= limit:
        return view

    fixed = fixed_size(history, place, view, rules)
    mark = limit if is_too_small else low_water_mark(fixed, rules)
    names = candidates(history, place, view, rules)
    multiple = len(names) - len(names) % rules.batch
    cleared = view
    for count in sorted({multiple, len(names)} - {0}):  # [C2]: only if that was not enough the rest go too
        cleared = clear(history, place, view, rules, names[:count])
        if is_enough(history, place, cleared, rules, limit, mark, fixed):
            return cleared

    def largest_within(views: list[View]) -> View:
        """Older ones as long as they stay at or below the mark; the newest always."""
        return next((v for v in views if size_with_note(history, place, v, rules) <= mark), views[-1])

    by_turns = turn_views(history, place, cleared, rules)
    if by_turns and size_of(history, place, by_turns[-1], rules) <= limit:
        return largest_within(by_turns)
    by_rounds = round_views(history, place, cleared, rules)
    return largest_within(by_rounds) if by_rounds else cleared


def fit(history: History, rules: Rules) -> View:
    """[H1]: walk the request points from the start; [H3]: or apply the stages once, at the end."""
    view = View()
    for place in history.replayed_points() if rules.hold else []:
        view = step(history, place, view, rules)
    return step(history, len(history.messages), view, rules)
