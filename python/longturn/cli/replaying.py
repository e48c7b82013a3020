"""``longturn replay``: what a budget would have done to saved runs."""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from longturn.cli.arguments import (
    DEFAULT_BUDGET,
    add_budget,
    add_format,
    add_json,
    add_policy,
    add_profile,
    measured_by,
    price,
    window_of,
)
from longturn.cli.console import Console, Table, Toned
from longturn.cli.documents import read_text
from longturn.cli.errors import Exit, InputError
from longturn.cli.files import found
from longturn.cli.loading import load, shown_name
from longturn.cli.printing import measures, report_blocks, report_value, runs_table, summary_value
from longturn.cli.records import READ_PRICE, WRITE_PRICE, Prices, counted
from longturn.cli.replay import format_of, replay
from longturn.cli.report.files import add_files, are_wanted, best, check, write
from longturn.cli.report.transcript import Chapter, Transcript
from longturn.cli.sessions.base import Thread
from longturn.formats.base import text_of
from longturn.formats.detect import AUTO
from longturn.tokens.estimate import estimate
from longturn.tokens.measure import measure_of

DESCRIPTION = """\
Replays saved runs call by call and compares their requests without and with fitting.
Nothing leaves this machine.

FILE is a JSON list of messages, a request body (with messages, input or contents; system prompt
and tools are taken from it), a log of bodies, one a line, or a saved session of Claude Code, Codex,
Gemini CLI, Cline, opencode, pi, OpenHands, SWE-agent, Inspect, ADK, the Vercel AI SDK or the OpenAI
Agents SDK.  It is told by its content.  Session logs hold no tool definitions, and few of them a
system prompt.  Sizes are measured by what is known of the model that the session names.
Of several files, or a folder, all conversations are replayed and summed up.
"""

_PREVIEW_CHARS: Final = 60
_LEAST_BUDGET: Final = 1_000
"""What half of a run has to be for its cuts to tell anything."""
_AGENTS: Final = {
    "claude-code": ("CLAUDE_CONFIG_DIR", ".claude", "projects/**/*.jsonl"),
    "codex": ("CODEX_HOME", ".codex", "sessions/**/rollout-*.jsonl"),
}
"""Where agents keep their sessions: the variable that names the folder, its usual place at home, and the files."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("files", metavar="FILE", nargs="*", help="saved runs, folders of them, or - for standard input")
    parser.add_argument(
        "--find", nargs="?", choices=(*_AGENTS, "all"), const="all", metavar="AGENT",
        help="the sessions that this machine has of an agent: claude-code, codex, or all",
    )  # fmt: skip
    add_budget(parser, usual=None)
    add_format(parser)
    parser.add_argument("--system", metavar="FILE", help="a text file with the system prompt")
    for name, usual, what in (("read", READ_PRICE, "reads"), ("write", WRITE_PRICE, "writes")):
        parser.add_argument(
            f"--{name}-price", type=price, default=usual, metavar="X",
            help=f"price of a token that the cache {what}; an input token costs 1 (default: %(default)s)",
        )  # fmt: skip
    parser.add_argument("--thread", type=int, default=0, metavar="N", help="of one file, the conversation to replay")
    parser.add_argument("--threads", action="store_true", help="list the conversations of a file, sub-agents' too")
    add_files(parser)
    add_profile(parser, usual=None)
    add_policy(parser)
    add_json(parser)


def run(options: argparse.Namespace, console: Console) -> int:
    """Replay saved runs and print what came of them."""
    names = [name for given in options.files for name in _named(given)]
    if options.find:
        names += _found(options.find)
    if not names:
        raise InputError("no run is named: name a file, or let --find look for this machine's sessions")
    check(options, len(names))
    if len(names) > 1:
        return _run_many(names, options, console)
    threads = load(names[0], console)
    if options.threads:
        _show_threads(threads, console, as_json=options.json)
    else:
        _run_one(names[0], _picked(names[0], threads, options.thread), options, console)
        _tell_of_others(threads, options, console)
    return Exit.DONE


def _named(given: str) -> list[str]:
    """Return the files that an argument stands for."""
    if not (names := found(given).names):
        raise InputError(f"there are no texts in the folder {given}")
    return names


def _found(agent: str) -> list[str]:
    """Return the sessions of an agent, the oldest first."""
    agents = _AGENTS if agent == "all" else {agent: _AGENTS[agent]}
    folders = {
        name: Path(os.environ.get(variable) or Path.home() / usual) for name, (variable, usual, _) in agents.items()
    }
    files = [str(path) for name in agents for path in sorted(folders[name].glob(agents[name][2]), key=_age)]
    if not files:
        raise InputError(f"there are no sessions in {' or '.join(map(str, folders.values()))}")
    return files


def _age(path: Path) -> float:
    try:
        return path.stat().st_mtime
    except OSError:  # gone meanwhile
        return 0.0


# ---------------------------------------------------------------------- one file


def _picked(name: str, threads: list[Thread], number: int) -> Thread:
    if not 0 <= number < len(threads):
        raise InputError(
            f"{shown_name(name)}: there is no thread {number}; the file has 0 to {len(threads) - 1}, see --threads"
        )
    return threads[number]


def _run_one(name: str, thread: Thread, options: argparse.Namespace, console: Console) -> None:
    budget = options.budget or (DEFAULT_BUDGET if options.json else _telling_budget(name, thread, options))
    chapter = _replayed(name, thread, options, console, budget=budget)
    if options.json:
        console.json(report_value(chapter.run))
    else:
        console.show(*report_blocks(chapter.run))
    if budget not in (options.budget, DEFAULT_BUDGET):
        console.show(
            "", f"All of it fits {DEFAULT_BUDGET:,} tokens; half its size was taken to show what would happen."
        )
    if are_wanted(options):
        write(options, [chapter], console)


def _telling_budget(name: str, thread: Thread, options: argparse.Namespace) -> int:
    """
    Return the usual budget, or for a run that never comes near it one that shows something.

    Raises:
        InputError: a message can't be measured.
    """
    try:
        whole = estimate(thread.messages, profile=measured_by(options, thread.model))
    except ValueError as error:
        raise InputError(f"{shown_name(name)}: {error}") from error
    return whole // 2 if 2 * _LEAST_BUDGET <= whole <= DEFAULT_BUDGET else DEFAULT_BUDGET


def _tell_of_others(threads: list[Thread], options: argparse.Namespace, console: Console) -> None:
    if len(threads) > 1 and not options.json:
        others = counted(len(threads) - 1, "more conversation")
        console.show("", f"The file holds {others}: --threads lists them, --thread N picks one.")


def _show_threads(threads: list[Thread], console: Console, *, as_json: bool) -> None:
    rows = [_thread_value(number, thread) for number, thread in enumerate(threads)]
    if as_json:
        console.json(rows)
        return
    cells = [
        [f"{row['thread']}", row["title"], f"{row['messages']:,}", f"{row['tokens']:,}", Toned(row["begins"], "quiet")]
        for row in rows
    ]
    console.show(Table(headings=("thread", "<", "messages", "tokens", "<begins"), rows=cells))


def _thread_value(number: int, thread: Thread) -> dict[str, Any]:
    first = next((message for message in thread.messages if message.get("role") == "user"), thread.messages[0])
    return {
        "thread": number,
        "title": thread.title,
        "is_agent": thread.is_agent,
        "messages": len(thread.messages),
        "tokens": estimate(thread.messages),
        "begins": _preview(text_of(first.get("content") or first.get("parts"))),
    }


def _preview(text: str) -> str:
    """Return the first words of a text."""
    words = " ".join(text[: 4 * _PREVIEW_CHARS].split())
    return words if len(words) <= _PREVIEW_CHARS else f"{words[: _PREVIEW_CHARS - 1]}…"


# ---------------------------------------------------------------------- many files


def _run_many(names: list[str], options: argparse.Namespace, console: Console) -> int:
    if options.thread or options.threads:
        raise InputError(f"--thread and --threads look into one file (got {len(names):,} files)")
    runs: list[dict[str, Any]] = []
    chapters: list[Chapter] = []
    failed = 0
    with console.progress("replaying") as step:
        for number, name in enumerate(names):
            try:
                for chapter in _chapters(name, options):
                    runs.append({**summary_value(chapter.run), "name": chapter.run.name})
                    chapters = best([*chapters, chapter]) if are_wanted(options) else []
            except InputError as error:
                console.error(str(error))
                failed += 1
            step(number + 1, len(names))
    if options.json:
        console.json({"runs": runs, "unread": failed})
    elif runs:
        shown = [run for run in runs if run["moves"]] or runs
        console.show(measures(runs), "", runs_table(shown))
        if len(shown) < len(runs):
            console.show(f"Of {counted(len(runs) - len(shown), 'more run')} every request fits as it is.")
    if chapters:
        write(options, chapters, console)
    return Exit.BAD_INPUT if failed else Exit.DONE


def _chapters(name: str, options: argparse.Namespace) -> Iterator[Chapter]:
    """Yield each conversation of a file, replayed; of many files, what is odd in one is not told."""
    quiet = _Quiet()
    budget = options.budget or DEFAULT_BUDGET
    for number, thread in enumerate(load(name, quiet)):
        suffix = f"#{number}" if number else ""
        yield _replayed(name, thread, options, quiet, budget=budget, suffix=suffix)


class _Quiet(Console):
    """Keeps warnings and progress to itself."""

    def note(self, text: str) -> None:
        """Print nothing."""


def _replayed(
    name: str, thread: Thread, options: argparse.Namespace, console: Console, *, budget: int, suffix: str = ""
) -> Chapter:
    shown = shown_name(name) + suffix
    system = read_text(options.system) if options.system else thread.system
    shape = thread.format if options.format == AUTO else options.format
    prices = Prices(read=options.read_price, write=options.write_price)
    profile = measured_by(options, thread.model)
    measure = measure_of(profile)
    window = window_of(options, shape, budget=budget, profile=profile)
    try:
        transcript = Transcript(thread.messages, format_of(thread.messages, shape), measure=measure)
        with console.progress(f"replaying {shown}") as step:
            run = replay(
                thread.messages, window, name=shown, shape=shape, system=system, tools=thread.tools, prices=prices,
                reported=thread.reported, measure=measure, progress=step,
                profile=profile if isinstance(profile, str) else profile.name,
                model=thread.model if options.profile is options.model is None else "",
                watch=transcript.take_in if are_wanted(options) else None,
            )  # fmt: skip
    except (ValueError, TypeError) as error:  # a format that can't be told, a message that is none
        raise InputError(f"{shown}: {error}") from error
    return Chapter(run=run, transcript=transcript)
