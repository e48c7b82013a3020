"""Haystack agents in a window, against a scripted provider."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

pytest.importorskip("haystack.components.agents")

from haystack.components.agents import Agent
from haystack.components.generators.chat import OpenAIChatGenerator
from haystack.dataclasses import ChatMessage, StreamingChunk
from haystack.tools import tool
from haystack.utils import Secret
from loopback import Loopback, TooLong, agent_run
from overlong import PAGE, ROUNDS, SYSTEM, TASK, Judge, check_learned, check_run, window

import longturn
from longturn.integrations.haystack import FitGenerator

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::pytest.PytestUnraisableExceptionWarning")


@tool
def read(page: int) -> str:
    """Read a page."""
    return PAGE


@pytest.fixture(autouse=True)
def _without_telemetry(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HAYSTACK_TELEMETRY_ENABLED", "False")


def agent(own: longturn.Window, **options: Any) -> Any:
    generator = OpenAIChatGenerator(
        model="any",
        api_key=Secret.from_token("placeholder"),
        max_retries=0,
        generation_kwargs={"stream_options": {"include_usage": True}} if options else None,
    )
    steps = ROUNDS + 1
    return Agent(
        chat_generator=FitGenerator(generator, own),
        tools=[read],
        system_prompt=SYSTEM,
        max_agent_steps=steps,
        **options,
    )


ASKED = [ChatMessage.from_user(TASK)]


def whole(own: longturn.Window) -> Any:
    return agent(own).run(messages=ASKED)


def awaited(own: longturn.Window) -> Any:
    return asyncio.run(agent(own).run_async(messages=ASKED))


def streamed(own: longturn.Window) -> Any:
    pieces: list[StreamingChunk] = []
    found = agent(own, streaming_callback=pieces.append).run(messages=ASKED)
    assert pieces
    return found


WAYS = pytest.mark.parametrize("way", [whole, awaited, streamed])


def pages(found: Any) -> list[str]:
    return [result.result for message in found["messages"] for result in message.tool_call_results]


@WAYS
def test_a_run_stays_in_its_window(way: Callable[..., Any], loopback: Loopback, judge: Judge) -> None:
    """Every request is valid and in the budget; the state keeps every page."""
    loopback.play(agent_run(ROUNDS))
    assert pages(way(window())) == [PAGE] * ROUNDS
    check_run(loopback, judge)


@WAYS
def test_a_run_learns_what_the_provider_counts(way: Callable[..., Any], loopback: Loopback) -> None:
    loopback.play(agent_run(ROUNDS), characters_per_token=2)
    own = window()
    way(own)
    check_learned(loopback, own)


def test_a_refusal_as_too_long_is_answered_by_a_smaller_request(loopback: Loopback) -> None:
    loopback.play(agent_run(ROUNDS), limit=3_500)
    assert pages(whole(window())) == [PAGE] * ROUNDS
    bodies = [str(request.body) for request in loopback.requests]
    assert len(bodies) == len(set(bodies)) > ROUNDS + 1


def test_a_run_that_never_fits_ends_with_the_sentence_for_the_person(loopback: Loopback) -> None:
    loopback.play([TooLong()] * 4)
    with pytest.raises(Exception, match="new chat"):
        whole(window())
    assert len(loopback.requests) <= 2
