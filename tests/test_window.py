"""The front door: what a window takes, what it refuses, and what comes back."""

from __future__ import annotations

import json
from collections import deque
from dataclasses import FrozenInstanceError, fields
from typing import Any

import pytest
from strategies import SHAPES, transcript

import longturn
from longturn import Fitted, FormatError, Policy, Stage, Window
from longturn.wording import phrases

WORDS = phrases("en")
TASK = {"role": "user", "content": "Count the words in every file."}
TOOLS = [{"name": "read", "description": "Reads a file.", "input_schema": {"type": "object"}}]


def rounds(*sizes: int, tool: str = "read") -> list[dict[str, Any]]:
    """Return a task and a round for each size, in tokens."""
    history: list[dict[str, Any]] = [dict(TASK)]
    for number, size in enumerate(sizes):
        use = {"type": "tool_use", "id": f"call_{number}", "name": tool, "input": {"path": f"{number}.txt"}}
        history.append({"role": "assistant", "content": [use]})
        result = {"type": "tool_result", "tool_use_id": f"call_{number}", "content": "a" * 4 * size}
        history.append({"role": "user", "content": [result]})
    return history


def test_the_worked_example_as_messages() -> None:
    """A budget of 10,000, results of 2,000: the cut moves at the fifth round and at the ninth."""
    window = Window(10_000)
    seen = []
    for count in range(1, 10):
        fitted = window.fit(rounds(*[2_000] * 9)[: 2 * count + 1])
        seen.append((len(fitted.cleared), fitted.stage, fitted.tokens // 1_000))
    assert seen == [
        (0, Stage.WHOLE, 2),
        (0, Stage.WHOLE, 4),
        (0, Stage.WHOLE, 6),
        (0, Stage.WHOLE, 8),
        (4, Stage.CLEARED, 2),
        (4, Stage.CLEARED, 4),
        (4, Stage.CLEARED, 6),
        (4, Stage.CLEARED, 8),
        (8, Stage.CLEARED, 2),
    ]


def test_a_cleared_result_is_reported() -> None:
    """By call, tool, and what it weighs in the saved history."""
    fitted = Window(10_000).fit(rounds(*[2_000] * 5))
    assert [("call_0", "read", 2_000), ("call_3", "read", 2_000)] == [
        (one.call_id, one.tool, one.tokens) for one in (fitted.cleared[0], fitted.cleared[-1])
    ]
    assert fitted.messages[2]["content"][0] == {
        "type": "tool_result",
        "tool_use_id": "call_0",
        "content": WORDS.cleared,
    }
    assert (2, 9, 0, True) == (fitted.first_changed, fitted.stable_until, fitted.dropped, fitted.fits)


def test_tools_not_to_be_run_twice_get_the_other_note() -> None:
    """It points to recall."""
    policy = Policy(budget=10_000, recall_tools=("read",))
    fitted = Window(policy=policy).fit(rounds(*[2_000] * 5))
    assert fitted.messages[2]["content"][0]["content"] == WORDS.cleared_recall


def test_arguments_go_along_as_an_object_still() -> None:
    """Every provider demands one."""
    history = rounds(*[2_000] * 5, tool="write")
    for message in history[1::2]:
        message["content"][0]["input"] = {"text": "b" * 2_000}
    fitted = Window(policy=Policy(budget=10_000, clear_tool_inputs=("write",))).fit(history)
    assert fitted.messages[1]["content"][0]["input"] == {"cleared": WORDS.cleared_input}
    assert fitted.cleared[0].tokens == 2_000 + longturn.estimate(
        json.dumps({"text": "b" * 2_000}, separators=(",", ":"))
    )


def test_system_and_tools_take_their_part_of_the_budget() -> None:
    """They count as they would in the request, and are named in no other way."""
    history, system = rounds(*[2_000] * 4), "s" * 4 * 3_000
    window = Window(10_000)
    assert window.fit(history).stage == Stage.WHOLE
    fitted = window.fit(history, system=system, tools=TOOLS)
    assert fitted.stage == Stage.CLEARED
    assert fitted.tokens == longturn.estimate(fitted.messages, tools=TOOLS) + 3_000
    assert fitted.tokens_before == longturn.estimate(history, tools=TOOLS) + 3_000
    assert (
        window.fit(history, system=[{"type": "text", "text": system}]).tokens
        == window.fit(history, system=system).tokens
    )


@pytest.mark.parametrize("kind", [list, tuple, deque])
def test_any_sequence_is_a_history(kind: Any) -> None:
    """What comes back is a new list."""
    history = rounds(10, 10)
    fitted = Window(10_000).fit(kind(history))
    assert fitted.messages == history
    assert all(shown is own for shown, own in zip(fitted.messages, history, strict=True))
    assert type(fitted.messages) is list
    assert fitted.messages is not history


@pytest.mark.parametrize("format", ["auto", *SHAPES])
def test_an_empty_history_is_fitted_as_it_is(format: str) -> None:
    """Only system prompt and tools count; the list is a new one here, too."""
    history: list[Any] = []
    fitted = Window(10_000, format=format).fit(history, system="a" * 40)
    assert (fitted.messages, fitted.tokens, fitted.stage, fitted.fits) == ([], 10, Stage.WHOLE, True)
    assert fitted.messages is not history


@pytest.mark.parametrize(
    ("arguments", "options", "error", "said"),
    [
        ((), {}, TypeError, "pass either a budget in tokens or a policy, as in Window(400_000)"),
        ((400_000,), {"policy": Policy(budget=1_000)}, TypeError, "pass either a budget in tokens or a policy"),
        (("400_000",), {}, TypeError, "budget must be a whole number of tokens (got '400_000' of type str)"),
        ((0,), {}, ValueError, "budget must be greater than 0 tokens (got 0)"),
        ((1_000,), {"format": "claude"}, ValueError, "format must be one of auto, "),
        ((1_000,), {"format": None}, ValueError, "format must be one of auto, "),
        ((1_000,), {"profile": "none"}, ValueError, "profile must be one of 'script'"),
        ((1_000,), {"profile": 4}, TypeError, "profile must be the name of one, a Profile, or a function"),
        ((1_000,), {"profile": len, "model": "gpt-5"}, TypeError, "pass either a profile or a model"),
        ((1_000,), {"model": 5}, TypeError, "model must be a str"),
        ((1_000,), {"language": "xx"}, ValueError, "language must be one of "),
    ],
)
def test_a_window_says_what_it_needs(
    arguments: tuple[Any, ...], options: dict[str, Any], error: type[Exception], said: str
) -> None:
    """What was seen, what would do."""
    with pytest.raises(error) as caught:
        Window(*arguments, **options)
    assert str(caught.value).startswith(said)


@pytest.mark.parametrize(
    ("wrong", "index"),
    [("hello", 1), (None, 1), (17, 1), ([TASK], 1), ({}, 1), ({"content": "a"}, 1)],
)
def test_what_is_no_message_is_named_by_its_index(wrong: Any, index: int) -> None:
    """With what was found and what was expected; and nothing of it is remembered."""
    window = Window(10_000)
    history = [TASK, wrong]
    with pytest.raises(FormatError, match=rf"^messages\[{index}\] .*expected a mapping or an object"):
        window.fit(history)
    assert window.fit([TASK]).tokens == longturn.estimate([TASK])


def test_what_can_not_be_sent_is_named_by_its_place() -> None:
    """A value without a JSON form, deep in a message; the window goes on without it."""
    window = Window(10_000)
    history = rounds(10)
    history[1]["content"][0]["input"] = {"path": object()}
    with pytest.raises(TypeError, match=r"cannot count a value of type object at \$\[1\]\.content\[0\]\.input\.path"):
        window.fit(history)
    history[1]["content"][0]["input"] = {}
    assert window.fit(history).tokens == longturn.estimate(history)


def test_a_report_is_frozen_and_has_the_names_of_the_contract() -> None:
    """Whoever reads it can rely on both."""
    fitted = Window(10_000).fit(rounds(10))
    assert {field.name for field in fields(Fitted)} == {
        "messages",
        "request",
        "tokens",
        "tokens_before",
        "expected",
        "budget",
        "stage",
        "cleared",
        "dropped",
        "fits",
        "first_changed",
        "stable_until",
        "needs_drop_block",
    }
    with pytest.raises(FrozenInstanceError):
        fitted.tokens = 0  # type: ignore[misc]
    assert (None, None, 10_000) == (fitted.request, fitted.expected, fitted.budget)
    assert [stage.value for stage in Stage] == ["whole", "cleared", "turns", "rounds"]


@pytest.mark.parametrize("format", SHAPES)
@pytest.mark.parametrize("options", [{}, {"exclude_tools": ("read",)}, {"thinking": "strip"}, {"hold": False}])
def test_changing_system_or_tools_replays_the_run(format: str, options: dict[str, Any]) -> None:
    """A view depends on what is asked now, not on what was asked before, be it more or less."""
    for seed in range(2):
        made = transcript(seed, format, steps=15)
        tokens = longturn.estimate(made.messages)
        policy = Policy(budget=tokens + 100, **options)
        window = Window(policy=policy, format=format)
        shares = (50, 0, 90, 70, 95, 30, 80, 0)
        views = [window.fit(made.messages, system="a" * (4 * tokens * share // 100)) for share in shares]
        for share, fitted in zip(shares, views, strict=True):
            fresh = Window(policy=policy, format=format)
            assert fresh.fit(made.messages, system="a" * (4 * tokens * share // 100)) == fitted
        assert {Stage.WHOLE} < {fitted.stage for fitted in views}


def test_the_history_is_asked_for_by_position_and_the_rest_by_name() -> None:
    """So that no caller's code breaks when a parameter is added."""
    with pytest.raises(TypeError):
        Window(10_000).fit([TASK], "system")  # type: ignore[misc]
    with pytest.raises(TypeError):
        Window(10_000, Policy(budget=1_000))  # type: ignore[misc]


def test_a_window_shows_its_policy() -> None:
    """In a debugger, and to code that wants it."""
    window = Window(10_000)
    assert repr(window) == f"Window({Policy(budget=10_000)!r})"
    assert window.policy == Policy(budget=10_000)


@pytest.mark.parametrize("wrong", [None, 5, "hello", {"messages": []}])
def test_what_is_no_list_of_messages_is_told_where_it_belongs(wrong: Any) -> None:
    """The error names the type, and the method for whole requests."""
    with pytest.raises(TypeError, match=rf"list of messages \(got {type(wrong).__name__}\); .* fit_request"):
        Window(1_000).fit(wrong)


def test_a_policy_in_the_place_of_a_budget_is_told_its_name() -> None:
    """The error shows the call that was meant."""
    with pytest.raises(TypeError, match=r"Window\(policy=Policy\(\.\.\.\)\)"):
        Window(Policy(budget=1_000))  # type: ignore[arg-type]


def test_a_report_prints_without_its_messages() -> None:
    """They may be megabytes; the numbers are what one wants to see."""
    fitted = Window(1_000).fit([{"role": "user", "content": "hello " * 100}])
    assert "hello" not in repr(fitted)
    assert "stage='whole', tokens=154" in repr(fitted)


def test_without_holding_what_is_cleared_is_described_once() -> None:
    """Every call decides anew; its report refers to what the one before had, however long the run."""
    window, history = Window(policy=Policy(budget=2_000, hold=False)), rounds(*[400] * 12)
    before = window.fit(history[:-4]).cleared
    after = window.fit(history).cleared
    assert 0 < len(before) < len(after)
    assert all(one is other for one, other in zip(before, after, strict=False))
