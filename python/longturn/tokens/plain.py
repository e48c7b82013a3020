"""Objects of SDKs and frameworks as the built-in values their JSON is made of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass
from enum import Enum
from typing import Any, Final


def plain(value: object) -> Any:
    """
    Return a built-in value that stands for ``value`` in JSON, one level deep at least.

    Raises:
        TypeError: ``value`` has no JSON form that anybody would send.
    """
    if isinstance(value, Enum):
        return value.value
    if hasattr(value, "model_dump") and not isinstance(value, type):
        return _as_sent(_dumped(value))
    if hasattr(value, "to_dict") and _says_what_it_is(value):
        return value.to_dict()
    if is_dataclass(value) and not isinstance(value, type):
        return {field.name: getattr(value, field.name) for field in fields(value)}
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, (bytearray, memoryview)):
        return bytes(value)
    if isinstance(value, Sequence):
        return list(value)
    if (text := _printed(value)) is not None:
        return text
    raise TypeError(type(value).__name__)


def _printed(value: object) -> str | None:
    """Return a value of a kind that serialisers print as text; imported here, because hardly any ever comes."""
    from datetime import date, time
    from decimal import Decimal
    from pathlib import PurePath
    from uuid import UUID

    if isinstance(value, (date, time)):
        return value.isoformat()
    return str(value) if isinstance(value, (UUID, Decimal, PurePath)) else None


def _dumped(value: Any) -> Any:
    """Return pydantic's JSON form, or what it is made of: bytes may have none, look-alikes take no arguments."""
    try:
        return value.model_dump(mode="json", warnings=False)
    except (TypeError, ValueError):
        return value.model_dump()


def _says_what_it_is(value: Any) -> bool:
    """Tell messages and blocks from other things that can be made dictionaries, data frames for one."""
    names = (getattr(value, name, None) for name in ("role", "type"))
    return not isinstance(value, type) and any(isinstance(name, (str, Enum)) for name in names)


# ---------------------------------------------------------------------- messages that are not in their provider's words

_AUTOGEN_TYPES: Final = ("UserMessage", "AssistantMessage")
_AGNO_MEDIA: Final = {"images": "image", "audio": "audio", "videos": "video", "files": "document"}


def _as_sent(dumped: Any) -> Any:
    """Return a message in the words that providers use, where its framework has words of its own."""
    if not isinstance(dumped, dict):
        return dumped
    if "blocks" in dumped and "additional_kwargs" in dumped:
        return _llama_index(dumped)
    if "add_to_agent_memory" in dumped:
        return _agno(dumped)
    return _autogen(dumped) if dumped.get("type") in _AUTOGEN_TYPES else dumped


def _llama_index(dumped: dict[str, Any]) -> dict[str, Any]:
    """Return blocks with their type, and the calls that older integrations keep apart."""
    blocks = [{"type": block.get("block_type"), **block} for block in dumped["blocks"]]
    return {**dumped, "blocks": None, "content": blocks, "tool_calls": dumped["additional_kwargs"].get("tool_calls")}


def _agno(dumped: dict[str, Any]) -> dict[str, Any]:
    """Return media as blocks of the content."""
    media = [
        {"type": kind, "data": one.get("content"), **{name: one.get(name) for name in ("url", "mime_type", "detail")}}
        for key, kind in _AGNO_MEDIA.items()
        for one in _listed(dumped.get(key))
    ]
    return {**dumped, **dict.fromkeys(_AGNO_MEDIA), "content": [dumped.get("content"), *media]}


def _autogen(dumped: dict[str, Any]) -> dict[str, Any]:
    """Return images with their type, and the model's thought as text: Gemini's is a flag."""
    content = dumped.get("content")
    if isinstance(content, list):
        content = [{"type": "image", **part} if isinstance(part, dict) and "data" in part else part for part in content]
    return {**dumped, "content": content, "thought": None, "reasoning_content": dumped.get("thought")}


def _listed(found: Any) -> list[Any]:
    return found if isinstance(found, list) else []
