"""LangChain agents in a window, against a scripted provider."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from types import ModuleType
from typing import Any

import pytest

from loopback import Loopback, agent_run
from overlong import PAGE, ROUNDS, SYSTEM, TASK, check_run, window

pytest.importorskip("langchain.agents.middleware")
pytest.importorskip("langchain_openai")
pytest.importorskip("langchain_anthropic")

from langchain.agents import create_agent
from langchain_anthropic import ChatAnthropic
from langchain_core.messages import ToolMessage
from langchain_openai import ChatOpenAI

from longturn.integrations.langchain import FitMiddleware

MODELS: dict[str, Callable[[], Any]] = {
    "openai-chat": lambda: ChatOpenAI(model="any", use_responses_api=False, max_retries=0, stream_usage=True),
    "openai-responses": lambda: ChatOpenAI(model="any", use_responses_api=True, max_retries=0),
    "anthropic": lambda: ChatAnthropic(model="any", max_retries=0),
}
MODEL = pytest.mark.parametrize("model", MODELS)


def read(page: int) -> str:
    """Read a page."""
    return PAGE


def agent(model: str, fit: FitMiddleware, **more: Any) -> Any:
    return create_agent(MODELS[model](), [read], system_prompt=SYSTEM, middleware=[fit], **more)


ASKED = {"messages": [{"role": "user", "content": TASK}]}
LIMITS = {"recursion_limit": 200}


def check_saved(state: Any) -> None:
    results = [message.content for message in state["messages"] if isinstance(message, ToolMessage)]
    assert results == [PAGE] * ROUNDS


@MODEL
def test_a_run_stays_in_its_window(model: str, loopback: Loopback, request: pytest.FixtureRequest) -> None:
    """Every request is valid and in the budget; the state keeps every page."""
    loopback.play(agent_run(ROUNDS))
    fit = FitMiddleware(window())
    check_saved(agent(model, fit).invoke(ASKED, LIMITS))
    check_run(loopback)
    assert fit.window.ratio > 1  # the scripted provider counts more than the messages


@MODEL
def test_an_async_run_stays_in_its_window(model: str, loopback: Loopback) -> None:
    loopback.play(agent_run(ROUNDS))
    check_saved(asyncio.run(agent(model, FitMiddleware(window())).ainvoke(ASKED, LIMITS)))
    check_run(loopback)


@MODEL
def test_a_streamed_run_stays_in_its_window(model: str, loopback: Loopback) -> None:
    loopback.play(agent_run(ROUNDS))
    pieces = list(agent(model, FitMiddleware(window())).stream(ASKED, LIMITS, stream_mode="messages"))
    assert len(pieces) > ROUNDS
    check_run(loopback)
    assert all(one.is_streamed for one in loopback.requests)
