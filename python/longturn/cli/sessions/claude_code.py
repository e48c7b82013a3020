"""
Sessions of Claude Code: lines of a log in, threads of messages out.

A line holds one content block, so an assistant message may be spread over several.  Sub-agents write
into the same file, between their parent's call and its result, or into files of their own.  And a prompt
that was edited leaves the abandoned answer behind, as a branch.  What its SDK prints has the same lines.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Final

from longturn.cli.sessions.base import (
    Line,
    Message,
    Reader,
    Source,
    Thread,
    Warn,
    as_dict,
    as_list,
    as_text,
    counted_input,
    dicts,
    most_named,
    numbered,
)

_ROLES: Final = ("user", "assistant")
_LOG_TYPES: Final = frozenset(
    """user assistant system summary progress attachment file-history-snapshot queue-operation
    last-prompt custom-title agent-name agent-color""".split()
)
_NEEDED: Final = frozenset(
    """type uuid parentUuid logicalParentUuid isSidechain agentId parent_tool_use_id message isApiErrorMessage
    isCompactSummary""".split()
)
"""What tells where a line belongs and what of it was sent; the rest repeats results, twice as large."""


@dataclass(frozen=True, slots=True)
class _Entry:
    """A line that has its place in a conversation, whether or not it is sent."""

    line: int
    value: Message
    parent: int | None  # index among the entries of the thread


def _is_session(source: Source) -> bool:
    return any(
        isinstance(value, dict)
        and as_text(value.get("type")) in _LOG_TYPES
        and ("message" in value or "uuid" in value or "sessionId" in value or "leafUuid" in value)
        for value in map(_unwrapped, _items(source))
    )


def _items(source: Source) -> list[Any]:
    """Return the lines; the web keeps them in one document, and recordings of the SDK do as well."""
    return source.items() or as_list(source.member("loglines")) or as_list(source.member("messages"))


def _unwrapped(value: Any) -> Any:
    """Return the line in a recording of what the SDK sent and received."""
    return value["message"] if isinstance(value, dict) and "direction" in value and "message" in value else value


def _read(source: Source, warn: Warn) -> list[Thread]:
    lines = source.lines if source.is_lines else numbered(_items(source))
    return threads((Line(line.number, _unwrapped(line.value)) for line in lines), warn)


def threads(lines: Iterable[Line], warn: Warn) -> list[Thread]:
    """
    Return the conversations of a session: the main one first, then each sub-agent's.

    Lines that are no part of a conversation are left out; ``warn`` is told of those that look damaged.
    Nothing is sent of system prompt and tools, because the log does not hold them.
    """
    found = [(entries[0].line, _thread(entries, warn)) for entries in _by_thread(lines, warn).values()]
    return [thread for _, thread in sorted(found, key=lambda pair: (pair[1].is_agent, pair[0]))]


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
        kept = {name: value[name] for name in _NEEDED & value.keys()}
        siblings.append(_Entry(line, kept, _parent(value, key, places, len(siblings))))
        if isinstance(uuid := value.get("uuid"), str):
            places[uuid] = (key, len(siblings) - 1)
    return entries


def _thread_key(value: Message, line: int, places: dict[str, tuple[object, int]]) -> object:
    if isinstance(call := value.get("parent_tool_use_id"), str):  # what the SDK tells sub-agents by
        return call
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
    first = entries[0].value
    is_agent = bool(first.get("isSidechain")) or isinstance(first.get("parent_tool_use_id"), str)
    spoken = [entry for entry in _taken(entries) if _is_sent(entry, warn)]
    messages, reported = _messages(spoken, warn)
    title = f"{'sub-agent' if is_agent else 'main'}, line {entries[0].line}"
    model = most_named(entry.value["message"].get("model") for entry in spoken)
    return Thread(messages=messages, format="anthropic", title=title, is_agent=is_agent, reported=reported, model=model)


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
    return as_text(as_dict(entry.value.get("message")).get("id")) or None


def _block_ids(entry: _Entry, kind: str, key: str) -> set[str]:
    content = as_dict(entry.value.get("message")).get("content")
    blocks = (block for block in dicts(content) if block.get("type") == kind)
    return {found for block in blocks if isinstance(found := block.get(key), str)}


def _is_sent(entry: _Entry, warn: Warn) -> bool:
    """Tell whether a line is part of what the model reads."""
    value = entry.value
    if value["type"] not in _ROLES or value.get("isApiErrorMessage"):
        return False
    content = as_dict(value.get("message")).get("content")
    if isinstance(content, (str, list)) and content:
        return True
    if not isinstance(content, (str, list)):
        warn(f"line {entry.line} is left out: its message has no content")
    return False


def _messages(entries: list[_Entry], warn: Warn) -> tuple[list[Message], dict[int, int]]:
    """
    Return messages as they were sent: role and content only, blocks of one message together; and what was reported.

    A summary of what was compacted stands for messages that are in this log themselves.  It is left
    out, as if nothing had been compacted, unless the log begins with it.
    """
    messages: list[Message] = []
    by_id: dict[str, Message] = {}
    reported: dict[int, int] = {}
    for entry in entries:
        if entry.value.get("isCompactSummary") and messages:
            warn(f"line {entry.line} is left out: it sums up messages that are replayed themselves")
            continue
        content = _content(entry.value["message"]["content"])
        message_id = _message_id(entry)
        if message_id in by_id and isinstance(content, list):
            by_id[message_id]["content"].extend(content)
            continue
        if (counted := counted_input(entry.value["message"].get("usage"))) is not None:
            reported[len(messages)] = counted
        messages.append({"role": entry.value["type"], "content": content})
        if message_id and isinstance(content, list):
            by_id[message_id] = messages[-1]
    return messages, reported


def _content(content: str | list[Any]) -> str | list[Any]:
    if isinstance(content, str):
        return content
    return [{"type": "text", "text": block} if isinstance(block, str) else block for block in content]


READER: Final = Reader("a Claude Code session", _is_session, _read)
