"""Sessions of Gemini CLI: a call and its result are in the model's record, apart from each other when sent."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from longturn.cli.sessions.base import (
    Message,
    Reader,
    Source,
    Thread,
    Warn,
    as_dict,
    as_list,
    as_text,
    dicts,
    most_named,
    whole_number,
)


def _is_session(source: Source) -> bool:
    return any(message.get("type") == "gemini" for message in _records(source))


def _records(source: Source) -> list[Message]:
    return dicts(source.items()) or dicts(source.member("messages"))


def _read(source: Source, warn: Warn) -> list[Thread]:
    records = [as_dict(line.value) for line in source.lines] if source.is_lines else _records(source)
    messages: list[Message] = []
    reported: dict[int, int] = {}
    for record in records:
        if counted := whole_number(as_dict(record.get("tokens")).get("input")):
            reported[len(messages)] = counted
        messages.extend(_contents(record))
    model = most_named(record.get("model") for record in records)
    return [Thread(messages=messages, format="gemini", reported=reported, model=model)]


def _contents(record: Message) -> Iterator[Message]:
    parts = _parts(record.get("content"))
    if record.get("type") == "user" and parts:
        yield {"role": "user", "parts": parts}
    if record.get("type") != "gemini":  # what the program itself told the person
        return
    calls = dicts(record.get("toolCalls"))
    if spoken := [*parts, *map(_call, calls)]:
        yield {"role": "model", "parts": spoken}
    if results := [part for call in calls for part in _results(call)]:
        yield {"role": "user", "parts": results}


def _parts(content: Any) -> list[Any]:
    if isinstance(content, str):
        return [{"text": content}] if content else []
    return [{"text": part} if isinstance(part, str) else part for part in as_list(content)]


def _call(call: Message) -> Message:
    return {
        "functionCall": {"id": as_text(call.get("id")), "name": as_text(call.get("name")), "args": call.get("args")}
    }


def _results(call: Message) -> list[Message]:
    found = dicts(call.get("result"))
    if found:
        return found
    answer = {"status": as_text(call.get("status"))}  # a call that was cancelled
    return [
        {"functionResponse": {"id": as_text(call.get("id")), "name": as_text(call.get("name")), "response": answer}}
    ]


READER: Final = Reader("a Gemini CLI session", _is_session, _read)
