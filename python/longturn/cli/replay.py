"""
A run once more, call by call: what each request would have been, without and with fitting.

A provider keeps the longest beginning that a request shares with the one before and bills it at the
price of a cache read; the rest is written to the cache.  Beginnings are compared message by message.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import accumulate, pairwise
from typing import Any, Final, NamedTuple

from longturn.cli.records import USUAL_PRICES, Move, Parts, Prices, Replay, Request, Sent, ToolTotal, summed
from longturn.fitted import Fitted
from longturn.fitting.outline import Facts, Kind, Outline, Rules
from longturn.fitting.view import Stage
from longturn.formats.base import Format
from longturn.formats.detect import UNDECIDED, detected, format_named
from longturn.rendering import Cleared
from longturn.tokens.measure import SCRIPT, Measure
from longturn.tokens.profiles import SCRIPT as SCRIPT_NAME
from longturn.tokens.walker import whole_tokens
from longturn.window import Window

Progress = Callable[[int, int], None]
"""Is told how many messages of how many are done."""
Watch = Callable[[Sequence[Any], int], None]
"""Is handed the messages of each fitted request, and how many of the history's it was made of."""


def replay(
    history: Sequence[Any],
    window: Window,
    *,
    name: str = "run",
    shape: str = "auto",
    system: Any = None,
    tools: Any = None,
    prices: Prices = USUAL_PRICES,
    reported: Mapping[int, int] | None = None,
    measure: Measure = SCRIPT,
    profile: str = SCRIPT_NAME,
    model: str = "",
    progress: Progress | None = None,
    watch: Watch | None = None,
) -> Replay:
    """
    Send a history's requests once more, in order, and return what came of it.

    ``measure`` is what the window measures by, ``profile`` its name, and ``model`` whose it is where the record names
    that.  ``reported`` has the input tokens that the provider counted,
    by the index of the message it answered with.

    Raises:
        FormatError: the history's format can't be told; names the message.
    """
    history = list(history)
    found = format_of(history, shape)

    def fit(messages: int) -> Fitted:
        return window.fit(history[:messages], system=system, tools=tools)

    ledger = _Ledger(history, _Meter(found, measure), window, prices, overhead=measure.overhead(system, tools))
    requests = []
    for number, point in enumerate(request_points(history, found), 1):
        fitted = fit(point)
        requests.append(ledger.enter(number, point, fitted, reported=(reported or {}).get(point)))
        if watch is not None:
            watch(fitted.messages, point)
        if progress is not None:
            progress(point, len(history))
    return Replay(
        name=name,
        format=found.name,
        budget=window.policy.budget,
        profile=profile,
        model=model,
        prices=prices,
        messages=len(history),
        requests=tuple(requests),
        fit=fit,
    )


def format_of(history: Sequence[Any], shape: str) -> Format:
    """
    Return the format of a history, by its name or by its messages.

    Raises:
        FormatError: it can't be told; names the message.
    """
    return format_named(shape) or detected(history) or UNDECIDED


def request_points(history: Sequence[Any], shape: Format) -> Iterator[int]:
    """Yield how many messages each request had: all before each run of model messages, and in the end all."""
    previous = None
    for index, message in enumerate(history):
        kind = shape.read(message).kind
        if kind is Kind.MODEL and previous is not Kind.MODEL and index:
            yield index
        previous = kind
    yield len(history)


def shared(before: Sequence[Any], after: Sequence[Any]) -> int:
    """Return how many messages two requests begin with in common."""
    if after[: len(before)] == before:  # nearly always, and lists compare their items' identity first
        return len(before)
    for index, (old, new) in enumerate(zip(before, after, strict=False)):
        if old is not new and old != new:
            return index
    return min(len(before), len(after))


# ---------------------------------------------------------------------- what each request is made of


class _Sizes(NamedTuple):
    """Quarter-tokens of a message, or of all up to one."""

    whole: int = 0
    notes: int = 0  # in place of cleared results
    results: int = 0
    system: int = 0  # of messages that are in the head wherever they stand

    def plus(self, other: _Sizes) -> _Sizes:
        return _Sizes(*map(int.__add__, self, other))

    def minus(self, other: _Sizes) -> _Sizes:
        return _Sizes(*map(int.__sub__, self, other))


class _Meter:
    """Reads messages, each once."""

    def __init__(self, shape: Format, measure: Measure) -> None:
        self._shape = shape
        self._measure = measure
        self._known: Final[dict[int, tuple[Any, Facts, _Sizes]]] = {}  # holding a message keeps its id its own

    def facts(self, message: Any) -> Facts:
        return self._read(message)[1]

    def sizes(self, message: Any) -> _Sizes:
        return self._read(message)[2]

    def count_as_note(self, message: Any, quarters: int) -> None:
        """Let so much of a message be the note about left-out messages."""
        _, facts, sizes = self._read(message)
        self._known[id(message)] = (message, facts, sizes._replace(notes=quarters))

    def _read(self, message: Any) -> tuple[Any, Facts, _Sizes]:
        found = self._known.get(id(message))
        if found is None:
            facts, whole = self._shape.read(message), self._measure.message(message)
            measured = [(result.is_note, self._measure.content(result.content)) for result in facts.results]
            notes = sum(size for is_note, size in measured if is_note)
            results = sum(size for is_note, size in measured if not is_note)
            sizes = _Sizes(whole, notes, results, whole if facts.kind == Kind.SYSTEM else 0)
            found = self._known[id(message)] = (message, facts, sizes)
        return found


class _Side:
    """
    The requests of one side so far.

    Remembers the messages of the last one, and their running sizes: the next one mostly extends it.
    """

    def __init__(self, meter: _Meter, prices: Prices, overhead: int) -> None:
        self._meter = meter
        self._prices = prices
        self._overhead = overhead
        self._messages: Sequence[Any] = ()
        self._sums = [_Sizes()]
        self._cost = 0.0

    def send(self, messages: Sequence[Any], head_end: int, *, fits: bool) -> Sent:
        """Take in the next request."""
        known, common = len(self._messages), shared(self._messages, messages)
        reused = whole_tokens(self._overhead + self._sums[common].whole) if known else 0
        parts = self._take_in(messages, common, head_end)
        cost = self._prices.read * reused + self._prices.write * (parts.total - reused)
        self._cost += cost
        return Sent(
            tokens=parts.total,
            reused=reused,
            cost=cost,
            cost_so_far=self._cost,
            fits=fits,
            breaks_prefix=common < known,
            parts=parts,
        )

    def _take_in(self, messages: Sequence[Any], common: int, head_end: int) -> Parts:
        del self._sums[common + 1 :]
        for message in messages[common:]:
            self._sums.append(self._sums[-1].plus(self._meter.sizes(message)))
        self._messages = messages
        return self._parts(self._sums[-1], self._sums[head_end])

    def _parts(self, everything: _Sizes, head: _Sizes) -> Parts:
        unread = everything.minus(self._sums[self._spoken_until()]).results
        in_head = head.whole - head.notes - head.results + everything.minus(head).system
        talk = everything.whole - everything.notes - everything.results - in_head
        return _rounded((self._overhead, in_head, everything.notes, talk, everything.results - unread, unread))

    def _spoken_until(self) -> int:
        """Return how many messages there are up to the model's last one."""
        lengths = range(len(self._messages), 0, -1)
        spoken = (n for n in lengths if self._meter.facts(self._messages[n - 1]).kind == Kind.MODEL)
        return next(spoken, 0)


def _rounded(quarters: Sequence[int]) -> Parts:
    """Return parts in tokens: rounded where they meet, so that their sum is what the whole rounds to."""
    edges = [whole_tokens(edge) for edge in accumulate(quarters, initial=0)]
    overhead, head, notes, talk, results, unread = (after - before for before, after in pairwise(edges))
    return Parts(overhead=overhead, head=head, notes=notes, talk=talk, results=results, unread=unread)


# ---------------------------------------------------------------------- what changes from request to request


class _Ledger:
    """Both sides of a run so far, and what fitting took out."""

    def __init__(self, history: Sequence[Any], meter: _Meter, window: Window, prices: Prices, overhead: int) -> None:
        self._history = history
        self._meter: Final = meter
        self._outline: Final = Outline(_rules(strict_roles=window.policy.strict_roles))
        self._without: Final = _Side(self._meter, prices, overhead)
        self._fitted: Final = _Side(self._meter, prices, overhead)
        self._last: Fitted | None = None
        self._ever_cleared: Counter[Cleared] = Counter()

    def enter(self, number: int, point: int, fitted: Fitted, *, reported: int | None) -> Request:
        """Take in the next request."""
        self._read_until(point)
        head_end = min(self._outline.head_end, point)
        if fitted.dropped:
            self._find_note(fitted.messages, head_end)
        move = self._move(fitted)
        self._last = fitted
        whole_fits = fitted.tokens_before <= fitted.budget
        return Request(
            number=number,
            messages=point,
            stage=fitted.stage,
            without=self._without.send(self._history[:point], head_end, fits=whole_fits),
            fitted=self._fitted.send(fitted.messages, head_end, fits=fitted.fits),
            cleared=len(fitted.cleared),
            dropped=fitted.dropped,
            move=move,
            reported=reported,
        )

    def _read_until(self, point: int) -> None:
        for message in self._history[len(self._outline) : point]:
            self._outline.append(self._meter.facts(message), self._meter.sizes(message).whole)

    def _find_note(self, sent: Sequence[Any], head_end: int) -> None:
        """Tell the meter which message holds the note: one of its own after the head, or the head's last one."""
        last, own = sent[head_end - 1], self._history[head_end - 1]
        if last is not own and self._meter.facts(last).has_note:
            self._meter.count_as_note(last, self._meter.sizes(last).whole - self._meter.sizes(own).whole)
        elif head_end < len(sent) and self._meter.facts(sent[head_end]).has_note:
            self._meter.count_as_note(sent[head_end], self._meter.sizes(sent[head_end]).whole)

    def _move(self, fitted: Fitted) -> Move | None:
        """Return what this request leaves out that the one before did not."""
        before = self._last
        cleared = self._newly_cleared(fitted)
        dropped = max(fitted.dropped - (before.dropped if before else 0), 0)
        if not cleared and not dropped:
            return None
        grown = fitted.tokens_before - (before.tokens_before if before else 0)
        return Move(
            stages=(Stage.CLEARED,) * bool(cleared) + (fitted.stage,) * bool(dropped),
            tokens_unmoved=grown + (before.tokens if before else 0),
            budget=fitted.budget,
            cleared=cleared,
            dropped=dropped,
        )

    def _newly_cleared(self, fitted: Fitted) -> tuple[ToolTotal, ...]:
        if self._last is not None and fitted.cleared is self._last.cleared:
            return ()
        cleared = Counter(fitted.cleared)
        new = cleared - self._ever_cleared
        self._ever_cleared |= cleared
        return summed(
            ToolTotal(tool=item.tool or "(unnamed)", results=times, tokens=times * item.tokens)
            for item, times in new.items()
        )


def _rules(*, strict_roles: bool) -> Rules:
    """Return rules for an outline that is asked for the head alone."""
    nothing = frozenset[str]()
    return Rules(
        small_result=0,
        note=0,
        recall_note=0,
        input_note=0,
        exclude_tools=nothing,
        recall_tools=nothing,
        strict_roles=strict_roles,
        input_tools=nothing,
        size_of=lambda content: 0,
    )
