"""Bytes in, JSON values out; what is broken is named by line and column."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any, Final, NamedTuple

from longturn.cli.errors import InputError
from longturn.cli.files import opened, pieces

EXPECTED: Final = "a JSON list of messages, a request body with messages, input or contents, or a Claude Code session"


class Line(NamedTuple):
    """One line of a JSON Lines file; numbers count from one."""

    number: int
    value: Any


def read_bytes(name: str) -> bytes:
    """
    Return the content of a file, or of standard input for ``-``.

    Raises:
        InputError: it can't be read.
    """
    with opened(name) as file:
        return b"".join(pieces(name, file))


def text_of(name: str, data: bytes) -> str:
    """
    Return the text of a file, without a byte order mark.

    Raises:
        InputError: the file is empty or no UTF-8 text.
    """
    if not data.strip():
        raise InputError(f"{name} is empty ({EXPECTED} is expected)")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise InputError(
            f"{name} is not UTF-8 text: byte 0x{data[error.start]:02x}, line {line} ({EXPECTED} is expected)"
        ) from None


def is_json_lines(name: str, text: str) -> bool:
    """Tell whether a file has one JSON value a line, rather than one JSON document."""
    first, _, rest = text.lstrip().partition("\n")
    if not rest.strip():
        return name.endswith(".jsonl")
    try:
        return isinstance(json.loads(first), dict)
    except (ValueError, RecursionError):
        return name.endswith(".jsonl")


def parse_document(name: str, text: str) -> Any:
    """
    Return the value of a JSON document.

    Raises:
        InputError: it is broken; names line and column.
    """
    return _parsed(name, text, line=1)


def parse_lines(name: str, text: str, warn: Callable[[str], None]) -> Iterator[Line]:
    """
    Yield the values of a JSON Lines file, empty lines left out.

    A broken last line is what a file looks like that is still being written: it is left out too,
    and ``warn`` is told.

    Raises:
        InputError: another line is broken; names line and column.
    """
    lines = text.split("\n")
    last = max((number for number, line in enumerate(lines, 1) if line.strip()), default=0)
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            yield Line(number, _parsed(name, line, line=number))
        except InputError as error:
            if number < last or number == 1:
                raise
            warn(f"the last line is left out: {error}")


def _parsed(name: str, text: str, *, line: int) -> Any:
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        where = f"line {line + error.lineno - 1}, column {error.colno}"
        raise InputError(f"{name} is broken JSON: {where}: {error.msg[:1].lower()}{error.msg[1:]}") from None
    except RecursionError:
        raise InputError(f"{name}: line {line} is nested too deeply to read") from None
    except ValueError as error:  # an integer longer than Python reads
        raise InputError(f"{name}: line {line}: {error}") from None
