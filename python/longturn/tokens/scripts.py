"""Code points by script class."""

from __future__ import annotations

from typing import NamedTuple

from longturn.tokens.backend import core
from longturn.tokens.walker import whole_tokens


class Scripts(NamedTuple):
    """Code points of a text per class of the script rule."""

    ascii: int
    cjk: int
    other: int

    @property
    def tokens(self) -> int:
        """The script rule: ASCII 4 code points a token, CJK 1, everything else 2; rounded up."""
        return whole_tokens(self.ascii + 2 * self.other + 4 * self.cjk)


def scripts(text: str | bytes) -> Scripts:
    """
    Count the code points of ``text`` per script class.

    Bytes are read as UTF-8; an invalid byte counts as one code point of ``other``, like a lone surrogate.

    Raises:
        TypeError: ``text`` is neither str nor bytes.
    """
    return Scripts(*core.counts(text))
