"""How the command ends, and what ends it early."""

from __future__ import annotations

from enum import IntEnum


class Exit(IntEnum):
    """The exit codes."""

    DONE = 0
    NOT_WRITTEN = 1
    """Nobody takes the output: a full disk."""
    BAD_INPUT = 2
    """The arguments or the input can't be used; like argparse's own."""
    NO = 3
    """All went well, and the answer is no: it does not fit, nothing tells."""
    INTERRUPTED = 130
    """128 and the number of the signal, as shells have it."""
    PIPE_CLOSED = 141
    """Whoever read the output has left."""


class InputError(Exception):
    """The input can't be used; the message says what was seen, what is expected and where."""
