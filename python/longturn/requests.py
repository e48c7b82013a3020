"""Request bodies: where each provider's API keeps history, system prompt and tools."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from longturn.formats.base import get

_HISTORY_KEYS: Final = ("messages", "input", "contents")
_SYSTEM_KEYS: Final = ("system", "instructions", "systemInstruction", "system_instruction")
_TOOL_KEYS: Final = ("tools", "functions")
_HOLDERS: Final = ("config", "toolConfig")  # google-genai and Bedrock keep members one level down
_SERVER_KEYS: Final = (
    "previous_response_id",
    "conversation",
    "thread",
    "thread_id",
    "previous_interaction_id",
    "cachedContent",
    "cached_content",
)

HELD_BY_SERVER: Final = (
    "this request continues a history that the provider keeps; longturn can't see it and passes the request "
    "through (send the whole history yourself, or use the provider's own truncation)"
)


@dataclass(frozen=True, slots=True)
class Parts:
    """A request body taken apart."""

    key: str
    """Where the history is."""
    messages: Any
    """The history; empty where the provider holds all of it."""
    system: Any
    tools: Any
    is_held_by_server: bool


def take_apart(body: Mapping[str, Any]) -> Parts:
    """
    Return the parts of a request body.

    Raises:
        TypeError: ``body`` is no mapping.
        ValueError: it has no history.
    """
    if not isinstance(body, Mapping):
        raise TypeError(f"body must be a mapping (got {type(body).__name__}); a bare list of messages goes to fit()")
    is_held = next(_found(body, _SERVER_KEYS), None) is not None
    key = next((key for key in _HISTORY_KEYS if body.get(key) is not None), None)
    if key is None and not is_held:
        raise ValueError(f"body must have one of {', '.join(_HISTORY_KEYS)} (its keys: {', '.join(map(str, body))})")
    return Parts(
        key=key or _HISTORY_KEYS[0],
        messages=[] if key is None else body[key],
        system=next(_found(body, _SYSTEM_KEYS), None),
        tools=_declared(next(_found(body, _TOOL_KEYS), None)),
        is_held_by_server=is_held,
    )


def _found(body: Mapping[str, Any], keys: tuple[str, ...]) -> Iterator[Any]:
    """Yield what is under the keys, in the body first, then in what holds some of its members."""
    for holder in (body, *(get(body, name) for name in _HOLDERS)):
        for key in keys:
            if value := get(holder, key):
                yield value


def _declared(tools: Any) -> Any:
    """Return tool definitions, with functions as their SDK will declare them: by name and docstring."""
    if not isinstance(tools, (list, tuple)):
        return tools
    return [_declaration(tool) if hasattr(tool, "__code__") else tool for tool in tools]


def _declaration(function: Any) -> dict[str, str]:
    return {"name": function.__name__, "description": function.__doc__ or ""}
