"""``longturn explain``: what an error means, and what to do about it."""

from __future__ import annotations

import argparse
import json
from collections import Counter
from dataclasses import asdict
from typing import Any, Final

from longturn.cli.arguments import add_json
from longturn.cli.console import Block, Console, Table, Text, Toned
from longturn.cli.errors import Exit, InputError
from longturn.cli.files import STDIN, opened, pieces
from longturn.cli.loading import shown_name
from longturn.failures.classify import classify
from longturn.failures.failure import Failure, FailureKind
from longturn.wording import languages

DESCRIPTION = """\
Reads an error as a provider, an SDK or a log has it (a JSON body, a line, a traceback) and tells what
it means and what to do.  Ends with 3 if nothing tells.
"""

LARGEST_BYTES: Final = 16 << 20
"""Of what is read as one error; a log is read line by line, with --lines."""

MEANINGS: Final[dict[FailureKind, tuple[str, str]]] = {
    FailureKind.CONTEXT_OVERFLOW: (
        "the conversation is longer than the model's window",
        "Fit it to a smaller budget and send that; the same request will be refused again.",
    ),
    FailureKind.INVALID_REQUEST: (
        "the provider will never take this request as it is",
        "Mend the request; sending it again, or a shorter one, does not help.",
    ),
    FailureKind.PAYLOAD_TOO_LARGE: (
        "the request has too many bytes, whatever its tokens",
        "Send fewer or smaller images and files.",
    ),
    FailureKind.RATE_LIMITED: ("too much in too short a time", "Wait, then send the same request again."),
    FailureKind.QUOTA: ("money or a daily allowance has run out", "Raise the limit; waiting a little does not help."),
    FailureKind.AUTH: ("the key is wrong, or may not do this", "Check the key, its project and what it may use."),
    FailureKind.OVERLOADED: ("the provider is in trouble; it passes", "Wait, then send the same request again."),
    FailureKind.NETWORK: ("no answer came", "Send the same request again."),
    FailureKind.OUTPUT_LIMIT: (
        "the answer's length is the trouble, not the conversation's",
        "Allow a longer answer, or ask for a shorter one.",
    ),
    FailureKind.UNKNOWN: ("nothing tells", "Do not send it again blindly; look at the whole error."),
    FailureKind.NONE: ("no failure: a normal answer", "Nothing."),
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("file", metavar="FILE", nargs="?", default=STDIN, help="default: standard input")
    parser.add_argument("--lines", action="store_true", help="take each line for an error of its own, and sum up")
    parser.add_argument("--language", choices=languages(), default="en", help="of the person's sentence (default: en)")
    add_json(parser)


def run(options: argparse.Namespace, console: Console) -> int:
    """Explain one error, or each line of a log."""
    if options.lines:
        return _explain_lines(options, console)
    failure = classify(_error(options.file), language=options.language)
    if options.json:
        console.json(_value(failure))
    else:
        console.show(*_blocks(failure))
    return Exit.NO if failure.kind is FailureKind.UNKNOWN else Exit.DONE


def _error(name: str) -> Any:
    """Return the decoded body in a file, or its text."""
    data = bytearray()
    with opened(name) as file:
        for piece in pieces(name, file):
            data += piece
            if len(data) > LARGEST_BYTES:
                raise InputError(
                    f"{shown_name(name)} has more than {LARGEST_BYTES >> 20} MiB: no error has; --lines reads a log"
                )
    if not data.strip():
        raise InputError(f"{shown_name(name)} is empty; an error is expected")
    return _decoded(bytes(data))


def _decoded(data: bytes) -> Any:
    text = data.decode("utf-8-sig", "replace")
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return text
    return value if isinstance(value, (dict, list)) else text


def _blocks(failure: Failure) -> list[Block]:
    meaning, remedy = MEANINGS[failure.kind]
    rows: list[tuple[str, Text]] = [
        ("status", f"{failure.status}" if failure.status else ""),
        ("the provider says", failure.provider_message or ""),
        ("size", _size(failure)),
        ("send it again", _again(failure)),
        ("a smaller one", "would cure it" if failure.shrink_helps else "would not help"),
        ("alert the team", "yes" if failure.page else "no"),
        ("tell the person", failure.message or ""),
        ("what to do", Toned(remedy, "title")),
    ]
    said = [list(row) for row in rows if row[1]]
    return [Toned(f"{failure.kind}: {meaning}", "title"), Table(headings=("<", "<"), rows=said)]


def _size(failure: Failure) -> str:
    known = (("sent", failure.tokens), ("allowed", failure.limit))
    return ", ".join(f"{number:,} tokens {what}" for what, number in known if number is not None)


def _again(failure: Failure) -> Text:
    if not failure.retryable:
        return Toned("no", "bad")
    return Toned("yes" if failure.retry_after is None else f"yes, after {failure.retry_after:g} seconds", "good")


def _value(failure: Failure) -> dict[str, Any]:
    meaning, remedy = MEANINGS[failure.kind]
    return {**asdict(failure), "meaning": meaning, "remedy": remedy}


# ---------------------------------------------------------------------- a log


def _explain_lines(options: argparse.Namespace, console: Console) -> int:
    kinds: Counter[FailureKind] = Counter()
    first: dict[FailureKind, int] = {}
    with opened(options.file) as file, console.progress("reading") as step:
        for number, line in enumerate(file, 1):
            if line.strip():
                kind = classify(_decoded(line), language=options.language).kind
                kinds[kind] += 1
                first.setdefault(kind, number)
            step(number, 0)
    if options.json:
        console.json([{"kind": kind, "lines": count, "first_line": first[kind]} for kind, count in kinds.most_common()])
    else:
        rows = [[kind, f"{count:,}", f"{first[kind]:,}", MEANINGS[kind][0]] for kind, count in kinds.most_common()]
        console.show(Table(headings=("<kind", "lines", "first", "<meaning"), rows=rows))
    return Exit.DONE if set(kinds) - {FailureKind.UNKNOWN} else Exit.NO
