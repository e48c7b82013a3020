"""Strands agents in a window, against a scripted provider."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

pytest.importorskip("strands.middleware")
pytest.importorskip("openai")

from loopback import Loopback, TooLong, agent_run
from overlong import PAGE, ROUNDS, SYSTEM, TASK, Judge, check_learned, check_run, window
from strands import Agent, tool
from strands.agent.conversation_manager import NullConversationManager
from strands.middleware import InvokeModelStage
from strands.models.openai import OpenAIModel

import longturn
from longturn.integrations.strands import fit_calls


@tool
def read(page: int) -> str:
    """Read a page."""
    return PAGE


def agent(own: longturn.Window) -> Any:
    made = Agent(
        model=OpenAIModel(model_id="any"),
        tools=[read],
        system_prompt=SYSTEM,
        callback_handler=None,
        conversation_manager=NullConversationManager(),  # the default one takes messages away for good, beyond forty
    )
    made.add_middleware(InvokeModelStage, fit_calls(own))
    return made


def whole(agent: Any) -> None:
    agent(TASK)


def awaited(agent: Any) -> None:
    asyncio.run(agent.invoke_async(TASK))


def streamed(agent: Any) -> None:
    async def run() -> None:
        assert [event async for event in agent.stream_async(TASK)]

    asyncio.run(run())


WAYS = pytest.mark.parametrize("way", [whole, awaited, streamed])


def pages(agent: Any) -> list[str]:
    results = [block["toolResult"] for one in agent.messages for block in one["content"] if "toolResult" in block]
    return [result["content"][0]["text"] for result in results]


@WAYS
def test_a_run_stays_in_its_window(way: Callable[[Any], None], loopback: Loopback, judge: Judge) -> None:
    """Every request is valid and in the budget; the agent's messages keep every page."""
    loopback.play(agent_run(ROUNDS))
    made = agent(window())
    way(made)
    assert pages(made) == [PAGE] * ROUNDS
    check_run(loopback, judge)


def test_a_run_learns_what_the_provider_counts(loopback: Loopback) -> None:
    loopback.play(agent_run(ROUNDS), characters_per_token=2)
    own = window()
    whole(agent(own))
    check_learned(loopback, own)


def test_a_refusal_as_too_long_is_answered_by_a_smaller_request(loopback: Loopback) -> None:
    """The provider's limit is half the budget: the run finishes, the messages stay, no request is sent twice."""
    loopback.play(agent_run(ROUNDS), limit=3_500)
    made = agent(window())
    whole(made)
    assert pages(made) == [PAGE] * ROUNDS
    bodies = [str(request.body) for request in loopback.requests]
    assert len(bodies) == len(set(bodies)) > ROUNDS + 1


def test_a_run_that_never_fits_ends_with_the_sentence_for_the_person(loopback: Loopback) -> None:
    loopback.play([TooLong()] * 20)
    made = agent(window())
    with pytest.raises(longturn.ConversationTooLong, match="new chat"):
        whole(made)
    assert len(loopback.requests) <= 2
