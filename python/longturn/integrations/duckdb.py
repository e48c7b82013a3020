"""Tokens in DuckDB's SQL; DuckDB hands its columns over through pyarrow, which it needs for that."""

from __future__ import annotations

from typing import TYPE_CHECKING

from longturn.arrow import estimate
from longturn.tokens.measure import Measured

if TYPE_CHECKING:
    import duckdb


def register(connection: duckdb.DuckDBPyConnection, *, profile: Measured = "script") -> None:
    """Give a connection ``estimate_tokens(text)``, by a profile: VARCHAR to BIGINT, null for null."""
    connection.create_function(
        "estimate_tokens", lambda texts: estimate(texts, profile=profile), ["VARCHAR"], "BIGINT", type="arrow"
    )
