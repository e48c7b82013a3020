"""Tokens of PyArrow columns, and in the expressions of its datasets."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from longturn.arrow import estimate

if TYPE_CHECKING:
    import pyarrow as pa


def estimate_tokens(column: pa.Array | pa.ChunkedArray) -> pa.Array:
    """Return the tokens of each text as one int64 array."""
    import pyarrow as pa

    return pa.array(estimate(column))


def register() -> None:
    """Give pyarrow's compute functions ``estimate_tokens``, from string to int64."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if "estimate_tokens" not in pc.list_functions():  # a name can be taken once per process
        about = {"summary": "Token estimate", "description": "Tokens of each text by the script rule."}
        pc.register_scalar_function(_of_batch, "estimate_tokens", about, {"text": pa.string()}, pa.int64())


def _of_batch(context: Any, texts: pa.Array) -> pa.Array:
    return estimate_tokens(texts)
