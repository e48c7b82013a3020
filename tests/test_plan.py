"""The decision on bare numbers: against a slow second reading of the documentation, and the worked example."""

from __future__ import annotations

import os
from collections.abc import Sequence
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

import oracle
from longturn.fitting.outline import Call, Facts, Kind, Outline, Result, Rules
from longturn.fitting.plan import Plan, Walk
from longturn.fitting.view import Terms, left_out, visible_cleared
from strategies import numeric_case, numeric_cases

VOLUME = 50_000 if os.environ.get("LONGTURN_HYPOTHESIS") == "slow" else 1_000
KINDS = {"system": Kind.SYSTEM, "user": Kind.USER, "model": Kind.MODEL, "reply": Kind.REPLY}


def empty_outline(rules: oracle.Rules) -> Outline:
    return Outline(
        Rules(
            small_result=rules.small_result,
            note=rules.cleared,
            recall_note=rules.recalled,
            input_note=rules.cleared_input,
            exclude_tools=frozenset(rules.exclude_tools),
            recall_tools=frozenset(rules.recall_tools),
            input_tools=frozenset(rules.input_tools),
        )
    )


def facts_of(message: oracle.Message, index: int) -> Facts:
    """Return what an outline is told of a message: each call and its result share an id."""
    calls = [Call(f"{index}.{slot}", call.tool, slot, call.arguments) for slot, call in enumerate(message.calls)]
    results = [
        Result(
            "{}.{}".format(*result.call or ("no", "call")),
            result.tool,
            slot,
            result.size,
            result.is_replaceable and not result.is_note,
            is_note=result.is_note,
        )
        for slot, result in enumerate(message.results)
    ]
    return Facts(KINDS[message.kind], tuple(calls), tuple(results), message.thinking, message.has_note)


def outlined(messages: Sequence[oracle.Message], rules: oracle.Rules) -> Outline:
    outline = empty_outline(rules)
    for index, message in enumerate(messages):
        outline.append(facts_of(message, index), message.size)
    return outline


def terms_of(rules: oracle.Rules) -> Terms:
    return Terms(
        budget=rules.budget,
        overhead=rules.overhead,
        keep_window=rules.keep_window,
        note=rules.note,
        batch=rules.batch,
        low_water=rules.low_water if rules.hold else 1.0,
        hold=rules.hold,
        strips_thinking=rules.strips_thinking,
        note_is_message=rules.note_is_message,
    )


def seen(outline: Outline, plan: Plan, terms: Terms) -> dict[str, object]:
    """Return what a plan leaves out and clears, in the oracle's words."""
    cut = plan.cut
    gone = [
        index
        for index in range(outline.head_end, cut.keep_from)
        if outline.kinds[index] != Kind.SYSTEM and index not in range(*cut.opener)
    ]
    counted = left_out(outline, cut, terms)
    assert counted.messages == len(gone)
    cleared = list(visible_cleared(outline, cut))
    stage = cut.stage if gone else "cleared" if cleared else "whole"
    return {
        "gone": gone,
        "cleared": [(outline.result_message[n], outline.result_slot[n]) for n in cleared],
        "size": plan.quarters,
        "stage": str(stage),
        "note": counted.has_note,
    }


def expected(messages: list[oracle.Message], rules: oracle.Rules) -> dict[str, object]:
    history = oracle.History(messages)
    view = oracle.fit(history, rules)
    cleared = sorted(name for name in view.cleared if name[0] not in view.gone)
    stage = view.stage if view.gone else "cleared" if cleared else "whole"
    return {
        "gone": sorted(view.gone),
        "cleared": cleared,
        "size": oracle.size_of(history, len(messages), view, rules),
        "stage": stage,
        "note": oracle.shows_note(history, view, rules),
    }


def planned(messages: Sequence[oracle.Message], rules: oracle.Rules) -> dict[str, object]:
    outline, terms = outlined(messages, rules), terms_of(rules)
    return seen(outline, Walk().plan(outline, terms), terms)


@pytest.mark.parametrize("is_odd", [False, True], ids=["legal", "odd"])
@given(data=st.data())
def test_H1_the_plan_is_what_the_documentation_says(is_odd: bool, data: st.DataObject) -> None:
    """The library and the slow second reading leave out, clear and weigh the same."""
    messages, rules = data.draw(numeric_cases(is_odd=is_odd))
    assert planned(messages, rules) == expected(messages, rules)


@pytest.mark.parametrize("is_odd", [False, True], ids=["legal", "odd"])
def test_H1_the_plan_is_what_the_documentation_says_in_volume(is_odd: bool) -> None:
    """The same on many more histories than Hypothesis has time for."""
    for seed in range(VOLUME):
        messages, rules = numeric_case(Random(seed), is_odd=is_odd)
        assert planned(messages, rules) == expected(messages, rules), f"seed {seed}"
