"""
The very messages of every request of a run, small enough for a page.

Requests mostly extend one another, so each is kept as what it adds: how many messages it shares with the one
before, and which ones follow.  A message is described once.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypedDict

from longturn.cli.records import Replay
from longturn.cli.replay import shared
from longturn.fitting.outline import Call, Facts, Kind, Result
from longturn.formats.base import Format, blocks, compact, get, is_note, name_of
from longturn.tokens.measure import SCRIPT, Measure
from longturn.tokens.rules import MEDIA_KEYS, MEDIA_TYPES
from longturn.tokens.walker import whole_tokens

PAGE_CHARACTERS: Final = 6_000_000
"""Of all texts on a page together, about: what a browser opens at once."""
_LEAST_CHARACTERS, _MOST_CHARACTERS = 200, 20_000  # of one text

_THOUGHT: Final = frozenset({"thinking", "reasoning"})
_SPOKEN: Final = frozenset({"text", "user-prompt", "system-prompt"}) | _THOUGHT
"""Parts whose ``content`` is what somebody said, where the format keeps it there."""


class Part(TypedDict, total=False):
    """A piece of a message."""

    kind: str
    """text, thinking, media, note, call, result or cleared."""
    text: str
    more: int
    """Characters beyond ``text``."""
    tool: str
    tokens: int
    """Of a result, as the history has it."""


class Entry(TypedDict):
    """A message as it was sent."""

    at: int | None
    """Its place in the history; None for a note that is a message of its own."""
    who: str
    """system, user, model or reply."""
    parts: list[Part]


class Step(TypedDict):
    """A request, as what it adds to the one before."""

    keep: int
    """How many messages it begins with in common with the one before."""
    add: list[int]
    """Those after them, as places among the entries."""


class Transcript:
    """Takes in the requests of a run, in order."""

    def __init__(self, history: Sequence[Any], shape: Format, *, measure: Measure = SCRIPT) -> None:
        self.entries: Final[list[Entry]] = []
        self.steps: Final[list[Step]] = []
        self._history: Final = history
        self._places: Final = {id(message): place for place, message in enumerate(history)}
        self._shape: Final = shape
        self._measure: Final = measure
        self._tools: Final[dict[str | None, str]] = {}  # by call
        self._known: Final[dict[int, int]] = {}  # the history's own messages, among the entries
        self._last: Sequence[Any] = ()

    def take_in(self, messages: Sequence[Any], point: int) -> None:
        """Take in a request that was made of the history's first ``point`` messages."""
        keep = shared(self._last, messages)
        places = self._aligned(messages, keep, point)
        added = [self._entry(message, place) for message, place in zip(messages[keep:], places, strict=True)]
        self.steps.append(Step(keep=keep, add=added))
        self._last = messages

    def _aligned(self, messages: Sequence[Any], keep: int, point: int) -> list[int | None]:
        """
        Return the places in the history that the messages from ``keep`` on have.

        From the end, where the two always meet: an edited copy stands just before what follows it.
        """
        places: list[int | None] = []
        following = point
        for message in reversed(messages[keep:]):
            place = self._places.get(id(message))
            if place is None and not _is_bare_note(message):
                place = following - 1
            if place is not None:
                following = place
            places.append(place)
        return places[::-1]

    def _entry(self, message: Any, place: int | None) -> int:
        is_own = place is not None and self._history[place] is message
        if is_own and place in self._known:
            return self._known[place]
        facts = self._shape.read(message)
        original = facts if is_own or place is None else self._shape.read(self._history[place])
        self.entries.append(
            Entry(at=place, who=_SPEAKERS[facts.kind], parts=list(self._parts(message, facts, original)))
        )
        if is_own and place is not None:
            self._known[place] = len(self.entries) - 1
        return len(self.entries) - 1

    def _parts(self, message: Any, facts: Facts, original: Facts) -> Iterator[Part]:
        for kind, text in _words(message, facts):
            yield _cut(Part(kind=kind, text=text), _MOST_CHARACTERS)
        for call in facts.calls:
            yield self._call(call)
        contents = {result.slot: result.content for result in original.results}
        for result in facts.results:
            yield self._result(message, result, contents.get(result.slot, result.content))

    def _call(self, call: Call) -> Part:
        tool = call.tool or "(unnamed)"
        self._tools[call.id] = tool
        arguments = call.arguments if isinstance(call.arguments, str) else compact(call.arguments)
        return _cut(Part(kind="call", tool=tool, text=arguments), _MOST_CHARACTERS)

    def _result(self, message: Any, result: Result, content: object) -> Part:
        tool = result.tool or self._tools.get(result.id, "(unnamed)")
        kind = "cleared" if result.is_note else "result"
        text = self._shape.result_text(message, result.slot)
        tokens = whole_tokens(self._measure.content(content))
        return _cut(Part(kind=kind, tool=tool, tokens=tokens, text=text), _MOST_CHARACTERS)

    def texts(self) -> Iterator[str]:
        """Yield every text there is."""
        return (part["text"] for entry in self.entries for part in entry["parts"])

    def cut(self, limit: int) -> list[Entry]:
        """Return the entries with texts of at most so many characters."""
        return [
            Entry(at=entry["at"], who=entry["who"], parts=[_cut(part, limit) for part in entry["parts"]])
            for entry in self.entries
        ]


def room_for(texts: Iterable[str]) -> int:
    """Return how many characters of each text a page has room for; short ones leave theirs to the others."""
    lengths, room = sorted(map(len, texts)), PAGE_CHARACTERS
    for done, length in enumerate(lengths):
        if length * (rest := len(lengths) - done) > room:
            return max(room // rest, _LEAST_CHARACTERS)
        room -= length
    return _MOST_CHARACTERS


def _cut(part: Part, limit: int) -> Part:
    beyond = len(part["text"]) - limit
    if beyond <= 0:
        return part
    return {**part, "text": part["text"][:limit], "more": beyond + part.get("more", 0)}


@dataclass(frozen=True, slots=True, kw_only=True)
class Chapter:
    """One run, and the messages of its requests."""

    run: Replay
    transcript: Transcript


_SPEAKERS: Final = {Kind.SYSTEM: "system", Kind.USER: "user", Kind.MODEL: "model", Kind.REPLY: "reply"}


def _words(message: Any, facts: Facts) -> Iterator[tuple[str, str]]:
    """Yield what a message has besides calls and results: what is said, thought, shown, and each text's note."""
    said = _all_said(message)
    if facts.results and None not in said:  # they are the parts of one result
        return
    for kind, text in filter(None, said):
        words, note = _parted(text)
        yield from ((kind, words),) if words else ()
        yield from (("note", note),) if note else ()


def _is_bare_note(message: Any) -> bool:
    """Tell whether a message is the note about left-out messages and nothing else."""
    said = _all_said(message)
    words, note = _parted(said[0][1]) if len(said) == 1 and said[0] else ("", "")
    return bool(note) and not words


def _all_said(message: Any) -> list[tuple[str, str] | None]:
    content = get(message, "content") or get(message, "parts") or get(message, "summary")
    if isinstance(content, str):
        return [("text", content)]
    said = map(_said, blocks(content))
    return [one and ("thinking", one[1]) for one in said] if name_of(message, "type") in _THOUGHT else list(said)


def _parted(text: str) -> tuple[str, str]:
    """Return a text without the note about left-out messages, and the note: its last paragraph if it is there."""
    if not is_note(text):
        return text, ""
    words, _, note = text.rpartition("\n\n")
    return words, note


def _said(block: Any) -> tuple[str, str] | None:
    """Return what kind of thing somebody says or shows in a part, and its text; None for calls and results."""
    if isinstance(block, str):
        return "text", block
    kind = name_of(block, "part_kind") or name_of(block, "type") or ""
    if isinstance(thought := get(block, "thinking"), str):
        return "thinking", thought
    if isinstance(text := get(block, "text"), str):
        return "thinking" if kind in _THOUGHT or get(block, "thought") is True else "text", text
    if kind in _SPOKEN and isinstance(content := get(block, "content"), str):
        return "thinking" if kind in _THOUGHT else "text", content
    medium = kind if kind in MEDIA_TYPES else next((key for key in MEDIA_KEYS if get(block, key) is not None), None)
    return ("media", medium) if medium else None
