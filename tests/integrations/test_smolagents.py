"""smolagents in a window, against a scripted provider; tool results are sent there as texts of the user's."""

from __future__ import annotations

from typing import Any

import pytest

pytest.importorskip("smolagents")
pytest.importorskip("openai")

from loopback import Answer, Call, Loopback, TooLong, agent_run, prefix_breaks
from overlong import BUDGET, PAGE, ROUNDS, TASK, Judge, window
from smolagents import ActionStep, OpenAIModel, ToolCallingAgent, tool
from smolagents.utils import AgentGenerationError

import longturn
from longturn.integrations.smolagents import fit_model
from longturn.wording import phrases

RUN = [*agent_run(ROUNDS, tool="read")[:-1], Answer(calls=(Call(name="final_answer", arguments={"answer": "Done."}),))]


@tool
def read(page: int) -> str:
    """Read a page.

    Args:
        page: its number
    """
    return PAGE


def agent(own: longturn.Window, *, streams: bool = False) -> Any:
    model = fit_model(OpenAIModel(model_id="any"), own)
    return ToolCallingAgent(tools=[read], model=model, verbosity_level=0, max_steps=ROUNDS + 1, stream_outputs=streams)


def run(agent: Any) -> None:
    assert agent.run(TASK) == "Done."
    steps = [step for step in agent.memory.steps if isinstance(step, ActionStep)]
    assert [step.observations for step in steps[:ROUNDS]] == [PAGE.strip()] * ROUNDS


@pytest.mark.parametrize("streams", [False, True])
def test_a_run_stays_in_its_window(streams: bool, loopback: Loopback, judge: Judge) -> None:
    """Every request is valid and in the budget; the memory keeps every page."""
    loopback.play(RUN)
    own = window()
    run(agent(own, streams=streams))
    requests = loopback.requests
    assert len(requests) == ROUNDS + 1
    for request in requests:
        assert request.is_streamed == streams
        assert request.occurrences(own.instructions()) == 1
        assert own.instructions() in request.system[0]
        assert request.occurrences(TASK) >= 1
        assert longturn.estimate(request.messages) <= BUDGET
        assert judge("openai-chat", request.body) == []
    assert requests[-1].occurrences(phrases("en").cleared) > 0
    assert requests[-1].occurrences(PAGE.strip()) > 0
    assert prefix_breaks(requests) <= ROUNDS // 4


@pytest.mark.parametrize("streams", [False, True])
def test_a_run_learns_what_the_provider_counts(streams: bool, loopback: Loopback) -> None:
    loopback.play(RUN, characters_per_token=2)
    own = window(12_000)
    run(agent(own, streams=streams))
    assert own.ratio > 1.5


@pytest.mark.parametrize("streams", [False, True])
def test_a_refusal_as_too_long_is_answered_by_a_smaller_request(streams: bool, loopback: Loopback) -> None:
    loopback.play(RUN, limit=6_000)
    run(agent(window(12_000), streams=streams))
    bodies = [str(request.body) for request in loopback.requests]
    assert len(bodies) == len(set(bodies)) > ROUNDS + 1


def test_a_run_that_never_fits_ends_with_the_sentence_for_the_person(loopback: Loopback) -> None:
    loopback.play([TooLong()] * 4)
    with pytest.raises(AgentGenerationError, match="new chat") as caught:
        agent(window()).run(TASK)
    assert isinstance(caught.value.__cause__, longturn.ConversationTooLong)
    assert len(loopback.requests) <= 2
