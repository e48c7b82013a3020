"""The command: saved runs in any of their forms, counts of files, and errors that say what to do."""

from __future__ import annotations

import io
import itertools
import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

import longturn
from longturn.cli import main
from longturn.cli.documents import Line
from longturn.cli.histories import load
from longturn.cli.records import Prices
from longturn.cli.replay import replay, request_points, shared
from longturn.cli.sessions import threads
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


@pytest.fixture
def saved(tmp_path: Path) -> Any:
    """Return a function that writes a file and returns its name."""

    def write(value: Any, name: str = "run.json") -> str:
        path = tmp_path / name
        if isinstance(value, bytes):
            path.write_bytes(value)
        else:
            path.write_text(value if isinstance(value, str) else json.dumps(value), encoding="utf-8")
        return str(path)

    return write


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
    assert "budget: 10,000 tokens a request" in out
    assert "read: 8 results, 16,000 tokens" in out


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


def test_a_thousand_calls_take_no_time() -> None:
    """One window over growing slices: each step costs its new messages only ([P1])."""
    history = run_of(1_000, 400)
    start = time.perf_counter()
    report = replay(history, longturn.Window(20_000))
    assert len(report.requests) == 1_001
    assert time.perf_counter() - start < 5


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


# ---------------------------------------------------------------------- replay: sessions


def line(kind: str, content: Any, uuid: str, parent: str | None, **more: Any) -> Message:
    """Return a line of a session."""
    message = {"role": kind, "content": content} | ({"id": more.pop("id")} if "id" in more else {})
    return {"type": kind, "uuid": uuid, "parentUuid": parent, "isSidechain": False, "message": message} | more


def use(call_id: str, name: str = "read") -> list[Message]:
    return [{"type": "tool_use", "id": call_id, "name": name, "input": {}}]


def answer(call_id: str, text: str = "ok") -> list[Message]:
    return [{"type": "tool_result", "tool_use_id": call_id, "content": text}]


SESSION = [
    {"type": "summary", "summary": "Earlier", "leafUuid": "z"},
    {"type": "file-history-snapshot", "messageId": "m", "snapshot": {}},
    line("user", "Do it.", "a", None),
    line("assistant", [{"type": "text", "text": "Both at once."}], "b", "a", id="msg_1"),
    line("assistant", use("t1"), "c", "b", id="msg_1"),
    line("assistant", use("t2", "Task"), "d", "c", id="msg_1"),
    line("user", answer("t1"), "e", "c", toolUseResult={"a": 1}),
    line("user", "You are a sub-agent.", "s1", None, isSidechain=True),
    line("assistant", use("t3"), "s2", "s1", isSidechain=True, id="msg_2"),
    line("user", answer("t3"), "s3", "s2", isSidechain=True),
    line("assistant", [{"type": "text", "text": "Found."}], "s4", "s3", isSidechain=True, id="msg_3"),
    {"type": "system", "subtype": "info", "uuid": "f", "parentUuid": "d", "content": "…"},
    line("user", answer("t2", "Found."), "g", "f"),
    line("assistant", [{"type": "text", "text": "Done."}], "h", "g", id="msg_4"),
]

MAIN = [
    {"role": "user", "content": "Do it."},
    {
        "role": "assistant",
        "content": [{"type": "text", "text": "Both at once."}, *use("t1"), *use("t2", "Task")],
    },
    {"role": "user", "content": answer("t1")},
    {"role": "user", "content": answer("t2", "Found.")},
    {"role": "assistant", "content": [{"type": "text", "text": "Done."}]},
]


def lines_of(values: list[Any]) -> list[Line]:
    return [Line(number, value) for number, value in enumerate(values, 1)]


def no_warning(text: str) -> None:
    raise AssertionError(text)


def test_a_session_falls_into_threads() -> None:
    """Blocks of one message together, sub-agents apart, log lines and copies of results left out."""
    found = threads(lines_of(SESSION), no_warning)
    assert [thread.messages for thread in found] == [
        MAIN,
        [
            {"role": "user", "content": "You are a sub-agent."},
            {"role": "assistant", "content": use("t3")},
            {"role": "user", "content": answer("t3")},
            {"role": "assistant", "content": [{"type": "text", "text": "Found."}]},
        ],
    ]
    assert [thread.is_agent for thread in found] == [False, True]


def test_two_sub_agents_side_by_side_are_told_apart() -> None:
    """Their lines may be shuffled together."""
    shuffled = [
        line("user", "One.", "p1", None, isSidechain=True),
        line("user", "Two.", "q1", None, isSidechain=True),
        line("assistant", [{"type": "text", "text": "1"}], "p2", "p1", isSidechain=True),
        line("assistant", [{"type": "text", "text": "2"}], "q2", "q1", isSidechain=True),
    ]
    found = threads(lines_of(shuffled), no_warning)
    assert [next(m["content"] for m in thread.messages) for thread in found] == ["One.", "Two."]
    assert [len(thread.messages) for thread in found] == [2, 2]


def test_an_abandoned_branch_is_left_out() -> None:
    """The prompt was edited: the model never saw the first one again."""
    edited = [
        line("user", "Do it.", "a", None),
        line("assistant", [{"type": "text", "text": "How?"}], "b", "a"),
        line("user", "Wrongly.", "c", "b"),
        line("assistant", [{"type": "text", "text": "No."}], "d", "c"),
        line("user", "Rightly.", "e", "b"),
        line("assistant", [{"type": "text", "text": "Yes."}], "f", "e"),
    ]
    (thread,) = threads(lines_of(edited), no_warning)
    assert [message["content"] for message in thread.messages if message["role"] == "user"] == [
        "Do it.",
        "Rightly.",
    ]


def test_a_chain_that_breaks_goes_on_with_the_line_above() -> None:
    """Compaction leaves parents behind that were never written."""
    broken = [
        line("user", "Do it.", "a", None),
        line("assistant", [{"type": "text", "text": "Yes."}], "b", "a"),
        line("user", "Go on.", "c", "never written"),
    ]
    (thread,) = threads(lines_of(broken), no_warning)
    assert len(thread.messages) == 3


def test_a_summary_is_left_out_where_its_messages_are_there() -> None:
    """The run is replayed as if nothing had been compacted; a log that begins with one keeps it."""
    told: list[str] = []
    summary = line("user", "So far: …", "c", None, isCompactSummary=True, logicalParentUuid="b")
    before = [
        line("user", "Do it.", "a", None),
        line("assistant", [{"type": "text", "text": "Yes."}], "b", "a"),
    ]
    after = [line("assistant", [{"type": "text", "text": "On."}], "d", "c")]
    (thread,) = threads(lines_of([*before, summary, *after]), told.append)
    assert [message["role"] for message in thread.messages] == ["user", "assistant", "assistant"]
    assert "line 3 is left out" in told[0]
    (thread,) = threads(lines_of([summary, *after]), no_warning)
    assert thread.messages[0]["content"] == "So far: …"


def test_the_thread_to_replay_can_be_chosen(saved: Any, capsys: pytest.CaptureFixture[str]) -> None:
    """Listed with ``--threads``, picked with ``--thread``."""
    name = saved("\n".join(map(json.dumps, SESSION)), "s.jsonl")
    assert main(["replay", name, "--threads"]) == 0
    main_row, agent_row = capsys.readouterr().out.splitlines()
    assert "main" in main_row
    assert "5 messages" in main_row
    assert "You are a sub-agent." in agent_row
    assert main(["replay", name, "--threads", "--json"]) == 0
    assert [row["messages"] for row in json.loads(capsys.readouterr().out)] == [5, 4]
    assert main(["replay", name, "--thread", "1"]) == 0
    assert "4 messages, 3 requests, format anthropic" in capsys.readouterr().out
    assert main(["replay", name, "--thread", "2"]) == 2
    assert "there is no thread 2; the session has 0 to 1" in capsys.readouterr().err


def test_the_last_line_of_a_live_file_may_be_cut_off(saved: Any, capsys: pytest.CaptureFixture[str]) -> None:
    """It is being written; a broken line before it is an error."""
    text = "\n".join(map(json.dumps, SESSION))
    assert main(["replay", saved(f'{text}\n{{"type": "us', "s.jsonl")]) == 0
    captured = capsys.readouterr()
    assert "5 messages" in captured.out
    assert "warning: the last line is left out" in captured.err
    assert main(["replay", saved(text.replace('"Do it."', '"Do it.', 1), "s.jsonl")]) == 2
    assert "line 3, column" in capsys.readouterr().err


def test_damaged_lines_are_left_out_and_named(saved: Any, capsys: pytest.CaptureFixture[str]) -> None:
    """Valid JSON, but no entries."""
    values = [SESSION[2], "error", {"silly": 1}, *SESSION[3:6], line("user", None, "y", "d")]
    assert main(["replay", saved("\n".join(map(json.dumps, values)), "s.jsonl")]) == 0
    err = capsys.readouterr().err
    for number in (2, 3, 7):
        assert f"line {number} is left out" in err


def test_a_session_can_be_one_document(saved: Any, capsys: pytest.CaptureFixture[str]) -> None:
    """As the web stores it."""
    assert main(["replay", saved({"loglines": SESSION})]) == 0
    assert "5 messages" in capsys.readouterr().out


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
    "an object": ('{"model": "m", "prompt": "x"}', "model, prompt"),
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
    lines = '{"type": "session_meta", "payload": {}}\n{"type": "event_msg", "payload": {}}'
    assert main(["replay", saved(lines, "rollout.jsonl")]) == 2
    err = capsys.readouterr().err
    assert "types seen: event_msg, session_meta" in err
    assert "Claude Code session" in err


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Missing, or a folder."""
    for path in (tmp_path / "missing.json", tmp_path):
        assert main(["replay", str(path)]) == 2
        assert f"cannot read {path}" in capsys.readouterr().err


@pytest.mark.parametrize("option", [["--threads"], ["--thread", "3"], ["--thread", "-1"]])
def test_threads_of_no_session_are_refused(option: list[str], saved: Any, capsys: pytest.CaptureFixture[str]) -> None:
    """A list of messages has none to list, and none to pick."""
    assert main(["replay", saved(run_of(1)), *option]) == 2
    assert "is no session" in capsys.readouterr().err


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["replay"],
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


# ---------------------------------------------------------------------- real sessions


def test_real_sessions_replay(data: Path) -> None:
    """Every recorded session, whatever is damaged in it."""
    files = sorted((data / "traces" / "claude-code-jsonl").iterdir())
    assert files
    for path in files:
        history = load(path.name, path.read_bytes(), warn=lambda _: None)
        for thread in history.threads:
            report = replay(thread.messages, longturn.Window(4_000), shape="anthropic")
            assert report.requests
            assert report.fitted.tokens_sent <= report.without.tokens_sent


def test_real_requests_replay(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Recorded request bodies, by the command itself."""
    for folder in ("anthropic", "openai-chat"):
        for path in sorted((data / "traces" / folder).iterdir()):
            assert main(["replay", str(path), "--budget", "5k", "--json"]) == 0, path.name
            assert json.loads(capsys.readouterr().out)["requests"]
