"""
What providers report, and the ratio that a window learns from it.

Estimates are off by a factor that stays much the same within a conversation: its languages, and the
provider's tokenizer.  The factor is kept as one plain number on a grid, and moves only upwards: what
scales the estimate moves every cut behind it, so jitter must not get through ([H5]).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from math import ceil
from typing import Any, Final, Self

from longturn.tokens.reports import MOST_PACE, USUAL_PACE, Measure, Pace, Report

STEPS: Final = 16  # to one: a ratio moves in sixteenths
LEAST_RATIO: Final = 0.5
MOST_RATIO: Final = 4.0  # the script rule is short by half on the worst kinds of text; beyond this a report is odd

_TELLING_SHARE: Final = 16
"""Requests below a sixteenth of the budget tell more of the frames around messages than of the text in them."""

_KEPT: Final = STEPS - 1
"""Sixteenths of a limit that a refusal named which are used: the ratio's dead band, in which estimates may be short."""

_STEP_DOWN: Final = (3, 4)
"""What is sent of a request that was refused without numbers: estimates are within a quarter on most texts."""

_HIDDEN_SHARE: Final = 4
"""Prompts and tools that are not estimated, because a framework adds them, take a quarter of the budget at most."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Way:
    """One way to report the input."""

    count: str
    apart: tuple[str, ...] = ()
    """Cached tokens that come on top of the count."""
    within: tuple[str, ...] = ()
    """Cached tokens that are a part of the count; on top of it after all where they are more than it."""
    output: str = ""
    total: str = ""
    """What it all adds up to: where that is the count and the output, nothing comes on top."""


_CACHED: Final = ("cache_read_input_tokens", "cache_creation_input_tokens")
_CACHED_SHORT: Final = ("cache_read_tokens", "cache_write_tokens")

# The first way whose count is there is taken.
_WAYS: Final = (
    # OpenAI Chat Completions and what speaks it, LiteLLM, AutoGen; Haystack, which leaves Anthropic's cache apart.
    _Way(count="prompt_tokens", within=_CACHED),
    _Way(count="prompt_token_count"),  # google-genai
    _Way(count="promptTokenCount"),
    # Bedrock, and Strands, which reports other providers in its form.
    _Way(
        count="inputTokens",
        apart=("cacheReadInputTokens", "cacheWriteInputTokens"),
        output="outputTokens",
        total="totalTokens",
    ),
    # Anthropic; OpenAI Responses and LangChain, whose cached tokens stand elsewhere; Pydantic AI, DSPy, smolagents;
    # Agno, which has each provider's own count.
    _Way(count="input_tokens", apart=_CACHED, within=_CACHED_SHORT),
    # Agent Framework
    _Way(
        count="input_token_count",
        within=("cache_read_input_token_count", "cache_creation_input_token_count"),
    ),
)
_HOLDERS: Final = (
    "usage",
    "usage_metadata",
    "usageMetadata",
    "usage_details",
    "models_usage",
    "token_usage",
    "response_usage",
    "metrics",
    "metadata",
    "meta",
    "raw",
)
"""Where answers carry their usage, or what carries it."""
_DEPTH: Final = 3
_IN_EVENTS: Final = ("usage", "usage_metadata", "usageMetadata")
_CARRIERS: Final = ("message", "response", "metadata")
"""Where a stream's events carry their usage, and what carries it: looked for in every one of them."""
_ROUNDS: Final = ("iterations", "request_usage_entries")
"""Where totals of several requests, behind one answer or in one run, have each one's usage."""


@dataclass(frozen=True, slots=True)
class Calibration:
    """How many tokens a provider counts for one that is estimated, and how far that can be trusted."""

    ratio: float = 1.0
    base: float = 1.0
    """What the ratio was set to: it is never learned to be lower."""
    is_telling: bool = False
    """Learned from a request large enough to tell of its text."""
    pace: Pace = USUAL_PACE
    """What the provider counts of what is added to a request."""
    limit: int | None = None
    """Provider's tokens that a request may have, head-room taken off; None until a refusal named a number."""
    ceiling: int | None = None
    """Estimated tokens that a request may have; None until one was refused."""

    def budget(self, wanted: int) -> int:
        """Return the provider's tokens that a request may have, of the ``wanted`` ones."""
        ceiling = None if self.ceiling is None else int(self.ceiling * self.ratio)
        return _least(wanted, self.limit, ceiling) or wanted

    def is_believable(self, estimated: int, counted: int, budget: int) -> bool:
        """Tell whether a report can be of this request: another one's, or a part of the count, is far off."""
        return estimated <= MOST_PACE * counted and counted <= MOST_PACE * estimated + budget / _HIDDEN_SHARE

    def observed(
        self, before: Report | None, messages: list[Any], estimated: int, counted: int, budget: int, measure: Measure
    ) -> tuple[Calibration, Report]:
        """Return what is known after a report, ``before`` it there was another; and that report."""
        known = self.learned(estimated, counted, budget)
        if before is not None:
            report, pace = before.next(messages, estimated, counted, known.pace)
            return replace(known, pace=pace), report
        if estimated * _TELLING_SHARE >= budget:
            known = replace(known, pace=known.pace.begun(estimated, counted))
        return known, Report.first(messages, estimated, counted, known.pace, measure)

    def learned(self, estimated: int, counted: int, budget: int) -> Calibration:
        """
        Return what is known after a report of ``counted`` tokens for a request ``estimated`` at so many.

        The ratio moves up to the next sixteenth above what was seen, where that is beyond it by more than
        a sixteenth.  Never down; but what small requests taught is forgotten at the first large one.
        """
        is_telling = estimated * _TELLING_SHARE >= budget
        known = self.base if is_telling and not self.is_telling else self.ratio
        seen = counted / estimated
        if seen > known * (1 + 1 / STEPS):
            known = min(ceil(seen * STEPS) / STEPS, MOST_RATIO)
        return replace(self, ratio=known, is_telling=self.is_telling or is_telling)

    def refused(self, estimated: int, counted: int | None, limit: int | None, output: int, budget: int) -> Calibration:
        """
        Return what is known after a refusal of a request ``estimated`` at so many tokens, as too long.

        ``counted`` and ``limit`` are the provider's own numbers for the request and for what it takes, where it
        named them, ``output`` is what was asked for the answer, where that counts against the limit.  What was
        refused fits no more in any case: without numbers, or where they explain nothing, a quarter goes.  A count
        that can't be of this request is as good as none, and far below it, so is the limit beside it.
        """
        room = None if limit is None else max(limit - output, 1)
        known, share = self, _STEP_DOWN
        if counted is not None:
            # Providers name the input, or the sum with the answer: the nearer to the estimate is the input.
            inputs = [one for one in (counted, counted - output) if self.is_believable(estimated, one, budget)]
            if inputs:
                sent = min(inputs, key=lambda one: abs(one - estimated * self.ratio))
                known = self.learned(estimated, sent, budget)
                if room is not None and counted > room:
                    share = room * _KEPT, counted * STEPS  # safe whichever it was
            elif counted < estimated:
                room = None
        return replace(
            known,
            limit=_least(known.limit, None if room is None else room * _KEPT // STEPS),
            ceiling=_least(known.ceiling, estimated * share[0] // share[1]),
        )

    def saved(self) -> dict[str, Any]:
        """Return it as JSON values."""
        return asdict(self)

    @classmethod
    def loaded(cls, saved: Mapping[str, Any]) -> Self:
        """
        Return what was saved; members that are missing are as at the beginning, unknown ones are left out.

        Raises:
            TypeError: a member is of another type.
            ValueError: a member is out of bounds.
        """
        if not isinstance(saved, Mapping):
            raise TypeError(f"calibration must be what Window.calibration was (got {type(saved).__name__})")
        return cls(
            ratio=checked_ratio(saved.get("ratio", 1.0)),
            base=checked_ratio(saved.get("base", 1.0)),
            is_telling=bool(saved.get("is_telling", False)),
            pace=Pace.loaded(saved["pace"]) if "pace" in saved else USUAL_PACE,
            limit=_checked_limit("limit", saved.get("limit")),
            ceiling=_checked_limit("ceiling", saved.get("ceiling")),
        )


def _least(*limits: int | None) -> int | None:
    """Return the lowest of some limits, a token at the least; None where there are none."""
    return min((max(limit, 1) for limit in limits if limit is not None), default=None)


def _checked_limit(name: str, value: Any) -> int | None:
    if value is not None and (isinstance(value, bool) or not isinstance(value, int)):
        raise TypeError(f"{name} must be a whole number of tokens, or None (got {value!r})")
    if value is not None and value < 1:
        raise ValueError(f"{name} must be at least 1 (got {value}); None forgets it")
    return value


def checked_ratio(value: float) -> float:
    """
    Return a ratio on the grid, the next one above ``value``.

    Raises:
        TypeError: it is no number.
        ValueError: it is out of bounds.
    """
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise TypeError(f"ratio must be a number (got {value!r})")
    if not LEAST_RATIO <= value <= MOST_RATIO:
        raise ValueError(
            f"ratio must lie between {LEAST_RATIO} and {MOST_RATIO} (got {value}); "
            "it is the provider's tokens to one that is estimated"
        )
    return ceil(value * STEPS) / STEPS


def input_tokens(usage: Any) -> int | None:
    """
    Return the tokens of a request's input as its provider counted them, cached ones included once.

    ``usage`` is that number, a usage object or mapping of any SDK, or an answer that carries one; None where
    there is none, or where it reports nothing.  Of several requests behind one answer, the last one's.

    Raises:
        TypeError: there is no count of one request's input in ``usage``; names the members that hold one.
    """
    if usage is None:
        return None
    if isinstance(usage, int) and not isinstance(usage, bool):
        return usage if usage > 0 else None
    found = next(_reported(usage), None)
    if found is None:
        ways = ", ".join(way.count for way in _WAYS)
        kind = type(usage).__name__
        if (requests := _count(usage, "requests") or 0) > 1:
            raise TypeError(f"usage must be of one request (got {kind}, a sum of {requests}); pass the last answer's")
        raise TypeError(f"usage must be a number of tokens, or have one of {ways} (got {kind})")
    return found if found > 0 else None


def reported(answer: Any) -> int | None:
    """Return the tokens of the input that an answer reports; None where it reports nothing."""
    return next((found for found in _reported(answer) if found > 0), None)


def streamed(event: Any) -> int | None:
    """Return the tokens of the input that one event of a stream reports; None where it reports nothing."""
    for source in (event, *(member(event, name) for name in _CARRIERS)):
        held = (member(source, name) for name in _IN_EVENTS if source is not None)
        if found := next((tokens for usage in held if usage is not None and (tokens := reported(usage))), None):
            return found
    return None


def _reported(usage: Any, deep: int = 0) -> Iterator[int]:
    """Yield what a usage reports; an answer's own usage if it has none itself."""
    source = _last_round(usage)
    if source is usage and (_count(usage, "requests") or 0) > 1:
        return
    yield from (count for way in _WAYS if (count := _counted(source, way)) is not None)
    for name in _HOLDERS if deep < _DEPTH else ():
        if (inner := member(usage, name)) is not None and not callable(inner):
            yield from _reported(inner, deep + 1)


def _last_round(usage: Any) -> Any:
    """Return the usage of the last request that a total is made of; of a compaction, no request's, nothing."""
    rounds = next((found for name in _ROUNDS if isinstance(found := member(usage, name), (list, tuple))), ())
    kept = [one for one in rounds if member(one, "type") in (None, "message")]
    return kept[-1] if kept else usage


def _counted(source: Any, way: _Way) -> int | None:
    count = _count(source, way.count)
    if count is None:
        return None
    within, apart = (sum(_cached(source, name) for name in names) for names in (way.within, way.apart))
    if apart and _count(source, way.total) == count + (_count(source, way.output) or 0):
        return count
    return count + apart + (within if within > count else 0)


def _cached(source: Any, name: str) -> int:
    """Return cached tokens; Anthropic's writes may be told by their time to live only."""
    count = _count(source, name)
    if count is not None or name != _CACHED[1]:
        return count or 0
    writes = member(source, "cache_creation")
    return sum(_count(writes, f"ephemeral_{ttl}_input_tokens") or 0 for ttl in ("5m", "1h"))


def _count(source: Any, name: str) -> int | None:
    value = member(source, name)
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def member(source: Any, name: str) -> Any:
    """Return a member of a mapping or an attribute of any object; None where there is none, or it can't be had."""
    try:
        return source.get(name) if isinstance(source, Mapping) else getattr(source, name, None)
    except Exception:  # a property that raises is no reason to lose an answer
        return None
