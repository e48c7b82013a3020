"""``longturn demo``: what it does, on a made-up run, without a key or a file."""

from __future__ import annotations

import argparse
from typing import Any, Final

from longturn.cli.arguments import add_json
from longturn.cli.console import Block, Console, Table, Text, Toned
from longturn.cli.made_up import LANGUAGES, agent_run, prose
from longturn.cli.printing import report_blocks, summary_value
from longturn.cli.records import Replay
from longturn.cli.replay import format_of, replay
from longturn.cli.report.files import add_files, are_wanted, check, write
from longturn.cli.report.transcript import Chapter, Transcript
from longturn.failures.classify import classify
from longturn.formats.detect import AUTO
from longturn.tokens.estimate import estimate
from longturn.window import Window
from longturn.wording import phrases

DESCRIPTION = """\
Replays a made-up run of an agent, one long turn with many tool calls, without fitting and with it;
shows what the model reads in place of a cleared result, and what a person reads when all is too much.
Nothing is sent anywhere.
"""

_CALLS: Final = 160
_BUDGET: Final = 60_000
_TEXT_CHARS: Final = 8_000


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    add_files(parser)
    add_json(parser)


def run(options: argparse.Namespace, console: Console) -> int:
    """Show it."""
    check(options, files=1)
    window, history = Window(_BUDGET), agent_run(_CALLS)
    transcript = Transcript(history, format_of(history, AUTO))
    with console.progress("replaying") as step:
        report = replay(
            history, window, name="a made-up run", system=window.instructions(), progress=step,
            watch=transcript.take_in if are_wanted(options) else None,
        )  # fmt: skip
    if are_wanted(options):
        write(options, [Chapter(run=report, transcript=transcript)], console)
    if options.json:
        console.json({"run": summary_value(report), "texts": _texts(), "refusal": _refusal()})
        return 0
    console.show(*report_blocks(report), "", _texts_table(), "", *_words(report))
    return 0


def _texts() -> list[dict[str, Any]]:
    return [
        {
            "text": language,
            "chars": _TEXT_CHARS,
            "quarter": _TEXT_CHARS // 4,
            "tokens": estimate(prose(language, _TEXT_CHARS)),
        }
        for language in LANGUAGES
    ]


def _texts_table() -> Table:
    rows: list[list[Text]] = [
        [row["text"], f"{row['chars']:,}", f"{row['quarter']:,}", Toned(f"{row['tokens']:,}", "good")]
        for row in _texts()
    ]
    return Table(headings=("<a text in", "characters", "characters / 4", "estimate"), rows=rows)


def _refusal() -> str:
    """Return what a person reads when the provider still refuses."""
    body = {"error": {"code": "context_length_exceeded", "message": "maximum context length is 200000 tokens"}}
    return classify(body).message or ""


def _words(report: Replay) -> list[Block]:
    cleared = next((request for request in report.moves if request.cleared), None)
    at = f" from request {cleared.number} on" if cleared else ""
    return [
        Toned(f"What the model reads in place of a cleared result{at}:", "title"),
        f"  {phrases('en').cleared}",
        Toned("What stands in the system prompt, so that it does not stop early:", "title"),
        f"  {Window(_BUDGET).instructions()}",
        Toned("What a person reads when even the smallest request is refused:", "title"),
        f"  {_refusal()}",
        "",
        "In your agent: window.fit(history) before each call.  Your own runs: longturn replay --find.",
    ]
