"""
What holding the cut still is for: a long run breaks the cached prefix a few times, not at every call.

The run is a sub-agent's: a system prompt with tools of 8,000 tokens, a task of 1,500, then 300 calls in
some 190 requests, three in ten of them for two to four calls at once; results from 40 to 30,000 tokens,
3,350 on average; 1.07 million tokens in the end.
"""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from statistics import mean
from typing import Any, NamedTuple

import pytest

from longturn import Policy, Window

SYSTEM = "s" * 4 * 8_000
SEEDS = (0, 1, 2)


def _size(random: Random) -> int:
    """Return the tokens of a result: a third are small, a few are huge."""
    smallest, largest = random.choices(((40, 300), (500, 3_000), (4_000, 10_000), (15_000, 30_000)), (30, 42, 25, 3))[0]
    return random.randint(smallest, largest)


def _run(seed: int, calls: int = 300) -> Iterator[list[Any]]:
    """Yield the history at each request of the run; one list, growing."""
    random = Random(seed)
    history: list[Any] = [{"role": "user", "content": "t" * 4 * 1_500}]
    made = 0
    while made < calls:
        yield history
        count = min(random.randint(2, 4) if random.random() < 0.3 else 1, calls - made)
        ids = [f"call_{made + n}" for n in range(count)]
        uses = [{"type": "tool_use", "id": one, "name": "read", "input": {"path": "p" * 4 * 150}} for one in ids]
        history.append({"role": "assistant", "content": [{"type": "text", "text": "a" * 4 * 60}, *uses]})
        results = [{"type": "tool_result", "tool_use_id": one, "content": "r" * 4 * _size(random)} for one in ids]
        history.append({"role": "user", "content": results})
        made += count
    yield history


class Outcome(NamedTuple):
    """What a policy made of a run."""

    requests: int
    whole: float  # results that are neither cleared nor left out, on average over the requests
    breaks: int  # requests that do not extend the one before
    over: int  # requests over the budget
    tokens: int  # of the last history


def _outcome(seed: int, policy: Policy) -> Outcome:
    window = Window(policy=policy)
    whole, breaks, over, tokens, last = [], 0, 0, 0, []
    for history in _run(seed):
        fitted = window.fit(history, system=SYSTEM)
        view = fitted.messages
        results = [len(message["content"]) for message in view[1:] if message["role"] == "user"]
        whole.append(sum(results) - len(fitted.cleared))
        breaks += view[: len(last)] != last
        over += not fitted.fits
        last, tokens = view, fitted.tokens_before
    return Outcome(len(whole), mean(whole), breaks, over, tokens)


def _mean(policy: Policy) -> Outcome:
    outcomes = [_outcome(seed, policy) for seed in SEEDS]
    return Outcome(*(mean(column) for column in zip(*outcomes, strict=True)))  # type: ignore[arg-type]


def test_the_run_is_the_one_described() -> None:
    """Requests and tokens are about those of the table that the figures come from."""
    everything = _mean(Policy(budget=2_000_000))
    assert (0, 0) == (everything.breaks, everything.over)
    assert everything.requests == pytest.approx(189, rel=0.05)
    assert everything.tokens == pytest.approx(1_071_000, rel=0.05)
    assert everything.whole == pytest.approx(150, rel=0.05)


@pytest.mark.parametrize(("budget", "breaks", "whole"), [(400_000, 3, 63), (100_000, 20, 16)])
def test_H1_few_breaks_and_as_many_results_whole(budget: int, breaks: int, whole: float) -> None:
    """No request is over the budget."""
    held = _mean(Policy(budget=budget))
    assert held.breaks <= breaks
    assert held.whole >= whole
    assert held.over == 0


def test_H3_the_literal_rule_breaks_the_prefix_ten_times_as_often() -> None:
    """And keeps fewer results whole."""
    held, literal = _mean(Policy(budget=400_000)), _mean(Policy(budget=400_000, hold=False))
    assert literal.breaks > 10 * held.breaks
    assert literal.whole < held.whole
