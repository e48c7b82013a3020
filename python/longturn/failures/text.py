"""From what came over the wire to what was said: bodies inside texts, markup, echoes."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import cache
from typing import Final

WHOLE_CHARS: Final = 200_000
"""Up to here a text is parsed as JSON; beyond, only its two ends are looked at."""
HEAD_CHARS: Final = 6_000
TAIL_CHARS: Final = 2_000
_LITERAL_CHARS: Final = 20_000  # the interpreter's parser takes a hundred times what JSON's does
_BODIES: Final = 8  # of one text: a proxy reports a few routes, an echo has thousands of braces


def bounded(text: str) -> str:
    """Return the text, or its two ends where it is long: the reason stands there, echoes between."""
    if len(text) <= HEAD_CHARS + TAIL_CHARS:
        return text
    return f"{text[:HEAD_CHARS]}\n{text[-TAIL_CHARS:]}"


def parsed(text: str) -> object:
    """Return the JSON value or Python literal that the whole text is, or None."""
    text = text.strip()
    if text[:1] not in ("{", "[") or len(text) > WHOLE_CHARS:
        return None
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return _literal(text)


def events(text: str) -> list[object]:
    """Return the values of a raw event stream, or nothing where the text is none."""
    if not re.match(r"\s*(?:event|data|id|retry|:)[^\n]{0,200}\n?", text) or "data:" not in text[:HEAD_CHARS]:
        return []
    lines = (line.removeprefix("data:") for line in text[:WHOLE_CHARS].splitlines() if line.startswith("data:"))
    return [value for line in lines if (value := parsed(line)) is not None]


def split_bodies(text: str) -> tuple[str, list[object]]:
    """Return the text without the JSON and Python values in it, and those values."""
    text = bounded(text)
    kept: list[str] = []
    bodies: list[object] = []
    start = 0
    for begin, end, value in _bodies(text):
        kept.append(text[start:begin])
        bodies.append(value)
        start = end
    return " ".join((*kept, text[start:])), bodies


def _bodies(text: str) -> Iterator[tuple[int, int, object]]:
    found = start = 0
    while found < _BODIES and (opening := _opening().search(text, start)):
        begin = opening.start()
        found += 1
        end, value = _value_at(text, begin)
        if value is None:
            start = begin + 1
            continue
        yield begin, end, value
        start = end


def _value_at(text: str, begin: int) -> tuple[int, object]:
    """Return where the value that opens here ends, and the value; None where there is none."""
    try:
        value, end = _decoder().raw_decode(text, begin)
    except (ValueError, RecursionError):
        end = _closing(text, begin)
        return end, _literal(text[begin:end])
    return end, value


def _closing(text: str, begin: int) -> int:
    """Return the index after the bracket that closes the one here, quotes respected; 0 if none does."""
    depth, quote, skip = 0, "", False
    for index in range(begin, len(text)):
        character = text[index]
        if skip:
            skip = False
        elif quote:
            skip = character == "\\"
            quote = "" if character == quote else quote
        elif character in "\"'":
            quote = character
        elif character in "{[(":
            depth += 1
        elif character in "}])":
            depth -= 1
            if depth == 0:
                return index + 1
    return 0


def _literal(text: str) -> object:
    """Return the Python value of a text as ``repr`` writes it, or None."""
    if not text or len(text) > _LITERAL_CHARS:
        return None
    import ast  # only for texts that hold what ``repr`` wrote

    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        return None


def without_markup(text: str) -> str:
    """Return the words of an HTML or XML page."""
    return re.sub(r"<[^<>]{0,500}>", " ", text) if is_page(text) else text


def is_page(text: str) -> bool:
    """Tell whether a text is an HTML or XML page."""
    return re.match(r"\s*<(?:!doctype|html|head|\?xml|body|center|h1|title)\b", text[:200], re.IGNORECASE) is not None


def without_echoes(text: str) -> str:
    """Cut what an error repeats of the request: its words are somebody else's."""
    return _echo().sub(" ", text)


def without_preamble(text: str) -> str:
    """Cut what servers put before every error, and addresses: neither says what went wrong."""
    return _preamble().sub(" ", text)


@cache
def _preamble() -> re.Pattern[str]:
    return re.compile(
        r"\(e\.g\. check quota\)|\(reached max retries: \d+\)|(?:input|request)\s+validation\s+error|malformed\s+input\s+request|https?://\S+|<\d{3}>"
        r"|(?:client|server) error '\d{3}[\w ]*' for url|Error code: \d{3}( -)?",
        re.IGNORECASE,
    )


@cache
def _decoder() -> json.JSONDecoder:
    return json.JSONDecoder()


@cache
def _opening() -> re.Pattern[str]:
    return re.compile(r"[{]\s*[\"']|\[\s*\{")


@cache
def _echo() -> re.Pattern[str]:
    """Find a quoted value after a word that announces one, to its closing quote or the end."""
    names = r"(?:input(?:_value)?|got|received|value|content|prompt|given)"
    return re.compile(
        rf"\b{names}['\"]?\s*[:=]\s*(?:'[^'\n]*(?:'|$)|\"[^\"\n]*(?:\"|$)|[\[{{].*)", re.IGNORECASE | re.DOTALL
    )
