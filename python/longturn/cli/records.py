"""
What a replay finds: one frozen record per request, and what a run sums up to.

The one home of these facts: text, JSON and drawings are made from them and count nothing themselves.
Sizes are estimated tokens, costs are in input tokens.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final

from longturn.fitting.view import Stage
from longturn.tokens.profiles import SCRIPT

if TYPE_CHECKING:
    from longturn.fitted import Fitted

READ_PRICE, WRITE_PRICE = 0.1, 1.25
"""What a cached and a fresh token cost, in prices of an input token (Anthropic docs, prompt caching)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Prices:
    """In prices of an input token."""

    read: float = READ_PRICE
    write: float = WRITE_PRICE


USUAL_PRICES: Final = Prices()

_TELLING_TOKENS: Final = 1_000
"""Growth by less tells more of the frames around messages than of the text in them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    """
    What a request is made of, in the order to stack it in: the parts that never move first.

    They add up to the request's tokens exactly.
    """

    overhead: int = 0
    """System prompt and tool definitions."""
    head: int = 0
    """System messages wherever they stand, and everything up to the first user messages."""
    notes: int = 0
    """Notes that stand in place of cleared results, and the one about what is left out."""
    talk: int = 0
    """What model and user say, calls with their arguments, and the frames around results."""
    results: int = 0
    """Results that are sent whole, and that the model has read before."""
    unread: int = 0
    """Results that the model has not read yet."""

    @property
    def kept(self) -> int:
        """What is sent as it was, beyond head and unread results."""
        return self.talk + self.results

    @property
    def total(self) -> int:
        """The whole request."""
        return self.overhead + self.head + self.notes + self.talk + self.results + self.unread


@dataclass(frozen=True, slots=True, kw_only=True)
class Sent:
    """One request on one side, without or with fitting."""

    tokens: int
    reused: int
    """Tokens of the beginning that it shares with the request before: what a cache holds."""
    cost: float
    """Of this request."""
    cost_so_far: float
    """Of the run up to and including this request."""
    fits: bool
    """Whether it is within the budget."""
    breaks_prefix: bool
    """Whether it is other than the request before with something added."""
    parts: Parts

    @property
    def reused_share(self) -> float:
        """The share of it that a cache holds."""
        return self.reused / self.tokens if self.tokens else 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolTotal:
    """Results of one tool."""

    tool: str
    results: int
    tokens: int
    """What they weigh in the saved history."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Move:
    """A cut that moved, and what for."""

    stages: tuple[Stage, ...]
    """Which stages took something more out."""
    tokens_unmoved: int
    """What the request would have weighed had the cut stayed where it was."""
    budget: int
    cleared: tuple[ToolTotal, ...] = ()
    """The results newly cleared, by tool, most tokens first."""
    dropped: int = 0
    """How many messages more are left out."""

    @property
    def why(self) -> str:
        """A sentence."""
        over = self.tokens_unmoved - self.budget
        reason = f"{over:,} over the budget" if over > 0 else "by the rules applied afresh"
        return f"it would have been {self.tokens_unmoved:,} tokens, {reason}: {' and '.join(self._done())}"

    def _done(self) -> Iterable[str]:
        if self.cleared:
            yield counted(sum(total.results for total in self.cleared), "result") + " cleared"
        if self.dropped:
            yield counted(self.dropped, "message") + " left out"


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """One call to the model: its request without fitting and with it."""

    number: int
    """From one."""
    messages: int
    """How many messages of the history it comes after."""
    stage: Stage
    """The deepest stage visible in the fitted request."""
    without: Sent
    fitted: Sent
    cleared: int
    """How many results it shows as cleared."""
    dropped: int
    """How many messages it leaves out."""
    move: Move | None = None
    """The cut that moved at this request; None where it held still."""
    reported: int | None = None
    """Input tokens that the provider counted for the recorded request, where the record has them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    """All requests of a run, on one side."""

    tokens_sent: int
    tokens_cached: int
    largest: int
    largest_request: int
    """Its number, from one."""
    over_budget: int
    """Requests."""
    prefix_breaks: int
    """Requests that do not extend the one before."""
    cost: float

    @property
    def cache_share(self) -> float:
        """The share of what was sent that the cache held."""
        return self.tokens_cached / self.tokens_sent if self.tokens_sent else 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class StageCount:
    """How often a stage was needed."""

    stage: Stage
    cuts: int
    """Times it took something more out."""
    requests: int
    """That show it as their deepest."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Replay:
    """One run, request by request."""

    name: str
    """Where it comes from, for people."""
    format: str
    budget: int
    profile: str = SCRIPT
    """What sizes are measured by."""
    model: str = ""
    """The model whose profile that is, where the session names it."""
    prices: Prices
    messages: int
    """Of the history."""
    requests: tuple[Request, ...]
    fit: Callable[[int], Fitted] = field(repr=False, compare=False)
    """Returns what was sent once the history had so many messages."""

    def sent_at(self, number: int) -> list[Any]:
        """
        Return the messages of the fitted request with this number, made anew.

        Raises:
            IndexError: there is no such request.
        """
        if not 1 <= number <= len(self.requests):
            raise IndexError(f"the run has the requests 1 to {len(self.requests)} (got {number})")
        return self.fit(self.requests[number - 1].messages).messages

    @property
    def measured(self) -> str:
        """What sizes are, in words."""
        if self.profile == SCRIPT:
            return "estimates"
        told = f" (the session names {self.model})" if self.model else ""
        return f"estimates, measured as {self.profile}{told}"

    @property
    def moves(self) -> tuple[Request, ...]:
        """The requests at which the cut moved."""
        return tuple(request for request in self.requests if request.move)

    @property
    def without(self) -> Side:
        """The run as it was."""
        return _side([request.without for request in self.requests])

    @property
    def fitted(self) -> Side:
        """The run as it would have been."""
        return _side([request.fitted for request in self.requests])

    @property
    def cost_ratio(self) -> float:
        """What the run costs with fitting, as a share of what it costs without."""
        return self.fitted.cost / self.without.cost if self.without.cost else 1.0

    @property
    def stages(self) -> tuple[StageCount, ...]:
        """How often each stage was needed, the shallowest first."""
        shown = Counter(request.stage for request in self.requests)
        cuts = Counter(stage for request in self.requests if request.move for stage in request.move.stages)
        return tuple(StageCount(stage=stage, cuts=cuts[stage], requests=shown[stage]) for stage in Stage)

    @property
    def cleared(self) -> tuple[ToolTotal, ...]:
        """What was cleared, by tool, most tokens first; a result counts once."""
        return summed(total for request in self.requests if request.move for total in request.move.cleared)

    @property
    def most_dropped(self) -> int:
        """How many messages were left out of one request at most."""
        return max((request.dropped for request in self.requests), default=0)

    @property
    def reported_ratio(self) -> float | None:
        """
        The provider's tokens to one that is estimated; None where too little was reported to tell.

        By what requests grew: the file may lack the system prompt and the tools.
        """
        told = [(request.reported or 0, request.without.tokens) for request in self.requests if request.reported]
        growths = [(b[0] - a[0], b[1] - a[1]) for a, b in pairwise(told)]
        true_growths = [(counted, estimated) for counted, estimated in growths if counted > 0 and estimated > 0]
        estimated = sum(estimated for _, estimated in true_growths)
        return sum(counted for counted, _ in true_growths) / estimated if estimated >= _TELLING_TOKENS else None

    @property
    def unseen(self) -> int | None:
        """
        Tokens that the provider counted beyond what the file holds: system prompt and tools; None where unknown.

        In the first request with a report, before much else can differ.
        """
        ratio = self.reported_ratio
        first = next((request for request in self.requests if request.reported), None)
        if ratio is None or first is None:
            return None
        return max(round((first.reported or 0) - ratio * first.without.tokens), 0)


def summed(totals: Iterable[ToolTotal]) -> tuple[ToolTotal, ...]:
    """Return one total per tool, most tokens first."""
    results: Counter[str] = Counter()
    tokens: Counter[str] = Counter()
    for total in totals:
        results[total.tool] += total.results
        tokens[total.tool] += total.tokens
    return tuple(ToolTotal(tool=tool, results=results[tool], tokens=size) for tool, size in tokens.most_common())


def counted(number: int, noun: str) -> str:
    """Return a number with its noun: 1 result, 2,000 results."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def _side(requests: Sequence[Sent]) -> Side:
    largest = max(range(len(requests)), key=lambda index: requests[index].tokens, default=0)
    return Side(
        tokens_sent=sum(sent.tokens for sent in requests),
        tokens_cached=sum(sent.reused for sent in requests),
        largest=requests[largest].tokens if requests else 0,
        largest_request=largest + 1,
        over_budget=sum(not sent.fits for sent in requests),
        prefix_breaks=sum(sent.breaks_prefix for sent in requests),
        cost=requests[-1].cost_so_far if requests else 0.0,
    )
