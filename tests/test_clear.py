"""Stage one on bare numbers: which results are cleared, and how many at a time."""

from __future__ import annotations

import oracle
import pytest
from numeric import history, planned, view

RULES = oracle.Rules(budget=1_000, keep_window=250, batch=1, small_result=20, cleared=5)


@pytest.mark.parametrize(
    ("text", "sent"),
    [
        # They stay whole while they fit together ...
        ("U10 M5 R745 M5 R50 M5 R100 M5 R100", "U10 M5 r745 M5 R50 M5 R100 M5 R100"),
        ("U10 M5 R745 M5 R51 M5 R100 M5 R100", "U10 M5 r745 M5 r51 M5 R100 M5 R100"),
        # ... up to the first that does not: smaller ones before it go as well.
        ("U10 M5 R700 M5 R40 M5 R200 M5 R100", "U10 M5 r700 M5 r40 M5 r200 M5 R100"),
        # The newest one always.
        ("U10 M5 R400 M5 R40 M5 R700", "U10 M5 r400 M5 r40 M5 R700"),
        ("U10 M5 R400 M5 R40 M5 R700 M5 U5", "U10 M5 r400 M5 r40 M5 R700 M5 U5"),
        # Unread ones always; they use the window up.
        ("U10 M5 R400 M5 R100 M5 R300+300", "U10 M5 r400 M5 r100 M5 R300+300"),
        ("U10 M5 R400 M5 R100 M5 R300 R300 U5", "U10 M5 r400 M5 r100 M5 R300 R300 U5"),
        # Those that may not be cleared use it up, too.
        ("U10 M5 R700 M5 R100 M5 R150! M5 R101", "U10 M5 r700 M5 r100 M5 R150! M5 R101"),
        ("U10 M5 R700 M5 R100 M5 R150:keep M5 R101", "U10 M5 r700 M5 r100 M5 R150:keep M5 R101"),
        ("U10 M5 R650 M5 R30" + " M5 R19" * 12 + " M5 R10", "U10 M5 r650 M5 r30" + " M5 R19" * 12 + " M5 R10"),
        # What came in cleared only as much as its note.
        ("U10 M5 R800 M5 R5~ M5 R5~ M5 R100 M5 R90", "U10 M5 r800 M5 R5~ M5 R5~ M5 R100 M5 R90"),
    ],
)  # fmt: skip
def test_C1_the_keep_window(text: str, sent: str) -> None:
    """Counting back from the newest result, results stay whole while they fit in a share of the budget."""
    assert sent == view(text, RULES._replace(exclude_tools=("keep",)))


@pytest.mark.parametrize(
    ("text", "sent"),
    [
        ("U10 M5 R19 M5 R900 M5 R200", "U10 M5 R19 M5 r900 M5 R200"),
        ("U10 M5 R20 M5 R900 M5 R200", "U10 M5 r20 M5 r900 M5 R200"),
        ("U10 M5 R300:keep M5 R600 M5 R200", "U10 M5 R300:keep M5 r600 M5 R200"),
        ("U10 M5 R300! M5 R600 M5 R200", "U10 M5 R300! M5 r600 M5 R200"),
        # Server-side tools' results are the model's own text.
        ("U10 M300 M5 R600 M5 R200", "U10 M300 M5 r600 M5 R200"),
    ],
)
def test_C1_what_is_never_cleared(text: str, sent: str) -> None:
    """Small results, excluded tools, and what no text may stand in place of."""
    assert sent == view(text, RULES._replace(exclude_tools=("keep",)))


@pytest.mark.parametrize(
    ("batch", "sizes", "cleared"),
    [
        (4, [110] * 9, 4),
        (4, [100] * 10, 8),
        (4, [90] * 11, 8),
        (4, [82] * 12, 8),
        (3, [100] * 10, 6),
        (1, [100] * 10, 8),
        (100, [100] * 10, 8),
        # Only if the view is still over the budget the rest go too.
        (4, [30, 30, 30, 30, 900, 100], 5),
        (4, [300, 300, 300, 30, 30, 100], 3),
        (4, [30, 30, 30, 30, 30, 800, 100, 50], 6),
    ],
)
def test_C2_the_number_cleared_is_a_multiple_of_the_batch(batch: int, sizes: list[int], cleared: int) -> None:
    """The largest one that the candidates allow, unless that is not enough."""
    text = "U10" + "".join(f" M1 R{size}" for size in sizes)
    plan = planned(history(text), RULES._replace(batch=batch))
    assert [(2 * n + 2, 0) for n in range(cleared)] == plan["cleared"]


def test_C1_arguments_that_go_along_take_room_in_the_window() -> None:
    """A tool that writes has short results: without its arguments the window would hold all of them."""
    rules = RULES._replace(input_tools=("write",), cleared_input=3)
    messages = [oracle.Message("user", 10)]
    for _ in range(4):
        call = (len(messages), 0)
        messages.append(oracle.Message("model", 305, calls=(oracle.Call("write", 300),)))
        messages.append(oracle.Message("reply", 10, results=(oracle.Result(10, call, "write"),)))
    plan = planned(messages, rules)
    assert [(2, 0), (4, 0), (6, 0)] == plan["cleared"]
    assert 10 + 4 * 315 - 3 * (310 - 5 - 3) == plan["size"]


def test_C1_a_late_answer_that_forbids_every_cut_keeps_no_result_whole() -> None:
    """Where rounds can't be left out, old results are cleared all the same."""
    answered = oracle.Result(30, (1, 0))
    messages = [oracle.Message("user", 10), oracle.Message("model", 10, calls=(oracle.Call(), oracle.Call()))]
    messages.append(oracle.Message("reply", 600, results=(oracle.Result(600, (1, 1)),)))
    messages.append(oracle.Message("model", 10, calls=(oracle.Call(),)))
    messages.append(oracle.Message("reply", 630, results=(answered, oracle.Result(600, (3, 0)))))
    assert [(2, 0)] == planned(messages, RULES)["cleared"]
