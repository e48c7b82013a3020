"""LlamaIndex agents in a window, against a scripted provider."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

pytest.importorskip("llama_index.core")
pytest.importorskip("llama_index.llms.openai_like")

from llama_index.core.agent.workflow import FunctionAgent
from llama_index.core.base.llms.types import ChatMessage, MessageRole
from llama_index.core.memory import ChatMemoryBuffer
from llama_index.llms.openai_like import OpenAILike
from loopback import Loopback, TooLong, agent_run
from overlong import PAGE, ROUNDS, SYSTEM, TASK, Judge, check_learned, check_run, window

import longturn
from longturn.integrations.llama_index import fit_llm

# The framework's own tools and workflows use what pydantic and asyncio have deprecated.
pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::pytest.PytestUnraisableExceptionWarning")
STREAMS = pytest.mark.parametrize("streams", [False, True])


def read(page: int) -> str:
    """Read a page."""
    return PAGE


def llm(loopback: Loopback, own: longturn.Window) -> Any:
    made = OpenAILike(
        model="any",
        api_base=f"{loopback.url}/v1",
        api_key="placeholder",
        is_chat_model=True,
        is_function_calling_model=True,
        context_window=1_000_000,
        max_retries=0,
        additional_kwargs={"stream_options": {"include_usage": True}},
    )
    return fit_llm(made, own)


def run(loopback: Loopback, own: longturn.Window, *, streams: bool) -> list[Any]:
    """Return the results that the memory holds after a run."""

    async def go() -> Any:
        memory = ChatMemoryBuffer.from_defaults(token_limit=1_000_000)
        model = llm(loopback, own)
        if not streams:
            model.additional_kwargs = {}
        agent = FunctionAgent(tools=[read], llm=model, system_prompt=SYSTEM, streaming=streams, timeout=None)
        await agent.run(TASK, memory=memory, max_iterations=ROUNDS + 5)
        return [one.content for one in memory.get_all() if one.role == MessageRole.TOOL]

    return asyncio.run(go())  # type: ignore[no-any-return]


@STREAMS
def test_a_run_stays_in_its_window(streams: bool, loopback: Loopback, judge: Judge) -> None:
    """Every request is valid and in the budget; the memory keeps every page."""
    loopback.play(agent_run(ROUNDS))
    assert run(loopback, window(), streams=streams) == [PAGE] * ROUNDS
    check_run(loopback, judge)
    assert all(request.is_streamed == streams for request in loopback.requests)


@STREAMS
def test_a_run_learns_what_the_provider_counts(streams: bool, loopback: Loopback) -> None:
    loopback.play(agent_run(ROUNDS), characters_per_token=2)
    own = window()
    run(loopback, own, streams=streams)
    check_learned(loopback, own)


@STREAMS
def test_a_refusal_as_too_long_is_answered_by_a_smaller_request(streams: bool, loopback: Loopback) -> None:
    loopback.play(agent_run(ROUNDS), limit=3_500)
    assert run(loopback, window(), streams=streams) == [PAGE] * ROUNDS
    bodies = [str(request.body) for request in loopback.requests]
    assert len(bodies) == len(set(bodies)) > ROUNDS + 1


def test_a_synchronous_chat_is_fitted_too(loopback: Loopback, judge: Judge) -> None:
    loopback.play(agent_run(0, text="Hello."))
    asked = [ChatMessage(SYSTEM, role=MessageRole.SYSTEM), ChatMessage(TASK)]
    model = llm(loopback, window())
    model.additional_kwargs = {}
    assert model.chat(asked).message.content == "Hello."
    assert loopback.requests[0].occurrences(window().instructions()) == 1
    loopback.play(agent_run(0, text="Hello."))
    assert "".join(piece.delta or "" for piece in model.stream_chat(asked)) == "Hello."
    assert loopback.requests[0].occurrences(window().instructions()) == 1


def test_a_run_that_never_fits_ends_with_the_sentence_for_the_person(loopback: Loopback) -> None:
    loopback.play([TooLong()] * 4)
    with pytest.raises(longturn.ConversationTooLong, match="new chat"):
        llm(loopback, window()).chat([ChatMessage(TASK)])
    assert len(loopback.requests) <= 2
