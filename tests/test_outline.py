"""What a decision sees of a history: points, rounds, turns, heads, and which result answers which call."""

from __future__ import annotations

import oracle
import pytest
from numeric import empty_outline, history, outlined

from longturn.fitting.outline import Call, Facts, Kind, Outline, Result

RULES = oracle.Rules(budget=1_000)
NOBODY = (-1, -1)


@pytest.mark.parametrize(
    ("text", "points"),
    [
        ("U1", []),
        ("U1 M1", [1]),
        ("M1 U1 M1", [0, 2]),
        ("U1 M1 M1 M1", [1]),
        ("U1 M1 S1 M1", [1]),
        ("U1 M1 R1 M1 R1+1 M1", [1, 3, 5]),
        ("U1 M1 R1 R1 U1 M1", [1, 5]),
        ("S1 U1 M1 U1 M1", [2, 4]),
        ("U1 M1 R1 S1 M1", [1, 4]),
    ],
)
def test_a_request_is_made_before_each_run_of_model_messages(text: str, points: list[int]) -> None:
    """System messages interrupt no run."""
    assert points == list(outlined(history(text), RULES).points)


@pytest.mark.parametrize(
    ("text", "turns"),
    [
        ("U1 U1 M1", []),
        ("U1 M1 U1", [(2, 3)]),
        ("U1 M1 U1 U1 M1 U1", [(2, 4), (5, 6)]),
        ("U1 M1 R1 U1 M1", []),
        ("U1 M1 R1 U1 U1 M1", []),
        ("U1 M1 S1 U1 M1", [(3, 4)]),
        ("U1 M1 U1 S1 U1 M1", [(2, 5)]),
        ("U1 M1 U1 S1 M1", [(2, 3)]),
        ("U1 M1 R1 M1 U1 M1 R1 U1 M1 U1", [(4, 5), (9, 10)]),
        ("M1 U1 U1 M1 U1", [(4, 5)]),
    ],
)
def test_a_turn_opens_with_a_user_message_that_follows_a_model_message(text: str, turns: list[tuple[int, int]]) -> None:
    """Its opener is that whole run; a user message after results opens nothing."""
    outline = outlined(history(text), RULES)
    assert turns == list(zip(outline.turns, outline.opener_ends, strict=True))


@pytest.mark.parametrize(
    ("text", "end"),
    [
        ("U1", 1),
        ("U1 U1 M1 U1", 2),
        ("S1 U1 M1", 2),
        ("S1 U1 S1 U1 M1", 4),
        ("U1 S1 M1", 1),
        ("M1 U1 M1", 2),
        ("M1 R1 M1 R1 U1 U1 M1", 6),
        # While no user has spoken, the first round.
        ("M1", 1),
        ("M1 R1", 2),
        ("M1 R1 M1 R1", 2),
        ("S1 M1 R1 S1 M1 R1 M1", 4),
        ("S1", 1),
    ],
)
def test_the_head_ends_with_the_first_run_of_user_messages(text: str, end: int) -> None:
    """Whoever spoke before that is in the head as well."""
    assert end == outlined(history(text), RULES).head_end


@pytest.mark.parametrize(
    ("text", "has_note"), [("U1 M1", False), ("U1* M1", True), ("U1* U1 M1", True), ("U1 M1 U1*", False)]
)
def test_C4_a_note_of_an_earlier_fit_is_known_in_the_head_alone(text: str, has_note: bool) -> None:
    """Anywhere else it is a text like any other."""
    assert has_note == outlined(history(text), RULES).has_note


# ---------------------------------------------------------------------- pairing


def pairs(*messages: Facts) -> list[tuple[int, int]]:
    """Return for each result the message and slot of its call."""
    outline = drawn(*messages)
    return list(zip(outline.call_message, outline.call_slot, strict=True))


def drawn(*messages: Facts) -> Outline:
    outline = empty_outline(RULES)
    for facts in messages:
        outline.append(facts, 10)
    return outline


def calls(*ids: str | None, tool: str = "read") -> Facts:
    return Facts(Kind.MODEL, tuple(Call(one, tool, slot) for slot, one in enumerate(ids)))


def results(*ids: str | None, tool: str | None = None) -> Facts:
    return Facts(Kind.REPLY, results=tuple(Result(one, tool, slot, 10) for slot, one in enumerate(ids)))


USER, MODEL, SYSTEM = Facts(Kind.USER), Facts(Kind.MODEL), Facts(Kind.SYSTEM)


@pytest.mark.parametrize(
    ("messages", "expected"),
    [
        ((USER, calls("a"), results("a")), [(1, 0)]),
        ((USER, calls("a", "b", "c"), results("c", "a"), results("b")), [(1, 2), (1, 0), (1, 1)]),
        # Ids repeat: over rounds, and within one.
        ((USER, calls("a"), results("a"), calls("a"), results("a")), [(1, 0), (3, 0)]),
        ((USER, calls("a", "a"), results("a", "a")), [(1, 0), (1, 1)]),
        # No ids: by tool, in order.
        ((USER, calls(None, None), results(None, None, tool="read")), [(1, 0), (1, 1)]),
        ((USER, calls(None), calls(None, tool="look"), results(None, tool="look"), results(None, tool="read")),
         [(2, 0), (1, 0)]),
        # A second result of one call.
        ((USER, calls("a"), results("a", "a")), [(1, 0), (1, 0)]),
        # Nobody's.
        ((USER, results("a")), [NOBODY]),
        ((USER, calls("a"), results("b"), results("a")), [NOBODY, (1, 0)]),
        ((USER, results("a"), calls("a")), [NOBODY]),
        # Late: the calls of earlier rounds stay answerable, once.
        ((USER, calls("a"), USER, calls("b"), results("b"), results("a")), [(3, 0), (1, 0)]),
        ((USER, calls("a"), USER, calls("b"), results("a", "a")), [(1, 0), NOBODY]),
        # The nearest one before is meant.
        ((USER, calls("a"), USER, calls("a"), results("a")), [(3, 0)]),
        ((USER, calls("a"), SYSTEM, results("a")), [(1, 0)]),
        ((USER, calls("a"), MODEL, results("a")), [(1, 0)]),
    ],
)  # fmt: skip
def test_V1_results_are_paired_by_position_within_a_round(
    messages: tuple[Facts, ...], expected: list[tuple[int, int]]
) -> None:
    """Never by an id in the whole history: ids repeat in real ones, or are missing."""
    assert expected == pairs(*messages)


@pytest.mark.parametrize(
    ("messages", "forbidden"),
    [
        ((USER, calls("a"), results("a"), calls("b"), results("b"), USER), []),
        ((USER, calls("a", "b"), results("a"), results("b"), MODEL), []),
        ((USER, calls("a"), USER, results("a"), MODEL), []),  # the user message opens nothing there
        ((USER, calls("a"), results("x"), calls("b"), results("a", "b"), MODEL), [2, 3, 4]),
    ],
)
def test_V1_no_cut_separates_a_call_from_its_result(messages: tuple[Facts, ...], forbidden: list[int]) -> None:
    """Only where a request or a turn begins between the two is there anything to forbid."""
    outline = drawn(*messages)
    assert forbidden == [place for place in range(len(messages)) if not outline.may_cut(place)]


@pytest.mark.parametrize(
    ("result", "call", "saving"),
    [
        (Result("a", None, 0, 100), Call("a", "read", 0), 95),
        (Result("a", None, 0, 19), Call("a", "read", 0), 0),
        (Result("a", None, 0, 20), Call("a", "read", 0), 15),
        (Result("a", None, 0, 100, is_replaceable=False), Call("a", "read", 0), 0),
        (Result("a", None, 0, 100), Call("a", "keep", 0), 0),
        (Result("a", "keep", 0, 100), Call("a", None, 0), 0),
        (Result("a", None, 0, 100), Call("a", "once", 0), 60),
        (Result("a", None, 0, 40), Call("a", "once", 0), 0),
        (Result("a", None, 0, 100, key="output"), Call("a", "read", 0), 88),
        # The arguments of these calls go along, where that gains anything.
        (Result("a", None, 0, 100), Call("a", "write", 0, 300, "cleared"), 95 + 295),
        (Result("a", None, 0, 6), Call("a", "write", 0, 300, "cleared"), 1 + 295),
        (Result("a", None, 0, 100), Call("a", "write", 0, 5, "cleared"), 95),
        (Result("a", None, 0, 6), Call("a", "write", 0, 24, "cleared"), 0),
        (Result("a", None, 0, 100, is_replaceable=False), Call("a", "write", 0, 300, "cleared"), 0),
    ],
)
def test_C1_what_clearing_a_result_frees(result: Result, call: Call, saving: int) -> None:
    """Nothing where it may not be cleared or where the note would be no smaller."""
    rules = RULES._replace(
        small_result=20,
        cleared=5,
        recalled=40,
        cleared_input=3,
        exclude_tools=("keep",),
        recall_tools=("once",),
        input_tools=("write",),
    )
    outline = empty_outline(rules)
    for facts in (USER, Facts(Kind.MODEL, (call,)), Facts(Kind.REPLY, results=(result,))):
        outline.append(facts, 500)
    assert saving == outline.savings[-1]
    assert [0] * (saving > 0) == list(outline.clearable)
