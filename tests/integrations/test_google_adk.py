"""Google ADK agents in a window, against a scripted provider."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace
from typing import Any

import pytest

pytest.importorskip("google.adk")

from google.adk.agents import LlmAgent
from google.adk.agents.run_config import RunConfig, StreamingMode
from google.adk.apps import App
from google.adk.models import LlmRequest, LlmResponse
from google.adk.runners import InMemoryRunner
from google.genai import errors, types
from loopback import Loopback, Refusal, TooLong, agent_run
from overlong import PAGE, ROUNDS, SYSTEM, TASK, Judge, check_learned, check_run, window

import longturn
from longturn.integrations.google_adk import FitPlugin

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::UserWarning:google.adk")
MODES = pytest.mark.parametrize("mode", [StreamingMode.NONE, StreamingMode.SSE])


def read(page: int) -> dict[str, str]:
    """Read a page."""
    return {"result": PAGE}


async def run(fit: FitPlugin, mode: StreamingMode) -> list[str]:
    """Return the results that the session holds after a run."""
    agent = LlmAgent(name="reader", model="gemini-any", instruction=SYSTEM, tools=[read])
    runner = InMemoryRunner(app=App(name="reading", root_agent=agent, plugins=[fit]))
    sessions = runner.session_service
    session = await sessions.create_session(app_name="reading", user_id="one")
    task = types.Content(role="user", parts=[types.Part(text=TASK)])
    config = RunConfig(streaming_mode=mode, max_llm_calls=0)
    async for _ in runner.run_async(user_id="one", session_id=session.id, new_message=task, run_config=config):
        pass
    saved: Any = await sessions.get_session(app_name="reading", user_id="one", session_id=session.id)
    parts = [part for event in saved.events if event.content for part in event.content.parts]
    return [part.function_response.response["result"] for part in parts if part.function_response]


@MODES
def test_a_run_stays_in_its_window(mode: StreamingMode, loopback: Loopback, judge: Judge) -> None:
    """Every request is valid and in the budget; the session keeps every page."""
    loopback.play(agent_run(ROUNDS))
    assert asyncio.run(run(FitPlugin(window()), mode)) == [PAGE] * ROUNDS
    check_run(loopback, judge)
    assert all(request.is_streamed == (mode is StreamingMode.SSE) for request in loopback.requests)


@MODES
def test_a_run_learns_what_the_provider_counts(mode: StreamingMode, loopback: Loopback) -> None:
    loopback.play(agent_run(ROUNDS), characters_per_token=2)
    fit = FitPlugin(window())
    assert asyncio.run(run(fit, mode)) == [PAGE] * ROUNDS
    check_learned(loopback, fit.window)
    assert fit._sent == {}


@MODES
def test_a_refusal_as_too_long_is_answered_by_a_smaller_request(
    mode: StreamingMode, loopback: Loopback, judge: Judge
) -> None:
    loopback.play(agent_run(ROUNDS), limit=3_500)
    assert asyncio.run(run(FitPlugin(window()), mode)) == [PAGE] * ROUNDS
    bodies = [str(request.body) for request in loopback.requests]
    assert len(bodies) == len(set(bodies)) > ROUNDS + 1
    assert [judge(request.protocol.name, request.body) for request in loopback.requests] == [[]] * len(bodies)


@MODES
def test_a_refusal_that_nothing_helps_stays_the_sdks_and_has_a_sentence_for_the_person(
    mode: StreamingMode, loopback: Loopback
) -> None:
    loopback.play([*agent_run(3)[:-1], TooLong(), TooLong(), TooLong()])
    with pytest.raises(errors.ClientError) as caught:
        asyncio.run(run(FitPlugin(window()), mode))
    failure = longturn.classify(caught.value)
    assert failure.kind == longturn.FailureKind.CONTEXT_OVERFLOW
    assert "new chat" in (failure.message or "")
    assert len(loopback.requests) == 5


def test_an_error_of_the_smaller_request_is_not_hidden(loopback: Loopback) -> None:
    """Else it would look as if the conversation were too long."""
    denied = {"error": {"code": 403, "status": "PERMISSION_DENIED", "message": "not yours"}}
    loopback.play([*agent_run(3)[:-1], TooLong(), Refusal(403, denied)])
    with pytest.raises(RuntimeError) as caught:
        asyncio.run(run(FitPlugin(window()), StreamingMode.NONE))
    assert longturn.classify(caught.value).kind == longturn.FailureKind.AUTH


def test_V8_an_interaction_on_the_server_passes_through() -> None:
    """Also one that begins in the middle of a run: what its answers count is of no request that was fitted."""
    fit = FitPlugin(window(1_000))
    context: Any = SimpleNamespace(invocation_id="one", agent_name="reader")
    contents = [types.Content(role="user", parts=[types.Part(text=text)]) for text in (TASK, PAGE, PAGE, PAGE)]
    whole, held = (LlmRequest(contents=list(contents), config=types.GenerateContentConfig()) for _ in range(2))
    held.previous_interaction_id = "before"
    usage = types.GenerateContentResponseUsageMetadata(prompt_token_count=6_000)

    async def go() -> None:
        await fit.before_model_callback(callback_context=context, llm_request=whole)
        await fit.before_model_callback(callback_context=context, llm_request=held)
        await fit.after_model_callback(callback_context=context, llm_response=LlmResponse(usage_metadata=usage))

    with pytest.warns(UserWarning, match="provider keeps"):
        asyncio.run(go())
    assert held.contents == contents
    assert fit.window.ratio == 1
