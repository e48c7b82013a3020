"""
Putting a text into a system prompt: once, at its end, in whatever form the prompt has.

Where the text is already in the prompt, the very same object comes back; nothing that was given is changed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import takewhile
from typing import Any, Final

from longturn.formats.base import blocks, get, name_of, replaced

_ROLES: Final = ("system", "developer")


def is_instructed(system: Any, text: str) -> bool:
    """Tell whether a system prompt, a text, a block, a message or a list of them, holds ``text``."""
    if system is None or isinstance(system, str):
        return text in (system or "")
    if isinstance(system, (list, tuple)):
        return any(is_instructed(one, text) for one in system)
    return any(is_instructed(get(system, name), text) for name in ("text", "parts", "content"))


def instructed(system: Any, text: str, *, new: Any = None) -> Any:
    """
    Return a system prompt with ``text`` at its end.

    A text gets a paragraph more, a list of blocks a block more, what holds ``parts`` a part more.  Blocks that
    are there stay as they are, cache marks included.  ``new`` is the prompt where there is none; None: the text.
    """
    if not system:
        return text if new is None else new
    if is_instructed(system, text):
        return system
    if isinstance(system, str):
        return f"{system}\n\n{text}"
    if isinstance(system, (list, tuple)):
        return [*system, _block_like(system[-1], text)]
    if get(system, "parts"):
        return replaced(system, parts=instructed(get(system, "parts"), text))
    return [system, _block_like(system, text)]


def instructed_messages(messages: Sequence[Any], text: str) -> list[Any]:
    """
    Return messages of OpenAI's with ``text`` at the end of the system or developer message they begin with.

    Of several, the last one takes it; where there is none, a system message of its own goes first.
    """
    leading = leading_system(messages)
    if is_instructed(leading, text):
        return list(messages)
    if not leading:
        return [{"role": "system", "content": text}, *messages]
    content = instructed(get(leading[-1], "content"), text)
    return [*leading[:-1], replaced(leading[-1], content=content), *messages[len(leading) :]]


def leading_system(messages: Any) -> list[Any]:
    """Return the system and developer messages that a history begins with."""
    return list(takewhile(lambda message: name_of(message, "role") in _ROLES, blocks(messages)))


def instructed_request(body: Mapping[str, Any], text: str, format: str) -> dict[str, Any]:
    """Return a whole request body of a provider's format with ``text`` in its system prompt."""
    return {**body, **_PLACES[format](body, text)}


def _anthropic(body: Mapping[str, Any], text: str) -> dict[str, Any]:
    return {"system": instructed(body.get("system"), text)}


def _bedrock(body: Mapping[str, Any], text: str) -> dict[str, Any]:
    return {"system": instructed(body.get("system"), text, new=[{"text": text}])}


def _openai_chat(body: Mapping[str, Any], text: str) -> dict[str, Any]:
    return {"messages": instructed_messages(body["messages"], text)}


def _openai_responses(body: Mapping[str, Any], text: str) -> dict[str, Any]:
    """System messages among the items are where the prompt is, unless there are instructions."""
    items = blocks(body.get("input"))
    if not body.get("instructions") and leading_system(items):
        return {"input": instructed_messages(items, text)}
    return {"instructions": instructed(body.get("instructions"), text)}


def _gemini(body: Mapping[str, Any], text: str) -> dict[str, Any]:
    key = "system_instruction" if "system_instruction" in body else "systemInstruction"
    return {key: instructed(body.get(key), text, new={"parts": [{"text": text}]})}


_PLACES: Final[Mapping[str, Callable[[Mapping[str, Any], str], dict[str, Any]]]] = {
    "anthropic": _anthropic,
    "bedrock": _bedrock,
    "gemini": _gemini,
    "openai-chat": _openai_chat,
    "openai-responses": _openai_responses,
}


def _block_like(block: Any, text: str) -> Any:
    """Return a text block of the kind of another one, without what marks or annotates that one."""
    if isinstance(block, str):
        return text
    if not isinstance(block, Mapping):
        return type(block)(text=text) if hasattr(block, "text") else text
    kind = block.get("type")
    return {"text": text} if kind is None else {"type": kind if "text" in kind else "text", "text": text}
