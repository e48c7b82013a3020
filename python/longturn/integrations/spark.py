"""
Tokens in Spark: ``df.select(estimate_tokens("text"))``, and in its SQL after ``register``.

Python 3.11 or newer and longturn have to be installed where Spark's workers run.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow as pa
from pyspark.sql.functions import arrow_udf
from pyspark.sql.types import LongType

from longturn.arrow import estimate
from longturn.tokens.measure import Measured

if TYPE_CHECKING:
    from pyspark.sql import Column, SparkSession


def estimate_tokens(texts: str | Column, *, profile: Measured = "script") -> Column:
    """Return the tokens of each text by a profile, as a long column, null for null."""
    return _function(profile)(texts)


def register(session: SparkSession, *, profile: Measured = "script") -> None:
    """Give a session's SQL ``estimate_tokens(text)``, by a profile."""
    session.udf.register("estimate_tokens", _function(profile))


def _function(profile: Measured) -> Any:
    @arrow_udf(LongType())
    def estimate_tokens(texts: pa.Array) -> pa.Array:
        return pa.array(estimate(texts, profile=profile))

    return estimate_tokens
