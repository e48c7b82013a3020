"""
Texts to count: real ones, out of packages that every bench environment has.

English is Python's own reference manual, code its standard library, Russian and Chinese are Django's
translations (short samples of our own where Django is missing), logs and JSON are made of them.
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable, Iterator
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Final

SAMPLES: Final = {
    "ru": "Съешь же ещё этих мягких французских булок, да выпей чаю. Сервер не ответил вовремя, повторите позже.",
    "zh_Hans": "永和九年，岁在癸丑，暮春之初，会于会稽山阴之兰亭。服务器没有及时响应，请稍后再试。",
}
_PO_ENTRY: Final = re.compile(r'^msgstr(?:\[\d\])? ((?:"(?:[^"\\]|\\.)*"\s*)+)', re.MULTILINE)
_PO_LINE: Final = re.compile(r'"((?:[^"\\]|\\.)*)"')
_LEVELS: Final = ("INFO", "DEBUG", "WARNING", "ERROR")


def text(script: str, size: int) -> str:
    """Return a text of ``size`` bytes of UTF-8, or up to three fewer where a character would be cut."""
    source = SCRIPTS[script]().encode()
    repeated = source * (size // len(source) + 1)
    return repeated[:size].decode(errors="ignore")


@cache
def english() -> str:
    from pydoc_data.topics import topics

    return "\n".join(topics.values()).encode("ascii", "ignore").decode()


@cache
def russian() -> str:
    return _translated("ru")


@cache
def chinese() -> str:
    return _translated("zh_Hans")


@cache
def code() -> str:
    modules = sorted(Path(json.__file__).parents[1].glob("[a-m]*.py"))
    return "\n".join(path.read_text(encoding="utf-8") for path in modules).encode("ascii", "ignore").decode()


@cache
def logs() -> str:
    """Return lines of a service that speaks to people in three languages, a tick or a cross at each line's end."""
    chance = random.Random(1)
    messages = [_sentences(source()) for source in (english, russian, chinese)]
    return "\n".join(
        f"2026-03-{chance.randint(1, 28):02} {chance.randint(0, 23):02}:{chance.randint(0, 59):02} "
        f"{chance.choice(_LEVELS)} [worker-{chance.randint(1, 16)}] {chance.choice(chance.choice(messages))} "
        f"{chance.choice('✅❌🔥')} {chance.randint(1, 9_999)} ms"
        for _ in range(5_000)
    )


@cache
def json_text() -> str:
    """Return what a search tool would return: names, numbers and lines of text; some letters beyond ASCII."""
    chance = random.Random(2)
    lines = _sentences(english())
    rows = [
        {
            "id": f"{chance.getrandbits(64):016x}",
            "path": f"src/{chance.choice('abcdef')}/{chance.randint(1, 999)}.py",
            "author": chance.choice(("Zoë", "José", "Müller", "Anna", "Bob")),
            "score": round(chance.random(), 6),
            "open": chance.random() < 0.5,
            "line": chance.choice(lines),
        }
        for _ in range(2_000)
    ]
    return json.dumps(rows, ensure_ascii=False, indent=2)


SCRIPTS: Final[dict[str, Callable[[], str]]] = {
    "English": english,
    "Russian": russian,
    "Chinese": chinese,
    "logs": logs,
    "code": code,
    "JSON": json_text,
}


def source_of_translations() -> str:
    return "Django's translations" if find_spec("django") else "two sentences of our own, repeated"


def _translated(language: str) -> str:
    return "\n".join(_django_messages(language)) or SAMPLES[language]


def _django_messages(language: str) -> Iterator[str]:
    if (spec := find_spec("django")) is None or spec.origin is None:
        return
    for path in sorted(Path(spec.origin).parent.rglob(f"locale/{language}/LC_MESSAGES/*.po")):
        # Each file opens with an entry of headers, which is none.
        for entry in _PO_ENTRY.findall(path.read_text(encoding="utf-8"))[1:]:
            yield "".join(_PO_LINE.findall(entry)).replace("\\n", "\n").replace('\\"', '"')


def _sentences(source: str) -> list[str]:
    return [line for line in source.splitlines() if 15 < len(line) < 120] or [source]
