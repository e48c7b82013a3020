"""Sessions of Claude Code: lines that are blocks, threads among each other, abandoned branches, what was cut off."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import longturn
from longturn.cli import main
from longturn.cli.console import Console
from longturn.cli.loading import load
from longturn.cli.replay import replay
from longturn.cli.sessions.base import Line
from longturn.cli.sessions.claude_code import threads

Message = dict[str, Any]


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
    _, main_row, agent_row = capsys.readouterr().out.splitlines()
    assert main_row.split()[:5] == ["0", "main,", "line", "3", "5"]
    assert "You are a sub-agent." in agent_row
    assert main(["replay", name, "--threads", "--json"]) == 0
    assert [row["messages"] for row in json.loads(capsys.readouterr().out)] == [5, 4]
    assert main(["replay", name, "--thread", "1"]) == 0
    assert "4 messages, 3 requests, format anthropic" in capsys.readouterr().out
    assert main(["replay", name, "--thread", "2"]) == 2
    assert "there is no thread 2; the file has 0 to 1" in capsys.readouterr().err


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


def test_what_the_sdk_prints_is_read(saved: Any) -> None:
    """The lines of ``--output-format stream-json``: no uuid, sub-agents told by the call they answer."""
    stream = [
        {"type": "system", "subtype": "init", "tools": ["Bash"], "session_id": "s"},
        {"type": "user", "message": {"role": "user", "content": "Do it."}, "session_id": "s"},
        {"type": "assistant", "message": {"id": "m1", "content": use("t1", "Task")}, "session_id": "s"},
        {"type": "assistant", "message": {"id": "m2", "content": use("t2")}, "parent_tool_use_id": "t1"},
        {"type": "user", "message": {"role": "user", "content": answer("t2")}, "parent_tool_use_id": "t1"},
        {"type": "user", "message": {"role": "user", "content": answer("t1")}, "session_id": "s"},
        {"type": "result", "subtype": "success", "result": "Done."},
    ]
    recorded = {"messages": [{"direction": "recv", "message": line} for line in stream]}
    for name in (saved("\n".join(map(json.dumps, stream)), "s.jsonl"), saved(recorded)):
        first, agent = load(name, Console())
        assert [message["role"] for message in first.messages] == ["user", "assistant", "user"]
        assert agent.is_agent
        assert agent.messages == [
            {"role": "assistant", "content": use("t2")},
            {"role": "user", "content": answer("t2")},
        ]


def test_what_the_provider_counted_is_kept_with_its_answer(saved: Any) -> None:
    """Input, and what the cache read and wrote; once for the lines of one message."""
    usage = {"input_tokens": 3, "cache_read_input_tokens": 40, "cache_creation_input_tokens": 500, "output_tokens": 9}
    lines = [json.loads(json.dumps(value)) for value in SESSION]
    for value in lines:
        if value.get("message", {}).get("id") == "msg_1":
            value["message"]["usage"] = usage
    (first, _) = load(saved("\n".join(map(json.dumps, lines)), "s.jsonl"), Console())
    assert first.reported == {1: 543}


def test_real_sessions_replay(data: Path) -> None:
    """Every recorded session, whatever is damaged in it."""
    files = sorted((data / "traces" / "claude-code-jsonl").iterdir())
    assert files
    for path in files:
        for thread in load(str(path), Console()):
            report = replay(thread.messages, longturn.Window(4_000), shape="anthropic")
            assert report.requests
            assert report.fitted.tokens_sent <= report.without.tokens_sent
