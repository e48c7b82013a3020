"""Real texts to read, from what is installed on this machine."""

from __future__ import annotations

import ast
import re
import sysconfig
from pathlib import Path

SMALLEST_SOURCE, LARGEST_CHAPTER = 20_000, 150_000  # bytes
_NOT_READ = {"site-packages", "dist-packages", "test", "tests", "idle_test"}
_MSGSTR = re.compile(r'^msgstr(?:\[\d\])? ((?:"[^\n]*"\n?)+)', re.MULTILINE)
_CYRILLIC = re.compile("[а-яё]", re.IGNORECASE)


def sources() -> dict[str, str]:
    """Return the larger modules of the Python standard library, by path."""
    root = Path(sysconfig.get_paths()["stdlib"])
    paths = [path for path in sorted(root.rglob("*.py")) if _NOT_READ.isdisjoint(path.relative_to(root).parts)]
    return {
        path.relative_to(root).as_posix(): path.read_text(encoding="utf-8", errors="replace")
        for path in paths
        if path.stat().st_size >= SMALLEST_SOURCE
    }


def chapters(count: int) -> dict[str, str]:
    """Return the longest modules that make a chapter each, the longest first."""
    texts = [text for text in sources().values() if len(text) <= LARGEST_CHAPTER]
    longest = sorted(texts, key=len, reverse=True)[:count]
    return {f"chapter {number}": text for number, text in enumerate(longest, 1)}


def russian() -> str:
    """Return Django's Russian translations, as text."""
    import django

    files = sorted(Path(django.__file__).parent.rglob("locale/ru/LC_MESSAGES/*.po"))
    return "\n".join(text for path in files for text in _translations(path.read_text(encoding="utf-8")))


def _translations(catalogue: str) -> list[str]:
    strings = (_joined(match[1]) for match in _MSGSTR.finditer(catalogue))
    return [text for text in strings if _CYRILLIC.search(text)]


def _joined(quoted: str) -> str:
    """Return a string that a catalogue spreads over several quoted lines."""
    return "".join(ast.literal_eval(line) for line in quoted.splitlines())
