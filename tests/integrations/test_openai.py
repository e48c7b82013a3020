"""The OpenAI SDK in a window, against a scripted provider."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from copy import deepcopy
from typing import Any

import pytest
from loopback import Answer, Call, Loopback, Refusal, Request, TooLong, agent_run
from overlong import BUDGET, PAGE, ROUNDS, SYSTEM, TASK, Judge, check_learned, check_run, window

import longturn
from longturn.integrations.openai import wrap

openai = pytest.importorskip("openai")

SCHEMA = {"type": "object", "properties": {"page": {"type": "integer"}}, "required": ["page"]}
STRICT = {"parameters": {**SCHEMA, "additionalProperties": False}, "strict": True}
CHAT_TOOLS = [{"type": "function", "function": {"name": "read", **STRICT}}]
RESPONSES_TOOLS = [{"type": "function", "name": "read", **STRICT}]
FORMATS = pytest.mark.parametrize("format", ["openai-chat", "openai-responses"])

Ask = Callable[[list[Any]], Any]


class Chat:
    """An agent loop over Chat Completions; keeps messages as the SDK gave them."""

    def __init__(self, client: Any) -> None:
        self.resource = client.chat.completions
        self.history: list[Any] = [{"role": "system", "content": SYSTEM}, {"role": "user", "content": TASK}]

    def request(self) -> dict[str, Any]:
        return {"model": "any", "messages": self.history, "tools": CHAT_TOOLS}

    def take(self, answer: Any) -> bool:
        """Keep an answer and run its calls; tell whether the agent goes on."""
        message = answer.choices[0].message
        self.history.append(message)
        calls = message.tool_calls or []
        self.history += [{"role": "tool", "tool_call_id": call.id, "content": PAGE} for call in calls]
        return bool(calls)

    def pages(self) -> int:
        return sum(isinstance(one, dict) and one["content"] == PAGE for one in self.history)


class Responses:
    """An agent loop over Responses."""

    def __init__(self, client: Any) -> None:
        self.resource = client.responses
        self.history: list[Any] = [{"role": "user", "content": TASK}]

    def request(self) -> dict[str, Any]:
        return {"model": "any", "instructions": SYSTEM, "input": self.history, "tools": RESPONSES_TOOLS}

    def take(self, answer: Any) -> bool:
        self.history += answer.output
        calls = [item for item in answer.output if item.type == "function_call"]
        self.history += [{"type": "function_call_output", "call_id": call.call_id, "output": PAGE} for call in calls]
        return bool(calls)

    def pages(self) -> int:
        return sum(isinstance(one, dict) and one.get("output") == PAGE for one in self.history)


LOOPS = {"openai-chat": Chat, "openai-responses": Responses}


def client(own: longturn.Window | None = None, **options: Any) -> Any:
    return wrap(openai.OpenAI(max_retries=0, **options), own or window())


def run(agent: Any, ask: Callable[[Any, dict[str, Any]], Any]) -> None:
    while agent.take(ask(agent.resource, agent.request())):
        pass


# ---------------------------------------------------------------------- ways to ask


def create(resource: Any, request: dict[str, Any]) -> Any:
    return resource.create(**request)


def parse(resource: Any, request: dict[str, Any]) -> Any:
    return resource.parse(**request)


def stream(resource: Any, request: dict[str, Any]) -> Any:
    options = {"stream_options": {"include_usage": True}} if "messages" in request else {}
    with resource.stream(**request, **options) as events:
        events.until_done()
        return events.get_final_completion() if "messages" in request else events.get_final_response()


def raw(resource: Any, request: dict[str, Any]) -> Any:
    return resource.with_raw_response.create(**request).parse()


def raw_bytes(resource: Any, request: dict[str, Any]) -> Any:
    with resource.with_streaming_response.create(**request) as response:
        return response.parse()


WAYS = pytest.mark.parametrize("ask", [create, parse, stream, raw, raw_bytes])


@WAYS
@FORMATS
def test_a_run_stays_in_its_window(format: str, ask: Ask, loopback: Loopback, judge: Judge) -> None:
    """However a request is made: all are valid and in the budget, and the history keeps every page."""
    loopback.play(agent_run(ROUNDS))
    agent = LOOPS[format](client())
    run(agent, ask)
    check_run(loopback, judge)
    assert agent.pages() == ROUNDS
    assert {request.protocol.name for request in loopback.requests} == {format}


async def arun(agent: Any, way: str) -> None:
    going = True
    while going:
        request = agent.request()
        if way == "stream":
            async with agent.resource.stream(**request) as events:
                await events.until_done()
                is_chat = isinstance(agent, Chat)
                answer = await (events.get_final_completion() if is_chat else events.get_final_response())
        elif way == "raw":
            answer = (await agent.resource.with_raw_response.create(**request)).parse()
        else:
            answer = await getattr(agent.resource, way)(**request)
        going = agent.take(answer)


@pytest.mark.parametrize("way", ["create", "parse", "stream", "raw"])
@FORMATS
def test_an_async_run_stays_in_its_window(format: str, way: str, loopback: Loopback, judge: Judge) -> None:
    """The same for the asynchronous client."""
    loopback.play(agent_run(ROUNDS))

    async def main() -> None:
        async with openai.AsyncOpenAI(max_retries=0) as plain:
            agent = LOOPS[format](wrap(plain, window()))
            await arun(agent, way)
            assert agent.pages() == ROUNDS

    asyncio.run(main())
    check_run(loopback, judge)


# ---------------------------------------------------------------------- clients


@FORMATS
def test_derived_clients_are_fitted_and_the_given_one_is_not(format: str, loopback: Loopback) -> None:
    """``with_options`` of a wrapped client keeps the window; what was given stays what it was."""
    plain = openai.OpenAI(max_retries=0)
    wrapped = wrap(plain, window())
    loopback.play(agent_run(ROUNDS))
    run(LOOPS[format](wrapped.with_options(timeout=9).copy(max_retries=0)), create)
    assert loopback.requests[-1].cleared
    loopback.play(agent_run(ROUNDS))
    run(LOOPS[format](plain), create)
    assert len(loopback.requests[-1].whole) == ROUNDS
    assert loopback.requests[-1].occurrences(window().instructions()) == 0


def test_azure(loopback: Loopback, judge: Judge) -> None:
    """Its paths are its own; what is sent is the same."""
    loopback.play(agent_run(ROUNDS))
    azure = openai.AzureOpenAI(api_version="v1", azure_endpoint=loopback.url, api_key="placeholder", max_retries=0)
    run(Chat(wrap(azure, window())), create)
    check_run(loopback, judge)
    assert "/deployments/any/" in loopback.requests[0].path


def test_only_clients_are_wrapped() -> None:
    """A module, the class itself or a window in the wrong place are told apart from one."""
    with pytest.raises(TypeError, match="client must be one of the OpenAI SDK's clients"):
        wrap("client", window())


# ---------------------------------------------------------------------- what is asked


def test_V5_the_history_is_never_changed(loopback: Loopback) -> None:
    """Neither its list nor its messages."""
    loopback.play(agent_run(ROUNDS))
    agent = Chat(client())
    snapshots: list[tuple[list[Any], list[Any]]] = []

    def ask(resource: Any, request: dict[str, Any]) -> Any:
        snapshots.append((list(agent.history), deepcopy(agent.history)))
        return create(resource, request)

    run(agent, ask)
    for same, equal in snapshots:
        assert equal == same
        assert all(one is other for one, other in zip(same, agent.history, strict=False))


def test_any_iterable_of_messages_is_taken(loopback: Loopback) -> None:
    """As the SDK takes it."""
    loopback.play([Answer("Done."), Answer("Done.")])
    messages = [{"role": "user", "content": TASK}]
    client().chat.completions.create(model="any", messages=iter(messages))
    client().responses.create(model="any", input=iter(messages))
    assert [request.messages[-1] for request in loopback.requests] == messages * 2


def test_a_bare_text_is_instructed_from_the_start(loopback: Loopback) -> None:
    """Or the prefix would break when it becomes a list."""
    loopback.play([Answer("Done.")])
    client().responses.create(model="any", input=TASK)
    (sent,) = loopback.requests
    assert (sent.messages, sent.system) == ([TASK], [window().instructions()])


@pytest.mark.parametrize("held", [{"previous_response_id": "resp_1"}, {"conversation": "conv_1"}])
def test_V8_what_the_provider_holds_passes_through(held: dict[str, str], loopback: Loopback) -> None:
    """Said once; not a key is added."""
    loopback.play([Answer("Done.")] * 2)
    own = client()
    request = {"model": "any", "input": [{"role": "user", "content": TASK}], **held}
    with pytest.warns(UserWarning, match="continues a history that the provider keeps"):
        own.responses.create(**request)
    own.responses.create(**request)
    assert [sent.body for sent in loopback.requests] == [request] * 2


# ---------------------------------------------------------------------- what is learned, and what goes wrong


@pytest.mark.parametrize("ask", [create, stream, raw])
@FORMATS
def test_K1_usage_is_observed(format: str, ask: Ask, loopback: Loopback) -> None:
    """Of streams as of answers: here two characters are a token."""
    loopback.play(agent_run(ROUNDS), characters_per_token=2)
    own = window()
    run(LOOPS[format](client(own)), ask)
    check_learned(loopback, own)


@pytest.mark.parametrize("ask", [create, stream])
@FORMATS
def test_an_overflow_is_recovered_once(format: str, ask: Ask, loopback: Loopback, judge: Judge) -> None:
    """The model takes less than was thought: each refused request is followed by another, smaller one."""
    loopback.play(agent_run(ROUNDS), limit=4_000)
    agent = LOOPS[format](client())
    run(agent, ask)
    assert agent.pages() == ROUNDS
    refused = [request for request in loopback.requests if request.tokens() > 4_000]
    assert 1 <= len(refused) <= 2
    assert len(loopback.requests) == ROUNDS + 1 + len(refused)
    assert len({json.dumps(request.body) for request in loopback.requests}) == len(loopback.requests)
    assert all(judge(format, request.body) == [] for request in loopback.requests)


@pytest.mark.parametrize("ask", [create, stream])
@FORMATS
def test_what_is_too_long_in_any_case_is_told_to_the_person(format: str, ask: Ask, loopback: Loopback) -> None:
    """In a sentence; with the SDK's own error behind it."""
    loopback.play([*agent_run(9)[:9], *[TooLong()] * 9])
    with pytest.raises(longturn.ConversationTooLong, match="Start a new chat") as caught:
        run(LOOPS[format](client()), ask)
    assert isinstance(caught.value.__cause__, openai.BadRequestError)
    assert len(loopback.requests) in (10, 11)


@pytest.mark.parametrize("status", [400, 401, 422])
@pytest.mark.parametrize("ask", [create, stream])
@FORMATS
def test_what_is_refused_is_sent_once(format: str, ask: Ask, status: int, loopback: Loopback) -> None:
    """And raised as the SDK raises it."""
    loopback.play(lambda _: Refusal(status, {"error": {"message": "no", "type": "invalid_request_error"}}))
    with pytest.raises(openai.APIStatusError):
        run(LOOPS[format](client()), ask)
    assert len(loopback.requests) == 1


def test_an_overflow_in_a_stream_is_recovered_before_anything_was_said(loopback: Loopback) -> None:
    """Responses tells of it in an event, with a status of 200."""
    too_long = {"code": "context_length_exceeded", "message": "Your input exceeds the context window.", "param": None}

    def script(request: Request) -> Answer:
        if request.tokens() > 4_000:
            return Answer(broken=too_long)
        return Answer("Done.")

    history: list[Any] = [{"role": "user", "content": TASK}]
    for number in range(9):
        call = {"type": "function_call", "call_id": f"c{number}", "name": "read", "arguments": "{}"}
        history += [call, {"type": "function_call_output", "call_id": f"c{number}", "output": PAGE}]
    loopback.play(script)
    events = list(client().responses.create(model="any", input=history, stream=True))
    assert events[-1].type == "response.completed"
    assert [request.tokens() > 4_000 for request in loopback.requests] == [True, False]
    assert all(request.tokens() <= BUDGET for request in loopback.requests)


def test_a_stream_that_is_left_early_is_closed(loopback: Loopback) -> None:
    """And what it told so far is learned."""
    loopback.play([Answer("Done.", (Call(),))] * 2)
    with client().chat.completions.create(**Chat(client()).request(), stream=True) as events:
        assert next(iter(events)).choices
    assert events.response.is_closed
