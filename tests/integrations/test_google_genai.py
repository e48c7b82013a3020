"""The google-genai SDK in a window, against a scripted provider."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterator
from copy import deepcopy
from typing import Any

import pytest
from loopback import Answer, Loopback, Refusal, TooLong, agent_run
from overlong import PAGE, ROUNDS, SYSTEM, TASK, Judge, check_learned, check_run, window

import longturn
from longturn.integrations.google_genai import wrap

genai = pytest.importorskip("google.genai")
types, errors = genai.types, genai.errors

DECLARED = types.FunctionDeclaration(name="read", parameters_json_schema={"type": "object", "properties": {}})
TOOLS = [types.Tool(function_declarations=[DECLARED])]

pytestmark = pytest.mark.filterwarnings("ignore:Inheritance class AiohttpClientSession:DeprecationWarning")


def read(page: int) -> str:
    """Read a page."""
    return PAGE


async def aread(page: int) -> str:
    """Read a page."""
    return PAGE


aread.__name__ = "read"
read.__annotations__ = aread.__annotations__ = {"page": int, "return": str}  # older versions do not resolve names


@pytest.fixture
def client(loopback: Loopback) -> Iterator[Any]:
    with genai.Client() as made:
        yield made


class Agent:
    """An agent loop over one way to ask; keeps contents as the SDK gave them."""

    def __init__(self, config: Any = None) -> None:
        self.history: list[Any] = [types.Content(role="user", parts=[types.Part(text=TASK)])]
        self.config = config or types.GenerateContentConfig(system_instruction=SYSTEM, tools=TOOLS)

    def request(self) -> dict[str, Any]:
        return {"model": "any", "contents": self.history, "config": self.config}

    def take(self, chunks: list[Any]) -> bool:
        parts = [part for chunk in chunks for part in chunk.candidates[0].content.parts]
        self.history.append(types.Content(role="model", parts=parts))
        calls = [part.function_call for part in parts if part.function_call]
        results = [
            types.Part(function_response=types.FunctionResponse(id=call.id, name=call.name, response={"result": PAGE}))
            for call in calls
        ]
        self.history += [types.Content(role="user", parts=results)] if results else []
        return bool(calls)

    def run(self, ask: Callable[[dict[str, Any]], list[Any]]) -> None:
        while self.take(ask(self.request())):
            pass

    def pages(self) -> int:
        return sum(PAGE in str(part.function_response) for one in self.history for part in one.parts)


# ---------------------------------------------------------------------- ways to ask


def whole(client: Any, request: dict[str, Any]) -> list[Any]:
    return [client.models.generate_content(**request)]


def stream(client: Any, request: dict[str, Any]) -> list[Any]:
    return list(client.models.generate_content_stream(**request))


def awhole(client: Any, request: dict[str, Any]) -> list[Any]:
    return [asyncio.run(client.aio.models.generate_content(**request))]


def astream(client: Any, request: dict[str, Any]) -> list[Any]:
    async def main() -> list[Any]:
        return [chunk async for chunk in await client.aio.models.generate_content_stream(**request)]

    return asyncio.run(main())


WAYS = pytest.mark.parametrize("ask", [whole, stream, awhole, astream])
TWO_WAYS = pytest.mark.parametrize("ask", [whole, astream])


@WAYS
def test_a_run_stays_in_its_window(ask: Any, client: Any, loopback: Loopback, judge: Judge) -> None:
    """However a request is made: all are valid and in the budget, and the history keeps every page."""
    loopback.play(agent_run(ROUNDS, thinking="The next page."))
    wrap(client, window())
    agent = Agent()
    agent.run(lambda request: ask(client, request))
    check_run(loopback, judge)
    assert agent.pages() == ROUNDS
    assert all(request.is_streamed == (ask in (stream, astream)) for request in loopback.requests)


def chat_config(tool: Any) -> Any:
    calling = types.AutomaticFunctionCallingConfig(maximum_remote_calls=ROUNDS + 2)
    return types.GenerateContentConfig(system_instruction=SYSTEM, tools=[tool], automatic_function_calling=calling)


def chat(client: Any) -> list[Any]:
    made = client.chats.create(model="any", config=chat_config(read))
    made.send_message(TASK)
    return list(made.get_history())


def chat_stream(client: Any) -> list[Any]:
    made = client.chats.create(model="any", config=chat_config(read))
    list(made.send_message_stream(TASK))
    return list(made.get_history())


def achat(client: Any) -> list[Any]:
    async def main() -> list[Any]:
        made = client.aio.chats.create(model="any", config=chat_config(aread))
        await made.send_message(TASK)
        return list(made.get_history())

    return asyncio.run(main())


def automatic(client: Any) -> list[Any]:
    answer = client.models.generate_content(model="any", contents=TASK, config=chat_config(read))
    return list(answer.automatic_function_calling_history)


@pytest.mark.parametrize("talk", [chat, chat_stream, achat, automatic])
def test_the_sdks_own_loops_stay_in_the_window(talk: Any, client: Any, loopback: Loopback, judge: Judge) -> None:
    """Chats, and functions that the SDK calls itself: every request of theirs is fitted, their history is not."""
    loopback.play(agent_run(ROUNDS))
    history = talk(wrap(client, window()))
    check_run(loopback, judge)
    assert sum(PAGE in str(part.function_response) for one in history for part in one.parts or []) == ROUNDS


# ---------------------------------------------------------------------- what is asked


def test_V5_the_history_is_never_changed(client: Any, loopback: Loopback) -> None:
    """Neither its list nor its messages, nor the configuration."""
    loopback.play(agent_run(ROUNDS))
    wrap(client, window())
    agent = Agent()
    config = deepcopy(agent.config)
    snapshots: list[tuple[list[Any], list[Any]]] = []

    def ask(request: dict[str, Any]) -> list[Any]:
        snapshots.append((list(agent.history), deepcopy(agent.history)))
        return whole(client, request)

    agent.run(ask)
    assert config == agent.config
    for same, equal in snapshots:
        assert equal == same
        assert all(one is other for one, other in zip(same, agent.history, strict=False))


PROMPTS = {
    "none": (None, []),
    "text": (SYSTEM, [SYSTEM]),
    "part": (types.Part(text=SYSTEM), [SYSTEM]),
    "content": (types.Content(parts=[types.Part(text=SYSTEM)]), [SYSTEM]),
    "list": ([SYSTEM, types.Part(text="Be brief.")], [SYSTEM, "Be brief."]),
    "content as a mapping": ({"parts": [{"text": SYSTEM}]}, [SYSTEM]),
}


@pytest.mark.parametrize("is_mapping", [False, True])
@pytest.mark.parametrize(("prompt", "before"), PROMPTS.values(), ids=PROMPTS)
def test_every_form_of_system_instruction(
    prompt: Any, before: list[str], is_mapping: bool, client: Any, loopback: Loopback
) -> None:
    """Takes the instructions at its end; in a configuration of either kind."""
    loopback.play([Answer("Done.")])
    config = {"system_instruction": prompt}
    Agent(config if is_mapping else types.GenerateContentConfig(**config)).run(
        lambda request: whole(wrap(client, window()), request)
    )
    (sent,) = loopback.requests
    assert "\n\n".join([*before, window().instructions()]) == "\n\n".join(sent.system)


@pytest.mark.parametrize(
    "contents",
    [TASK, [TASK], types.Part(text=TASK), [types.Part(text=TASK)], {"role": "user", "parts": [{"text": TASK}]}],
)
def test_short_forms_of_one_turn(contents: Any, client: Any, loopback: Loopback) -> None:
    """Go through as they are, instructed; also without a configuration."""
    loopback.play([Answer("Done.")])
    wrap(client, window()).models.generate_content(model="any", contents=contents)
    (sent,) = loopback.requests
    assert sent.messages[0]["parts"] == [{"text": TASK}]
    assert sent.system == [window().instructions()]


def test_V8_what_lies_on_top_of_a_cache_passes_through(client: Any, loopback: Loopback) -> None:
    """Its system prompt and first messages are elsewhere; said once."""
    loopback.play([Answer("Done.")] * 2)
    wrap(client, window())
    config = types.GenerateContentConfig(cached_content="cachedContents/1")
    with pytest.warns(UserWarning, match="continues a history that the provider keeps"):
        client.models.generate_content(model="any", contents=TASK, config=config)
    client.models.generate_content(model="any", contents=TASK, config=config)
    assert [request.system for request in loopback.requests] == [[], []]


@pytest.mark.parametrize("wrong", ["client", object(), genai])
def test_only_clients_are_wrapped(wrong: Any) -> None:
    """What else is given is told, with a way out."""
    with pytest.raises(TypeError, match=r"client must be a genai\.Client"):
        wrap(wrong, window())


# ---------------------------------------------------------------------- what is learned, and what goes wrong


@WAYS
def test_K1_usage_is_observed(ask: Any, client: Any, loopback: Loopback) -> None:
    """Of streams as of answers: here two characters are a token."""
    loopback.play(agent_run(ROUNDS), characters_per_token=2)
    own = window()
    wrap(client, own)
    Agent().run(lambda request: ask(client, request))
    check_learned(loopback, own)


@TWO_WAYS
def test_an_overflow_is_recovered_once(ask: Any, client: Any, loopback: Loopback, judge: Judge) -> None:
    """The model takes less than was thought: each refused request is followed by another, smaller one."""
    loopback.play(agent_run(ROUNDS), limit=4_000)
    wrap(client, window())
    agent = Agent()
    agent.run(lambda request: ask(client, request))
    assert agent.pages() == ROUNDS
    refused = [request for request in loopback.requests if request.tokens() > 4_000]
    assert 1 <= len(refused) <= 2
    assert len(loopback.requests) == ROUNDS + 1 + len(refused)
    assert len({json.dumps(request.body) for request in loopback.requests}) == len(loopback.requests)
    assert all(judge("gemini", request.body) == [] for request in loopback.requests)


@TWO_WAYS
def test_what_is_too_long_in_any_case_is_told_to_the_person(ask: Any, client: Any, loopback: Loopback) -> None:
    """In a sentence; with the SDK's own error behind it."""
    loopback.play([*agent_run(9)[:9], *[TooLong()] * 9])
    wrap(client, window())
    with pytest.raises(longturn.ConversationTooLong, match="Start a new chat") as caught:
        Agent().run(lambda request: ask(client, request))
    assert isinstance(caught.value.__cause__, errors.ClientError)
    assert len(loopback.requests) in (10, 11)


@TWO_WAYS
def test_what_is_refused_is_sent_once(ask: Any, client: Any, loopback: Loopback) -> None:
    """And raised as the SDK raises it."""
    error = {"error": {"code": 400, "message": "Please ensure that ...", "status": "INVALID_ARGUMENT"}}
    loopback.play(lambda _: Refusal(400, error))
    wrap(client, window())
    with pytest.raises(errors.ClientError):
        Agent().run(lambda request: ask(client, request))
    assert len(loopback.requests) == 1
