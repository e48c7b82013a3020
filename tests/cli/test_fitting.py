"""``longturn fit``: what comes out can be sent as it is."""

from __future__ import annotations

import io
import json
import sys
from typing import Any

import pytest

from longturn import Policy, Window
from longturn.cli import main
from longturn.wording import phrases

Message = dict[str, Any]


def run_of(rounds: int, chars: int = 8_000) -> list[Message]:
    history: list[Message] = [{"role": "user", "content": "Read everything."}]
    for number in range(rounds):
        use = {"type": "tool_use", "id": f"t{number}", "name": "read", "input": {"n": number}}
        result = {"type": "tool_result", "tool_use_id": f"t{number}", "content": "x" * chars}
        history += [{"role": "assistant", "content": [use]}, {"role": "user", "content": [result]}]
    return history


def fitted(capsys: pytest.CaptureFixture[str], *arguments: str, code: int = 0) -> tuple[Any, str]:
    """Return the request that comes out, and the summary."""
    assert main(["fit", *arguments]) == code
    captured = capsys.readouterr()
    return json.loads(captured.out), captured.err


def test_a_list_comes_out_as_a_list(saved: Any, capsys: pytest.CaptureFixture[str]) -> None:
    """What a window sends; the summary goes elsewhere."""
    messages, summary = fitted(capsys, saved(run_of(9)), "--budget", "10k")
    assert messages == Window(10_000).fit(run_of(9)).messages
    assert "2,449 tokens of 10,000; 18,213 before; stage: cleared" in summary
    assert "8 results cleared, 0 messages left out" in summary


def test_a_body_comes_out_as_a_body(saved: Any, capsys: pytest.CaptureFixture[str]) -> None:
    """With all else in it."""
    body = {"model": "m", "max_tokens": 5, "system": "Be brief.", "messages": run_of(9)}
    request, _ = fitted(capsys, saved(body), "--budget", "10k")
    assert request == Window(10_000).fit_request(body).request
    assert {key: request[key] for key in ("model", "max_tokens", "system")} == {
        "model": "m", "max_tokens": 5, "system": "Be brief."
    }  # fmt: skip


def test_a_session_comes_out_as_its_messages(saved: Any, capsys: pytest.CaptureFixture[str]) -> None:
    """Of the conversation asked for."""
    lines = [{"messages": [{"role": "user", "content": text}]} for text in ("One.", "Two.")]
    name = saved("\n".join(map(json.dumps, lines)), "log.jsonl")
    messages, _ = fitted(capsys, name, "--thread", "1")
    assert messages == lines[1]["messages"]
    assert main(["fit", name, "--thread", "2"]) == 2
    assert "there is no thread 2" in capsys.readouterr().err


def test_every_option_reaches_the_policy(saved: Any, capsys: pytest.CaptureFixture[str]) -> None:
    """Each of them changes what is sent."""
    history = run_of(30)
    options: dict[str, tuple[list[str], dict[str, Any]]] = {
        "keep_share": (["--keep-share", "0.9"], {"keep_share": 0.9}),
        "batch": (["--batch", "1"], {"batch": 1}),
        "small_result": (["--small-result", "3k"], {"small_result": 3_000}),
        "nothing small": (["--small-result", "0"], {"small_result": 0}),
        "low_water": (["--low-water", "0.9", "--exclude-tool", "read"], {"low_water": 0.9, "exclude_tools": ["read"]}),
        "hold": (["--no-hold"], {"hold": False}),
        "recall": (["--recall-tool", "read"], {"recall_tools": ["read"]}),
        "inputs": (["--clear-tool-inputs"], {"clear_tool_inputs": True}),
        "strip": (["--thinking", "strip", "--strict-roles"], {"thinking": "strip", "strict_roles": True}),
    }
    for arguments, policy in options.values():
        messages, _ = fitted(capsys, saved(history), "--budget", "12k", *arguments)
        assert messages == Window(policy=Policy(budget=12_000, **policy)).fit(history).messages


def test_notes_are_in_the_language_asked_for(saved: Any, capsys: pytest.CaptureFixture[str]) -> None:
    """One of those there are."""
    messages, _ = fitted(capsys, saved(run_of(9)), "--budget", "10k", "--language", "ru")
    assert messages[2]["content"][0]["content"] == phrases("ru").cleared


def test_what_does_not_fit_is_written_all_the_same(saved: Any, capsys: pytest.CaptureFixture[str]) -> None:
    """And the exit code tells."""
    messages, summary = fitted(capsys, saved(run_of(1, 80_000)), "--budget", "10k", code=3)
    assert len(messages) == 3
    assert "over the budget by" in summary


def test_the_summary_can_be_json(saved: Any, capsys: pytest.CaptureFixture[str]) -> None:
    """On standard error still."""
    _, summary = fitted(capsys, saved(run_of(9)), "--budget", "10k", "--json")
    value = json.loads(summary)
    assert (value["stage"], value["fits"], len(value["cleared"])) == ("cleared", True, 8)
    assert value["cleared"][0] == {"call_id": "t0", "tool": "read", "tokens": 2_000}


def test_pipes_work(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """Standard input by default; a fitted history fits as it is ([H4])."""
    data = json.dumps(run_of(9))
    for _ in range(2):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data.encode())))
        messages, _ = fitted(capsys, "--budget", "10k")
        again, data = data, json.dumps(messages)
    assert data == again


def test_half_letters_come_out_as_they_came_in(saved: Any, capsys: pytest.CaptureFixture[str]) -> None:
    """JSON holds them as escapes."""
    history = [{"role": "user", "content": "a\ud800b"}]
    assert fitted(capsys, saved(json.dumps(history)))[0] == history


def test_a_value_out_of_range_is_refused(saved: Any, capsys: pytest.CaptureFixture[str]) -> None:
    """With the policy's own words."""
    assert main(["fit", saved(run_of(1)), "--keep-share", "25"]) == 2
    assert "keep_share must lie between 0 and 1 (got 25.0); pass a fraction" in capsys.readouterr().err


def test_a_system_prompt_counts(saved: Any, capsys: pytest.CaptureFixture[str]) -> None:
    """From a file, where the history has none."""
    prompt = saved("s" * 4_000, "prompt.txt")
    _, summary = fitted(capsys, saved(run_of(1)), "--system", prompt, "--json")
    assert json.loads(summary)["tokens"] == Window(200_000).fit(run_of(1), system="s" * 4_000).tokens
    assert main(["fit", saved({"messages": run_of(1)}), "--system", prompt]) == 2
    assert "is a request body: write the system prompt into it" in capsys.readouterr().err
