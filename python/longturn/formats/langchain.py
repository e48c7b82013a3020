"""
LangChain: message objects, their ``model_dump`` dicts, and the ``dumps`` form with its members under ``kwargs``.

The same call may stand in ``tool_calls`` and as a block of the content: it is one call, and both are
edited.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

from longturn.fitting.outline import Call, Facts, Kind, Result
from longturn.formats.base import (
    REPLY_FACTS,
    SYSTEM_FACTS,
    Edit,
    Signs,
    blocks,
    call,
    cleared_input,
    get,
    is_reasoning_of_openai,
    like_before,
    model_facts,
    name_of,
    replaced,
    result,
    text_of,
    user_facts,
    with_blocks,
    with_part,
)

_ROLES: Final = {
    "human": Kind.USER,
    "user": Kind.USER,
    "ai": Kind.MODEL,
    "assistant": Kind.MODEL,
    "tool": Kind.REPLY,
    "function": Kind.REPLY,
    "system": Kind.SYSTEM,
    "developer": Kind.SYSTEM,
}
_CLASSES: Final = {
    f"{name}Message{end}": _ROLES[name.lower()]
    for name in ("Human", "AI", "Tool", "Function", "System")
    for end in ("", "Chunk")
}
_CHAT: Final = frozenset(("chat", "ChatMessage", "ChatMessageChunk"))  # a free role instead of a class
_KINDS: Final = _ROLES | _CLASSES
_TYPES: Final = _CLASSES.keys() | _CHAT | {"human", "ai", "tool", "function", "system", "remove"}
_SIGNATURES: Final = "__gemini_function_call_thought_signatures__"  # over the arguments, which must not change then
_NO_SLOT: Final = -1  # of calls that stay as they are
_THINKING: Final = ("thinking", "redacted_thinking", "reasoning", "reasoning_content")


class _CallKeys(NamedTuple):
    """Where a call block keeps its id and its arguments."""

    id: str
    arguments: str


_CALL_BLOCKS: Final = {
    "tool_use": _CallKeys("id", "input"),
    "tool_call": _CallKeys("id", "args"),
    "function_call": _CallKeys("call_id", "arguments"),
}


class LangChain:
    """Messages of ``chat_model.invoke(messages)``, as objects or dumped."""

    name = "langchain"
    signs = Signs(message={"lc": None, "type": frozenset(_TYPES)})
    note_is_message = False
    binds_thinking = True

    def read(self, message: Any) -> Facts:
        members = _members(message)
        kind = _kind(message, members)
        if kind is Kind.MODEL:
            return _model_facts(members)
        if kind is Kind.REPLY:
            return Facts(Kind.REPLY, (), (_result(members),))
        if kind is Kind.USER:
            return user_facts(get(members, "content"))
        return SYSTEM_FACTS if kind is Kind.SYSTEM else REPLY_FACTS

    def with_results(self, message: Any, edits: Sequence[Edit]) -> Any:
        return _with_members(message, content=edits[0].text)

    def with_inputs(self, message: Any, edits: Sequence[Edit]) -> Any:
        members = _members(message)
        calls, parts = blocks(get(members, "tool_calls")), blocks(get(members, "content"))
        inputs = {edit.slot: cleared_input(edit.text) for edit in edits}
        changed: dict[str, Any] = {}
        if own := {slot: replaced(calls[slot], args=inputs[slot]) for slot in inputs if slot < len(calls)}:
            changed["tool_calls"] = with_blocks(calls, own)
        slots = _slots(calls, parts)
        if copies := {place: _cleared(parts[place], inputs[slot]) for place, slot in slots.items() if slot in inputs}:
            changed["content"] = with_blocks(parts, copies)
        return _with_members(message, **changed)

    def without_thinking(self, message: Any) -> Any:
        members = _members(message)
        rest = [block for block in get(members, "content") if not _is_thinking(block)]
        return _with_members(message, content=rest) if rest or get(members, "tool_calls") else message

    def with_note(self, message: Any, note: str) -> Any:
        content = get(_members(message), "content")
        return _with_members(message, content=with_part(content, note, {"type": "text", "text": note}))

    def note_message(self, note: str, like: Any) -> Any:
        if not isinstance(like, Mapping):
            from langchain_core.messages import HumanMessage

            return HumanMessage(content=note)
        if "lc" not in like:
            return {"type": "human", "content": note}
        path = [*like["id"][:-1], "HumanMessage"]
        return {**like, "id": path, "kwargs": {"type": "human", "content": note}}

    def result_text(self, message: Any, slot: int) -> str:
        return text_of(get(_members(message), "content"))


def _members(message: Any) -> Any:
    """Return where a message keeps its members: under ``kwargs`` in the form that ``dumps`` writes."""
    return message["kwargs"] if _is_dumped(message) else message


def _is_dumped(message: Any) -> bool:
    return isinstance(message, dict) and "lc" in message and "kwargs" in message


def _with_members(message: Any, **members: Any) -> Any:
    if _is_dumped(message):
        return replaced(message, kwargs=replaced(message["kwargs"], **members))
    return replaced(message, **members)


def _kind(message: Any, members: Any) -> Kind | None:
    """Return who speaks, whether a dump says so by type or by the name of a class; None for a role of its own."""
    name = name_of(members, "type")
    if name is None and _is_dumped(message):
        name = str((blocks(get(message, "id")) or ("",))[-1])
    return _KINDS.get((name_of(members, "role") if name in _CHAT else name) or "")


def _model_facts(members: Any) -> Facts:
    calls, parts = blocks(get(members, "tool_calls")), blocks(get(members, "content"))
    key = "" if get(get(members, "additional_kwargs"), _SIGNATURES) else "args"
    found = [call(name_of(one, "id"), name_of(one, "name"), slot, get(one, key)) for slot, one in enumerate(calls)]
    found.extend(
        _call_of_block(parts[place], slot, is_counted=not calls)
        for place, slot in _slots(calls, parts).items()
        if slot >= len(calls)
    )
    broken = blocks(get(members, "invalid_tool_calls"))
    found.extend(Call(name_of(one, "id"), name_of(one, "name"), _NO_SLOT) for one in broken)
    thinking = [block for block in parts if _is_thinking(block)]
    return model_facts(found, thinking, has_more=bool(calls) or len(thinking) < len(parts))


def _slots(calls: Sequence[Any], parts: Sequence[Any]) -> dict[int, int]:
    """
    Return the slots of the call blocks in a content, by place.

    A block that repeats one of ``tool_calls`` has its slot; others are numbered after those.
    """
    free: dict[Any, list[int]] = {}
    for slot, one in enumerate(calls):
        free.setdefault(name_of(one, "id"), []).append(slot)
    slots = {}
    for place, part in enumerate(parts):
        if (keys := _CALL_BLOCKS.get(name_of(part, "type") or "")) is not None:
            same = free.get(name_of(part, keys.id))
            slots[place] = same.pop(0) if same else len(calls) + place
    return slots


def _call_of_block(block: Any, slot: int, *, is_counted: bool) -> Call:
    """Return the call in a block; beside ``tool_calls`` such blocks count nothing, so nothing is gained there."""
    keys = _CALL_BLOCKS[get(block, "type")]
    arguments = get(block, keys.arguments) if is_counted else None
    return call(name_of(block, keys.id), name_of(block, "name"), slot, arguments)


def _cleared(block: Any, arguments: dict[str, str]) -> Any:
    key = _CALL_BLOCKS[get(block, "type")].arguments
    return replaced(block, **{key: like_before(arguments, get(block, key))})


def _is_thinking(block: Any) -> bool:
    return name_of(block, "type") in _THINKING and not is_reasoning_of_openai(block)


def _result(members: Any) -> Result:
    content = get(members, "content")
    return result(name_of(members, "tool_call_id"), name_of(members, "name"), 0, content)
