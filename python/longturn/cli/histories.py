"""Saved histories: a file in, the messages of a run out, whatever the file's form."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from longturn.cli.documents import EXPECTED, Line, is_json_lines, parse_document, parse_lines, text_of
from longturn.cli.errors import InputError
from longturn.cli.sessions import Thread, is_session, threads
from longturn.requests import take_apart

_WRAPPERS: Final = ("body", "request")
"""Under which key a recording holds the request body."""

Warn = Callable[[str], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class History:
    """A run as it was saved."""

    messages: list[Any] = field(repr=False)
    system: Any = None
    tools: Any = None
    threads: tuple[Thread, ...] = ()  # of a session; empty for other files


def load(name: str, data: bytes, *, thread: int = 0, warn: Warn) -> History:
    """
    Return the run saved in a file; of a session, the thread asked for.

    Raises:
        InputError: the file holds none; says what was seen and what is expected.
    """
    text = text_of(name, data)
    if is_json_lines(name, text):
        return _from_lines(name, list(parse_lines(name, text, warn)), thread, warn)
    value = parse_document(name, text)
    if isinstance(value, dict) and isinstance(value.get("loglines"), list):  # the web's form of a session
        value = value["loglines"]
        return _from_lines(name, [Line(number, line) for number, line in enumerate(value, 1)], thread, warn)
    return _from_document(name, value, warn)


def _from_lines(name: str, lines: list[Line], thread: int, warn: Warn) -> History:
    values = [line.value for line in lines]
    if is_session(values):
        return _from_session(name, threads(lines, warn), thread)
    if all(isinstance(value, dict) and "role" in value for value in values):
        return History(messages=values)
    seen = sorted({str(value.get("type")) for value in values if isinstance(value, dict)})[:5]
    raise InputError(f"{name}: no line is one of a session (types seen: {', '.join(seen)}); {EXPECTED} is expected")


def _from_session(name: str, found: Sequence[Thread], thread: int) -> History:
    if not found:
        raise InputError(f"{name}: the session holds no messages")
    if not 0 <= thread < len(found):
        raise InputError(f"{name}: there is no thread {thread}; the session has 0 to {len(found) - 1}, see --threads")
    return History(messages=found[thread].messages, threads=tuple(found))


def _from_document(name: str, value: Any, warn: Warn) -> History:
    if isinstance(value, list):
        return History(messages=_messages(name, value))
    if not isinstance(value, dict):
        raise InputError(f"{name} is a JSON {_kind(value)}; {EXPECTED} is expected")
    for wrapper in _WRAPPERS:
        if isinstance(inner := value.get(wrapper), dict):
            return _from_document(name, inner, warn)
    return _from_body(name, value, warn)


def _from_body(name: str, body: dict[str, Any], warn: Warn) -> History:
    try:
        parts = take_apart(body)
    except ValueError as error:
        raise InputError(f"{name}: {error}; {EXPECTED} is expected") from None
    if parts.is_held_by_server:
        warn("the provider holds the earlier part of this history: only what the file has is replayed")
    messages = [{"role": "user", "content": parts.messages}] if isinstance(parts.messages, str) else parts.messages
    if not isinstance(messages, list):
        raise InputError(f"{name}: {parts.key} is a JSON {_kind(messages)}; a list of messages is expected")
    return History(messages=_messages(name, messages), system=parts.system, tools=parts.tools)


def _messages(name: str, messages: list[Any]) -> list[Any]:
    if not messages:
        raise InputError(f"{name} holds an empty list; messages are expected")
    for index, message in enumerate(messages):
        if not isinstance(message, dict):
            raise InputError(f"{name}: message {index} is a JSON {_kind(message)}; an object is expected")
    return messages


def _kind(value: Any) -> str:
    names = {str: "string", bool: "boolean", int: "number", float: "number", list: "list", dict: "object"}
    return "null" if value is None else names[type(value)]
