"""Telling formats apart by the first message that leaves no doubt."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from longturn.formats.anthropic import Anthropic
from longturn.formats.base import Format, FormatError, blocks, get, name_of
from longturn.formats.bedrock import Bedrock
from longturn.formats.gemini import Gemini
from longturn.formats.langchain import LangChain
from longturn.formats.openai_chat import OpenAIChat
from longturn.formats.openai_responses import OpenAIResponses
from longturn.formats.pydantic_ai import PydanticAI

# Where a message shows the signs of two formats, the first one here is meant.
_ALL: Final[tuple[Format, ...]] = (
    LangChain(),
    PydanticAI(),
    OpenAIResponses(),
    OpenAIChat(),
    Gemini(),
    Anthropic(),
    Bedrock(),
)
FORMATS: Final[dict[str, Format]] = {format.name: format for format in _ALL}
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
        if (found := _told(messages[index])) is not None:
            return found
    return None


def check(message: Any, index: int) -> None:
    """
    Refuse what no format knows as a message.

    Raises:
        FormatError: names the index, what was found and what was expected.
    """
    if isinstance(message, dict) and "role" in message:
        return
    if isinstance(message, (str, bytes, int, float, list, tuple)) or message is None:
        raise FormatError(f"messages[{index}] is a {type(message).__name__}; {_EXPECTED}")
    if all(get(message, key) is None for key in ("role", "parts", "type", "kind", "lc")):
        raise FormatError(f"messages[{index}] has none of 'role', 'parts' and 'type'; {_EXPECTED}")


_EXPECTED: Final = (
    "expected a mapping or an object with a 'role' and 'content' (Anthropic, OpenAI, Bedrock), with 'parts' "
    "(Gemini, pydantic-ai), or with a 'type' (OpenAI Responses items, LangChain messages)"
)


def _told(message: Any) -> Format | None:
    """Return the format whose signs a message shows: itself first, then in its blocks."""
    for format in _ALL:
        if any(_shows(get(message, key), values) for key, values in format.signs.message.items()):
            return format
    for block in blocks(get(message, "content")):
        for format in _ALL:
            if _is_block_of(format, block):
                return format
    return None


def _shows(value: Any, values: frozenset[str] | None) -> bool:
    if values is None:
        return value is not None
    return isinstance(value, str) and value in values


def _is_block_of(format: Format, block: Any) -> bool:
    kind = name_of(block, "type")
    if kind is None:
        return any(get(block, key) is not None for key in format.signs.bare_blocks)
    return kind in format.signs.typed_blocks
