"""Bare numbers: what the planner is told of a history and what it says, in the oracle's words and as short texts."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import oracle

from longturn.fitting.outline import Call, Facts, Kind, Outline, Result, Rules
from longturn.fitting.plan import Plan, Walk
from longturn.fitting.view import Terms, left_out, visible_cleared

AROUND_NOTES = {None: 0, "output": 7, "cleared": 2}
"""What an object around a note adds to it, by the key under which the note stands."""
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
            strict_roles=rules.strict_roles,
            input_tools=frozenset(rules.input_tools),
            note_size=lambda note, key: note + AROUND_NOTES[key],
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


def seen(outline: Outline, plan: Plan, terms: Terms) -> dict[str, Any]:
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
        "head_end": outline.head_end,
        "gone": gone,
        "cleared": [(outline.result_message[n], outline.result_slot[n]) for n in cleared],
        "size": plan.quarters,
        "stage": str(stage),
        "note": counted.has_note,
    }


def expected(messages: list[oracle.Message], rules: oracle.Rules) -> dict[str, Any]:
    history = oracle.History(messages, strict_roles=rules.strict_roles)
    view = oracle.fit(history, rules)
    cleared = sorted(name for name in view.cleared if name[0] not in view.gone)
    stage = view.stage if view.gone else "cleared" if cleared else "whole"
    return {
        "head_end": history.head_end,
        "gone": sorted(view.gone),
        "cleared": cleared,
        "size": oracle.size_of(history, len(messages), view, rules),
        "stage": stage,
        "note": oracle.shows_note(history, view, rules),
    }


def planned(messages: Sequence[oracle.Message], rules: oracle.Rules) -> dict[str, Any]:
    outline, terms = outlined(messages, rules), terms_of(rules)
    return seen(outline, Walk().plan(outline, terms), terms)


# ---------------------------------------------------------------------- histories as texts

_MESSAGE = re.compile(
    r"(?P<kind>[SUMR])(?P<size>\d+)(?P<more>(?:\+\d+)*)(?P<marks>[!~*]*)(?::(?P<tool>\w+))?(?:t(?P<thinking>\d+))?"
)
_KINDS = {"S": "system", "U": "user", "M": "model", "R": "reply"}


def history(text: str) -> list[oracle.Message]:
    """
    Read a history like ``U10 M4 R200 M4 R90+70 U5``: System, User, Model, Results, with their sizes.

    A reply is as large as its results, and answers the model message before it.  ``R90:look`` is a result
    of that tool, ``R90!`` one that can't be replaced, ``R5~`` one that came in cleared, ``U10*`` a user
    message with the note about what is left out, ``M40t30`` one with reasoning in it.
    """
    messages: list[oracle.Message] = []
    model = -1
    for token in text.split():
        found = _MESSAGE.fullmatch(token)
        assert found is not None, token
        kind, marks = _KINDS[found["kind"]], found["marks"]
        sizes = [int(size) for size in (found["size"] + found["more"]).split("+")]
        if kind == "model":
            model = len(messages)
        results = []
        for size in sizes if kind == "reply" else []:
            tool = found["tool"] or "read"
            call = None
            if model >= 0:
                call = (model, len(messages[model].calls))
                messages[model] = messages[model]._replace(calls=(*messages[model].calls, oracle.Call(tool)))
            results.append(oracle.Result(size, call, tool, "!" not in marks, "~" in marks))
        thinking = int(found["thinking"] or 0)
        messages.append(oracle.Message(kind, sum(sizes), (), tuple(results), thinking, "*" in marks))
    return messages


def view(text: str, rules: oracle.Rules) -> str:
    """
    Return what is sent of ``history(text)``: what is left out is missing, ``*`` is the note about it.

    Messages with cleared results are in small letters: ``r200``.
    """
    said = planned(history(text), rules)
    shown = []
    for index, token in enumerate(text.split()):
        if index == said["head_end"] and said["note"]:
            shown.append("*")
        if index not in said["gone"]:
            count = sum(1 for message, _ in said["cleared"] if message == index)
            shown.append(token.lower() if count else token)
    return " ".join(shown)


def as_history(messages: Sequence[oracle.Message], rules: oracle.Rules) -> list[oracle.Message]:
    """Return what is sent of a history as a history of its own, as if the view had been saved."""
    read = oracle.History(messages, strict_roles=rules.strict_roles)
    view = oracle.fit(read, rules)
    users = [index for index in range(read.head_end) if messages[index].kind == "user"]
    is_noted = oracle.shows_note(read, view, rules)
    note_is_message = rules.note_is_message or not users
    places: dict[int, int] = {}
    saved: list[oracle.Message] = []
    for index, message in enumerate(messages):
        if index == read.head_end and is_noted and note_is_message:
            saved.append(oracle.Message("user", rules.note, has_note=True))
        if index in view.gone:
            continue
        places[index] = len(saved)
        saved.append(_as_sent(read, index, view, rules, places))
        if is_noted and not note_is_message and index == users[-1]:
            saved[-1] = message._replace(size=message.size + rules.note, has_note=True)
    return saved


def _as_sent(
    read: oracle.History, index: int, view: oracle.View, rules: oracle.Rules, places: dict[int, int]
) -> oracle.Message:
    """Return a message with its results cleared and its reasoning gone; calls are where they stand by now."""
    message = read.messages[index]
    thinking = 0 if rules.strips_thinking and index in view.bound else message.thinking
    size, results = message.size - message.thinking + thinking, []
    for slot, result in enumerate(message.results):
        is_cleared = (index, slot) in view.cleared
        left = oracle.cleared_size(read, result, rules) if is_cleared else result.size
        size += left - result.size
        call = None if result.call is None else (places[result.call[0]], result.call[1])
        results.append(result._replace(size=left, call=call, is_note=result.is_note or is_cleared))
    return message._replace(size=size, results=tuple(results), thinking=thinking)
