"""Arguments that several commands take."""

from __future__ import annotations

import argparse
from dataclasses import fields
from typing import Final

from longturn.cli.errors import InputError
from longturn.fitting.policy import Policy
from longturn.formats.detect import AUTO, FORMATS
from longturn.tokens.models import UNKNOWN, profile_name
from longturn.tokens.profiles import SCRIPT, Profile
from longturn.window import Window
from longturn.wording import languages

DEFAULT_BUDGET: Final = 200_000
"""What the smaller context windows of today's models hold."""

_UNITS: Final = {"k": 1_000, "m": 1_000_000}
_POLICY_OPTIONS: Final = tuple(field.name for field in fields(Policy))


def add_json(parser: argparse.ArgumentParser, what: str = "print JSON") -> None:
    """Let the command print JSON."""
    parser.add_argument("--json", action="store_true", help=what)


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


def add_policy(parser: argparse.ArgumentParser) -> None:
    """Let the command take what a policy has, besides the budget, and the language of the notes."""
    group = parser.add_argument_group("policy")
    group.add_argument("--keep-share", type=float, metavar="X", help="share of the budget for the newest results")
    group.add_argument("--batch", type=int, metavar="N", help="how many results are cleared at a time")
    group.add_argument("--small-result", type=tokens_or_none, metavar="N", help="results below so many tokens stay")
    group.add_argument("--low-water", type=float, metavar="X", help="share of the budget that a cut goes down to")
    group.add_argument("--no-hold", dest="hold", action="store_false", help="apply the rules afresh on every call")
    group.add_argument(
        "--exclude-tool", dest="exclude_tools", action="append", metavar="NAME", help="never clear its results"
    )
    group.add_argument(
        "--recall-tool",
        dest="recall_tools",
        action="append",
        metavar="NAME",
        help="not to be run twice: recall instead",
    )
    group.add_argument("--clear-tool-inputs", action="store_true", help="clear a call's arguments with its result")
    group.add_argument("--thinking", choices=("keep", "strip"), help="reasoning that is bound to what was changed")
    group.add_argument("--strict-roles", action="store_true", help="the server demands alternating roles")
    group.add_argument("--language", choices=languages(), default="en", help="of the notes (default: %(default)s)")


def add_profile(parser: argparse.ArgumentParser, usual: str | None = SCRIPT) -> None:
    """Let the command be told what to measure by; without a usual one it finds its own."""
    group = parser.add_mutually_exclusive_group()
    group.add_argument(
        "--profile", default=usual, metavar="NAME",
        help=f"what to measure by: {', '.join(Profile.names())}, or the file of one "
        f"(default: {usual or 'that of the model which the session names'})",
    )  # fmt: skip
    group.add_argument("--model", metavar="NAME", help="measure by what is known of this model")


def measured_by(options: argparse.Namespace, named: str = "") -> str | Profile:
    """
    Return what the options say to measure by; where they say nothing, what is known of the model ``named``.

    Raises:
        InputError: there is no such profile, or the file holds none.
    """
    try:
        if options.model is not None:
            return profile_name(options.model)
        if options.profile is None:
            return _known(named)
        if options.profile.endswith(".json"):
            return Profile.load(options.profile)
        return Profile.named(options.profile).name
    except (ValueError, OSError) as error:
        raise InputError(str(error)) from None


def _known(model: str) -> str:
    """Return the profile of a model; the rule for all where none is known to be nearer."""
    name = profile_name(model)
    return SCRIPT if name == UNKNOWN else name


def window_of(
    options: argparse.Namespace, format: str, *, budget: int | None = None, profile: str | Profile | None = None
) -> Window:
    """
    Return the window that the options describe, for another budget and by another profile where they are given.

    Raises:
        InputError: a value is out of its range.
    """
    given = {name: getattr(options, name) for name in _POLICY_OPTIONS} | ({"budget": budget} if budget else {})
    try:
        policy = Policy(**{name: value for name, value in given.items() if value is not None})
        return Window(policy=policy, format=format, language=options.language, profile=profile or measured_by(options))
    except ValueError as error:
        raise InputError(str(error)) from None


def tokens_or_none(text: str) -> int:
    """
    Read a number of tokens that may be 0.

    Raises:
        ArgumentTypeError: it is none.
    """
    return 0 if text == "0" else tokens(text)


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
