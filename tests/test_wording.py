"""What models and people read says what it must ([W1], [W2], [W3], [W4]), and never changes."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import fields
from functools import lru_cache
from itertools import permutations
from random import Random
from typing import Any

import pytest
from golden.write import WORDING, wording
from laws import LONG, cut
from strategies import SHAPES, Transcript, policies, transcript

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


WORDS_FOR = {  # the model's context, a tool, an id
    "de": ("Kontext", "Tool", "ID"),
    "en": ("context", "tool", "id"),
    "es": ("contexto", "herramienta", "id"),
    "fr": ("contexte", "outil", "identifiant"),
    "it": ("contesto", "strument", "id"),
    "ja": ("コンテキスト", "ツール", "ID"),
    "ru": ("контекст", "инструмент", "id"),
    "te": ("కాంటెక్స్ట్", "టూల్", "ఐడీ"),
    "th": ("บริบท", "เครื่องมือ", "ID"),
    "zh": ("上下文", "工具", "ID"),
}


@by_language
def test_W1_to_W3_every_language_speaks_of_the_same_things(language: str) -> None:
    """Why something is gone, what to do about it, and how to get a result that may not be made again."""
    words = phrases(language)
    context, tool, call_id = WORDS_FOR[language]
    for text in (words.cleared, words.cleared_recall, words.left_out):
        assert context in text
    for text in (words.cleared, words.cleared_recall, words.instructions, words.instructions_recall):
        assert tool in text
    for text in (words.cleared_recall, words.instructions_recall, words.recall_call_id):
        assert call_id.lower() in text.lower()
    assert "recall" in words.instructions_recall, "the name of the tool is the same everywhere"


def test_C3_the_texts_are_what_they_were() -> None:
    """A changed byte breaks the prefix cache of everybody who upgrades: `make golden` writes it down."""
    assert wording() == WORDING.read_text(encoding="utf-8")


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
    for note in (words.cleared, words.cleared_recall):
        assert longturn.estimate(note) <= 160 / 2
    assert longturn.estimate(words.cleared_input) <= 16


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


def test_C4_no_note_is_taken_for_another() -> None:
    """Of all notes in all languages, none is another's end."""
    every = [phrases(language) for language in languages()]
    notes = [note for words in every for note in (words.cleared, words.cleared_recall, words.left_out)]
    assert [] == [pair for pair in permutations(notes, 2) if pair[0].endswith(pair[1])]


@pytest.mark.parametrize(
    ("tag", "language"),
    [
        ("EN", "en"),
        ("it-IT", "it"),
        ("it_IT.UTF-8", "it"),
        ("es-419", "es"),
        ("de_DE@euro", "de"),
        ("zh-Hans", "zh"),
        ("zh_CN", "zh"),
        ("zh-Hans-SG", "zh"),
        ("ja-JP", "ja"),
    ],
)
def test_a_language_is_told_by_its_tag_too(tag: str, language: str) -> None:
    """As browsers, operating systems and libraries write it."""
    assert phrases(tag) is phrases(language)


@pytest.mark.parametrize(
    "language", ["xx", "", "-", "pt", "pt-BR", "zh-Hant", "zh_TW", "zh-HK", "C", "eng", None, ["en"]]
)
def test_an_unknown_language_is_told_with_those_there_are(language: object) -> None:
    """The error names what would do."""
    with pytest.raises(ValueError, match=r"language must be one of de, en, .*, zh, or a tag .*\(got "):
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
    assert f"{words.instructions}\n{words.instructions_recall}" == with_recall


# ---------------------------------------------------------------------- what windows do with them


@lru_cache
def made(seed: int, format: str) -> tuple[Transcript, Policy]:
    made = transcript(seed, format, steps=12)
    return made, policies(Random(seed), made.messages)


@by_language
@pytest.mark.filterwarnings("ignore:a budget of")
@pytest.mark.parametrize("format", SHAPES)
def test_F1_F2_H4_hold_in_every_language(format: str, language: str) -> None:
    """A view is counted as it is sent, is no larger than its history, and comes back as it is; in English, too."""
    for seed in range(4):
        history, policy = made(seed, format)
        fitted = Window(policy=policy, format=format, language=language).fit(history.messages)
        assert longturn.estimate(fitted.messages) == fitted.tokens <= fitted.tokens_before
        again = Window(policy=policy, format=format, language=language).fit(fitted.messages)
        assert again.messages == fitted.messages
        if fitted.fits:
            assert Window(policy=policy, format=format).fit(fitted.messages).messages == fitted.messages


def rounds(count: int) -> list[Any]:
    history: list[Any] = [{"role": "user", "content": "Count the words."}]
    for number in range(count):
        use = {"type": "tool_use", "id": f"call_{number}", "name": "read", "input": {}}
        result = {"type": "tool_result", "tool_use_id": f"call_{number}", "content": LONG}
        history += [{"role": "assistant", "content": [use]}, {"role": "user", "content": [result]}]
    return history


@by_language
def test_C3_clearing_a_result_of_the_least_size_shrinks_it(language: str) -> None:
    """Whatever the language, the note is smaller than the smallest result that may be cleared."""
    history = rounds(12)
    for message in history[2::2]:
        message["content"][0]["content"] = "word" * 160
    for policy in (Policy(budget=1_800), Policy(budget=1_800, recall_tools=("read",))):
        fitted = Window(policy=policy, language=language).fit(history)
        assert len(fitted.cleared) >= 4
        assert fitted.tokens <= fitted.tokens_before - 80 * len(fitted.cleared)


@by_language
def test_C4_a_view_of_another_language_is_known_again(language: str) -> None:
    """Its note about left-out messages stays the only one."""
    saved = cut(rounds(5), language=language).messages
    note = phrases(language).left_out
    assert saved[0]["content"] == f"Count the words.\n\n{note}"
    again = cut([*saved, *rounds(5)[1:]])
    assert again.messages[0] is saved[0]


def test_languages_that_nobody_needs_are_not_read() -> None:
    """Only a text in brackets can be a note; English is there for the recall tool."""
    code = (
        "import sys, longturn; window = longturn.Window(1_000, language='it-IT');"
        "window.fit([{'role': 'user', 'content': 'Count [all] the words.'}]);"
        "print(*sorted(name for name in sys.modules if name.startswith('longturn.wording.')))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == [f"longturn.wording.{name}" for name in ("english", "italian", "phrases")]
