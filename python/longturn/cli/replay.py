"""
A run once more, call by call: what each request would have been, without and with fitting.

A provider keeps the longest beginning that a request shares with the one before and bills it at the
price of a cache read; the rest is written to the cache.  Beginnings are compared message by message.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from longturn.fitting.outline import Kind
from longturn.fitting.view import Stage
from longturn.formats.detect import UNDECIDED, detected, format_named
from longturn.tokens.walker import walker, whole_tokens

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from longturn.fitted import Fitted
    from longturn.formats.base import Format
    from longturn.rendering import Cleared
    from longturn.window import Window

READ_PRICE, WRITE_PRICE = 0.1, 1.25
"""What a cached and a fresh token cost, in prices of an input token (Anthropic docs, prompt caching)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Prices:
    """In prices of an input token."""

    read: float = READ_PRICE
    write: float = WRITE_PRICE


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    """All requests of a run, without or with fitting.  Sizes in estimated tokens."""

    tokens_sent: int
    tokens_cached: int
    largest: int
    largest_request: int  # its number, from one
    over_budget: int  # requests
    prefix_breaks: int  # requests that do not extend the one before
    cost: float  # in input tokens

    @property
    def cache_share(self) -> float:
        """The share of what was sent that the cache held."""
        return self.tokens_cached / self.tokens_sent if self.tokens_sent else 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class StageCount:
    """How often a stage was needed."""

    stage: str
    cuts: int  # times it took something more out
    requests: int  # that show it as their deepest


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolTotal:
    """What was cleared of one tool's results."""

    tool: str
    results: int
    tokens: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """What a replay found."""

    format: str
    budget: int
    messages: int
    requests: int
    stages: tuple[StageCount, ...]
    without: Side
    fitted: Side
    cleared: tuple[ToolTotal, ...]  # most tokens first; a result counts once
    most_dropped: int  # messages left out of one request

    @property
    def cost_ratio(self) -> float:
        """What the run costs with fitting, as a share of what it costs without."""
        return self.fitted.cost / self.without.cost if self.without.cost else 1.0


def replay(
    history: Sequence[Any],
    window: Window,
    *,
    shape: str = "auto",
    system: Any = None,
    tools: Any = None,
    prices: Prices = Prices(),
) -> Report:
    """
    Send a history's requests once more, in order, and report what came of it.

    Raises:
        FormatError: the history's format can't be told; names the message.
    """
    found = format_named(shape) or detected(history) or UNDECIDED
    meter = _Meter(_overhead(system, tools))
    whole, sent, changes = _Tally(meter, prices), _Tally(meter, prices), _Changes()
    for point in request_points(history, found):
        fitted = window.fit(history[:point], system=system, tools=tools)
        whole.add(history[:point], fitted.tokens_before, fits=fitted.tokens_before <= fitted.budget)
        sent.add(fitted.messages, fitted.tokens, fits=fitted.fits)
        changes.add(fitted)
    return Report(
        format=found.name,
        budget=window.policy.budget,
        messages=len(history),
        requests=whole.requests,
        stages=changes.stages(),
        without=whole.side(),
        fitted=sent.side(),
        cleared=changes.by_tool(),
        most_dropped=changes.most_dropped,
    )


def request_points(history: Sequence[Any], shape: Format) -> Iterator[int]:
    """Yield how many messages each request had: all before each run of model messages, and in the end all."""
    previous = None
    for index, message in enumerate(history):
        kind = shape.read(message).kind
        if kind is Kind.MODEL and previous is not Kind.MODEL and index:
            yield index
        previous = kind
    yield len(history)


def _overhead(system: Any, tools: Any) -> int:
    """Return the quarter-tokens in front of the messages."""
    return int(walker.content(system)) + (int(walker.json(tools)) if tools else 0)


class _Changes:
    """What fitting took out so far."""

    def __init__(self) -> None:
        self._requests: Final[Counter[Stage]] = Counter()
        self._cuts: Final[Counter[Stage]] = Counter()
        self._cleared: Counter[Cleared] = Counter()
        self._previous: Fitted | None = None
        self.most_dropped = 0

    def add(self, fitted: Fitted) -> None:
        """Take in the next request."""
        self._requests[fitted.stage] += 1
        self._cuts.update(_cuts(self._previous, fitted))
        self._cleared |= Counter(fitted.cleared)
        self._previous = fitted
        self.most_dropped = max(self.most_dropped, fitted.dropped)

    def stages(self) -> tuple[StageCount, ...]:
        """Return the counts, shallowest stage first."""
        return tuple(
            StageCount(stage=stage.value, cuts=self._cuts[stage], requests=self._requests[stage]) for stage in Stage
        )

    def by_tool(self) -> tuple[ToolTotal, ...]:
        """Return what was cleared; a result counts once, however many requests show it cleared."""
        results: Counter[str] = Counter()
        tokens: Counter[str] = Counter()
        for item, times in self._cleared.items():
            name = item.tool or "(unnamed)"
            results[name] += times
            tokens[name] += times * item.tokens
        return tuple(ToolTotal(tool=name, results=results[name], tokens=total) for name, total in tokens.most_common())


def _cuts(before: Fitted | None, fitted: Fitted) -> Iterator[Stage]:
    """Yield the stages that took more out of this request than out of the one before."""
    if Counter(fitted.cleared) - Counter(before.cleared if before else ()):
        yield Stage.CLEARED
    if fitted.dropped > (before.dropped if before else 0):
        yield fitted.stage


class _Meter:
    """Quarter-tokens of messages, each counted once."""

    def __init__(self, overhead: int) -> None:
        self.overhead: Final = overhead
        self._known: Final[dict[int, tuple[Any, int]]] = {}  # holding the message keeps its id from being reused

    def of(self, message: Any) -> int:
        found = self._known.get(id(message))
        if found is None:
            found = self._known[id(message)] = (message, int(walker.message(message)))
        return found[1]


class _Tally:
    """The requests of one side so far."""

    def __init__(self, meter: _Meter, prices: Prices) -> None:
        self._meter = meter
        self._prices = prices
        self._previous: Sequence[Any] = ()
        self._previous_tokens = 0
        self.requests = 0
        self._sent = self._cached = self._breaks = self._over = 0
        self._largest, self._largest_request = 0, 0

    def add(self, messages: Sequence[Any], tokens: int, *, fits: bool) -> None:
        """Take in the next request."""
        self._cached += self._shared_tokens(messages)
        self.requests += 1
        self._sent += tokens
        self._over += not fits
        if tokens > self._largest:
            self._largest, self._largest_request = tokens, self.requests
        self._previous, self._previous_tokens = messages, tokens

    def _shared_tokens(self, messages: Sequence[Any]) -> int:
        """Return the tokens of the beginning shared with the request before."""
        if not self.requests:
            return 0
        length = shared(self._previous, messages)
        if length == len(self._previous):
            return self._previous_tokens
        self._breaks += 1
        meter = self._meter
        return whole_tokens(meter.overhead + sum(meter.of(message) for message in messages[:length]))

    def side(self) -> Side:
        """Return the sums."""
        fresh = self._sent - self._cached
        return Side(
            tokens_sent=self._sent,
            tokens_cached=self._cached,
            largest=self._largest,
            largest_request=self._largest_request,
            over_budget=self._over,
            prefix_breaks=self._breaks,
            cost=self._prices.read * self._cached + self._prices.write * fresh,
        )


def shared(before: Sequence[Any], after: Sequence[Any]) -> int:
    """Return how many messages two requests begin with in common."""
    if after[: len(before)] == before:  # nearly always, and lists compare their items' identity first
        return len(before)
    for index, (old, new) in enumerate(zip(before, after, strict=False)):
        if old is not new and old != new:
            return index
    return min(len(before), len(after))
