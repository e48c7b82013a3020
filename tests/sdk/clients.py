"""
Real SDKs, each in the ways that it can be used: whole or streamed, awaited or not.

Every client opens as an asynchronous one, so that those with and without ``await`` are driven by the same tests;
``send(fitted)`` makes the SDK's request, and a way says which of a window's methods it goes with.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager, contextmanager
from dataclasses import dataclass, replace
from types import SimpleNamespace
from typing import Any, Self

import pytest
from strategies import SHAPES, Answer, Called

from longturn import Fitted, Window

Send = Callable[[Fitted], Any]
Opening = Callable[[], AbstractAsyncContextManager[Send]]


async def called(window: Window, send: Send, history: list[Any]) -> Any:
    return window.call(send, history)


async def acalled(window: Window, send: Send, history: list[Any]) -> Any:
    return await window.acall(send, history)


async def streamed(window: Window, send: Send, history: list[Any]) -> Any:
    return list(window.stream(send, history))


async def astreamed(window: Window, send: Send, history: list[Any]) -> Any:
    return [event async for event in window.astream(send, history)]


@dataclass(frozen=True)
class Client:
    """One SDK, used in one way."""

    name: str
    format: str
    opening: Opening
    way: Callable[[Window, Send, list[Any]], Coroutine[Any, Any, Any]]
    run: Callable[[Window, list[Any]], Any] = lambda *_: pytest.fail("this client was not opened")
    """Returns the answer, or the list of its stream's events."""

    @property
    def is_streamed(self) -> bool:
        return self.way in (streamed, astreamed)

    @contextmanager
    def opened(self) -> Iterator[Self]:
        """Give this client ready to run."""
        opening = self.opening()
        with asyncio.Runner() as runner:
            send = runner.run(opening.__aenter__())
            yield replace(self, run=lambda window, history: runner.run(self.way(window, send, history)))
            runner.run(opening.__aexit__(None, None, None))

    def window(self, budget: int = 100_000) -> Window:
        return Window(budget, format=self.format)

    def history(self, rounds: int = 30, size: int = 400) -> list[Any]:
        """Return so many rounds with results of ``size`` tokens."""
        shape = SHAPES[self.format]
        messages = [shape.user("Count the words.")]
        for number in range(rounds):
            call = Called(f"call_{number}", "read", {"page": number})
            messages += shape.model("Next.", "", [call])
            messages += shape.replies([Answer(call, "word" * size)])
        return messages


# ---------------------------------------------------------------------- Anthropic

ASKED = {"model": "claude", "max_tokens": 99}


@asynccontextmanager
async def anthropic_sync() -> AsyncIterator[Send]:
    anthropic = pytest.importorskip("anthropic")
    with anthropic.Anthropic() as client:
        yield lambda fitted: client.messages.create(**ASKED, messages=fitted.messages)


@asynccontextmanager
async def anthropic_async() -> AsyncIterator[Send]:
    anthropic = pytest.importorskip("anthropic")
    async with anthropic.AsyncAnthropic() as client:
        yield lambda fitted: client.messages.create(**ASKED, messages=fitted.messages)


@asynccontextmanager
async def anthropic_stream() -> AsyncIterator[Send]:
    anthropic = pytest.importorskip("anthropic")
    with anthropic.Anthropic() as client:
        yield lambda fitted: client.messages.create(**ASKED, messages=fitted.messages, stream=True)


@asynccontextmanager
async def anthropic_stream_helper() -> AsyncIterator[Send]:
    anthropic = pytest.importorskip("anthropic")
    with anthropic.Anthropic() as client:
        yield lambda fitted: client.messages.stream(**ASKED, messages=fitted.messages)


@asynccontextmanager
async def anthropic_async_stream() -> AsyncIterator[Send]:
    anthropic = pytest.importorskip("anthropic")
    async with anthropic.AsyncAnthropic() as client:
        yield lambda fitted: client.messages.create(**ASKED, messages=fitted.messages, stream=True)


@asynccontextmanager
async def anthropic_async_stream_helper() -> AsyncIterator[Send]:
    anthropic = pytest.importorskip("anthropic")
    async with anthropic.AsyncAnthropic() as client:
        yield lambda fitted: client.messages.stream(**ASKED, messages=fitted.messages)


# ---------------------------------------------------------------------- OpenAI

USAGE = {"stream": True, "stream_options": {"include_usage": True}}


@asynccontextmanager
async def chat_sync() -> AsyncIterator[Send]:
    openai = pytest.importorskip("openai")
    with openai.OpenAI() as client:
        yield lambda fitted: client.chat.completions.create(model="gpt", messages=fitted.messages)


@asynccontextmanager
async def chat_async() -> AsyncIterator[Send]:
    openai = pytest.importorskip("openai")
    async with openai.AsyncOpenAI() as client:
        yield lambda fitted: client.chat.completions.create(model="gpt", messages=fitted.messages)


@asynccontextmanager
async def chat_stream() -> AsyncIterator[Send]:
    openai = pytest.importorskip("openai")
    with openai.OpenAI() as client:
        yield lambda fitted: client.chat.completions.create(model="gpt", messages=fitted.messages, **USAGE)


@asynccontextmanager
async def chat_async_stream() -> AsyncIterator[Send]:
    openai = pytest.importorskip("openai")
    async with openai.AsyncOpenAI() as client:
        yield lambda fitted: client.chat.completions.create(model="gpt", messages=fitted.messages, **USAGE)


@asynccontextmanager
async def responses_sync() -> AsyncIterator[Send]:
    openai = pytest.importorskip("openai")
    with openai.OpenAI() as client:
        yield lambda fitted: client.responses.create(model="gpt", input=fitted.messages)


@asynccontextmanager
async def responses_async() -> AsyncIterator[Send]:
    openai = pytest.importorskip("openai")
    async with openai.AsyncOpenAI() as client:
        yield lambda fitted: client.responses.create(model="gpt", input=fitted.messages)


@asynccontextmanager
async def responses_stream() -> AsyncIterator[Send]:
    openai = pytest.importorskip("openai")
    with openai.OpenAI() as client:
        yield lambda fitted: client.responses.create(model="gpt", input=fitted.messages, stream=True)


@asynccontextmanager
async def responses_async_stream() -> AsyncIterator[Send]:
    openai = pytest.importorskip("openai")
    async with openai.AsyncOpenAI() as client:
        yield lambda fitted: client.responses.create(model="gpt", input=fitted.messages, stream=True)


# ---------------------------------------------------------------------- Gemini

RETRIES = {"retry_options": {"attempts": 3, "initial_delay": 0.001, "max_delay": 0.001, "jitter": 0.0}}


@asynccontextmanager
async def gemini_sync() -> AsyncIterator[Send]:
    genai = pytest.importorskip("google.genai")
    with genai.Client(http_options=RETRIES) as client:
        yield lambda fitted: client.models.generate_content(model="gemini", contents=fitted.messages)


@asynccontextmanager
async def gemini_async() -> AsyncIterator[Send]:
    genai = pytest.importorskip("google.genai")
    async with genai.Client(http_options=RETRIES).aio as client:
        yield lambda fitted: client.models.generate_content(model="gemini", contents=fitted.messages)


@asynccontextmanager
async def gemini_stream() -> AsyncIterator[Send]:
    genai = pytest.importorskip("google.genai")
    with genai.Client(http_options=RETRIES) as client:
        yield lambda fitted: client.models.generate_content_stream(model="gemini", contents=fitted.messages)


@asynccontextmanager
async def gemini_async_stream() -> AsyncIterator[Send]:
    genai = pytest.importorskip("google.genai")
    async with genai.Client(http_options=RETRIES).aio as client:
        yield lambda fitted: client.models.generate_content_stream(model="gemini", contents=fitted.messages)


# ---------------------------------------------------------------------- Bedrock


@asynccontextmanager
async def _bedrock() -> AsyncIterator[Any]:
    boto3, endpoint = pytest.importorskip("boto3"), pytest.importorskip("botocore.endpoint")
    client = boto3.client("bedrock-runtime")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(endpoint, "time", SimpleNamespace(sleep=lambda _: None))  # it retries after up to seconds
        yield client
    client.close()


@asynccontextmanager
async def bedrock_sync() -> AsyncIterator[Send]:
    async with _bedrock() as client:
        yield lambda fitted: client.converse(modelId="nova", messages=fitted.messages)


@asynccontextmanager
async def bedrock_stream() -> AsyncIterator[Send]:
    async with _bedrock() as client:
        yield lambda fitted: client.converse_stream(modelId="nova", messages=fitted.messages)["stream"]


# ---------------------------------------------------------------------- all of them

CLIENTS = [
    Client("anthropic", "anthropic", anthropic_sync, called),
    Client("anthropic", "anthropic", anthropic_async, acalled),
    Client("anthropic", "anthropic", anthropic_stream, streamed),
    Client("anthropic", "anthropic", anthropic_stream_helper, streamed),
    Client("anthropic", "anthropic", anthropic_async_stream, astreamed),
    Client("anthropic", "anthropic", anthropic_async_stream_helper, astreamed),
    Client("openai", "openai-chat", chat_sync, called),
    Client("openai", "openai-chat", chat_async, acalled),
    Client("openai", "openai-chat", chat_stream, streamed),
    Client("openai", "openai-chat", chat_async_stream, astreamed),
    Client("openai", "openai-responses", responses_sync, called),
    Client("openai", "openai-responses", responses_async, acalled),
    Client("openai", "openai-responses", responses_stream, streamed),
    Client("openai", "openai-responses", responses_async_stream, astreamed),
    Client("google-genai", "gemini", gemini_sync, called),
    Client("google-genai", "gemini", gemini_async, acalled),
    Client("google-genai", "gemini", gemini_stream, streamed),
    Client("google-genai", "gemini", gemini_async_stream, astreamed),
    Client("boto3", "bedrock", bedrock_sync, called),
    Client("boto3", "bedrock", bedrock_stream, streamed),
]


STREAMING = [client for client in CLIENTS if client.is_streamed]


def each(clients: list[Client]) -> pytest.MarkDecorator:
    """Return a parametrisation of the fixture ``client``, by which each one is opened once."""
    return pytest.mark.parametrize(
        "client", clients, ids=[one.opening.__name__ for one in clients], indirect=True, scope="module"
    )
