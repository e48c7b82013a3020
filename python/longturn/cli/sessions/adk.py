"""Sessions of Google's ADK: events whose contents are those of Gemini, said by several agents."""

from __future__ import annotations

from typing import Any, Final

from longturn.cli.sessions.base import Message, Reader, Source, Thread, Warn, as_dict, as_list, counted_input, dicts

_RESULTS: Final = ("function_response", "functionResponse")


def _is_session(source: Source) -> bool:
    return any("author" in event and "content" in event for event in dicts(source.member("events")))


def _read(source: Source, warn: Warn) -> list[Thread]:
    messages: list[Message] = []
    reported: dict[int, int] = {}
    for event in dicts(source.member("events")):
        parts = as_list(as_dict(event.get("content")).get("parts"))
        if not parts or event.get("partial"):  # a piece of what comes whole later
            continue
        role = "user" if event.get("author") == "user" or any(map(_is_result, parts)) else "model"
        usage = event.get("usage_metadata") or event.get("usageMetadata")
        if role == "model" and (counted := counted_input(usage)) is not None:
            reported[len(messages)] = counted
        messages.append({"role": role, "parts": parts})
    return [Thread(messages=messages, format="gemini", reported=reported)]


def _is_result(part: Any) -> bool:
    return any(key in as_dict(part) for key in _RESULTS)


READER: Final = Reader("an ADK session", _is_session, _read)
