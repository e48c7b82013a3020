"""
LlamaIndex: ``FunctionAgent(tools=tools, llm=fit_llm(llm, Window(150_000)))``, and every other agent that chats.

Only what is sent is fitted; memory and the turn's scratchpad keep every message.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Sequence
from typing import Any

from llama_index.core.base.llms.types import ChatMessage, MessageRole, TextBlock, ToolCallBlock

from longturn.formats.base import get
from longturn.mirror import Shape, shown_call
from longturn.mirroring import MirroredCalls, overridden
from longturn.window import Window


def fit_llm(llm: Any, window: Window) -> Any:
    """
    Return a copy of an LLM that fits what it is asked, and tells the agent so in its system message.

    A request refused as too long is fitted tighter and sent once more; ``ConversationTooLong`` comes out
    where that is refused too.
    """
    calls, kind = MirroredCalls(window, SHAPE, _usage), type(llm)

    def chat(self: Any, messages: Sequence[ChatMessage], **options: Any) -> Any:
        return calls.call(lambda own: kind.chat(self, own, **options), messages, **_beside(self, options))

    def stream_chat(self: Any, messages: Sequence[ChatMessage], **options: Any) -> Iterator[Any]:
        return calls.stream(lambda own: kind.stream_chat(self, own, **options), messages, **_beside(self, options))

    async def achat(self: Any, messages: Sequence[ChatMessage], **options: Any) -> Any:
        return await calls.acall(lambda own: kind.achat(self, own, **options), messages, **_beside(self, options))

    async def astream_chat(self: Any, messages: Sequence[ChatMessage], **options: Any) -> AsyncIterator[Any]:
        return calls.astream(lambda own: kind.astream_chat(self, own, **options), messages, **_beside(self, options))

    return overridden(llm, {"chat": chat, "stream_chat": stream_chat, "achat": achat, "astream_chat": astream_chat})


def _beside(llm: Any, options: dict[str, Any]) -> dict[str, Any]:
    """Return what goes with the messages; some LLMs send only what is new since their last answer."""
    return {"tools": options.get("tools"), "is_held": getattr(llm, "track_previous_responses", False)}


def _usage(answer: Any) -> Any:
    """Return the usage in the provider's own answer."""
    raw = getattr(answer, "raw", None)
    return get(raw, "usage") or get(raw, "usage_metadata")


def _show(message: ChatMessage) -> list[dict[str, Any]]:
    kept = message.additional_kwargs
    shown: dict[str, Any] = {"role": message.role.value, "content": message.content}
    if message.role in (MessageRole.TOOL, MessageRole.FUNCTION):
        return [{**shown, "tool_call_id": kept.get("tool_call_id"), "name": kept.get("name")}]
    if message.role == MessageRole.USER:
        shown["content"] = [{"type": get(block, "block_type"), **block.model_dump()} for block in message.blocks]
    if calls := [_call(block) for block in message.blocks if isinstance(block, ToolCallBlock)]:
        return [{**shown, "tool_calls": calls}]
    return [{**shown, "tool_calls": kept["tool_calls"]}] if kept.get("tool_calls") else [shown]


def _call(block: ToolCallBlock) -> dict[str, Any]:
    return shown_call(block.tool_call_id, block.tool_name, block.tool_kwargs)


def _edit(message: ChatMessage, texts: list[str | None]) -> ChatMessage:
    return message.model_copy(update={"blocks": [TextBlock(text=texts[0])]})


SHAPE: Shape[ChatMessage] = Shape(
    show=_show,
    edit=_edit,
    user=lambda text: ChatMessage(text, role=MessageRole.USER),
    system=lambda text: ChatMessage(text, role=MessageRole.SYSTEM),
)
