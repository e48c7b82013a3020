"""
smolagents: ``ToolCallingAgent(tools=tools, model=fit_model(model, Window(150_000)))``; ``CodeAgent`` likewise.

Only what is sent is fitted; the agent's memory keeps every step.
"""

from __future__ import annotations

from ast import literal_eval
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from smolagents.models import ChatMessage, MessageRole

from longturn.formats.base import get, text_of
from longturn.mirror import Shape, shown_call
from longturn.mirroring import MirroredCalls, overridden
from longturn.window import Window

_CALLING = "Calling tools:\n"


def fit_model(model: Any, window: Window) -> Any:
    """
    Return a copy of a model that fits what it is asked, and tells the agent so in its system prompt.

    A request refused as too long is fitted tighter and sent once more; ``ConversationTooLong`` comes out
    where that is refused too.
    """
    calls, kind = MirroredCalls(window, SHAPE, _usage), type(model)

    def generate(self: Any, messages: list[Any], *args: Any, **options: Any) -> ChatMessage:
        def send(own: list[Any]) -> Any:
            return kind.generate(self, own, *args, **options)

        answer: ChatMessage = calls.call(send, _objects(messages), tools=_declared(options))
        return answer

    def generate_stream(self: Any, messages: list[Any], *args: Any, **options: Any) -> Iterator[Any]:
        def send(own: list[Any]) -> Iterator[Any]:
            return iter(kind.generate_stream(self, own, *args, **options))

        return calls.stream(send, _objects(messages), tools=_declared(options))

    methods = {"generate": generate, "generate_stream": generate_stream}
    return overridden(model, {name: method for name, method in methods.items() if hasattr(kind, name)})


def _usage(answer: Any) -> Any:
    return getattr(answer, "token_usage", None)


def _objects(messages: list[Any]) -> list[ChatMessage]:
    return [ChatMessage.from_dict(dict(one)) if isinstance(one, dict) else one for one in messages]


def _declared(options: dict[str, Any]) -> list[dict[str, Any]]:
    tools = options.get("tools_to_call_from") or []
    return [{"name": one.name, "description": one.description, "parameters": one.inputs} for one in tools]


def _show(message: ChatMessage) -> list[dict[str, Any]]:
    """Calls and results are texts here, so that a round has one of each, however many tools were called."""
    if message.role == MessageRole.TOOL_CALL:
        return [{"role": "assistant", "content": message.content, "tool_calls": [shown_call("", _tool(message), "")]}]
    if message.role == MessageRole.TOOL_RESPONSE:
        return [{"role": "tool", "content": message.content, "tool_call_id": ""}]
    text = text_of(message.content) if message.role == MessageRole.SYSTEM else message.content
    return [{"role": message.role.value, "content": text}]


def _tool(message: ChatMessage) -> str | None:
    """Return which tool was called, if it was one alone."""
    text = text_of(message.content)
    try:
        called = literal_eval(text.removeprefix(_CALLING))
    except (SyntaxError, ValueError):
        return None
    return get(get(called[0], "function"), "name") if isinstance(called, list) and len(called) == 1 else None


def _edit(message: ChatMessage, texts: list[str | None]) -> ChatMessage:
    return replace(message, content=[{"type": "text", "text": texts[0]}])


def _message(role: MessageRole, text: str) -> ChatMessage:
    return ChatMessage(role=role, content=[{"type": "text", "text": text}])


SHAPE: Shape[ChatMessage] = Shape(
    show=_show,
    edit=_edit,
    user=lambda text: _message(MessageRole.USER, text),
    system=lambda text: _message(MessageRole.SYSTEM, text),
)
