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
        return checked(shown, read(source_of(shown, file, console.warn), console.warn))


def shown_name(name: str) -> str:
    """Return what a file is called in reports."""
    return "standard input" if name == STDIN else name


def checked(name: str, threads: list[Thread]) -> list[Thread]:
    """
    Return conversations whose messages are objects.

    Raises:
        InputError: one is none; says which.
    """
    for thread in threads:
        for index, message in enumerate(thread.messages):
            if not isinstance(message, dict):
                raise InputError(f"{name}: message {index} is a JSON {kind(message)}; an object is expected")
    return threads
