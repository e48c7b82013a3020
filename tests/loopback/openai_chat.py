"""OpenAI Chat Completions, and what speaks it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from loopback.protocol import Asked, Protocol, Result, Turn, event, halves, text_of, texts
from loopback.replies import Refusal, TooLong


class OpenAIChat(Protocol):
    name = "openai-chat"
    history = "messages"

    def owns(self, path: str) -> bool:
        return path.endswith("/chat/completions")

    def tools(self, body: Mapping[str, Any]) -> list[str]:
        return [tool["function"]["name"] for tool in body.get("tools") or []]

    def system(self, body: Mapping[str, Any]) -> list[str]:
        found = [one for one in body["messages"] if one["role"] in ("system", "developer")]
        return [text for one in found for text in texts(one["content"])]

    def results(self, body: Mapping[str, Any]) -> list[Result]:
        found = [one for one in body["messages"] if one["role"] == "tool"]
        return [Result(one["tool_call_id"], text_of(one["content"])) for one in found]

    def whole(self, turn: Turn) -> dict[str, Any]:
        choice = {"index": 0, "message": _message(turn), "finish_reason": _stop(turn), "logprobs": None}
        return {**_shell(turn, "chat.completion"), "choices": [choice], "usage": _usage(turn)}

    def stream(self, turn: Turn) -> Iterator[bytes]:
        for delta in _deltas(turn):
            yield _chunk(turn, delta)
        if turn.answer.broken is not None:
            yield event(turn.answer.broken)
            return
        yield _chunk(turn, {}, _stop(turn))
        if (turn.body.get("stream_options") or {}).get("include_usage"):
            yield event({**_shell(turn, "chat.completion.chunk"), "choices": [], "usage": _usage(turn)})
        yield event("[DONE]")

    def too_long(self, reply: TooLong) -> Refusal:
        return Refusal(400, {"error": {"message": _too_long(reply), **_TOO_LONG, "param": "messages"}})


_TOO_LONG = {"type": "invalid_request_error", "code": "context_length_exceeded"}


def _too_long(reply: TooLong) -> str:
    return (
        f"This model's maximum context length is {reply.limit} tokens. However, your messages resulted in "
        f"{reply.tokens} tokens. Please reduce the length of the messages."
    )


def _shell(turn: Turn, kind: str) -> dict[str, Any]:
    return {"id": f"chatcmpl-{turn.number}", "object": kind, "created": 1, "model": turn.model}


def _stop(turn: Turn) -> str:
    return turn.answer.stop or ("tool_calls" if turn.calls else "stop")


def _usage(turn: Turn) -> dict[str, Any]:
    return {
        "prompt_tokens": turn.usage.input,
        "completion_tokens": turn.usage.output,
        "total_tokens": turn.total,
        "prompt_tokens_details": {"cached_tokens": turn.usage.cached},
    }


def _message(turn: Turn) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": turn.answer.text or None}
    if turn.calls:
        message["tool_calls"] = [_call(call) for call in turn.calls]
    return message


def _call(call: Asked) -> dict[str, Any]:
    function = {"name": call.name, "arguments": json.dumps(dict(call.arguments))}
    return {"id": call.id, "type": "function", "function": function}


def _deltas(turn: Turn) -> Iterator[dict[str, Any]]:
    yield {"role": "assistant", "content": ""}
    if turn.answer.text:
        yield from ({"content": piece} for piece in halves(turn.answer.text))
    for index, call in enumerate(turn.calls):
        first, second = halves(json.dumps(dict(call.arguments)))
        opening = {"index": index, "id": call.id, "type": "function"}
        yield {"tool_calls": [{**opening, "function": {"name": call.name, "arguments": first}}]}
        yield {"tool_calls": [{"index": index, "function": {"arguments": second}}]}


def _chunk(turn: Turn, delta: dict[str, Any], stop: str | None = None) -> bytes:
    choice = {"index": 0, "delta": delta, "finish_reason": stop, "logprobs": None}
    return event({**_shell(turn, "chat.completion.chunk"), "choices": [choice]})
