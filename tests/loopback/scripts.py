"""Ready scripts, and what to ask of the requests that they drew."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import Any

from loopback.replies import Answer, Call, Reply
from loopback.server import Request


def agent_run(
    rounds: int,
    *,
    tool: str | None = None,
    parallel: int = 1,
    arguments: Callable[[int], Mapping[str, Any]] = lambda number: {"page": number},
    thinking: str = "",
    text: str = "Done.",
) -> list[Reply]:
    """Return a script: so many rounds that call a tool, then an answer."""
    calls = [Call(name=tool, arguments=arguments(number)) for number in range(rounds * parallel)]
    steps = [tuple(calls[first : first + parallel]) for first in range(0, len(calls), parallel)]
    return [*(Answer(calls=step, thinking=thinking) for step in steps), Answer(text)]


def prefix_breaks(requests: Sequence[Request]) -> int:
    """Return how often a request did not begin with the one before it, whatever its cache marks."""
    return sum(not _extends(later, earlier) for earlier, later in pairwise(requests))


def _extends(later: Request, earlier: Request) -> bool:
    before, after = _unmarked(earlier.messages), _unmarked(later.messages)
    return _frame(earlier) == _frame(later) and before == after[: len(before)]


def _frame(request: Request) -> Any:
    names = ("system", "instructions", "systemInstruction", "tools", "toolConfig")
    return {name: _unmarked(request.body.get(name)) for name in names}


def _unmarked(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _unmarked(inner) for key, inner in value.items() if key != "cache_control"}
    return [_unmarked(inner) for inner in value] if isinstance(value, list) else value
