"""Tokens in DuckDB's SQL; DuckDB hands its columns over through pyarrow, which it needs for that."""

from __future__ import annotations

from typing import TYPE_CHECKING

from longturn.arrow import estimate

if TYPE_CHECKING:
    import duckdb


def register(connection: duckdb.DuckDBPyConnection) -> None:
    """Give a connection ``estimate_tokens(text)``: VARCHAR to BIGINT, null for null."""
    connection.create_function("estimate_tokens", estimate, ["VARCHAR"], "BIGINT", type="arrow")
