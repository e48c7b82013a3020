"""What the command understands."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, version
from typing import Final

from longturn.cli.records import READ_PRICE, WRITE_PRICE
from longturn.formats.detect import AUTO, FORMATS

DEFAULT_BUDGET: Final = 200_000
"""What the smaller context windows of today's models hold."""

_UNITS: Final = {"k": 1_000, "m": 1_000_000}

_REPLAY_HELP: Final = """\
Replays a saved run call by call and compares its requests without and with fitting.

FILE is a JSON list of messages, a request body (with messages, input or contents; system prompt
and tools are taken from it), or a session .jsonl of Claude Code (which holds neither system
prompt nor tools).  With - it is read from standard input.
"""
_ESTIMATE_HELP: Final = """\
Counts the tokens of text files by the script rule: 4 ASCII characters a token, 1 Chinese, Japanese
or Korean one, 2 others.  Reads standard input where no FILE is given, or for -.
"""


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    """Return the options; ends the process with code 2 where they are wrong."""
    return _parser().parse_args(arguments)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="longturn", description="Keeps an agent's long turns inside the model's context window."
    )
    parser.add_argument("--version", action="version", version=f"longturn {_version()}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    _add_replay(commands)
    _add_estimate(commands)
    return parser


def _add_replay(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser(
        "replay",
        help="replay a saved run, without and with fitting",
        description=_REPLAY_HELP,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("file", metavar="FILE", help="the saved run, or - for standard input")
    parser.add_argument(
        "--budget", type=_tokens, default=DEFAULT_BUDGET, metavar="N",
        help="tokens one request may use; 200k and 1M are read too (default: %(default)s)",
    )  # fmt: skip
    parser.add_argument("--format", choices=(AUTO, *FORMATS), default=AUTO, help="default: %(default)s")
    parser.add_argument("--system", metavar="FILE", help="a text file with the system prompt")
    parser.add_argument("--no-hold", action="store_true", help="apply the rules afresh on every call")
    for name, price, what in (("read", READ_PRICE, "reads"), ("write", WRITE_PRICE, "writes")):
        parser.add_argument(
            f"--{name}-price", type=_price, default=price, metavar="X",
            help=f"price of a token that the cache {what}; an input token costs 1 (default: %(default)s)",
        )  # fmt: skip
    parser.add_argument("--thread", type=int, default=0, metavar="N", help="of a session, the thread to replay")
    parser.add_argument("--threads", action="store_true", help="list the threads of a session, its sub-agents")
    parser.add_argument("--json", action="store_true", help="print JSON")


def _add_estimate(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser(
        "estimate",
        help="count the tokens of files",
        description=_ESTIMATE_HELP,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("files", metavar="FILE", nargs="*", help="text files")
    parser.add_argument("--json", action="store_true", help="print JSON")


def _tokens(text: str) -> int:
    """Read a number of tokens: 200000, 200_000, 200k, 1M."""
    unit = _UNITS.get(text[-1:].lower(), 1)
    digits = text[:-1] if unit > 1 else text
    try:
        tokens = int(float(digits) * unit) if unit > 1 else int(digits)
    except (ValueError, OverflowError):
        raise argparse.ArgumentTypeError(f"must be a number of tokens, like 200000 or 200k (got {text!r})") from None
    if tokens <= 0:
        raise argparse.ArgumentTypeError(f"must be greater than 0 tokens (got {text!r})")
    return tokens


def _price(text: str) -> float:
    try:
        price = float(text)
    except ValueError:
        price = -1.0
    if not 0 <= price < float("inf"):
        raise argparse.ArgumentTypeError(f"must be a number of at least 0 (got {text!r})")
    return price


def _version() -> str:
    try:
        return version("longturn")
    except PackageNotFoundError:  # run from a source tree that is not installed
        return "unknown"
