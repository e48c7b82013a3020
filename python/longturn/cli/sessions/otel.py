"""
Traces by the conventions for generative AI: spans of OTLP, and Langfuse's exports of them.

Contents are JSON in a text, at times twice.  Each span that has messages is one request.
"""

from __future__ import annotations

import json
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
    counted_input,
    dicts,
)
from longturn.cli.sessions.requests import Log

_INPUTS: Final = ("gen_ai.input.messages", "gen_ai.prompt")
_OUTPUTS: Final = ("gen_ai.output.messages", "gen_ai.completion")
_MODELS: Final = ("gen_ai.response.model", "gen_ai.request.model")
_NESTED: Final = 3
"""How often a text is taken for JSON."""


def _is_trace(source: Source) -> bool:
    is_export = isinstance(source.member("trace"), dict) and "observations" in as_dict(source.document)
    return is_export or isinstance(source.member("resourceSpans"), list)


def _read(source: Source, warn: Warn) -> list[Thread]:
    log = Log()
    for span in [*_spans(source), *_observations(source)]:
        history = _history(_decoded(span.get("input")))
        if history and history[0].get("role") == "tool":  # some record only what is new in a request
            history = [*log.latest(), *history]
        if history:
            answer = [{"role": "assistant", **each} for each in _history(_decoded(span.get("output")))]
            log.add(
                history, answer, tools=_decoded(span.get("tools")), counted=counted_input(span.get("usage")),
                model=span.get("model"),
            )  # fmt: skip
    return log.threads("openai-chat")


def _observations(source: Source) -> Iterator[Message]:
    """Yield what Langfuse observed; the trace as a whole only where none of it has contents."""
    trace = as_dict(source.member("trace"))
    observations = dicts(_decoded(source.member("observations"))) or dicts(trace.get("observations"))
    generations = [one for one in observations if one.get("type") == "GENERATION" and one.get("input")]
    for one in sorted(generations, key=lambda one: as_text(one.get("startTime"))):
        yield {**one, "usage": {"prompt_tokens": as_dict(one.get("usageDetails")).get("input")}}
    if not generations and trace:
        attributes = as_dict(as_dict(_decoded(trace.get("metadata"))).get("attributes"))
        yield {**trace, "tools": attributes.get("gen_ai.tool.definitions")}


def _spans(source: Source) -> Iterator[Message]:
    for resource in dicts(source.member("resourceSpans")):
        for scope in dicts(resource.get("scopeSpans")):
            for span in sorted(dicts(scope.get("spans")), key=lambda span: str(span.get("startTimeUnixNano"))):
                attributes = {as_text(one.get("key")): _value(one.get("value")) for one in dicts(span["attributes"])}
                yield {
                    "input": next((attributes[key] for key in _INPUTS if key in attributes), None),
                    "output": next((attributes[key] for key in _OUTPUTS if key in attributes), None),
                    "model": next((attributes[key] for key in _MODELS if key in attributes), None),
                    "tools": attributes.get("gen_ai.tool.definitions"),
                    "usage": {"prompt_tokens": attributes.get("gen_ai.usage.input_tokens")},
                }


def _value(value: Any) -> Any:
    """Return an attribute's value; OTLP writes whole numbers as text."""
    value = as_dict(value)
    if as_text(value.get("intValue")).isdecimal():
        return int(value["intValue"])
    return next(iter(value.values()), None)


def _decoded(value: Any) -> Any:
    for _ in range(_NESTED):
        if not isinstance(value, str):
            break
        try:
            value = json.loads(value)
        except (ValueError, RecursionError):
            break
    return value


def _history(value: Any) -> list[Message]:
    """Return the messages in what went in or came out: a list of them, an object that has them, or a bare text."""
    if isinstance(value, str):
        return [{"role": "user", "content": value}] if value else []
    if isinstance(value, list):
        return [message for one in dicts(value) for message in _chat(one)]
    value = as_dict(value)
    if found := as_list(value.get("messages")):
        return _history(found)
    if isinstance(prompt := value.get("prompt"), str):
        system = as_text(value.get("system"))
        return [{"role": "system", "content": system}] * bool(system) + [{"role": "user", "content": prompt}]
    if value:
        return [{"role": as_text(value.get("role")) or "user", "content": value.get("content") or json.dumps(value)}]
    return []


def _chat(message: Message) -> Iterator[Message]:
    """Yield a message as OpenAI's: each result is one of its own there."""
    if "parts" not in message:
        yield message
        return
    parts = dicts(message.get("parts"))
    calls = [_call(part) for part in parts if part.get("type") == "tool_call"]
    text = "\n".join(as_text(part.get("content")) for part in parts if part.get("type") == "text")
    if text or calls:
        said = {"role": as_text(message.get("role")) or "user", "content": text or None}
        yield {**said, "tool_calls": calls} if calls else said
    for part in parts:
        if part.get("type") == "tool_call_response":
            content = part.get("response", part.get("result"))
            text = content if isinstance(content, str) else json.dumps(content, ensure_ascii=False)
            yield {"role": "tool", "tool_call_id": as_text(part.get("id")), "content": text}


def _call(part: Message) -> Message:
    arguments = part.get("arguments")
    text = arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False)
    function = {"name": as_text(part.get("name")), "arguments": text}
    return {"id": as_text(part.get("id")), "type": "function", "function": function}


READER: Final = Reader("a trace of generative AI", _is_trace, _read)
