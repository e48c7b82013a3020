"""The laws, in every format, on histories that are legal by construction, at random budgets and policies."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from copy import deepcopy
from dataclasses import replace
from functools import lru_cache
from itertools import pairwise
from random import Random
from types import ModuleType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from measures import PROFILES
from strategies import SHAPES, Sent, Shape, Transcript, policies, sent, transcript

from longturn import Fitted, Policy, Stage, Window
from longturn.wording import phrases

WORDS = phrases("en")
VALIDATORS = {"bedrock": "bedrock-converse"}
UNCHECKED = ("langchain", "pydantic-ai")  # no provider takes them as they are

IS_SLOW = os.environ.get("LONGTURN_HYPOTHESIS") == "slow"

pytestmark = [
    pytest.mark.filterwarnings("ignore:a budget of"),
    pytest.mark.timeout(1_800 if IS_SLOW else 120),
]
CASES = [
    *SHAPES,
    *(f"{name} by profile" for name in ("anthropic", "gemini", "langchain", "pydantic-ai")),
    *(f"{name} by tokenizer" for name in ("openai-chat", "openai-responses", "bedrock")),
]
"""Each format by the script rule, and by a measure under which sums over parts of a text are another number."""
by_format = pytest.mark.parametrize("format", CASES)
seeds = st.integers(0, 3_000 if IS_SLOW else 39)
"""Few enough for the laws to share the histories, which cost more to make than to fit."""


@lru_cache(maxsize=300)
def made_by_seed(seed: int, format: str) -> tuple[Transcript, Policy]:
    name, _, measured = format.partition(" by ")
    profile = PROFILES[measured or "script"]
    made = transcript(seed, name, profile=profile)
    return made, policies(Random(seed), made.messages, profile)


def drawn(seed: int, format: str, **changes: Any) -> tuple[Transcript, Policy]:
    made, policy = made_by_seed(seed, format)
    return made, replace(policy, **changes) if changes else policy


@lru_cache(maxsize=300)
def expected_by_seed(seed: int, format: str) -> Sent:
    return sent(*made_by_seed(seed, format))


def fitted_by(policy: Policy, made: Transcript) -> Fitted:
    return made.window(policy).fit(made.messages)


def own(fitted: Fitted, history: Sequence[Any]) -> list[bool]:
    """Tell for each message of a view whether it is one of the history's own objects."""
    known = set(map(id, history))
    return [id(message) in known for message in fitted.messages]


@by_format
@given(seed=seeds)
def test_H1_what_is_sent_is_what_the_documentation_says(format: str, seed: int) -> None:
    """Message by message, as the slow second reading decides and a second writing of each format renders it."""
    made, policy = drawn(seed, format)
    expected, fitted = expected_by_seed(seed, format), fitted_by(policy, made)
    assert expected.messages == fitted.messages
    assert expected.edited == {place for place, is_own in enumerate(own(fitted, made.messages)) if not is_own}, "[V5]"
    assert -(-expected.quarters // 4) == fitted.tokens
    assert len(expected.view.gone) == fitted.dropped


@by_format
@given(seed=seeds)
def test_the_report_says_what_one_sees(format: str, seed: int) -> None:
    """Stage, first change, stable part, cleared results and reasoning cut off from what it was made after."""
    made, policy = drawn(seed, format)
    expected, fitted = expected_by_seed(seed, format), fitted_by(policy, made)
    view = expected.view
    cleared = [name for name in sorted(view.cleared) if name[0] not in view.gone]
    stage = view.stage if view.gone else "cleared" if cleared else "whole"
    assert stage == fitted.stage
    assert [made.outline[i].results[k].tool for i, k in cleared] == [one.tool for one in fitted.cleared]
    pairs = enumerate(zip(fitted.messages, made.messages, strict=False))
    assert next((i for i, (shown, its_own) in pairs if shown is not its_own), None) == fitted.first_changed
    last_edit = max(expected.edited, default=-1) + 1
    assert max(last_edit, _head_end(made) if view.gone else 0) == fitted.stable_until
    is_bound = made.shape.binds_thinking and policy.thinking == "keep" and bool(view.bound)
    assert is_bound == fitted.needs_drop_block
    assert (fitted.tokens <= policy.budget) == fitted.fits
    assert made.estimate(made.messages) == fitted.tokens_before


def _head_end(made: Transcript) -> int:
    kinds = [message.kind for message in made.outline]
    return next((i for i, kind in enumerate(kinds) if kind not in ("user", "system")), len(kinds))


@by_format
@given(seed=seeds)
def test_V1_to_V5_a_valid_request_stays_one(format: str, seed: int) -> None:
    """Pairs stay together, system messages and the task stay, the last message stays, nothing is written to."""
    made, policy = drawn(seed, format)
    before = deepcopy(made.messages)
    fitted = fitted_by(policy, made)
    assert before == made.messages, "[V5]"
    check_pairs(made.shape, fitted.messages)
    systems = [message for message, kind in zip(made.messages, made.outline, strict=True) if kind.kind == "system"]
    ids = set(map(id, systems))
    assert [id(message) for message in fitted.messages if id(message) in ids] == list(map(id, systems)), "[V2]"
    assert fitted.messages[0] in (made.messages[0], made.shape.with_note(made.messages[0], WORDS.left_out)), "[V3]"
    assert fitted.messages[-1] is made.messages[-1], "[V3]"


def text_of(message: Any) -> str:
    return json.dumps(message, ensure_ascii=False, sort_keys=True, default=str)


def check_pairs(shape: Shape, messages: Sequence[Any]) -> None:
    """[V1]: every run of calls is followed by as many results, before the model or the user speaks again."""
    waiting = 0
    for message in messages:
        calls, results = len(shape.calls(message)), len(shape.results(message))
        assert results <= waiting
        assert not waiting or calls or results or _is_reasoning(message)
        waiting += calls - results
    assert not waiting


def _is_reasoning(message: Any) -> bool:
    return bool(message.get("type") == "reasoning")


@by_format
@given(seed=seeds)
def test_V4_no_edit_inside_calls_or_reasoning(format: str, seed: int) -> None:
    """With arguments and reasoning kept, those that are sent are byte for byte those of the history, in order."""
    made, policy = drawn(seed, format, clear_tool_inputs=False, thinking="keep")

    def protected(messages: Sequence[Any]) -> list[str]:
        shape = made.shape
        return [text_of(part) for one in messages for part in (*shape.thinking(one), *shape.calls(one))]

    remaining = iter(protected(made.messages))
    assert all(part in remaining for part in protected(fitted_by(policy, made).messages))


@pytest.mark.parametrize("format", [name for name in SHAPES if name not in UNCHECKED])
@given(seed=seeds)
def test_V1_no_provider_refuses_what_it_took_before(format: str, seed: int, validator: ModuleType) -> None:
    """The rules of providers find no error in a view of a history that has none."""
    made, policy = drawn(seed, format)
    name = VALIDATORS.get(format, format)
    assert [] == validator.errors(name, made.messages)
    assert [] == validator.errors(name, fitted_by(policy, made).messages)


@pytest.mark.parametrize("format", [name for name in SHAPES if name not in UNCHECKED])
@given(seed=seeds)
def test_V6_what_was_invalid_is_not_made_worse(format: str, seed: int, validator: ModuleType) -> None:
    """Messages lost at random leave calls and results alone; a view has no kind of error that its history had not."""
    made, policy = drawn(seed, format, thinking="keep")
    random = Random(seed)
    history = [message for message in made.messages[1:] if random.random() > 0.1]
    if not history:
        return
    name = VALIDATORS.get(format, format)
    known = {issue.code for issue in validator.errors(name, history)}
    before = deepcopy(history)
    fitted = made.window(policy).fit(history)
    assert before == history
    assert {issue.code for issue in validator.errors(name, fitted.messages)} <= known
    assert fitted.tokens == made.estimate(fitted.messages) <= fitted.tokens_before
    assert fitted.messages[-1] is history[-1]


@by_format
@given(seed=seeds)
def test_C1_what_is_cleared_and_what_stays_whole(format: str, seed: int) -> None:
    """The newest result and unread ones stay whole; small ones and those of excluded tools always."""
    made, policy = drawn(seed, format, clear_tool_inputs=False)
    fitted = fitted_by(policy, made)
    notes = (WORDS.cleared, WORDS.cleared_recall)
    shown = [text for message in fitted.messages for text in map(text_of, made.shape.results(message))]
    if shown:
        assert not any(note in shown[-1] for note in notes)
    unread: list[Any] = []
    for message, told in zip(made.messages, made.outline, strict=True):
        unread = [] if told.kind == "model" else [*unread, message]
    assert all(is_own for is_own, _ in zip(reversed(own(fitted, made.messages)), unread[1:], strict=False))
    for one in fitted.cleared:
        assert one.tool not in policy.exclude_tools
        assert one.tokens >= policy.small_result


@by_format
@given(seed=seeds)
def test_C3_C4_notes_are_constant_and_stand_where_they_should(format: str, seed: int) -> None:
    """One note a cleared result, by its tool; at most one about what is left out, in or right after the head."""
    made, policy = drawn(seed, format)
    fitted = fitted_by(policy, made)
    texts = [text_of(message) for message in fitted.messages]
    recalled = sum(one.tool in policy.recall_tools for one in fitted.cleared)
    assert recalled == sum(text.count(WORDS.cleared_recall) for text in texts)
    assert len(fitted.cleared) - recalled == sum(text.count(WORDS.cleared) for text in texts)
    places = [place for place, text in enumerate(texts) if WORDS.left_out in text]
    as_message = made.shape.note_is_message and not policy.strict_roles
    assert places in ([], [_head_end(made) - (not as_message)])
    assert fitted.dropped or not places


@by_format
@given(seed=seeds)
def test_F1_F2_the_number_decided_by_is_the_number_of_what_is_sent(format: str, seed: int) -> None:
    """A fresh count gives the same, never more than the history's; over the budget only where nothing fits."""
    made, policy = drawn(seed, format)
    fitted = fitted_by(policy, made)
    assert made.estimate(fitted.messages) == fitted.tokens <= fitted.tokens_before
    if not fitted.fits:
        smallest = fitted_by(replace(policy, hold=False, low_water=0.0, batch=1, keep_share=0.0), made)
        assert not smallest.fits, "[F3]"


@by_format
@given(seed=seeds)
def test_H1_each_request_extends_the_one_before_unless_the_budget_was_crossed(format: str, seed: int) -> None:
    """Along a run, at every request: identical, an extension, or a break that a crossing explains."""
    made, policy = drawn(seed, format, hold=True)
    window = made.window(policy)
    for before, after in pairwise(_points(made)):
        old, new = window.fit(made.messages[:before]), window.fit(made.messages[:after])
        grown = [*old.messages, *made.messages[before:after]]
        assert grown == new.messages or made.estimate(grown) > policy.budget


def _points(made: Transcript) -> list[int]:
    """Return how many messages each request of a run held, of its last dozen and a half."""
    kinds = [message.kind for message in made.outline]
    points = [i for i in range(1, len(kinds)) if kinds[i] == "model" and kinds[i - 1] != "model"]
    return [*points[-18:], len(kinds)]


@by_format
@given(seed=seeds)
def test_H2_a_lower_mark_moves_the_cut_less_often(format: str, seed: int) -> None:
    """Going down further than to what just fits, a cut lasts at least as long."""
    made, _ = made_by_seed(seed, format)
    budget = max(made.estimate(made.messages) // 3, 1_000)

    def moves(low_water: float) -> int:
        window = made.window(Policy(budget=budget, exclude_tools=("read", "look", "write"), low_water=low_water))
        views = [window.fit(made.messages[:point]).messages for point in _points(made)]
        return sum(old != new[: len(old)] for old, new in pairwise(views))

    assert moves(0.3) <= moves(1.0) + 1


@by_format
@given(seed=seeds)
def test_H3_the_literal_rule_looks_at_the_end_alone(format: str, seed: int) -> None:
    """Without hold the low-water mark means nothing, and a view that fits is never touched."""
    made, policy = drawn(seed, format, hold=False)
    fitted = fitted_by(policy, made)
    assert fitted.messages == fitted_by(replace(policy, low_water=1 - policy.low_water), made).messages
    if fitted.tokens_before <= policy.budget:
        assert fitted.stage == Stage.WHOLE


@by_format
@given(seed=seeds)
def test_H4_fitting_a_fitted_view_changes_nothing(format: str, seed: int) -> None:
    """The notes of an earlier fit are known for what they are."""
    made, policy = drawn(seed, format)
    fitted = fitted_by(policy, made)
    again = made.window(policy).fit(fitted.messages)
    assert fitted.messages == again.messages
    assert all(own(again, fitted.messages))
    assert (0, ()) == (again.dropped, again.cleared)


@by_format
@given(seed=seeds)
def test_T1_R1_what_is_left_out_is_whole_rounds_in_one_piece(format: str, seed: int) -> None:
    """Between the head and the part kept, nothing but system messages and the opener of the turn that is cut."""
    made, policy = drawn(seed, format)
    gone = sorted(expected_by_seed(seed, format).view.gone)
    if gone:
        between = set(range(gone[0], gone[-1] + 1)) - set(gone)
        opener = {"system", "user", "model"} if policy.strict_roles else {"system", "user"}
        assert {made.outline[index].kind for index in between} <= opener
        assert _head_end(made) <= gone[0]
        assert fitted_by(policy, made).dropped == len(gone)


@by_format
@given(seed=seeds)
def test_V7_stripped_reasoning_is_that_made_before_an_edit_behind_it(format: str, seed: int) -> None:
    """Reasoning before the first change and made after the edit stays; nothing is left that needs dropping."""
    made, policy = drawn(seed, format, thinking="strip")
    fitted = fitted_by(policy, made)
    assert not fitted.needs_drop_block
    blocks = [len(made.shape.thinking(message)) for message in fitted.messages]
    kept = fitted_by(replace(policy, thinking="keep"), made)
    if fitted.first_changed is None:
        assert fitted.messages == kept.messages
    elif made.shape.strips_thinking:
        unchanged = blocks[: fitted.first_changed]
        assert unchanged == [len(made.shape.thinking(message)) for message in made.messages[: fitted.first_changed]]


@pytest.mark.parametrize(
    ("format", "compaction"),
    [
        ("anthropic", {"role": "assistant", "content": [{"type": "compaction", "content": "What was before."}]}),
        ("openai-responses", {"type": "compaction", "encrypted_content": "c2ln"}),
    ],
)
@given(seed=seeds)
def test_V8_a_leading_compaction_stays_first(format: str, compaction: dict[str, Any], seed: int) -> None:
    """What the provider made of everything before is never left out, nor changed."""
    made, policy = drawn(seed, format)
    fitted = made.window(policy).fit([compaction, *made.messages])
    assert fitted.messages[0] is compaction


@by_format
@given(seed=seeds)
def test_histories_are_told_apart_and_fitted_alike(format: str, seed: int) -> None:
    """What ``auto`` finds in the messages is what they are; plain texts go by the format whose note edits nothing."""
    made, policy = drawn(seed, format)
    found = Window(policy=policy, profile=made.profile).fit(made.messages)
    named = fitted_by(policy, made)
    if made.rounds:
        assert named == found
    assert found.tokens == made.estimate(found.messages)
