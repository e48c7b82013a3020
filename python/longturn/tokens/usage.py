"""
What providers report, and the ratio that a window learns from it.

Estimates are off by a factor that stays much the same within a conversation: its languages, and the
provider's tokenizer.  The factor is kept as one plain number on a grid, and moves only upwards: what
scales the estimate moves every cut behind it, so jitter must not get through ([H5]).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import ceil, isfinite
from typing import Any, Final

STEPS: Final = 16  # to one: a ratio moves in sixteenths
LEAST_RATIO: Final = 0.5
MOST_RATIO: Final = 4.0  # the script rule is short by half on the worst kinds of text; beyond this a report is odd

_TELLING_SHARE: Final = 16
"""Requests below a sixteenth of the budget tell more of the frames around messages than of the text in them."""

# Each way to report the input: members that add up. The first way with a member that is there counts.
_WAYS: Final = (
    ("prompt_tokens",),  # OpenAI Chat Completions and what speaks it, LiteLLM: cached tokens included
    ("prompt_token_count",),  # google-genai, likewise
    ("promptTokenCount",),
    ("inputTokens", "cacheReadInputTokens", "cacheWriteInputTokens"),  # Bedrock, Strands: cached tokens apart
    # Anthropic, cached tokens apart; OpenAI Responses, LangChain and pydantic-ai name them otherwise, and include them.
    ("input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens"),
    ("input_token_count",),  # Agent Framework
)
_HOLDERS: Final = ("usage", "usage_metadata", "usageMetadata")  # of answers that carry their usage


@dataclass(frozen=True, slots=True)
class Calibration:
    """How many tokens a provider counts for one that is estimated, and how far that can be trusted."""

    ratio: float = 1.0
    base: float = 1.0
    """What the ratio was set to: it is never learned to be lower."""
    is_telling: bool = False
    """Learned from a request large enough to tell of its text."""

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
        return Calibration(known, self.base, self.is_telling or is_telling)


@dataclass(frozen=True, slots=True)
class Report:
    """A request, what it was estimated at, and what its provider counted."""

    messages: list[Any]
    estimated: int
    counted: int

    def expected(self, messages: list[Any], estimated: int) -> int | None:
        """Return what the provider will count for a request that extends this one ([K2]); None for another one."""
        if messages[: len(self.messages)] != self.messages:
            return None
        return self.counted + estimated - self.estimated


def checked_ratio(value: float) -> float:
    """
    Return a ratio on the grid, the next one above ``value``.

    Raises:
        TypeError: it is no number.
        ValueError: it is out of bounds.
    """
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise TypeError(f"ratio must be a number (got {value!r})")
    if not isfinite(value) or not LEAST_RATIO <= value <= MOST_RATIO:
        raise ValueError(
            f"ratio must lie between {LEAST_RATIO} and {MOST_RATIO} (got {value}); "
            "it is the provider's tokens to one that is estimated"
        )
    return ceil(value * STEPS) / STEPS


def input_tokens(usage: Any) -> int | None:
    """
    Return the tokens of a request's input as its provider counted them, cached ones included once.

    ``usage`` is that number, a usage object or mapping of any SDK, or an answer that carries one; None where
    there is none, or where it reports nothing.

    Raises:
        TypeError: there is no count of the input in ``usage``; names the members that hold one.
    """
    if usage is None:
        return None
    if isinstance(usage, int) and not isinstance(usage, bool):
        return usage if usage > 0 else None
    found = next(_reported(usage), None)
    if found is None:
        ways = ", ".join(way[0] for way in _WAYS)
        raise TypeError(f"usage must be a number of tokens, or have one of {ways} (got {type(usage).__name__})")
    return found if found > 0 else None


def _reported(usage: Any) -> Iterator[int]:
    """Yield what a usage reports; an answer's own usage if it has none itself."""
    # With server-side tools or compaction the totals are of several requests; the last one was this long.
    rounds = [one for one in _member(usage, "iterations") or () if _member(one, "type") == "message"]
    source = rounds[-1] if rounds else usage
    for first, *others in _WAYS:
        if (count := _count(source, first)) is not None:
            yield count + sum(_count(source, name) or 0 for name in others)
    for name in _HOLDERS:
        if (inner := _member(usage, name)) is not None and not callable(inner):
            yield from _reported(inner)


def _count(source: Any, name: str) -> int | None:
    value = _member(source, name)
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _member(source: Any, name: str) -> Any:
    return source.get(name) if isinstance(source, Mapping) else getattr(source, name, None)
