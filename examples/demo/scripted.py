"""
The model: a script that decides by what it is sent, and by nothing else.

It reads the list in its task, sees from the calls in the conversation what it has asked for already,
and asks for what comes next.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

BULLET = "- "
TOOL = "read"

Body = dict[str, Any]
Block = dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Script:
    """How a model behaves, and what it takes."""

    limit: int  # tokens of a request
    reads_at_once: int = 1  # parallel calls
    stops_after: int | None = None  # reads, to save room ...
    unless_told: str = ""  # ... unless this stands in the system prompt


def answer(body: Body, script: Script) -> list[Block]:
    """Return the content of the model's next message: calls, or a last word."""
    listed, asked = tasks(body), set(read_before(body))
    saves_room = script.stops_after is not None and script.unless_told not in body["system"]
    if saves_room and len(asked) >= (script.stops_after or 0):
        return [text(f"I have read {len(asked)} of {len(listed)} and stop here, to save room in my context.")]
    unread = [name for name in listed if name not in asked]
    if not unread:
        return [text(f"Done: I have read all {len(listed)}.")]
    return [call(len(asked) + n, name) for n, name in enumerate(unread[: script.reads_at_once])]


def tasks(body: Body) -> list[str]:
    """Return the names listed in the first message."""
    lines = first_text(body["messages"][0]["content"]).splitlines()
    return [line.removeprefix(BULLET) for line in lines if line.startswith(BULLET)]


def first_text(content: str | list[Block]) -> str:
    return content if isinstance(content, str) else str(content[0]["text"])


def read_before(body: Body) -> Iterator[str]:
    """Yield the names that the conversation shows as asked for."""
    for message in body["messages"]:
        if message["role"] == "assistant":
            yield from (block["input"]["name"] for block in message["content"] if block["type"] == "tool_use")


def text(words: str) -> Block:
    return {"type": "text", "text": words}


def call(number: int, name: str) -> Block:
    return {"type": "tool_use", "id": f"toolu_{number:04}", "name": TOOL, "input": {"name": name}}
