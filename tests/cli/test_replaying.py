"""``longturn replay`` of many runs, and of the sessions that this machine has."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import longturn
from longturn.cli import main

Message = dict[str, Any]


def claude(rounds: int) -> str:
    """Return a session of Claude Code."""
    lines: list[Message] = [{"type": "user", "uuid": "u", "message": {"role": "user", "content": "Do it."}}]
    for number in range(rounds):
        use = {"type": "tool_use", "id": f"t{number}", "name": "read", "input": {}}
        result = {"type": "tool_result", "tool_use_id": f"t{number}", "content": "x" * 8_000}
        lines.append({"type": "assistant", "uuid": f"a{number}", "message": {"id": f"m{number}", "content": [use]}})
        lines.append({"type": "user", "uuid": f"r{number}", "message": {"role": "user", "content": [result]}})
    return "\n".join(map(json.dumps, lines))


def codex() -> str:
    item = {"type": "message", "role": "user", "content": "Do it."}
    return json.dumps({"type": "response_item", "payload": item}) + "\n"


@pytest.fixture
def home(tmp_path: Path, saved: Any, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a home with sessions of both agents."""
    monkeypatch.setattr(Path, "home", lambda: tmp_path)
    for variable in ("CLAUDE_CONFIG_DIR", "CODEX_HOME"):
        monkeypatch.delenv(variable, raising=False)
    saved(claude(9), ".claude/projects/-srv-p/one.jsonl")
    saved(claude(1), ".claude/projects/-srv-p/two.jsonl")
    saved(codex(), ".codex/sessions/2026/11/30/rollout-1.jsonl")
    return tmp_path


def test_sessions_of_this_machine_are_found(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Of both agents, or of one; what fits as it is is summed up in a line."""
    assert main(["replay", "--find", "--budget", "10k", "--json"]) == 0
    runs = json.loads(capsys.readouterr().out)["runs"]
    moves = {Path(run["name"]).name: run["moves"] for run in runs}
    assert moves == {"one.jsonl": 2, "two.jsonl": 0, "rollout-1.jsonl": 0}
    assert main(["replay", "--find", "claude-code", "--budget", "10k"]) == 0
    out = capsys.readouterr().out
    assert "one.jsonl" in out
    assert "Of 1 more run every request fits as it is." in out
    assert main(["replay", "--find", "codex"]) == 0
    assert "1 message, 1 request, format openai-responses" in capsys.readouterr().out


def test_folders_of_agents_can_be_elsewhere(
    home: Path, saved: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Where the agents' own variables say."""
    saved(codex(), "elsewhere/sessions/2026/rollout-2.jsonl")
    monkeypatch.setenv("CODEX_HOME", str(home / "elsewhere"))
    assert main(["replay", "--find", "codex", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["name"].endswith("rollout-2.jsonl")


def test_a_machine_without_sessions_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """And where was looked."""
    for variable in ("CLAUDE_CONFIG_DIR", "CODEX_HOME"):
        monkeypatch.setenv(variable, str(tmp_path / "none"))
    assert main(["replay", "--find"]) == 2
    assert f"there are no sessions in {tmp_path / 'none'} or {tmp_path / 'none'}" in capsys.readouterr().err


def test_many_runs_are_summed_up(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A row each, and the total."""
    folder = home / ".claude" / "projects" / "-srv-p"
    assert main(["replay", str(folder / "one.jsonl"), str(folder / "one.jsonl"), "--budget", "10k"]) == 0
    *_, total = (row.split() for row in capsys.readouterr().out.splitlines() if row.strip())
    assert total[:3] == ["total", "20", "10"]


def test_one_broken_run_does_not_keep_the_others(home: Path, saved: Any, capsys: pytest.CaptureFixture[str]) -> None:
    """It is named, and the exit code tells."""
    folder = home / ".claude" / "projects" / "-srv-p"
    saved("{", ".claude/projects/-srv-p/broken.jsonl")
    assert main(["replay", str(folder), "--json"]) == 2
    captured = capsys.readouterr()
    value = json.loads(captured.out)
    assert (len(value["runs"]), value["unread"]) == (2, 1)
    assert "broken.jsonl is broken JSON" in captured.err
    assert main(["replay", str(folder), "--threads"]) == 2
    assert "look into one file (got 3 files)" in capsys.readouterr().err


def test_nothing_to_replay_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    """Neither file nor --find."""
    assert main(["replay"]) == 2
    assert "no run is named" in capsys.readouterr().err


NAMED = [{"role": "user", "content": "Сделай это. " * 400}]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ([], "Sizes are estimates, measured as openai (the session names gpt-5)."),
        (["--profile", "script"], "Sizes are estimates."),
        (["--profile", "claude"], "Sizes are estimates, measured as claude."),
        (["--model", "claude-opus-4-7"], "Sizes are estimates, measured as claude-4.7."),
    ],
)
def test_sizes_are_those_of_the_model_that_the_session_names(
    options: list[str], said: str, saved: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    """Unless something else is asked for; the report says which."""
    name = saved({"model": "gpt-5", "messages": NAMED})
    assert 0 == main(["replay", name, *options])
    assert said in capsys.readouterr().out
    assert 0 == main(["replay", name, *options, "--json"])
    report = json.loads(capsys.readouterr().out)
    assert longturn.estimate(NAMED, profile=report["profile"]) == report["without"]["largest"]
    assert report["model"] == (None if options else "gpt-5")


def test_a_model_nobody_knows_is_measured_by_the_rule(saved: Any, capsys: pytest.CaptureFixture[str]) -> None:
    """Guessing would not be nearer."""
    assert 0 == main(["replay", saved({"model": "m", "messages": NAMED}), "--json"])
    assert "script" == json.loads(capsys.readouterr().out)["profile"]


def test_a_tiny_run_is_replayed_at_the_usual_budget(saved: Any, capsys: pytest.CaptureFixture[str]) -> None:
    """Half of a greeting would show nothing, and warn of a budget that nobody chose."""
    assert 0 == main(["replay", saved([{"role": "user", "content": "Hello."}])])
    told = capsys.readouterr()
    assert "Budget: 200,000 tokens" in told.out
    assert "" == told.err


def test_what_cannot_be_measured_is_an_error(saved: Any, capsys: pytest.CaptureFixture[str]) -> None:
    """A sentence, before a budget is found for it."""
    assert 2 == main(["replay", saved('[{"role": "user", "content":' + "[" * 900 + "]" * 900 + "}]")])
    assert "nested more than 256 levels deep" in capsys.readouterr().err
