"""
Microsoft Agent Framework: ``Agent(client=client, tools=tools, middleware=[FitMiddleware(Window(150_000))])``.

Only what is sent is fitted; sessions and responses keep every message.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from copy import copy
from typing import TYPE_CHECKING, Any

from agent_framework import ChatMiddleware, Content, FunctionTool, Message

from longturn.instructing import instructed
from longturn.mirror import Shape, shown_call
from longturn.mirroring import MirroredCalls
from longturn.window import Window

if TYPE_CHECKING:
    from agent_framework import ChatContext

_MEDIA = ("data", "uri")
_SAYING = ("text", "text_reasoning", "error", *_MEDIA)


class FitMiddleware(ChatMiddleware):
    """
    Fits every model call of an agent, and tells the agent so in its instructions.

    A request refused as too long is fitted tighter and sent once more, and ``ConversationTooLong`` comes out
    where that is refused too; a streamed one stays the framework's exception.
    Conversations on the provider's side pass through.
    """

    def __init__(self, window: Window) -> None:
        self.window = window
        self._calls = MirroredCalls(window, SHAPE, _usage)

    async def process(self, context: ChatContext, call_next: Callable[[], Awaitable[None]]) -> None:
        """Exchange the messages of a call for fitted ones."""
        options: Mapping[str, Any] = context.options or {}
        if options.get("conversation_id"):
            self.window.fit_request({"messages": [], "conversation": True})  # says so, once
            await call_next()
            return
        system = instructed(options.get("instructions"), self.window.instructions())
        context.options = {**options, "instructions": system}
        declared = [_declared(tool) for tool in options.get("tools") or []]
        if context.stream:
            context.messages, observe = self._calls.fit(context.messages, tools=declared, system=system)
            context.stream_result_hooks.append(observe)
            await call_next()
            return

        async def send(own: list[Message]) -> Any:
            context.messages = own
            await call_next()
            return context.result

        await self._calls.acall(send, context.messages, tools=declared, system=system)


def _usage(answer: Any) -> Any:
    return getattr(answer, "usage_details", None)


def _declared(tool: Any) -> Any:
    if not isinstance(tool, FunctionTool):
        return tool
    return {"name": tool.name, "description": tool.description, "parameters": tool.parameters()}


def _show(message: Message) -> list[dict[str, Any]]:
    if results := _of(message, "function_result"):
        return [{"role": "tool", "content": one.result, "tool_call_id": one.call_id} for one in results]
    parts = [_part(one) for one in _of(message, *_SAYING)]
    shown: dict[str, Any] = {"role": str(message.role), "content": parts}
    calls = [shown_call(one.call_id, one.name, one.arguments) for one in _of(message, "function_call")]
    return [{**shown, "tool_calls": calls}] if calls else [shown]


def _of(message: Message, *kinds: str) -> list[Content]:
    return [one for one in message.contents if one.type in kinds]


def _part(content: Content) -> dict[str, Any]:
    if content.type in _MEDIA:
        return {"type": "document", "url": content.uri}
    return {"type": "text", "text": content.text or ""}


def _edit(message: Message, texts: list[str | None]) -> Message:
    edited, contents, rest = copy(message), list(message.contents), iter(texts)
    if not _of(message, "function_result"):
        contents = [*(one for one in contents if one.type != "text"), Content.from_text(str(texts[0]))]
    for place, one in enumerate(contents):
        if one.type == "function_result" and (text := next(rest)) is not None:
            contents[place] = Content.from_function_result(str(one.call_id), result=text)
    edited.contents = contents
    return edited


SHAPE: Shape[Message] = Shape(show=_show, edit=_edit, user=lambda text: Message("user", [text]), system=None)
