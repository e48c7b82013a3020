"""What all formats share."""

from __future__ import annotations

import pytest
from laws import WORDS

import longturn
from longturn.formats.base import text_of
from longturn.wording import languages, phrases


@pytest.mark.parametrize("language", languages())
def test_F2_notes_hold_no_character_that_json_escapes(language: str) -> None:
    """Inside JSON they weigh what they weigh as text, so sizes are known before a note is placed."""
    words = phrases(language)
    for note in (words.cleared, words.cleared_recall, words.cleared_input, words.left_out):
        assert longturn.estimate([note]) == longturn.estimate(f'["{note}"]')


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (None, ""),
        ("Well.", "Well."),
        (["One.", {"type": "text", "text": "Two."}], "One.\nTwo."),
        ({"type": "image"}, "[image]"),
        ({"text": "Well."}, "Well."),
        ({"text": "Well.", "score": 1}, '{"text":"Well.","score":1}'),
        ({"type": "search_result", "content": [{"type": "text", "text": WORDS.cleared}]}, WORDS.cleared),
        (3, "[int]"),
    ],
)
def test_the_text_of_a_content_names_what_is_none(content: object, expected: str) -> None:
    """Nothing is dropped in silence."""
    assert expected == text_of(content)
