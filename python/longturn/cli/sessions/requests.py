"""
Messages and requests as they were sent: a list of messages, a body, or a log of bodies, one a line.

In a log each request mostly holds the one before: what they share is one conversation.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from longturn.cli.errors import InputError
from longturn.cli.sessions.base import (
    Message,
    Reader,
    Source,
    Thread,
    Warn,
    as_dict,
    as_text,
    counted_input,
    most_named,
)
from longturn.requests import Parts, take_apart
from longturn.tokens.walker import walker

_HISTORIES: Final = ("messages", "input", "contents")
_HOLDERS: Final = ("previous_response_id", "conversation")
_WRAPPERS: Final = ("body", "request", "values", "kwargs", "json", "data")
"""Under which key a recording holds the request; ``values`` is where LangGraph keeps a state."""
_ANSWERS: Final = ("response", "answer", "output")
_TELLING: Final = 5
"""So many keys are named of a value that is none of ours."""


class Log:
    """The conversations of a log so far."""

    def __init__(self) -> None:
        self._threads: list[_Conversation] = []

    def add(
        self,
        history: Sequence[Any],
        answer: Sequence[Any] = (),
        *,
        system: Any = None,
        tools: Any = None,
        counted: int | None = None,
        model: Any = None,
    ) -> None:
        """Take in a request: the next of the conversation that it continues, if it continues one."""
        known = next((one for one in reversed(self._threads) if one.is_continued_by(history)), None)
        if known is None:
            known = _Conversation()
            self._threads.append(known)
        known.grow(history, answer, system, tools, counted)
        known.models.append(model)

    def latest(self) -> list[Any]:
        """Return the conversation that began last, with its answer; nothing if there is none."""
        return [*self._threads[-1].history, *self._threads[-1].answer] if self._threads else []

    def threads(self, format: str = "auto") -> list[Thread]:
        """Return the conversations, in the order in which they began."""
        return [
            Thread(
                messages=[*one.history, *one.answer], format=format, system=one.system, tools=one.tools,
                title=f"conversation {number}" if len(self._threads) > 1 else "", reported=one.reported,
                model=most_named(one.models),
            )
            for number, one in enumerate(self._threads)
        ]  # fmt: skip


class _Conversation:
    def __init__(self) -> None:
        self.history: Sequence[Any] = ()
        self.answer: Sequence[Any] = ()
        self.system: Any = None
        self.tools: Any = None
        self.reported: dict[int, int] = {}
        self.models: list[Any] = []

    def is_continued_by(self, history: Sequence[Any]) -> bool:
        length = len(self.history)
        return length <= len(history) and history[0] == self.history[0] and history[:length] == self.history

    def grow(self, history: Sequence[Any], answer: Sequence[Any], system: Any, tools: Any, counted: int | None) -> None:
        self.history, self.answer = list(history), answer
        self.system, self.tools = system or self.system, tools or self.tools
        if counted:
            self.reported[len(history)] = counted


# ---------------------------------------------------------------------- one document


def _is_document(source: Source) -> bool:
    return not source.is_lines and (_is_history(source.document) or body_of(source.document) is not None)


def _read_document(source: Source, warn: Warn) -> list[Thread]:
    value = source.document
    if isinstance(value, list):
        return [_answered(value)]
    body = body_of(value)
    parts = take_apart(body or {})
    if parts.is_held_by_server:
        warn("the provider holds the earlier part of this history: only what the file has is replayed")
    history = _history(source.name, parts)
    return [replace(_answered(history, as_dict(body).get("model")), system=parts.system, tools=parts.tools)]


def _is_history(value: Any) -> bool:
    return isinstance(value, list) and any(map(walker.is_message, value))


def body_of(value: Any) -> Message | None:
    """Return the request in a value: itself, or what a recording holds of it; None where there is none."""
    found = as_dict(value)
    if any(found.get(key) is not None for key in (*_HISTORIES, *_HOLDERS)) and not _is_wrapped(found):
        return found
    inner = (found[key] for key in _WRAPPERS if as_dict(found.get(key)))
    return next((body for one in inner if (body := body_of(one)) is not None), None)


def _is_wrapped(value: Mapping[str, Any]) -> bool:
    """Tell whether a recording's own ``input`` or ``messages`` is no history, but the request beside it is one."""
    return any(isinstance(value.get(key), dict) for key in ("body", "request"))


def _history(name: str, parts: Parts) -> list[Any]:
    history = parts.messages
    if isinstance(history, str):
        return [{"role": "user", "content": history}]
    if not isinstance(history, list):
        raise InputError(f"{name}: {parts.key} is a JSON {kind(history)}; a list of messages is expected")
    return history


def _answered(messages: list[Any], model: Any = None) -> Thread:
    """Return the thread of some messages, with what their answers tell; ``model`` is what the request asked for."""
    return Thread(messages=messages, reported=_reported(messages), model=as_text(model) or _model(messages))


def _model(messages: Sequence[Any]) -> str:
    """Return the model that messages name: those of LangChain and pydantic-ai do."""
    kept = [(each, as_dict(each.get("response_metadata"))) for each in messages if isinstance(each, dict)]
    return most_named(each.get("model_name") or answer.get("model_name") for each, answer in kept)


def _reported(messages: Sequence[Any]) -> dict[int, int]:
    """Return what the provider counted, where messages carry it: those of LangChain and pydantic-ai do."""
    usages = ((as_dict(each).get("usage_metadata") or as_dict(each).get("usage")) for each in messages)
    counts = ((index, counted_input(usage)) for index, usage in enumerate(usages))
    return {index: count for index, count in counts if count is not None}


# ---------------------------------------------------------------------- a value a line


def _is_log(source: Source) -> bool:
    return source.is_lines and any(body_of(value) is not None for value in source.head)


def _read_log(source: Source, warn: Warn) -> list[Thread]:
    log = Log()
    for number, value in source.lines:
        if (body := body_of(value)) is None:
            warn(f"line {number} is left out: it holds no request")
            continue
        parts = take_apart(body)
        if history := _history(f"{source.name}, line {number}", parts):
            log.add(history, system=parts.system, tools=parts.tools, counted=_counted(value), model=body.get("model"))
    return log.threads()


def _counted(value: Any) -> int | None:
    """Return what the provider counted for a logged request, where its answer was logged too."""
    answers = (as_dict(as_dict(value).get(key)) for key in _ANSWERS)
    return next((count for answer in answers if (count := counted_input(answer)) is not None), None)


def _is_lines(source: Source) -> bool:
    return source.is_lines and any(map(walker.is_message, source.head))


def _read_lines(source: Source, warn: Warn) -> list[Thread]:
    messages = [value for _, value in source.lines]
    return [_answered(messages)]


# ---------------------------------------------------------------------- what is none


def seen(source: Source) -> str:
    """Return what a file that nobody reads looks like, in a few words."""
    if not source.is_lines:
        return _looks(source.document)
    types = sorted({str(value["type"]) for value in source.head if as_text(as_dict(value).get("type"))})
    return (
        f"lines of the types {', '.join(types[:_TELLING])}" if types else f"lines, the first {_looks(source.head[0])}"
    )


def _looks(value: Any) -> str:
    if isinstance(value, dict):
        return f"an object with the keys {_named(value) or 'of none'}"
    if isinstance(value, list):
        return f"a list whose first item is {_looks(value[0])}" if value else "an empty list"
    return f"a JSON {kind(value)}"


def _named(keys: Iterable[Any]) -> str:
    names: Iterator[str] = (str(key)[:40] for key in keys)
    return ", ".join([name for name, _ in zip(names, range(_TELLING), strict=False)])


def kind(value: Any) -> str:
    """Return what JSON calls a value."""
    names = {str: "string", bool: "boolean", int: "number", float: "number", list: "list", dict: "object"}
    return "null" if value is None else names[type(value)]


DOCUMENT: Final = Reader("a list of messages or a request body", _is_document, _read_document)
LOG: Final = Reader("a log of request bodies, one a line", _is_log, _read_log)
LINES: Final = Reader("messages, one a line", _is_lines, _read_lines)
