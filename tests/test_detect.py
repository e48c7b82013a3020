"""Telling formats apart."""

from __future__ import annotations

from typing import Any

import pytest
from laws import Model

from longturn import Window
from longturn.formats.base import FormatError
from longturn.formats.detect import FORMATS, UNDECIDED, detected, format_named

TELLING: dict[str, list[Any]] = {
    "anthropic": [
        {"role": "assistant", "content": [{"type": "tool_use", "id": "c", "name": "read", "input": {}}]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "c"}]},
        {"role": "user", "content": [{"type": "image", "source": {"type": "url", "url": "u"}}]},
        {"role": "assistant", "content": [Model(type="thinking", thinking="Hm.", signature="s")]},
        Model(role="assistant", type="message", content=[Model(type="tool_use", id="c", name="read", input={})]),
    ],
    "openai-chat": [
        {"role": "tool", "tool_call_id": "c", "content": "12"},
        {"role": "assistant", "content": None, "tool_calls": [{"id": "c"}]},
        {"role": "assistant", "content": [{"type": "thinking", "thinking": []}], "tool_calls": []},
        {"role": "user", "content": [{"type": "image_url", "image_url": {"url": "u"}}]},
        {"role": "function", "name": "read", "content": "12"},
    ],
    "openai-responses": [
        {"type": "function_call", "call_id": "c", "name": "read", "arguments": "{}"},
        {"type": "reasoning", "summary": []},
        {"role": "user", "content": [{"type": "input_text", "text": "Hi."}]},
        {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Hi."}]},
        {"type": "compaction", "encrypted_content": "e"},
        Model(type="web_search_call", id="ws"),
    ],
    "gemini": [
        {"role": "user", "parts": [{"text": "Hi."}]},
        {"parts": [{"text": "Hi."}]},
        {"role": "model", "parts": [{"functionCall": {"name": "read"}}]},
        Model(role="user", parts=[Model(text="Hi.")]),
    ],
    "bedrock": [
        {"role": "user", "content": [{"text": "Hi."}]},
        {"role": "assistant", "content": [{"toolUse": {"toolUseId": "c", "name": "read", "input": {}}}]},
        {"role": "user", "content": [{"document": {"format": "pdf", "name": "a", "source": {}}}]},
    ],
    "langchain": [
        {"type": "human", "content": "Hi."},
        {"type": "ai", "content": "", "tool_calls": [{"name": "read", "args": {}, "id": "c"}]},
        {"type": "tool", "content": "12", "tool_call_id": "c"},
        {"type": "AIMessageChunk", "content": "Hi."},
        {
            "lc": 1,
            "type": "constructor",
            "id": ["langchain_core", "messages", "HumanMessage"],
            "kwargs": {"content": ""},
        },
        Model(type="system", content="Be brief."),
    ],
    "pydantic-ai": [
        {"kind": "request", "parts": [{"part_kind": "user-prompt", "content": "Hi."}]},
        {"kind": "response", "parts": []},
        Model(kind="request", parts=[]),
    ],
}

PLAIN = [
    {"role": "system", "content": "Be brief."},
    {"role": "user", "content": "Hi."},
    {"role": "assistant", "content": [{"type": "text", "text": "Hi."}]},
]


@pytest.mark.parametrize(
    ("name", "message"), [(name, message) for name, messages in TELLING.items() for message in messages]
)
def test_the_first_telling_message_decides(name: str, message: Any) -> None:
    """Plain texts before it read alike in several formats."""
    assert detected([*PLAIN, message]) is FORMATS[name]


def test_every_format_is_told() -> None:
    """The table above knows all names that a window takes."""
    assert set(TELLING) == set(FORMATS)


def test_plain_texts_stay_undecided() -> None:
    """The format whose note edits no message stands in for them until one tells."""
    assert detected(PLAIN) is None
    assert UNDECIDED is FORMATS["openai-chat"]


@pytest.mark.parametrize(
    ("message", "reason"),
    [
        ("Hi.", r"messages\[2\] is a str; expected .*'role'"),
        (None, r"messages\[2\] is a NoneType; expected .*'parts'"),
        (["user", "Hi."], r"messages\[2\] is a list; expected .*'type'"),
        ({"text": "Hi."}, r"messages\[2\] is a mapping with the keys 'text'; expected a mapping .*'type'"),
        (Model(), r"messages\[2\] is a Model; expected a mapping or an object"),
    ],
)
def test_what_no_format_knows_is_refused(message: Any, reason: str) -> None:
    """The error names the index, what was found and what was expected, and is a ValueError."""
    with pytest.raises(FormatError, match=reason) as caught:
        Window(1_000).fit([*PLAIN[:2], message])
    assert isinstance(caught.value, ValueError)


def test_an_unknown_name_is_refused() -> None:
    """The error names those there are."""
    with pytest.raises(ValueError, match=r"format must be one of auto, .*openai-chat.* \(got 'cohere'\)"):
        Window(1_000, format="cohere")
    assert format_named("auto") is None
