"""Recorded runs that say what the provider counted: their histories, and the count of each request."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from longturn.tokens.usage import input_tokens

Message = dict[str, Any]


@dataclass
class Run:
    """One run; ``system`` and ``tools`` where the record has them."""

    messages: list[Message] = field(default_factory=list)
    counts: list[tuple[int, int]] = field(default_factory=list)  # messages sent, and what the provider counted
    system: Any = None
    tools: Any = None

    def count(self, tokens: int | None) -> None:
        """Note the count of the request that all messages so far were, once."""
        if tokens and (not self.counts or self.counts[-1][0] < len(self.messages)):
            self.counts.append((len(self.messages), tokens))


def _lines(path: Path) -> Iterator[Message]:
    values = map(json.loads, filter(str.strip, path.read_text(encoding="utf-8").splitlines()))
    yield from (value for value in values if isinstance(value, dict))


def claude_code(path: Path) -> Run:
    """Blocks of one answer stand on lines of their own, each with the usage of the whole; sub-agents are left out."""
    run, answer = Run(), None
    for line in _lines(path):
        message = line.get("message")
        if line.get("type") not in ("user", "assistant") or line.get("isSidechain") or not isinstance(message, dict):
            continue
        if line["type"] == "user" and line.get("isMeta") and not message.get("content"):
            continue
        if line["type"] == "assistant" and message.get("id") == answer:
            run.messages[-1]["content"].extend(message["content"])
            continue
        answer = message.get("id") if line["type"] == "assistant" else None
        if answer is not None:
            run.count(input_tokens(message["usage"]) if message.get("usage") else None)
        content = message.get("content", "")
        run.messages.append({"role": line["type"], "content": list(content) if isinstance(content, list) else content})
    return run


MADE_BY_MODEL = ("reasoning", "function_call", "custom_tool_call", "local_shell_call", "web_search_call")


def codex(path: Path) -> Run:
    """Counts stand before or among the items of the answer that they belong to."""
    run = Run()
    for line in _lines(path):
        item = line.get("payload", {})
        if line["type"] == "response_item":
            run.messages.append(item)
        elif item.get("type") == "token_count" and item.get("info"):
            end = len(run.messages)
            while end and (
                run.messages[end - 1]["type"] in MADE_BY_MODEL or run.messages[end - 1].get("role") == "assistant"
            ):
                end -= 1
            tokens = item["info"]["last_token_usage"]["input_tokens"]
            if tokens and end and (not run.counts or run.counts[-1][0] < end):
                run.counts.append((end, tokens))
    return run


def pydantic_ai(path: Path) -> Run:
    """Each answer holds its usage; instructions stand with the requests, and the last ones are sent."""
    run = Run()
    for message in json.loads(path.read_text(encoding="utf-8")):
        if message["kind"] == "response":
            run.count(input_tokens(message["usage"]))
        run.messages.append(message)
        run.system = message.get("instructions") or run.system
    return run


def openhands(path: Path) -> Run:
    """Events of actions carry the answer they were made from; observations are its results."""
    run, answer = Run(), None
    found = json.loads(path.read_text(encoding="utf-8"))
    for event in found["history"] if isinstance(found, dict) else ():
        made = event.get("tool_call_metadata")
        if event.get("action") == "system":
            run.system, run.tools = event["args"]["content"], event["args"]["tools"]
        elif event.get("source") == "user" and event.get("action") == "message":
            run.messages.append({"role": "user", "content": event["args"]["content"]})
        elif made and "action" in event and made["model_response"]["id"] != answer:
            answer = made["model_response"]["id"]
            run.count(input_tokens(made["model_response"]))
            run.messages.append(made["model_response"]["choices"][0]["message"])
        elif made and "observation" in event:
            result = {"role": "tool", "tool_call_id": made["tool_call_id"], "content": event["content"]}
            run.messages.append(result)
    return run


READERS = {
    ("claude-code-jsonl", ".jsonl"): claude_code,
    ("codex-rollout", ".jsonl"): codex,
    ("pydantic-ai-messages", ".json"): pydantic_ai,
    ("openhands-v0-events", ".json"): openhands,
}
STAND_INS = ('"model_provider_id":"mock"',)
"""Signs of records whose provider was a stand-in: its counts are nobody's."""


def recorded(traces: Path) -> Iterator[tuple[str, Run]]:
    """Yield the runs with at least five counts that a provider has made."""
    for entry in json.loads((traces / "manifest.json").read_text(encoding="utf-8")):
        path = traces / entry["file"]
        read = READERS.get((entry["format"], path.suffix))
        if read is None or any(sign in path.read_text(encoding="utf-8") for sign in STAND_INS):
            continue
        run = read(path)
        if len(run.counts) >= 5:
            yield entry["id"], run
