"""Logs of Inspect: samples whose messages are chat messages, long texts kept apart as attachments."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final

from longturn.cli.sessions.base import Message, Reader, Source, Thread, Warn, as_dict, as_text, dicts, whole_number

_ATTACHED: Final = "attachment://"


def _is_log(source: Source) -> bool:
    return isinstance(source.member("eval"), dict) and isinstance(source.member("samples"), list)


def _read(source: Source, warn: Warn) -> list[Thread]:
    model = as_text(as_dict(source.member("eval")).get("model"))
    return [_thread(sample, model) for sample in dicts(source.member("samples"))]


def _thread(sample: Message, model: str) -> Thread:
    attachments = as_dict(sample.get("attachments"))
    messages = [_message(message, attachments) for message in dicts(sample.get("messages"))]
    calls = [event for event in dicts(sample.get("events")) if event.get("event") == "model"]
    tools = [_attached(tool, attachments) for tool in dicts(calls[0].get("tools"))] if calls else []
    reported = {len(dicts(call.get("input"))): _input_tokens(call) for call in calls}
    return Thread(
        messages=messages,
        format="openai-chat",
        tools=[{"type": "function", "function": tool} for tool in tools] or None,
        title=f"sample {sample.get('id')}, epoch {sample.get('epoch')}",
        reported={index: tokens for index, tokens in reported.items() if tokens},
        model=model,
    )


def _input_tokens(call: Message) -> int:
    usage = as_dict(as_dict(call.get("output")).get("usage"))  # whether its input includes cached tokens varies
    return max(whole_number(usage.get("total_tokens")) - whole_number(usage.get("output_tokens")), 0)


def _message(message: Message, attachments: Mapping[str, Any]) -> Message:
    sent: Message = {"role": message.get("role"), "content": _attached(message.get("content"), attachments)}
    if calls := dicts(message.get("tool_calls")):
        sent["tool_calls"] = [_call(call, attachments) for call in calls]
    if message.get("role") == "tool":
        sent["tool_call_id"] = as_text(message.get("tool_call_id"))
        sent["content"] = as_text(as_dict(message.get("error")).get("message")) or sent["content"]
    return sent


def _call(call: Message, attachments: Mapping[str, Any]) -> Message:
    arguments = json.dumps(_attached(call.get("arguments"), attachments), ensure_ascii=False)
    function = {"name": as_text(call.get("function")), "arguments": arguments}
    return {"id": as_text(call.get("id")), "type": "function", "function": function}


def _attached(value: Any, attachments: Mapping[str, Any]) -> Any:
    """Return a value with its attachments put back."""
    if isinstance(value, str) and value.startswith(_ATTACHED):
        return attachments.get(value.removeprefix(_ATTACHED), value)
    if isinstance(value, list):
        return [_attached(item, attachments) for item in value]
    if isinstance(value, dict):
        return {key: _attached(item, attachments) for key, item in value.items()}
    return value


READER: Final = Reader("an Inspect log", _is_log, _read)
