"""
Bytes in, JSON values out; what is broken is named by line and column.

Lines, and the items of one long list, are read one after the other: only what becomes of them is held.
"""

from __future__ import annotations

import codecs
import json
from collections.abc import Iterable, Iterator
from itertools import chain, islice
from json import JSONDecodeError, JSONDecoder
from typing import Any, BinaryIO, Final

from longturn.cli.errors import InputError
from longturn.cli.files import opened, pieces
from longturn.cli.sessions.base import Line, Source, Warn

HEAD_LINES: Final = 200
"""How many lines are looked at to tell what a file is."""
LARGEST_BYTES: Final = 1 << 30
"""Of one document that is no list, or of one item of a list: it is held as text and as values, several times that."""
_OPENINGS: Final = {
    b"\x1f\x8b": "compressed: gzip -dc FILE | longturn ... - reads it",
    b"\x28\xb5\x2f\xfd": "compressed: zstd -dc FILE | longturn ... - reads it",
    codecs.BOM_UTF16_LE: "UTF-16 text: save it as UTF-8",
    codecs.BOM_UTF16_BE: "UTF-16 text: save it as UTF-8",
}
"""What files begin with that are no UTF-8 text, and what to do."""
_BLANK: Final = " \t\r\n"
_DECODER: Final = JSONDecoder()


def read_text(name: str) -> str:
    """
    Return the text of a small file, without a byte order mark.

    Raises:
        InputError: it can't be read, is empty or no UTF-8 text.
    """
    with opened(name) as file:
        return _text(name, b"".join(pieces(name, file)), line=1)


def source_of(name: str, file: BinaryIO, warn: Warn) -> Source:
    """
    Return what is in an open file: a value a line, or one document.

    Raises:
        InputError: it can't be read; it is empty, no UTF-8 text or broken.
    """
    parts = pieces(name, file)
    opening = next(parts, b"")
    parts = chain([opening], parts)
    if opening.removeprefix(codecs.BOM_UTF8).lstrip().startswith(b"["):
        return _document_source(name, list(_Items(name, parts)))
    lines = _numbered_lines(parts)
    number, first = next((pair for pair in lines if not pair[1].isspace()), (1, b""))
    beyond = list(_until_text(lines))
    rest = chain(beyond, lines)
    if _is_a_line(name, first, is_alone=not beyond or beyond[-1][1].isspace()):
        return _lines_source(name, chain([(number, first)], rest), warn)
    return _document_source(name, _document(name, chain([first], (line for _, line in rest)), line=number))


def _document_source(name: str, value: Any) -> Source:
    return Source(name=name, head=[value], lines=[Line(1, value)], is_lines=False)


def _until_text(lines: Iterable[tuple[int, bytes]]) -> Iterator[tuple[int, bytes]]:
    """Yield blank lines, and the first one that is not."""
    for number, line in lines:
        yield number, line
        if not line.isspace():
            break


def _lines_source(name: str, lines: Iterable[tuple[int, bytes]], warn: Warn) -> Source:
    values = parse_lines(name, lines, warn)
    head = list(islice(values, HEAD_LINES))
    return Source(name=name, head=[line.value for line in head], lines=chain(head, values), is_lines=True)


def _is_a_line(name: str, first: bytes, *, is_alone: bool) -> bool:
    """Tell whether a file has one JSON value a line, rather than one JSON document."""
    if is_alone or name.endswith(".jsonl"):
        return name.endswith(".jsonl") and bool(first)
    try:
        return isinstance(json.loads(first.decode("utf-8-sig")), dict)
    except (ValueError, RecursionError):
        return False


def _numbered_lines(parts: Iterable[bytes]) -> Iterator[tuple[int, bytes]]:
    """Yield the lines with their numbers."""
    number = 0
    held: list[bytes] = []
    for part in parts:
        start = 0
        while (end := part.find(b"\n", start) + 1) > 0:
            number += 1
            yield number, b"".join([*held, part[start:end]])
            held, start = [], end
        held.append(part[start:])
    if last := b"".join(held):
        yield number + 1, last


def parse_lines(name: str, lines: Iterable[tuple[int, bytes]], warn: Warn) -> Iterator[Line]:
    """
    Yield the values of lines.

    A broken last line is what a file looks like that is still being written: it is left out, and
    ``warn`` is told.

    Raises:
        InputError: another line is broken; names line and column.
    """
    broken: InputError | None = None
    has_any = False
    for number, line in lines:
        if line.isspace():
            continue
        if broken is not None:
            raise broken
        try:
            yield Line(number, _parsed(name, _text(name, line, line=number), line=number))
            has_any = True
        except InputError as error:
            broken = error
    if broken is not None:
        if not has_any:
            raise broken
        warn(f"the last line is left out: {broken}")


def _text(name: str, data: bytes, *, line: int) -> str:
    if not data or data.isspace():
        raise InputError(f"{name} is empty")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line += data.count(b"\n", 0, error.start)
        raise InputError(_no_text(name, data, data[error.start], line)) from None


def _no_text(name: str, data: bytes, byte: int, line: int) -> str:
    """Return what is to be said of bytes that are no UTF-8 text; ``data`` is what they begin with, on line 1."""
    known = next((what for opening, what in _OPENINGS.items() if line == 1 and data.startswith(opening)), None)
    return f"{name} is {known}" if known else f"{name} is not UTF-8 text: byte 0x{byte:02x}, line {line}"


def _parsed(name: str, text: str, *, line: int) -> Any:
    try:
        return json.loads(text)
    except JSONDecodeError as error:
        raise _broken(name, error, line + error.lineno - 1, error.colno) from None
    except RecursionError:
        raise InputError(f"{name}: line {line} is nested too deeply to read") from None
    except ValueError as error:  # an integer longer than Python reads
        raise InputError(f"{name}: line {line}: {error}") from None


def _broken(name: str, error: JSONDecodeError, line: int, column: int) -> InputError:
    return InputError(f"{name} is broken JSON: line {line}, column {column}: {error.msg[:1].lower()}{error.msg[1:]}")


# ---------------------------------------------------------------------- one document


def _document(name: str, parts: Iterable[bytes], *, line: int) -> Any:
    data = bytearray()
    for part in parts:
        data += part
        if len(data) > LARGEST_BYTES:
            raise _too_large(name, "one JSON document")
    return _parsed(name, _text(name, bytes(data), line=line), line=line)


def _too_large(name: str, what: str) -> InputError:
    return InputError(
        f"{name} is too large: {what} of more than {LARGEST_BYTES >> 20} MiB would be held in memory several times; "
        "write one value a line, which is read line by line"
    )


class _Items:
    """The items of a JSON list, parsed one by one out of a text that arrives in pieces."""

    def __init__(self, name: str, parts: Iterable[bytes]) -> None:
        self._name = name
        self._parts = iter(parts)
        self._decoder = codecs.getincrementaldecoder("utf-8-sig")()
        self._text = ""
        self._at = 0  # what of the text is done with
        self._line = self._column = 1
        self._is_over = False

    def __iter__(self) -> Iterator[Any]:
        self._expect("[")
        if self._peek() == "]":
            self._expect("]")
        else:
            yield self._item()
            while self._peek() != "]":
                self._expect(",", "]")
                yield self._item()
            self._expect("]")
        if self._peek():
            raise self._error("extra data")

    def _item(self) -> Any:
        self._peek()
        while True:
            try:
                value, end = _DECODER.raw_decode(self._text, self._at)
                # A number may go on in the next piece.
                if end < len(self._text) or not self._more():
                    self._at = end
                    return value
            except JSONDecodeError as error:
                if not self._more():
                    self._at = error.pos
                    raise self._error(error.msg) from None
            except RecursionError:
                raise InputError(f"{self._name}: line {self._position()[0]} is nested too deeply to read") from None
            except ValueError as error:
                raise InputError(f"{self._name}: line {self._position()[0]}: {error}") from None

    def _peek(self) -> str:
        """Return the next character that is not blank; none at the end."""
        while True:
            while self._at < len(self._text) and self._text[self._at] in _BLANK:
                self._at += 1
            if self._at < len(self._text) or not self._more():
                return self._text[self._at : self._at + 1]

    def _expect(self, *characters: str) -> None:
        if self._peek() not in characters:
            raise self._error(f"expecting {' or '.join(map(repr, characters))}")
        self._at += 1

    def _more(self) -> bool:
        """Take in as much again as there is; tell whether there was anything."""
        taken: list[str] = []
        size = 0
        while size <= len(self._text) - self._at and not self._is_over:
            part = next(self._parts, b"")
            self._is_over = not part
            taken.append(self._decoded(part))
            size += len(taken[-1])
        if size > LARGEST_BYTES:
            raise _too_large(self._name, "one item")
        if size:
            self._line, self._column = self._position()
            self._text, self._at = self._text[self._at :] + "".join(taken), 0
        return size > 0

    def _decoded(self, part: bytes) -> str:
        try:
            return self._decoder.decode(part, not part)
        except UnicodeDecodeError as error:
            line = self._line + self._text.count("\n") + error.object.count(b"\n", 0, error.start)
            byte = error.object[error.start]
            raise InputError(f"{self._name} is not UTF-8 text: byte 0x{byte:02x}, line {line}") from None

    def _position(self) -> tuple[int, int]:
        lines = self._text.count("\n", 0, self._at)
        column = self._at - self._text.rfind("\n", 0, self._at) if lines else self._column + self._at
        return self._line + lines, column

    def _error(self, message: str) -> InputError:
        return _broken(self._name, JSONDecodeError(message, "", 0), *self._position())
