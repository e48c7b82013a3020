"""LangChain agents in a window, against a scripted provider."""

from __future__ import annotations

import asyncio
import warnings
from collections.abc import Callable
from typing import Any

import pytest

pytest.importorskip("langchain.agents.middleware")
pytest.importorskip("langchain_openai")
pytest.importorskip("langchain_anthropic")

from langchain.agents import create_agent
from langchain.agents.middleware import ContextEditingMiddleware
from langchain_anthropic import ChatAnthropic
from langchain_core.messages import SystemMessage, ToolMessage
from langchain_openai import ChatOpenAI
from loopback import Loopback, Refusal, TooLong, agent_run
from overlong import PAGE, ROUNDS, SYSTEM, TASK, Judge, check_learned, check_run, window

import longturn
from longturn.integrations.langchain import FitEdit, FitMiddleware

MODELS: dict[str, Callable[[], Any]] = {
    "openai-chat": lambda: ChatOpenAI(model="any", use_responses_api=False, max_retries=0, stream_usage=True),
    "openai-responses": lambda: ChatOpenAI(model="any", use_responses_api=True, max_retries=0),
    "anthropic": lambda: ChatAnthropic(model="any", max_retries=0),
}
ASKED = {"messages": [{"role": "user", "content": TASK}]}
LIMITS: Any = {"recursion_limit": 200}


def read(page: int) -> str:
    """Read a page."""
    return PAGE


def invoked(agent: Any) -> Any:
    return agent.invoke(ASKED, LIMITS)


def awaited(agent: Any) -> Any:
    return asyncio.run(agent.ainvoke(ASKED, LIMITS))


def streamed(agent: Any) -> Any:
    pieces = list(agent.stream(ASKED, LIMITS, stream_mode=["messages", "values"]))
    return pieces[-1][1]


WAYS = pytest.mark.parametrize("way", [invoked, awaited, streamed])
PROVIDERS = pytest.mark.parametrize("model", MODELS)


def agent(model: str, *middleware: Any, system: Any = SYSTEM) -> Any:
    return create_agent(MODELS[model](), [read], system_prompt=system, middleware=middleware)


def check_saved(state: Any, rounds: int = ROUNDS) -> None:
    results = [message.content for message in state["messages"] if isinstance(message, ToolMessage)]
    assert results == [PAGE] * rounds


@WAYS
@PROVIDERS
def test_a_run_stays_in_its_window(model: str, way: Callable[[Any], Any], loopback: Loopback, judge: Judge) -> None:
    """Every request is valid and in the budget; the state keeps every page."""
    loopback.play(agent_run(ROUNDS))
    check_saved(way(agent(model, FitMiddleware(window()))))
    check_run(loopback, judge)
    assert all(request.is_streamed == (way is streamed) for request in loopback.requests)


@WAYS
@PROVIDERS
def test_a_run_learns_what_the_provider_counts(model: str, way: Callable[[Any], Any], loopback: Loopback) -> None:
    loopback.play(agent_run(ROUNDS), characters_per_token=2)
    fit = FitMiddleware(window())
    check_saved(way(agent(model, fit)))
    check_learned(loopback, fit.window)


@pytest.mark.parametrize("way", [invoked, awaited])
@PROVIDERS
def test_a_refusal_as_too_long_is_answered_by_a_smaller_request(
    model: str, way: Callable[[Any], Any], loopback: Loopback
) -> None:
    """The provider's limit is half the budget: the run finishes, and no request is sent twice."""
    loopback.play(agent_run(ROUNDS), limit=3_500)
    check_saved(way(agent(model, FitMiddleware(window()))))
    bodies = [str(request.body) for request in loopback.requests]
    assert len(bodies) == len(set(bodies)) > ROUNDS + 1


def test_a_run_that_never_fits_ends_with_the_sentence_for_the_person(loopback: Loopback) -> None:
    loopback.play([TooLong(), TooLong(), TooLong(), TooLong()])
    with pytest.raises(longturn.ConversationTooLong, match="new chat"):
        invoked(agent("openai-chat", FitMiddleware(window())))
    bodies = [str(request.body) for request in loopback.requests]
    assert len(bodies) == len(set(bodies))


def test_another_refusal_stays_what_it_is(loopback: Loopback) -> None:
    loopback.play([Refusal(401, {"error": {"message": "no such key", "code": "invalid_api_key"}})])
    with pytest.raises(Exception, match="no such key") as caught:
        invoked(agent("openai-chat", FitMiddleware(window())))
    assert longturn.classify(caught.value).kind == longturn.FailureKind.AUTH
    assert len(loopback.requests) == 1


def test_a_system_message_of_blocks_keeps_its_cache_mark(loopback: Loopback, judge: Judge) -> None:
    loopback.play(agent_run(ROUNDS))
    block = {"type": "text", "text": SYSTEM, "cache_control": {"type": "ephemeral"}}
    invoked(agent("anthropic", FitMiddleware(window()), system=SystemMessage([block])))
    check_run(loopback, judge)
    assert all(request.body["system"][0] == block for request in loopback.requests)


def test_instructions_that_are_there_already_are_not_added(loopback: Loopback, judge: Judge) -> None:
    loopback.play(agent_run(ROUNDS))
    own = window()
    invoked(agent("openai-chat", FitMiddleware(own), system=f"{own.instructions()}\n\n{SYSTEM}"))
    check_run(loopback, judge)


def test_V8_a_history_on_the_server_passes_through(loopback: Loopback) -> None:
    loopback.play(agent_run(3))
    model = ChatOpenAI(model="any", use_previous_response_id=True, max_retries=0)
    fit = FitMiddleware(window(1_000))
    with pytest.warns(UserWarning, match="provider keeps"):
        state = invoked(create_agent(model, [read], middleware=[fit]))
    check_saved(state, 3)
    assert [len(request.messages) for request in loopback.requests[1:]] == [1, 1, 1]
    assert all(request.whole for request in loopback.requests[1:])
    assert fit.window.ratio == 1


@WAYS
def test_an_edit_works_inside_the_stock_middleware(way: Callable[[Any], Any], loopback: Loopback, judge: Judge) -> None:
    loopback.play(agent_run(ROUNDS))
    own = window()
    editing = ContextEditingMiddleware(edits=[FitEdit(own)], token_counter=longturn.estimate)
    with warnings.catch_warnings():
        check_saved(way(agent("openai-chat", editing, system=f"{SYSTEM}\n\n{own.instructions()}")))
    check_run(loopback, judge)
