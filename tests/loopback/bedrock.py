"""Amazon Bedrock Converse: JSON, and its binary event stream."""

from __future__ import annotations

import json
import struct
from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import unquote
from zlib import crc32

from loopback.protocol import Protocol, Result, Turn, halves, texts
from loopback.replies import Refusal, TooLong


class Bedrock(Protocol):
    name = "bedrock"
    history = "messages"
    media_type = "application/vnd.amazon.eventstream"

    def owns(self, path: str) -> bool:
        return path.endswith(("/converse", "/converse-stream"))

    def streams(self, path: str, body: Mapping[str, Any]) -> bool:
        return path.endswith("/converse-stream")

    def model(self, path: str, body: Mapping[str, Any]) -> str:
        return unquote(path.split("/")[-2])

    def tools(self, body: Mapping[str, Any]) -> list[str]:
        declared = (body.get("toolConfig") or {}).get("tools") or []
        return [tool["toolSpec"]["name"] for tool in declared if "toolSpec" in tool]

    def system(self, body: Mapping[str, Any]) -> list[str]:
        return texts(body.get("system"))

    def results(self, body: Mapping[str, Any]) -> list[Result]:
        blocks = [block for one in body["messages"] for block in one["content"]]
        found = [block["toolResult"] for block in blocks if "toolResult" in block]
        return [Result(one["toolUseId"], _result_text(one["content"])) for one in found]

    def whole(self, turn: Turn) -> dict[str, Any]:
        message = {"role": "assistant", "content": _blocks(turn)}
        metrics = {"usage": _usage(turn), "metrics": {"latencyMs": 1}}
        return {"output": {"message": message}, "stopReason": _stop(turn), **metrics}

    def stream(self, turn: Turn) -> Iterator[bytes]:
        yield frame("messageStart", {"role": "assistant"})
        for index, block in enumerate(_blocks(turn)):
            yield from _block_frames(index, block)
            if turn.answer.broken is not None:
                break
        if turn.answer.broken is not None:
            yield frame("modelStreamErrorException", turn.answer.broken, "exception")
            return
        yield frame("messageStop", {"stopReason": _stop(turn)})
        yield frame("metadata", {"usage": _usage(turn), "metrics": {"latencyMs": 1}})

    def too_long(self, reply: TooLong) -> Refusal:
        body = {"message": "Input is too long for requested model."}
        return Refusal(400, body, {"x-amzn-errortype": "ValidationException"})


def frame(kind: str, payload: Mapping[str, Any], message: str = "event") -> bytes:
    """Return one message of the event stream: lengths, checksum, headers, payload, checksum."""
    names = {":message-type": message, f":{message}-type": kind, ":content-type": "application/json"}
    headers = b"".join(_header(name, value) for name, value in names.items())
    data = json.dumps(dict(payload)).encode()
    prelude = struct.pack("!II", 16 + len(headers) + len(data), len(headers))
    body = prelude + struct.pack("!I", crc32(prelude)) + headers + data
    return body + struct.pack("!I", crc32(body))


def _header(name: str, value: str) -> bytes:
    text = 7  # the type of a header's value
    return bytes([len(name)]) + name.encode() + struct.pack("!BH", text, len(value)) + value.encode()


def _result_text(content: list[dict[str, Any]]) -> str:
    return "".join(block["text"] if "text" in block else json.dumps(block) for block in content)


def _stop(turn: Turn) -> str:
    return turn.answer.stop or ("tool_use" if turn.calls else "end_turn")


def _usage(turn: Turn) -> dict[str, int]:
    """Cached tokens are counted apart."""
    return {
        "inputTokens": turn.usage.input - turn.usage.cached,
        "outputTokens": turn.usage.output,
        "totalTokens": turn.total,
        "cacheReadInputTokens": turn.usage.cached,
        "cacheWriteInputTokens": 0,
    }


def _blocks(turn: Turn) -> list[dict[str, Any]]:
    reasoning = {"reasoningText": {"text": turn.answer.thinking, "signature": f"signature-{turn.number}"}}
    calls = [
        {"toolUse": {"toolUseId": call.id, "name": call.name, "input": dict(call.arguments)}} for call in turn.calls
    ]
    spoken = [{"text": turn.answer.text}] if turn.answer.text else []
    return [*([{"reasoningContent": reasoning}] if turn.answer.thinking else []), *spoken, *calls]


def _block_frames(index: int, block: dict[str, Any]) -> Iterator[bytes]:
    place = {"contentBlockIndex": index}
    if "toolUse" in block:
        use = block["toolUse"]
        start = {"toolUse": {"toolUseId": use["toolUseId"], "name": use["name"]}}
        yield frame("contentBlockStart", {**place, "start": start})
    for delta in _deltas(block):
        yield frame("contentBlockDelta", {**place, "delta": delta})
    yield frame("contentBlockStop", place)


def _deltas(block: dict[str, Any]) -> list[dict[str, Any]]:
    if "text" in block:
        return [{"text": piece} for piece in halves(block["text"])]
    if "toolUse" in block:
        return [{"toolUse": {"input": piece}} for piece in halves(json.dumps(block["toolUse"]["input"]))]
    return [{"reasoningContent": {key: value}} for key, value in block["reasoningContent"]["reasoningText"].items()]
