"""Arguments that several commands take."""

from __future__ import annotations

import argparse
from typing import Final

from longturn.formats.detect import AUTO, FORMATS

DEFAULT_BUDGET: Final = 200_000
"""What the smaller context windows of today's models hold."""

_UNITS: Final = {"k": 1_000, "m": 1_000_000}


def add_json(parser: argparse.ArgumentParser) -> None:
    """Let the command print JSON."""
    parser.add_argument("--json", action="store_true", help="print JSON")


def add_budget(parser: argparse.ArgumentParser, usual: int | None = DEFAULT_BUDGET) -> None:
    """Let the command take a budget; without a usual one it finds its own."""
    parser.add_argument(
        "--budget", type=tokens, default=usual, metavar="N",
        help=f"tokens one request may use; 200k and 1M are read too (default: {DEFAULT_BUDGET:,})",
    )  # fmt: skip


def add_format(parser: argparse.ArgumentParser) -> None:
    """Let the command be told the message format."""
    parser.add_argument(
        "--format", choices=(AUTO, *FORMATS), default=AUTO, help="of the messages (default: %(default)s)"
    )


def tokens(text: str) -> int:
    """
    Read a number of tokens: 200000, 200_000, 200k, 1M.

    Raises:
        ArgumentTypeError: it is none, or not greater than 0.
    """
    unit = _UNITS.get(text[-1:].lower(), 1)
    digits = text[:-1] if unit > 1 else text
    try:
        number = int(float(digits) * unit) if unit > 1 else int(digits)
    except (ValueError, OverflowError):
        raise argparse.ArgumentTypeError(f"must be a number of tokens, like 200000 or 200k (got {text!r})") from None
    if number <= 0:
        raise argparse.ArgumentTypeError(f"must be greater than 0 tokens (got {text!r})")
    return number


def price(text: str) -> float:
    """
    Read a price.

    Raises:
        ArgumentTypeError: it is no number, or less than 0.
    """
    try:
        number = float(text)
    except ValueError:
        number = -1.0
    if not 0 <= number < float("inf"):
        raise argparse.ArgumentTypeError(f"must be a number of at least 0 (got {text!r})")
    return number
