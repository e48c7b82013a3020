"""Request bodies of all providers."""

from __future__ import annotations

from typing import Any

import pytest
from laws import Model

import longturn
from longturn import Window
from longturn.requests import Parts, take_apart

USER = {"role": "user", "content": "Hi."}
CONTENT = {"role": "user", "parts": [{"text": "Hi."}]}
BLOCK = {"role": "user", "content": [{"text": "Hi."}]}
TOOL = {"name": "read", "description": "Reads."}


def read(path: str) -> str:
    """Read a file."""
    return path


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (
            {"model": "m", "system": "S", "tools": [TOOL], "messages": [USER], "container": "c"},
            Parts("messages", [USER], "S", [TOOL], False),
        ),
        ({"messages": [USER], "functions": [TOOL]}, Parts("messages", [USER], None, [TOOL], False)),
        ({"input": [USER], "instructions": "S", "tools": [TOOL]}, Parts("input", [USER], "S", [TOOL], False)),
        ({"input": "Hi."}, Parts("input", "Hi.", None, None, False)),
        (
            {"contents": [CONTENT], "systemInstruction": CONTENT, "tools": [{"functionDeclarations": [TOOL]}]},
            Parts("contents", [CONTENT], CONTENT, [{"functionDeclarations": [TOOL]}], False),
        ),
        (
            {"contents": [CONTENT], "config": {"system_instruction": "S", "tools": [TOOL]}},
            Parts("contents", [CONTENT], "S", [TOOL], False),
        ),
        (
            {"contents": [CONTENT], "config": Model(system_instruction="S", tools=[read])},
            Parts("contents", [CONTENT], "S", [{"name": "read", "description": "Read a file."}], False),
        ),
        (
            {"messages": [BLOCK], "system": [{"text": "S"}], "toolConfig": {"tools": [{"toolSpec": TOOL}]}},
            Parts("messages", [BLOCK], [{"text": "S"}], [{"toolSpec": TOOL}], False),
        ),
        ({"input": [USER], "conversation": {"id": "conv_1"}}, Parts("input", [USER], None, None, True)),
        ({"messages": [USER], "conversation": None}, Parts("messages", [USER], None, None, False)),
        (
            {"contents": [CONTENT], "config": {"cached_content": "cachedContents/1"}},
            Parts("contents", [CONTENT], None, None, True),
        ),
    ],
)
def test_finds_history_system_prompt_and_tools(body: dict[str, Any], expected: Parts) -> None:
    """Each provider keeps them elsewhere."""
    assert expected == take_apart(body)


@pytest.mark.parametrize(
    ("body", "error", "reason"),
    [
        ([USER], TypeError, r"body must be a mapping \(got list\); a bare list of messages goes to fit\(\)"),
        ({"prompt": "Hi."}, ValueError, r"body must have one of messages, input, contents \(its keys: prompt\)"),
    ],
)
def test_what_is_no_request_is_refused(body: Any, error: type[Exception], reason: str) -> None:
    """The error says what was found and what is needed."""
    with pytest.raises(error, match=reason):
        take_apart(body)


def test_a_fitted_request_is_a_new_body_with_everything_else_as_it_was() -> None:
    """Only the history under its own key is another list."""
    body = {"model": "m", "contents": [CONTENT], "generationConfig": {"temperature": 0}}
    fitted = Window(1_000).fit_request(body)
    assert fitted.request == body
    assert fitted.request is not body
    assert fitted.request["contents"][0] is CONTENT
    assert fitted.tokens == longturn.estimate(body["contents"])


@pytest.mark.parametrize(
    ("body", "tokens"),
    [
        ({"input": "Hi there."}, 3),
        ({"previous_response_id": "resp_1"}, 0),
        ({"previous_response_id": "resp_1", "input": "Hi there."}, 3),
        ({"cachedContent": "c", "contents": ["Hi there."]}, 3),
    ],
)
@pytest.mark.filterwarnings("ignore:this request continues a history")
def test_V8_what_cannot_be_fitted_passes_through(body: dict[str, Any], tokens: int) -> None:
    """A bare text is no history, and one held by the provider can't be seen; what is sent counts."""
    fitted = Window(1_000).fit_request(body)
    assert (body, tokens) == (fitted.request, fitted.tokens)
