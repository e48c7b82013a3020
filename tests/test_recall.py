"""Bringing back what was cleared."""

from __future__ import annotations

from typing import Any

import pytest
from laws import LONG, fit

from longturn.formats.detect import FORMATS
from longturn.recall import RECALL_TOOL, recall

IMAGE = {"type": "image", "source": {"type": "url", "url": "u"}}


def chat(content: Any, call_id: str = "c1") -> list[Any]:
    call = {"id": call_id, "type": "function", "function": {"name": "read", "arguments": "{}"}}
    return [
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": call_id, "content": content},
    ]


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        (chat("12 lines")[1], "12 lines"),
        (chat([{"type": "text", "text": "12"}, {"type": "image_url", "image_url": {}}])[1], "12\n[image_url]"),
        (
            {
                "role": "user",
                "content": [
                    {"type": "tool_result", "tool_use_id": "c1", "content": [{"type": "text", "text": "12"}, IMAGE]}
                ],
            },
            "12\n[image]",
        ),
        (
            {
                "role": "user",
                "content": [
                    {
                        "type": "tool_result",
                        "tool_use_id": "c1",
                        "content": [
                            {
                                "type": "search_result",
                                "source": "s",
                                "title": "t",
                                "content": [{"type": "text", "text": "12"}],
                            }
                        ],
                    }
                ],
            },
            "12",
        ),
        ({"type": "function_call_output", "call_id": "c1", "output": [{"type": "input_text", "text": "12"}]}, "12"),
        (
            {
                "type": "shell_call_output",
                "call_id": "c1",
                "output": [{"stdout": "12", "stderr": ""}, {"stdout": "", "stderr": "13"}],
            },
            "12\n13",
        ),
        (
            {
                "role": "user",
                "parts": [{"functionResponse": {"id": "c1", "name": "read", "response": {"result": "12"}}}],
            },
            "12",
        ),
        (
            {
                "role": "user",
                "parts": [
                    {
                        "functionResponse": {
                            "id": "c1",
                            "name": "read",
                            "response": {"a": 1, "b": [2]},
                            "parts": [{"inlineData": {"data": "AA"}}],
                        }
                    }
                ],
            },
            '{"a":1,"b":[2]}\n[inlineData]',
        ),
        (
            {
                "role": "user",
                "content": [
                    {
                        "toolResult": {
                            "toolUseId": "c1",
                            "content": [
                                {"text": "12"},
                                {"json": {"a": 1}},
                                {"image": {"format": "png"}},
                                {"searchResult": {"content": [{"text": "13"}]}},
                            ],
                        }
                    }
                ],
            },
            '12\n{"a":1}\n[image]\n13',
        ),
        ({"type": "tool", "content": "12", "tool_call_id": "c1"}, "12"),
        (
            {"lc": 1, "type": "constructor", "id": ["ToolMessage"], "kwargs": {"content": "12", "tool_call_id": "c1"}},
            "12",
        ),
        (
            {
                "kind": "request",
                "parts": [
                    {"part_kind": "tool-return", "tool_name": "read", "tool_call_id": "c1", "content": {"lines": 12}}
                ],
            },
            '{"lines":12}',
        ),
        (
            {
                "kind": "request",
                "parts": [
                    {
                        "part_kind": "tool-return",
                        "tool_name": "read",
                        "tool_call_id": "c1",
                        "content": ["12", {"kind": "image-url", "url": "u"}],
                    }
                ],
            },
            "12\n[image-url]",
        ),
    ],
)
def test_returns_the_text_of_a_result_in_every_format(message: dict[str, Any], expected: str) -> None:
    """JSON values are written out, what is not text is named in brackets."""
    assert expected == recall([message], "c1")


@pytest.mark.parametrize(
    ("start", "length", "expected"),
    [(0, None, "Привет"), (2, None, "ивет"), (0, 3, "При"), (2, 2, "ив"), (9, 2, ""), (0, 0, "")],
)
def test_start_and_length_are_in_characters(start: int, length: int | None, expected: str) -> None:
    """A long result can be read in pieces."""
    assert expected == recall(chat("Привет"), "c1", start=start, length=length)


def test_the_newest_of_repeated_ids_is_meant() -> None:
    """Ids repeat in real histories."""
    assert "new" == recall([*chat("old"), *chat("new")], "c1")


def test_a_note_is_never_recalled() -> None:
    """In a view the result is gone; only the saved history has it."""
    history = [{"role": "user", "content": "Count."}, *chat(LONG), *chat(LONG, "c2"), *chat(LONG, "c3")]
    view = fit(history).messages
    assert LONG == recall(history, "c1")
    with pytest.raises(LookupError, match=r"no result of call 'c1' .*with one: c3, c2\)"):
        recall(view, "c1")


@pytest.mark.parametrize("limits", [{"start": -1}, {"length": -1}])
def test_negative_limits_are_refused(limits: dict[str, int]) -> None:
    """The error says what was given."""
    with pytest.raises(ValueError, match=r"must not be negative \(got start="):
        recall(chat("12"), "c1", **limits)


def test_a_call_without_a_result_names_those_with_one() -> None:
    """The model may have mistaken the id."""
    with pytest.raises(LookupError, match=r"no result of call 'c9' in this history \(newest calls with one: c2, c1\)"):
        recall([*chat("12"), *chat("13", "c2")], "c9")
    with pytest.raises(LookupError, match="none"):
        recall([], "c9")


def test_there_is_a_tool_definition_for_every_format() -> None:
    """Each has the name and the argument that ``recall`` takes."""
    assert set(FORMATS) == set(RECALL_TOOL)
    assert all("recall" in str(tool) and "call_id" in str(tool) for tool in RECALL_TOOL.values())
