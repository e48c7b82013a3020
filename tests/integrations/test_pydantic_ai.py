"""Pydantic AI runs in a window, against a scripted provider."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

pytest.importorskip("pydantic_ai")
pytest.importorskip("openai")
pytest.importorskip("anthropic")
pytest.importorskip("google.genai")

import pydantic_ai
from loopback import Loopback, Refusal, TooLong, agent_run
from overlong import PAGE, ROUNDS, SYSTEM, TASK, Judge, check_learned, check_run, window
from pydantic_ai.messages import ToolReturnPart
from pydantic_ai.usage import UsageLimits

import longturn
from longturn.integrations.pydantic_ai import FitRequests

MODELS = {
    "openai-chat": "openai-chat:any",
    "openai-responses": "openai-responses:any",
    "anthropic": "anthropic:any",
    "gemini": "google:any",
}
NO_LIMITS = UsageLimits(request_limit=None)


def agent(model: str, fit: FitRequests) -> Any:
    made = pydantic_ai.Agent(MODELS[model], instructions=SYSTEM, capabilities=[fit])

    @made.tool_plain
    def read(page: int) -> str:
        """Read a page."""
        return PAGE

    return made


def whole(agent: Any, **options: Any) -> Any:
    return agent.run_sync(TASK, usage_limits=NO_LIMITS, **options).all_messages()


def awaited(agent: Any, **options: Any) -> Any:
    return asyncio.run(agent.run(TASK, usage_limits=NO_LIMITS, **options)).all_messages()


def streamed(agent: Any, **options: Any) -> Any:
    async def run() -> Any:
        async with agent.run_stream(TASK, usage_limits=NO_LIMITS, **options) as result:
            assert [piece async for piece in result.stream_text(delta=True, debounce_by=None)]
        return result.all_messages()

    return asyncio.run(run())


# Synchronous runs leave their sockets to the garbage collector.
pytestmark = [
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
    pytest.mark.usefixtures("own_loop"),
]
WAYS = pytest.mark.parametrize("way", [whole, awaited, streamed])
PROVIDERS = pytest.mark.parametrize("model", MODELS)


def check_saved(messages: list[Any], rounds: int = ROUNDS) -> None:
    parts = [part for message in messages for part in message.parts if isinstance(part, ToolReturnPart)]
    assert [part.content for part in parts] == [PAGE] * rounds


@WAYS
@PROVIDERS
def test_a_run_stays_in_its_window(model: str, way: Callable[..., Any], loopback: Loopback, judge: Judge) -> None:
    """Every request is valid and in the budget; the message history keeps every page."""
    loopback.play(agent_run(ROUNDS))
    check_saved(way(agent(model, FitRequests(window()))))
    check_run(loopback, judge)


@WAYS
@PROVIDERS
def test_a_run_learns_what_the_provider_counts(model: str, way: Callable[..., Any], loopback: Loopback) -> None:
    loopback.play(agent_run(ROUNDS), characters_per_token=2)
    fit = FitRequests(window())
    check_saved(way(agent(model, fit)))
    check_learned(loopback, fit.window)


@WAYS
@PROVIDERS
def test_a_refusal_as_too_long_is_answered_by_a_smaller_request(
    model: str, way: Callable[..., Any], loopback: Loopback
) -> None:
    """The provider's limit is half the budget: the run finishes, and no request is sent twice."""
    loopback.play(agent_run(ROUNDS), limit=3_500)
    check_saved(way(agent(model, FitRequests(window()))))
    bodies = [str(request.body) for request in loopback.requests]
    assert len(bodies) == len(set(bodies)) > ROUNDS + 1


def test_a_run_that_never_fits_ends_with_the_sentence_for_the_person(loopback: Loopback) -> None:
    loopback.play([TooLong()] * 4)
    with pytest.raises(longturn.ConversationTooLong, match="new chat"):
        whole(agent("openai-chat", FitRequests(window())))
    bodies = [str(request.body) for request in loopback.requests]
    assert len(bodies) == len(set(bodies))


def test_another_refusal_stays_what_it_is(loopback: Loopback) -> None:
    loopback.play([Refusal(401, {"error": {"message": "no such key", "code": "invalid_api_key"}})])
    with pytest.raises(pydantic_ai.exceptions.ModelHTTPError) as caught:
        whole(agent("openai-chat", FitRequests(window())))
    assert longturn.classify(caught.value).kind == longturn.FailureKind.AUTH
    assert len(loopback.requests) == 1


def test_V8_a_history_on_the_server_passes_through(loopback: Loopback) -> None:
    loopback.play(agent_run(3))
    fit = FitRequests(window(1_000))
    with pytest.warns(UserWarning, match="provider keeps"):
        saved = whole(agent("openai-responses", fit), model_settings={"openai_previous_response_id": "auto"})
    check_saved(saved, 3)
    assert all(request.whole for request in loopback.requests[1:])
    assert fit.window.ratio == 1


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("kind", ["instructions", "system_prompt"])
def test_an_agent_that_was_told_already_is_told_once(kind: str, model: str, loopback: Loopback, judge: Judge) -> None:
    loopback.play(agent_run(ROUNDS))
    own = window()
    prompt: dict[str, Any] = {kind: f"{SYSTEM}\n\n{own.instructions()}"}
    made = pydantic_ai.Agent(MODELS[model], capabilities=[FitRequests(own)], **prompt)

    @made.tool_plain
    def read(page: int) -> str:
        """Read a page."""
        return PAGE

    awaited(made)
    check_run(loopback, judge)
