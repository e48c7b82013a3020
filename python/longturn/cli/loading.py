"""Saved runs: a name in, the conversations of its file out."""

from __future__ import annotations

from longturn.cli.console import Console
from longturn.cli.documents import source_of
from longturn.cli.errors import InputError
from longturn.cli.files import STDIN, opened
from longturn.cli.sessions.base import Thread
from longturn.cli.sessions.requests import kind
from longturn.cli.sessions.table import read


def load(name: str, console: Console) -> list[Thread]:
    """
    Return the conversations saved in a file, or in standard input for ``-``; the main one first.

    Raises:
        InputError: it can't be read or used; says what was seen and what is expected.
    """
    shown = shown_name(name)
    with opened(name) as file:
        threads = read(source_of(shown, file, console.warn), console.warn)
    for thread in threads:
        _check(shown, thread)
    return threads


def shown_name(name: str) -> str:
    """Return what a file is called in reports."""
    return "standard input" if name == STDIN else name


def _check(name: str, thread: Thread) -> None:
    for index, message in enumerate(thread.messages):
        if not isinstance(message, dict):
            raise InputError(f"{name}: message {index} is a JSON {kind(message)}; an object is expected")
