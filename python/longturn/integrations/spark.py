"""
Tokens in Spark: ``df.select(estimate_tokens("text"))``, and in its SQL after ``register``.

Python 3.11 or newer and longturn have to be installed where Spark's workers run.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa
from pyspark.sql.functions import arrow_udf
from pyspark.sql.types import LongType

from longturn.arrow import estimate

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@arrow_udf(LongType())
def estimate_tokens(texts: pa.Array) -> pa.Array:
    """Return the tokens of each text as a long column, null for null."""
    return pa.array(estimate(texts))


def register(session: SparkSession) -> None:
    """Give a session's SQL ``estimate_tokens(text)``."""
    session.udf.register("estimate_tokens", estimate_tokens)
