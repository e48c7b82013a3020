"""
Sessions of Claude Code: lines of a log in, threads of messages out.

A line holds one content block, so an assistant message may be spread over several.  Sub-agents write
into the same file, between their parent's call and its result.  And a prompt that was edited leaves
the abandoned answer behind, as a branch.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, Final

from longturn.cli.documents import Line

_ROLES: Final = ("user", "assistant")
_LOG_TYPES: Final = frozenset(
    """user assistant system summary progress attachment file-history-snapshot queue-operation
    last-prompt custom-title agent-name agent-color""".split()
)

Warn = Callable[[str], None]
Message = dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Thread:
    """One conversation of a session."""

    is_agent: bool  # a sub-agent's
    first_line: int
    messages: list[Message] = field(repr=False)


@dataclass(frozen=True, slots=True)
class _Entry:
    """A line that has its place in a conversation, whether or not it is sent."""

    line: int
    value: Message
    parent: int | None  # index among the entries of the thread


def is_session(values: Iterable[object]) -> bool:
    """Tell whether these are lines of such a log."""
    return any(
        isinstance(value, dict)
        and value.get("type") in _LOG_TYPES
        and ("message" in value or "uuid" in value or "sessionId" in value or "leafUuid" in value)
        for value in values
    )


def threads(lines: Iterable[Line], warn: Warn) -> list[Thread]:
    """
    Return the conversations of a session: the main one first, then each sub-agent's.

    Lines that are no part of a conversation are left out; ``warn`` is told of those that look damaged.
    Nothing is sent of system prompt and tools, because the log does not hold them.
    """
    found = (_thread(entries, warn) for entries in _by_thread(lines, warn).values())
    kept = [thread for thread in found if thread.messages]
    return sorted(kept, key=lambda thread: (thread.is_agent, thread.first_line))


# ---------------------------------------------------------------------- which line belongs where


def _by_thread(lines: Iterable[Line], warn: Warn) -> dict[object, list[_Entry]]:
    """
    Return the entries of each thread, keyed by what tells it apart; None is the main one.

    A sub-agent's thread begins where a side line has no parent on its own side.
    """
    entries: dict[object, list[_Entry]] = {}
    places: dict[str, tuple[object, int]] = {}  # of each uuid: its thread, its index in there
    for line, value in lines:
        if not isinstance(value, dict):
            warn(f"line {line} is left out: an object is expected (got {type(value).__name__})")
            continue
        if not isinstance(value.get("type"), str):
            warn(f"line {line} is left out: it has no type")
            continue
        if "uuid" not in value and "message" not in value:
            continue
        key = _thread_key(value, line, places)
        siblings = entries.setdefault(key, [])
        siblings.append(_Entry(line, value, _parent(value, key, places, len(siblings))))
        if isinstance(uuid := value.get("uuid"), str):
            places[uuid] = (key, len(siblings) - 1)
    return entries


def _thread_key(value: Message, line: int, places: dict[str, tuple[object, int]]) -> object:
    if not value.get("isSidechain"):
        return None
    if (agent := value.get("agentId")) is not None:
        return str(agent)
    thread = _place(value, places)
    return line if thread is None or thread[0] is None else thread[0]


def _place(value: Message, places: dict[str, tuple[object, int]]) -> tuple[object, int] | None:
    """Return thread and index of the line before; compacted logs name it in another place."""
    names = (value.get("parentUuid"), value.get("logicalParentUuid"))
    return next((places[name] for name in names if isinstance(name, str) and name in places), None)


def _parent(value: Message, key: object, places: dict[str, tuple[object, int]], count: int) -> int | None:
    """Return the index of the line before; where the chain is broken, that of the line above."""
    place = _place(value, places)
    if place is not None and place[0] == key:
        return place[1]
    return count - 1 if count else None


# ---------------------------------------------------------------------- lines into messages


def _thread(entries: list[_Entry], warn: Warn) -> Thread:
    first = entries[0]
    spoken = [entry for entry in _taken(entries) if _is_sent(entry, warn)]
    return Thread(
        is_agent=bool(first.value.get("isSidechain")), first_line=first.line, messages=_messages(spoken, warn)
    )


def _taken(entries: list[_Entry]) -> list[_Entry]:
    """
    Return the entries without abandoned branches.

    Those on the way from the last line back to the first, and what parallel calls put beside it: the
    other lines of the same message, and the results of calls that are on the way.
    """
    path = set(_path(entries))
    ids = {message_id for i in path if (message_id := _message_id(entries[i]))}
    path |= {i for i, entry in enumerate(entries) if _message_id(entry) in ids}
    calls = {call for i in path for call in _block_ids(entries[i], "tool_use", "id")}
    path |= {i for i, entry in enumerate(entries) if calls & _block_ids(entry, "tool_result", "tool_use_id")}
    return [entries[i] for i in sorted(path)]


def _path(entries: list[_Entry]) -> Iterator[int]:
    place = next((i for i in range(len(entries) - 1, -1, -1) if entries[i].value["type"] in _ROLES), None)
    while place is not None:
        yield place
        place = entries[place].parent


def _message_id(entry: _Entry) -> str | None:
    message = entry.value.get("message")
    found = message.get("id") if isinstance(message, dict) else None
    return found if isinstance(found, str) else None


def _block_ids(entry: _Entry, kind: str, key: str) -> set[str]:
    message = entry.value.get("message")
    content = message.get("content") if isinstance(message, dict) else None
    if not isinstance(content, list):
        return set()
    blocks = (block for block in content if isinstance(block, dict) and block.get("type") == kind)
    return {found for block in blocks if isinstance(found := block.get(key), str)}


def _is_sent(entry: _Entry, warn: Warn) -> bool:
    """Tell whether a line is part of what the model reads."""
    value = entry.value
    if value["type"] not in _ROLES or value.get("isApiErrorMessage"):
        return False
    message = value.get("message")
    content = message.get("content") if isinstance(message, dict) else None
    if isinstance(content, (str, list)) and content:
        return True
    if not isinstance(content, (str, list)):
        warn(f"line {entry.line} is left out: its message has no content")
    return False


def _messages(entries: list[_Entry], warn: Warn) -> list[Message]:
    """
    Return messages as they were sent: role and content only, blocks of one message together.

    A summary of what was compacted stands for messages that are in this log themselves.  It is left
    out, as if nothing had been compacted, unless the log begins with it.
    """
    messages: list[Message] = []
    by_id: dict[str, Message] = {}
    for entry in entries:
        if entry.value.get("isCompactSummary") and messages:
            warn(f"line {entry.line} is left out: it sums up messages that are replayed themselves")
            continue
        content = _content(entry.value["message"]["content"])
        message_id = _message_id(entry)
        if message_id in by_id and isinstance(content, list):
            by_id[message_id]["content"].extend(content)
            continue
        messages.append({"role": entry.value["type"], "content": content})
        if message_id and isinstance(content, list):
            by_id[message_id] = messages[-1]
    return messages


def _content(content: str | list[Any]) -> str | list[Any]:
    if isinstance(content, str):
        return content
    return [{"type": "text", "text": block} if isinstance(block, str) else block for block in content]
