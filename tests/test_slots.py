"""Slots of other libraries for a token counter: each real one takes ours as it is, and counts what we count."""

from __future__ import annotations

import asyncio
import inspect
import json
from base64 import b64decode, b64encode
from itertools import count
from typing import Any

import pytest

import longturn

LONG = "Привет, мир, и всем доброе утро. " * 40
SIZE = longturn.estimate(LONG)

pytestmark = [
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),  # the libraries' own
    pytest.mark.filterwarnings("ignore::PendingDeprecationWarning"),
]


class Counted:
    """Our counter, and what it was called with."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.calls: list[Any] = []
        inner = type(longturn.estimate).__call__

        def call(estimator: Any, content: Any, tools: Any = None, **options: Any) -> int:
            self.calls.append((content, tools))
            return inner(estimator, content, tools, **options)

        call.__signature__ = inspect.signature(inner)  # type: ignore[attr-defined]
        monkeypatch.setattr(type(longturn.estimate), "__call__", call)


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch) -> Counted:
    return Counted(monkeypatch)


@pytest.fixture(autouse=True)
def _offline(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LITELLM_LOCAL_MODEL_COST_MAP", "true")  # it would ask the network for prices
    monkeypatch.setenv("HAYSTACK_TELEMETRY_ENABLED", "false")
    monkeypatch.setenv("AGNO_TELEMETRY", "false")


def test_a_counter_looks_like_a_function() -> None:
    """Libraries ask for its signature, and for no ``encode``, which would make it a tokenizer."""
    assert list(inspect.signature(longturn.estimate).parameters) == ["content", "tools", "profile"]
    assert not hasattr(longturn.estimate, "encode")
    assert len(longturn.tokenizer(LONG)) == SIZE


# ---------------------------------------------------------------------- LangChain


def chain(rounds: int) -> list[Any]:
    from langchain_core.messages import AIMessage, HumanMessage, ToolMessage

    messages: list[Any] = [HumanMessage("Read on.")]
    for number in range(rounds):
        calls = [{"name": "read", "args": {"page": number}, "id": f"call_{number}"}]
        messages += [AIMessage("", tool_calls=calls), ToolMessage(LONG, tool_call_id=f"call_{number}")]
    return messages


def test_langchain_trims_by_it(counted: Counted) -> None:
    """It is given lists, and its numbers decide how many messages stay."""
    pytest.importorskip("langchain_core")
    from langchain_core.messages import AIMessage, HumanMessage, trim_messages

    messages = [HumanMessage("Read on."), AIMessage(LONG), HumanMessage(LONG), AIMessage("Done.")]
    kept = trim_messages(messages, max_tokens=SIZE + 30, token_counter=longturn.estimate, strategy="last")
    assert kept == messages[2:]
    assert counted.calls
    assert all(isinstance(content, list) for content, _ in counted.calls)


def talker() -> Any:
    """Return a chat model of LangChain's that keeps what it is sent and says little."""
    from langchain_core.language_models import GenericFakeChatModel
    from langchain_core.messages import AIMessage

    class Talker(GenericFakeChatModel):
        sent: list[Any] = []  # noqa: RUF012  # pydantic copies it

        def _generate(self, messages: Any, *arguments: Any, **options: Any) -> Any:
            self.sent.append(messages)
            return super()._generate(messages, *arguments, **options)

    return Talker(messages=(AIMessage("Done.") for _ in count()))


def test_langchain_edits_the_context_by_it(counted: Counted) -> None:
    """Its middleware clears tool results once our number is over the trigger."""
    pytest.importorskip("langchain")
    from langchain.agents import create_agent
    from langchain.agents.middleware import ClearToolUsesEdit, ContextEditingMiddleware

    for trigger, cleared in ((2 * SIZE, 3), (10 * SIZE, 0)):
        edit = ClearToolUsesEdit(trigger=trigger, keep=1)
        middleware = ContextEditingMiddleware(edits=[edit], token_counter=longturn.estimate)
        model = talker()
        create_agent(model, middleware=[middleware]).invoke({"messages": chain(4)})
        assert [message.content for message in model.sent[-1]].count("[cleared]") == cleared
    assert counted.calls


def test_langchain_summarises_by_it(counted: Counted) -> None:
    """Its middleware writes a summary once our number is over the trigger."""
    pytest.importorskip("langchain")
    from langchain.agents import create_agent
    from langchain.agents.middleware import SummarizationMiddleware

    for trigger, requests in ((2 * SIZE, 2), (10 * SIZE, 1)):
        model = talker()
        middleware = SummarizationMiddleware(
            model, trigger=("tokens", trigger), keep=("messages", 2), token_counter=longturn.estimate
        )
        create_agent(model, middleware=[middleware]).invoke({"messages": chain(4)})
        assert len(model.sent) == requests
    assert counted.calls


def test_deepagents_summarises_by_it(counted: Counted) -> None:
    """It is given the tools as well, because our signature names them."""
    pytest.importorskip("deepagents")
    from deepagents.backends import StateBackend
    from deepagents.middleware.summarization import SummarizationMiddleware

    backend = StateBackend()
    middleware = SummarizationMiddleware(
        talker(), backend=backend, trigger=("tokens", 100), token_counter=longturn.estimate
    )
    assert middleware.token_counter(chain(2)) == longturn.estimate(chain(2))
    assert "tools" in inspect.signature(middleware.token_counter).parameters


def test_langchain_models_count_by_the_tokenizer() -> None:
    """``custom_get_token_ids``: only the length of its answer is used."""
    pytest.importorskip("langchain_core")
    from langchain_core.language_models import FakeListChatModel

    model = FakeListChatModel(responses=["Hi."], custom_get_token_ids=longturn.tokenizer)
    assert model.get_num_tokens(LONG) == SIZE


def test_langchain_splits_text_by_it() -> None:
    """No piece is longer than was asked for."""
    splitters = pytest.importorskip("langchain_text_splitters")
    splitter = splitters.RecursiveCharacterTextSplitter(
        chunk_size=60, chunk_overlap=0, length_function=longturn.estimate
    )
    pieces = splitter.split_text(LONG)
    assert len(pieces) >= SIZE / 60
    assert max(map(longturn.estimate, pieces)) <= 60


# ---------------------------------------------------------------------- LiteLLM, Pydantic AI, Strands


def test_litellm_counts_by_it() -> None:
    """As a tokenizer with ``encode_batch_fast``; its own constants for messages come on top."""
    litellm = pytest.importorskip("litellm")
    slot = {"type": "huggingface_tokenizer", "tokenizer": longturn.estimate}
    assert litellm.token_counter(custom_tokenizer=slot, text=LONG) == SIZE
    messages = [{"role": "user", "content": LONG}]
    assert SIZE < litellm.token_counter(custom_tokenizer=slot, messages=messages) <= SIZE + 12


def test_pydantic_ai_limits_by_it() -> None:
    """In a wrapper of two lines, before anything is sent."""
    pytest.importorskip("pydantic_ai")
    from pydantic_ai import Agent, UsageLimitExceeded, UsageLimits
    from pydantic_ai.models.test import TestModel
    from pydantic_ai.models.wrapper import WrapperModel
    from pydantic_ai.usage import RequestUsage

    class Counting(WrapperModel):
        async def count_tokens(self, messages: Any, model_settings: Any, model_request_parameters: Any) -> Any:
            return RequestUsage(input_tokens=longturn.estimate(messages))

    def run(limit: int) -> None:
        limits = UsageLimits(input_tokens_limit=limit, count_tokens_before_request=True)
        asyncio.run(Agent(Counting(TestModel())).run(LONG, usage_limits=limits))

    with pytest.raises(UsageLimitExceeded, match=f"input_tokens={SIZE + 4}"):
        run(SIZE)
    run(SIZE + 5)


def test_strands_counts_by_it() -> None:
    """In a subclass of its model; its messages are Bedrock's."""
    pytest.importorskip("strands")
    from strands.models import BedrockModel

    class Counting(BedrockModel):
        async def count_tokens(self, messages: Any, tool_specs: Any = None, *_: Any, **__: Any) -> int:
            return longturn.estimate(messages, tool_specs)

    model = Counting.__new__(Counting)  # its constructor looks for a region and credentials
    message = {"role": "user", "content": [{"text": LONG}]}
    assert asyncio.run(model.count_tokens([message])) == longturn.estimate([message]) == SIZE + 4


# ---------------------------------------------------------------------- LlamaIndex


def test_llama_index_counts_by_the_tokenizer() -> None:
    """Wherever a tokenizer is asked for: memory, splitters, counters; an ``int`` has no length."""
    pytest.importorskip("llama_index.core")
    from llama_index.core.callbacks import TokenCountingHandler
    from llama_index.core.llms import ChatMessage
    from llama_index.core.memory import ChatMemoryBuffer, Memory
    from llama_index.core.node_parser import SentenceSplitter, TokenTextSplitter
    from llama_index.core.utilities.token_counting import TokenCounter

    assert TokenCounter(longturn.tokenizer).get_string_tokens(LONG) == SIZE
    assert TokenCountingHandler(tokenizer=longturn.tokenizer)._token_counter.get_string_tokens(LONG) == SIZE
    memory = ChatMemoryBuffer.from_defaults(tokenizer_fn=longturn.tokenizer, token_limit=SIZE + 50)
    for role in ("user", "assistant", "user"):
        memory.put(ChatMessage(role=role, content=LONG))
    assert len(memory.get()) == 1
    assert Memory.from_defaults(tokenizer_fn=longturn.tokenizer).tokenizer_fn is longturn.tokenizer
    for splitter in (SentenceSplitter, TokenTextSplitter):
        made = splitter(chunk_size=60, chunk_overlap=0, tokenizer=longturn.tokenizer)
        assert max(map(longturn.estimate, made.split_text(LONG))) <= 60
    with pytest.raises(TypeError, match="has no len"):
        SentenceSplitter(chunk_size=60, chunk_overlap=0, tokenizer=longturn.estimate).split_text(LONG)


def test_llama_index_takes_it_for_everything() -> None:
    """``set_global_tokenizer``."""
    core = pytest.importorskip("llama_index.core")
    from llama_index.core.utils import get_tokenizer

    before = core.global_tokenizer
    try:
        core.set_global_tokenizer(longturn.tokenizer)
        assert len(get_tokenizer()(LONG)) == SIZE
    finally:
        core.global_tokenizer = before


# ---------------------------------------------------------------------- Agent Framework, Haystack, Agno, AutoGen


def test_agent_framework_compacts_by_it() -> None:
    """It is a tokenizer by its protocol; a message is counted as its JSON text."""
    pytest.importorskip("agent_framework")
    from agent_framework import Message, TokenizerProtocol, TruncationStrategy
    from agent_framework._compaction import apply_compaction

    assert isinstance(longturn.estimate, TokenizerProtocol)
    strategy = TruncationStrategy(max_n=2 * SIZE, compact_to=2 * SIZE, tokenizer=longturn.estimate)
    messages = [Message("user" if number % 2 == 0 else "assistant", [LONG]) for number in range(5)]
    kept = asyncio.run(apply_compaction(messages, strategy=strategy, tokenizer=longturn.estimate))
    assert len(kept) == 1


def test_haystack_compacts_by_it() -> None:
    """Its hook decides by our number, and saves the counter with the pipeline."""
    pytest.importorskip("haystack.hooks.compaction")
    from haystack.components.agents import State
    from haystack.core.serialization import allow_deserialization_module
    from haystack.dataclasses import ChatMessage
    from haystack.hooks.compaction import CompactionHook, SlidingWindowCompactor

    hook = CompactionHook(SlidingWindowCompactor(), context_window=4 * SIZE, token_counter=longturn.estimate)
    for messages, is_compacted in ((2, False), (8, True)):
        history = [ChatMessage.from_user(LONG) for _ in range(messages)]
        state = State(schema={"messages": {"type": list[ChatMessage]}}, data={"messages": history})
        hook.run(state)
        assert (len(state.data["messages"]) < messages) == is_compacted
    saved = json.loads(json.dumps(hook.to_dict()))
    allow_deserialization_module("longturn")  # it loads no class of a module that its user does not trust
    again = CompactionHook.from_dict(saved)
    assert again.token_counter.count([ChatMessage.from_user(LONG)]) == SIZE + 4


def test_agno_compacts_by_it(counted: Counted) -> None:
    """It hands over the tools by their place."""
    pytest.importorskip("agno.compaction")
    from agno.compaction import Compaction
    from agno.models.message import Message

    history = [Message(role="user" if number % 2 == 0 else "assistant", content=LONG) for number in range(6)]
    tools = [{"name": "read"}]
    compaction = Compaction(compact_at_tokens=5 * SIZE, token_counter=longturn.estimate)
    assert compaction.should_compact(history, tools=tools)
    assert not compaction.should_compact(history[:4], tools=tools)
    assert any(given == tools for _, given in counted.calls)


def test_autogen_limits_by_it() -> None:
    """In a subclass of its client of one method."""
    pytest.importorskip("autogen_core")
    from autogen_core.model_context import TokenLimitedChatCompletionContext
    from autogen_core.models import UserMessage
    from autogen_ext.models.replay import ReplayChatCompletionClient

    class Counting(ReplayChatCompletionClient):
        def count_tokens(self, messages: Any, *, tools: Any = ()) -> int:
            return longturn.estimate(messages, list(tools))

    async def kept() -> int:
        context = TokenLimitedChatCompletionContext(Counting(["Hi."]), token_limit=2 * SIZE + 40)
        for _ in range(6):
            await context.add_message(UserMessage(content=LONG, source="user"))
        return len(await context.get_messages())

    assert asyncio.run(kept()) == 2


# ---------------------------------------------------------------------- splitters


def test_semchunk_splits_by_it() -> None:
    """It takes any counter without ``encode``."""
    semchunk = pytest.importorskip("semchunk")
    pieces = semchunk.chunkerify(longturn.estimate, 60)(LONG)
    assert max(map(longturn.estimate, pieces)) <= 60


def test_chonkie_splits_by_it_where_there_is_a_place_to_split() -> None:
    """Whatever its annotation says, it wants tokens where there is none; when it stops, the documentation changes."""
    chonkie = pytest.importorskip("chonkie")
    chunker = chonkie.RecursiveChunker(tokenizer=longturn.estimate, chunk_size=60)
    assert max(longturn.estimate(piece.text) for piece in chunker.chunk(LONG)) <= 60
    with pytest.raises(NotImplementedError, match="callable"):
        chunker.chunk("a" * 1_000)
    with pytest.raises(NotImplementedError, match="callable"):
        chonkie.TokenChunker(tokenizer=longturn.estimate, chunk_size=60).chunk(LONG)


# ---------------------------------------------------------------------- messages of frameworks

STRUCTURE = 16  # tokens: a call and a result, and what names them
CALL = {"id": "call_1", "type": "function", "function": {"name": "read", "arguments": '{"path": "a.txt"}'}}
DICTIONARIES = [
    {"role": "system", "content": "Be brief."},
    {"role": "user", "content": "Read the file."},
    {"role": "assistant", "content": "I will.", "tool_calls": [CALL]},
    {"role": "tool", "tool_call_id": "call_1", "content": LONG},
]


def of_haystack() -> list[Any]:
    from haystack.dataclasses import ChatMessage, ToolCall

    call = ToolCall(tool_name="read", arguments={"path": "a.txt"}, id="call_1")
    return [
        ChatMessage.from_system("Be brief."),
        ChatMessage.from_user("Read the file."),
        ChatMessage.from_assistant("I will.", tool_calls=[call], meta={"usage": {"prompt_tokens": 17}}),
        ChatMessage.from_tool(LONG, origin=call),
    ]


def of_agno() -> list[Any]:
    from agno.models.message import Message

    return [
        Message(role="system", content="Be brief."),
        Message(role="user", content="Read the file."),
        Message(role="assistant", content="I will.", tool_calls=[CALL]),
        Message(role="tool", tool_call_id="call_1", tool_name="read", tool_args={"path": "a.txt"}, content=LONG),
    ]


def of_agent_framework() -> list[Any]:
    from agent_framework import Content, Message

    return [
        Message("system", ["Be brief."]),
        Message("user", ["Read the file."]),
        Message("assistant", ["I will.", Content.from_function_call("call_1", "read", arguments={"path": "a.txt"})]),
        Message("tool", [Content.from_function_result("call_1", result=LONG)]),
    ]


def of_llama_index() -> list[Any]:
    from llama_index.core.base.llms.types import ChatMessage, TextBlock, ToolCallBlock

    call = ToolCallBlock(tool_call_id="call_1", tool_name="read", tool_kwargs={"path": "a.txt"})
    return [
        ChatMessage(role="system", content="Be brief."),
        ChatMessage(role="user", content="Read the file."),
        ChatMessage(role="assistant", blocks=[TextBlock(text="I will."), call]),
        ChatMessage(role="tool", content=LONG, additional_kwargs={"tool_call_id": "call_1"}),
    ]


def of_llama_index_before() -> list[Any]:
    from llama_index.core.base.llms.types import ChatMessage

    messages = of_llama_index()
    messages[2] = ChatMessage(role="assistant", content="I will.", additional_kwargs={"tool_calls": [CALL]})
    return messages


def of_autogen() -> list[Any]:
    from autogen_core import FunctionCall
    from autogen_core.models import (
        AssistantMessage,
        FunctionExecutionResult,
        FunctionExecutionResultMessage,
        SystemMessage,
        UserMessage,
    )

    call = FunctionCall(id="call_1", name="read", arguments='{"path": "a.txt"}')
    result = FunctionExecutionResult(call_id="call_1", name="read", content=LONG, is_error=False)
    return [
        SystemMessage(content="Be brief."),
        UserMessage(content="Read the file.", source="user"),
        AssistantMessage(content=[call], thought="I will.", source="agent"),
        FunctionExecutionResultMessage(content=[result]),
    ]


def of_smolagents() -> list[Any]:
    from smolagents.models import ChatMessage, ChatMessageToolCall, ChatMessageToolCallFunction, MessageRole

    function = ChatMessageToolCallFunction(name="read", arguments={"path": "a.txt"})
    call = ChatMessageToolCall(id="call_1", type="function", function=function)
    answer = {"choices": [{"message": {"content": LONG}}]}
    return [
        ChatMessage(role=MessageRole.SYSTEM, content="Be brief."),
        ChatMessage(role=MessageRole.USER, content=[{"type": "text", "text": "Read the file."}]),
        ChatMessage(role=MessageRole.ASSISTANT, content="I will.", tool_calls=[call], raw=answer),
        ChatMessage(role=MessageRole.TOOL_RESPONSE, content=[{"type": "text", "text": LONG}]),
    ]


PICTURE = b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAA+gAAAMgCAIAAAA/et9qAAAAAElFTkSuQmCC"  # the header of one of 1,000 by 800 pixels
) + bytes(200_000)


def picture_of_haystack() -> Any:
    from haystack.dataclasses import ChatMessage, ImageContent

    image = ImageContent(base64_image=b64encode(PICTURE).decode(), mime_type="image/png", validation=False)
    return ChatMessage.from_user(content_parts=["See.", image])


def picture_of_agno() -> Any:
    from agno.media import Image
    from agno.models.message import Message

    return Message(role="user", content="See.", images=[Image(content=PICTURE)])


def picture_of_agent_framework() -> Any:
    from agent_framework import Content, Message

    return Message("user", ["See.", Content.from_data(PICTURE, media_type="image/png")])


def picture_of_llama_index() -> Any:
    from llama_index.core.base.llms.types import ChatMessage, ImageBlock, TextBlock

    image = ImageBlock(image=b64encode(PICTURE), image_mimetype="image/png")
    return ChatMessage(role="user", blocks=[TextBlock(text="See."), image])


def picture_of_autogen() -> Any:
    pillow = pytest.importorskip("PIL.Image")
    from autogen_core import Image
    from autogen_core.models import UserMessage

    return UserMessage(content=["See.", Image(pillow.effect_noise((1_000, 800), 50))], source="user")


PICTURES = {
    "haystack": picture_of_haystack,
    "agno": picture_of_agno,
    "agent_framework": picture_of_agent_framework,
    "llama_index.core": picture_of_llama_index,
    "autogen_core": picture_of_autogen,
}


@pytest.mark.parametrize("name", PICTURES)
def test_S6_pictures_of_frameworks_count_by_their_size(name: str) -> None:
    """As Anthropic's would, not by the length of their base64."""
    pytest.importorskip(name)
    source = {"type": "base64", "media_type": "image/png", "data": b64encode(PICTURE).decode()}
    expected = longturn.estimate({"role": "user", "content": ["See.", {"type": "image", "source": source}]})
    assert longturn.estimate(PICTURES[name]()) == pytest.approx(expected, abs=STRUCTURE)


FRAMEWORKS = {
    "haystack": of_haystack,
    "agno": of_agno,
    "agent_framework": of_agent_framework,
    "llama_index.core": of_llama_index,
    "llama_index.core older": of_llama_index_before,
    "autogen_core": of_autogen,
    "smolagents": of_smolagents,
}


@pytest.mark.parametrize("name", FRAMEWORKS)
def test_S8_messages_of_frameworks_count_as_what_is_sent(name: str) -> None:
    """Within the constants of structure; what a framework keeps beside counts nothing, nothing counts twice."""
    pytest.importorskip(name.split(maxsplit=1)[0])
    messages = FRAMEWORKS[name]()
    for message, dictionary in zip(messages, DICTIONARIES, strict=True):
        expected = longturn.estimate([dictionary])
        assert abs(longturn.estimate([message]) - expected) <= STRUCTURE
        assert longturn.estimate(message) == longturn.estimate([message])
    assert longturn.estimate(messages) == pytest.approx(longturn.estimate(DICTIONARIES), abs=STRUCTURE)
