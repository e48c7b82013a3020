"""A cleared result, out of the saved history."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final

from longturn.formats.base import Format
from longturn.formats.detect import UNDECIDED, detected
from longturn.wording import is_cleared_note, phrases

_NAME: Final = "recall"


def recall(messages: Sequence[Any], call_id: str, *, start: int = 0, length: int | None = None) -> str:
    """
    Return the text of the newest result of a call, out of the saved history.

    ``start`` and ``length`` are in characters.  Blocks that are not text are named in brackets.

    Raises:
        LookupError: the history holds no result of this call; names the newest calls that have one.
        ValueError: ``start`` or ``length`` is negative.
    """
    if start < 0 or (length is not None and length < 0):
        raise ValueError(f"start and length must not be negative (got start={start}, length={length})")
    known: list[str] = []
    for found, format_, message, slot in _results(messages):
        if found != call_id:
            known.append(found)
        elif not is_cleared_note(text := format_.result_text(message, slot)):
            return text[start:] if length is None else text[start : start + length]
    newest = ", ".join(dict.fromkeys(known[:5])) or "none"
    raise LookupError(f"no result of call {call_id!r} in this history (newest calls with one: {newest})")


def _results(messages: Sequence[Any]) -> Iterator[tuple[str, Format, Any, int]]:
    """Yield the results of a history, the newest first: ids may repeat, and the newest is meant."""
    format_ = detected(messages) or UNDECIDED
    for message in reversed(messages):
        for result in reversed(format_.read(message).results):
            if result.id is not None:
                yield result.id, format_, message, result.slot


def _schema() -> dict[str, Any]:
    words = phrases("en")
    return {
        "type": "object",
        "properties": {
            "call_id": {"type": "string", "description": words.recall_call_id},
            "start": {"type": "integer", "description": words.recall_start},
            "length": {"type": "integer", "description": words.recall_length},
        },
        "required": ["call_id"],
    }


def _definitions() -> dict[str, Any]:
    text, schema = phrases("en").recall_tool, _schema()
    function = {"name": _NAME, "description": text, "parameters": schema}
    bedrock = {"toolSpec": {"name": _NAME, "description": text, "inputSchema": {"json": schema}}}
    return {
        "anthropic": {"name": _NAME, "description": text, "input_schema": schema},
        "openai-chat": {"type": "function", "function": function},
        "openai-responses": {"type": "function", **function},
        "gemini": {"functionDeclarations": [function]},
        "bedrock": bedrock,
        "langchain": {"type": "function", "function": function},
        "pydantic-ai": {"name": _NAME, "description": text, "parameters_json_schema": schema},
    }


RECALL_TOOL: Final[Mapping[str, Any]] = MappingProxyType(_definitions())
"""The tool definition for ``recall``, by format: ``tools=[..., RECALL_TOOL["anthropic"]]``."""
