"""What the window asks of a format, and what its implementations share."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field, is_dataclass
from dataclasses import replace as dataclass_replace
from typing import Any, Final, Protocol

from longturn.fitting.outline import Call, Facts, Kind, Result
from longturn.wording import is_cleared_note, is_left_out_note

EMPTY: Final[Mapping[str, Any]] = {}


class FormatError(ValueError):
    """A message does not have the shape of its format; says which one and what was expected."""


@dataclass(frozen=True, slots=True)
class Edit:
    """One block of a message to be replaced; ``text`` takes the place of a result's content."""

    slot: int
    text: str


@dataclass(frozen=True, slots=True)
class Signs:
    """
    Members that only one format's messages or blocks have, and with which values.

    None stands for any value.  Blocks that say their ``type`` are told by
    ``typed_blocks``, the others by the keys in ``bare_blocks``.
    """

    message: Mapping[str, frozenset[str] | None] = field(default_factory=dict)
    typed_blocks: frozenset[str] = frozenset()
    bare_blocks: frozenset[str] = frozenset()


class Format(Protocol):
    """One provider's message shape."""

    name: str
    signs: Signs
    """What tells this format from the others."""
    note_is_message: bool
    """The note about left-out messages is a user message of its own, rather than a part of the head's last one."""
    binds_thinking: bool
    """Some models refuse reasoning blocks whose prefix has changed."""

    def read(self, message: Any) -> Facts:
        """Return what an outline needs of ``message``."""

    def with_results(self, message: Any, edits: Sequence[Edit]) -> Any:
        """Return a copy in which the results at the edits' slots hold the edits' texts."""

    def with_inputs(self, message: Any, edits: Sequence[Edit]) -> Any:
        """Return a copy in which the arguments of the calls at the edits' slots are replaced, as valid JSON."""

    def without_thinking(self, message: Any) -> Any:
        """Return a copy without its reasoning blocks, or ``message`` itself if nothing else is in it."""

    def with_note(self, message: Any, note: str) -> Any:
        """Return a copy of a user message with the note as its last text part."""

    def note_message(self, note: str, like: Any) -> Any:
        """Return a user message that holds the note only: an SDK's object if ``like``, a message, is one."""

    def result_text(self, message: Any, slot: int) -> str:
        """Return the text of the result at ``slot``; other content is named in brackets."""


# ---------------------------------------------------------------------- reading, from mappings and objects alike


def get(source: Any, key: str) -> Any:
    """Return a member of a mapping or an attribute of an SDK's object; None where there is none."""
    if isinstance(source, dict):  # before the abstract class, whose check costs ten times as much
        return source.get(key)
    return source.get(key) if isinstance(source, Mapping) else getattr(source, key, None)


def name_of(source: Any, key: str) -> str | None:
    """Return a member that names something, an id, a role, a type; None where it is missing or no text."""
    found = source.get(key) if isinstance(source, dict) else get(source, key)
    return found if isinstance(found, str) else None


def blocks(content: Any) -> Sequence[Any]:
    """Return the blocks of a message's content; none if it is a text or missing."""
    return content if isinstance(content, (list, tuple)) else ()


def replaced(source: Any, **members: Any) -> Any:
    """
    Return a shallow copy of a mapping or an SDK's object with some members replaced.

    Everything unknown is kept; the original is not touched.
    """
    if isinstance(source, Mapping):
        return {**source, **members}
    if hasattr(source, "model_copy"):
        return source.model_copy(update=members)
    if is_dataclass(source) and not isinstance(source, type):
        return dataclass_replace(source, **members)  # built anew: nothing remembered about the old content stays
    changed = copy(source)
    for name, value in members.items():
        setattr(changed, name, value)
    return changed


def without(source: Any, key: str) -> Any:
    """Return a copy without a member; an SDK's object has it set to None, which is not sent."""
    if isinstance(source, Mapping):
        return {name: value for name, value in source.items() if name != key}
    return source if get(source, key) is None else replaced(source, **{key: None})


def with_blocks(content: Sequence[Any], changed: Mapping[int, Any]) -> list[Any]:
    """Return the blocks with those at some places exchanged."""
    result = list(content)
    for place, block in changed.items():
        result[place] = block
    return result


# ---------------------------------------------------------------------- facts


USER_FACTS: Final = Facts(Kind.USER)
USER_FACTS_WITH_NOTE: Final = Facts(Kind.USER, has_note=True)
SYSTEM_FACTS: Final = Facts(Kind.SYSTEM)
MODEL_FACTS: Final = Facts(Kind.MODEL)
REPLY_FACTS: Final = Facts(Kind.REPLY)


def user_facts(content: Any) -> Facts:
    """Return the facts of a message in which a person speaks."""
    return USER_FACTS_WITH_NOTE if has_note(content) else USER_FACTS


def model_facts(calls: Sequence[Call], thinking: Sequence[Any] = (), *, has_more: bool = True) -> Facts:
    """Return the facts of a message of the model's; reasoning that stands alone in it can't be stripped."""
    if not calls and not thinking:
        return MODEL_FACTS
    return Facts(Kind.MODEL, tuple(calls), (), thinking if has_more else 0)


# ---------------------------------------------------------------------- notes


def is_note(text: Any) -> bool:
    """Tell whether a text is, or ends with, the note about left-out messages ([C4])."""
    return isinstance(text, str) and is_left_out_note(text)


def has_note(content: Any) -> bool:
    """Tell whether a user message's content carries the note about left-out messages."""
    if isinstance(content, str):
        return is_note(content)
    return any(is_note(part if isinstance(part, str) else get(part, "text")) for part in blocks(content))


def with_part(content: Any, text: str, part: Any) -> Any:
    """Return a content with a text after it: ``part`` in a list of parts, a paragraph in a plain text."""
    if isinstance(content, (list, tuple)):
        return [*content, part]
    return f"{content}\n\n{text}" if content else text


def is_cleared(content: Any) -> bool:
    """Tell whether a result's content is the note on a cleared result, in any of the shapes formats give it."""
    if isinstance(content, str):
        return is_cleared_note(content)
    if isinstance(content, (list, tuple)) and len(content) == 1:
        only = content[0]
        return is_cleared(only if isinstance(only, str) else get(only, "text"))
    return False


def result(call_id: str | None, tool: str | None, slot: int, content: Any, *, may_clear: bool = True) -> Result:
    """
    Return a result whose content a note may stand in place of.

    Not of a note; nor of a tool reference, which is what makes a deferred tool known: cleared, the tool
    would be gone.
    """
    is_note = is_cleared(content)
    may_clear = may_clear and not is_note and not _has_reference(content)
    return Result(call_id, tool, slot, content, may_clear, is_note=is_note)


def _has_reference(content: Any) -> bool:
    return not isinstance(content, str) and any(name_of(part, "type") == "tool_reference" for part in blocks(content))


def is_reasoning_of_openai(block: Any) -> bool:
    """Tell whether a reasoning block is an item of OpenAI's: the call after it is refused without it."""
    return (name_of(block, "id") or "").startswith("rs_")


def cleared_input(note: str) -> dict[str, str]:
    """Return what stands in place of a cleared call's arguments: an object still, as every provider demands."""
    return {_INPUT_KEY: note}


def compact(value: Any) -> str:
    """Return the JSON text of a value, without spaces; objects as they print."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=str)


_INPUT_KEY: Final = "cleared"


def like_before(arguments: dict[str, str], old: Any) -> Any:
    """Return arguments in the shape the old ones had: their JSON text, or an object."""
    return compact(arguments) if isinstance(old, str) else arguments


def call(call_id: str | None, tool: str | None, slot: int, arguments: Any) -> Call:
    """Return a call whose arguments are an object or its JSON text."""
    return Call(call_id, tool, slot, arguments, _INPUT_KEY)


def is_signed(details: Any) -> bool:
    """Tell whether a call's details hold Gemini's signature over it: arguments signed for must not change."""
    if not isinstance(details, Mapping):
        return False
    return _SIGNATURE in details or any(is_signed(inner) for inner in details.values())


_SIGNATURE: Final = "thought_signature"


def text_of(content: Any) -> str:
    """Return the text of a content; blocks of another kind are named in brackets, JSON values written out."""
    if content is None:
        return ""
    if isinstance(content, str):
        return content
    if isinstance(content, (list, tuple)):
        return "\n".join(text_of(block) for block in content)
    name = name_of(content, "type") or name_of(content, "kind")
    if isinstance(content, Mapping) and name is None and set(content) != {"text"}:
        return compact(content)
    found = (get(content, "text"), get(content, "content"))
    text = next((text for text in found if isinstance(text, (str, list))), None)
    return f"[{name or type(content).__name__}]" if text is None else text_of(text)
