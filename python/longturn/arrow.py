"""Token estimates of whole columns, for every engine that speaks Arrow."""

from __future__ import annotations

from typing import Any, Protocol, cast

from longturn.tokens.measure import Measured, Texts, measure_of
from longturn.tokens.walker import whole_tokens


class ArrowArray(Protocol):
    """One contiguous Arrow array, such as ``pyarrow.Array``."""

    def __arrow_c_array__(self, requested_schema: Any = None) -> tuple[Any, Any]:
        """Return capsules with the schema and the array."""


class ArrowStream(Protocol):
    """A column of any number of chunks, such as ``polars.Series`` or ``pyarrow.ChunkedArray``."""

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        """Return a capsule with the stream."""


class TokenColumn(ArrowArray, ArrowStream, Protocol):
    """An int64 Arrow column of tokens; null where the text was null."""

    def __len__(self) -> int:
        """Return the number of entries, nulls included."""


def estimate(column: ArrowArray | ArrowStream, *, profile: Measured = "script") -> TokenColumn:
    """
    Return the tokens of each entry of an Arrow column of texts, by the script rule or a profile.

    ``column`` is anything with ``__arrow_c_stream__`` or ``__arrow_c_array__`` that holds strings: utf8,
    large_utf8, utf8_view, binary (read as UTF-8), a dictionary of one of these, or nothing but nulls.
    The result is an int64 column that every Arrow library takes: ``polars.Series(...)``,
    ``pyarrow.array(...)``.  Nulls stay null; entries are rounded up one by one.

    No Arrow library is needed, nothing is copied, and the interpreter lock is released meanwhile.
    Where the Rust core does not load, or ``profile`` is a function, pyarrow does the reading, and it all takes
    far longer.

    Raises:
        TypeError: ``column`` is no Arrow column, or does not hold strings; says what was seen.
        ValueError: the column's buffers contradict each other.
        RuntimeError: the column's stream failed; has its message.
        ModuleNotFoundError: neither the Rust core nor pyarrow is there.
    """
    texts = measure_of(profile).texts
    if hasattr(texts, "estimate_column"):
        return cast("TokenColumn", texts.estimate_column(column))
    return _ByPyArrow(_pyarrow(), column, texts)


class _ByPyArrow:
    """The result where Rust does not do the reading."""

    def __init__(self, pyarrow: Any, column: Any, measure: Texts) -> None:
        if hasattr(column, "__arrow_c_stream__"):
            texts = pyarrow.chunked_array(column)
        elif hasattr(column, "__arrow_c_array__"):
            texts = pyarrow.array(column)
        else:
            raise TypeError(
                "column must be an Arrow column, an object with __arrow_c_stream__ or __arrow_c_array__ "
                f"(got {type(column).__name__})"
            )
        _check_type(pyarrow.types, texts.type)
        tokens = [None if text is None else whole_tokens(measure.quarters(text)) for text in texts.to_pylist()]
        self._tokens = pyarrow.array(tokens, pyarrow.int64())
        self._chunked = pyarrow.chunked_array([self._tokens])

    def __len__(self) -> int:
        return len(self._tokens)

    def __arrow_c_array__(self, requested_schema: Any = None) -> tuple[Any, Any]:
        return cast("tuple[Any, Any]", self._tokens.__arrow_c_array__())

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        return self._chunked.__arrow_c_stream__()


def _check_type(types: Any, seen: Any) -> None:
    kind = seen.value_type if types.is_dictionary(seen) else seen
    tests = "string large_string string_view binary large_binary binary_view null".split()
    if not any(getattr(types, f"is_{test}")(kind) for test in tests):
        raise TypeError(
            "column must hold strings: utf8, large_utf8, utf8_view, the binary types, a dictionary of one of "
            f"these, or null (got {seen})"
        )


def _pyarrow() -> Any:
    try:
        import pyarrow
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(
            "columns need the Rust core and a profile that is no function, or pyarrow: pip install pyarrow",
            name=error.name,
        ) from error
    return pyarrow
