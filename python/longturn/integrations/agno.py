"""
Agno: ``Agent(model=fit_model(OpenAIChat(id="gpt-5"), Window(150_000)), tools=tools)``.

Only what is sent is fitted; the run's messages and the session stay as they are.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from typing import Any

from agno.models.message import Message

from longturn.mirror import Shape
from longturn.mirroring import MirroredCalls, overridden
from longturn.window import Window


def fit_model(model: Any, window: Window) -> Any:
    """
    Return a copy of a model that fits what it is asked, and tells the agent so in its system message.

    A request refused as too long is fitted tighter and sent once more.  Where that is refused too, the run ends
    with an error whose content is the sentence for the person.
    """
    calls, kind = MirroredCalls(window, SHAPE, _usage), type(model)

    def invoke(self: Any, messages: list[Message], *args: Any, **options: Any) -> Any:
        def send(own: list[Message]) -> Any:
            return kind.invoke(self, own, *args, **options)

        return calls.call(send, messages, **_beside(self, options))

    async def ainvoke(self: Any, messages: list[Message], *args: Any, **options: Any) -> Any:
        async def send(own: list[Message]) -> Any:
            return await kind.ainvoke(self, own, *args, **options)

        return await calls.acall(send, messages, **_beside(self, options))

    def invoke_stream(self: Any, messages: list[Message], *args: Any, **options: Any) -> Iterator[Any]:
        def send(own: list[Message]) -> Iterator[Any]:
            return iter(kind.invoke_stream(self, own, *args, **options))

        return calls.stream(send, messages, **_beside(self, options))

    def ainvoke_stream(self: Any, messages: list[Message], *args: Any, **options: Any) -> AsyncIterator[Any]:
        def send(own: list[Message]) -> Any:
            return kind.ainvoke_stream(self, own, *args, **options)

        return calls.astream(send, messages, **_beside(self, options))

    return overridden(
        model,
        {"invoke": invoke, "ainvoke": ainvoke, "invoke_stream": invoke_stream, "ainvoke_stream": ainvoke_stream},
    )


def _beside(model: Any, options: dict[str, Any]) -> dict[str, Any]:
    """Return what goes with the messages; some models of OpenAI's send only what is new since their last answer."""
    asked = [getattr(model, name, None) for name in ("_chains_responses", "_using_reasoning_model")]
    return {"tools": options.get("tools"), "is_held": all(one is not None and one() for one in asked)}


def _usage(answer: Any) -> Any:
    return getattr(answer, "response_usage", None)


def _show(message: Message) -> list[dict[str, Any]]:
    shown = {"role": message.role, "content": message.content, "tool_calls": message.tool_calls}
    if message.role == "tool":
        shown |= {"tool_call_id": message.tool_call_id, "name": message.tool_name}
    media = {"image": message.images, "audio": message.audio, "video": message.videos, "document": message.files}
    parts = [{"type": kind, "url": str(one.url or "")} for kind, several in media.items() for one in several or ()]
    if parts:
        shown["content"] = [{"type": "text", "text": message.get_content_string()}, *parts]
    return [{key: value for key, value in shown.items() if value is not None}]


def _edit(message: Message, texts: list[str | None]) -> Message:
    return message.model_copy(update={"content": texts[0], "compressed_content": None})


SHAPE: Shape[Message] = Shape(
    show=_show,
    edit=_edit,
    user=lambda text: Message(role="user", content=text),
    system=lambda text: Message(role="system", content=text),
)
