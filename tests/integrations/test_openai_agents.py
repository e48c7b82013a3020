"""Runs of the OpenAI Agents SDK in a window, against a scripted provider."""

from __future__ import annotations

import asyncio
import copy
from collections.abc import Callable
from typing import Any

import pytest

pytest.importorskip("agents")

import agents
import openai
from loopback import Answer, Call, Loopback, TooLong, agent_run
from overlong import BUDGET, PAGE, ROUNDS, SYSTEM, TASK, Judge, check_learned, check_run, window

import longturn
from longturn.integrations.openai_agents import FitProvider, fit_model

MODELS: dict[str, Any] = {
    "openai-responses": agents.OpenAIResponsesModel,
    "openai-chat": agents.OpenAIChatCompletionsModel,
}
TURNS = ROUNDS + 1


@agents.function_tool
def read(page: int) -> str:
    """Read a page."""
    return PAGE


@pytest.fixture(autouse=True)
def _traceless() -> None:
    agents.set_tracing_disabled(True)


def client() -> Any:
    return openai.AsyncOpenAI(max_retries=0)


def agent(**more: Any) -> Any:
    settings = agents.ModelSettings(include_usage=True)
    made = {"name": "reader", "instructions": SYSTEM, "tools": [read], "model": "any", "model_settings": settings}
    return agents.Agent(**(made | more))


def options(model: str, window: longturn.Window, **more: Any) -> dict[str, Any]:
    models = agents.OpenAIProvider(openai_client=client(), use_responses=model == "openai-responses")
    return {"run_config": agents.RunConfig(model_provider=FitProvider(window, models)), "max_turns": TURNS, **more}


def whole(agent: Any, **options: Any) -> Any:
    return agents.Runner.run_sync(agent, TASK, **options)


def awaited(agent: Any, **options: Any) -> Any:
    return asyncio.run(agents.Runner.run(agent, TASK, **options))


def streamed(agent: Any, **options: Any) -> Any:
    async def run() -> Any:
        result = agents.Runner.run_streamed(agent, TASK, **options)
        assert [event async for event in result.stream_events()]
        return result

    return asyncio.run(run())


# Synchronous runs leave their sockets to the garbage collector.
pytestmark = [
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
    pytest.mark.usefixtures("own_loop"),
]
WAYS = pytest.mark.parametrize("way", [whole, awaited, streamed])
PROVIDERS = pytest.mark.parametrize("model", MODELS)


def outputs(items: list[Any]) -> list[str]:
    return [item["output"] for item in items if item.get("type") == "function_call_output"]


@WAYS
@PROVIDERS
def test_a_run_stays_in_its_window(model: str, way: Callable[..., Any], loopback: Loopback, judge: Judge) -> None:
    """Every request is valid and in the budget; result and session keep every page."""
    loopback.play(agent_run(ROUNDS))
    session = agents.SQLiteSession("one")
    result = way(agent(), **options(model, window(), session=session))
    assert outputs(result.to_input_list()) == [PAGE] * ROUNDS
    assert outputs(asyncio.run(session.get_items())) == [PAGE] * ROUNDS
    check_run(loopback, judge)


@WAYS
@PROVIDERS
def test_a_run_learns_what_the_provider_counts(model: str, way: Callable[..., Any], loopback: Loopback) -> None:
    loopback.play(agent_run(ROUNDS), characters_per_token=2)
    own = window()
    way(agent(), **options(model, own))
    check_learned(loopback, own)


@WAYS
@PROVIDERS
def test_an_agent_that_holds_its_model_gets_a_fitted_one(
    model: str, way: Callable[..., Any], loopback: Loopback, judge: Judge
) -> None:
    loopback.play(agent_run(ROUNDS))
    way(agent(model=fit_model(MODELS[model]("any", client()), window())), max_turns=TURNS)
    check_run(loopback, judge)


@pytest.mark.parametrize("way", [awaited, streamed])
def test_V8_a_conversation_on_the_server_passes_through(way: Callable[..., Any], loopback: Loopback) -> None:
    loopback.play(agent_run(3))
    own = window(1_000)
    with pytest.warns(UserWarning, match="provider keeps"):
        way(agent(), **options("openai-responses", own, auto_previous_response_id=True))
    assert [len(request.messages) for request in loopback.requests] == [1, 1, 1, 1]
    assert all(request.whole for request in loopback.requests[1:])
    assert own.ratio == 1


@WAYS
@PROVIDERS
def test_a_refusal_as_too_long_is_answered_by_a_smaller_request(
    model: str, way: Callable[..., Any], loopback: Loopback, judge: Judge
) -> None:
    loopback.play(agent_run(ROUNDS), limit=3_500)
    result = way(agent(), **options(model, window()))
    assert outputs(result.to_input_list()) == [PAGE] * ROUNDS
    bodies = [str(request.body) for request in loopback.requests]
    assert len(bodies) == len(set(bodies)) > ROUNDS + 1
    assert [judge(request.protocol.name, request.body) for request in loopback.requests] == [[]] * len(bodies)


@WAYS
@PROVIDERS
def test_a_run_that_never_fits_ends_with_the_sentence_for_the_person(
    model: str, way: Callable[..., Any], loopback: Loopback
) -> None:
    loopback.play([TooLong()] * 4)
    with pytest.raises(longturn.ConversationTooLong, match="new chat") as caught:
        way(agent(), **options(model, window()))
    assert isinstance(caught.value.__cause__, openai.BadRequestError)
    assert len(loopback.requests) <= 2


def test_a_handoff_is_measured_and_its_agent_told(loopback: Loopback, judge: Judge) -> None:
    """Both agents are told once each; the second one's requests go on from what the first has read."""
    half = agent_run(ROUNDS // 2, tool="read")[:-1]
    over = Answer(calls=(Call(name="transfer_to_second"),))
    loopback.play([*half, over, *agent_run(ROUNDS // 2, tool="read")])
    own = window()
    second = agent(name="second", instructions=f"{SYSTEM} Second.")
    result = awaited(agent(handoffs=[second]), **options("openai-responses", own, max_turns=TURNS + 1))
    assert outputs(result.to_input_list()).count(PAGE) == ROUNDS
    for request in loopback.requests:
        assert request.occurrences(own.instructions()) == 1
        assert longturn.estimate(request.messages, tools=request.body["tools"]) <= BUDGET
        assert judge(request.protocol.name, request.body) == []
    assert any("Second." in text for text in loopback.requests[-1].system)


def test_what_the_model_can_do_besides_is_asked_of_it(loopback: Loopback) -> None:
    fitted = fit_model(MODELS["openai-chat"]("any", client()), window())
    assert fitted.model == "any"  # type: ignore[attr-defined]
    assert copy.copy(fitted).model == "any"  # type: ignore[attr-defined]
