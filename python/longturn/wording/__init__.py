"""
Every sentence a model or a person reads, one file per language.

The texts are constants per language and policy: no time, counter or random value, or the prefix
cache would break on every call ([C3], [C4]).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from typing import Final

from longturn.wording.phrases import Phrases

_FILES: Final = {
    "de": "german",
    "en": "english",
    "es": "spanish",
    "fr": "french",
    "it": "italian",
    "ja": "japanese",
    "ru": "russian",
    "te": "telugu",
    "th": "thai",
    "zh": "chinese",
}
_OTHER_SCRIPTS: Final = frozenset(("hant", "tw", "hk", "mo"))
"""What a tag says of Chinese that our file is not written in."""


def languages() -> list[str]:
    """Return the codes of the languages there are texts in."""
    return sorted(_FILES)


def phrases(language: str) -> Phrases:
    """
    Return the texts in a language, told by its code or by a tag: ``"it"``, ``"it-IT"``, ``"zh_CN.UTF-8"``.

    Raises:
        ValueError: there are none in this language; names those there are.
    """
    code, *rest = re.split(r"[-_.@]", str(language).lower())
    if code not in _FILES or not _OTHER_SCRIPTS.isdisjoint(rest):
        raise ValueError(
            f"language must be one of {', '.join(languages())}, or a tag of one, as in 'zh-Hans' (got {language!r})"
        )
    return _texts(code)


@cache
def _texts(code: str) -> Phrases:
    found: Phrases = import_module(f"longturn.wording.{_FILES[code]}").PHRASES
    return found


@dataclass(frozen=True, slots=True)
class _Known:
    """The notes of all languages: a saved view may come back in another one."""

    cleared: tuple[str, ...]  # not a set: that would hash every result's whole text to look it up
    left_out: tuple[str, ...]


@cache
def _known() -> _Known:
    """Return the notes of all languages, read when the first text comes that could be one."""
    every = [_texts(code) for code in _FILES]
    return _Known(
        cleared=tuple(note for words in every for note in (words.cleared, words.cleared_recall)),
        left_out=tuple(words.left_out for words in every),
    )


def is_cleared_note(text: str) -> bool:
    """Tell whether a text is the note on a cleared result, in any language."""
    return text.startswith("[") and text.endswith("]") and text in _known().cleared


def is_left_out_note(text: str) -> bool:
    """Tell whether a text is, or ends with, the note about left-out messages, in any language."""
    return text.endswith("]") and text.endswith(_known().left_out)
