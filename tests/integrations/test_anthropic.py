"""The Anthropic SDK in a window, against a scripted provider."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from copy import deepcopy
from inspect import signature
from typing import Any

import pytest
from loopback import Answer, Loopback, Refusal, TooLong, agent_run
from overlong import PAGE, ROUNDS, SYSTEM, TASK, Judge, check_learned, check_run, window

import longturn

anthropic = pytest.importorskip("anthropic")

from longturn.integrations.anthropic import middleware  # noqa: E402  # it imports the SDK

TOOLS = [{"name": "read", "input_schema": {"type": "object", "properties": {"page": {"type": "integer"}}}}]


class Agent:
    """An agent loop; keeps blocks as the SDK gave them."""

    def __init__(self, messages: Any, **options: Any) -> None:
        self.messages = messages
        self.history: list[Any] = [{"role": "user", "content": TASK}]
        self.options = {"model": "any", "max_tokens": 99, "system": SYSTEM, "tools": TOOLS, **options}

    def request(self) -> dict[str, Any]:
        return {**self.options, "messages": self.history}

    def take(self, answer: Any) -> bool:
        """Keep an answer and run its calls; tell whether the agent goes on."""
        self.history.append({"role": "assistant", "content": answer.content})
        calls = [block for block in answer.content if block.type == "tool_use"]
        results = [{"type": "tool_result", "tool_use_id": call.id, "content": PAGE} for call in calls]
        self.history += [{"role": "user", "content": results}] if results else []
        return bool(calls)

    def run(self, ask: Callable[[Any, dict[str, Any]], Any]) -> None:
        while self.take(ask(self.messages, self.request())):
            pass

    async def arun(self, ask: Callable[[Any, dict[str, Any]], Any]) -> None:
        while self.take(await ask(self.messages, self.request())):
            pass

    def pages(self) -> int:
        return sum(one["role"] == "user" and PAGE in str(one["content"]) for one in self.history)


def client(own: longturn.Window | None = None, **options: Any) -> Any:
    return anthropic.Anthropic(**{"max_retries": 0, "middleware": [middleware(own or window())], **options})


def aclient(own: longturn.Window | None = None) -> Any:
    return anthropic.AsyncAnthropic(max_retries=0, middleware=[middleware(own or window())])


# ---------------------------------------------------------------------- ways to ask


def create(messages: Any, request: dict[str, Any]) -> Any:
    return messages.create(**request)


def stream(messages: Any, request: dict[str, Any]) -> Any:
    with messages.stream(**request) as events:
        return events.get_final_message()


def raw(messages: Any, request: dict[str, Any]) -> Any:
    return messages.with_raw_response.create(**request).parse()


def raw_bytes(messages: Any, request: dict[str, Any]) -> Any:
    with messages.with_streaming_response.create(**request) as response:
        return response.parse()


async def acreate(messages: Any, request: dict[str, Any]) -> Any:
    return await messages.create(**request)


async def astream(messages: Any, request: dict[str, Any]) -> Any:
    async with messages.stream(**request) as events:
        return await events.get_final_message()


WAYS = pytest.mark.parametrize("ask", [create, stream, raw, raw_bytes])
ASYNC_WAYS = pytest.mark.parametrize("ask", [acreate, astream])
BETA = pytest.mark.parametrize("is_beta", [False, True], ids=["messages", "beta"])


@WAYS
@BETA
def test_a_run_stays_in_its_window(is_beta: bool, ask: Any, loopback: Loopback, judge: Judge) -> None:
    """However a request is made: all are valid and in the budget, and the history keeps every page."""
    loopback.play(agent_run(ROUNDS, thinking="The next page."))
    with client() as sdk:
        agent = Agent(sdk.beta.messages if is_beta else sdk.messages)
        agent.run(ask)
    check_run(loopback, judge)
    assert agent.pages() == ROUNDS
    assert all(request.is_streamed == (ask is stream) for request in loopback.requests)


@ASYNC_WAYS
def test_an_async_run_stays_in_its_window(ask: Any, loopback: Loopback, judge: Judge) -> None:
    """The same for the asynchronous client."""
    loopback.play(agent_run(ROUNDS))

    async def main() -> None:
        async with aclient() as sdk:
            agent = Agent(sdk.messages)
            await agent.arun(ask)
            assert agent.pages() == ROUNDS

    asyncio.run(main())
    check_run(loopback, judge)


HAS_THREADS = "thread" in signature(anthropic.resources.beta.messages.Messages.tool_runner).parameters
HERE = {"thread": False} if HAS_THREADS else {}  # older versions keep the history here anyway


def runner_options(**more: Any) -> dict[str, Any]:
    history = [{"role": "user", "content": TASK}]
    return {"model": "any", "max_tokens": 99, "system": SYSTEM, "messages": history, **more}


def test_the_tool_runner(loopback: Loopback, judge: Judge) -> None:
    """Its own history keeps every page."""

    @anthropic.beta_tool
    def read(page: int) -> str:
        """Read a page."""
        return PAGE

    loopback.play(agent_run(ROUNDS))
    with client() as sdk:
        runner = sdk.beta.messages.tool_runner(**runner_options(tools=[read], **HERE))
        runner.until_done()
    check_run(loopback, judge)


def test_the_async_tool_runner(loopback: Loopback, judge: Judge) -> None:
    """The same, awaited."""

    @anthropic.beta_async_tool
    async def read(page: int) -> str:
        """Read a page."""
        return PAGE

    async def main() -> None:
        async with aclient() as sdk:
            await sdk.beta.messages.tool_runner(**runner_options(tools=[read], **HERE)).until_done()

    loopback.play(agent_run(ROUNDS))
    asyncio.run(main())
    check_run(loopback, judge)


@pytest.mark.skipif(not HAS_THREADS, reason="this version of the SDK has no threads")
def test_V8_threads_on_the_providers_side_pass_through(loopback: Loopback) -> None:
    """The runner's own way is to send the new messages only; said once."""

    @anthropic.beta_tool
    def read(page: int) -> str:
        """Read a page."""
        return PAGE

    loopback.play(agent_run(3, tool="read"))
    with client() as sdk, pytest.warns(UserWarning, match="continues a history that the provider keeps") as warned:
        sdk.beta.messages.tool_runner(**runner_options(tools=[read])).until_done()
    assert len(warned) == 1
    assert all(request.body["thread"] for request in loopback.requests)
    assert not any(request.occurrences(window().instructions()) for request in loopback.requests)


# ---------------------------------------------------------------------- what is asked


def test_V5_the_history_is_never_changed(loopback: Loopback) -> None:
    """Neither its list nor its messages."""
    loopback.play(agent_run(ROUNDS))
    snapshots: list[tuple[list[Any], list[Any]]] = []

    def ask(messages: Any, request: dict[str, Any]) -> Any:
        snapshots.append((list(agent.history), deepcopy(agent.history)))
        return create(messages, request)

    with client() as sdk:
        agent = Agent(sdk.messages)
        agent.run(ask)
    for same, equal in snapshots:
        assert equal == same
        assert all(one is other for one, other in zip(same, agent.history, strict=False))


def test_cache_marks_stay(loopback: Loopback) -> None:
    """On the prompt and on the messages that stay."""
    mark = {"cache_control": {"type": "ephemeral"}}
    loopback.play(agent_run(ROUNDS))
    with client() as sdk:
        Agent(sdk.messages, system=[{"type": "text", "text": SYSTEM, **mark}]).run(create)
    for request in loopback.requests:
        first, second = request.body["system"]
        assert first == {"type": "text", "text": SYSTEM, **mark}
        assert second == {"type": "text", "text": window().instructions()}


def test_other_requests_are_left_alone(loopback: Loopback) -> None:
    """There is no history in them."""
    with client() as sdk, pytest.raises(anthropic.NotFoundError):
        sdk.models.retrieve("any")
    assert loopback.requests == []


# ---------------------------------------------------------------------- what is learned, and what goes wrong


@pytest.mark.parametrize("ask", [create, stream, raw])
def test_K1_usage_is_observed(ask: Any, loopback: Loopback) -> None:
    """Of streams as of answers: here two characters are a token."""
    loopback.play(agent_run(ROUNDS), characters_per_token=2)
    own = window()
    with client(own) as sdk:
        Agent(sdk.messages).run(ask)
    check_learned(loopback, own)


@ASYNC_WAYS
def test_K1_usage_is_observed_where_it_is_awaited(ask: Any, loopback: Loopback) -> None:
    """The same for the asynchronous client."""
    own = window()

    async def main() -> None:
        async with aclient(own) as sdk:
            await Agent(sdk.messages).arun(ask)

    loopback.play(agent_run(ROUNDS), characters_per_token=2)
    asyncio.run(main())
    check_learned(loopback, own)


@pytest.mark.parametrize("ask", [create, stream])
def test_an_overflow_is_recovered_once(ask: Any, loopback: Loopback, judge: Judge) -> None:
    """The model takes less than was thought: each refused request is followed by another, smaller one."""
    loopback.play(agent_run(ROUNDS), limit=4_000)
    with client() as sdk:
        agent = Agent(sdk.messages)
        agent.run(ask)
    check_recovered(loopback, agent, judge)


@ASYNC_WAYS
def test_an_overflow_is_recovered_once_where_it_is_awaited(ask: Any, loopback: Loopback, judge: Judge) -> None:
    """The same for the asynchronous client."""
    agents: list[Agent] = []

    async def main() -> None:
        async with aclient() as sdk:
            agents.append(Agent(sdk.messages))
            await agents[0].arun(ask)

    loopback.play(agent_run(ROUNDS), limit=4_000)
    asyncio.run(main())
    check_recovered(loopback, agents[0], judge)


def check_recovered(loopback: Loopback, agent: Agent, judge: Judge) -> None:
    assert agent.pages() == ROUNDS
    refused = [request for request in loopback.requests if request.tokens() > 4_000]
    assert 1 <= len(refused) <= 2
    assert len(loopback.requests) == ROUNDS + 1 + len(refused)
    assert len({json.dumps(request.body) for request in loopback.requests}) == len(loopback.requests)
    assert all(judge("anthropic", request.body) == [] for request in loopback.requests)


@pytest.mark.parametrize("ask", [create, stream])
def test_what_is_too_long_in_any_case_is_told_to_the_person(ask: Any, loopback: Loopback) -> None:
    """In a sentence; with the SDK's own error behind it; and nothing is tried again, however often it may be."""
    loopback.play([*agent_run(9)[:9], *[TooLong()] * 9])
    with (
        client(max_retries=5) as sdk,
        pytest.raises(longturn.ConversationTooLong, match="Start a new chat") as caught,
    ):
        Agent(sdk.messages).run(ask)
    assert isinstance(caught.value.__cause__, anthropic.APIStatusError)
    assert len(loopback.requests) in (10, 11)


@pytest.mark.parametrize("status", [400, 401, 413, 422])
@pytest.mark.parametrize("ask", [create, stream, raw])
def test_what_is_refused_is_sent_once(ask: Any, status: int, loopback: Loopback) -> None:
    """And raised as the SDK raises it, whatever its body."""
    error = {"type": "error", "error": {"type": "invalid_request_error", "message": "messages: no"}}
    loopback.play(lambda _: Refusal(status, error if status != 422 else "not even JSON"))
    with client(max_retries=5) as sdk, pytest.raises(anthropic.APIStatusError) as caught:
        Agent(sdk.messages).run(ask)
    assert type(caught.value).__module__.startswith("anthropic")
    assert caught.value.status_code == status
    assert len(loopback.requests) == 1


def test_what_passes_is_tried_again_by_the_sdk(loopback: Loopback) -> None:
    """With the same body."""
    wait = Refusal(529, {"type": "error", "error": {"type": "overloaded_error", "message": "no"}}, {"retry-after": "0"})
    loopback.play([wait, Answer("Done.")])
    with client(max_retries=1) as sdk:
        Agent(sdk.messages).run(create)
    first, second = loopback.requests
    assert first.body == second.body
