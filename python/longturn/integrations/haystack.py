"""
Haystack: ``Agent(chat_generator=FitGenerator(generator, Window(150_000)), tools=tools)``; pipelines likewise.

Only what is sent is fitted; the agent's state keeps every message.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from haystack import component
from haystack.dataclasses import ChatMessage, ToolCallResult
from haystack.tools import flatten_tools_or_toolsets

from longturn.mirror import Shape, shown_call
from longturn.mirroring import MirroredCalls
from longturn.window import Window


@component
class FitGenerator:
    """
    A chat generator around another one: fits what that is asked, and tells the agent so in its system message.

    A request refused as too long is fitted tighter and sent once more; ``ConversationTooLong`` comes out
    where that is refused too.
    """

    def __init__(self, generator: Any, window: Window) -> None:
        self.generator = generator
        self.window = window
        self._calls = MirroredCalls(window, SHAPE, _usage)

    def warm_up(self) -> None:
        """Warm the generator up, if it can be."""
        if hasattr(self.generator, "warm_up"):
            self.generator.warm_up()

    @component.output_types(replies=list[ChatMessage])
    def run(
        self,
        messages: list[ChatMessage],
        tools: Any = None,
        streaming_callback: Any = None,
        generation_kwargs: dict[str, Any] | None = None,
    ) -> dict[str, Any]:
        """Return the generator's replies to the fitted messages."""
        options = {"tools": tools, "streaming_callback": streaming_callback, "generation_kwargs": generation_kwargs}

        def send(own: list[ChatMessage]) -> Any:
            return self.generator.run(messages=own, **options)

        answer: dict[str, Any] = self._calls.call(send, messages, **_beside(options))
        return answer

    @component.output_types(replies=list[ChatMessage])
    async def run_async(
        self,
        messages: list[ChatMessage],
        tools: Any = None,
        streaming_callback: Any = None,
        generation_kwargs: dict[str, Any] | None = None,
    ) -> dict[str, Any]:
        """Return the generator's replies to the fitted messages."""
        options = {"tools": tools, "streaming_callback": streaming_callback, "generation_kwargs": generation_kwargs}

        async def send(own: list[ChatMessage]) -> Any:
            return await self.generator.run_async(messages=own, **options)

        answer: dict[str, Any] = await self._calls.acall(send, messages, **_beside(options))
        return answer


def _usage(answer: Any) -> Any:
    return next((reply.meta.get("usage") for reply in answer["replies"]), None)


def _beside(options: dict[str, Any]) -> dict[str, Any]:
    """Return what goes with the messages."""
    tools = flatten_tools_or_toolsets(options["tools"]) if options["tools"] else []
    held = (options["generation_kwargs"] or {}).get("previous_response_id")
    return {"tools": [tool.tool_spec for tool in tools], "is_held": held}


def _show(message: ChatMessage) -> list[dict[str, Any]]:
    role = message.role.value
    if message.tool_call_results:
        return [_result(one) for one in message.tool_call_results]
    others = [] if role == "system" else [*message.images, *message.files]
    parts = [{"type": "image" if hasattr(one, "base64_image") else "document"} for one in others]
    text = "\n\n".join(message.texts)
    shown: dict[str, Any] = {"role": role, "content": [{"type": "text", "text": text}, *parts] if parts else text}
    if message.tool_calls:
        shown["tool_calls"] = [shown_call(one.id, one.tool_name, one.arguments) for one in message.tool_calls]
    return [shown]


def _result(one: ToolCallResult) -> dict[str, Any]:
    content = one.result if isinstance(one.result, str) else [part.to_dict() for part in one.result]
    return {"role": "tool", "content": content, "tool_call_id": one.origin.id, "name": one.origin.tool_name}


def _edit(message: ChatMessage, texts: list[str | None]) -> ChatMessage:
    if not message.tool_call_results:
        make = ChatMessage.from_system if message.role.value == "system" else ChatMessage.from_user
        return make(str(texts[0]), meta=message.meta, name=message.name)
    pairs = zip(message.tool_call_results, texts, strict=True)
    results = [one if text is None else replace(one, result=text) for one, text in pairs]
    return replace(message, _content=results)


SHAPE: Shape[ChatMessage] = Shape(show=_show, edit=_edit, user=ChatMessage.from_user, system=ChatMessage.from_system)
