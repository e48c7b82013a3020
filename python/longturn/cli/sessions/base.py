"""
What every reader of saved sessions is made of.

A file is looked at once (*sniff*) and read once.  What comes out are threads: messages of a shape that
the formats know, with only what was sent in them; a file on disk is often twice as large.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from longturn.tokens.usage import input_tokens

Message = dict[str, Any]
Warn = Callable[[str], None]


class Line(NamedTuple):
    """One value of a file with one a line; numbers count from one."""

    number: int
    value: Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """A file whose JSON can be read: one document, or a value a line."""

    name: str
    head: Sequence[Any]
    """The document alone, or the values of the first lines."""
    lines: Iterable[Line]
    """All of it, to be read once."""
    is_lines: bool

    @property
    def document(self) -> Any:
        """The document; None where there is a value a line."""
        return None if self.is_lines else self.head[0]

    def member(self, key: str) -> Any:
        """Return a member of the document; None where there is none."""
        return as_dict(self.document).get(key)

    def items(self) -> list[Any]:
        """Return the values of the first lines, or those of a document that is a list."""
        return list(self.head) if self.is_lines else as_list(self.document)

    def everything(self) -> Iterable[Line]:
        """Return all lines, or the items of a document that is a list."""
        return self.lines if self.is_lines else numbered(as_list(self.document))


@dataclass(frozen=True, slots=True, kw_only=True)
class Thread:
    """One conversation: what was sent of it."""

    messages: list[Any] = field(repr=False)
    format: str = "auto"
    system: Any = field(default=None, repr=False)
    tools: Any = field(default=None, repr=False)
    title: str = ""
    """What tells it from the others of its file: an agent's name, a sample's number."""
    is_agent: bool = False
    """A sub-agent's."""
    reported: Mapping[int, int] = field(default_factory=dict)
    """Input tokens that the provider counted, by the index of the message it answered with."""
    model: str = ""
    """The model that gave most of the answers, where the file names it."""


@dataclass(frozen=True, slots=True)
class Reader:
    """Reads one kind of file."""

    name: str
    """What it reads, for people."""
    sniff: Callable[[Source], bool]
    """Tells whether a file is of this kind, by its content."""
    read: Callable[[Source, Warn], list[Thread]]
    """Returns its threads, the main one first; those without messages are left out later."""


# ---------------------------------------------------------------------- values that may be anything


def as_dict(value: Any) -> Message:
    """Return an object; an empty one for anything else."""
    return value if isinstance(value, dict) else {}


def as_list(value: Any) -> list[Any]:
    """Return a list; an empty one for anything else."""
    return value if isinstance(value, list) else []


def as_text(value: Any) -> str:
    """Return a text; an empty one for anything else."""
    return value if isinstance(value, str) else ""


def dicts(value: Any) -> list[Message]:
    """Return the objects in a list."""
    return [item for item in as_list(value) if isinstance(item, dict)]


def numbered(values: Iterable[Any]) -> list[Line]:
    """Return the values of a list as if each had a line."""
    return [Line(number, value) for number, value in enumerate(values, 1)]


def counted_input(usage: Any) -> int | None:
    """Return the input tokens that a usage reports; None where it reports none."""
    try:
        return input_tokens(usage) if isinstance(usage, dict) else None
    except TypeError:
        return None


def whole_number(value: Any) -> int:
    """Return a number of tokens; 0 for anything that is none."""
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else 0


def most_named(names: Iterable[Any]) -> str:
    """Return the name that comes most often; an empty one where there is none."""
    counts = Counter(filter(None, map(as_text, names)))
    return counts.most_common(1)[0][0] if counts else ""


# ---------------------------------------------------------------------- messages in Anthropic's shape


def said(role: str, *blocks: Message) -> Message:
    """Return a message of some blocks."""
    return {"role": role, "content": list(blocks)}


def text_block(text: str) -> Message:
    """Return a block of text."""
    return {"type": "text", "text": text}


def call_block(call_id: Any, name: Any, arguments: Any) -> Message:
    """Return a block in which the model calls a tool."""
    return {"type": "tool_use", "id": as_text(call_id), "name": as_text(name), "input": arguments}


def result_block(call_id: Any, content: Any, *, is_error: bool = False) -> Message:
    """Return a block with a tool's result."""
    block = {"type": "tool_result", "tool_use_id": as_text(call_id), "content": content}
    return {**block, "is_error": True} if is_error else block


def put(messages: list[Message], message: Message) -> None:
    """Append a message to others; to the last one if that is of the same role, for so the provider reads them."""
    if not message["content"]:
        return
    if is_answering(messages, message["role"]):
        messages[-1]["content"] += message["content"]
    else:
        messages.append(message)


def is_answering(messages: list[Message], role: str = "assistant") -> bool:
    """Tell whether the last message is of a role already."""
    return bool(messages) and messages[-1]["role"] == role
