"""Sessions of other programs: each told by its content, and read as what was sent."""

from __future__ import annotations

from collections import Counter
from math import log
from pathlib import Path
from statistics import median
from typing import Any

import pytest
from sessions import CASES, CHAT, CODEX, CODEX_ITEMS, PI, SWE_AGENT, item, lines

import longturn
from longturn.cli.console import Console
from longturn.cli.documents import source_of
from longturn.cli.errors import InputError
from longturn.cli.loading import load
from longturn.cli.replay import replay
from longturn.cli.sessions.base import Thread
from longturn.cli.sessions.table import READERS, reader_of
from longturn.tokens.measure import measure_of
from longturn.tokens.models import UNKNOWN, profile_name


class Told(Console):
    """Keeps warnings."""

    def __init__(self) -> None:
        self.warnings: list[str] = []

    def note(self, text: str) -> None:
        self.warnings.append(text)


@pytest.mark.parametrize("name", CASES)
def test_a_session_is_read_as_what_was_sent(name: str, saved: Any) -> None:
    """Messages in a shape of ours, with what the file has of system prompt, tools and counts."""
    content, format, messages, more = CASES[name]
    (thread,) = load(saved(content, "session.jsonl" if isinstance(content, str) else "session.json"), Told())
    assert thread.messages == messages
    assert thread.format == format
    got = {key: getattr(thread, key) for key in ("system", "tools", "reported", "title") if getattr(thread, key)}
    assert got == more
    assert replay(thread.messages, longturn.Window(5_000, format=format), shape=format).requests


@pytest.mark.parametrize("name", CASES)
def test_a_name_does_not_matter(name: str, saved: Any) -> None:
    """What is in the file does."""
    content = CASES[name][0]
    assert load(saved(content, "session.log"), Told())[0].messages == CASES[name][2]


def _claude(*models: str) -> str:
    says = [{"type": "user", "uuid": "0", "message": {"role": "user", "content": "Hi."}}]
    for number, model in enumerate(models, 1):
        message = {"role": "assistant", "content": "Yes.", "model": model}
        says.append({"type": "assistant", "uuid": f"{number}", "parentUuid": f"{number - 1}", "message": message})
    return lines(*says)


ASKED = {"role": "user", "content": "Hi."}
NAMED = {
    "Claude Code": (_claude("claude-opus-4-7", "claude-opus-4-7", "<synthetic>"), "claude-opus-4-7"),
    "Codex": (lines(*CODEX), "m"),
    "Gemini CLI": ({"messages": [{"type": "gemini", "content": "Yes.", "model": "gemini-2.5-pro"}]}, "gemini-2.5-pro"),
    "opencode": ([{"info": {"role": "assistant", "modelID": "m"}, "parts": [{"type": "text", "text": "Yes."}]}], "m"),
    "pi": (
        lines({"message": ASKED}, {"message": {"role": "assistant", "model": "m", "content": [{"type": "toolCall"}]}}),
        "m",
    ),
    "Inspect": ({"eval": {"model": "openai/m"}, "samples": [{"messages": [ASKED]}]}, "openai/m"),
    "OpenHands, old": (
        [
            {
                "action": "read", "args": {},
                "tool_call_metadata": {
                    "tool_call_id": "c1",
                    "model_response": {"model": "m", "choices": [{"message": {"tool_calls": [{"id": "c1"}]}}]},
                },
            },
        ],
        "m",
    ),
    "OpenHands, new": (
        lines(
            {"kind": "MessageEvent", "source": "user", "llm_message": ASKED},
            {
                "kind": "ConversationStateUpdateEvent", "source": "environment",
                "value": {"usage_to_metrics": {"default": {"model_name": "proxy/m"}}},
            },
        ),
        "proxy/m",
    ),
    "OpenTelemetry": (
        {
            "resourceSpans": [{"scopeSpans": [{"spans": [{"attributes": [
                {"key": "gen_ai.input.messages", "value": {"stringValue": '[{"role": "user", "content": "Hi."}]'}},
                {"key": "gen_ai.request.model", "value": {"stringValue": "m"}},
            ]}]}]}],
        },
        "m",
    ),
    "a body": ({"model": "m", "messages": [ASKED]}, "m"),
    "a log of bodies": (lines({"model": "m", "messages": [ASKED]}), "m"),
    "LangChain": ([ASKED, {"role": "assistant", "content": "Yes.", "response_metadata": {"model_name": "m"}}], "m"),
    "nobody": ([ASKED], ""),
    "something else": ({"model": 7, "messages": [ASKED]}, ""),
}  # fmt: skip


@pytest.mark.parametrize("name", NAMED)
def test_the_model_is_the_one_that_answered_most(name: str, saved: Any) -> None:
    """Where the file names any."""
    content, model = NAMED[name]
    assert model == load(saved(content, "session.jsonl" if isinstance(content, str) else "s.json"), Told())[0].model


def test_summaries_of_what_is_there_are_left_out_and_named(saved: Any) -> None:
    """A run is replayed as if nothing had been compacted."""
    for content in (lines(*CODEX), lines(*PI)):
        console = Told()
        load(saved(content, "s.jsonl"), console)
        assert "is left out: it sums up messages that are replayed themselves" in console.warnings[0]


def test_a_rollout_may_count_before_the_answer_or_after_it(saved: Any) -> None:
    """Older programs write the count first; either way it is of the request that the answer came to."""

    def count(tokens: int) -> dict[str, Any]:
        info = {"last_token_usage": {"input_tokens": tokens}}
        return {"type": "event_msg", "payload": {"type": "token_count", "info": info}}

    meta, *items = [CODEX[0], *map(item, CODEX_ITEMS)]
    before = [meta, items[0], count(70), *items[1:4], count(90), items[4]]
    after = [meta, *items[:3], count(70), items[3], items[4], count(90)]
    late = [meta, *items[:4], count(70), items[4], count(90)]
    for rollout in (before, after, late):
        (thread,) = load(saved(lines(*rollout), "s.jsonl"), Told())
        assert thread.reported == {1: 70, 4: 90}


def test_conversations_of_a_log_are_told_apart(saved: Any) -> None:
    """Each request continues the one it begins like; what continues none begins another."""
    other = [{"role": "user", "content": "Another thing."}]
    log = lines({"messages": CHAT[:1]}, {"messages": other}, {"silly": 1}, {"messages": CHAT[:3]}, {"messages": CHAT})
    console = Told()
    first, second = load(saved(log, "log.jsonl"), console)
    assert (first.messages, second.messages) == (CHAT, other)
    assert "line 3 is left out: it holds no request" in console.warnings[0]


def test_agents_of_a_trajectory_are_threads(saved: Any) -> None:
    """The first is the main one."""
    history = [{**message, "agent": agent} for agent in ("main", "critic") for message in SWE_AGENT["history"]]
    first, second = load(saved({**SWE_AGENT, "history": history}), Told())
    assert (first.is_agent, second.is_agent) == (False, True)
    assert second.title == "critic"


def test_pieces_of_streams_are_refused_by_name(saved: Any) -> None:
    """A stream of LangGraph's: what to save instead."""
    piece = {"lc": 1, "id": ["langchain_core", "messages", "AIMessageChunk"], "kwargs": {"content": "a"}}
    with pytest.raises(InputError, match="save the state of the graph instead"):
        load(saved([[["graph"], [piece, {"langgraph_step": 1}]]]), Told())


@pytest.mark.parametrize(
    ("value", "seen"),
    [
        ({"prompt": "x", "model": "m"}, "an object with the keys prompt, model"),
        ([1, 2], "a list whose first item is a JSON number"),
        ([], "an empty list"),
        ({}, "an object with the keys of none"),
        ({"events": [{"author": "user", "content": None}]}, "an ADK session without messages"),
    ],
)
def test_what_nobody_reads_is_named(value: Any, seen: str, saved: Any) -> None:
    """And what is read is listed."""
    with pytest.raises(InputError, match=seen):
        load(saved(value), Told())


# ---------------------------------------------------------------------- recorded sessions

REFUSED = {"langgraphjs-supervisor.json": "pieces of streamed messages"}
"""Recordings that hold no messages, and what is said of them."""


def traces(data: Path) -> list[Path]:
    found = sorted(path for path in (data / "traces").rglob("*") if path.is_file() and path.name != "manifest.json")
    assert len(found) > 100
    return found


def test_every_recording_is_read_or_refused_with_a_reason(data: Path) -> None:
    """All of them, by the reader of their own kind; each thread can be replayed."""
    readers: Counter[str] = Counter()
    for path in traces(data):
        if path.name in REFUSED:
            with pytest.raises(InputError, match=REFUSED[path.name]):
                load(str(path), Told())
            continue
        threads = load(str(path), Told())
        with path.open("rb") as file:
            readers[reader_of(source_of(path.name, file, lambda _: None)).name] += 1
        for thread in threads:
            _check_replay(thread)
    assert len(readers) >= len({reader.name for reader in READERS}) - 2  # logs and lines: none was recorded


def _check_replay(thread: Thread) -> None:
    window = longturn.Window(4_000, format=thread.format)
    run = replay(
        thread.messages, window, shape=thread.format, system=thread.system, tools=thread.tools,
        reported=thread.reported,
    )  # fmt: skip
    for request in run.requests:
        assert request.fitted.tokens <= request.without.tokens
        assert request.fitted.parts.total == request.fitted.tokens


@pytest.mark.slow
def test_a_named_models_profile_is_nearer_to_what_its_provider_counted(data: Path) -> None:
    """On recordings that have counts: by the growth of requests, the median error is less than half of the rule's."""
    threads = [
        thread
        for path in traces(data)
        if path.name not in REFUSED
        for thread in load(str(path), Told())
        if thread.reported and profile_name(thread.model) != UNKNOWN
    ]
    errors = {by: _errors(threads, by) for by in ("script", "model")}
    assert len(errors["model"]) >= 10
    assert median(errors["model"]) < median(errors["script"]) / 2


def _errors(threads: list[Thread], by: str) -> list[float]:
    ratios = (_ratio(one, by if by == "script" else profile_name(one.model)) for one in threads)
    return [abs(log(ratio)) for ratio in ratios if ratio]


def _ratio(thread: Thread, profile: str) -> float | None:
    run = replay(
        thread.messages, longturn.Window(10**7, format=thread.format, profile=profile), shape=thread.format,
        system=thread.system, tools=thread.tools, reported=thread.reported, measure=measure_of(profile),
    )  # fmt: skip
    return run.reported_ratio
