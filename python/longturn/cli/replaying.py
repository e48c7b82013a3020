"""``longturn replay``: what a budget would have done to a saved run."""

from __future__ import annotations

import argparse

from longturn.cli.arguments import add_budget, add_format, add_json, price
from longturn.cli.console import Console
from longturn.cli.documents import read_bytes, text_of
from longturn.cli.errors import Exit, InputError
from longturn.cli.files import STDIN
from longturn.cli.histories import History, load
from longturn.cli.printing import report_text, report_value, threads_text, threads_value
from longturn.cli.records import READ_PRICE, WRITE_PRICE, Prices, Replay
from longturn.cli.replay import replay
from longturn.fitting.policy import Policy
from longturn.window import Window

DESCRIPTION = """\
Replays a saved run call by call and compares its requests without and with fitting.

FILE is a JSON list of messages, a request body (with messages, input or contents; system prompt
and tools are taken from it), or a session .jsonl of Claude Code (which holds neither system
prompt nor tools).  With - it is read from standard input.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("file", metavar="FILE", help="the saved run, or - for standard input")
    add_budget(parser)
    add_format(parser)
    parser.add_argument("--system", metavar="FILE", help="a text file with the system prompt")
    parser.add_argument("--no-hold", action="store_true", help="apply the rules afresh on every call")
    for name, usual, what in (("read", READ_PRICE, "reads"), ("write", WRITE_PRICE, "writes")):
        parser.add_argument(
            f"--{name}-price", type=price, default=usual, metavar="X",
            help=f"price of a token that the cache {what}; an input token costs 1 (default: %(default)s)",
        )  # fmt: skip
    parser.add_argument("--thread", type=int, default=0, metavar="N", help="of a session, the thread to replay")
    parser.add_argument("--threads", action="store_true", help="list the threads of a session, its sub-agents")
    add_json(parser)


def run(options: argparse.Namespace, console: Console) -> int:
    """Replay one saved run and print what came of it."""
    name = "standard input" if options.file == STDIN else options.file
    history = load(name, read_bytes(options.file), thread=options.thread, warn=console.warn)
    if options.thread and not history.threads:
        raise InputError(f"{name} is no session: --thread picks one of a Claude Code session .jsonl")
    if options.threads:
        _show_threads(name, history, console, as_json=options.json)
        return Exit.DONE
    report = _replayed(name, history, options, console)
    if options.json:
        console.json(report_value(report))
    else:
        console.show(report_text(report))
    return Exit.DONE


def _show_threads(name: str, history: History, console: Console, *, as_json: bool) -> None:
    if not history.threads:
        raise InputError(f"{name} is no session: --threads lists the threads of a Claude Code session .jsonl")
    if as_json:
        console.json(threads_value(history.threads))
    else:
        console.show(threads_text(history.threads))


def _replayed(name: str, history: History, options: argparse.Namespace, console: Console) -> Replay:
    system = text_of(options.system, read_bytes(options.system)) if options.system else history.system
    shape = "anthropic" if history.threads and options.format == "auto" else options.format
    prices = Prices(read=options.read_price, write=options.write_price)
    try:
        window = Window(policy=Policy(budget=options.budget, hold=not options.no_hold), format=shape)
        with console.progress(f"replaying {name}") as step:
            return replay(
                history.messages, window, name=name, shape=shape, system=system, tools=history.tools,
                prices=prices, progress=step,
            )  # fmt: skip
    except (ValueError, TypeError) as error:  # a format that can't be told, a message that is none
        raise InputError(f"{name}: {error}") from error
