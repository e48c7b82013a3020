"""Agno agents in a window, against a scripted provider."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

pytest.importorskip("agno.agent")
pytest.importorskip("openai")

from agno.agent import Agent
from agno.models.openai import OpenAIChat
from agno.run.base import RunStatus
from loopback import Loopback, TooLong, agent_run
from overlong import PAGE, ROUNDS, SYSTEM, TASK, Judge, check_learned, check_run, window

import longturn
from longturn.integrations.agno import fit_model

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::pytest.PytestUnraisableExceptionWarning")


def read(page: int) -> str:
    """Read a page."""
    return PAGE


def agent(own: longturn.Window) -> Any:
    model = fit_model(OpenAIChat(id="any", max_retries=0), own)
    return Agent(model=model, tools=[read], system_message=SYSTEM, telemetry=False)


def whole(own: longturn.Window) -> Any:
    return agent(own).run(TASK)


def awaited(own: longturn.Window) -> Any:
    return asyncio.run(agent(own).arun(TASK))


def streamed(own: longturn.Window) -> Any:
    return list(agent(own).run(TASK, stream=True, yield_run_output=True))[-1]


def streamed_async(own: longturn.Window) -> Any:
    async def run() -> Any:
        return [one async for one in agent(own).arun(TASK, stream=True, yield_run_output=True)][-1]

    return asyncio.run(run())


WAYS = pytest.mark.parametrize("way", [whole, awaited, streamed, streamed_async])


def pages(found: Any) -> list[str]:
    return [message.content for message in found.messages if message.role == "tool"]


@WAYS
def test_a_run_stays_in_its_window(way: Callable[..., Any], loopback: Loopback, judge: Judge) -> None:
    """Every request is valid and in the budget; the run's messages keep every page."""
    loopback.play(agent_run(ROUNDS))
    assert pages(way(window())) == [PAGE] * ROUNDS
    check_run(loopback, judge)


@WAYS
def test_a_run_learns_what_the_provider_counts(way: Callable[..., Any], loopback: Loopback) -> None:
    loopback.play(agent_run(ROUNDS), characters_per_token=2)
    own = window()
    way(own)
    check_learned(loopback, own)


@pytest.mark.parametrize("way", [whole, streamed])
def test_a_refusal_as_too_long_is_answered_by_a_smaller_request(way: Callable[..., Any], loopback: Loopback) -> None:
    loopback.play(agent_run(ROUNDS), limit=3_500)
    assert pages(way(window())) == [PAGE] * ROUNDS
    bodies = [str(request.body) for request in loopback.requests]
    assert len(bodies) == len(set(bodies)) > ROUNDS + 1


def test_a_run_that_never_fits_ends_with_the_sentence_for_the_person(loopback: Loopback) -> None:
    loopback.play([TooLong()] * 4)
    found = whole(window())
    assert found.status == RunStatus.error
    assert "new chat" in str(found.content)
    assert len(loopback.requests) <= 2
