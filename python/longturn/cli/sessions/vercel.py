"""
Messages of Vercel's AI SDK: for models, or as a chat's page keeps them.

On a page one message holds a whole loop of calls, each with its result; a step begins where one says so.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import pairwise
from typing import Any, Final

from longturn.cli.sessions.base import (
    Message,
    Reader,
    Source,
    Thread,
    as_dict,
    as_text,
    call_block,
    dicts,
    put,
    result_block,
    said,
    text_block,
)

_MODEL_PARTS: Final = frozenset(("tool-call", "tool-result"))
_DONE: Final = ("output-available", "output-error", "output-denied")


def _messages(source: Source) -> list[Message]:
    return dicts(source.items()) or dicts(source.member("messages"))


def _thread(source: Source, converted: Any) -> Thread:
    messages: list[Message] = []
    system: list[str] = []
    records = [as_dict(line.value) for line in source.lines] if source.is_lines else _messages(source)
    for record in records:
        if record.get("role") == "system":
            system.append(as_text(record.get("content")) or "".join(_texts(record.get("parts"))))
        for message in converted(record):
            put(messages, message)
    return Thread(messages=messages, format="anthropic", system="\n\n".join(system) or None)


def _texts(parts: Any) -> Iterator[str]:
    return (as_text(part.get("text")) for part in dicts(parts) if part.get("type") == "text")


# ---------------------------------------------------------------------- for models


def _is_for_models(source: Source) -> bool:
    return any(
        as_text(part.get("type")) in _MODEL_PARTS and "toolCallId" in part
        for message in _messages(source)
        for part in dicts(message.get("content"))
    )


def _for_models(record: Message) -> Iterator[Message]:
    role = {"tool": "user"}.get(as_text(record.get("role")), as_text(record.get("role")))
    content = record.get("content")
    if role in ("user", "assistant"):
        blocks = [text_block(content)] if isinstance(content, str) else map(_model_block, dicts(content))
        yield said(role, *[block for block in blocks if block != text_block("")])


def _model_block(part: Message) -> Message:
    match part.get("type"):
        case "text" | "reasoning":
            return text_block(as_text(part.get("text")))
        case "tool-call":
            return call_block(part.get("toolCallId"), part.get("toolName"), as_dict(part.get("input")))
        case "tool-result":
            output = as_dict(part.get("output"))
            is_error = as_text(output.get("type")).startswith("error")
            return result_block(part.get("toolCallId"), _content(output.get("value")), is_error=is_error)
    return part


def _content(value: Any) -> Any:
    """Return a result's value as a text, or as the blocks it is."""
    is_blocks = isinstance(value, list) and value and all("type" in as_dict(item) for item in value)
    return value if isinstance(value, str) or is_blocks else json.dumps(value, ensure_ascii=False)


# ---------------------------------------------------------------------- for pages


def _is_for_pages(source: Source) -> bool:
    return any(
        part.get("type") == "step-start" or "toolCallId" in part
        for message in _messages(source)
        for part in dicts(message.get("parts"))
    )


def _for_pages(record: Message) -> Iterator[Message]:
    if record.get("role") == "user":
        yield said("user", *[text_block(text) for text in _texts(record.get("parts")) if text])
    if record.get("role") != "assistant":
        return
    for step in _steps(dicts(record.get("parts"))):
        yield said("assistant", *filter(None, map(_page_block, step)))
        yield said("user", *[_page_result(part) for part in step if part.get("state") in _DONE])


def _steps(parts: list[Message]) -> Iterator[list[Message]]:
    starts = [index for index, part in enumerate(parts) if part.get("type") == "step-start"]
    edges = sorted({0, *starts, len(parts)})
    return (parts[start:stop] for start, stop in pairwise(edges))


def _page_block(part: Message) -> Message | None:
    if part.get("type") in ("text", "reasoning"):
        return text_block(part["text"]) if as_text(part.get("text")) else None
    if "toolCallId" not in part:
        return None
    name = as_text(part.get("toolName")) or as_text(part.get("type")).removeprefix("tool-")
    return call_block(part.get("toolCallId"), name, as_dict(part.get("input")))


def _page_result(part: Message) -> Message:
    if part.get("state") == "output-available":
        return result_block(part.get("toolCallId"), _content(part.get("output")))
    return result_block(part.get("toolCallId"), as_text(part.get("errorText")) or "denied", is_error=True)


FOR_MODELS: Final = Reader(
    "a list of the Vercel AI SDK's model messages",
    _is_for_models,
    lambda source, warn: [_thread(source, _for_models)],
)
FOR_PAGES: Final = Reader(
    "a list of the Vercel AI SDK's UI messages", _is_for_pages, lambda source, warn: [_thread(source, _for_pages)]
)
