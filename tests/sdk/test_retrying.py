"""
Retry libraries with `is_retryable` in place of their own judgement, as `docs/retrying.md` has it.

The SDK's own retries are off: what is counted is what the library repeats.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

pytest.importorskip("pytest_httpserver")

from loopback import Answer, Loopback, Refusal, TooLong

import longturn

openai = pytest.importorskip("openai")

HISTORY = [{"role": "user", "content": "Count the words."}]
Ask = Callable[[], Any]


def refusal(status: int) -> Refusal:
    return Refusal(status, {"error": {"message": "no", "type": None, "param": None, "code": None}})


@pytest.fixture
def ask(loopback: Loopback) -> Iterator[Ask]:
    """Return a request that is sent once each time."""
    with openai.OpenAI(max_retries=0) as client:
        yield lambda: client.chat.completions.create(model="gpt", messages=HISTORY)


def by_stamina(ask: Ask) -> Ask:
    stamina = pytest.importorskip("stamina")
    return stamina.retry(on=longturn.is_retryable, attempts=3, wait_initial=0, wait_max=0, wait_jitter=0)(ask)  # type: ignore[no-any-return]


def by_tenacity(ask: Ask) -> Ask:
    tenacity = pytest.importorskip("tenacity")
    retry = tenacity.retry_if_exception(longturn.is_retryable)
    return tenacity.retry(retry=retry, stop=tenacity.stop_after_attempt(3), reraise=True)(ask)  # type: ignore[no-any-return]


def by_langgraph(ask: Ask) -> Ask:
    graphs, types = pytest.importorskip("langgraph.graph"), pytest.importorskip("langgraph.types")
    policy = types.RetryPolicy(
        retry_on=longturn.is_retryable, max_attempts=3, initial_interval=0, max_interval=0, jitter=False
    )
    graph = graphs.StateGraph(dict)
    graph.add_node("model", lambda state: {"answer": ask()}, retry_policy=policy)
    graph.add_edge(graphs.START, "model")
    agent = graph.compile()
    return lambda: agent.invoke({"question": "How many?"})


def by_langchain(ask: Ask) -> Ask:
    agents, middleware = pytest.importorskip("langchain.agents"), pytest.importorskip("langchain.agents.middleware")
    models, messages = (pytest.importorskip(f"langchain_core.{name}") for name in ("language_models", "messages"))
    outputs = pytest.importorskip("langchain_core.outputs")

    class Model(models.BaseChatModel):  # type: ignore[misc,name-defined]
        @property
        def _llm_type(self) -> str:
            return "asking"

        def _generate(self, *given: Any, **named: Any) -> Any:
            said = messages.AIMessage(ask().choices[0].message.content)
            return outputs.ChatResult(generations=[outputs.ChatGeneration(message=said)])

    retry = middleware.ModelRetryMiddleware(
        retry_on=longturn.is_retryable, max_retries=2, initial_delay=0, jitter=False, on_failure="error"
    )
    agent = agents.create_agent(Model(), middleware=[retry])
    return lambda: agent.invoke({"messages": HISTORY})


LIBRARIES = [by_stamina, by_tenacity, by_langgraph, by_langchain]


@pytest.mark.parametrize("library", LIBRARIES, ids=lambda library: library.__name__)
def test_21_an_invalid_request_is_sent_once_by_every_library(
    loopback: Loopback, ask: Ask, library: Callable[[Ask], Ask]
) -> None:
    """What passes is repeated, three times in all, or until there is an answer."""
    asked = library(ask)
    for reply, count in [(refusal(400), 1), (refusal(401), 1), (TooLong(), 1), (refusal(429), 3), (refusal(529), 3)]:
        loopback.play(lambda _, reply=reply: reply)
        with pytest.raises(openai.APIStatusError):
            asked()
        assert (reply, count) == (reply, len(loopback.requests))
    loopback.play([refusal(429), Answer("Four.")])
    asked()
    assert len(loopback.requests) == 2


def test_a_call_inside_a_retry_gives_up_once(loopback: Loopback) -> None:
    """`ConversationTooLong` is not worth repeating, either."""
    tenacity = pytest.importorskip("tenacity")
    window = longturn.Window(100_000)
    loopback.play(lambda _: TooLong(9_000, 8_000))
    with openai.OpenAI(max_retries=0) as client:

        @tenacity.retry(  # type: ignore[untyped-decorator,unused-ignore]
            retry=tenacity.retry_if_exception(longturn.is_retryable),
            stop=tenacity.stop_after_attempt(3),
            reraise=True,
        )
        def step() -> Any:
            return window.call(
                lambda fitted: client.chat.completions.create(model="gpt", messages=fitted.messages), HISTORY
            )

        with pytest.raises(longturn.ConversationTooLong):
            step()
    assert len(loopback.requests) == 1
