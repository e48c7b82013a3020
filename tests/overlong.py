"""A run too long for its window: what it reads, and what every request of it has to be."""

from __future__ import annotations

import json
from types import ModuleType

import longturn
from loopback import Loopback, prefix_breaks

BUDGET = 6_000
ROUNDS = 20
PAGE = "Ein Satz wie jeder andere. " * 150  # about a thousand tokens
TASK = "Read it all."
SYSTEM = "You are a careful worker."


def window(budget: int = BUDGET) -> longturn.Window:
    return longturn.Window(budget)


def check_run(loopback: Loopback, validator: ModuleType | None = None, *, rounds: int = ROUNDS) -> None:
    """See that a run's requests were many, valid, in the budget, and held still; and that the agent was told."""
    requests, instructions = loopback.requests, window().instructions()
    assert len(requests) == rounds + 1
    assert [request.occurrences(instructions) for request in requests] == [1] * len(requests)
    assert all(any(instructions in text for text in request.system) for request in requests)
    assert all(any(TASK in json.dumps(message) for message in request.messages) for request in requests)
    assert max(longturn.estimate(request.messages) for request in requests) <= BUDGET
    assert requests[-1].whole
    assert requests[-1].cleared or len(requests[-1].results) < rounds
    assert prefix_breaks(requests) <= rounds // 4
    assert all(result.text == PAGE for request in requests for result in request.whole)
    if validator is not None:
        for request in requests:
            format = "bedrock-converse" if request.protocol.name == "bedrock" else request.protocol.name
            assert [issue for issue in validator.check(format, request.body) if issue.level == "error"] == []
