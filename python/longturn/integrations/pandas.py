"""Tokens of a pandas column; pandas hands strings over through pyarrow."""

from __future__ import annotations

from typing import TYPE_CHECKING

from longturn.arrow import estimate
from longturn.tokens.measure import Measured

if TYPE_CHECKING:
    import pandas as pd


def estimate_tokens(texts: pd.Series, *, profile: Measured = "script") -> pd.Series:
    """Return the tokens of each text by a profile as Int64, which has a null, under the same index and name."""
    import pandas as pd
    import pyarrow as pa

    tokens = pa.array(estimate(pa.Array.from_pandas(texts), profile=profile))
    column = tokens.to_pandas(types_mapper={pa.int64(): pd.Int64Dtype()}.get)
    return column.set_axis(texts.index).rename(texts.name)
