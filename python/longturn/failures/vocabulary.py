"""Which things a text speaks of, sentence by sentence."""

from __future__ import annotations

import re
from functools import cache

from longturn.failures.table import CONCEPTS


def sentences(text: str) -> list[str]:
    """Return a text's sentences."""
    return [part for part in _boundary().split(text) if part.strip()]


def spaced(text: str) -> str:
    """Return a text with its identifiers as words, but for the parameters that limit an answer."""
    words = _hump().sub(" ", _answer_limit().sub("max_tokens", text))
    return words if " " in text else words.replace("_", " ").replace("max tokens", "max_tokens")


def concepts(text: str) -> frozenset[str]:
    """Return the names of the concepts that occur in a text."""
    return frozenset(name for name in CONCEPTS if _concept(name).search(text))


@cache
def _hump() -> re.Pattern[str]:
    return re.compile(r"(?<=[a-z])(?=[A-Z][a-z])")


@cache
def _answer_limit() -> re.Pattern[str]:
    return re.compile(r"\bmax(?:Output|Completion|New)?Tokens\b|\bMAX_TOKENS\b")


@cache
def _boundary() -> re.Pattern[str]:
    return re.compile(r"(?<=[a-z0-9)\]\"'`])[.!?](?=\s|$)|[。！？；]|\n", re.IGNORECASE)


@cache
def _concept(name: str) -> re.Pattern[str]:
    return re.compile(CONCEPTS[name], re.IGNORECASE | re.VERBOSE)
