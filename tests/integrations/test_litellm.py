"""LiteLLM in a window, against a scripted provider."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Callable
from contextlib import suppress
from copy import deepcopy
from typing import Any

import pytest
from loopback import Answer, Loopback, Refusal, TooLong, agent_run
from overlong import PAGE, ROUNDS, SYSTEM, TASK, Judge, check_learned, check_run, window

import longturn

os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"  # or it is fetched when the package is imported

litellm = pytest.importorskip("litellm")

from longturn.integrations.litellm import callback, wrap  # noqa: E402  # it imports LiteLLM

TOOLS = [{"type": "function", "function": {"name": "read", "parameters": {"type": "object", "properties": {}}}}]
USAGE = {"stream_options": {"include_usage": True}}
PROVIDERS = pytest.mark.parametrize("model", ["openai/any", "anthropic/any"])

# Objects of LiteLLM's are pydantic's of another shape than their fields say; its loops outlive asyncio.run.
pytestmark = [
    pytest.mark.filterwarnings("ignore::UserWarning:pydantic"),
    pytest.mark.filterwarnings("ignore::DeprecationWarning:litellm"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),  # sessions that it leaves open
]


@pytest.fixture(autouse=True)
def alone(own_loop: None, loopback: Loopback, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(litellm, "suppress_debug_info", True)
    monkeypatch.setattr(litellm, "callbacks", [])
    monkeypatch.setattr(litellm, "in_memory_llm_clients_cache", type(litellm.in_memory_llm_clients_cache)())


TELLS_FAILURES = hasattr(litellm.integrations.custom_logger.CustomLogger, "async_post_call_failure_deployment_hook")


class Agent:
    """An agent loop; keeps messages as LiteLLM gave them."""

    def __init__(self, model: str = "openai/any", **options: Any) -> None:
        self.history: list[Any] = [{"role": "system", "content": SYSTEM}, {"role": "user", "content": TASK}]
        self.options = {"model": model, "tools": TOOLS, **options}

    def request(self) -> dict[str, Any]:
        return {**self.options, "messages": self.history}

    def take(self, answer: Any) -> bool:
        message = answer.choices[0].message
        self.history.append(message)
        calls = message.tool_calls or []
        self.history += [{"role": "tool", "tool_call_id": call.id, "content": PAGE} for call in calls]
        return bool(calls)

    def run(self, complete: Callable[..., Any]) -> None:
        while self.take(complete(**self.request())):
            pass

    async def arun(self, complete: Callable[..., Any]) -> None:
        while self.take(await complete(**self.request())):
            pass

    def pages(self) -> int:
        return sum(isinstance(one, dict) and one["content"] == PAGE for one in self.history)


def router() -> Any:
    models = [{"model_name": "openai/any", "litellm_params": {"model": "openai/any"}}]
    return litellm.Router(model_list=models, num_retries=0)  # older ones repeat whatever was refused


# ---------------------------------------------------------------------- ways to ask, each a whole run


def whole(own: longturn.Window, agent: Agent) -> None:
    agent.run(wrap(litellm.completion, own))


def stream(own: longturn.Window, agent: Agent) -> None:
    complete = wrap(litellm.completion, own)
    agent.run(lambda **request: litellm.stream_chunk_builder(list(complete(**request, **USAGE, stream=True))))


def awhole(own: longturn.Window, agent: Agent) -> None:
    asyncio.run(agent.arun(wrap(litellm.acompletion, own)))


def astream(own: longturn.Window, agent: Agent) -> None:
    complete = wrap(litellm.acompletion, own)

    async def built(**request: Any) -> Any:
        chunks = [chunk async for chunk in await complete(**request, **USAGE, stream=True)]
        return litellm.stream_chunk_builder(chunks)

    asyncio.run(agent.arun(built))


def routed(own: longturn.Window, agent: Agent) -> None:
    agent.run(wrap(router().completion, own))


def hooked(own: longturn.Window, agent: Agent) -> None:
    litellm.callbacks = [callback(own)]
    asyncio.run(agent.arun(litellm.acompletion))


def hooked_stream(own: longturn.Window, agent: Agent) -> None:
    async def built(**request: Any) -> Any:
        chunks = [chunk async for chunk in await litellm.acompletion(**request, **USAGE, stream=True)]
        return litellm.stream_chunk_builder(chunks)

    litellm.callbacks = [callback(own)]
    asyncio.run(agent.arun(built))


def hooked_router(own: longturn.Window, agent: Agent) -> None:
    litellm.callbacks = [callback(own)]
    asyncio.run(agent.arun(router().acompletion))


WRAPPED = [whole, stream, awhole, astream, routed]
HOOKED = [hooked, hooked_stream, hooked_router]
WAYS = pytest.mark.parametrize("way", [*WRAPPED, *HOOKED])


@WAYS
def test_a_run_stays_in_its_window(way: Any, loopback: Loopback, judge: Judge) -> None:
    """However a request is made: all are valid and in the budget, and the history keeps every page."""
    loopback.play(agent_run(ROUNDS))
    agent = Agent()
    way(window(), agent)
    check_run(loopback, judge)
    assert agent.pages() == ROUNDS


@pytest.mark.parametrize("way", [whole, hooked])
def test_a_run_with_another_provider(way: Any, loopback: Loopback, judge: Judge) -> None:
    """What LiteLLM makes of the fitted messages for it is valid, too."""
    loopback.play(agent_run(ROUNDS))
    agent = Agent("anthropic/any")
    way(window(), agent)
    check_run(loopback, judge)
    assert {request.protocol.name for request in loopback.requests} == {"anthropic"}


def test_responses(loopback: Loopback, judge: Judge) -> None:
    """The other API, with its own keys."""
    tools = [{"type": "function", "name": "read", "parameters": {"type": "object", "properties": {}}}]
    history: list[Any] = [{"role": "user", "content": TASK}]
    respond = wrap(litellm.responses, window())
    loopback.play(agent_run(ROUNDS))
    for _ in range(ROUNDS + 1):
        answer = respond(history, "openai/any", instructions=SYSTEM, tools=tools)
        history += [item.model_dump(exclude_none=True) for item in answer.output]
        calls = [item for item in answer.output if item.type == "function_call"]
        history += [{"type": "function_call_output", "call_id": call.call_id, "output": PAGE} for call in calls]
    check_run(loopback, judge)


# ---------------------------------------------------------------------- the proxy


def test_the_proxys_hook_fits_anthropics_messages(loopback: Loopback) -> None:
    """Their prompt is not among the messages; what else there is in the request stays; twice is as once."""
    hook = callback(window())
    messages: list[Any] = [{"role": "user", "content": TASK}]
    for number in range(9):
        use = {"type": "tool_use", "id": f"c{number}", "name": "read", "input": {}}
        result = {"type": "tool_result", "tool_use_id": f"c{number}", "content": PAGE}
        messages += [{"role": "assistant", "content": [use]}, {"role": "user", "content": [result]}]
    data = {"model": "claude", "max_tokens": 9, "messages": messages, "metadata": {"user_id": "u"}}
    before = deepcopy(data)
    once = asyncio.run(hook.async_pre_call_hook(None, None, data, "anthropic_messages"))
    assert before == data
    assert once["system"] == window().instructions()
    assert longturn.estimate(once["messages"]) <= window().policy.budget < longturn.estimate(messages)
    assert {key: once[key] for key in ("model", "max_tokens", "metadata")} == {
        key: data[key] for key in ("model", "max_tokens", "metadata")
    }
    again = asyncio.run(hook.async_pre_call_deployment_hook(once, litellm.types.utils.CallTypes.anthropic_messages))
    assert once == again


def test_what_holds_no_history_is_left_alone() -> None:
    """Embeddings have an input, too."""
    data = {"model": "any", "input": ["a text"]}
    hook = callback(window())
    assert asyncio.run(hook.async_pre_call_hook(None, None, data, "aembedding")) is data
    with pytest.raises(TypeError, match="complete must be LiteLLM's or a Router's"):
        wrap(print, window())


# ---------------------------------------------------------------------- what is asked


def test_V5_the_history_is_never_changed(loopback: Loopback) -> None:
    """Neither its list nor its messages."""
    loopback.play(agent_run(ROUNDS))
    agent = Agent()
    complete = wrap(litellm.completion, window())
    snapshots: list[tuple[list[Any], list[Any]]] = []

    def ask(**request: Any) -> Any:
        snapshots.append((list(agent.history), deepcopy(agent.history)))
        return complete(**request)

    agent.run(ask)
    for same, equal in snapshots:
        assert equal == same
        assert all(one is other for one, other in zip(same, agent.history, strict=False))


# ---------------------------------------------------------------------- what is learned, and what goes wrong


@pytest.mark.parametrize("way", [*WRAPPED, hooked, hooked_router])
def test_K1_usage_is_observed(way: Any, loopback: Loopback) -> None:
    """Of streams as of answers: here two characters are a token."""
    loopback.play(agent_run(ROUNDS), characters_per_token=2)
    own = window()
    way(own, Agent())
    check_learned(loopback, own)


@pytest.mark.parametrize(("options", "ratio"), [(USAGE, 2.0), ({}, 1.0), ({"stream_options": None}, 1.0)])
def test_K1_the_hook_believes_the_provider_only(options: dict[str, Any], ratio: float) -> None:
    """Of a stream LiteLLM tells its own count where the provider was not asked for one; and tells it later."""
    own = window()
    sent = [{"role": "user", "content": PAGE}]
    event = {"optional_params": options, "input": sent, "call_type": "acompletion"}
    usage = {"usage": {"prompt_tokens": 2 * longturn.estimate(sent)}}
    asyncio.run(callback(own).async_log_success_event(event, usage, None, None))
    assert own.ratio == ratio


@pytest.mark.parametrize("way", WRAPPED)
def test_an_overflow_is_recovered_once(way: Any, loopback: Loopback, judge: Judge) -> None:
    """The model takes less than was thought: each refused request is followed by another, smaller one."""
    loopback.play(agent_run(ROUNDS), limit=4_000)
    agent = Agent()
    way(window(), agent)
    assert agent.pages() == ROUNDS
    refused = [request for request in loopback.requests if request.tokens() > 4_000]
    assert 1 <= len(refused) <= 2
    assert len(loopback.requests) == ROUNDS + 1 + len(refused)
    assert len({json.dumps(request.body) for request in loopback.requests}) == len(loopback.requests)
    assert all(judge("openai-chat", request.body) == [] for request in loopback.requests)


@pytest.mark.skipif(not TELLS_FAILURES, reason="this version of LiteLLM does not tell callbacks of failures")
@pytest.mark.parametrize("way", HOOKED)
def test_after_an_overflow_the_hook_fits_tighter(way: Any, loopback: Loopback) -> None:
    """It can't send anything itself: the person may ask again, and the conversation goes on."""
    loopback.play(agent_run(ROUNDS), limit=4_000)
    own, agent = window(), Agent()
    with pytest.raises(litellm.ContextWindowExceededError) as caught:
        way(own, agent)
    assert longturn.classify(caught.value).message
    way(own, agent)
    assert agent.pages() == ROUNDS
    assert len(loopback.requests) == ROUNDS + 2


@pytest.mark.parametrize("way", WRAPPED)
def test_what_is_too_long_in_any_case_is_told_to_the_person(way: Any, loopback: Loopback) -> None:
    """In a sentence; with LiteLLM's own error behind it."""
    loopback.play([*agent_run(9)[:9], *[TooLong()] * 9])
    with pytest.raises(longturn.ConversationTooLong, match="Start a new chat") as caught:
        way(window(), Agent())
    assert isinstance(caught.value.__cause__, litellm.ContextWindowExceededError)
    assert len(loopback.requests) in (10, 11)


@pytest.mark.parametrize("way", [*WRAPPED, *HOOKED])
def test_what_is_refused_is_sent_once(way: Any, loopback: Loopback) -> None:
    """And raised as LiteLLM raises it."""
    loopback.play(lambda _: Refusal(400, {"error": {"message": "no", "type": "invalid_request_error"}}))
    with pytest.raises(litellm.BadRequestError):
        way(window(), Agent())
    assert len(loopback.requests) == 1


POLICY = {"RateLimitErrorRetries": 2, "TimeoutErrorRetries": 2, "InternalServerErrorRetries": 2}


@pytest.mark.parametrize(("reply", "requests"), [(Refusal(429, {"error": {"message": "slow"}}), 2), (TooLong(), 1)])
def test_a_retry_policy_repeats_what_it_names_only(reply: Refusal | TooLong, requests: int, loopback: Loopback) -> None:
    loopback.play([reply, Answer("Done.")])
    complete = wrap(litellm.completion, window())
    with suppress(longturn.ConversationTooLong):
        complete(**Agent().request(), retry_policy=dict(POLICY))
    assert len(loopback.requests) == requests


def test_streams_keep_their_own_members(loopback: Loopback) -> None:
    """Whatever else code reads from them."""
    loopback.play([Answer("Done.")])
    made = wrap(litellm.completion, window())(**Agent().request(), stream=True)
    assert made.model == "any"
    assert iter(made) is made
    assert list(made)
