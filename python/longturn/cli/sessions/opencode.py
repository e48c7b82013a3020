"""
Exports of opencode: a message of the model's has steps, each of them one answer with its results.

Outputs that opencode had cleared itself are there still: they are replayed as if nothing had been.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from longturn.cli.sessions.base import (
    Message,
    Reader,
    Source,
    Thread,
    Warn,
    as_dict,
    as_text,
    call_block,
    dicts,
    is_answering,
    most_named,
    put,
    result_block,
    said,
    text_block,
    whole_number,
)


def _is_export(source: Source) -> bool:
    return any(isinstance(record.get("info"), dict) and "parts" in record for record in _records(source))


def _records(source: Source) -> list[Message]:
    return dicts(source.member("messages")) or dicts(source.items())


def _read(source: Source, warn: Warn) -> list[Thread]:
    messages: list[Message] = []
    reported: dict[int, int] = {}
    for record in _records(source):
        info = as_dict(record.get("info"))
        is_user = info.get("role") == "user"
        if (counted := _input_tokens(info)) and not is_user and not is_answering(messages):
            reported[len(messages)] = counted
        for step in _steps(dicts(record.get("parts"))):
            for message in _user(step) if is_user else _assistant(step):
                put(messages, message)
    title = as_text(as_dict(source.member("info")).get("title"))
    model = most_named(as_dict(record.get("info")).get("modelID") for record in _records(source))
    return [Thread(messages=messages, format="anthropic", title=title, reported=reported, model=model)]


def _input_tokens(info: Message) -> int:
    tokens = as_dict(info.get("tokens"))
    cache = as_dict(tokens.get("cache"))
    return sum(whole_number(count) for count in (tokens.get("input"), cache.get("read"), cache.get("write")))


def _steps(parts: list[Message]) -> Iterator[list[Message]]:
    """Yield the parts of each step; a user's message is one."""
    step: list[Message] = []
    for part in parts:
        if part.get("type") == "step-start" and step:
            yield step
            step = []
        step.append(part)
    yield step


def _user(parts: list[Message]) -> Iterator[Message]:
    texts = [as_text(part.get("text")) for part in parts if part.get("type") == "text" and not part.get("ignored")]
    yield said("user", *[text_block(text) for text in texts if text])


def _assistant(parts: list[Message]) -> Iterator[Message]:
    spoken, results = [], []
    for part in parts:
        if part.get("type") in ("text", "reasoning") and as_text(part.get("text")):
            spoken.append(text_block(part["text"]))
        elif part.get("type") == "tool":
            state = as_dict(part.get("state"))
            spoken.append(call_block(part.get("callID"), part.get("tool"), as_dict(state.get("input"))))
            results.append(_result(part, state))
    yield said("assistant", *spoken)
    yield said("user", *results)


def _result(part: Message, state: Message) -> Message:
    if state.get("status") == "error":
        return result_block(part.get("callID"), as_text(state.get("error")), is_error=True)
    return result_block(part.get("callID"), as_text(state.get("output")))


READER: Final = Reader("an opencode export", _is_export, _read)
