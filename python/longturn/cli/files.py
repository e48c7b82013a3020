"""Files by name, folder or pattern, and their bytes a piece at a time."""

from __future__ import annotations

import glob
import os
import sys
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import BinaryIO, Final, NamedTuple

from longturn.cli.errors import InputError

STDIN: Final = "-"
PIECE_BYTES: Final = 1 << 16
"""Large enough that reading costs nothing beside counting; so small that most pieces of English or code are ASCII."""
_HEAD_BYTES: Final = 8_192
_LONGEST_SEQUENCE: Final = 4  # bytes of one code point in UTF-8


class Found(NamedTuple):
    """The files that a name stands for."""

    names: list[str]
    left_out: int = 0


def found(name: str) -> Found:
    """Return the files that a name, a folder or a pattern stands for; a name that is none of them as it is."""
    if name == STDIN or os.path.isfile(name):
        return Found([name])
    if os.path.isdir(name):
        return _in_folder(name)
    if glob.has_magic(name) and not os.path.lexists(name):
        return Found(sorted(path for path in glob.iglob(name, recursive=True) if os.path.isfile(path)) or [name])
    return Found([name])


def _in_folder(folder: str) -> Found:
    names, left_out = [], 0
    for parent, folders, files in os.walk(folder):
        folders[:] = sorted(each for each in folders if not each.startswith("."))
        for file in sorted(files):
            path = os.path.join(parent, file)
            if file.startswith(".") or not _is_text(path):
                left_out += 1
            else:
                names.append(path)
    return Found(names, left_out)


def _is_text(path: str) -> bool:
    """Tell whether a file looks like text: a regular one without a zero byte; one that can't be read is to be named."""
    if not os.path.isfile(path):
        return False
    try:
        with open(path, "rb") as file:
            return b"\0" not in file.read(_HEAD_BYTES)
    except OSError:
        return True


def opened(name: str) -> AbstractContextManager[BinaryIO]:
    """
    Return a file open for reading; standard input, for ``-``, stays open afterwards.

    Raises:
        InputError: it can't be opened.
    """
    if name == STDIN:
        if sys.stdin is None:
            raise InputError("standard input is closed; name a file")
        return nullcontext(sys.stdin.buffer)
    try:
        return Path(name).open("rb")
    except (OSError, ValueError) as error:  # a zero byte in a name is a ValueError
        raise InputError(f"cannot read {name}: {getattr(error, 'strerror', None) or error}") from None


def pieces(name: str, file: BinaryIO) -> Iterator[bytes]:
    """
    Yield the bytes of an open file.

    Raises:
        InputError: it can't be read, say because it is a folder.
    """
    try:
        while piece := file.read(PIECE_BYTES):
            yield piece
    except OSError as error:
        raise InputError(f"cannot read {name}: {error.strerror or error}") from None


def chunks(name: str) -> Iterator[bytes]:
    """
    Yield the bytes of a file in pieces that part no code point.

    Raises:
        InputError: it can't be read.
    """
    with opened(name) as file:
        yield from unparted(pieces(name, file))


def unparted(parts: Iterable[bytes]) -> Iterator[bytes]:
    """Yield the same bytes, cut where no code point is parted."""
    rest = b""
    for part in parts:
        data = rest + part if rest else part
        end = _whole_until(data)
        rest = data[end:]
        yield data[:end] if rest else data
    if rest:
        yield rest


def _whole_until(data: bytes) -> int:
    """Return where the last code point begins if it may go on in the next piece, else the end."""
    for back in range(1, min(_LONGEST_SEQUENCE, len(data) + 1)):
        byte = data[-back]
        if byte >= 0xC0:  # the first of several
            return len(data) - back
        if byte < 0x80:
            break
    return len(data)


def size_of(name: str) -> int:
    """Return the bytes of a file; 0 where they can't be told before it is read."""
    try:
        return 0 if name == STDIN else os.stat(name).st_size
    except (OSError, ValueError):
        return 0
