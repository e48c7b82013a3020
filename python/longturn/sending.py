"""
What the integrations share: a request body gets the instructions, is fitted, sent, observed, and recovered once.

The body that was given stays as it is; what is sent is a new one around the same messages.  A body whose
history the provider holds is sent as it is ([V8]).
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from inspect import isawaitable
from typing import Any, TypeVar

from longturn import calling, requests
from longturn.calling import Turn
from longturn.fitted import Fitted
from longturn.instructing import instructed, instructed_request, is_instructed, leading_system
from longturn.tokens.usage import reported
from longturn.window import Window

T = TypeVar("T")
Body = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class _Draft:
    """A body on its way: fitted by ``turn``, or sent as it is."""

    body: Body
    key: str
    turn: Turn | None
    instruct: Callable[[Body], dict[str, Any]]

    def request(self, fitted: Fitted) -> dict[str, Any]:
        """Return what to send, of what was fitted."""
        return self.instruct({**self.body, self.key: fitted.messages})


def _draft(window: Window, body: Body, format: str) -> _Draft:
    """The instructions go in after fitting: the window knows its messages by their identity."""
    parts, text = requests.take_apart(body), window.instructions()

    def instruct(body: Body) -> dict[str, Any]:
        return instructed_request(body, text, format)

    if parts.is_held_by_server:
        return _Draft(window.fit_request(body).request or body, parts.key, None, instruct)  # which says so, once
    if not isinstance(parts.messages, (list, tuple)):
        return _Draft(instruct(body), parts.key, None, instruct)
    is_there = not parts.system and is_instructed(leading_system(parts.messages), text)
    system = None if is_there else instructed(parts.system, text)
    return _Draft(body, parts.key, window._turn(list(parts.messages), system=system, tools=parts.tools), instruct)


def prepared(window: Window, body: Body, format: str) -> dict[str, Any]:
    """Return the body to send, for hooks that do not send it themselves."""
    draft = _draft(window, body, format)
    return dict(draft.body) if draft.turn is None else draft.request(draft.turn.first())


def observe(window: Window, sent: Body, outcome: Any) -> None:
    """Learn from what came of a body as it was sent: an answer, an error, or an answer's usage."""
    if isinstance(requests.take_apart(sent).messages, (list, tuple)):
        told = outcome if isinstance(outcome, BaseException) else reported(outcome)
        window.observe(window.unfitted_request(sent), told)


def call(
    window: Window,
    body: Body,
    format: str,
    post: Callable[[dict[str, Any]], T],
    *,
    read: Callable[[T], Any] = lambda answer: answer,
) -> T:
    """
    Return what ``post`` returns for the body to send, or for the one tighter body after it.

    ``read`` gives the SDK's own answer or stream, where ``post`` returns something around it.

    Raises:
        ConversationTooLong: the tighter request was refused as well, or there is none.
    """
    draft = _draft(window, body, format)
    if draft.turn is None:
        return post(dict(draft.body))
    sent: list[Fitted] = []

    def send(fitted: Fitted) -> T:
        sent.append(fitted)
        return post(draft.request(fitted))

    answer = calling.call(draft.turn, send)
    told = read(answer)
    if hasattr(told, "_iterator"):  # what both SDKs' streams read from; the object itself must stay theirs
        turn, events = replace(draft.turn, begun=sent[-1]), iter((told._iterator,))
        told._iterator = calling.stream(turn, lambda fitted: next(events, None) or read(send(fitted)))
    elif told is not answer:
        window.observe(sent[-1], reported(told))
    return answer


async def acall(
    window: Window,
    body: Body,
    format: str,
    post: Callable[[dict[str, Any]], Awaitable[T]],
    *,
    read: Callable[[T], Any] = lambda answer: answer,
) -> T:
    """Do what ``call`` does where ``post``, and maybe ``read``, is asynchronous."""
    draft = _draft(window, body, format)
    if draft.turn is None:
        return await post(dict(draft.body))
    sent: list[Fitted] = []

    async def send(fitted: Fitted) -> T:
        sent.append(fitted)
        return await post(draft.request(fitted))

    async def opened(fitted: Fitted) -> Any:
        return next(events, None) or await _awaited(read(await send(fitted)))

    answer = await calling.acall(draft.turn, send)
    told = await _awaited(read(answer))
    if hasattr(told, "_iterator"):
        events = iter((told._iterator,))
        told._iterator = calling.astream(replace(draft.turn, begun=sent[-1]), opened)
    elif told is not answer:
        window.observe(sent[-1], reported(told))
    return answer


def stream(window: Window, body: Body, format: str, post: Callable[[dict[str, Any]], calling.Stream[T]]) -> Iterator[T]:
    """Yield the events of the stream that ``post`` returns; see ``call``."""
    draft = _draft(window, body, format)
    if draft.turn is None:
        yield from post(dict(draft.body))  # type: ignore[misc]
    else:
        yield from calling.stream(draft.turn, lambda fitted: post(draft.request(fitted)))


async def astream(window: Window, body: Body, format: str, post: Callable[[dict[str, Any]], Any]) -> AsyncIterator[Any]:
    """Yield the events of the asynchronous stream that ``post`` returns, or that awaiting it gives; see ``call``."""
    draft = _draft(window, body, format)
    if draft.turn is None:
        events = await _awaited(post(dict(draft.body)))
    else:
        events = calling.astream(draft.turn, lambda fitted: post(draft.request(fitted)))
    async for event in events:
        yield event


class Watchable:
    """A stream that can be watched as those of SDKs can: read through ``_iterator``; all else is its own."""

    def __init__(self, stream: Any) -> None:
        self._stream = self._iterator = stream

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    def __iter__(self) -> Iterator[Any]:
        return self

    def __next__(self) -> Any:
        return next(self._iterator)

    def __aiter__(self) -> AsyncIterator[Any]:
        return self

    async def __anext__(self) -> Any:
        return await anext(self._iterator)


async def _awaited(value: Any) -> Any:
    return await value if isawaitable(value) else value
