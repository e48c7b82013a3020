"""
Anthropic Messages: calls and results are blocks; all results of a round share a user message.

Server-side tools keep their results inside the assistant message, with encrypted parts that later
citations need: they are the model's own text here and never cleared.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from longturn.fitting.outline import Facts, Kind, Result
from longturn.formats.base import (
    REPLY_FACTS,
    SYSTEM_FACTS,
    Edit,
    Signs,
    blocks,
    call,
    cleared_input,
    get,
    model_facts,
    name_of,
    replaced,
    result,
    text_of,
    user_facts,
    with_blocks,
    with_part,
)

_ROLES: Final = {"user": Kind.USER, "assistant": Kind.MODEL, "system": Kind.SYSTEM, "developer": Kind.SYSTEM}
_THINKING: Final = ("thinking", "redacted_thinking")


class Anthropic:
    """Messages of ``client.messages.create(messages=...)``, as dicts or as the SDK's objects."""

    name = "anthropic"
    signs = Signs(
        typed_blocks=frozenset(
            """tool_use tool_result thinking redacted_thinking server_tool_use mcp_tool_use document image
            search_result container_upload compaction tool_addition tool_removal""".split()
        )
    )
    note_is_message = False
    binds_thinking = True

    def read(self, message: Any) -> Facts:
        kind = _ROLES.get(name_of(message, "role") or "", Kind.REPLY)
        content = get(message, "content")
        if kind is Kind.MODEL:
            return _model_facts(content)
        if kind is Kind.USER:
            return _user_facts(content)
        return SYSTEM_FACTS if kind is Kind.SYSTEM else REPLY_FACTS

    def with_results(self, message: Any, edits: Sequence[Edit]) -> Any:
        content = get(message, "content")
        changed = {edit.slot: _cleared(content[edit.slot], edit.text) for edit in edits}
        return replaced(message, content=with_blocks(content, changed))

    def with_inputs(self, message: Any, edits: Sequence[Edit]) -> Any:
        content = get(message, "content")
        changed = {edit.slot: replaced(content[edit.slot], input=cleared_input(edit.text)) for edit in edits}
        return replaced(message, content=with_blocks(content, changed))

    def without_thinking(self, message: Any) -> Any:
        rest = [block for block in get(message, "content") if name_of(block, "type") not in _THINKING]
        return replaced(message, content=rest) if rest else message

    def with_note(self, message: Any, note: str) -> Any:
        return replaced(message, content=with_part(get(message, "content"), note, {"type": "text", "text": note}))

    def note_message(self, note: str, like: Any) -> Any:
        return {"role": "user", "content": note}

    def result_text(self, message: Any, slot: int) -> str:
        return text_of(get(get(message, "content")[slot], "content"))


def _model_facts(content: Any) -> Facts:
    calls, thinking, parts = [], [], blocks(content)
    for slot, block in enumerate(parts):
        kind = name_of(block, "type")
        if kind == "tool_use":
            calls.append(call(name_of(block, "id"), name_of(block, "name"), slot, get(block, "input")))
        elif kind in _THINKING:
            thinking.append(block)
    return model_facts(calls, thinking, has_more=len(thinking) < len(parts))


def _user_facts(content: Any) -> Facts:
    results = [
        _result(slot, block) for slot, block in enumerate(blocks(content)) if name_of(block, "type") == "tool_result"
    ]
    return Facts(Kind.REPLY, (), tuple(results)) if results else user_facts(content)


def _result(slot: int, block: Any) -> Result:
    content = get(block, "content")
    return result(name_of(block, "tool_use_id"), None, slot, content)


def _cleared(block: Any, note: str) -> Any:
    """Return a copy of a result that holds the note; a cache mark inside the old content moves to the block."""
    marks = [mark for part in blocks(get(block, "content")) if (mark := get(part, "cache_control"))]
    lifted = {"cache_control": marks[-1]} if marks and not get(block, "cache_control") else {}
    return replaced(block, content=note, **lifted)
