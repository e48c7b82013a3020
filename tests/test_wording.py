"""What models and people read says what it must ([W1], [W2], [W3], [W4]), and never changes."""

from __future__ import annotations

from dataclasses import fields

import pytest

import longturn
from longturn import Policy, Window
from longturn.wording import is_cleared_note, is_left_out_note, languages, phrases
from longturn.wording.phrases import Phrases

by_language = pytest.mark.parametrize("language", languages())

POINTS = {
    "cleared": ("cleared", "context", "run the tool again"),
    "cleared_recall": ("cleared", "context", "do not run the tool again", "recall", "call id"),
    "left_out": ("earlier part of this conversation", "left out", "context"),
    "instructions": (
        "beyond what you can take in",
        "oldest tool results are cleared",
        "newest results stay whole",
        "never stop early",
        "save room",
        "carry on until the task is done",
        "run the tool again",
    ),
    "instructions_recall": ("must not be run twice", "recall", "call id"),
    "too_long": (
        "this conversation has become too long for the model to read at once",
        "start a new chat for the next step",
        "everything built so far stays",
    ),
}


@pytest.mark.parametrize(("name", "points"), POINTS.items(), ids=POINTS)
def test_W1_to_W4_the_english_texts_make_their_points(name: str, points: tuple[str, ...]) -> None:
    """In words of their own, but these must be among them."""
    text = getattr(phrases("en"), name)
    assert [] == [point for point in points if point not in text.lower()]


@by_language
def test_every_language_has_every_text(language: str) -> None:
    """None is missing, none has blanks around it, and none is another one's."""
    words = phrases(language)
    texts = [getattr(words, field.name) for field in fields(Phrases)]
    assert all(texts)
    assert texts == [text.strip() for text in texts]
    assert len(set(texts)) == len(texts)


@by_language
def test_notes_need_no_escape_in_json(language: str) -> None:
    """What a note weighs inside JSON is what it weighs outside: no quotes, no backslash, no control character."""
    words = phrases(language)
    for note in (words.cleared, words.cleared_recall, words.cleared_input, words.left_out):
        assert not [character for character in note if character in '"\\' or character < " "]


@by_language
def test_a_note_on_a_result_is_smaller_than_what_is_left_alone(language: str) -> None:
    """Results of less than 160 tokens stay: about four notes."""
    words = phrases(language)
    assert longturn.estimate(words.cleared) * 3 <= 160
    assert longturn.estimate(words.cleared_recall) < 160


@by_language
def test_C4_notes_are_known_in_every_language(language: str) -> None:
    """A view saved in one language may come back in another; a note inside other text is none."""
    words = phrases(language)
    assert is_cleared_note(words.cleared)
    assert is_cleared_note(words.cleared_recall)
    assert not is_cleared_note(words.cleared + " ")
    assert not is_cleared_note("It said: " + words.cleared)
    assert is_left_out_note(words.left_out)
    assert is_left_out_note("Count the words.\n\n" + words.left_out)
    assert not is_left_out_note(words.left_out + " Really?")
    assert not is_left_out_note(words.cleared)


@pytest.mark.parametrize("language", ["xx", "", "EN", None, ["en"]])
def test_an_unknown_language_is_told_with_those_there_are(language: object) -> None:
    """The error names what would do."""
    with pytest.raises(ValueError, match=r"language must be one of .*en.* \(got "):
        phrases(language)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="language must be one of"):
        Window(1_000, language=language)  # type: ignore[arg-type]


@by_language
def test_W3_instructions_are_constant_per_policy_and_language(language: str) -> None:
    """A changing system prompt would break the cache; recall is spoken of only where there is something to recall."""
    words = phrases(language)
    assert words.instructions == Window(400_000, language=language).instructions()
    assert words.instructions == Window(9_000, language=language).instructions()
    policy = Policy(budget=400_000, recall_tools=("buy",))
    with_recall = Window(policy=policy, language=language).instructions()
    assert f"{words.instructions} {words.instructions_recall}" == with_recall
