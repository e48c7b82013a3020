"""The engines: each by its documented way, each gives what ``longturn.estimate`` gives entry by entry."""

from __future__ import annotations

import importlib.util
import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import longturn

TEXTS = ["hello, world", "Привет, мир", None, "日本語の文章", "", "😀 mixed текст 漢字", "a longer text " * 9] * 30
TOKENS = [None if text is None else longturn.estimate(text) for text in TEXTS]
TOTAL = sum(tokens or 0 for tokens in TOKENS)
BY_PROFILE = [None if text is None else longturn.estimate(text, profile="openai") for text in TEXTS]


@pytest.fixture(autouse=True)
def _reader() -> None:
    if longturn.BACKEND != "rust":
        pytest.importorskip("pyarrow")


# ---------------------------------------------------------------------- Polars


@pytest.fixture
def frame() -> Any:
    polars = pytest.importorskip("polars")
    return polars.DataFrame({"text": TEXTS, "group": [row % 3 for row in range(len(TEXTS))]})


def test_polars_eager(frame: Any) -> None:
    """A column of the same name and of type Int64."""
    import polars as pl

    from longturn.integrations.polars import estimate_tokens

    tokens = frame.select(estimate_tokens("text"))
    assert {"text": pl.Int64} == dict(tokens.schema)
    assert TOKENS == tokens["text"].to_list()


def test_polars_lazy_and_streaming(frame: Any) -> None:
    """The type is known before anything runs; the streaming engine asks for a piece at a time."""
    import polars as pl

    from longturn.integrations.polars import estimate_tokens

    query = frame.lazy().with_columns(tokens=estimate_tokens(pl.col("text")))
    assert pl.Int64 == query.collect_schema()["tokens"]
    for engine in ("in-memory", "streaming"):
        assert TOKENS == query.collect(engine=engine)["tokens"].to_list()


def test_polars_groups_and_filters(frame: Any) -> None:
    """It is an expression like any other."""
    import polars as pl

    from longturn.integrations.polars import estimate_tokens

    groups = frame.group_by("group").agg(estimate_tokens("text").sum().alias("tokens"))
    assert TOTAL == groups["tokens"].sum()
    assert [tokens for tokens in TOKENS if (tokens or 0) > 10] == frame.filter(estimate_tokens("text") > 10).select(
        estimate_tokens("text")
    )["text"].to_list()
    assert frame.clear().select(estimate_tokens(pl.col("text"))).is_empty()


def test_polars_namespace(frame: Any) -> None:
    """After ``register`` it reads like Polars' own."""
    import polars as pl

    from longturn.integrations import polars

    polars.register()
    polars.register()
    assert TOKENS == frame.select(pl.col("text").tokens.estimate())["text"].to_list()
    assert BY_PROFILE == frame.select(pl.col("text").tokens.estimate(profile="openai"))["text"].to_list()
    assert BY_PROFILE == frame.select(polars.estimate_tokens("text", profile="openai"))["text"].to_list()


def test_polars_expressions_without_us(frame: Any) -> None:
    """Polars' own regular expressions come to the same numbers; slow, but nobody else's code."""
    import polars as pl

    from longturn.integrations.polars import estimate_tokens
    from longturn.tokens.reference import CJK_RANGES

    ranges = "".join(rf"\x{{{first:X}}}-\x{{{last:X}}}" for first, last in CJK_RANGES)
    text = pl.col("text")
    ascii_, cjk = text.str.count_matches(r"[\x00-\x7F]"), text.str.count_matches(f"[{ranges}]")
    other = text.str.len_chars() - ascii_ - cjk
    by_regex = ((ascii_ + 2 * other + 4 * cjk + 3) // 4).cast(pl.Int64)
    ours = frame.select(estimate_tokens("text"))["text"].to_list()
    assert frame.select(by_regex)["text"].to_list() == ours


# ---------------------------------------------------------------------- SQL engines


@pytest.fixture
def table() -> Any:
    pyarrow = pytest.importorskip("pyarrow")
    return pyarrow.table({"id": list(range(len(TEXTS))), "text": pyarrow.array(TEXTS, pyarrow.string())})


def test_duckdb(table: Any) -> None:
    """A SQL function of a connection."""
    connection = pytest.importorskip("duckdb").connect()
    from longturn.integrations import duckdb

    duckdb.register(connection)
    connection.register("texts", table)
    rows = connection.sql("select estimate_tokens(text) from texts order by id").fetchall()
    assert [(tokens,) for tokens in TOKENS] == rows
    total = connection.sql("select sum(estimate_tokens(text)), typeof(estimate_tokens('a')) from texts")
    assert [(TOTAL, "BIGINT")] == total.fetchall()
    assert [(None,)] == connection.sql("select estimate_tokens(null)").fetchall()
    connection.remove_function("estimate_tokens")
    duckdb.register(connection, profile="openai")
    rows = connection.sql("select estimate_tokens(text) from texts order by id").fetchall()
    assert [(tokens,) for tokens in BY_PROFILE] == rows


def test_datafusion(table: Any) -> None:
    """A SQL function of a session, over both of its string types."""
    context = pytest.importorskip("datafusion").SessionContext()
    import pyarrow as pa

    from longturn.integrations import datafusion

    datafusion.register(context)
    for name, kind in (("strings", pa.string()), ("views", pa.string_view()), ("large", pa.large_string())):
        texts = table.set_column(1, "text", table["text"].cast(kind))
        context.register_record_batches(name, [texts.to_batches(max_chunksize=50)])
        rows = context.sql(f"select estimate_tokens(text) n from {name} order by id").to_pydict()
        assert TOKENS == rows["n"]
    datafusion.register(context, profile="openai")
    assert BY_PROFILE == context.sql("select estimate_tokens(text) n from strings order by id").to_pydict()["n"]


# ---------------------------------------------------------------------- PyArrow and pandas


def test_pyarrow_compute_function(table: Any) -> None:
    """Known to ``call_function`` and to the expressions of a dataset."""
    import pyarrow.compute as pc
    import pyarrow.dataset as ds

    from longturn.integrations import pyarrow

    pyarrow.register()
    pyarrow.register()  # the registry belongs to the process, where others may have been before
    assert TOKENS == pc.call_function("estimate_tokens", [table["text"]]).to_pylist()
    tokens = pc.Expression._call("estimate_tokens", [pc.field("text")])
    assert TOKENS == ds.dataset(table).to_table(columns={"tokens": tokens})["tokens"].to_pylist()


def test_pyarrow_compute_function_by_a_profile(table: Any) -> None:
    """Under a name of its own: what has a name keeps it, and what it measures by."""
    import pyarrow.compute as pc

    from longturn.integrations import pyarrow

    pyarrow.register("estimate_openai_tokens", profile="openai")
    pyarrow.register("estimate_openai_tokens", profile="openai")
    assert BY_PROFILE == pc.call_function("estimate_openai_tokens", [table["text"]]).to_pylist()
    with pytest.raises(ValueError, match=r"name must be one that is not taken .*measured by 'openai'"):
        pyarrow.register("estimate_openai_tokens", profile="claude")


def test_pyarrow_function(table: Any) -> None:
    """One array for all chunks, fit to become another column of the table."""
    from longturn.integrations.pyarrow import estimate_tokens

    assert TOKENS == table.append_column("tokens", estimate_tokens(table["text"]))["tokens"].to_pylist()
    assert BY_PROFILE == estimate_tokens(table["text"], profile="openai").to_pylist()


@pytest.mark.parametrize("dtype", ["string", "string[pyarrow]", "object", "category"])
def test_pandas(dtype: str) -> None:
    """Same index, same name, nulls that stay nulls."""
    pd = pytest.importorskip("pandas")
    pytest.importorskip("pyarrow")
    from longturn.integrations.pandas import estimate_tokens

    texts = pd.Series(TEXTS, index=range(7, 7 + len(TEXTS)), name="text", dtype=dtype)
    tokens = estimate_tokens(texts)
    wanted = pd.Series(TOKENS, index=texts.index, name="text", dtype="Int64")
    pd.testing.assert_series_equal(wanted, tokens)
    assert sum(filter(None, BY_PROFILE)) == estimate_tokens(texts, profile="openai").sum()


# ---------------------------------------------------------------------- more than one machine


SESSION = "\n".join(
    json.dumps(line, ensure_ascii=False)
    for line in (
        {"type": "summary", "summary": "not sent"},
        {"message": "just words"},
        "a string",
        {"message": {"role": "user", "content": "Почини сборку\u2028сейчас"}},
        {"message": {"content": [{"type": "tool_use", "id": "a", "name": "Bash", "input": {"command": "make"}}]}},
        {"message": {"content": [{"type": "tool_result", "tool_use_id": "a", "content": "error: 文件不存在"}]}},
        {"message": {"content": [{"type": "tool_result", "tool_use_id": "a", "content": [{"text": "again"}]}]}},
        {"message": {"content": [{"type": "text", "text": "Done."}, {"type": "image", "source": {}}]}},
    )
)
PARTS = [
    ("", "Почини сборку\u2028сейчас"), ("Bash", '{"command": "make"}'), ("Bash", "error: 文件不存在"),
    ("Bash", "again"), ("", "Done."),
]  # fmt: skip
TOTALS = {tool: sum(longturn.estimate(text) for name, text in PARTS if name == tool) for tool in ("", "Bash")}


def load_example(name: str) -> Any:
    path = Path(__file__).parents[1] / "examples" / f"{name}.py"
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def spark() -> Iterator[Any]:
    pytest.importorskip("pyspark")
    from pyspark.sql import SparkSession

    os.environ["PYSPARK_PYTHON"] = sys.executable  # Spark's workers would take another python3
    local = {"spark.ui.enabled": "false", "spark.driver.host": "127.0.0.1", "spark.driver.bindAddress": "127.0.0.1"}
    builder = SparkSession.builder.master("local[2]")
    for name, value in local.items():
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    yield session
    session.stop()


@pytest.mark.slow
@pytest.mark.timeout(300)
@pytest.mark.filterwarnings("ignore")  # its own, about the versions of pandas and Java
def test_spark(spark: Any) -> None:
    """A column expression, and a SQL function of the session."""
    from longturn.integrations.spark import estimate_tokens, register

    frame = spark.createDataFrame(list(enumerate(TEXTS)), "id long, text string")
    assert [(tokens,) for tokens in TOKENS] == frame.orderBy("id").select(estimate_tokens("text")).collect()
    register(spark)
    frame.createOrReplaceTempView("texts")
    assert [(TOTAL,)] == spark.sql("select sum(estimate_tokens(text)) from texts").collect()
    by_profile = [
        row.tokens for row in frame.select("id", estimate_tokens("text", profile="openai").alias("tokens")).collect()
    ]
    assert BY_PROFILE == by_profile
    register(spark, profile="openai")
    assert [(sum(filter(None, BY_PROFILE)),)] == spark.sql("select sum(estimate_tokens(text)) from texts").collect()


@pytest.mark.slow
@pytest.mark.timeout(300)
@pytest.mark.filterwarnings("ignore")
def test_spark_example(spark: Any, tmp_path: Path) -> None:
    """Totals per file and tool, the most expensive first."""
    (tmp_path / "session.jsonl").write_text(SESSION, encoding="utf-8")
    rows = load_example("spark_transcripts").totals(spark, str(tmp_path)).collect()
    assert sorted(TOTALS.items(), key=lambda total: -total[1]) == [(row.tool, row.tokens) for row in rows]


@pytest.mark.slow
@pytest.mark.timeout(300)
@pytest.mark.filterwarnings("ignore")  # its own
@pytest.mark.skipif(importlib.util.find_spec("ray") is None, reason="Ray is not installed")
def test_ray(table: Any) -> None:
    """A map over PyArrow tables."""
    import ray

    def with_tokens(batch: Any) -> Any:
        from longturn.integrations.pyarrow import estimate_tokens

        return batch.append_column("tokens", estimate_tokens(batch["text"]))

    ray.init(num_cpus=2, include_dashboard=False, logging_level="ERROR", _node_ip_address="127.0.0.1")
    try:
        rows = ray.data.from_arrow(table).map_batches(with_tokens, batch_format="pyarrow").take_all()
        assert TOKENS == [row["tokens"] for row in sorted(rows, key=lambda row: row["id"])]
    finally:
        ray.shutdown()


@pytest.mark.parametrize("name", ["spark_transcripts", "ray_transcripts"])
def test_examples_take_sessions_apart(name: str) -> None:
    """Both read prose, calls and results, whatever else the file holds."""
    assert PARTS == list(load_example(name).texts(f"{SESSION}\n"))
