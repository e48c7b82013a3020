"""The command: saved runs in any of their forms, counts of files, and errors that say what to do."""

from __future__ import annotations

import io
import itertools
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import longturn
from longturn.cli import main
from longturn.cli.records import Prices
from longturn.cli.replay import replay, request_points, shared
from longturn.formats.anthropic import Anthropic
from longturn.formats.detect import FORMATS

Message = dict[str, Any]


def call(number: int) -> Message:
    block = {"type": "tool_use", "id": f"toolu_{number}", "name": "read", "input": {"n": number}}
    return {"role": "assistant", "content": [block]}


def result(number: int, text: str) -> Message:
    block = {"type": "tool_result", "tool_use_id": f"toolu_{number}", "content": text}
    return {"role": "user", "content": [block]}


def run_of(rounds: int, chars: int = 8_000) -> list[Message]:
    """Return a sub-agent's run: one instruction, then so many rounds of about ``chars / 4`` tokens."""
    history: list[Message] = [{"role": "user", "content": "Read everything."}]
    for number in range(rounds):
        history += [call(number), result(number, "x" * chars)]
    return history


def chat_run(rounds: int) -> list[Message]:
    """Return the same in OpenAI's shape."""
    history: list[Message] = [{"role": "user", "content": "Read everything."}]
    for number in range(rounds):
        function = {"name": "read", "arguments": json.dumps({"n": number})}
        calls = [{"id": f"call_{number}", "type": "function", "function": function}]
        history.append({"role": "assistant", "content": None, "tool_calls": calls})
        history.append({"role": "tool", "tool_call_id": f"call_{number}", "content": "x" * 8_000})
    return history


# ---------------------------------------------------------------------- replay: what is reported


def test_the_worked_example_is_reported(saved: Any, capsys: pytest.CaptureFixture[str]) -> None:
    """Budget 10,000, results of 2,000: the cut moves at the fifth round and at the ninth ([H1])."""
    assert main(["replay", saved(run_of(9)), "--budget", "10_000", "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    stages = {row["stage"]: (row["cuts"], row["requests"]) for row in report["stages"]}
    assert stages == {"whole": (0, 5), "cleared": (2, 5), "turns": (0, 0), "rounds": (0, 0)}
    assert len(report["requests"]) == 10
    assert report["without"]["over_budget"] == 5
    assert report["fitted"]["over_budget"] == 0
    assert report["fitted"]["prefix_breaks"] == 2
    assert report["cleared"] == [{"tool": "read", "results": 8, "tokens": 16_000}]
    assert report["fitted"]["largest"] <= 10_000 < report["without"]["largest"]


def test_the_report_for_people_has_the_same_numbers(saved: Any, capsys: pytest.CaptureFixture[str]) -> None:
    """One table, the stages, what was cleared."""
    assert main(["replay", saved(run_of(9)), "--budget", "10k"]) == 0
    out = capsys.readouterr().out
    assert "19 messages, 10 requests, format anthropic" in out
    assert "Budget: 10,000 tokens a request" in out
    assert ["read", "8", "16,000"] in [row.split() for row in out.splitlines()]
    assert "request 6: it would have been 10,122 tokens, 122 over the budget: 4 results cleared" in out


def test_sums_and_cache_are_those_of_a_second_count() -> None:
    """Longest common beginning with the request before, counted from scratch with ``estimate``."""
    history = run_of(12)
    window = longturn.Window(10_000)
    report = replay(history, window, system="Be brief.", prices=Prices(read=0.5, write=2))
    requests = [
        longturn.Window(10_000).fit(history[:point], system="Be brief.")
        for point in request_points(history, FORMATS["anthropic"])
    ]
    sent = sum(request.tokens for request in requests)
    cached = 0
    for before, after in itertools.pairwise(requests):
        common = shared(before.messages, after.messages)
        # `Be brief.` is 9 quarter-tokens, which round up together with the messages.
        cached += -(-(9 + sum(4 * longturn.estimate([m]) for m in after.messages[:common])) // 4)
    assert report.fitted.tokens_sent == sent
    assert abs(report.fitted.tokens_cached - cached) <= 12 * len(requests)
    assert report.fitted.cost == 0.5 * report.fitted.tokens_cached + 2 * (sent - report.fitted.tokens_cached)
    assert report.fitted.cost < report.without.cost
    assert report.cost_ratio == report.fitted.cost / report.without.cost


def test_a_request_is_made_before_each_run_of_model_messages_and_at_the_end() -> None:
    """Two model messages in a row were one answer."""
    history = [
        {"role": "user", "content": "a"},
        {"role": "assistant", "content": "b"},
        {"role": "assistant", "content": "c"},
        {"role": "user", "content": "d"},
    ]
    assert list(request_points(history, FORMATS["anthropic"])) == [1, 4]
    assert list(request_points(history[1:], FORMATS["anthropic"])) == [3]


def test_without_hold_the_cut_slides(saved: Any, capsys: pytest.CaptureFixture[str]) -> None:
    """The option reaches the policy ([H3])."""
    breaks = []
    for option in ([], ["--no-hold"]):
        assert main(["replay", saved(run_of(60, 2_000)), "--budget", "5k", "--json", *option]) == 0
        breaks.append(json.loads(capsys.readouterr().out)["fitted"]["prefix_breaks"])
    assert breaks[0] < breaks[1]


def test_prices_are_adjustable(saved: Any, capsys: pytest.CaptureFixture[str]) -> None:
    """With a free cache only fresh tokens cost."""
    options = ["--read-price", "0", "--write-price", "1", "--json"]
    assert main(["replay", saved(run_of(3)), *options]) == 0
    report = json.loads(capsys.readouterr().out)
    without = report["without"]
    assert without["cost"] == without["tokens_sent"] - without["tokens_cached"]
    assert report["cost_ratio"] == 1


def test_a_step_reads_its_new_messages_only(monkeypatch: pytest.MonkeyPatch) -> None:
    """One window over growing slices: a thousand calls read each message a few times, not a thousand ([P1])."""
    reads = itertools.count()
    read = Anthropic.read

    def counting(self: Anthropic, message: Message) -> Any:
        next(reads)
        return read(self, message)

    monkeypatch.setattr(Anthropic, "read", counting)
    history = run_of(1_000, 400)
    report = replay(history, longturn.Window(20_000), shape="anthropic")
    assert len(report.requests) == 1_001
    assert report.moves
    assert next(reads) <= 5 * len(history)


# ---------------------------------------------------------------------- replay: forms of input


def test_a_request_body_brings_its_system_prompt_and_tools(saved: Any, capsys: pytest.CaptureFixture[str]) -> None:
    """They are part of every request."""
    history = run_of(2)
    body = {"model": "m", "system": "s" * 4_000, "tools": [{"name": "read"}], "messages": history}
    sizes = []
    for value in (history, body, {"body": body, "http_status": 200}):
        assert main(["replay", saved(value), "--json"]) == 0
        sizes.append(json.loads(capsys.readouterr().out)["without"]["largest"])
    extra = 1_000 + longturn.estimate([], [{"name": "read"}])
    assert sizes[0] + extra - 2 <= sizes[1] <= sizes[0] + extra
    assert sizes[2] == sizes[1]


def test_a_system_prompt_can_come_from_a_file(saved: Any, capsys: pytest.CaptureFixture[str]) -> None:
    """A session log does not hold it."""
    prompt = saved("s" * 4_000, "prompt.txt")
    assert main(["replay", saved(run_of(1)), "--json", "--system", prompt]) == 0
    assert json.loads(capsys.readouterr().out)["without"]["largest"] > 3_000


def test_a_chat_history_is_told_apart(saved: Any, capsys: pytest.CaptureFixture[str]) -> None:
    """And can be named, too."""
    for options in ([], ["--format", "openai-chat"]):
        assert main(["replay", saved(chat_run(9)), "--budget", "10k", "--json", *options]) == 0
        report = json.loads(capsys.readouterr().out)
        assert report["format"] == "openai-chat"
        assert report["cleared"][0]["results"] == 8


def test_lines_of_messages_are_a_history(saved: Any, capsys: pytest.CaptureFixture[str]) -> None:
    """One message a line."""
    lines = "\n".join(map(json.dumps, run_of(3)))
    assert main(["replay", saved(lines, "run.jsonl"), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["messages"] == 7


def test_standard_input_is_read(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """For ``-``."""
    data = io.BytesIO(b"\xef\xbb\xbf" + json.dumps(run_of(2)).encode())  # with a byte order mark
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(data))
    assert main(["replay", "-"]) == 0
    assert capsys.readouterr().out.startswith("standard input: 5 messages, 3 requests")


def test_a_history_on_the_server_is_said_to_be_incomplete(saved: Any, capsys: pytest.CaptureFixture[str]) -> None:
    """Only what the file has can be replayed ([V8])."""
    body = {"previous_response_id": "resp_1", "input": "Go on."}
    assert main(["replay", saved(body)]) == 0
    assert "the provider holds the earlier part" in capsys.readouterr().err


# ---------------------------------------------------------------------- replay: bad input

BAD = {
    "broken": ('[{"role": "user",\n "content": }]', "line 2, column 13"),
    "empty": ("", "is empty"),
    "blank": (" \n ", "is empty"),
    "binary": (b"\x89PNG\r\n\x1a\n\x00\x00", "is not UTF-8 text: byte 0x89, line 1"),
    "no messages": ("[]", "empty list"),
    "a number": ("42", "is a JSON number"),
    "a text": ('"hello"', "is a JSON string"),
    "null": ("null", "is a JSON null"),
    "an object": ('{"model": "m", "prompt": "x"}', "an object with the keys model, prompt"),
    "no object": ('[{"role": "user", "content": "a"}, "b"]', "message 1 is a JSON string"),
    "no message": ('[{"role": "user", "content": "a"}, {"text": "b"}]', "messages[1]"),
    "too deep": ("[" * 200_000, "nested too deeply"),
    "not a list": ('{"messages": {"a": 1}}', "messages is a JSON object"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_input_ends_with_code_2_and_says_what_was_seen(
    name: str, saved: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    """One line, no traceback."""
    content, expected = BAD[name]
    assert main(["replay", saved(content)]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith("longturn: error: ")
    assert expected in captured.err
    assert captured.err.count("\n") == 1


def test_other_logs_are_refused_by_name(saved: Any, capsys: pytest.CaptureFixture[str]) -> None:
    """What was seen, and what is expected."""
    lines = '{"type": "tick", "at": {}}\n{"type": "alarm", "at": {}}'
    assert main(["replay", saved(lines, "events.jsonl")]) == 2
    err = capsys.readouterr().err
    assert "lines of the types alarm, tick" in err
    assert "a session of Claude Code, Codex" in err


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Missing, or a folder."""
    for path, said in ((tmp_path / "missing.json", "cannot read "), (tmp_path, "there are no texts in the folder ")):
        assert main(["replay", str(path)]) == 2
        assert f"{said}{path}" in capsys.readouterr().err


@pytest.mark.parametrize("number", ["3", "-1"])
def test_a_thread_that_is_not_there_is_refused(number: str, saved: Any, capsys: pytest.CaptureFixture[str]) -> None:
    """Says which there are."""
    assert main(["replay", saved(run_of(1)), "--thread", number]) == 2
    assert f"there is no thread {number}; the file has 0 to 0" in capsys.readouterr().err


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["replay", "f", "--budget", "many"],
        ["replay", "f", "--budget", "0"],
        ["replay", "f", "--budget", "-3k"],
        ["replay", "f", "--format", "morse"],
        ["replay", "f", "--read-price", "nan"],
        ["shrink"],
    ],
)
def test_wrong_arguments_end_with_code_2(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """Before anything is read."""
    with pytest.raises(SystemExit) as ended:
        main(arguments)
    assert ended.value.code == 2
    assert "usage: longturn" in capsys.readouterr().err


# ---------------------------------------------------------------------- as a process


def environment() -> dict[str, str]:
    """Return an environment in which a process finds the package that is being tested."""
    return os.environ | {"PYTHONPATH": str(Path(longturn.__file__).parent.parent)}


def python(*arguments: str, **options: Any) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment(),
        **options,
    )


def test_the_package_runs_as_a_module() -> None:
    """``python -m longturn --version``."""
    with python("-m", "longturn", "--version") as process:
        out, err = process.communicate(timeout=60)
    assert process.returncode == 0
    assert out.startswith(b"longturn ")
    assert err == b""


def test_a_reader_that_leaves_is_no_error(tmp_path: Path) -> None:
    """``longturn estimate … | head``: nothing on standard error."""
    name = str(tmp_path / "a.txt")
    Path(name).write_text("a", encoding="utf-8")
    with python("-m", "longturn", "estimate", *[name] * 2_000) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        err = process.stderr.read()
    assert err == b""
    assert process.returncode == 141


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="a device that is always full is Linux's")
def test_a_full_disk_is_said(saved: Any) -> None:
    """One line, exit code 1."""
    program = "import sys; from longturn.cli import main; sys.exit(main(['estimate', sys.argv[1]]))"
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [sys.executable, "-c", program, saved("a")],
            stdout=full, stderr=subprocess.PIPE, env=environment(), timeout=60, check=False,
        )  # fmt: skip
    assert done.returncode == 1
    assert done.stderr.startswith(b"longturn: error: cannot write the output")


def test_a_terminal_without_the_letters_still_gets_a_report(saved: Any) -> None:
    """Letters it can't show are escaped."""
    history = run_of(9)
    for message in history[1::2]:
        message["content"][0]["name"] = "чтение"
    name = saved(history)
    program = f"import sys; from longturn.cli import main; sys.exit(main(['replay', {name!r}, '--budget', '10k']))"
    with python("-X", "utf8=0", "-c", program, cwd=Path(name).parent) as process:
        process.communicate(timeout=60)
    assert process.returncode == 0
