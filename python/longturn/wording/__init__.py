"""
Every sentence a model or a person reads, one file per language.

The texts are constants per language and policy: no time, counter or random value, or the prefix
cache would break on every call ([C3], [C4]).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from longturn.wording import english
from longturn.wording.phrases import Phrases

_LANGUAGES: Final[dict[str, Phrases]] = {"en": english.PHRASES}


@dataclass(frozen=True, slots=True)
class _Known:
    """The notes of all languages: a saved view may come back in another one."""

    cleared: tuple[str, ...]  # not a set: that would hash every result's whole text to look it up
    left_out: tuple[str, ...]


_KNOWN: Final = _Known(
    cleared=tuple(note for words in _LANGUAGES.values() for note in (words.cleared, words.cleared_recall)),
    left_out=tuple(words.left_out for words in _LANGUAGES.values()),
)


def languages() -> list[str]:
    """Return the codes of the languages there are texts in."""
    return sorted(_LANGUAGES)


def phrases(language: str) -> Phrases:
    """
    Return the texts in a language.

    Raises:
        ValueError: there are none in this language; names those there are.
    """
    try:
        return _LANGUAGES[language]
    except (KeyError, TypeError):
        raise ValueError(f"language must be one of {', '.join(languages())} (got {language!r})") from None


def is_cleared_note(text: str) -> bool:
    """Tell whether a text is the note on a cleared result, in any language."""
    return text in _KNOWN.cleared


def is_left_out_note(text: str) -> bool:
    """Tell whether a text is, or ends with, the note about left-out messages, in any language."""
    return text.endswith(_KNOWN.left_out)
