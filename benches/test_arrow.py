"""How long it takes to count a column: ours through several engines, theirs, and what reading it takes."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any, Final

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

import longturn
from benches import texts
from benches.conftest import Measure
from longturn.arrow import estimate
from longturn.tokens.reference import CJK_RANGES

BYTES: Final = 100_000_000
SMOKE_BYTES: Final = 20_000
ROW_CHARACTERS: Final = 200  # a message, a log line, a paragraph
SCRIPTS: Final = ("English", "Russian", "Chinese", "logs")


@cache
def column(script: str, size: int) -> Any:
    """Return a PyArrow column of texts, cut from one of ``size`` bytes."""
    pyarrow = pytest.importorskip("pyarrow")
    part = texts.text(script, min(size, 2_000_000))
    rows = [part[start : start + ROW_CHARACTERS] for start in range(0, len(part), ROW_CHARACTERS)]
    return pyarrow.concat_arrays([pyarrow.array(rows)] * max(1, size // len(part.encode())))


@cache
def frame(script: str, size: int) -> Any:
    return pytest.importorskip("polars").DataFrame({"text": column(script, size)}).rechunk()


# ---------------------------------------------------------------------- who counts


def by_pyarrow(script: str, size: int) -> Callable[[], int]:
    import pyarrow as pa
    import pyarrow.compute as pc

    entries = column(script, size)
    return lambda: pc.sum(pa.array(estimate(entries))).as_py()


def by_polars(script: str, size: int) -> Callable[[], int]:
    from longturn.integrations.polars import estimate_tokens

    entries = frame(script, size)
    return lambda: entries.select(estimate_tokens("text").sum()).item()


def by_polars_streaming(script: str, size: int) -> Callable[[], int]:
    from longturn.integrations.polars import estimate_tokens

    query = frame(script, size).lazy().select(estimate_tokens("text").sum())
    return lambda: query.collect(engine="streaming").item()


def by_duckdb(script: str, size: int) -> Callable[[], int]:
    from longturn.integrations.duckdb import register

    connection = pytest.importorskip("duckdb").connect()
    register(connection)
    entries = pytest.importorskip("pyarrow").table({"text": column(script, size)})
    connection.register("entries", entries)
    connection.execute("create table texts as select text from entries")
    return lambda: int(connection.sql("select sum(estimate_tokens(text)) from texts").fetchall()[0][0])


def by_list(script: str, size: int) -> Callable[[], int]:
    entries = column(script, size).to_pylist()
    return lambda: sum(map(longturn.estimate, entries))


def by_regular_expressions(script: str, size: int) -> Callable[[], int]:
    import polars as pl

    cjk = "".join(rf"\x{{{first:X}}}-\x{{{last:X}}}" for first, last in CJK_RANGES)
    text = pl.col("text")
    ascii_, cjk_ = text.str.count_matches(r"[\x00-\x7F]"), text.str.count_matches(f"[{cjk}]")
    tokens = (ascii_ + 2 * (text.str.len_chars() - ascii_ - cjk_) + 4 * cjk_ + 3) // 4
    entries = frame(script, size)
    return lambda: int(entries.select(tokens.cast(pl.Int64).sum()).item())


OURS: Final = {
    "longturn, PyArrow array": by_pyarrow,
    "longturn, Polars map_batches": by_polars,
    "longturn, Polars streaming": by_polars_streaming,
    "longturn, DuckDB SQL": by_duckdb,
    "longturn.estimate of each entry of a list": by_list,
}
THEIRS: Final = {"Polars' own regular expressions": by_regular_expressions}
COUNTERS: Final = OURS | THEIRS


@pytest.mark.parametrize("who", COUNTERS)
@pytest.mark.parametrize("script", SCRIPTS)
def test_column(benchmark: BenchmarkFixture, measure: Measure, is_smoke: bool, script: str, who: str) -> None:
    """A column of texts of two hundred characters."""
    size = SMOKE_BYTES if is_smoke else BYTES
    entries = column(script, size)
    count = COUNTERS[who](script, size)
    place(benchmark, script, who, entries)
    tokens = measure(count)
    if is_smoke:
        assert tokens == sum(longturn.estimate(entry) for entry in entries.to_pylist())


@pytest.mark.parametrize("script", SCRIPTS)
def test_numpy_stand_in(benchmark: BenchmarkFixture, measure: Measure, is_smoke: bool, script: str) -> None:
    """What NumPy makes of it, with weights by first byte: near the rule, not the rule."""
    import numpy as np

    entries = column(script, SMOKE_BYTES if is_smoke else BYTES)
    offsets, data = (
        np.frombuffer(buffer, kind) for buffer, kind in zip(entries.buffers()[1:], ("int32", "uint8"), strict=True)
    )
    weights = np.zeros(256, np.uint8)
    for first, last, weight in ((0, 0x80, 1), (0xC2, 0xF5, 2), (0xE3, 0xEE, 4)):
        weights[first:last] = weight

    def count() -> int:
        sums = np.concatenate(([0], np.cumsum(weights[data], dtype=np.int64)))
        return int((-(-np.diff(sums[offsets[: len(entries) + 1]]) // 4)).sum())

    place(benchmark, script, "NumPy, by first byte (approximate)", entries)
    measure(count)


@pytest.mark.parametrize("script", SCRIPTS)
def test_read_limit(benchmark: BenchmarkFixture, measure: Measure, is_smoke: bool, script: str) -> None:
    """A plain sum over the same bytes, eight at a time, in one thread."""
    import numpy as np

    entries = column(script, SMOKE_BYTES if is_smoke else BYTES)
    data = np.frombuffer(entries.buffers()[2], "uint8")
    place(benchmark, script, "plain sum", entries)
    measure(data[: len(data) // 8 * 8].view("uint64").sum)


def place(benchmark: BenchmarkFixture, script: str, who: str, entries: Any) -> None:
    benchmark.group = f"column/{script}"
    benchmark.extra_info.update(name=who, bytes=entries.buffers()[2].size, rows=len(entries))
