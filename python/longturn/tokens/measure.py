"""
What everything is measured by: the script rule, a profile's weights, or somebody's own tokenizer.

All in quarter-tokens.  Only the script rule adds up character by character; the others are rounded up once a text,
so that a message is the sum of its texts and of what is around them, whatever it is measured by.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from functools import cache, lru_cache
from typing import Any, Final, Protocol

from longturn.tokens.backend import core
from longturn.tokens.classes import ASCII, BEYOND_ASCII, CLASSES, START
from longturn.tokens.costs import QUARTERS
from longturn.tokens.media import price
from longturn.tokens.models import profile_name
from longturn.tokens.profiles import SCRIPT as SCRIPT_NAME
from longturn.tokens.profiles import Frames, Profile
from longturn.tokens.walker import new_walker, walker

Measured = str | Profile | Callable[[str], int]
"""What names a measure: a profile or its name, or a function that returns the tokens of a text."""

_COMPILED: Final = 16  # profiles that are held ready, a quarter of a megabyte each


class Texts(Protocol):
    """What measures texts: a backend's module by the script rule, its weights, or a tokenizer."""

    def quarters(self, text: str | bytes) -> int:
        """Return the quarter-tokens of a text."""

    def tokens(self, text: str | bytes) -> int:
        """Return the tokens of a text, rounded up."""

    def quarters_batch(self, texts: Sequence[str | bytes]) -> bytearray:
        """Return the quarter-tokens of each text as native int64."""


class Measure:
    """Measures texts, values, messages and what else a request is made of, in quarter-tokens."""

    __slots__ = ("__weakref__", "_frames", "content", "json", "message", "messages", "quarters", "texts", "tokens")

    def __init__(self, texts: Texts, frames: Frames, walker: Any) -> None:
        self.texts: Final = texts
        self.quarters: Final[Callable[[str | bytes], int]] = texts.quarters
        self.tokens: Final[Callable[[str | bytes], int]] = texts.tokens
        self.json: Final[Callable[[object], int]] = walker.json
        self.content: Final[Callable[[object], int]] = walker.content
        self.message: Final[Callable[[object], int]] = walker.message
        self.messages: Final[Callable[..., list[int]]] = walker.messages
        self._frames: Final = frames

    @property
    def request(self) -> int:
        """What a request takes beside its messages, whatever they are."""
        return QUARTERS * self._frames.request

    def value(self, value: object) -> int:
        """Return what a call's arguments or a result measure, given as an object or as text."""
        if value is None:
            return 0
        return self.quarters(value) if isinstance(value, str) else self.json(value)

    def tools(self, tools: Any) -> int:
        """Return what tool definitions sent along measure."""
        if not tools:
            return 0
        frames = self._frames
        return QUARTERS * (frames.tools + frames.tool * _definitions(tools)) + self.json(tools)

    def overhead(self, system: Any, tools: Any) -> int:
        """Return what a request takes beside its messages."""
        return self.request + self.content(system) + self.tools(tools)


def measure_of(profile: Measured) -> Measure:
    """
    Return what measures by a profile, its name, or a function that returns the tokens of a text.

    Raises:
        TypeError: ``profile`` is none of these.
        ValueError: there is no profile of this name.
    """
    if isinstance(profile, str):
        return SCRIPT if profile == SCRIPT_NAME else _compiled(Profile.named(profile))
    if isinstance(profile, Profile):
        return SCRIPT if profile.name == SCRIPT_NAME else _compiled(profile)
    if callable(profile):
        return _by_tokenizer(profile)
    raise TypeError(
        "profile must be the name of one, a Profile, or a function that returns the tokens of a text "
        f"(got {type(profile).__name__})"
    )


def profile_for(profile: Measured, model: str | None) -> Measured:
    """
    Return what to measure by: ``profile``, or what is known of ``model``.

    Raises:
        TypeError: both are given, or ``model`` is no text.
    """
    if model is None:
        return profile
    if profile != SCRIPT_NAME:
        raise TypeError("pass either a profile or a model, which picks one by its name")
    return profile_name(model)


def _definitions(tools: Any) -> int:
    """Return how many tools are defined: Gemini puts several into one entry."""
    if not isinstance(tools, (list, tuple)):
        return 1
    return sum(len(_declared(tool) or (tool,)) for tool in tools)


def _declared(tool: Any) -> Any:
    if not isinstance(tool, Mapping):
        return getattr(tool, "function_declarations", None)
    return tool.get("functionDeclarations") or tool.get("function_declarations")


# ---------------------------------------------------------------------- making them


@lru_cache(_COMPILED)
def _compiled(profile: Profile) -> Measure:
    return _made(core.Weights(classes(), profile.table()), profile.frames, core)


@cache
def classes() -> Any:
    """Return the backend's table of classes, made when it is first asked for."""
    numbers = {name: number for number, name in enumerate(CLASSES)}
    ascii_ = sorted((ord(character), name) for name, characters in ASCII.items() for character in characters)
    rows = [*ascii_, *BEYOND_ASCII]
    lasts = [first - 1 for first, _ in rows[1:]] + [sys.maxunicode]
    ranges = [(first, last, numbers[name]) for (first, name), last in zip(rows, lasts, strict=True)]
    return core.Classes(ranges, numbers[START])


def _by_tokenizer(count: Callable[[str], int]) -> Measure:
    """Return a measure by a tokenizer, which costs so much that nothing is gained by walking in Rust."""
    from longturn.tokens import counting, reference  # only here: the twin's patterns take a while to compile

    return _made(counting.Counted(count), Frames(), reference)


def _made(texts: Any, frames: Frames, backend: Any) -> Measure:
    def priced(block: dict[str, Any]) -> int | None:
        return price(block, measure)

    around = (frames.message, frames.call, frames.result)
    measure = Measure(texts, frames, new_walker(backend, around=around, price=priced, weights=texts))
    return measure


SCRIPT: Final = Measure(core, Frames(), walker)
"""The script rule, which is exact."""
