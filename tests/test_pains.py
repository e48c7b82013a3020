"""What users of other libraries complain about, one test or more per complaint, numbered as they were collected."""

from __future__ import annotations

import copy
import json
import os
import pickle
import subprocess
import sys
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import pytest

import longturn
from longturn import Policy, Stage, Window
from longturn.wording import phrases
from tests.strategies import SHAPES, Answer, Called, Shape

WORDS = phrases("en")
PAGE = "word" * 500  # five hundred tokens
by_shape = pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES)


def called(number: int, tool: str = "read", **arguments: Any) -> Called:
    return Called(f"call_{number}", tool, {"page": number, **arguments})


def round_of(shape: Shape, numbers: Sequence[int], text: str = PAGE, thinking: str = "") -> list[Any]:
    """One round: as many calls as numbers, all answered with the same text."""
    calls = [called(number) for number in numbers]
    return [*shape.model("Reading.", thinking, calls), *shape.replies([Answer(call, text) for call in calls])]


def sub_agent(shape: Shape, rounds: int, text: str = PAGE) -> list[Any]:
    """One task, then nothing but rounds."""
    return [shape.user("The task."), *(m for number in range(rounds) for m in round_of(shape, [number], text))]


def chat(shape: Shape, turns: int, rounds: int = 2) -> list[Any]:
    """A task, then turns of a few rounds, an answer and the next question."""
    history = [shape.user("The task.")]
    for turn in range(turns):
        for number in range(rounds):
            history += round_of(shape, [rounds * turn + number])
        history += [*shape.model(f"Answer {turn}.", "", ()), shape.user(f"Question {turn}.")]
    return history


def fit(history: list[Any], shape: Shape, budget: int, **policy: Any) -> longturn.Fitted:
    return Window(policy=Policy(budget=budget, **policy), format=shape.name).fit(history)


def pairs(shape: Shape, messages: Sequence[Any]) -> tuple[int, int]:
    """Return how many calls and how many results there are."""
    return sum(len(shape.calls(m)) for m in messages), sum(len(shape.results(m)) for m in messages)


def text(messages: Any) -> str:
    return json.dumps(messages, ensure_ascii=False)


@by_shape
@pytest.mark.parametrize("budget", [1_000, 2_000, 4_000])
def test_pain_1_no_call_without_its_result(shape: Shape, budget: int) -> None:
    """Whatever the budget, what is sent has as many results as calls; within a turn, no fewer than one."""
    for history, least in ((sub_agent(shape, 20), 1), (chat(shape, 8), 0)):
        fitted = fit(history, shape, budget)
        calls, results = pairs(shape, fitted.messages)
        assert calls == results >= least
        assert fitted.stage in (Stage.CLEARED, Stage.TURNS, Stage.ROUNDS)


@by_shape
def test_pain_2_parallel_calls_stay_together(shape: Shape) -> None:
    """A round of four calls is there with four results or not at all."""
    history = [shape.user("The task.")]
    for number in range(0, 40, 4):
        history += round_of(shape, range(number, number + 4))
    for budget in (1_500, 3_000, 6_000):
        calls, results = pairs(shape, fit(history, shape, budget).messages)
        assert calls == results
        assert calls % 4 == 0


@by_shape
def test_pain_3_the_task_and_the_newest_question_stay(shape: Shape) -> None:
    """They are there however little fits."""
    fitted = fit(chat(shape, 10), shape, 1_000)
    assert fitted.dropped > 0
    assert "The task." in text(fitted.messages[0])
    assert "Question 9." in text(fitted.messages[-1])


@by_shape
def test_pain_4_system_messages_stay_in_order(shape: Shape) -> None:
    """Wherever they stand, and though everything around them is left out."""
    if not shape.has_systems:
        pytest.skip("the format has no system messages in its history")
    history = [shape.user("The task.")]
    for number in range(12):
        history += [*round_of(shape, [number]), shape.system(f"Rule {number}.")]
    kept = text(fit(history, shape, 1_000).messages)
    places = [kept.index(f'"Rule {number}."') for number in range(12)]
    assert places == sorted(places)


@by_shape
def test_pain_5_never_empty_and_the_user_speaks_first(shape: Shape) -> None:
    """The first message is the history's first, the task."""
    for budget in (1, 100, 1_000, 3_000):
        with pytest.warns(UserWarning, match="hardly one tool result") if budget < 1_000 else _nothing():
            fitted = fit(sub_agent(shape, 12), shape, budget)
        assert "The task." in text(fitted.messages[0])
        assert not shape.calls(fitted.messages[0])


class _nothing:  # noqa: N801  (reads like the context manager it stands in for)
    def __enter__(self) -> None: ...

    def __exit__(self, *error: object) -> None: ...


@pytest.mark.parametrize("name", ["anthropic", "openai-chat", "gemini", "bedrock"])
@pytest.mark.parametrize("budget", [1_000, 1_500, 3_000])
def test_pain_6_roles_alternate_where_they_must(name: str, budget: int) -> None:
    """With ``strict_roles`` no two neighbours have one role that were none before."""
    shape = SHAPES[name]
    for history in (chat(shape, 8), chat(shape, 1, rounds=20), sub_agent(shape, 20)):
        fitted = fit(history, shape, budget, strict_roles=True)
        roles = [message["role"] for message in fitted.messages if message["role"] != "tool"]
        assert all(one != other for one, other in pairwise(roles) if one == "user")


@by_shape
def test_pain_7_requests_extend_one_another(shape: Shape) -> None:
    """A break comes only with a crossing, and at least four calls extend before the next."""
    window = Window(10_000, format=shape.name)
    history = [shape.user("The task.")]
    before: list[Any] = []
    breaks = []
    for number in range(60):
        history += round_of(shape, [number])
        fitted = window.fit(history)
        if fitted.messages[: len(before)] != before:
            breaks.append(number)
            assert longturn.estimate([*before, *history[-2:]]) > 10_000  # it would not have fitted
        before = fitted.messages
    assert len(breaks) > 2
    assert min(later - earlier for earlier, later in pairwise(breaks)) >= 4


def test_pain_8_notes_are_the_same_in_every_process() -> None:
    """Two processes with other hash seeds make the same bytes."""
    code = (
        "import json, longturn\n"
        "from tests.test_pains import SHAPES, chat\n"
        "for shape in SHAPES.values():\n"
        "    print(json.dumps(longturn.Window(2_000, format=shape.name).fit(chat(shape, 6)).messages))\n"
    )
    outputs = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": os.pathsep.join(sys.path)},
            capture_output=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(outputs) == 1
    assert outputs.pop()


@by_shape
def test_pain_9_fitting_ends_and_is_at_rest(shape: Shape) -> None:
    """Fitting what was fitted changes nothing, also where nothing can make it fit; it is never more than it was."""
    for history in (sub_agent(shape, 12), sub_agent(shape, 3, PAGE * 10), chat(shape, 6)):
        fitted = fit(history, shape, 1_000)
        again = fit(fitted.messages, shape, 1_000)
        assert fitted.messages == again.messages
        assert fitted.tokens <= fitted.tokens_before
        assert fitted.fits == (fitted.tokens <= 1_000)


@pytest.mark.parametrize(
    ("sample", "least"),
    [("你好世界" * 25, 100), ("Привет мир" * 10, 48), ("สวัสดี" * 20, 60), ("😀" * 100, 50), ("ひらがな" * 25, 100)],
)
def test_pain_10_other_scripts_are_not_taken_for_english(sample: str, least: int) -> None:
    """A hundred Chinese characters are not twenty-five tokens."""
    assert longturn.estimate(sample) >= least > len(sample) // 4


@by_shape
def test_pain_11_reasoning_is_kept_whole_or_left_out_and_reported(shape: Shape) -> None:
    """No block is edited; where one is sent whose prefix has changed, the report says so."""
    history = [shape.user("The task.")]
    for number in range(20):
        history += round_of(shape, [number], thinking="Hm, let me see.")
    kept = fit(history, shape, 3_000)
    blocks = [block for message in history for block in shape.thinking(message)]
    assert all(block in blocks for message in kept.messages for block in shape.thinking(message))
    if shape.binds_thinking and shape.strips_thinking and blocks:
        assert kept.needs_drop_block
        stripped = fit(history, shape, 3_000, thinking="strip")
        assert not stripped.needs_drop_block
        assert all(block in blocks for message in stripped.messages for block in shape.thinking(message))


def test_pain_12_reasoning_items_leave_with_what_follows_them() -> None:
    """No reasoning item of Responses stands without the item it led to."""
    history: list[Any] = [{"role": "user", "content": "The task."}]
    for number in range(20):
        history += [
            {"type": "reasoning", "id": f"rs_{number}", "summary": []},
            {"type": "function_call", "call_id": f"c{number}", "name": "read", "arguments": "{}"},
            {"type": "function_call_output", "call_id": f"c{number}", "output": PAGE},
        ]
    for budget in (1_000, 3_000, 6_000):
        kinds = [item.get("type") for item in Window(budget).fit(history).messages]
        assert kinds.count("reasoning") == kinds.count("function_call")
        assert all(kinds[i + 1] == "function_call" for i, kind in enumerate(kinds) if kind == "reasoning")


@by_shape
def test_pain_13_the_history_is_not_touched(shape: Shape) -> None:
    """Equal to its copy afterwards, and what is unchanged is the same object."""
    history = chat(shape, 8)
    before = copy.deepcopy(history)
    own = {id(message) for message in history}
    for budget in (1_000, 3_000, 6_000, 100_000):
        fitted = fit(history, shape, budget, clear_tool_inputs=True, thinking="strip")
        assert all(id(message) in own for message in fitted.messages if message in before)
    assert before == history


@by_shape
def test_pain_14_the_newest_results_stay(shape: Shape) -> None:
    """Those that fit together in a quarter of the budget, and all that the model has not read."""
    whole = text(fit(sub_agent(shape, 40), shape, 10_000).messages).count(PAGE)
    assert whole >= 4  # of five hundred tokens each, in two thousand five hundred
    unread = [shape.user("The task."), *round_of(shape, range(8))]
    assert text(fit(unread, shape, 1_000).messages).count(PAGE) == 8


@by_shape
def test_pain_15_small_results_take_no_place_in_the_batch(shape: Shape) -> None:
    """Small results between large ones stay, and four large ones go."""
    history = [shape.user("The task.")]
    for number in range(10):
        history += round_of(shape, [number], PAGE if number % 2 else "small")
    fitted = fit(history, shape, 2_500)
    assert fitted.stage == Stage.CLEARED
    assert [cleared.tokens > 160 for cleared in fitted.cleared] == [True] * 4
    assert text(fitted.messages).count('"small"') == 5


@by_shape
def test_pain_16_unread_results_are_counted_and_protected(shape: Shape) -> None:
    """What the model has not read is never cleared, though it is over the budget by itself."""
    history = [*sub_agent(shape, 6), *round_of(shape, [6, 7, 8])]
    fitted = fit(history, shape, 1_000)
    assert fitted.tokens > 1_500
    assert not fitted.fits
    assert text(fitted.messages[-3:]).count(PAGE) == 3


def test_pain_17_images_do_not_count_by_their_base64() -> None:
    """A megabyte of picture is a picture's worth, and clearing one result takes no other's picture."""
    image = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "A" * 1_400_000}}

    def shown(number: int) -> list[Any]:
        result = {"type": "tool_result", "tool_use_id": f"c{number}", "content": [image]}
        call = {"type": "tool_use", "id": f"c{number}", "name": "look", "input": {}}
        return [{"role": "assistant", "content": [call]}, {"role": "user", "content": [result]}]

    history = [{"role": "user", "content": "Look."}, *shown(0), *shown(1), *shown(2)]
    assert longturn.estimate(history) < 20_000
    fitted = Window(policy=Policy(budget=longturn.estimate(history) - 1, batch=1)).fit(history)
    assert 0 < len(fitted.cleared) < 3
    assert text(fitted.messages).count("AAAA" * 1_000) > 0


def test_pain_18_server_tool_results_stay_with_their_citations() -> None:
    """They are the model's own text: never cleared, and they leave only with their round."""
    found = [
        {"type": "server_tool_use", "id": "s1", "name": "web_search", "input": {"query": "x"}},
        {"type": "web_search_tool_result", "tool_use_id": "s1", "content": [{"type": "web_search_result"}] * 200},
        {"type": "text", "text": "So it is.", "citations": [{"type": "web_search_result_location"}]},
    ]
    history: list[Any] = [{"role": "user", "content": "Search."}, {"role": "assistant", "content": found}]
    history.append({"role": "user", "content": "Now read."})
    for number in range(8):
        call = {"type": "tool_use", "id": f"c{number}", "name": "read", "input": {}}
        result = {"type": "tool_result", "tool_use_id": f"c{number}", "content": PAGE}
        history += [{"role": "assistant", "content": [call]}, {"role": "user", "content": [result]}]
    for budget in (1_500, 4_000, 6_000):
        assert found in [m["content"] for m in Window(budget).fit(history).messages] or "So it is" not in text(
            Window(budget).fit(history).messages
        )


@by_shape
def test_pain_19_the_last_message_is_the_last(shape: Shape) -> None:
    """A request never ends with something else than the history does."""
    for history in (sub_agent(shape, 12), chat(shape, 6)):
        for budget in (1_000, 2_000, 5_000):
            assert fit(history, shape, budget).messages[-1] is history[-1]


def test_pain_20_cache_marks_survive_and_never_multiply() -> None:
    """A mark on a result, or inside its content, is on the block afterwards."""
    mark = {"type": "ephemeral"}
    history: list[Any] = [{"role": "user", "content": "Read."}]
    for number in range(8):
        call = {"type": "tool_use", "id": f"c{number}", "name": "read", "input": {}}
        result: dict[str, Any] = {"type": "tool_result", "tool_use_id": f"c{number}", "content": PAGE}
        if number == 0:
            result["cache_control"] = mark
        if number == 1:
            result["content"] = [{"type": "text", "text": PAGE, "cache_control": mark}]
        history += [{"role": "assistant", "content": [call]}, {"role": "user", "content": [result]}]
    messages = Window(4_000).fit(history).messages
    assert [messages[place]["content"][0].get("cache_control") for place in (2, 4, 6)] == [mark, mark, None]
    assert text(messages).count("ephemeral") == 2


@by_shape
def test_pain_22_whatever_is_missing_is_said(shape: Shape) -> None:
    """Every cleared result holds a note, a left-out part too, and the report names both."""
    cleared = fit(sub_agent(shape, 12), shape, 4_000)
    assert len(cleared.cleared) == text(cleared.messages).count(WORDS.cleared[1:40]) > 0
    assert all(entry.tokens >= 500 for entry in cleared.cleared)
    left_out = fit(chat(shape, 10), shape, 1_000)
    assert left_out.dropped > 0
    assert text(left_out.messages).count(WORDS.left_out[1:40]) == 1


@by_shape
def test_pain_23_what_is_reported_is_what_is_sent(shape: Shape) -> None:
    """The number is that of the view, never of the history."""
    for budget in (1_000, 3_000, 100_000):
        fitted = fit(chat(shape, 8), shape, budget)
        assert fitted.tokens == longturn.estimate(fitted.messages)


# ---------------------------------------------------------------------- found by trying to break it


def test_V1_a_call_in_the_head_keeps_its_result() -> None:
    """A history that begins with a call: the user's message after it is no place to cut at."""
    history = [
        {"type": "function_call", "call_id": "a", "name": "r", "arguments": "{}"},
        {"role": "user", "content": "hurry"},
        {"type": "function_call_output", "call_id": "a", "output": "x" * 8_000},
        {"role": "assistant", "content": "x" * 4_000},
        {"role": "user", "content": "next"},
    ]
    kinds = [item.get("type") for item in Window(1_000).fit(history).messages]
    assert kinds.count("function_call") == kinds.count("function_call_output")


def test_R1_a_message_between_call_and_result_is_no_obstacle() -> None:
    """A user who steers while a tool runs opens no turn, and old rounds can go."""
    window = Window(5_000)
    history: list[Any] = [{"role": "user", "content": "The task."}]
    for number in range(200):
        history += [
            {"type": "function_call", "call_id": f"c{number}", "name": "r", "arguments": '{"p":"' + "x" * 400 + '"}'},
            {"role": "user", "content": f"steer {number}"},
            {"type": "function_call_output", "call_id": f"c{number}", "output": "ok"},
        ]
        assert window.fit(history).fits


def test_C4_a_view_that_comes_back_does_not_pile_up_questions() -> None:
    """Fitting one's own views again and again stays within the budget."""
    shape = SHAPES["anthropic"]
    window = Window(2_000)
    saved: list[Any] = [shape.user("The task.")]
    for turn in range(40):
        for number in range(4):
            saved = window.fit([*saved, *round_of(shape, [4 * turn + number])]).messages
        saved = window.fit([*saved, *shape.model("Answer.", "", ()), shape.user(f"Question {turn}. " * 20)]).messages
    fitted = window.fit(saved)
    assert fitted.fits
    assert text(fitted.messages).count(WORDS.left_out[1:40]) == 1


def test_C3_a_result_that_cannot_be_recalled_is_not_cleared() -> None:
    """Where calls have no ids, nothing could bring back what must not be run twice."""
    shape = SHAPES["gemini"]
    history = sub_agent(shape, 12)
    assert fit(history, shape, 4_000).cleared
    assert not fit(history, shape, 4_000, recall_tools=["read"]).cleared


def test_a_window_can_be_copied_and_sent_to_other_processes() -> None:
    """The copy fits alike, and shares no memory."""
    window = Window(policy=Policy(budget=2_000, batch=2), format="anthropic")
    history = sub_agent(SHAPES["anthropic"], 8)
    for twin in (copy.deepcopy(window), pickle.loads(pickle.dumps(window))):
        assert twin.policy == window.policy
        assert twin.fit(history).messages == window.fit(history).messages
