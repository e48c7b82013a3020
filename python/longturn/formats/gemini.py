"""
Gemini generateContent: calls and results are parts, mostly without ids; REST and SDK spell keys differently.

A call part may carry a signature over itself, so calls are never edited.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from longturn.fitting.outline import Call, Facts, Kind, Result
from longturn.formats.base import (
    REPLY_FACTS,
    SYSTEM_FACTS,
    Edit,
    Signs,
    blocks,
    compact,
    get,
    is_cleared,
    model_facts,
    name_of,
    replaced,
    text_of,
    user_facts,
    with_blocks,
    without,
)

_CALL: Final = ("functionCall", "function_call")
_RESPONSE: Final = ("functionResponse", "function_response")
_MEDIA: Final = ("inlineData", "inline_data", "fileData", "file_data")
_TEXT_KEYS: Final = ("output", "result", "content", "return_value", "error")
"""Where frameworks put a result's text; the first is Google's own name."""


class Gemini:
    """Contents of ``generate_content(contents=...)``, as REST or SDK dicts or as the SDK's objects."""

    name = "gemini"
    signs = Signs(message={"parts": None, "role": frozenset(("model",))})
    note_is_message = False
    binds_thinking = False

    def read(self, message: Any) -> Facts:
        role, parts = name_of(message, "role"), blocks(get(message, "parts"))
        calls = [Call(name_of(use, "id"), name_of(use, "name"), slot) for slot, _, use in _members(parts, _CALL)]
        if role == "model" or calls:
            return model_facts(calls)
        if results := tuple(_result(slot, response) for slot, _, response in _members(parts, _RESPONSE)):
            return Facts(Kind.REPLY, results=results)
        if role in ("user", None):
            return user_facts(parts)
        return SYSTEM_FACTS if role == "system" else REPLY_FACTS

    def with_results(self, message: Any, edits: Sequence[Edit]) -> Any:
        parts = get(message, "parts")
        notes = {edit.slot: edit.text for edit in edits}
        changed = {
            slot: replaced(parts[slot], **{key: _cleared(response, notes[slot])})
            for slot, key, response in _members(parts, _RESPONSE)
            if slot in notes
        }
        return replaced(message, parts=with_blocks(parts, changed))

    def with_inputs(self, message: Any, edits: Sequence[Edit]) -> Any:
        return message

    def without_thinking(self, message: Any) -> Any:
        return message

    def with_note(self, message: Any, note: str) -> Any:
        # Never a content of its own: a user text moves the place from which signatures are checked.
        parts = blocks(get(message, "parts"))
        return replaced(message, parts=[*parts, _text_part(note, parts)])

    def note_message(self, note: str, like: Any) -> Any:
        part = _text_part(note, blocks(get(like, "parts")))
        if isinstance(like, Mapping):
            return {"role": "user", "parts": [part]}
        return replaced(like, role="user", parts=[part])

    def result_text(self, message: Any, slot: int) -> str:
        responses = {place: response for place, _, response in _members(get(message, "parts"), _RESPONSE)}
        media = [f"[{name}]" for part in blocks(get(responses[slot], "parts")) for name in _MEDIA if get(part, name)]
        return "\n".join([_text(get(responses[slot], "response")), *media])


def _members(parts: Sequence[Any], keys: tuple[str, str]) -> Iterator[tuple[int, str, Any]]:
    """Yield slot, key and value of the parts that have one of ``keys``."""
    for slot, part in enumerate(parts):
        for key in keys:
            if (value := get(part, key)) is not None:
                yield slot, key, value


def _result(slot: int, response: Any) -> Result:
    value = get(response, "response")
    content = {"response": value, "parts": get(response, "parts")}  # what goes when it is cleared
    key, is_note = _text_key(value), _is_cleared(value)
    return Result(name_of(response, "id"), name_of(response, "name"), slot, content, not is_note, key, is_note)


def _text_key(value: Any) -> str:
    """Return the key that holds a result's text: it also tells an error from a success."""
    members = value.items() if isinstance(value, Mapping) else ()
    found = (key for key, member in members if key in _TEXT_KEYS and member is not None)
    return next(found, _TEXT_KEYS[0])


def _is_cleared(value: Any) -> bool:
    return isinstance(value, Mapping) and len(value) == 1 and is_cleared(next(iter(value.values())))


def _cleared(response: Any, note: str) -> Any:
    """Return a copy of a response that holds the note; id and name stay, images in it go."""
    return without(replaced(response, response={_text_key(get(response, "response")): note}), "parts")


def _text(value: Any) -> str:
    """Return a result's text, or its JSON where it is more than one text."""
    if isinstance(value, Mapping) and len(value) == 1:
        only = next(iter(value.values()))
        return only if isinstance(only, str) else compact(only)
    return text_of(value)


def _text_part(note: str, parts: Sequence[Any]) -> Any:
    """Return a part that holds the note, of the class that ``parts`` have."""
    return type(parts[-1])(text=note) if parts and hasattr(parts[-1], "model_copy") else {"text": note}
