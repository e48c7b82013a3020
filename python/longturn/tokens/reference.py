"""
The estimator in plain Python: specification, test oracle, baseline and fallback in one ([S4]).

Everything here is in quarter-tokens, exact integers that add up ([S2]): an ASCII character weighs
one, a Chinese, Japanese or Korean one four, every other one two.  Only ``tokens`` rounds, upwards.
"""

from __future__ import annotations

import re
import sys
from array import array
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from io import BytesIO
from itertools import pairwise, product
from json.encoder import encode_basestring
from typing import Any, Final, NamedTuple, Protocol

from longturn.tokens.costs import QUARTERS

CJK_RANGES: Final = (
    (0x1100, 0x11FF),  # Hangul letters
    (0x2E80, 0x9FFF),  # radicals, punctuation, kana, bopomofo, Han
    (0xA960, 0xA97F),  # Hangul letters, extended A
    (0xAC00, 0xD7FF),  # Hangul syllables and letters, extended B
    (0xF900, 0xFAFF),  # Han compatibility forms
    (0xFE10, 0xFE1F),  # vertical forms
    (0xFE30, 0xFE6F),  # compatibility and small forms
    (0xFF00, 0xFFEF),  # half- and full-width forms
    (0x16FE0, 0x16FFF),  # ideographic marks
    (0x1AFF0, 0x1B16F),  # kana, extended
    (0x1F200, 0x1F2FF),  # enclosed ideographs
    (0x20000, 0x3FFFF),  # Han, the supplementary planes
)
"""Code points of Chinese, Japanese and Korean, both ends included ([S1])."""

ASCII_WEIGHT, OTHER_WEIGHT, CJK_WEIGHT = 1, 2, 4

_CJK: Final = re.compile("[" + "".join(f"{chr(first)}-{chr(last)}" for first, last in CJK_RANGES) + "]")
_NOT_ASCII: Final = re.compile("[^\x00-\x7f]")
_DECIMAL_DIGITS_PER_BIT: Final = 0.30102999566398120  # log10(2)
_WANTED: Final = "a str, bytes, number, bool, None, list, tuple, mapping, dataclass or object with model_dump()"


_Path = (
    tuple[Any, object] | None
)  # steps from the root, the last one outermost: built for every value, read on errors only
_SHOWN_STEPS: Final = 12  # enough to find a value, also one that nests without end


class Costs(NamedTuple):
    """Quarter-tokens of structure and of content whose length says nothing."""

    message: int
    call: int
    result: int
    opaque: int


def counts(text: str | bytes) -> tuple[int, int, int]:
    """Return how many code points of ``text`` are ASCII, Chinese/Japanese/Korean, and other."""
    text = checked(text)
    if text.isascii():
        return len(text), 0, 0
    beyond_ascii = len(_NOT_ASCII.findall(text))
    cjk = len(_CJK.findall(text))
    return len(text) - beyond_ascii, cjk, beyond_ascii - cjk


def quarters(text: str | bytes) -> int:
    """Return the quarter-tokens of a text."""
    ascii_, cjk, other = counts(text)
    return ASCII_WEIGHT * ascii_ + CJK_WEIGHT * cjk + OTHER_WEIGHT * other


def tokens(text: str | bytes) -> int:
    """Return the tokens of a text, rounded up."""
    return -(-quarters(text) // QUARTERS)


def json_text(text: str | bytes) -> str:
    """Return a text as a JSON string: in quotes and escaped."""
    return encode_basestring(_decoded(text))


def json_int(number: int) -> str:
    """Return an integer as JSON; one that Python refuses to print as so many zeros."""
    try:
        return int.__repr__(number)  # what JSON writes, also for an enumeration's members
    except ValueError:
        return "-" * (number < 0) + "0" * digits(abs(number))


def json_float(number: float) -> str:
    """Return a float as JSON, or as Python's name for what JSON has no form for."""
    if number != number:
        return "NaN"
    if number in (float("inf"), float("-inf")):
        return "-Infinity" if number < 0 else "Infinity"
    return float.__repr__(number)


def digits(size: int) -> int:
    """Return how many decimal digits a large number has."""
    # The first guess is never too high, and at most one power of ten too low.
    length = int((size.bit_length() - 1) * _DECIMAL_DIGITS_PER_BIT)
    while 10**length <= size:
        length += 1
    return length


def _decoded(text: str | bytes) -> str:
    """Return bytes as the text they are in UTF-8; an invalid one is one lone surrogate."""
    return text.decode("utf-8", "surrogateescape") if isinstance(text, bytes) else str.__str__(text)


def checked(text: str | bytes) -> str:
    """Return a text, or bytes as the text that they are."""
    if not isinstance(text, (str, bytes)):
        raise TypeError(f"text must be str or bytes (got {type(text).__name__})")
    return _decoded(text)


# ---------------------------------------------------------------------- profiles

UNITS: Final = 4_096
"""Units of weight in a token; weights are whole numbers of them, so that both backends find the same sums."""

MOST_CLASSES: Final = 64
MOST_UNITS: Final = 65_535
"""What a character may weigh, and what JSON writes for one: just under 16 tokens."""

_LAST: Final = 0x10FFFF
_ESCAPED: Final = tuple(map(chr, (*range(0x20), 0x22, 0x5C)))


class Classes:
    """The class of each code point, from 0 on, by ranges in order that leave no gap."""

    def __init__(self, ranges: Sequence[tuple[int, int, int]], start: int) -> None:
        _check_ranges(ranges)
        self._firsts = [first for first, _, _ in ranges]
        self._classes = [number for _, _, number in ranges]
        self._count = 1 + max(self._classes)
        if not 0 <= start < self._count:
            raise ValueError(f"start must be one of the {self._count} classes (got {start})")
        self._start = bytes([start])
        self._known = _Known(self._of)
        self._ascii = bytes(map(self._known.__getitem__, map(chr, range(0x80)))).ljust(0x100)

    def __len__(self) -> int:
        return self._count

    def pairs(self, text: str | bytes) -> bytearray:
        """Return how often each class follows each other one, row by row, as native int64."""
        pairs = array("q", bytes(8 * self._count**2))
        for (before, number), times in self.counted(text):
            pairs[before * self._count + number] = times
        return bytearray(pairs)

    def counted(self, text: str | bytes) -> Iterator[tuple[bytes, int]]:
        """Yield each pair of classes in a text, and how often it is there."""
        classes = self._start + self.sequence(checked(text))
        times = Counter(_in_twos(classes))
        times.update(_in_twos(classes[1:]))
        return ((pair.to_bytes(2, sys.byteorder), count) for pair, count in times.items())

    def sequence(self, text: str) -> bytes:
        """Return the class of each character of a text, one after the other."""
        if text.isascii():
            return text.encode().translate(self._ascii)
        return bytes(map(self._known.__getitem__, text))

    def _of(self, character: str) -> int:
        return self._classes[bisect_right(self._firsts, ord(character)) - 1]


class _Known(dict[str, int]):
    """Classes of the characters that were asked for before."""

    def __init__(self, find: Callable[[str], int]) -> None:
        self._find = find

    def __missing__(self, character: str) -> int:
        return self.setdefault(character, self._find(character))


class Weights:
    """What a text weighs: the sum of a weight for each character, by its class and the one before it."""

    def __init__(self, classes: Classes, units: Sequence[int]) -> None:
        size = len(classes)
        if len(units) != size**2:
            raise ValueError(f"weights must be {size**2} numbers, one a pair of classes (got {len(units)})")
        self._classes = classes
        self._units = {bytes(pair): weight for pair, weight in zip(product(range(size), repeat=2), units, strict=True)}
        self._check_escapes()

    def _check_escapes(self) -> None:
        for character in _ESCAPED:
            written = self._classes.sequence(json_text(character)[1:-1])
            inner = sum(self._units[bytes(pair)] for pair in pairwise(written))
            if (
                inner + max(self._units[bytes((before, written[0]))] for before in range(len(self._classes)))
                > MOST_UNITS
            ):
                number = self._classes.sequence(character)[0]
                raise ValueError(
                    f"weights must be small: what JSON writes for a character of class {number} weighs over "
                    f"{MOST_UNITS / UNITS:.0f} tokens"
                )

    def quarters(self, text: str | bytes) -> int:
        """Return the quarter-tokens of a text, rounded up."""
        units = sum(times * self._units[pair] for pair, times in self._classes.counted(text))
        return -(-units * QUARTERS // UNITS)

    def tokens(self, text: str | bytes) -> int:
        """Return the tokens of a text, rounded up."""
        return -(-self.quarters(text) // QUARTERS)

    def quarters_batch(self, texts: Sequence[str | bytes]) -> bytearray:
        """Return the quarter-tokens of each text as native int64."""
        return batch(self.quarters, texts)


def _check_ranges(ranges: Sequence[tuple[int, int, int]]) -> None:
    reached = 0
    for first, last, number in ranges:
        if number >= MOST_CLASSES:
            raise ValueError(f"class must be below {MOST_CLASSES} (got {number})")
        if first != reached or last < first or last > _LAST:
            raise ValueError(f"the next range must begin at {reached:#x} (got {first:#x} to {last:#x})")
        reached = last + 1
    if reached <= _LAST:
        raise ValueError(f"ranges must reach to {_LAST:#x} (got {reached - 1:#x})")


def _in_twos(classes: bytes) -> memoryview:
    """Return the pairs of classes that begin at even places, each as one number."""
    return memoryview(classes)[: len(classes) & ~1].cast("H")


class Measure(Protocol):
    """What texts are measured by, where that is not the script rule."""

    def quarters(self, text: str | bytes) -> int:
        """Return the quarter-tokens of a text."""


class Walker:
    """
    Counts nested values; see ``rules.py`` for what counts and how.

    The same class, with the same arguments and errors, is in the Rust core.
    """

    def __init__(
        self,
        *,
        key_rules: dict[str, int],
        call_types: frozenset[str],
        result_types: frozenset[str],
        result_roles: frozenset[str],
        media_types: frozenset[str],
        media_keys: frozenset[str],
        item_types: frozenset[str],
        block_keys: frozenset[str],
        costs: tuple[int, int, int, int],
        max_depth: int,
        plain: Callable[[object], Any],
        price: Callable[[dict[str, Any]], int | None],
        weights: Measure | None = None,
    ) -> None:
        self._measure = quarters if weights is None else weights.quarters
        self._key_rules = key_rules
        self._call_types = call_types
        self._result_types = result_types
        self._result_roles = result_roles
        self._media_types = media_types
        self._media_keys = media_keys
        self._item_types = item_types
        self._block_keys = block_keys
        self._costs = Costs(*costs)
        self._max_depth = max_depth
        self._plain = plain
        self._price = price
        self._by_rule = (
            self._unknown, self._silent, self._text, self._content_of,
            self._calls, self._call, self._result, self._opaque, self._extras,
        )  # fmt: skip

    # ------------------------------------------------------------------ entry points

    def json(self, value: object) -> int:
        """Return the quarter-tokens of the compact JSON text of ``value``."""
        return self._json(value, None, 0)

    def content(self, value: object) -> int:
        """Return the quarter-tokens of a message's content: a text, a block, or a list of them."""
        return self._content(value, None, 0)

    def message(self, value: object) -> int:
        """Return the quarter-tokens of one message."""
        return self._message(value, None)

    def messages(self, history: Sequence[object], start: int = 0) -> list[int]:
        """Return the quarter-tokens of each message of ``history[start:]``."""
        return [self._message(history[i], (None, i)) for i in range(start, len(history))]

    def is_message(self, value: object) -> bool:
        """Tell whether ``value`` is a message rather than a JSON value ([S8])."""
        if isinstance(value, dict):
            return "role" in value or "parts" in value or _among(value.get("type"), self._item_types)
        if isinstance(value, (str, bytes, list, tuple, int, float)) or value is None:
            return False
        if isinstance(value, Mapping):
            return self.is_message(dict(value))
        if hasattr(value, "role") or hasattr(value, "parts"):
            return True
        return _among(getattr(value, "type", None), self._item_types)

    # ------------------------------------------------------------------ messages and blocks

    def _message(self, value: object, path: _Path) -> int:
        found = self._builtin(value, path)
        if not isinstance(found, dict):
            raise TypeError(f"{_where(path)} must be a message: a mapping or an object (got {type(value).__name__})")
        total = self._costs.message + self._block(found, path, 1)
        if _among(found.get("role"), self._result_roles) and not _among(found.get("type"), self._result_types):
            total += self._costs.result
        return total

    def _block(self, block: dict[Any, Any], path: _Path, depth: int) -> int:
        """Return the quarter-tokens of a message or of one of its blocks."""
        self._check_depth(depth, path)
        kind = _kind(block)
        if self._is_media(block, kind):
            priced = self._price(block)
            if priced is not None:
                return priced
        # LangChain keeps the same calls in `tool_calls` and in the content: count them once.
        skip_calls = bool(block.get("tool_calls"))
        total = self._costs.call if _among(kind, self._call_types) else 0
        total += self._costs.result if _among(kind, self._result_types) else 0
        for key, value in block.items():
            if value is None:
                continue
            rule = self._key_rules.get(key, 0) if isinstance(key, str) else 0
            total += self._by_rule[rule](key, value, path, depth, skip_calls)
        return total

    def _content(self, value: object, path: _Path, depth: int, skip_calls: bool = False) -> int:
        self._check_depth(depth, path)
        if value is None:
            return 0
        if isinstance(value, (str, bytes)):
            return self._measure(value)
        if isinstance(value, (list, tuple)):
            return sum(self._content(item, (path, index), depth + 1, skip_calls) for index, item in enumerate(value))
        if isinstance(value, dict):
            if not self._block_keys.isdisjoint(value):
                if skip_calls and _among(_kind(value), self._call_types):
                    return 0
                return self._block(value, path, depth + 1)
            return self._json(value, path, depth)
        if isinstance(value, (bool, int, float)):
            return self._json(value, path, depth)
        return self._content(self._builtin(value, path), path, depth + 1, skip_calls)

    def _is_media(self, block: dict[str, Any], kind: object) -> bool:
        if _among(kind, self._media_types) or _among(block.get("kind"), self._media_types):
            return True
        return any(isinstance(block.get(key), dict) for key in self._media_keys)

    # ------------------------------------------------------------------ one method per rule

    def _unknown(self, key: object, value: object, path: _Path, depth: int, skip_calls: bool) -> int:
        pieces = [self._key(key, path), ":"]
        self._write(pieces, value, (path, key), depth + 1)
        return self._measure("".join([*pieces, ","]))

    def _silent(self, key: object, value: object, path: _Path, depth: int, skip_calls: bool) -> int:
        return 0

    def _text(self, key: object, value: object, path: _Path, depth: int, skip_calls: bool) -> int:
        if isinstance(value, (str, bytes)):
            return self._measure(value)
        return self._json(value, (path, key), depth + 1)

    def _content_of(self, key: object, value: object, path: _Path, depth: int, skip_calls: bool) -> int:
        return self._content(value, (path, key), depth + 1, skip_calls)

    def _calls(self, key: object, value: object, path: _Path, depth: int, skip_calls: bool) -> int:
        if not isinstance(value, (list, tuple)):
            return self._unknown(key, value, path, depth, skip_calls)
        return sum(self._call(index, item, (path, key), depth + 1, False) for index, item in enumerate(value))

    def _call(self, key: object, value: object, path: _Path, depth: int, skip_calls: bool) -> int:
        return self._wrapped(key, value, path, depth, self._costs.call, self._call_types)

    def _result(self, key: object, value: object, path: _Path, depth: int, skip_calls: bool) -> int:
        return self._wrapped(key, value, path, depth, self._costs.result, self._result_types)

    def _opaque(self, key: object, value: object, path: _Path, depth: int, skip_calls: bool) -> int:
        return self._costs.opaque if value else 0

    def _extras(self, key: object, value: object, path: _Path, depth: int, skip_calls: bool) -> int:
        if not isinstance(value, dict):
            return self._unknown(key, value, path, depth, skip_calls)
        here = (path, key)
        return sum(
            self._unknown(name, member, here, depth + 1, False)
            for name, member in value.items()
            if member is not None and name not in ("tool_calls", "function_call")
        )

    def _wrapped(self, key: object, value: object, path: _Path, depth: int, cost: int, typed: frozenset[str]) -> int:
        """Count a call or result under a key of its own; its ``type``, if any, adds no second constant."""
        here = (path, key)
        found = self._builtin(value, here)
        if not isinstance(found, dict):
            return cost + self._content(found, here, depth + 1)
        if _among(_kind(found), typed):
            cost = 0
        return cost + self._block(found, here, depth + 1)

    # ------------------------------------------------------------------ JSON

    def _json(self, value: object, path: _Path, depth: int) -> int:
        pieces: list[str] = []
        self._write(pieces, value, path, depth)
        return self._measure("".join(pieces))

    def _write(self, pieces: list[str], value: object, path: _Path, depth: int) -> None:
        """Add the compact JSON text of a value, piece by piece."""
        if (scalar := _scalar(value)) is not None:
            pieces.append(scalar)
            return
        self._check_depth(depth, path)
        if isinstance(value, (list, tuple)):
            pieces.append("[")
            for index, item in enumerate(value):
                pieces.append("," if index else "")
                self._write(pieces, item, (path, index), depth + 1)
            pieces.append("]")
        elif isinstance(value, dict):
            pieces.append("{")
            for index, (key, member) in enumerate(value.items()):
                pieces.append(f"{',' if index else ''}{self._key(key, path)}:")
                self._write(pieces, member, (path, key), depth + 1)
            pieces.append("}")
        else:
            self._write(pieces, self._builtin(value, path), path, depth + 1)

    def _key(self, key: object, path: _Path) -> str:
        """Return a member's name; JSON turns numbers, bools and None into text."""
        if isinstance(key, str):
            return json_text(key)
        if (scalar := None if isinstance(key, bytes) else _scalar(key)) is not None:
            return f'"{scalar}"'
        raise TypeError(f"cannot count a key of type {type(key).__name__} at {_where(path)} (a str is needed)")

    def _builtin(self, value: object, path: _Path) -> Any:
        if isinstance(value, (dict, list, tuple, str, bytes, int, float)) or value is None:
            return value
        try:
            return self._plain(value)
        except TypeError:
            name = type(value).__name__
            raise TypeError(f"cannot count a value of type {name} at {_where(path)} ({_WANTED} is needed)") from None

    def _check_depth(self, depth: int, path: _Path) -> None:
        if depth > self._max_depth:
            raise ValueError(
                f"nested more than {self._max_depth} levels deep, or a cycle, at {_where(path)} "
                "(flatten the value or leave it out)"
            )


def _where(path: _Path) -> str:
    """Return the place of a value, written like ``$[3].content[0].input``."""
    steps: list[object] = []
    while path is not None:
        path, step = path
        steps.append(step)
    shown = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in steps[: -_SHOWN_STEPS - 1 : -1])
    return f"${shown}…" if len(steps) > _SHOWN_STEPS else f"${shown}"


def _kind(block: dict[str, Any]) -> object:
    kind = block.get("type")
    return block.get("part_kind") if kind is None else kind


def _among(value: object, names: frozenset[str]) -> bool:
    return isinstance(value, str) and value in names


def _scalar(value: object) -> str | None:
    """Return the JSON text of what nests nothing; None for anything else."""
    if isinstance(value, (str, bytes)):
        return json_text(value)
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return json_int(value)
    if isinstance(value, float):
        return json_float(value)
    return None


# ---------------------------------------------------------------------- what the memo needs

_WITNESS_KEYS: Final = ("content", "parts", "output", "tool_calls")


def witness(message: object) -> tuple[object, int]:
    """
    Return what stands for a message's content, and its length if it is a list, else -1.

    Both unchanged means that the message still says what it said ([S7]).
    """
    read: Callable[[str], object] = (
        message.get if isinstance(message, dict) else lambda key: getattr(message, key, None)
    )
    found = next((value for key in _WITNESS_KEYS if (value := read(key)) is not None), None)
    return found, len(found) if isinstance(found, list) else -1


def witnesses(history: list[object], start: int) -> tuple[list[object], bytearray]:
    """Return the witnesses of ``history[start:]`` and their lengths as native int64."""
    pairs = [witness(message) for message in history[start:]]
    return [found for found, _ in pairs], bytearray(array("q", [length for _, length in pairs]))


def agreement(history: list[object], seen: list[object], witnesses: list[object], lengths: array[int]) -> int:
    """Return how many leading messages of ``history`` are those seen before, unchanged."""
    for index, (message, known) in enumerate(zip(history, seen, strict=False)):  # the shorter one decides
        if message is not known:
            return index
        found, length = witness(message)
        if found is not witnesses[index] or length != lengths[index]:
            return index
    return min(len(history), len(seen))


# ---------------------------------------------------------------------- many texts at once


def quarters_batch(texts: Sequence[str | bytes]) -> bytearray:
    """Return the quarter-tokens of each text as native int64."""
    return batch(quarters, texts)


def counts_batch(texts: Sequence[str | bytes]) -> bytearray:
    """Return the three counts of each text, row by row, as native int64."""
    rows = (counts(_text_at(texts, i)) for i in range(len(texts)))
    return bytearray(array("q", [count for row in rows for count in row]))


def batch(measure: Callable[[str | bytes], int], texts: Sequence[str | bytes]) -> bytearray:
    """Return what each text measures as native int64."""
    return bytearray(array("q", [measure(_text_at(texts, i)) for i in range(len(texts))]))


def _text_at(texts: Sequence[str | bytes], index: int) -> str | bytes:
    text = texts[index]
    if not isinstance(text, (str, bytes)):
        raise TypeError(f"texts[{index}] must be str or bytes (got {type(text).__name__})")
    return text


def image_size(data: bytes) -> tuple[int, int] | None:
    """Return width and height in pixels from an image's header, by ``imagesize`` where it is installed."""
    try:
        import imagesize
    except ImportError:
        return None
    width, height = imagesize.get(BytesIO(data))
    return (width, height) if width > 0 and height > 0 else None
