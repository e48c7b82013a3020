"""Tokens of PyArrow columns, and in the expressions of its datasets."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from longturn.arrow import estimate
from longturn.tokens.measure import Measured

if TYPE_CHECKING:
    import pyarrow as pa


def estimate_tokens(column: pa.Array | pa.ChunkedArray, *, profile: Measured = "script") -> pa.Array:
    """Return the tokens of each text by a profile, as one int64 array."""
    import pyarrow as pa

    return pa.array(estimate(column, profile=profile))


def register(name: str = "estimate_tokens", *, profile: Measured = "script") -> None:
    """
    Give pyarrow's compute functions one of this name, from string to int64.

    Raises:
        ValueError: the name is taken, which it can be once in a process: each profile needs its own.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    about = {"summary": "Token estimate", "description": f"Tokens of each text, measured by {profile!r}."}
    if name not in pc.list_functions():
        pc.register_scalar_function(
            lambda context, texts: estimate_tokens(texts, profile=profile),
            name, about, {"text": pa.string()}, pa.int64(),
        )  # fmt: skip
    elif (taken := _described(pc.get_function(name))) != about["description"]:
        raise ValueError(f"name must be one that is not taken (got {name!r}, which is: {taken!r})")


def _described(function: Any) -> str:
    return str(function._doc.description)
