"""Agents of Microsoft's Agent Framework in a window, against a scripted provider."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

pytest.importorskip("agent_framework")
pytest.importorskip("agent_framework.openai")

from agent_framework import Agent, ChatMiddleware, Content, tool
from agent_framework.exceptions import ChatClientException
from agent_framework.openai import OpenAIChatClient, OpenAIChatCompletionClient
from loopback import Answer, Loopback, TooLong, agent_run
from overlong import BUDGET, PAGE, ROUNDS, SYSTEM, TASK, Judge, check_learned, check_run, window

import longturn
from longturn.integrations.agent_framework import FitMiddleware

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::pytest.PytestUnraisableExceptionWarning")
STREAMS = pytest.mark.parametrize("streams", [False, True])
CLIENTS = pytest.mark.parametrize("client", [OpenAIChatCompletionClient, OpenAIChatClient])


@tool(approval_mode="never_require")
def read(page: int) -> str:
    """Read a page."""
    return PAGE


def run(fit: FitMiddleware, client: Any, *, streams: bool, **options: Any) -> list[str]:
    """Return the results that the response holds."""

    async def go() -> Any:
        made = client(
            model="any", function_invocation_configuration={"max_iterations": ROUNDS + 1, "max_function_calls": None}
        )
        agent = Agent(client=made, instructions=SYSTEM, tools=[read], middleware=[fit])
        if not streams:
            return await agent.run(TASK, **options)
        stream = agent.run(TASK, stream=True, **options)
        assert [update async for update in stream]
        return await stream.get_final_response()

    found = asyncio.run(go())
    contents = [one for message in found.messages for one in message.contents]
    return [one.result for one in contents if one.type == "function_result"]


OFF = {"options": {"store": False}}


@STREAMS
@CLIENTS
def test_a_run_stays_in_its_window(client: Any, streams: bool, loopback: Loopback, judge: Judge) -> None:
    """Every request is valid and in the budget; the response keeps every page."""
    loopback.play(agent_run(ROUNDS))
    assert run(FitMiddleware(window()), client, streams=streams, **OFF) == [PAGE] * ROUNDS
    check_run(loopback, judge)
    assert all(request.is_streamed == streams for request in loopback.requests)


@STREAMS
def test_a_run_learns_what_the_provider_counts(streams: bool, loopback: Loopback) -> None:
    loopback.play(agent_run(ROUNDS), characters_per_token=2)
    fit = FitMiddleware(window())
    run(fit, OpenAIChatCompletionClient, streams=streams)
    check_learned(loopback, fit.window)


@STREAMS
@CLIENTS
def test_a_refusal_as_too_long_is_answered_by_a_smaller_request(client: Any, streams: bool, loopback: Loopback) -> None:
    loopback.play(agent_run(ROUNDS), limit=3_500)
    assert run(FitMiddleware(window()), client, streams=streams, **OFF) == [PAGE] * ROUNDS
    bodies = [str(request.body) for request in loopback.requests]
    assert len(bodies) == len(set(bodies)) > ROUNDS + 1


@STREAMS
def test_a_run_that_never_fits_ends_with_the_sentence_for_the_person(streams: bool, loopback: Loopback) -> None:
    loopback.play([TooLong()] * 4)
    with pytest.raises(longturn.ConversationTooLong, match="new chat"):
        run(FitMiddleware(window()), OpenAIChatCompletionClient, streams=streams)
    assert len(loopback.requests) <= 2


def test_a_stream_that_breaks_stays_the_frameworks(loopback: Loopback) -> None:
    """What was read can't be taken back: nothing is sent again."""
    loopback.play([Answer("Half of it.", broken={"error": {"message": "The server broke.", "type": "server_error"}})])
    with pytest.raises(ChatClientException):
        run(FitMiddleware(window()), OpenAIChatCompletionClient, streams=True)
    assert len(loopback.requests) == 1


def test_middleware_behind_it_sees_streams_and_results(loopback: Loopback) -> None:
    """Hooks that others add are heard, also for the request that follows a refusal."""
    heard: list[str] = []

    class Listening(ChatMiddleware):
        async def process(self, context: Any, call_next: Any) -> None:
            context.stream_result_hooks.append(lambda answer: heard.append(answer.text))
            await call_next()

    async def go() -> None:
        own = [FitMiddleware(window(3_000)), Listening()]
        agent = Agent(client=OpenAIChatCompletionClient(model="any"), tools=[read], middleware=own)
        async for _ in agent.run(TASK, stream=True):
            pass

    loopback.play(agent_run(4), limit=2_000)
    asyncio.run(go())
    assert len(loopback.requests) > 5
    assert heard[-1] == "Done."
    assert len(heard) == 5


def test_pictures_in_results_are_measured_and_go_with_them(loopback: Loopback) -> None:
    @tool(approval_mode="never_require")
    def show(page: int) -> list[Content]:
        """Show a page."""
        return [Content.from_text(PAGE), Content.from_data(b"\x89PNG\r\n\x1a\n" + b"x" * 100, "image/png")]

    async def go() -> None:
        client = OpenAIChatClient(model="any")
        await Agent(client=client, tools=[show], middleware=[FitMiddleware(window())]).run(TASK, **OFF)

    loopback.play(agent_run(8))
    asyncio.run(go())
    last = loopback.requests[-1]
    assert last.cleared
    assert max(longturn.estimate(request.messages) for request in loopback.requests) <= BUDGET
    assert str(last.body).count("data:image/png") == len(last.whole)


def test_V8_a_conversation_on_the_server_passes_through(loopback: Loopback) -> None:
    """Responses that the provider stores are continued there: only what is new is sent."""
    loopback.play(agent_run(3))
    fit = FitMiddleware(window(1_000))
    with pytest.warns(UserWarning, match="provider keeps"):
        assert run(fit, OpenAIChatClient, streams=False) == [PAGE] * 3
    assert [len(request.messages) for request in loopback.requests[1:]] == [1, 1, 1]
    assert all(request.whole for request in loopback.requests[1:])
