"""Sessions of Cline: Anthropic's blocks, files among them, with the program's own members beside."""

from __future__ import annotations

import json
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
    text_block,
    whole_number,
)

_RESULT_MEMBERS: Final = ("type", "tool_use_id", "is_error")


def _is_session(source: Source) -> bool:
    has_own = isinstance(source.member("sessionId"), str) and "system_prompt" in as_dict(source.document)
    return has_own and isinstance(source.member("messages"), list)


def _read(source: Source, warn: Warn) -> list[Thread]:
    records = [message for message in dicts(source.member("messages")) if message.get("role") in ("user", "assistant")]
    counted = {n: whole_number(as_dict(each.get("metrics")).get("inputTokens")) for n, each in enumerate(records)}
    return [
        Thread(
            messages=[{"role": each["role"], "content": _content(each.get("content"))} for each in records],
            format="anthropic",
            system=as_text(source.member("system_prompt")) or None,
            title=as_text(source.member("agent")),
            reported={index: tokens for index, tokens in counted.items() if tokens},
        )
    ]


def _content(content: Any) -> Any:
    return content if isinstance(content, str) else [_block(block) for block in dicts(content)]


def _block(block: Message) -> Message:
    if block.get("type") == "file":
        return text_block(as_text(block.get("content")))
    if block.get("type") != "tool_result":
        return block
    content = block.get("content")
    parts = [part if "type" in part else text_block(json.dumps(part, ensure_ascii=False)) for part in dicts(content)]
    kept: Message = {key: block[key] for key in _RESULT_MEMBERS if key in block}
    return {**kept, "content": parts if as_list(content) else content}


READER: Final = Reader("a Cline session", _is_session, _read)
