"""``longturn fit``: a history or a request in, one that fits the budget out."""

from __future__ import annotations

import argparse
import json
from typing import Any

from longturn.cli.arguments import add_budget, add_format, add_json, add_policy, add_profile, window_of
from longturn.cli.console import Console
from longturn.cli.documents import read_text, source_of
from longturn.cli.errors import Exit, InputError
from longturn.cli.files import STDIN, opened
from longturn.cli.loading import checked, shown_name
from longturn.cli.records import counted
from longturn.cli.sessions.requests import body_of
from longturn.cli.sessions.table import read
from longturn.fitted import Fitted

DESCRIPTION = """\
Reads a history or a request body and writes it, fitted to the budget, to standard output; a summary
goes to standard error.  A body comes out as a body, everything else as a list of messages.

Ends with 3 if what must stay is larger than the budget; it is written all the same.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("file", metavar="FILE", nargs="?", default=STDIN, help="default: standard input")
    add_budget(parser)
    add_format(parser)
    parser.add_argument("--system", metavar="FILE", help="a text file with the system prompt, for a history")
    parser.add_argument("--thread", type=int, default=0, metavar="N", help="of a session, the conversation to fit")
    add_profile(parser)
    add_policy(parser)
    add_json(parser, "print the summary as JSON")


def run(options: argparse.Namespace, console: Console) -> int:
    """Write the fitted request, then sum up what was done."""
    fitted = _fitted(options, console)
    console.json(fitted.messages if fitted.request is None else fitted.request, indent=None)
    for line in [json.dumps(_summary(fitted), ensure_ascii=False)] if options.json else _lines(fitted):
        console.note(line)
    return Exit.DONE if fitted.fits else Exit.NO


def _fitted(options: argparse.Namespace, console: Console) -> Fitted:
    name = shown_name(options.file)
    with opened(options.file) as file:
        source = source_of(name, file, console.warn)
        body = body_of(source.document)
        if body is not None and options.system:
            raise InputError(f"{name} is a request body: write the system prompt into it, instead of --system")
        if body is None:
            return _fitted_thread(name, checked(name, read(source, console.warn)), options)
    try:
        return window_of(options, options.format).fit_request(body)
    except (ValueError, TypeError) as error:
        raise InputError(f"{name}: {error}") from error


def _fitted_thread(name: str, threads: list[Any], options: argparse.Namespace) -> Fitted:
    if not 0 <= options.thread < len(threads):
        raise InputError(f"{name}: there is no thread {options.thread}; the file has 0 to {len(threads) - 1}")
    thread = threads[options.thread]
    system = read_text(options.system) if options.system else thread.system
    window = window_of(options, thread.format if options.format == "auto" else options.format)
    try:
        return window.fit(thread.messages, system=system, tools=thread.tools)
    except (ValueError, TypeError) as error:
        raise InputError(f"{name}: {error}") from error


def _lines(fitted: Fitted) -> list[str]:
    lines = [f"{fitted.tokens:,} tokens of {fitted.budget:,}; {fitted.tokens_before:,} before; stage: {fitted.stage}"]
    if fitted.cleared or fitted.dropped:
        cleared, dropped = counted(len(fitted.cleared), "result"), counted(fitted.dropped, "message")
        lines.append(f"{cleared} cleared, {dropped} left out; {counted(fitted.stable_until, 'message')} to cache")
    if not fitted.fits:
        lines.append(f"over the budget by {fitted.tokens - fitted.budget:,} tokens: what must stay is larger")
    if fitted.needs_drop_block:
        lines.append("reasoning is sent whose beginning was changed: models that bind it must be told to drop it")
    return lines


def _summary(fitted: Fitted) -> dict[str, Any]:
    return {
        "tokens": fitted.tokens,
        "tokens_before": fitted.tokens_before,
        "budget": fitted.budget,
        "stage": fitted.stage,
        "fits": fitted.fits,
        "cleared": [item._asdict() for item in fitted.cleared],
        "dropped": fitted.dropped,
        "first_changed": fitted.first_changed,
        "stable_until": fitted.stable_until,
        "needs_drop_block": fitted.needs_drop_block,
    }
