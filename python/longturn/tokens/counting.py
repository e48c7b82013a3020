"""Somebody's own tokenizer in the place of a profile."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Sequence
from operator import index
from threading import Lock
from typing import Any, Final

from longturn.tokens.costs import QUARTERS
from longturn.tokens.reference import batch, checked

_MOST_TOKENS: Final = 10**12  # sums of them are held in 64 bits
_REMEMBERED_CHARS: Final = 4_000_000  # about what the largest context windows hold


class Counted:
    """
    Measures texts by a function that returns their tokens.

    A text is given to the function once, as long as it is among those seen last: it comes by more than once,
    in its message and as a result that may be cleared.
    """

    def __init__(self, count: Callable[[str], int]) -> None:
        self._count: Final = count
        self._known: Final[OrderedDict[str, int]] = OrderedDict()
        self._chars = 0
        self._lock: Final = Lock()

    def quarters(self, text: str | bytes) -> int:
        """
        Return four times the tokens of a text.

        Raises:
            TypeError: what was returned for it is no integer; or ``text`` is no text.
            ValueError: what was returned for it is negative, or no count of tokens at all.
            Exception: whatever the function raises, with a note that says for what.
        """
        text = checked(text)
        if not text:
            return 0
        with self._lock:
            known = self._known.get(text)
        if known is None:
            known = self._counted(text)
            self._remember(text, known)
        return QUARTERS * known

    def tokens(self, text: str | bytes) -> int:
        """Return the tokens of a text."""
        return self.quarters(text) // QUARTERS

    def quarters_batch(self, texts: Sequence[str | bytes]) -> bytearray:
        """Return four times the tokens of each text as native int64."""
        return batch(self.quarters, texts)

    def _counted(self, text: str) -> int:
        try:
            found: Any = self._count(text)
        except Exception as error:
            error.add_note(f"raised by {self._name()}, given as a profile, for a text of {len(text):,} characters")
            raise
        try:
            tokens = None if isinstance(found, bool) else index(found)
        except TypeError:
            tokens = None
        if tokens is None:
            raise TypeError(
                f"profile must return an int, the tokens of a text ({self._name()} returned {found!r:.60}); "
                "with a tokenizer, that is the length of what it encodes to"
            )
        if not 0 <= tokens <= _MOST_TOKENS:
            raise ValueError(
                f"profile must return from 0 to {_MOST_TOKENS:,} tokens ({self._name()} returned {tokens:,})"
            )
        return tokens

    def _name(self) -> str:
        return str(getattr(self._count, "__qualname__", None) or type(self._count).__qualname__)

    def _remember(self, text: str, tokens: int) -> None:
        with self._lock:
            if text not in self._known:
                self._chars += len(text)
            self._known[text] = tokens
            while self._chars > _REMEMBERED_CHARS:
                self._chars -= len(self._known.popitem(last=False)[0])
