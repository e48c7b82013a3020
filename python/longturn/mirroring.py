"""Calls of a model whose messages only a mirror can show: fitted, sent, observed, and recovered once."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from copy import copy
from dataclasses import dataclass, replace
from inspect import isawaitable
from types import new_class
from typing import Any, Final, Generic, TypeVar

from longturn import calling
from longturn.fitted import Fitted
from longturn.instructing import is_instructed, leading_system
from longturn.mirror import Mirror, Reflection, Shape, Told
from longturn.window import Window

M = TypeVar("M")


@dataclass(frozen=True, slots=True)
class _Draft(Generic[M]):
    """Messages on their way."""

    reflection: Reflection[M]
    instructions: str
    shown: list[dict[str, Any]]
    beside: dict[str, Any]

    def own(self, fitted: Fitted) -> list[M]:
        """Return the framework's messages to send."""
        return self.reflection.back(fitted.messages, self.instructions)


class MirroredCalls(Generic[M]):
    """
    Sends a framework's messages through a window; ``send`` takes them and returns the framework's answer.

    ``system`` is the prompt where it is kept apart from the messages, the instructions in it.  ``is_held`` says
    that the provider keeps the history: messages pass through then, with one warning ([V8]).
    """

    def __init__(self, window: Window, shape: Shape[M], usage: Callable[[Any], Any]) -> None:
        self._window: Final = window
        self._mirror: Final = Mirror(shape)
        self._usage: Final = usage
        """The usage in an answer or a piece of one; None where there is none."""

    def begin(self, messages: Sequence[M], **beside: Any) -> tuple[list[M], Callable[..., AsyncIterator[Any]]]:
        """
        Return what to send first, and what makes a watched stream of ``(answer, send)``, the asynchronous stream
        that answers it and what gets another; for hooks that have to send before anybody reads.
        """
        draft = self._draft(messages, **beside)
        turn = self._window._turn(draft.shown, **draft.beside)
        fitted = turn.first()

        async def watched(answer: Any, send: Callable[[list[M]], Awaitable[Any]]) -> AsyncIterator[Any]:
            answers = iter((answer,))

            async def told(fitted: Fitted) -> AsyncIterator[Told]:
                async for piece in next(answers, None) or await send(draft.own(fitted)):
                    yield self._told(piece)

            async for one in calling.astream(replace(turn, begun=fitted), told):
                yield one.answer

        return draft.own(fitted), watched

    def call(self, send: Callable[[list[M]], Any], messages: Sequence[M], **beside: Any) -> Any:
        """Return what ``send`` returns; see ``Window.call``."""
        if self._passes(beside):
            return send(list(messages))
        draft = self._draft(messages, **beside)

        def told(fitted: Fitted) -> Told:
            return self._told(send(draft.own(fitted)))

        return self._window.call(told, draft.shown, **draft.beside).answer

    async def acall(self, send: Callable[[list[M]], Awaitable[Any]], messages: Sequence[M], **beside: Any) -> Any:
        """Return what ``send`` returns, awaited."""
        if self._passes(beside):
            return await send(list(messages))
        draft = self._draft(messages, **beside)

        async def told(fitted: Fitted) -> Told:
            return self._told(await send(draft.own(fitted)))

        return (await self._window.acall(told, draft.shown, **draft.beside)).answer

    def stream(self, send: Callable[[list[M]], Iterator[Any]], messages: Sequence[M], **beside: Any) -> Iterator[Any]:
        """Yield the pieces that ``send`` returns; see ``Window.stream``."""
        if self._passes(beside):
            yield from send(list(messages))
            return
        draft = self._draft(messages, **beside)

        def told(fitted: Fitted) -> Iterator[Told]:
            return map(self._told, send(draft.own(fitted)))

        for one in self._window.stream(told, draft.shown, **draft.beside):
            yield one.answer

    async def astream(self, send: Callable[[list[M]], Any], messages: Sequence[M], **beside: Any) -> AsyncIterator[Any]:
        """Yield the pieces of the asynchronous stream that ``send`` returns, or that awaiting it gives."""
        if self._passes(beside):
            async for piece in await _awaited(send(list(messages))):
                yield piece
            return
        draft = self._draft(messages, **beside)

        async def told(fitted: Fitted) -> AsyncIterator[Told]:
            async for piece in await _awaited(send(draft.own(fitted))):
                yield self._told(piece)

        async for one in self._window.astream(told, draft.shown, **draft.beside):
            yield one.answer

    def _passes(self, beside: dict[str, Any]) -> bool:
        """Take ``is_held`` out, and say so, once, if the provider keeps the history."""
        is_held = bool(beside.pop("is_held", False))
        if is_held:
            self._window.fit_request({"messages": [], "conversation": True})
        return is_held

    def _draft(self, messages: Sequence[M], *, tools: Sequence[Any] | None = None, system: Any = None) -> _Draft[M]:
        reflection, text = self._mirror(messages), self._window.instructions()
        shown = reflection.messages
        if system is None and not is_instructed(leading_system(shown), text):
            system = text  # what the system message will have more than is shown
        return _Draft(reflection, text, shown, {"tools": tools, "system": system})

    def _told(self, answer: Any) -> Told:
        return Told(answer, self._usage(answer))


async def _awaited(value: Any) -> Any:
    return await value if isawaitable(value) else value


def overridden(model: Any, methods: dict[str, Callable[..., Any]]) -> Any:
    """Return a shallow copy of a model whose class has some methods in place of its own."""
    kind, own = type(model), copy(model)
    name = f"Fitted{kind.__name__}"
    members = {"__module__": kind.__module__, **methods}
    object.__setattr__(own, "__class__", new_class(name, (kind,), exec_body=lambda names: names.update(members)))
    return own
