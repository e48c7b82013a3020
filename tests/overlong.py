"""A run too long for its window: what it reads, and what every request of it has to be."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from loopback import Loopback, Request, prefix_breaks

import longturn

BUDGET = 6_000
ROUNDS = 12
PAGE = "Ein Satz wie jeder andere. " * 150  # about a thousand tokens
TASK = "Read it all."
SYSTEM = "You are a careful worker."

Judge = Callable[[str, dict[str, Any]], list[Any]]


def window(budget: int = BUDGET) -> longturn.Window:
    return longturn.Window(budget)


def check_run(loopback: Loopback, judge: Judge, *, rounds: int = ROUNDS, breaks: int = ROUNDS // 4) -> None:
    """See that a run's requests were many, valid, in the budget, and held still; and that the agent was told."""
    requests = loopback.requests
    assert len(requests) == rounds + 1
    for request in requests:
        check_request(request, judge)
    assert requests[-1].whole
    assert requests[-1].cleared or len(requests[-1].results) < rounds
    assert prefix_breaks(requests) <= breaks


def check_request(request: Request, judge: Judge) -> None:
    instructions = window().instructions()
    assert request.occurrences(instructions) == 1
    assert any(instructions in text for text in request.system)
    assert any(TASK in json.dumps(message) for message in request.messages)
    assert longturn.estimate(request.messages) <= BUDGET
    assert all(PAGE in result.text for result in request.whole)  # some frameworks put a frame around it
    assert judge(request.protocol.name, request.body) == []


def check_learned(loopback: Loopback, own: longturn.Window) -> None:
    """See that a window has learned from a provider that counts two characters to a token."""
    assert own.ratio > 1.5
    assert max(request.tokens(2) for request in loopback.requests[-4:]) <= BUDGET
