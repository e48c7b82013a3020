"""What the window asks of a format, and what its implementations share."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from typing import Any, Final, Protocol

from longturn.fitting.outline import Call, Facts, Kind
from longturn.tokens.walker import walker
from longturn.wording import is_cleared_note, is_left_out_note

EMPTY: Final[Mapping[str, Any]] = {}


class FormatError(ValueError):
    """A message does not have the shape of its format; says which one and what was expected."""


@dataclass(frozen=True, slots=True)
class Edit:
    """One block of a message to be replaced; ``text`` takes the place of a result's content."""

    slot: int
    text: str


class Format(Protocol):
    """One provider's message shape."""

    name: str
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

    def note_message(self, note: str) -> Any:
        """Return a user message that holds the note only."""

    def result_text(self, message: Any, slot: int) -> str:
        """Return the text of the result at ``slot``; other content is named in brackets."""


# ---------------------------------------------------------------------- reading, from mappings and objects alike


def get(source: Any, key: str) -> Any:
    """Return a member of a mapping or an attribute of an SDK's object; None where there is none."""
    if isinstance(source, Mapping):
        return source.get(key)
    return getattr(source, key, None)


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
    return _replaced_object(source, members)


def _replaced_object(source: Any, members: dict[str, Any]) -> Any:
    changed = copy(source)
    for name, value in members.items():
        object.__setattr__(changed, name, value)  # frozen dataclasses too: the copy is ours
    return changed


def with_blocks(content: Sequence[Any], changed: Mapping[int, Any]) -> list[Any]:
    """Return the blocks with those at some places exchanged."""
    result = list(content)
    for place, block in changed.items():
        result[place] = block
    return result


# ---------------------------------------------------------------------- notes and sizes


def is_note(text: Any) -> bool:
    """Tell whether a text is, or ends with, the note about left-out messages ([C4])."""
    return isinstance(text, str) and is_left_out_note(text)


def is_cleared(content: Any) -> bool:
    """Tell whether a result's content is the note on a cleared result, in any of the shapes formats give it."""
    if isinstance(content, str):
        return is_cleared_note(content)
    if isinstance(content, (list, tuple)) and len(content) == 1:
        only = content[0]
        return is_cleared(only if isinstance(only, str) else get(only, "text"))
    return False


def size(content: Any) -> int:
    """Return the quarter-tokens of a content."""
    return int(walker.content(content))


def json_size(value: Any) -> int:
    """Return the quarter-tokens of a value's JSON text."""
    return int(walker.json(value))


def cleared_input(note: str) -> dict[str, str]:
    """Return what stands in place of a cleared call's arguments: an object still, as every provider demands."""
    return {"cleared": note}


def compact(value: Any) -> str:
    """Return the JSON text of a value, without spaces."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


INPUT_FRAME: Final = json_size(cleared_input(""))
"""Quarter-tokens of cleared arguments beside the note in them."""


def call(call_id: Any, tool: Any, slot: int, arguments: Any) -> Call:
    """Return a call whose arguments are an object or its JSON text."""
    return Call(call_id, tool, slot, arguments_size(arguments), INPUT_FRAME)


def arguments_size(arguments: Any) -> int:
    """Return the quarter-tokens of a call's arguments, given as an object or as text."""
    if arguments is None:
        return 0
    return size(arguments) if isinstance(arguments, str) else json_size(arguments)


def text_of(content: Any) -> str:
    """Return the text of a content; blocks without one are named in brackets."""
    if content is None:
        return ""
    if isinstance(content, str):
        return content
    if isinstance(content, (list, tuple)):
        return "\n".join(text_of(block) for block in content)
    text = get(content, "text")
    return text if isinstance(text, str) else f"[{get(content, 'type') or type(content).__name__}]"


USER_FACTS: Final = Facts(Kind.USER)
USER_FACTS_WITH_NOTE: Final = Facts(Kind.USER, has_note=True)
SYSTEM_FACTS: Final = Facts(Kind.SYSTEM)
MODEL_FACTS: Final = Facts(Kind.MODEL)
REPLY_FACTS: Final = Facts(Kind.REPLY)
