"""
A long run of tool calls, request by request, and what each way to fit makes of it.

The cost is that of the input in units of a million fresh tokens, with a prefix cache as OpenAI,
Gemini and vLLM have it: what a request shares with the one before it, from its beginning, costs a
tenth; everything else five quarters, as where writing the cache is charged.  Nothing expires.
Output is not counted.  Every size is ours, whoever trims: the histories are ASCII for that reason,
because there all the estimates agree.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from statistics import mean, median
from typing import Any, Final

from benches import histories
from benches.histories import ARGUMENT_TOKENS, Message
from benches.trimmers import TOOLS_TOKENS, Sent, Trimmer
from longturn.tokens.costs import CALL_TOKENS, MESSAGE_TOKENS, RESULT_TOKENS
from longturn.tokens.estimate import estimate

SEEDS: Final = (1, 2, 3)
CACHED_PRICE, FRESH_PRICE = 0.1, 1.25
TOLERANCE: Final = 1.02  # of the budget: peers round differently, and that is not what is judged


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """A run to be fitted."""

    budget: int
    calls: int = 300
    scale: float = 1.0  # of the results' sizes

    def requests(self, seed: int) -> Iterator[list[Message]]:
        """Yield what each request's history has beyond the one before."""
        run = histories.run(seed, histories.ASCII, self.scale)
        yield [{"role": "system", "content": run.system()}, run.task()]
        while run.calls < self.calls:
            yield run.round(self.calls - run.calls)


TASKS: Final = (
    Task(budget=400_000),
    Task(budget=100_000),
    Task(budget=20_000, calls=40, scale=0.5),  # short enough for those that take seconds a step
)


@dataclass(slots=True)
class Outcome:
    """What came of one run; token counts in tokens, one entry per request where there are several."""

    tokens: list[int] = field(default_factory=list)
    cached: list[int] = field(default_factory=list)
    whole_results: list[int] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)
    breaks: int = 0
    over_budget: int = 0
    invalid: int = 0
    without_task: int = 0

    def row(self) -> dict[str, float]:
        total, cached = sum(self.tokens), sum(self.cached)
        return {
            "requests": len(self.tokens),
            "breaks": self.breaks,
            "hit_share": cached / total,
            "cost": (CACHED_PRICE * cached + FRESH_PRICE * (total - cached)) / 1e6,
            "context": mean(self.tokens),
            "whole_results": mean(self.whole_results),
            "over_budget": self.over_budget,
            "invalid": self.invalid,
            "without_task": self.without_task,
            "step_ms": 1e3 * median(self.seconds),
        }


def simulate(trimmer: Trimmer, task: Task, seed: int) -> Outcome:
    """Return what comes of one run under one way to fit."""
    step, outcome = trimmer.make(task.budget), Outcome()
    history: list[Any] = []
    originals: dict[str, str] = {}
    previous: list[Sent] = []
    wish = ""
    for new in task.requests(seed):
        history.extend(trimmer.shape(new))
        originals |= {message["tool_call_id"]: message["content"] for message in new if "tool_call_id" in message}
        wish = wish or next(message["content"] for message in new if message["role"] == "user")
        start = time.perf_counter()
        sent = step(history)
        outcome.seconds.append(time.perf_counter() - start)
        previous = _judge(outcome, [trimmer.read(message) for message in sent], previous, task.budget, originals, wish)
    return outcome


def averaged(trimmer: Trimmer, task: Task, seeds: Sequence[int] = SEEDS) -> dict[str, float]:
    """Return the mean of several runs."""
    rows = [simulate(trimmer, task, seed).row() for seed in seeds]
    return {key: mean(row[key] for row in rows) for key in rows[0]} | {"seeds": len(seeds)}


def _judge(
    outcome: Outcome,
    sent: list[Sent],
    previous: list[Sent],
    budget: int,
    originals: dict[str, str],
    wish: str,
) -> list[Sent]:
    sizes = [_tokens(message) for message in sent]
    total = TOOLS_TOKENS + sum(sizes)
    shared = _shared(sent, previous)
    outcome.tokens.append(total)
    outcome.cached.append(TOOLS_TOKENS + sum(sizes[:shared]) if previous else 0)
    outcome.breaks += shared < len(previous)
    outcome.over_budget += total > TOLERANCE * budget
    outcome.invalid += not is_valid(sent)
    outcome.without_task += not any(message.role == "user" and message.text == wish for message in sent)
    whole = (message for message in sent if message.answers and message.text == originals[message.answers])
    outcome.whole_results.append(sum(1 for _ in whole))
    return sent


def _tokens(message: Sent) -> int:
    structure = MESSAGE_TOKENS + len(message.calls) * (CALL_TOKENS + ARGUMENT_TOKENS)
    return estimate(message.text) + structure + (RESULT_TOKENS if message.answers else 0)


def _shared(sent: list[Sent], previous: list[Sent]) -> int:
    """Return how many leading messages are those of the request before."""
    pairs = enumerate(zip(sent, previous, strict=False))
    return next((index for index, (new, old) in pairs if new != old), min(len(sent), len(previous)))


def is_valid(sent: list[Sent]) -> bool:
    """Tell whether there is something to answer, every result follows its call, and every call has its result."""
    open_calls: set[str] = set()
    for message in sent:
        if message.answers is not None:
            if message.answers not in open_calls:
                return False
            open_calls.remove(message.answers)
        elif message.calls:
            open_calls.update(message.calls)
        elif open_calls:
            return False
    return not open_calls and any(message.role != "system" for message in sent)
