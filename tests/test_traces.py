"""Recorded histories of agents, at budgets far below their size: nothing is broken that was whole."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Iterator
from copy import deepcopy
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import longturn
from longturn import Policy, Window

FORMATS = {
    "anthropic": "anthropic",
    "openai-chat": "openai-chat",
    "openai-responses": "openai-responses",
    "gemini": "gemini",
    "bedrock-converse": "bedrock",
    "langchain": "langchain",
    "pydantic-ai-messages": "pydantic-ai",
}
"""Our names of the formats, by those of the recordings."""

POLICIES: dict[str, dict[str, Any]] = {
    "default": {},
    "literal": {"hold": False},
    "one by one": {"batch": 1, "small_result": 0},
    "inputs": {"clear_tool_inputs": True},
    "strip": {"thinking": "strip"},
    "strict": {"strict_roles": True},
}


def _traces() -> Iterator[Any]:
    folder = os.environ.get("LONGTURN_DATA")
    if not folder:
        return
    traces = Path(folder) / "traces"
    for entry in json.loads((traces / "manifest.json").read_text()):
        if entry["format"] in FORMATS:
            yield pytest.param(traces / entry["file"], entry["format"], id=entry["id"])


TRACES = list(_traces())
if not TRACES:
    pytest.skip("LONGTURN_DATA does not name a folder of recorded data", allow_module_level=True)


def _body(path: Path) -> tuple[dict[str, Any], str]:
    """Return a request body and where its history is; skip what is no history."""
    found = json.loads(path.read_text())
    if isinstance(found, list):
        found = {"messages": found}
    body = found.get("body") or found.get("values") or found
    key = next(key for key in ("messages", "input", "contents") if key in body)
    if not isinstance(body[key], list) or isinstance(body[key][0], list):
        pytest.skip("a bare text, or a stream of chunks")
    return body, key


def _chat_of_langchain(message: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield what LangChain sends of a message to Chat Completions, as far as pairing goes."""
    match message["type"]:
        case "tool":
            yield _chat_result(message)
        case "ai":
            yield _chat_calls([(call["id"], call["name"]) for call in message["tool_calls"]])
        case role:
            yield {"role": {"human": "user"}.get(role, role), "content": message["content"]}


def _chat_of_pydantic_ai(message: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield what pydantic-ai sends of a message to Chat Completions, as far as pairing goes."""
    parts = message["parts"]
    if message["kind"] == "response":
        yield _chat_calls([(p["tool_call_id"], p["tool_name"]) for p in parts if p["part_kind"] == "tool-call"])
        return
    yield from (_chat_result(part) for part in parts if part.get("tool_name"))
    yield from ({"role": "user", "content": part["content"]} for part in parts if not part.get("tool_name"))


def _chat_result(source: dict[str, Any]) -> dict[str, Any]:
    return {"role": "tool", "tool_call_id": source["tool_call_id"], "content": source["content"]}


def _chat_calls(calls: list[tuple[str, str]]) -> dict[str, Any]:
    made = [{"id": key, "type": "function", "function": {"name": name, "arguments": "{}"}} for key, name in calls]
    return {"role": "assistant", "content": "", **({"tool_calls": made} if made else {})}


CHAT_FORMS = {"langchain": _chat_of_langchain, "pydantic-ai-messages": _chat_of_pydantic_ai}


def _windows(total: int, format: str, policy: dict[str, Any]) -> Iterator[Window]:
    for share in (2, 4, 10, 50):
        yield Window(policy=Policy(budget=max(total // share, 100), **policy), format=format)


@pytest.mark.filterwarnings("ignore:a budget of")
@pytest.mark.parametrize("policy", POLICIES.values(), ids=POLICIES)
@pytest.mark.parametrize(("path", "format"), TRACES)
def test_no_history_is_made_worse(path: Path, format: str, policy: dict[str, Any], validator: ModuleType) -> None:
    """Valid stays valid ([V1], [V6]), at every budget; sizes are as estimated; a fitted view is at rest."""
    body, key = _body(path)
    history = body[key]
    before = deepcopy(history)

    def errors(messages: list[Any]) -> Counter[str]:
        if format in CHAT_FORMS:
            found = validator.errors("openai-chat", [chat for one in messages for chat in CHAT_FORMS[format](one)])
        else:
            found = validator.errors(format, {**body, key: messages})
        return Counter(issue.code for issue in found)

    for window in _windows(longturn.estimate(history), FORMATS[format], policy):
        fitted = window.fit(history)
        assert before == history, "[V5]"
        assert fitted.tokens == longturn.estimate(fitted.messages), "[F2]"
        assert fitted.tokens <= fitted.tokens_before, "[F1]"
        assert fitted.messages[-1] is history[-1], "[V3]"
        assert errors(fitted.messages) <= errors(history), "[V6]"
        again = Window(policy=window.policy, format=FORMATS[format]).fit(fitted.messages)
        assert fitted.messages == again.messages, "[H4]"


@pytest.mark.parametrize(("path", "format"), TRACES)
def test_the_format_is_told_by_the_messages(path: Path, format: str) -> None:
    """Plain texts alone tell nothing; they are fitted like Chat Completions."""
    body, key = _body(path)
    found = longturn.formats.detect.detected(body[key])
    assert found is None or found.name == FORMATS[format]
    if found is None:
        assert all(isinstance(message["content"], str) or _is_text(message["content"]) for message in body[key])


def _is_text(content: list[dict[str, Any]]) -> bool:
    return all(block["type"] == "text" for block in content)
