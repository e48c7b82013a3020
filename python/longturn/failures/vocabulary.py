"""Which things a text speaks of, sentence by sentence."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from typing import Final

from longturn.failures.table import CONCEPTS

_WORD_CHARS: Final = 24  # longer words are identifiers, and unbounded ones would make the search quadratic
_SENTENCES: Final = 64


def sentences(text: str) -> list[str]:
    """Return a text's sentences, not more than a provider would write."""
    return [part for part in _boundary().split(text, maxsplit=_SENTENCES) if part.strip()]


def spaced(text: str) -> str:
    """Return a text in small letters, its identifiers as words, but for the parameters that limit an answer."""
    words = _hump().sub(" ", _answer_limit().sub("max_tokens", text))
    words = words.lower()
    return words if " " in text else words.replace("_", " ").replace("max tokens", "max_tokens")


def concepts(text: str) -> frozenset[str]:
    """Return the names of the concepts that occur in a text in small letters."""
    return frozenset(name for name, found in _searches(is_ascii=text.isascii()) if found(text))


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
def _searches(*, is_ascii: bool) -> tuple[tuple[str, Callable[[str], object]], ...]:
    """
    Return each concept's search, for texts in small letters.

    Letter case, words in other scripts and the insides of words each cost several times the rest, so the
    first is left to the caller, the second to texts that have any, and the third is not looked at.
    """
    rows = ((name, _pattern(words, is_ascii=is_ascii)) for name, words in CONCEPTS.items())
    return tuple((name, re.compile(pattern).search) for name, pattern in rows if pattern)


def _pattern(words: str, *, is_ascii: bool) -> str:
    """Return the alternatives by where they begin: at a word, at a part of an identifier, anywhere."""
    words = words.replace(r"\w+", rf"\w{{1,{_WORD_CHARS}}}").replace(r"\w*", rf"\w{{0,{_WORD_CHARS}}}")
    terms = [term for term in _terms(words) if not (is_ascii and _other_script().search(term))]
    at_words = [term.removeprefix(r"\b") for term in terms if term.startswith(r"\b")]
    at_parts = [term for term in terms if _begins_part().match(term)]
    rest = [term for term in terms if not term.startswith(r"\b") and not _begins_part().match(term)]
    groups = ((r"\b", at_words), ("(?<![a-z])", at_parts), ("", rest))
    return "|".join(f"{start}(?:{'|'.join(group)})" for start, group in groups if group)


def _terms(words: str) -> list[str]:
    """Return the alternatives of a pattern, as they stand beside each other at its top."""
    terms, depth, in_class = [""], 0, False
    for part in _part().findall(words):
        in_class = part == "[" or (in_class and part != "]")
        depth += 0 if in_class else {"(": 1, ")": -1}.get(part, 0)
        if part == "|" and depth == 0 and not in_class:
            terms.append("")
        elif in_class or not part.isspace():
            terms[-1] += part
    return terms


@cache
def _part() -> re.Pattern[str]:
    return re.compile(r"\\.|.", re.DOTALL)


@cache
def _other_script() -> re.Pattern[str]:
    return re.compile(r"[\u0370-\u1fff\u3040-\ud7ff]")


@cache
def _begins_part() -> re.Pattern[str]:
    return re.compile(r"(?:\(\?:)?[a-z]")
