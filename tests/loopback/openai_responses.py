"""OpenAI Responses."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from itertools import count
from typing import Any

from loopback.protocol import Protocol, Result, Turn, event, halves, text_of, texts
from loopback.replies import Refusal, TooLong


class OpenAIResponses(Protocol):
    name = "openai-responses"
    history = "input"

    def owns(self, path: str) -> bool:
        return path.endswith("/responses")

    def tools(self, body: Mapping[str, Any]) -> list[str]:
        return [tool["name"] for tool in body.get("tools") or [] if tool["type"] == "function"]

    def system(self, body: Mapping[str, Any]) -> list[str]:
        found = [one for one in _items(body) if one.get("role") in ("system", "developer")]
        return texts(body.get("instructions")) + [text for one in found for text in texts(one["content"])]

    def results(self, body: Mapping[str, Any]) -> list[Result]:
        found = [one for one in _items(body) if one.get("type") == "function_call_output"]
        return [Result(one["call_id"], text_of(one["output"])) for one in found]

    def whole(self, turn: Turn) -> dict[str, Any]:
        return {**_shell(turn, "completed"), "output": _output(turn), "usage": _usage(turn)}

    def stream(self, turn: Turn) -> Iterator[bytes]:
        numbers = count()
        for data in _events(turn):
            yield event({**data, "sequence_number": next(numbers)}, data["type"])

    def too_long(self, reply: TooLong) -> Refusal:
        message = "Your input exceeds the context window of this model. Please adjust your input and try again."
        error = {"message": message, "type": "invalid_request_error", "param": "input"}
        return Refusal(400, {"error": {**error, "code": "context_length_exceeded"}})


def _items(body: Mapping[str, Any]) -> list[Any]:
    return body["input"] if isinstance(body.get("input"), list) else []


def _shell(turn: Turn, status: str) -> dict[str, Any]:
    return {
        "id": f"resp_{turn.number}",
        "object": "response",
        "created_at": 1,
        "model": turn.model,
        "status": status,
        "error": None,
        "incomplete_details": None,
        "instructions": None,
        "metadata": {},
        "output": [],
        "parallel_tool_calls": True,
        "temperature": 1,
        "tool_choice": "auto",
        "tools": [],
        "top_p": 1,
    }


def _usage(turn: Turn) -> dict[str, Any]:
    return {
        "input_tokens": turn.usage.input,
        "input_tokens_details": {"cached_tokens": turn.usage.cached, "cache_write_tokens": 0},
        "output_tokens": turn.usage.output,
        "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": turn.total,
    }


def _output(turn: Turn) -> list[dict[str, Any]]:
    summary = [{"type": "summary_text", "text": turn.answer.thinking}]
    thought = {"type": "reasoning", "id": f"rs_{turn.number}", "summary": summary, "encrypted_content": None}
    part = {"type": "output_text", "text": turn.answer.text, "annotations": [], "logprobs": []}
    message = {"type": "message", "id": f"msg_{turn.number}", "role": "assistant", "status": "completed"}
    calls = [
        {
            "type": "function_call",
            "id": f"fc_{call.id}",
            "call_id": call.id,
            "name": call.name,
            "arguments": json.dumps(dict(call.arguments)),
            "status": "completed",
        }
        for call in turn.calls
    ]
    spoken = [{**message, "content": [part]}] if turn.answer.text else []
    return [*([thought] if turn.answer.thinking else []), *spoken, *calls]


def _events(turn: Turn) -> Iterator[dict[str, Any]]:
    yield {"type": "response.created", "response": _shell(turn, "in_progress")}
    yield {"type": "response.in_progress", "response": _shell(turn, "in_progress")}
    for index, item in enumerate(_output(turn)):
        yield {"type": "response.output_item.added", "output_index": index, "item": _empty(item)}
        yield from _deltas(item, {"item_id": item["id"], "output_index": index})
        if turn.answer.broken is not None:
            break
        yield {"type": "response.output_item.done", "output_index": index, "item": item}
    if turn.answer.broken is not None:
        yield {"type": "error", **turn.answer.broken}
        return
    yield {"type": "response.completed", "response": OpenAIResponses().whole(turn)}


def _empty(item: dict[str, Any]) -> dict[str, Any]:
    blank = {"content": [], "summary": [], "arguments": "", "status": "in_progress"}
    return {key: blank.get(key, value) for key, value in item.items()}


def _deltas(item: dict[str, Any], place: dict[str, Any]) -> Iterator[dict[str, Any]]:
    if item["type"] == "function_call":
        for piece in halves(item["arguments"]):
            yield {"type": "response.function_call_arguments.delta", **place, "delta": piece}
        done = {"name": item["name"], "arguments": item["arguments"]}
        yield {"type": "response.function_call_arguments.done", **place, **done}
    if item["type"] == "message":
        yield from _spoken(item["content"][0], {**place, "content_index": 0})


def _spoken(part: dict[str, Any], place: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield {"type": "response.content_part.added", **place, "part": {**part, "text": ""}}
    for piece in halves(part["text"]):
        yield {"type": "response.output_text.delta", **place, "delta": piece, "logprobs": []}
    yield {"type": "response.output_text.done", **place, "text": part["text"], "logprobs": []}
    yield {"type": "response.content_part.done", **place, "part": part}
