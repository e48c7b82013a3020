"""Stage two on bare numbers: whole user turns."""

from __future__ import annotations

import oracle
import pytest
from numeric import view

RULES = oracle.Rules(budget=1_000, keep_window=250, exclude_tools=("read",), low_water=0.5, note=10)
"""No result may be cleared here."""


@pytest.mark.parametrize(
    ("history", "sent"),
    [
        # The newest turn if it fits the budget: over the low-water mark, so no other beside it.
        ("U100 M10 R500 M10 U50 M10 R600", "U100 * U50 M10 R600"),
        ("U100 M10 R500 M10 U50 M10 R820 M10", "U100 * U50 M10 R820 M10"),
        # Older ones up to the low-water mark: fixed is 160, half of the 840 that are free 420.
        ("U100 M10 R500 M10 U50 M10 R100 M10 U50 M10 R200", "U100 * U50 M10 R100 M10 U50 M10 R200"),
        ("U100 M10 R500 M10 U50 M10 R140 M10 U50 M10 R200", "U100 * U50 M10 R140 M10 U50 M10 R200"),
        ("U100 M10 R500 M10 U50 M10 R141 M10 U50 M10 R200", "U100 * U50 M10 R200"),
        # The opener is a whole run of user messages, and part of what is fixed.
        ("U100 M10 R500 M10 U50 U30 M10 R600", "U100 * U50 U30 M10 R600"),
        # The head is, too, and system messages wherever they stand.
        ("S20 U100 U30 M10 R500 S20 M10 U50 M10 R600", "S20 U100 U30 * S20 U50 M10 R600"),
        ("U100 S5 M10 R500 S6 M10 S7 U50 S8 M10 R600", "U100 * S5 S6 S7 U50 S8 M10 R600"),
        # A user message after results opens no turn.
        ("U100 M10 R500 U50 M10 R600", "U100 * M10 R600"),
        # What the user just said is a turn.
        ("U100 M10 R900 M10 U50", "U100 * U50"),
        # Held until the budget is crossed again; then the turn that was whole goes.
        ("U100 M10 R500 M10 U50 M10 R600 M10 U50 M10 R100", "U100 * U50 M10 R600 M10 U50 M10 R100"),
        ("U100 M10 R500 M10 U50 M10 R600 M10 U50 M10 R200", "U100 * U50 M10 R200"),
        # A history that begins with the model keeps its beginning.
        ("M20 U100 M10 R500 M10 U50 M10 R600", "M20 U100 * U50 M10 R600"),
    ],
)
def test_T1_whole_turns(history: str, sent: str) -> None:
    """Fixed and the newest whole turns: the newest if it fits the budget, older ones up to the low-water mark."""
    assert sent == view(history, RULES)


def test_T1_comes_only_after_clearing_was_not_enough() -> None:
    """What can be cleared is cleared first, and stays so."""
    rules = RULES._replace(exclude_tools=("keep",), batch=1)
    assert view("U100 M10 R500 M10 U50 M10 R600:keep", rules) == "U100 M10 r500 M10 U50 M10 R600:keep"
    history = "U100 M10 R100:keep M10 U50 M10 R500 M10 R300:keep M10 R500:keep"
    assert view(history, rules) == "U100 * U50 M10 r500 M10 R300:keep M10 R500:keep"


@pytest.mark.parametrize(
    ("left_out", "sent"),
    [(11, "U100 * U50 M10 R830 M1"), (10, "U100 U50 M10 R830 M1"), (9, "U100 U50 M10 R830 M1")],
)
def test_C4_no_note_where_what_is_left_out_is_smaller(left_out: int, sent: str) -> None:
    """A note of 10 about a message of 10 would gain nothing."""
    rules = RULES._replace(budget=990 + left_out)  # one less than it all
    assert sent == view(f"U100 M{left_out} U50 M10 R830 M1", rules)


@pytest.mark.parametrize(
    ("history", "sent"),
    [
        ("U100* M10 R500 M10 U50 M10 R600", "U100* U50 M10 R600"),
        ("U100* U40 M10 R500 M10 U50 M10 R600", "U100* U50 M10 R600"),  # what follows the note was an opener
    ],
)
def test_C4_never_a_second_note(history: str, sent: str) -> None:
    """A view that comes back has its note already."""
    assert sent == view(history, RULES)
