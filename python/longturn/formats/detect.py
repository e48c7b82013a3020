"""Telling formats apart by the first message that leaves no doubt."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from longturn.formats.anthropic import Anthropic
from longturn.formats.base import Format, FormatError, blocks, get
from longturn.formats.openai_chat import OpenAIChat

FORMATS: Final[dict[str, Format]] = {
    format.name: format for format in (Anthropic(), OpenAIChat())
}
AUTO: Final = "auto"
UNDECIDED: Final = FORMATS["openai-chat"]
"""For plain texts, which read alike in several formats: the one whose note edits no message."""


def format_named(name: str) -> Format | None:
    """
    Return a format, or None for ``"auto"``.

    Raises:
        ValueError: there is no such format; names those there are.
    """
    if name == AUTO:
        return None
    if name not in FORMATS:
        raise ValueError(f"format must be one of {', '.join((AUTO, *FORMATS))} (got {name!r})")
    return FORMATS[name]


def detected(messages: Sequence[Any], start: int = 0) -> Format | None:
    """Return the format that the first telling message from ``start`` on shows, or None if none does."""
    for index in range(start, len(messages)):
        check(messages[index], index)
        if name := _evidence(messages[index]):
            return FORMATS[name]
    return None


def check(message: Any, index: int) -> None:
    """
    Refuse what no format knows as a message.

    Raises:
        FormatError: names the index, what was found and what was expected.
    """
    if isinstance(message, (str, bytes, int, float, list, tuple)) or message is None:
        raise FormatError(f"messages[{index}] is a {type(message).__name__}; {_EXPECTED}")
    if all(get(message, key) is None for key in ("role", "parts", "type", "kind", "lc")):
        raise FormatError(f"messages[{index}] has none of 'role', 'parts' and 'type'; {_EXPECTED}")


_EXPECTED: Final = (
    "expected a mapping or an object with a 'role' and 'content' (Anthropic, OpenAI, Bedrock), with 'parts' "
    "(Gemini, pydantic-ai), or with a 'type' (OpenAI Responses items, LangChain messages)"
)

_BLOCK_TYPES: Final = {
    "tool_use": "anthropic",
    "tool_result": "anthropic",
    "thinking": "anthropic",
    "redacted_thinking": "anthropic",
    "server_tool_use": "anthropic",
    "mcp_tool_use": "anthropic",
    "document": "anthropic",
    "image": "anthropic",
    "search_result": "anthropic",
    "container_upload": "anthropic",
    "compaction": "anthropic",
    "image_url": "openai-chat",
    "input_audio": "openai-chat",
    "file": "openai-chat",
    "refusal": "openai-chat",
}
"""Block types that only one format has."""


def _evidence(message: Any) -> str | None:
    role = get(message, "role")
    if role in ("tool", "function") or get(message, "tool_calls") or get(message, "function_call"):
        return "openai-chat"
    for block in blocks(get(message, "content")):
        if found := _BLOCK_TYPES.get(get(block, "type")):
            return found
    return None
