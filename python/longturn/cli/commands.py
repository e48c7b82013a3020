"""The commands there are: a table, and the parser made from it."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING, Final, NamedTuple, Protocol, cast

if TYPE_CHECKING:
    from longturn.cli.console import Console


class Implementation(Protocol):
    """What the module of a command has."""

    DESCRIPTION: str
    """What ``--help`` says first."""

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        """Add the command's arguments."""

    def run(self, options: argparse.Namespace, console: Console) -> int:
        """
        Do it and return the exit code.

        Raises:
            InputError: the input can't be used.
        """


class Command(NamedTuple):
    """A command: its module is imported when it is asked for."""

    name: str
    module: str
    help: str


COMMANDS: Final = (
    Command("estimate", "estimating", "count the tokens of files"),
    Command("fit", "fitting", "fit a request to a budget"),
    Command("replay", "replaying", "replay saved runs, without and with fitting"),
    Command("explain", "explaining", "tell what an error of a model's provider means"),
    Command("bench", "measuring", "measure this machine, in ten seconds"),
    Command("calibrate", "calibrating", "fit a profile to a tokenizer"),
    Command("demo", "showing", "show what it does, on a made-up run"),
)


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    """Return the options; ends the process with code 2 where they are wrong."""
    words = sys.argv[1:] if arguments is None else list(arguments)
    return _parser(words).parse_args(words)


def run(options: argparse.Namespace, console: Console) -> int:
    """
    Run the command that the options name and return the exit code.

    Raises:
        InputError: the input can't be used.
    """
    return _implementation(options.implementation).run(options, console)


def _parser(words: Sequence[str]) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="longturn", description="Keeps an agent's long turns inside the model's context window."
    )
    parser.add_argument("--version", action="version", version=f"longturn {_version()}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for command in COMMANDS:
        entry = commands.add_parser(
            command.name, help=command.help, formatter_class=argparse.RawDescriptionHelpFormatter
        )
        if command.name in words:  # the others' modules may stay where they are
            implementation = _implementation(command.module)
            entry.description = implementation.DESCRIPTION
            entry.set_defaults(implementation=command.module)
            implementation.add_arguments(entry)
    return parser


def _implementation(module: str) -> Implementation:
    return cast("Implementation", import_module(f"longturn.cli.{module}"))


def _version() -> str:
    try:
        return version("longturn")
    except PackageNotFoundError:  # run from a source tree that is not installed
        return "unknown"
