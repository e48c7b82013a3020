"""Tokens of a Polars column: as a function, or as ``pl.col("text").tokens.estimate()``."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from longturn.arrow import estimate
from longturn.tokens.measure import Measured

if TYPE_CHECKING:
    import polars as pl


def estimate_tokens(column: str | pl.Expr, *, profile: Measured = "script") -> pl.Expr:
    """Return the tokens of each text by a profile, in eager, lazy and streaming queries alike."""
    import polars as pl

    texts = pl.col(column) if isinstance(column, str) else column
    return texts.map_batches(partial(_of_series, profile=profile), return_dtype=pl.Int64, is_elementwise=True)


def register() -> None:
    """Give every expression ``.tokens.estimate()``."""
    import polars as pl

    if getattr(pl.Expr, "tokens", None) is not _Tokens:  # Polars warns when told twice
        pl.api.register_expr_namespace("tokens")(_Tokens)


class _Tokens:
    def __init__(self, texts: pl.Expr) -> None:
        self._texts = texts

    def estimate(self, *, profile: Measured = "script") -> pl.Expr:
        return estimate_tokens(self._texts, profile=profile)


def _of_series(texts: pl.Series, *, profile: Measured) -> pl.Series:
    import polars as pl

    return pl.Series(texts.name, estimate(texts, profile=profile))
