"""LangGraph graphs in a window, against a scripted provider."""

from __future__ import annotations

import asyncio
import warnings
from collections.abc import Callable
from typing import Any

import pytest

pytest.importorskip("langgraph.prebuilt")
pytest.importorskip("langchain_openai")

from langchain_core.messages import HumanMessage, SystemMessage, ToolMessage
from langchain_openai import ChatOpenAI
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.prebuilt import ToolNode, create_react_agent, tools_condition
from langgraph.types import RetryPolicy
from loopback import Loopback, TooLong, agent_run
from overlong import PAGE, ROUNDS, SYSTEM, TASK, Judge, check_learned, check_run, window

import longturn
from longturn.integrations.langgraph import PreModelHook, model_node

LIMITS: Any = {"recursion_limit": 200, "configurable": {"thread_id": "one"}}


def read(page: int) -> str:
    """Read a page."""
    return PAGE


def model() -> ChatOpenAI:
    return ChatOpenAI(model="any", use_responses_api=False, max_retries=0, stream_usage=True)


def own_graph(own: longturn.Window, **options: Any) -> Any:
    builder = StateGraph(MessagesState)
    builder.add_node("model", model_node(own, model().bind_tools([read])), **options)
    builder.add_node("tools", ToolNode([read]))
    builder.add_edge(START, "model")
    builder.add_conditional_edges("model", tools_condition)
    builder.add_edge("tools", "model")
    return builder.compile(checkpointer=InMemorySaver())


def prebuilt(own: longturn.Window, **options: Any) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        hook = PreModelHook(own)
        return create_react_agent(model(), [read], pre_model_hook=hook, checkpointer=InMemorySaver(), **options)


GRAPHS = pytest.mark.parametrize("graph", [own_graph, prebuilt])


def asked(*, has_system: bool = True) -> dict[str, Any]:
    return {"messages": [*([SystemMessage(SYSTEM)] if has_system else []), HumanMessage(TASK)]}


def invoked(graph: Any, asked: Any) -> Any:
    return graph.invoke(asked, LIMITS)


def awaited(graph: Any, asked: Any) -> Any:
    return asyncio.run(graph.ainvoke(asked, LIMITS))


def streamed(graph: Any, asked: Any) -> Any:
    return list(graph.stream(asked, LIMITS, stream_mode=["messages", "values"]))[-1][1]


WAYS = pytest.mark.parametrize("way", [invoked, awaited, streamed])


def check_saved(state: Any) -> None:
    results = [message.content for message in state["messages"] if isinstance(message, ToolMessage)]
    assert results == [PAGE] * ROUNDS


@WAYS
@GRAPHS
def test_a_run_stays_in_its_window(
    graph: Callable[..., Any], way: Callable[..., Any], loopback: Loopback, judge: Judge
) -> None:
    """Every request is valid and in the budget; the state keeps every page, and no word of the window's."""
    loopback.play(agent_run(ROUNDS))
    own = window()
    state = way(graph(own), asked())
    check_saved(state)
    check_run(loopback, judge)
    assert own.instructions() not in str(state["messages"])


@WAYS
@GRAPHS
def test_a_run_learns_what_the_provider_counts(
    graph: Callable[..., Any], way: Callable[..., Any], loopback: Loopback
) -> None:
    loopback.play(agent_run(ROUNDS), characters_per_token=2)
    own = window()
    check_saved(way(graph(own), asked()))
    check_learned(loopback, own)


def test_a_history_without_a_system_message_gets_one(loopback: Loopback, judge: Judge) -> None:
    loopback.play(agent_run(ROUNDS))
    invoked(own_graph(window()), asked(has_system=False))
    check_run(loopback, judge)


def test_a_prompt_of_the_prebuilt_agent_stays_first(loopback: Loopback, judge: Judge) -> None:
    """The prebuilt agent puts its prompt before what the hook returns."""
    loopback.play(agent_run(ROUNDS))
    invoked(prebuilt(window(), prompt=SYSTEM), asked(has_system=False))
    check_run(loopback, judge)


@pytest.mark.parametrize("way", [invoked, awaited])
def test_a_refusal_as_too_long_is_answered_by_a_smaller_request(way: Callable[..., Any], loopback: Loopback) -> None:
    loopback.play(agent_run(ROUNDS), limit=3_500)
    check_saved(way(own_graph(window()), asked()))
    bodies = [str(request.body) for request in loopback.requests]
    assert len(bodies) == len(set(bodies)) > ROUNDS + 1


@pytest.mark.parametrize(
    "policy", [RetryPolicy(initial_interval=0), RetryPolicy(initial_interval=0, retry_on=longturn.is_retryable)]
)
def test_a_policy_of_retries_repeats_no_refused_request(policy: RetryPolicy, loopback: Loopback) -> None:
    loopback.play([TooLong()] * 9)
    with pytest.raises(longturn.ConversationTooLong, match="new chat"):
        invoked(own_graph(window(), retry_policy=policy), asked())
    bodies = [str(request.body) for request in loopback.requests]
    assert len(bodies) == len(set(bodies))
