"""Values that no provider documents: a history that is refused by its provider is fitted all the same ([V6])."""

from __future__ import annotations

from collections.abc import Iterator
from copy import deepcopy
from typing import Any

import pytest
from laws import LONG, fit

from longturn.formats.detect import FORMATS
from longturn.tokens.walker import walker

ODD = (None, "", "odd", 0, True, [], {}, [None], ["odd"], [{"type": []}], {"role": []}, {"text": 1})

MESSAGES: dict[str, list[dict[str, Any]]] = {
    "anthropic": [
        {"role": "user", "content": [{"type": "text", "text": "Count."}]},
        {"role": "assistant", "content": [{"type": "tool_use", "id": "c", "name": "read", "input": {"path": LONG}}]},
        {
            "role": "user",
            "content": [{"type": "tool_result", "tool_use_id": "c", "content": [{"type": "text", "text": LONG}]}],
        },
    ],
    "openai-chat": [
        {"role": "user", "content": "Count."},
        {"role": "assistant", "tool_calls": [{"id": "c", "function": {"name": "read", "arguments": {"path": LONG}}}]},
        {"role": "tool", "tool_call_id": "c", "content": LONG},
        {"role": "assistant", "tool_calls": [{"id": "c", "custom": {"name": "read", "input": LONG}}]},
        {"role": "assistant", "function_call": {"name": "read", "arguments": LONG}},
        {"role": "function", "name": "read", "content": LONG},
    ],
    "openai-responses": [
        {"role": "user", "content": [{"type": "input_text", "text": "Count."}]},
        {"type": "function_call", "call_id": "c", "name": "read", "arguments": LONG},
        {"type": "function_call_output", "call_id": "c", "output": LONG},
        {"type": "shell_call", "call_id": "d", "action": {"commands": [LONG]}},
        {"type": "shell_call_output", "call_id": "d", "output": [{"stdout": LONG, "stderr": "", "outcome": {}}]},
    ],
    "gemini": [
        {"role": "user", "parts": [{"text": "Count."}]},
        {"role": "model", "parts": [{"functionCall": {"name": "read", "args": {"path": LONG}}}]},
        {"role": "user", "parts": [{"functionResponse": {"name": "read", "response": {"result": LONG}}}]},
    ],
    "bedrock": [
        {"role": "user", "content": [{"text": "Count."}]},
        {"role": "assistant", "content": [{"toolUse": {"toolUseId": "c", "name": "read", "input": {"path": LONG}}}]},
        {"role": "user", "content": [{"toolResult": {"toolUseId": "c", "content": [{"text": LONG}]}}]},
    ],
    "langchain": [
        {"type": "human", "content": "Count."},
        {"type": "ai", "content": [{"type": "tool_use", "id": "c", "name": "read", "input": {"path": LONG}}]},
        {"type": "tool", "content": LONG, "tool_call_id": "c"},
        {
            "lc": 1,
            "type": "constructor",
            "id": ["AIMessage"],
            "kwargs": {"tool_calls": [{"id": "c", "args": {"path": LONG}}]},
        },
        {"lc": 1, "type": "constructor", "id": ["ToolMessage"], "kwargs": {"content": LONG, "tool_call_id": "c"}},
    ],
    "pydantic-ai": [
        {"kind": "request", "parts": [{"part_kind": "user-prompt", "content": "Count."}]},
        {
            "kind": "response",
            "parts": [{"part_kind": "tool-call", "tool_name": "read", "args": {"path": LONG}, "tool_call_id": "c"}],
        },
        {
            "kind": "request",
            "parts": [{"part_kind": "tool-return", "tool_name": "read", "content": LONG, "tool_call_id": "c"}],
        },
    ],
}


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Yield the paths to everything inside ``value``."""
    members = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, member in members:
        yield (*path, key)
        yield from places(member, (*path, key))


def with_value(message: dict[str, Any], path: tuple[Any, ...], value: Any) -> dict[str, Any]:
    """Return a copy with another value at ``path``."""
    changed = holder = deepcopy(message)
    for key in path[:-1]:
        holder = holder[key]
    holder[path[-1]] = deepcopy(value)
    return changed


@pytest.mark.parametrize("format", MESSAGES)
def test_V6_odd_values_are_carried_along(format: str) -> None:
    """Whatever stands in whatever place, the view adds up and the history is not touched."""
    assert MESSAGES.keys() == FORMATS.keys()
    whole = MESSAGES[format]
    for number, message in enumerate(whole):
        for path in places(message):
            for odd in ODD:
                changed = with_value(message, path, odd)
                history = [*whole[:number], changed, *whole[number + 1 :], *deepcopy(whole[1:]), *deepcopy(whole[1:])]
                if walker.is_message(changed):
                    fit(history, 1_000, format=format, clear_tool_inputs=True, thinking="strip")
