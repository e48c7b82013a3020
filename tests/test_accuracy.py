"""Estimates by profile against true counts, on real text in fifty languages and forty kinds of tool output."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random
from statistics import fmean, median
from typing import Any, NamedTuple

import pytest

import longturn
from longturn import Profile

TOKENIZERS = {
    "openai": "o200k", "openai-cl100k": "cl100k", "claude": "claude3", "claude-4.7": "claude47", "gemini": "gemma3",
    "llama": "llama3", "mistral": "tekken", "deepseek": "deepseek", "qwen": "qwen35",
}  # fmt: skip


class Text(NamedTuple):
    """A text, what it is an example of, and its tokens by tokenizer."""

    text: str
    type: str
    tokens: dict[str, int]


@pytest.fixture(scope="module")
def texts(data: Path) -> list[Text]:
    """Return the corpus."""
    rows = map(json.loads, (data / "corpus" / "tokens.jsonl").read_text(encoding="utf-8").splitlines())
    return [Text(_read(data / "corpus" / f"{row['id']}.txt"), row["type"], row["tokens"]) for row in rows]


def _read(path: Path) -> str:
    with path.open(encoding="utf-8", newline="") as file:
        return file.read()


def _errors(texts: Sequence[Text], profile: Any, truth: Callable[[Text], int]) -> list[float]:
    return [longturn.estimate(text.text, profile=profile) / truth(text) - 1 for text in texts]


def _alike(texts: Sequence[Text], values: Sequence[float]) -> float:
    """Return the mean over types of their means."""
    types: dict[str, list[float]] = {}
    for text, value in zip(texts, values, strict=True):
        types.setdefault(text.type, []).append(value)
    return fmean(map(fmean, types.values()))


@pytest.mark.parametrize(("profile", "tokenizer"), TOKENIZERS.items(), ids=TOKENIZERS)
class TestFamily:
    """What holds for every family of models."""

    def test_mean_error_is_small(self, profile: str, tokenizer: str, texts: list[Text]) -> None:
        """Types alike, within 6 percent; as often too high as too low; nothing far below the truth."""
        errors = _errors(texts, profile, lambda text: text.tokens[tokenizer])
        assert _alike(texts, [abs(error) for error in errors]) < 0.06
        assert abs(_alike(texts, errors)) < 0.02
        assert min(errors) > -0.4

    def test_margin_makes_up_for_nine_in_ten(self, profile: str, tokenizer: str, texts: list[Text]) -> None:
        """Estimates times the margin fall short about once in ten times, types alike."""
        margin = Profile.named(profile).margin
        errors = _errors(texts, profile, lambda text: text.tokens[tokenizer])
        assert _alike(texts, [(1 + error) * margin < 1 for error in errors]) < 0.1

    def test_conversations_come_out_right(self, profile: str, tokenizer: str, texts: list[Text]) -> None:
        """Errors of forty mixed texts cancel: nine conversations in ten are within 8 percent."""
        draw = Random(7)
        by_type: dict[str, list[tuple[int, int]]] = {}
        for text in texts:
            pair = (longturn.estimate(text.text, profile=profile), text.tokens[tokenizer])
            by_type.setdefault(text.type, []).append(pair)
        totals = []
        for _ in range(300):
            picked = [draw.choice(by_type[draw.choice(sorted(by_type))]) for _ in range(40)]
            totals.append(sum(estimated for estimated, _ in picked) / sum(counted for _, counted in picked) - 1)
        totals.sort()
        assert totals[15] > -0.08
        assert totals[285] < 0.08

    def test_it_beats_the_script_rule(self, profile: str, tokenizer: str, texts: list[Text]) -> None:
        """By far: else nobody needs it."""
        own = _errors(texts, profile, lambda text: text.tokens[tokenizer])
        rule = _errors(texts, "script", lambda text: text.tokens[tokenizer])
        assert 3 * _alike(texts, list(map(abs, own))) < _alike(texts, list(map(abs, rule)))


def test_unknown_models_are_not_underestimated(texts: list[Text]) -> None:
    """The cautious profile times its margin covers whatever tokenizer counts most, nine times in ten."""
    margin = Profile.named("cautious").margin
    errors = _errors(texts, "cautious", lambda text: max(text.tokens[name] for name in TOKENIZERS.values()))
    assert _alike(texts, [(1 + error) * margin < 1 for error in errors]) < 0.1
    assert min(errors) > -0.3


def test_script_rule_falls_short_of_its_margin_once_in_ten(texts: list[Text]) -> None:
    """On the family that it falls shortest on."""
    errors = _errors(texts, "script", lambda text: text.tokens["claude47"])
    margin = Profile.named("script").margin
    assert _alike(texts, [(1 + error) * margin < 1 for error in errors]) < 0.1


# ---------------------------------------------------------------------- what a provider reported


def _rounds(lines: Sequence[str]) -> list[tuple[list[dict[str, Any]], int]]:
    """Return the messages between two requests of a recorded session, and by how much the reported input grew."""
    rounds: list[tuple[list[dict[str, Any]], int]] = []
    new: list[dict[str, Any]] = []
    before = 0
    for row in map(json.loads, lines):
        message = row.get("message") or {"role": "", "content": []}
        if message["role"] == "assistant":
            usage = message["usage"]
            counted = usage["input"] + usage["cacheRead"] + usage["cacheWrite"]
            if before and new and counted > before:
                rounds.append((new, counted - before))
            before, new = counted, [{"role": "assistant", "content": list(map(_block, message["content"]))}]
        elif message["role"] == "toolResult":
            result = {"type": "tool_result", "tool_use_id": message["toolCallId"], "content": message["content"]}
            new.append({"role": "user", "content": [result]})
        else:
            before = 0  # the person's turns, and what the program did in between
    return [(_merged(messages), grown) for messages, grown in rounds if not _has_thought(messages[0])]


def _has_thought(message: dict[str, Any]) -> bool:
    """Tell whether a message holds thinking, which the provider may leave out when it comes back."""
    return any(block["type"] == "thinking" for block in message["content"])


def _block(block: dict[str, Any]) -> dict[str, Any]:
    if block["type"] != "toolCall":
        return block
    return {"type": "tool_use", "id": block["id"], "name": block["name"], "input": block["arguments"]}


def _merged(messages: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return results that follow each other as one message, as they are sent."""
    results = [block for message in messages[1:] for block in message["content"]]
    return [messages[0], {"role": "user", "content": results}] if results else messages[:1]


def test_rounds_of_a_recorded_session_come_out_right(data: Path) -> None:
    """Calls, results and what is around them, against the growth of the input that Claude Opus 4.5 reported."""
    session = data / "traces" / "pi-session" / "pi-before-compaction.jsonl"
    if not session.exists():
        pytest.skip("the recorded session is not there")
    rounds = _rounds(session.read_text(encoding="utf-8").splitlines())
    estimated = [longturn.estimate(messages, profile="claude") for messages, _ in rounds]
    assert len(rounds) > 200
    assert median(size / grown for size, (_, grown) in zip(estimated, rounds, strict=True)) == pytest.approx(
        1, abs=0.06
    )
    small = [(size, grown) for size, (_, grown) in zip(estimated, rounds, strict=True) if grown < 400]
    assert sum(size for size, _ in small) / sum(grown for _, grown in small) == pytest.approx(1, abs=0.06)
