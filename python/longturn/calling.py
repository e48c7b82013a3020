"""
Fit, send, observe; and when the provider says that it was too long, once more, tighter ([K1]).

No loop of retries: what passes by itself is left to the SDK, or to the caller's retry library.  A request that
was refused is never sent again; the one that may follow it is smaller, and there is only one.
"""

from __future__ import annotations

from collections.abc import AsyncIterable, AsyncIterator, Awaitable, Callable, Coroutine, Iterable, Iterator, Mapping
from contextlib import AbstractAsyncContextManager, AbstractContextManager, AsyncExitStack, ExitStack
from copyreg import __newobj__  # type: ignore[attr-defined]  # what the interpreter itself copies objects by
from dataclasses import dataclass
from inspect import isawaitable
from itertools import chain
from typing import Any, Final, TypeVar

from longturn import telling
from longturn.failures.classify import classify
from longturn.failures.failure import Failure, FailureKind
from longturn.fitted import Fitted
from longturn.tokens.usage import member, reported, streamed
from longturn.wording import phrases

T = TypeVar("T")
Stream = Iterable[T] | AbstractContextManager[Iterable[T]]
AsyncStream = AsyncIterable[T] | AbstractAsyncContextManager[AsyncIterable[T]] | Awaitable[AsyncIterable[T]]

_PRELIMINARY: Final = frozenset({"response.created", "response.queued", "response.in_progress"})
"""Events that say nothing yet: the request may still be refused after them."""

_SAYING: Final = ("choices", "candidates", "output", "message", "content", "parts", "text", "tool_calls", "name")
"""Where answers keep what the model said, or the calls it made, at any depth."""


# A kind of error that frameworks' own retries, LangGraph's among them, take for final.
class ConversationTooLong(RuntimeError):  # noqa: N818  # a fact about the conversation, not a fault of the program
    """
    Even the smallest request that can be made of this conversation was refused as too long.

    ``str()`` of it is a sentence for the person, in the window's language.  ``__cause__`` is the SDK's own error,
    where it raised one.
    """

    code: Final = "context_length_exceeded"
    """As providers name it: what reads the codes of errors, `classify` among it, knows this one too."""

    def __init__(self, message: str, failure: Failure, fitted: Fitted) -> None:
        super().__init__(message)
        self.failure: Final = failure
        """What the provider said."""
        self.fitted: Final = fitted
        """What was refused last."""

    def __reduce__(self) -> tuple[Any, ...]:
        """Bring everything along, notes and what a subclass has added too, whatever its constructor takes."""
        return __newobj__, (type(self), *self.args), self.__dict__


def is_too_long(failure: Failure) -> bool:
    """Tell whether a refusal would be cured by a smaller conversation in the same model."""
    return failure.kind is FailureKind.CONTEXT_OVERFLOW and failure.shrink_helps


@dataclass(slots=True, kw_only=True)
class Turn:
    """One call of the model: the ways to make its request, and what came of the first."""

    fit: Callable[[], Fitted]
    """By what is known at the time."""
    smallest: Callable[[], Fitted]
    observe: Callable[[Fitted, Any], None]
    language: str
    """What the person reads."""
    refused: tuple[Fitted, Failure] | None = None
    """The first request, once it was refused as too long, and how."""
    begun: Fitted | None = None
    """What was sent already, where its answer is a stream that is still to be read."""

    def first(self) -> Fitted:
        """Return what to send, or what was sent."""
        if self.begun is not None:
            return self.begun
        fitted = self.fit()
        telling.fitted(fitted)
        return fitted

    def tighter(self, sent: Fitted, outcome: object) -> Fitted | None:
        """
        Return what to send after ``outcome``, an error, an answer or an event; None where the outcome stands.

        Raises:
            ConversationTooLong: it was refused as too long, and there is nothing else to send.
        """
        failure = _refusal(outcome, self.language)
        if failure is None:
            return None
        self.observe(sent, failure)
        other = self._smaller(sent) if self.refused is None else None
        if other is None:
            telling.given_up(sent, failure)
            cause = outcome if isinstance(outcome, BaseException) else None
            raise ConversationTooLong(phrases(self.language).too_long, failure, sent) from cause
        telling.fitted(other)
        self.refused, self.begun = (sent, failure), None
        return other

    def _smaller(self, sent: Fitted) -> Fitted | None:
        """Return what to send by what was learned; or the smallest there is; None where it is no smaller."""
        fitted = self.fit()
        if not fitted.fits:  # a view over the budget leaves room to grow ([F3]), which there is none of any more
            fitted = self.smallest()
        return fitted if fitted.tokens < sent.tokens else None

    def settle(self, sent: Fitted, counted: int | None) -> None:
        """Take in that a request was answered, and at how many tokens the provider counted it."""
        self.observe(sent, counted)
        if self.refused is not None and self.begun is None:  # else it was told when the stream was opened
            refused, failure = self.refused
            telling.recovered(refused, sent, failure)


def call(turn: Turn, send: Callable[[Fitted], T]) -> T:
    """Return what ``send`` returns for the request, or for the one tighter request after it."""
    fitted = turn.first()
    while True:  # twice at most: a turn has one tighter request
        try:
            answer = send(fitted)
        except Exception as error:
            tighter = turn.tighter(fitted, error)
            if tighter is None:
                raise
        else:
            _check_is_here(answer)
            tighter = turn.tighter(fitted, answer)
            if tighter is None:
                turn.settle(fitted, None if _is_open(answer) else reported(answer))
                return answer
        fitted = tighter


async def acall(turn: Turn, send: Callable[[Fitted], Awaitable[T]]) -> T:
    """Return what ``send`` returns, awaited; see ``call``."""
    fitted = turn.first()
    while True:
        try:
            answer = await _awaitable(send(fitted))
        except Exception as error:
            tighter = turn.tighter(fitted, error)
            if tighter is None:
                raise
        else:
            tighter = turn.tighter(fitted, answer)
            if tighter is None:
                turn.settle(fitted, None if _is_open(answer) else reported(answer))
                return answer
        fitted = tighter


def stream(turn: Turn, send: Callable[[Fitted], Stream[T]]) -> Iterator[T]:
    """Yield the events of the stream that ``send`` returns; until the answer begins, a refusal is recovered."""
    fitted = turn.first()
    while True:
        with ExitStack() as opened:
            try:
                events = iter(_entered(opened, send(fitted)))
                held = _opening(events)
            except Exception as error:
                tighter = turn.tighter(fitted, error)
                if tighter is None:
                    raise
            else:
                tighter = turn.tighter(fitted, held[-1]) if held else None
                if tighter is None:
                    with _Watch(turn, fitted) as watch:
                        for event in chain(held, events):
                            yield watch.seen(event)
                    return
        fitted = tighter


async def astream(turn: Turn, send: Callable[[Fitted], AsyncStream[T]]) -> AsyncIterator[T]:
    """Yield the events of an asynchronous stream; see ``stream``."""
    fitted = turn.first()
    while True:
        async with AsyncExitStack() as opened:
            try:
                events = aiter(await _aentered(opened, send(fitted)))
                held = await _aopening(events)
            except Exception as error:
                tighter = turn.tighter(fitted, error)
                if tighter is None:
                    raise
            else:
                tighter = turn.tighter(fitted, held[-1]) if held else None
                if tighter is None:
                    with _Watch(turn, fitted) as watch:
                        for event in held:
                            yield watch.seen(event)
                        async for event in events:
                            yield watch.seen(event)
                    return
        fitted = tighter


def _opening(events: Iterator[T]) -> list[T]:
    """Return a stream's events up to the first that is part of an answer."""
    held: list[T] = []
    for event in events:
        held.append(event)
        if member(event, "type") not in _PRELIMINARY:
            break
    return held


async def _aopening(events: AsyncIterator[T]) -> list[T]:
    held: list[T] = []
    async for event in events:
        held.append(event)
        if member(event, "type") not in _PRELIMINARY:
            break
    return held


class _Watch:
    """Keeps the last count that a stream's events report, and settles the turn when it ends, or is left."""

    __slots__ = ("_counted", "_fitted", "_turn")

    def __init__(self, turn: Turn, fitted: Fitted) -> None:
        self._turn, self._fitted = turn, fitted
        self._counted: int | None = None

    def __enter__(self) -> _Watch:
        return self

    def seen(self, event: T) -> T:
        """Return the event as it is."""
        self._counted = streamed(event) or self._counted
        return event

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, traceback: object) -> None:
        if isinstance(error, Exception):
            self._turn.observe(self._fitted, error)  # what was read can't be taken back; the next request is tighter
        elif error is None or isinstance(error, GeneratorExit):
            self._turn.settle(self._fitted, self._counted)


def _entered(opened: ExitStack, answer: Any) -> Any:
    """Return what to iterate: the stream itself, or what it gives when it is entered; closed with ``opened``."""
    _check_is_here(answer)
    _check_is_stream(answer, "__iter__", "__enter__")
    if _can(answer, "__enter__"):
        return opened.enter_context(answer)
    if hasattr(answer, "close"):
        opened.callback(answer.close)
    return answer


async def _aentered(opened: AsyncExitStack, answer: Any) -> Any:
    if isawaitable(answer):
        answer = await answer
    _check_is_stream(answer, "__aiter__", "__aenter__")
    if _can(answer, "__aenter__"):
        return await opened.enter_async_context(answer)
    if hasattr(answer, "aclose"):
        opened.push_async_callback(answer.aclose)
    return answer


def _check_is_stream(answer: object, *ways: str) -> None:
    kind = type(answer).__name__
    if isinstance(answer, Mapping):
        raise TypeError(
            f"send must return a stream of events (got {kind}); "
            "return the stream in it, as in client.converse_stream(...)['stream']"
        )
    if isinstance(answer, (str, bytes)) or not any(_can(answer, way) for way in ways):
        raise TypeError(
            f"send must return a stream of events (got {kind}); ask the SDK for one, as in stream=True; "
            "an asynchronous one belongs to astream(), another to stream()"
        )


def _check_is_here(answer: object) -> None:
    if isawaitable(answer):
        if isinstance(answer, Coroutine):
            answer.close()  # or it would be complained of again, as never awaited
        raise TypeError(
            f"send returned what is to be awaited ({type(answer).__name__}); "
            "an async send belongs to acall() or astream()"
        )


def _awaitable(answer: Awaitable[T]) -> Awaitable[T]:
    if not isawaitable(answer):
        raise TypeError(
            f"send must be asynchronous (it returned {type(answer).__name__}); "
            "a synchronous send belongs to call(), a stream to stream() or astream()"
        )
    return answer


def _refusal(outcome: object, language: str) -> Failure | None:
    """
    Return the failure if this request was refused as too long; an answer with something to read was not.

    Another window's last word is of another conversation, or of what was shortened here already.
    """
    if isinstance(outcome, (str, bytes, list, tuple, ConversationTooLong)) or _is_open(outcome):
        return None
    failure = classify(outcome, language=language)
    if not is_too_long(failure):
        return None
    is_answer = not isinstance(outcome, Exception) and failure.status in (None, 200)
    is_error = member(outcome, "error") or member(outcome, "type") == "error"  # whose message is not the model's
    return None if is_answer and not is_error and _says(outcome) else failure


def _is_open(answer: object) -> bool:
    """Tell whether an answer is still to be read: a stream, or what opens one.  It is not looked into."""
    if _can(answer, "__next__") or _can(answer, "__anext__"):
        return True
    return (_can(answer, "__enter__") or _can(answer, "__aenter__")) and member(answer, "status_code") is None


def _can(answer: object, way: str) -> bool:
    """Tell whether an answer has a special method, as the interpreter looks for them: without asking the object."""
    return hasattr(type(answer), way)


def _says(value: Any) -> bool:
    if isinstance(value, (str, list, tuple)):
        return bool(value) if isinstance(value, str) else any(map(_says, value))
    return value is not None and any(_says(member(value, name)) for name in _SAYING)
