"""What a scripted model does with a request: one frozen value per turn of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """Tokens, as the provider counts them; ``input`` is all of it, cached ones included."""

    input: int
    cached: int = 0
    output: int = 7


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """A wish to run a tool."""

    name: str | None = None
    """None: the first tool that the request declares."""
    arguments: Mapping[str, Any] = field(default_factory=dict)
    id: str | None = None
    """None: a new one."""


@dataclass(frozen=True, slots=True)
class Answer:
    """Text, calls, or both; whole or as a stream, as the request asks."""

    text: str = ""
    calls: tuple[Call, ...] = ()
    thinking: str = ""
    """What it thought first, where the protocol can carry it (all but Chat Completions)."""
    usage: Usage | None = None
    """None: counted from the request."""
    stop: str | None = None
    """The protocol's own word for why it stopped; None: the usual one."""
    broken: Mapping[str, Any] | None = None
    """The error body that ends a stream in its first block, or before any; ignored where nothing is streamed."""


@dataclass(frozen=True, slots=True)
class Refusal:
    """An HTTP error with the provider's body."""

    status: int
    body: Any = None
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class TooLong:
    """The provider's own refusal of a conversation that its model can't read at once."""

    tokens: int = 210_000
    limit: int = 200_000


@dataclass(frozen=True, slots=True)
class Raw:
    """Anything at all under status 200: a stream that begins with an error, a body that is one."""

    content: bytes
    media_type: str


Reply = Answer | Refusal | TooLong | Raw
