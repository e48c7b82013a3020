"""Request bodies: where each provider's API keeps history, system prompt and tools."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

_HISTORY_KEYS: Final = ("messages", "input", "contents")
_SYSTEM_KEYS: Final = ("system", "instructions", "systemInstruction", "system_instruction")
_SERVER_KEYS: Final = ("previous_response_id", "conversation", "thread_id", "previous_interaction_id", "cachedContent")

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
    key = next((key for key in _HISTORY_KEYS if body.get(key) is not None), None)
    if key is None:
        raise ValueError(f"body must have one of {', '.join(_HISTORY_KEYS)} (its keys: {', '.join(map(str, body))})")
    return Parts(key, body[key], _system(body), _tools(body), any(body.get(name) for name in _SERVER_KEYS))


def _system(body: Mapping[str, Any]) -> Any:
    found = next((body[key] for key in _SYSTEM_KEYS if body.get(key)), None)
    config = body.get("config")  # the google-genai SDK keeps both under `config`
    return config.get("system_instruction") if found is None and isinstance(config, Mapping) else found


def _tools(body: Mapping[str, Any]) -> Any:
    for holder, key in ((body, "tools"), (body.get("toolConfig"), "tools"), (body.get("config"), "tools")):
        if isinstance(holder, Mapping) and holder.get(key):
            return holder[key]
    return body.get("functions")
