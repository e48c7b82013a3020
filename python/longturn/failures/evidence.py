"""What an error brings that can be read: the same few facts whatever brought it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """The facts of one error, response, body or answer. Names and codes are in small letters."""

    status: int | None = None
    """The HTTP status, or one that the body speaks of; 200 only if nothing says otherwise."""
    codes: frozenset[str] = frozenset()
    """Error codes, types and statuses."""
    spellings: tuple[str, ...] = ()
    """The codes as they were written: their capitals part the words."""
    classes: frozenset[str] = frozenset()
    """Names of the exception's classes."""
    texts: tuple[str, ...] = ()
    """What was said, the outermost first; no echo of the request, no words of the model."""
    params: tuple[str, ...] = ()
    """Which field of the request is meant."""
    headers: Mapping[str, str] = field(default_factory=dict)
    stops: frozenset[str] = frozenset()
    """Why the answer ended."""
    counts: Mapping[str, int] = field(default_factory=dict)
    """Token counts by their field's name."""
    waits: tuple[str, ...] = ()
    """What fields other than headers say about when to come back."""
    path: str = ""
    """The path of the URL that was asked."""
    is_plain: bool = False
    """The body was no JSON: a proxy spoke, not the provider."""
    is_answer: bool = False
    """It has the parts of a normal answer."""
    is_error: bool = False
    """It has a field that only errors have."""
