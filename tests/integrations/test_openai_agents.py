"""Runs of the OpenAI Agents SDK in a window, against a scripted provider."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

pytest.importorskip("agents")

import agents
import openai
from loopback import Loopback, TooLong, agent_run
from overlong import PAGE, ROUNDS, SYSTEM, TASK, Judge, check_learned, check_run, window

import longturn
from longturn.integrations.openai_agents import FitInput

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


def agent(model: str) -> Any:
    client = openai.AsyncOpenAI(max_retries=0)
    settings = agents.ModelSettings(include_usage=True)
    return agents.Agent(
        name="reader", instructions=SYSTEM, tools=[read], model=MODELS[model]("any", client), model_settings=settings
    )


def options(fit: FitInput, **more: Any) -> dict[str, Any]:
    return {"run_config": agents.RunConfig(call_model_input_filter=fit), "hooks": fit, "max_turns": TURNS, **more}


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
    result = way(agent(model), **options(FitInput(window()), session=session))
    assert outputs(result.to_input_list()) == [PAGE] * ROUNDS
    assert outputs(asyncio.run(session.get_items())) == [PAGE] * ROUNDS
    check_run(loopback, judge)


@WAYS
@PROVIDERS
def test_a_run_learns_what_the_provider_counts(model: str, way: Callable[..., Any], loopback: Loopback) -> None:
    loopback.play(agent_run(ROUNDS), characters_per_token=2)
    fit = FitInput(window())
    way(agent(model), **options(fit))
    check_learned(loopback, fit.window)


@pytest.mark.parametrize("way", [awaited, streamed])
def test_V8_a_conversation_on_the_server_passes_through(way: Callable[..., Any], loopback: Loopback) -> None:
    loopback.play(agent_run(3))
    fit = FitInput(window(1_000))
    with pytest.warns(UserWarning, match="provider keeps"):
        way(agent("openai-responses"), **options(fit, auto_previous_response_id=True))
    assert [len(request.messages) for request in loopback.requests] == [1, 1, 1, 1]
    assert all(request.whole for request in loopback.requests[1:])
    assert fit.window.ratio == 1


@PROVIDERS
def test_a_refusal_stays_the_sdks_and_has_a_sentence_for_the_person(model: str, loopback: Loopback) -> None:
    loopback.play([TooLong()])
    with pytest.raises(openai.BadRequestError) as caught:
        awaited(agent(model), **options(FitInput(window())))
    failure = longturn.classify(caught.value)
    assert failure.kind == longturn.FailureKind.CONTEXT_OVERFLOW
    assert "new chat" in (failure.message or "")
    assert len(loopback.requests) == 1
