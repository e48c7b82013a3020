"""What one provider's API is to the server: how to read a request, and how to put an answer."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from loopback.replies import Answer, Refusal, TooLong, Usage


@dataclass(frozen=True, slots=True)
class Asked:
    """A call as it is sent: named, and with an id of its own."""

    id: str
    name: str
    arguments: Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """An answer with everything filled in."""

    number: int
    model: str
    answer: Answer
    calls: tuple[Asked, ...]
    usage: Usage
    body: Mapping[str, Any]
    """The request."""

    @property
    def total(self) -> int:
        return self.usage.input + self.usage.output


@dataclass(frozen=True, slots=True)
class Result:
    """A tool result as it was sent."""

    id: str | None
    text: str


class Protocol(ABC):
    """One provider's API."""

    name: ClassVar[str]
    """As longturn names the format."""
    history: ClassVar[str]
    """The key of the messages."""
    media_type: ClassVar[str] = "text/event-stream"

    @abstractmethod
    def owns(self, path: str) -> bool:
        """Tell whether requests to this path are of this protocol."""

    def streams(self, path: str, body: Mapping[str, Any]) -> bool:
        """Tell whether a request asks for a stream."""
        return bool(body.get("stream"))

    def model(self, path: str, body: Mapping[str, Any]) -> str:
        """Return the model that is asked for."""
        return str(body.get("model", ""))

    @abstractmethod
    def tools(self, body: Mapping[str, Any]) -> list[str]:
        """Return the names of the tools that a request declares."""

    @abstractmethod
    def system(self, body: Mapping[str, Any]) -> list[str]:
        """Return the texts of the system prompt, in their order."""

    @abstractmethod
    def results(self, body: Mapping[str, Any]) -> list[Result]:
        """Return the tool results, in their order."""

    @abstractmethod
    def whole(self, turn: Turn) -> dict[str, Any]:
        """Return the body of an answer."""

    @abstractmethod
    def stream(self, turn: Turn) -> Iterator[bytes]:
        """Yield the events of an answer; up to the error if it is broken."""

    @abstractmethod
    def too_long(self, reply: TooLong) -> Refusal:
        """Return the provider's own refusal."""


def event(data: Mapping[str, Any] | str, name: str | None = None, end: str = "\n\n") -> bytes:
    """Return a server-sent event."""
    text = data if isinstance(data, str) else json.dumps(data)
    return (f"event: {name}\n" if name else "").encode() + f"data: {text}{end}".encode()


def texts(content: Any) -> list[str]:
    """Return the texts in a string, a block, or a list of blocks."""
    if isinstance(content, str):
        return [content]
    if isinstance(content, Mapping):
        return texts(content.get("text"))
    return [text for block in content or [] for text in texts(block)]


def text_of(content: Any) -> str:
    """Return the texts of some content as one."""
    return "".join(texts(content))


def halves(text: str) -> tuple[str, str]:
    """Return a text in two pieces, as streams cut it anywhere."""
    middle = (len(text) + 1) // 2
    return text[:middle], text[middle:]
