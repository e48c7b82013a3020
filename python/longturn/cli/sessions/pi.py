"""Sessions of pi: a line a message, the results of parallel calls a message each."""

from __future__ import annotations

from collections.abc import Iterator
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

_OWN_ROLES: Final = frozenset(("toolResult", "bashExecution"))


def _is_session(source: Source) -> bool:
    messages = [as_dict(as_dict(value).get("message")) for value in source.items()]
    own = any(message.get("role") in _OWN_ROLES for message in messages if isinstance(message.get("role"), str))
    return own or any(block.get("type") == "toolCall" for each in messages for block in dicts(each.get("content")))


def _read(source: Source, warn: Warn) -> list[Thread]:
    messages: list[Message] = []
    reported: dict[int, int] = {}
    models: list[Any] = []
    for line in source.everything():
        value = as_dict(line.value)
        if value.get("type") == "compaction":
            warn(f"line {line.number} is left out: it sums up messages that are replayed themselves")
        message = as_dict(value.get("message"))
        models.append(message.get("model"))
        counted = _input_tokens(as_dict(message.get("usage")))
        if counted and message.get("role") == "assistant" and not is_answering(messages):
            reported[len(messages)] = counted
        for sent in _messages(message):
            put(messages, sent)
    return [Thread(messages=messages, format="anthropic", reported=reported, model=most_named(models))]


def _input_tokens(usage: Message) -> int:
    return sum(whole_number(usage.get(name)) for name in ("input", "cacheRead", "cacheWrite"))


def _messages(message: Message) -> Iterator[Message]:
    content = message.get("content")
    match message.get("role"):
        case "user":
            yield said("user", *_blocks(content))
        case "assistant":
            yield said("assistant", *_blocks(content))
        case "toolResult":
            is_error = bool(message.get("isError"))
            yield said("user", result_block(message.get("toolCallId"), _blocks(content), is_error=is_error))
        case "bashExecution":
            ran = f"$ {as_text(message.get('command'))}\n{as_text(message.get('output'))}"
            yield said("user", text_block(ran))


def _blocks(content: Any) -> list[Message]:
    if isinstance(content, str):
        return [text_block(content)] if content else []
    return [_block(block) for block in as_list(content) if isinstance(block, dict)]


def _block(block: Message) -> Message:
    if block.get("type") == "toolCall":
        return call_block(block.get("id"), block.get("name"), as_dict(block.get("arguments")))
    if block.get("type") == "thinking":
        signature = as_text(block.get("thinkingSignature"))
        return {"type": "thinking", "thinking": as_text(block.get("thinking")), "signature": signature}
    return block


READER: Final = Reader("a pi session", _is_session, _read)
