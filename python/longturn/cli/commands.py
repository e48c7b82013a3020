"""The commands: options in, printed lines and an exit code out."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable

from longturn.cli.counting import Row, count, rows_json, rows_text
from longturn.cli.documents import STDIN, read_bytes, text_of
from longturn.cli.errors import InputError
from longturn.cli.histories import History, load
from longturn.cli.printing import report_json, report_text, threads_json, threads_text
from longturn.cli.records import Prices, Replay
from longturn.cli.replay import replay
from longturn.fitting.policy import Policy
from longturn.window import Window

Warn = Callable[[str], None]


def run(options: argparse.Namespace, *, warn: Warn) -> int:
    """
    Run the command the options name and return the exit code.

    Raises:
        InputError: the input can't be used.
    """
    for stream in (sys.stdout, sys.stderr):
        # Names of files and tools hold what they like; a terminal that can't show it must not stop a report.
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    return run_replay(options, warn) if options.command == "replay" else run_estimate(options)


def run_replay(options: argparse.Namespace, warn: Warn) -> int:
    """Replay one saved run and print what came of it."""
    name = "standard input" if options.file == STDIN else options.file
    history = load(name, read_bytes(options.file), thread=options.thread, warn=warn)
    if options.thread and not history.threads:
        raise InputError(f"{name} is no session: --thread picks one of a Claude Code session .jsonl")
    if options.threads:
        _print_threads(name, history, as_json=options.json)
        return 0
    prices = Prices(read=options.read_price, write=options.write_price)
    report = _replayed(name, history, options, prices)
    print((report_json if options.json else report_text)(report))
    return 0


def _print_threads(name: str, history: History, *, as_json: bool) -> None:
    if not history.threads:
        raise InputError(f"{name} is no session: --threads lists the threads of a Claude Code session .jsonl")
    print((threads_json if as_json else threads_text)(history.threads))


def _replayed(name: str, history: History, options: argparse.Namespace, prices: Prices) -> Replay:
    system = text_of(options.system, read_bytes(options.system)) if options.system else history.system
    shape = "anthropic" if history.threads and options.format == "auto" else options.format
    try:
        window = Window(policy=Policy(budget=options.budget, hold=not options.no_hold), format=shape)
        return replay(
            history.messages, window, name=name, shape=shape, system=system, tools=history.tools, prices=prices
        )
    except (ValueError, TypeError) as error:  # a format that can't be told, a message that is none
        raise InputError(f"{name}: {error}") from error


def run_estimate(options: argparse.Namespace) -> int:
    """Count files and print the counts; the others are counted even if one can't be read."""
    rows: list[Row] = []
    failed = False
    for name in options.files or [STDIN]:
        try:
            rows.append(count(name, read_bytes(name)))
        except InputError as error:
            print(f"longturn: error: {error}", file=sys.stderr)
            failed = True
    if rows:
        print((rows_json if options.json else rows_text)(rows))
    return 2 if failed else 0
