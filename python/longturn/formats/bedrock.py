"""
Bedrock Converse: blocks say what they are by their only key; all results of a round share a user message.

Server-side tools keep their results inside the assistant message: the model's own text here.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
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
    compact,
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

_MEDIA: Final = ("image", "document", "video", "audio")
_SERVER_TOOL: Final = "server_tool_use"


class Bedrock:
    """Messages of ``client.converse(messages=...)``."""

    name = "bedrock"
    signs = Signs(
        bare_blocks=frozenset(
            ("text", "toolUse", "toolResult", "reasoningContent", "cachePoint", "guardContent", *_MEDIA)
        )
    )
    note_is_message = False
    binds_thinking = True

    def read(self, message: Any) -> Facts:
        role, content = name_of(message, "role"), get(message, "content")
        if role == "assistant":
            return _model_facts(blocks(content))
        if role != "user":
            return SYSTEM_FACTS if role == "system" else REPLY_FACTS
        results = tuple(_result(slot, result) for slot, result in _members(blocks(content), "toolResult"))
        return Facts(Kind.REPLY, results=results) if results else user_facts(content)

    def with_results(self, message: Any, edits: Sequence[Edit]) -> Any:
        content = get(message, "content")
        changed = {
            edit.slot: _with_member(content[edit.slot], "toolResult", content=[{"text": edit.text}]) for edit in edits
        }
        return replaced(message, content=with_blocks(content, changed))

    def with_inputs(self, message: Any, edits: Sequence[Edit]) -> Any:
        content = get(message, "content")
        changed = {
            edit.slot: _with_member(content[edit.slot], "toolUse", input=cleared_input(edit.text)) for edit in edits
        }
        return replaced(message, content=with_blocks(content, changed))

    def without_thinking(self, message: Any) -> Any:
        rest = [block for block in get(message, "content") if get(block, "reasoningContent") is None]
        return replaced(message, content=rest) if rest else message

    def with_note(self, message: Any, note: str) -> Any:
        return replaced(message, content=with_part(get(message, "content") or [], note, {"text": note}))

    def note_message(self, note: str, like: Any) -> Any:
        return {"role": "user", "content": [{"text": note}]}

    def result_text(self, message: Any, slot: int) -> str:
        result = get(get(message, "content")[slot], "toolResult")
        return "\n".join(_text(block) for block in blocks(get(result, "content")))


def _members(parts: Sequence[Any], key: str) -> Iterator[tuple[int, Any]]:
    """Yield slot and value of the blocks that have ``key``."""
    for slot, block in enumerate(parts):
        if (value := get(block, key)) is not None:
            yield slot, value


def _model_facts(parts: Sequence[Any]) -> Facts:
    calls = [
        call(name_of(use, "toolUseId"), name_of(use, "name"), slot, get(use, "input"))
        for slot, use in _members(parts, "toolUse")
        if name_of(use, "type") != _SERVER_TOOL
    ]
    thinking = [block for block in parts if get(block, "reasoningContent") is not None]
    return model_facts(calls, thinking, has_more=len(thinking) < len(parts))


def _result(slot: int, source: Any) -> Result:
    content = get(source, "content")
    return result(name_of(source, "toolUseId"), None, slot, content)


def _with_member(block: Any, key: str, **members: Any) -> Any:
    return replaced(block, **{key: replaced(get(block, key), **members)})


def _text(block: Any) -> str:
    """Return the text of a block in a result; media are named, never written out."""
    if (media := next((name for name in _MEDIA if get(block, name) is not None), None)) is not None:
        return f"[{media}]"
    if (value := get(block, "json")) is not None:
        return compact(value)
    found = get(block, "searchResult")
    return text_of(block if found is None else get(found, "content"))
