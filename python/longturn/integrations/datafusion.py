"""Tokens in DataFusion's SQL and expressions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from longturn.arrow import estimate
from longturn.tokens.measure import Measured

if TYPE_CHECKING:
    import datafusion


def register(context: datafusion.SessionContext, *, profile: Measured = "script") -> None:
    """Give a session ``estimate_tokens(text)``, by a profile: strings to bigint, null for null."""
    import pyarrow as pa
    from datafusion import udf

    context.register_udf(
        udf(
            lambda texts: pa.array(estimate(texts, profile=profile)),
            [pa.string_view()],  # what DataFusion reads files into; other strings are cast to it
            pa.int64(),
            "immutable",
            "estimate_tokens",
        )
    )
