"""What ends a command with exit code 2."""

from __future__ import annotations


class InputError(Exception):
    """Input that can't be used; the message says what was seen, where, and what is expected."""
