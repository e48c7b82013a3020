"""
Microsoft Agent Framework: ``Agent(client=client, tools=tools, middleware=[FitMiddleware(Window(150_000))])``.

Only what is sent is fitted; sessions and responses keep every message.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from copy import copy
from typing import TYPE_CHECKING, Any

from agent_framework import ChatMiddleware, Content, FunctionTool, Message, ResponseStream

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

    A request refused as too long is fitted tighter and sent once more; ``ConversationTooLong`` comes out where
    that is refused too.  Conversations on the provider's side pass through.
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
        beside = {"tools": [_declared(tool) for tool in options.get("tools") or []], "system": system}

        async def send(own: list[Message]) -> Any:
            context.messages = own
            await call_next()
            return context.result

        if not context.stream:
            await self._calls.acall(send, context.messages, **beside)
            return
        own, watched = self._calls.begin(context.messages, **beside)
        answers = [await send(own)]  # at once: middleware after this one adds to the stream that is returned

        async def again(own: list[Message]) -> Any:
            answers.append(await send(own))
            return answers[-1]

        context.result = ResponseStream(
            watched(answers[0], again), finalizer=lambda _: answers[-1].get_final_response()
        )


def _usage(answer: Any) -> Any:
    """Return the usage of an answer, or of a piece of one."""
    contents = getattr(answer, "contents", ())
    return getattr(answer, "usage_details", None) or next(
        (one.usage_details for one in contents if one.usage_details), None
    )


def _declared(tool: Any) -> Any:
    if not isinstance(tool, FunctionTool):
        return tool
    return {"name": tool.name, "description": tool.description, "parameters": tool.parameters()}


def _show(message: Message) -> list[dict[str, Any]]:
    if results := _of(message, "function_result"):
        return [{"role": "tool", "content": _result(one), "tool_call_id": one.call_id} for one in results]
    parts = [_part(one) for one in _of(message, *_SAYING)]
    shown: dict[str, Any] = {"role": str(message.role), "content": parts}
    calls = [shown_call(one.call_id, one.name, one.arguments) for one in _of(message, "function_call")]
    return [{**shown, "tool_calls": calls}] if calls else [shown]


def _of(message: Message, *kinds: str) -> list[Content]:
    return [one for one in message.contents if one.type in kinds]


def _result(content: Content) -> Any:
    items = content.items or ()
    return [_part(one) for one in items] if any(one.type in _MEDIA for one in items) else content.result


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
            contents[place] = cleared = copy(one)
            cleared.result, cleared.items, cleared.raw_representation = text, [Content.from_text(text)], None
    edited.contents = contents
    return edited


SHAPE: Shape[Message] = Shape(show=_show, edit=_edit, user=lambda text: Message("user", [text]), system=None)
