"""The Rust half of ``longturn``: the same names and answers as ``longturn.tokens.reference``, faster."""

from collections.abc import Callable, Sequence
from typing import Any, final

from typing_extensions import Buffer

__all__ = [
    "Classes",
    "TokenColumn",
    "Walker",
    "Weights",
    "agreement",
    "counts",
    "counts_batch",
    "estimate_column",
    "image_size",
    "quarters",
    "quarters_batch",
    "tokens",
    "witness",
    "witnesses",
]

def counts(text: str | bytes) -> tuple[int, int, int]:
    """
    Return how many code points of ``text`` are ASCII, Chinese/Japanese/Korean, and other.

    Bytes are read as UTF-8; an invalid byte, like a lone surrogate, is one code point of other.

    Raises:
        TypeError: ``text`` is neither str nor bytes.
    """

def quarters(text: str | bytes) -> int:
    """
    Return the quarter-tokens of a text.

    Raises:
        TypeError: ``text`` is neither str nor bytes.
    """

def tokens(text: str | bytes) -> int:
    """
    Return the tokens of a text, rounded up.

    Raises:
        TypeError: ``text`` is neither str nor bytes.
    """

def counts_batch(texts: Sequence[str | bytes]) -> bytearray:
    """
    Return the three counts of each text, row by row, as native int64.

    The interpreter's lock is released meanwhile, and all cores take part in megabytes of text.

    Raises:
        TypeError: an entry is neither str nor bytes; names its index.
    """

def quarters_batch(texts: Sequence[str | bytes]) -> bytearray:
    """
    Return the quarter-tokens of each text as native int64.

    The interpreter's lock is released meanwhile, and all cores take part in megabytes of text.

    Raises:
        TypeError: an entry is neither str nor bytes; names its index.
    """

def estimate_column(column: Any) -> TokenColumn:
    """
    Return the tokens of each entry of an Arrow column of texts, as an int64 column.

    The interpreter's lock is released meanwhile, and all cores take part in megabytes of text.

    Raises:
        TypeError: ``column`` is no Arrow column, or does not hold strings.
        ValueError: the column's buffers contradict each other.
        RuntimeError: the column's stream failed.
    """

def witness(message: object) -> tuple[object, int]:
    """
    Return what stands for a message's content, and its length if it is a list, else -1.

    Both unchanged means that the message still says what it said.
    """

def witnesses(history: list[Any], start: int) -> tuple[list[Any], bytearray]:
    """Return the witnesses of ``history[start:]`` and their lengths as native int64."""

def agreement(history: list[Any], seen: list[Any], witnesses: list[Any], lengths: Buffer) -> int:
    """
    Return how many leading messages of ``history`` are those seen before, unchanged.

    ``lengths`` is a buffer of native int64, such as ``array("q")``.
    """

def image_size(data: bytes) -> tuple[int, int] | None:
    """Return width and height in pixels from an image's header, or None."""

@final
class Classes:
    """The class of each code point, from 0 on, by ranges in order that leave no gap."""

    def __new__(cls, ranges: Sequence[tuple[int, int, int]], start: int) -> Classes:
        """
        Take first and last code point of each range with their class, and the class that a text starts after.

        Raises:
            ValueError: the ranges leave a gap or are out of order, or a class is not below 64.
        """

    def __len__(self) -> int: ...
    def pairs(self, text: str | bytes) -> bytearray:
        """
        Return how often each class follows each other one, row by row, as native int64.

        Raises:
            TypeError: ``text`` is neither str nor bytes.
        """

@final
class Weights:
    """What a text weighs: the sum of a weight for each character, by its class and the one before it."""

    def __new__(cls, classes: Classes, units: Sequence[int]) -> Weights:
        """
        Take 4,096ths of a token for each pair of classes, row by row.

        Raises:
            ValueError: not as many as pairs of classes, or too heavy.
        """

    def quarters(self, text: str | bytes) -> int:
        """
        Return the quarter-tokens of a text, rounded up.

        Raises:
            TypeError: ``text`` is neither str nor bytes.
        """

    def tokens(self, text: str | bytes) -> int:
        """
        Return the tokens of a text, rounded up.

        Raises:
            TypeError: ``text`` is neither str nor bytes.
        """

    def quarters_batch(self, texts: Sequence[str | bytes]) -> bytearray:
        """
        Return the quarter-tokens of each text as native int64.

        The interpreter's lock is released meanwhile, and all cores take part in megabytes of text.

        Raises:
            TypeError: an entry is neither str nor bytes; names its index.
        """

    def estimate_column(self, column: Any) -> TokenColumn:
        """
        Return the tokens of each entry of an Arrow column of texts, as an int64 column.

        Raises:
            TypeError: ``column`` is no Arrow column, or does not hold strings.
            ValueError: the column's buffers contradict each other.
            RuntimeError: the column's stream failed.
        """

@final
class Walker:
    """
    Counts nested values; ``longturn.tokens.rules`` says what counts and how.

    The twin of ``longturn.tokens.reference.Walker``: same arguments, answers and errors.
    """

    def __new__(
        cls,
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
        weights: Weights | None = None,
    ) -> Walker: ...
    def json(self, value: object) -> int:
        """Return the quarter-tokens of the compact JSON text of ``value``."""

    def content(self, value: object) -> int:
        """Return the quarter-tokens of a message's content: a text, a block, or a list of them."""

    def message(self, value: object) -> int:
        """Return the quarter-tokens of one message."""

    def messages(self, history: Sequence[object], start: int = 0) -> list[int]:
        """Return the quarter-tokens of each message of ``history[start:]``."""

    def is_message(self, value: object) -> bool:
        """Tell whether ``value`` is a message rather than a JSON value."""

@final
class TokenColumn:
    """Tokens of each entry of a column: an int64 Arrow column, null where the entry was null."""

    def __len__(self) -> int: ...
    def __arrow_c_array__(self, requested_schema: object = None) -> tuple[Any, Any]:
        """Return capsules with the schema and the array; always int64, whatever is requested."""

    def __arrow_c_stream__(self, requested_schema: object = None) -> Any:
        """Return a capsule with a stream of one array; always int64, whatever is requested."""
