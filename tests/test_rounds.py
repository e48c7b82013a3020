"""Stage three on bare numbers: whole tool rounds of the newest turn."""

from __future__ import annotations

import oracle
import pytest
from numeric import history, planned, view

RULES = oracle.Rules(budget=1_000, keep_window=250, exclude_tools=("read",), low_water=0.5, note=10)
"""No result may be cleared here."""


@pytest.mark.parametrize(
    ("text", "sent"),
    [
        # Fixed is 110; half of the 890 that are free are 445.
        ("U100 M10 R300 M10 R300 M10 R300", "U100 * M10 R300"),
        ("U100 M10 R300 M10 R200 M10 R225 M10 R200", "U100 * M10 R225 M10 R200"),
        ("U100 M10 R300 M10 R200 M10 R226 M10 R200", "U100 * M10 R200"),
        # The newest round always, whole, with all of its results.
        ("U100 M10 R300 M10 R400+400", "U100 * M10 R400+400"),
        ("U100 M10 R300 M10 R400 R400 U20", "U100 * M10 R400 R400 U20"),
        ("U100 M10 R300 M10 M10 R400 R400", "U100 * M10 M10 R400 R400"),
        # What a user adds belongs to the round before.
        ("U100 M10 R300 U40 M10 R300 U50 M10 R400", "U100 * M10 R400"),
        # Held until the budget is crossed again.
        ("U100 M10 R300 M10 R300 M10 R300 M10 R300", "U100 * M10 R300 M10 R300"),
        ("U100 M10 R300 M10 R300 M10 R300 M10 R300 M10 R300", "U100 * M10 R300"),
        # The opener of the newest turn stays, also once the turn is over.
        ("U100 M10 U40 M10 R400 M10 R400 M10 R400", "U100 * U40 M10 R400"),
        ("U100 M10 U40 U5 M10 R400 M10 R400 M10 R400", "U100 * U40 U5 M10 R400"),
        ("U100 M10 U40 M10 R400 M10 R441 M10 U30 M10 R90", "U100 * U40 M10 R441 M10 U30 M10 R90"),
        # System messages stay in place, in order: before, within and after an opener.
        ("U100 S1 M10 S2 U40 S3 U5 S4 M10 R440 S5 M10 R400", "U100 * S1 S2 U40 S3 U5 S4 S5 M10 R400"),
        # A history that begins with the model: its head is kept, or its first round where no user speaks.
        ("M10 U100 M10 R400 M10 R400 M10 R400", "M10 U100 * M10 R400"),
        ("M10 R100 M10 R300 M10 R300 M10 R300", "M10 R100 * M10 R300"),
        # The end of a history is a request point as well.
        ("U100 M10 R300 M10 R300 M10 R300 M5", "U100 * M10 R300 M5"),
        ("U100 M10 R500 M10 R370 M5", "U100 M10 R500 M10 R370 M5"),
        ("U100 M10 R500 M10 R370 M20", "U100 * M10 R370 M20"),
    ],
)
def test_R1_whole_rounds(text: str, sent: str) -> None:
    """Fixed and the newest whole rounds up to the low-water mark; the newest one always."""
    assert sent == view(text, RULES)


def test_R1_comes_only_where_the_newest_turn_does_not_fit() -> None:
    """A newest turn that fits is kept whole, however many of its rounds are beyond the low-water mark."""
    text = "U100 M10 R300 M10 U40" + " M10 R190" * 4
    assert view(text, RULES) == "U100 * U40" + " M10 R190" * 4
    assert view(text + " M10 R190", RULES) == "U100 * U40" + " M10 R190" * 2


def test_V1_no_cut_between_a_call_and_a_late_result() -> None:
    """Where the newest round answers a call of the first one, all between them stays."""
    messages = history("U100 M10 R300 M10 R300 M10 R300")
    assert planned(messages, RULES)["gone"] == [1, 2, 3, 4]
    messages[1] = messages[1]._replace(calls=(oracle.Call(), oracle.Call()))
    messages[6] = messages[6]._replace(results=(messages[6].results[0]._replace(call=(1, 1)),))
    assert planned(messages, RULES)["gone"] == []
