"""Anthropic Messages."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from loopback.protocol import Protocol, Result, Turn, event, halves, text_of, texts
from loopback.replies import Refusal, TooLong


class Anthropic(Protocol):
    name = "anthropic"
    history = "messages"

    def owns(self, path: str) -> bool:
        return path.endswith("/messages")

    def tools(self, body: Mapping[str, Any]) -> list[str]:
        return [tool["name"] for tool in body.get("tools") or []]

    def system(self, body: Mapping[str, Any]) -> list[str]:
        later = [text for one in body["messages"] if one["role"] == "system" for text in texts(one["content"])]
        return texts(body.get("system")) + later

    def results(self, body: Mapping[str, Any]) -> list[Result]:
        blocks = [block for one in body["messages"] if isinstance(one["content"], list) for block in one["content"]]
        found = [block for block in blocks if block["type"] == "tool_result"]
        return [Result(block["tool_use_id"], text_of(block.get("content"))) for block in found]

    def whole(self, turn: Turn) -> dict[str, Any]:
        return {**_shell(turn), "content": _blocks(turn), "stop_reason": _stop(turn), "usage": _usage(turn)}

    def stream(self, turn: Turn) -> Iterator[bytes]:
        yield _event("message_start", message={**_shell(turn), "content": [], "usage": _usage(turn)})
        for index, block in enumerate(_blocks(turn)):
            yield _event("content_block_start", index=index, content_block=_empty(block))
            for delta in _deltas(block):
                yield _event("content_block_delta", index=index, delta=delta)
            if turn.answer.broken is not None:
                break
            yield _event("content_block_stop", index=index)
        if turn.answer.broken is not None:
            yield event(turn.answer.broken, "error")
            return
        yield _event("message_delta", delta={"stop_reason": _stop(turn), "stop_sequence": None}, usage=_usage(turn))
        yield _event("message_stop")

    def too_long(self, reply: TooLong) -> Refusal:
        message = f"prompt is too long: {reply.tokens} tokens > {reply.limit} maximum"
        return Refusal(400, {"type": "error", "error": {"type": "invalid_request_error", "message": message}})


def _event(kind: str, **members: Any) -> bytes:
    return event({"type": kind, **members}, kind)


def _shell(turn: Turn) -> dict[str, Any]:
    return {
        "id": f"msg_{turn.number}",
        "type": "message",
        "role": "assistant",
        "model": turn.model,
        "stop_reason": None,
        "stop_sequence": None,
    }


def _stop(turn: Turn) -> str:
    return turn.answer.stop or ("tool_use" if turn.calls else "end_turn")


def _usage(turn: Turn) -> dict[str, int]:
    """Cached tokens are counted apart."""
    return {
        "input_tokens": turn.usage.input - turn.usage.cached,
        "cache_read_input_tokens": turn.usage.cached,
        "cache_creation_input_tokens": 0,
        "output_tokens": turn.usage.output,
    }


def _blocks(turn: Turn) -> list[dict[str, Any]]:
    answer = turn.answer
    thought = {"type": "thinking", "thinking": answer.thinking, "signature": f"signature-{turn.number}"}
    calls = [
        {"type": "tool_use", "id": call.id, "name": call.name, "input": dict(call.arguments)} for call in turn.calls
    ]
    spoken = [{"type": "text", "text": answer.text}] if answer.text else []
    return [*([thought] if answer.thinking else []), *spoken, *calls]


def _empty(block: dict[str, Any]) -> dict[str, Any]:
    blank = {"text": "", "thinking": "", "signature": "", "input": {}}
    return {key: blank.get(key, value) for key, value in block.items()}


def _deltas(block: dict[str, Any]) -> list[dict[str, Any]]:
    if block["type"] == "text":
        return [{"type": "text_delta", "text": piece} for piece in halves(block["text"])]
    if block["type"] == "thinking":
        signature = {"type": "signature_delta", "signature": block["signature"]}
        return [{"type": "thinking_delta", "thinking": piece} for piece in halves(block["thinking"])] + [signature]
    return [{"type": "input_json_delta", "partial_json": piece} for piece in halves(json.dumps(block["input"]))]
