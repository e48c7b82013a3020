"""Gemini generateContent."""

from __future__ import annotations

import base64
from collections.abc import Iterator, Mapping
from typing import Any

from loopback.protocol import Protocol, Result, Turn, event, texts
from loopback.replies import Refusal, TooLong


class Gemini(Protocol):
    name = "gemini"
    history = "contents"

    def owns(self, path: str) -> bool:
        return path.endswith((":generateContent", ":streamGenerateContent"))

    def streams(self, path: str, body: Mapping[str, Any]) -> bool:
        return path.endswith(":streamGenerateContent")

    def model(self, path: str, body: Mapping[str, Any]) -> str:
        return path.rpartition("/models/")[2].partition(":")[0]

    def tools(self, body: Mapping[str, Any]) -> list[str]:
        declared = [one for tool in body.get("tools") or [] for one in tool.get("functionDeclarations") or []]
        return [one["name"] for one in declared]

    def system(self, body: Mapping[str, Any]) -> list[str]:
        return texts((body.get("systemInstruction") or {}).get("parts"))

    def results(self, body: Mapping[str, Any]) -> list[Result]:
        parts = [part for one in body["contents"] for part in one["parts"]]
        found = [part["functionResponse"] for part in parts if "functionResponse" in part]
        return [Result(one.get("id"), "".join(str(value) for value in one["response"].values())) for one in found]

    def whole(self, turn: Turn) -> dict[str, Any]:
        return _response(turn, _parts(turn), _stop(turn))

    def stream(self, turn: Turn) -> Iterator[bytes]:
        *first, last = _parts(turn)
        for part in first:
            yield event(_response(turn, [part]), end="\r\n\r\n")
        if turn.answer.broken is not None:
            yield event(turn.answer.broken, end="\r\n\r\n")
            return
        yield event(_response(turn, [last], _stop(turn)), end="\r\n\r\n")

    def too_long(self, reply: TooLong) -> Refusal:
        message = (
            f"The input token count ({reply.tokens}) exceeds the maximum number of tokens allowed ({reply.limit})."
        )
        return Refusal(400, {"error": {"code": 400, "message": message, "status": "INVALID_ARGUMENT"}})


def _stop(turn: Turn) -> str:
    return turn.answer.stop or "STOP"


def _parts(turn: Turn) -> list[dict[str, Any]]:
    """The first call of a step carries the signature of the thought before it."""
    thought = {"text": turn.answer.thinking, "thought": True}
    calls: list[dict[str, Any]] = [
        {"functionCall": {"id": call.id, "name": call.name, "args": dict(call.arguments)}} for call in turn.calls
    ]
    if calls and turn.answer.thinking:
        calls[0]["thoughtSignature"] = base64.b64encode(f"signature {turn.number}".encode()).decode()
    spoken = [{"text": turn.answer.text}] if turn.answer.text or not calls else []
    return [*([thought] if turn.answer.thinking else []), *spoken, *calls]


def _response(turn: Turn, parts: list[dict[str, Any]], stop: str | None = None) -> dict[str, Any]:
    candidate = {"content": {"role": "model", "parts": parts}, "index": 0}
    usage = {
        "promptTokenCount": turn.usage.input,
        "cachedContentTokenCount": turn.usage.cached,
        "candidatesTokenCount": turn.usage.output,
        "totalTokenCount": turn.total,
    }
    return {
        "candidates": [{**candidate, "finishReason": stop} if stop else candidate],
        "usageMetadata": usage,
        "modelVersion": turn.model,
        "responseId": f"response-{turn.number}",
    }
