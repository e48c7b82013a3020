"""``longturn bench`` and ``longturn demo``: what they show is what was measured and replayed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import longturn
from longturn.cli import main, measuring
from longturn.cli.made_up import LANGUAGES, agent_run, prose


@pytest.fixture
def _fast(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(measuring, "_SECONDS", 0.0)
    monkeypatch.setattr(measuring, "_TEXT_CHARS", 500)
    monkeypatch.setattr(measuring, "_CALLS", 5)


@pytest.mark.usefixtures("_fast")
def test_bench_measures_each_way(capsys: pytest.CaptureFixture[str]) -> None:
    """Texts in four ways, a history in three; ours and the twin agree."""
    assert main(["bench", "--json"]) == 0
    value = json.loads(capsys.readouterr().out)
    assert longturn.BACKEND in value["machine"]
    rows = value["measured"]
    assert len(rows) == 4 * len(LANGUAGES) + 3
    assert all(row["seconds"] >= 0 for row in rows)
    for language in LANGUAGES:
        answers = {row["way"]: row["answer"] for row in rows if row["what"] == f"{language} text"}
        assert answers["longturn"] == answers["plain-Python twin"] == longturn.estimate(prose(language, 500))
        assert answers["characters / 4"] == 125


@pytest.mark.usefixtures("_fast")
def test_bench_prints_a_table(capsys: pytest.CaptureFixture[str]) -> None:
    """Ours is 1 of itself."""
    assert main(["bench"]) == 0
    out = capsys.readouterr().out
    assert "times longturn's" in out
    assert "A step of fitting that history, one call longer:" in out


def test_the_demo_shows_a_run_that_fits(capsys: pytest.CaptureFixture[str]) -> None:
    """The same one everywhere, with nothing but the package."""
    assert main(["demo", "--json"]) == 0
    value = json.loads(capsys.readouterr().out)
    run = value["run"]
    assert run["fitted"]["over_budget"] == 0 < run["without"]["over_budget"]
    assert run["fitted"]["largest"] <= 60_000 < run["without"]["largest"]
    assert run["cost_ratio"] < 1
    assert [row["tokens"] for row in value["texts"]] == [longturn.estimate(prose(name, 8_000)) for name in LANGUAGES]


def test_the_demo_shows_every_sentence(capsys: pytest.CaptureFixture[str]) -> None:
    """The model's note, the instructions, the person's sentence."""
    assert main(["demo"]) == 0
    out = capsys.readouterr().out
    assert "[This tool result was cleared" in out
    assert longturn.Window(60_000).instructions() in out
    assert "Start a new chat for the next step" in out


def test_the_made_up_run_is_the_same_everywhere() -> None:
    """A number of calls names a run."""
    assert agent_run(20) == agent_run(20)
    assert longturn.estimate(agent_run(20)) == longturn.estimate(agent_run(20)[:20]) + longturn.estimate(
        agent_run(20)[20:]
    )


def test_the_demonstration_has_a_page_and_a_picture(tmp_path: Path) -> None:
    """For those who have no session to replay."""
    pytest.importorskip("matplotlib")
    html, png = tmp_path / "demo.html", tmp_path / "demo.png"
    assert 0 == main(["demo", "--html", str(html), "--png", str(png)])
    assert "a made-up run" in html.read_text(encoding="utf-8")
    assert png.read_bytes().startswith(b"\x89PNG")
