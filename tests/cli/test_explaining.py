"""``longturn explain``: a verdict, the numbers, and what to do."""

from __future__ import annotations

import io
import json
import sys
from typing import Any

import pytest

from longturn.cli import explaining, main
from longturn.failures.failure import FailureKind
from longturn.wording import phrases

OVERFLOW = {
    "type": "error",
    "error": {"type": "invalid_request_error", "message": "prompt is too long: 208310 tokens > 200000 maximum"},
}
LIMITED = "RateLimitError: Error code: 429 - {'error': {'message': 'Rate limit reached, please try again in 20s'}}"


def test_an_overflow_is_explained(saved: Any, capsys: pytest.CaptureFixture[str]) -> None:
    """A body: what it means, its numbers, the person's sentence, the remedy."""
    assert main(["explain", saved(OVERFLOW)]) == 0
    out = capsys.readouterr().out
    assert out.startswith("context_overflow: the conversation is longer than the model's window\n")
    assert "208,310 tokens sent, 200,000 tokens allowed" in out
    assert phrases("en").too_long in out
    assert "Fit it to a smaller budget" in out


def test_a_line_of_a_log_is_explained(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """From standard input, by default; as JSON too."""
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(LIMITED.encode())))
    assert main(["explain", "--json"]) == 0
    value = json.loads(capsys.readouterr().out)
    assert (value["kind"], value["retryable"], value["retry_after"]) == ("rate_limited", True, 20)
    assert value["remedy"] == "Wait, then send the same request again."


def test_the_persons_sentence_is_in_their_language(saved: Any, capsys: pytest.CaptureFixture[str]) -> None:
    """One of those there are."""
    assert main(["explain", saved(OVERFLOW), "--language", "ru"]) == 0
    assert phrases("ru").too_long in capsys.readouterr().out


def test_what_nothing_tells_of_ends_with_3(saved: Any, capsys: pytest.CaptureFixture[str]) -> None:
    """All went well, and the answer is no."""
    assert main(["explain", saved("hello", "e.txt")]) == 3
    assert "unknown: nothing tells" in capsys.readouterr().out


def test_a_log_is_summed_up(saved: Any, capsys: pytest.CaptureFixture[str]) -> None:
    """Line by line: how many of each, and where the first is."""
    log = "\n".join([json.dumps(OVERFLOW), "", LIMITED, json.dumps(OVERFLOW), "started"])
    assert main(["explain", "--lines", saved(log, "e.log"), "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)
    assert [(row["kind"], row["lines"], row["first_line"]) for row in rows] == [
        ("context_overflow", 2, 1), ("rate_limited", 1, 3), ("unknown", 1, 5)
    ]  # fmt: skip
    assert main(["explain", "--lines", saved("started\n", "quiet.log")]) == 3
    assert "unknown" in capsys.readouterr().out


def test_empty_and_huge_inputs_are_refused(
    saved: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """An error is neither."""
    assert main(["explain", saved(b" \n", "e.txt")]) == 2
    assert "is empty; an error is expected" in capsys.readouterr().err
    monkeypatch.setattr(explaining, "LARGEST_BYTES", 10)
    assert main(["explain", saved("x" * 11, "e.txt")]) == 2
    assert "--lines reads a log" in capsys.readouterr().err


@pytest.mark.parametrize("kind", FailureKind)
def test_every_kind_has_a_meaning_and_a_remedy(kind: FailureKind) -> None:
    """A kind that is added needs both."""
    meaning, remedy = explaining.MEANINGS[kind]
    assert meaning[0].islower() or meaning.startswith("no")
    assert remedy.endswith(".")
