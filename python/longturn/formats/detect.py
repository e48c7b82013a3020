"""Telling formats apart by the first message that leaves no doubt."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from longturn.formats.anthropic import Anthropic
from longturn.formats.base import Format, FormatError, blocks, get, name_of
from longturn.formats.bedrock import Bedrock
from longturn.formats.gemini import Gemini
from longturn.formats.langchain import LangChain
from longturn.formats.openai_chat import OpenAIChat
from longturn.formats.openai_responses import OpenAIResponses
from longturn.formats.pydantic_ai import PydanticAI
from longturn.tokens.walker import is_item, walker

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
        if (found := _told(messages[index])) is not None:
            return found
    return None


def check(messages: Sequence[Any], start: int = 0) -> None:
    """
    Refuse what no format knows as a history; ``messages[:start]`` is known to be one.

    Items of types unknown today pass where they stand among messages.

    Raises:
        FormatError: names the index, what was found and what was expected.
    """
    for index in range(start, len(messages)):
        if not (type(messages[index]) is dict and "role" in messages[index]) and not is_item(messages[index]):
            raise FormatError(f"messages[{index}] is {_described(messages[index])}; {_EXPECTED}")
    if start == 0 and not any(map(walker.is_message, messages)):
        raise FormatError(f"messages[0] is {_described(messages[0])}, and no other is a message; {_EXPECTED}")


def _described(message: Any) -> str:
    if (kind := get(message, "type")) is not None:
        return f"an item of type {kind!r}"
    if isinstance(message, Mapping):
        return f"a mapping with the keys {', '.join(map(repr, list(message)[:5])) or 'of none'}"
    return f"a {type(message).__name__}"


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
