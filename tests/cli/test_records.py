"""What a replay finds at each request: parts that add up, cuts with their reasons, the messages themselves."""

from __future__ import annotations

import json
from typing import Any

import pytest

from longturn import Policy, Profile, Window
from longturn.cli.printing import report_value
from longturn.cli.records import Prices, Replay
from longturn.cli.replay import replay
from longturn.tokens.measure import measure_of

Message = dict[str, Any]

TOOLS = [{"name": "read", "description": "Reads a file.", "input_schema": {"type": "object"}}]


def rounds(count: int, *, chars: int, start: int = 0) -> list[Message]:
    """Return so many rounds with a result of so many characters each."""
    made: list[Message] = []
    for number in range(start, start + count):
        use = {"type": "tool_use", "id": f"toolu_{number}", "name": "read" if number % 2 else "grep", "input": {}}
        result = {"type": "tool_result", "tool_use_id": f"toolu_{number}", "content": "x" * chars}
        made += [{"role": "assistant", "content": [use]}, {"role": "user", "content": [result]}]
    return made


def chat_rounds(count: int, *, chars: int) -> list[Message]:
    made: list[Message] = []
    for number in range(count):
        function = {"name": "read", "arguments": "{}"}
        calls = [{"id": f"call_{number}", "type": "function", "function": function}]
        made.append({"role": "assistant", "content": None, "tool_calls": calls})
        made.append({"role": "tool", "tool_call_id": f"call_{number}", "content": "x" * chars})
    return made


def said(text: str, role: str = "user") -> Message:
    return {"role": role, "content": text}


def agent() -> list[Message]:
    """Return one turn of many rounds: clearing, then rounds."""
    return [said("Read everything."), *rounds(60, chars=4_000)]


def chat() -> list[Message]:
    """Return many turns of small results: nothing to clear."""
    turns = [[said(f"Question {number}"), said("y" * 4_000, "assistant")] for number in range(30)]
    return [message for turn in turns for message in turn] + [said("The last question.")]


def openai() -> list[Message]:
    """Return a run in OpenAI's shape, whose note is a message of its own, with a system message half-way."""
    history = [said("Be brief.", "system"), said("Read everything."), *chat_rounds(40, chars=2_000)]
    return [*history[:40], said("Be briefer.", "system"), *history[40:]]


RUNS = {"agent": agent, "chat": chat, "openai": openai}


def replayed(name: str, **policy: Any) -> Replay:
    window = Window(policy=Policy(budget=6_000, **policy))
    return replay(RUNS[name](), window, name=name, system="Be brief.", tools=TOOLS)


@pytest.mark.parametrize("hold", [True, False])
@pytest.mark.parametrize("name", RUNS)
def test_parts_add_up_to_what_is_sent(name: str, hold: bool) -> None:
    """Exactly, on both sides, and no part is negative."""
    run = replayed(name, hold=hold)
    assert run.moves
    for request in run.requests:
        fitted = run.fit(request.messages)
        assert request.fitted.parts.total == request.fitted.tokens == fitted.tokens
        assert request.without.parts.total == request.without.tokens == fitted.tokens_before
        for sent in (request.without, request.fitted):
            parts = sent.parts
            assert min(parts.overhead, parts.head, parts.notes, parts.talk, parts.results, parts.unread) >= 0
            assert sent.reused <= sent.tokens


def test_parts_add_up_by_a_profile_too() -> None:
    """What the window measures by is what the parts are measured by."""
    profile = next(name for name in Profile.names() if name != "script")
    window = Window(policy=Policy(budget=6_000), profile=profile)
    run = replay(agent(), window, system="Be brief.", tools=TOOLS, measure=measure_of(profile))
    for request in run.requests:
        assert request.fitted.tokens == run.fit(request.messages).tokens
        assert request.without.tokens == run.fit(request.messages).tokens_before


def test_each_part_holds_its_own() -> None:
    """A small run, counted by hand: 1,000 tokens a result, the last one unread."""
    run = replay([said("abcd" * 10), *rounds(3, chars=4_000)], Window(100_000), system="s" * 400)
    parts = run.requests[-1].fitted.parts
    assert parts.overhead == 100
    assert 10 <= parts.head <= 15  # the text, and the frame of a message
    assert (parts.notes, parts.results, parts.unread) == (0, 2_000, 1_000)
    assert parts.kept == parts.talk + 2_000
    assert run.requests[0].fitted.parts.unread == 0


@pytest.mark.parametrize("name", ["chat", "openai"])
def test_the_note_about_left_out_messages_is_among_the_notes(name: str) -> None:
    """Appended to the head or a message of its own; the head stays as large as it was."""
    run = replayed(name, exclude_tools=("read",))
    cut = run.moves[0]
    assert cut.dropped > 0 == cut.cleared
    assert cut.fitted.parts.notes > 0
    assert abs(cut.fitted.parts.head - cut.without.parts.head) <= 1  # parts are rounded where they meet
    assert cut.without.parts.notes == 0


def test_a_moved_cut_says_why() -> None:
    """What the request would have weighed, and what went, by tool."""
    run = replayed("agent")
    move = run.moves[0].move
    assert move is not None
    assert move.tokens_unmoved > move.budget
    assert {total.tool for total in move.cleared} == {"grep", "read"}
    assert f"{move.tokens_unmoved - 6_000:,} over the budget" in move.why
    assert "results cleared" in move.why
    still = [request for request in run.requests if request.move is None]
    assert not any(request.fitted.breaks_prefix for request in still)


def test_what_was_cleared_adds_up_over_the_moves() -> None:
    """A result counts once, however many requests show it cleared."""
    run = replayed("agent")
    results = sum(total.results for total in run.cleared)
    assert 0 < results <= 60
    assert sum(total.tokens for total in run.cleared) == 1_000 * results


def test_costs_run_up() -> None:
    """Reads at one price, the rest at the other."""
    prices = Prices(read=0.5, write=2)
    run = replay(agent(), Window(6_000), prices=prices)
    so_far = 0.0
    for request in run.requests:
        sent = request.fitted
        assert sent.cost == 0.5 * sent.reused + 2 * (sent.tokens - sent.reused)
        so_far += sent.cost
        assert sent.cost_so_far == pytest.approx(so_far)
    assert run.fitted.cost == run.requests[-1].fitted.cost_so_far


@pytest.mark.parametrize("name", RUNS)
def test_the_messages_of_a_request_are_made_anew(name: str) -> None:
    """A plan is a pure function: a fresh window sends the same, in any order of asking."""
    run, history = replayed(name), RUNS[name]()
    for number in (len(run.requests), 1, len(run.requests) // 2):
        expected = Window(6_000).fit(history[: run.requests[number - 1].messages], system="Be brief.", tools=TOOLS)
        assert run.sent_at(number) == expected.messages
    with pytest.raises(IndexError, match="requests 1 to"):
        run.sent_at(0)


def test_reports_of_the_provider_are_kept_with_their_requests() -> None:
    """By the message that answered; the ratio is of growths, so that what the file lacks does not count in it."""
    history = agent()
    run = replay(history, Window(6_000), reported={1: 5_000, 3: 6_500, 7: 9_500})
    assert [request.reported for request in run.requests[:4]] == [5_000, 6_500, None, 9_500]
    sizes = [request.without.tokens for request in run.requests]
    assert run.reported_ratio == 4_500 / (sizes[3] - sizes[0])
    assert run.unseen == round(5_000 - run.reported_ratio * sizes[0])
    assert replay(history, Window(6_000)).reported_ratio is None
    assert replay(history, Window(6_000)).unseen is None


def test_progress_is_told() -> None:
    """Once a request, up to the whole history."""
    told: list[tuple[int, int]] = []
    run = replay(chat(), Window(6_000), progress=lambda done, whole: told.append((done, whole)))
    assert len(told) == len(run.requests)
    assert told[-1] == (61, 61)


def test_the_record_as_json_has_each_request() -> None:
    """Nothing in it is more than JSON."""
    run = replayed("agent")
    value = json.loads(json.dumps(report_value(run)))
    assert len(value["requests"]) == len(run.requests) == 61
    assert value["requests"][-1]["fitted"]["parts"]["unread"] == 1_000
    moved = [request["move"] for request in value["requests"] if request["move"]]
    assert [move["why"] for move in moved] == [request.move.why for request in run.moves if request.move]
