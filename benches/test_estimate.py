"""How long it takes to count: texts, histories, and what a machine needs to read them at all."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any, Final

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

import longturn
from benches import counters, histories, texts
from benches.conftest import Measure, made
from benches.counters import COUNTERS, Counter
from longturn.tokens import reference
from longturn.tokens.backend import core
from longturn.tokens.walker import new_walker, whole_tokens

SIZES: Final = {"100 B": 100, "10 kB": 10_000, "10 MB": 10_000_000}
SMOKE_BYTES: Final = 20_000  # what stands in for 10 MB where nothing is timed
LARGE_BYTES: Final = 512_000_000  # more than the last-level cache of the largest servers
SHORT: Final = {
    "ASCII": "The build has failed.",
    "Latin": "Où est la gare ?",
    "Russian": "Привет, мир!",
    "Chinese": "你好，世界",
    "emoji": "done ✅ 👍",
    "Russian, 64 characters": "Я читаю файл, потом запускаю проверки и смотрю, что из них вышло",
}
HISTORY_MESSAGES: Final = 300
PROFILE: Final = "openai"

each_script = pytest.mark.parametrize("script", texts.SCRIPTS)


def sized(script: str, size: str, is_smoke: bool) -> str:
    return texts.text(script, min(SIZES[size], SMOKE_BYTES) if is_smoke else SIZES[size])


@pytest.mark.parametrize("counter", COUNTERS, ids=lambda counter: counter.name)
@pytest.mark.parametrize("size", SIZES)
@each_script
def test_text(
    benchmark: BenchmarkFixture, measure: Measure, is_smoke: bool, script: str, size: str, counter: Counter
) -> None:
    """One text, by everything that counts."""
    if SIZES[size] > counter.most_bytes:
        pytest.skip(f"{counter.name} would take minutes")
    count, text = made(counter.make), sized(script, size, is_smoke)
    benchmark.group = f"text/{script}/{size}"
    tokens = measure(count, text)
    benchmark.extra_info.update(name=counter.name, bytes=len(text.encode()), tokens=tokens)
    if counter.is_script_rule:
        assert tokens == longturn.estimate(text)


@pytest.mark.parametrize("size", SIZES)
@each_script
def test_read_limit(benchmark: BenchmarkFixture, measure: Measure, is_smoke: bool, script: str, size: str) -> None:
    """A plain sum over the same characters."""
    text = sized(script, size, is_smoke)
    benchmark.group = f"text/{script}/{size}"
    measure(made(lambda: counters.read_limit(text)))
    benchmark.extra_info.update(name="plain sum", bytes=len(text.encode()), tokens=None)


# ---------------------------------------------------------------------- short strings


@pytest.mark.parametrize("text", SHORT)
def test_short(benchmark: BenchmarkFixture, text: str) -> None:
    """A few characters: the call is everything."""
    benchmark.group = "short"
    benchmark(longturn.estimate, SHORT[text])
    benchmark.extra_info["name"] = text


@pytest.mark.parametrize("text", SHORT)
def test_short_by_a_profile(benchmark: BenchmarkFixture, text: str) -> None:
    """The same under a profile, whose every character is looked up."""
    benchmark.group = "short by profile"
    benchmark(longturn.estimate, SHORT[text], profile=PROFILE)
    benchmark.extra_info["name"] = text


def test_short_in_the_core(benchmark: BenchmarkFixture) -> None:
    benchmark.group = "short"
    benchmark(core.quarters, SHORT["Russian"])
    benchmark.extra_info["name"] = "Russian, by the core's own function"


def test_empty_call(benchmark: BenchmarkFixture) -> None:
    """What the others are measured against."""
    benchmark.group = "short"
    benchmark(counters.empty, SHORT["ASCII"])
    benchmark.extra_info["name"] = "an empty Python function"


@pytest.mark.parametrize("length", [64, 100_000_000], ids=["64 characters", "100 million characters"])
def test_ascii(benchmark: BenchmarkFixture, is_smoke: bool, length: int) -> None:
    """Python knows which strings are ASCII, so their length does not matter."""
    text = "x" * (64 if is_smoke else length)
    benchmark.group = "ascii"
    benchmark(longturn.estimate, text)
    benchmark.extra_info["name"] = f"{length:,} ASCII characters"


# ---------------------------------------------------------------------- strings larger than any cache


@pytest.mark.skipif("LONGTURN_BENCH_LARGE" not in os.environ, reason="LONGTURN_BENCH_LARGE is not set")
@pytest.mark.timeout(600)
@pytest.mark.parametrize("who", ["longturn", "plain sum"])
@pytest.mark.parametrize("lane", ["1-byte", "2-byte", "4-byte"])
def test_large(benchmark: BenchmarkFixture, is_smoke: bool, lane: str, who: str) -> None:
    """Half a gigabyte of characters: memory is the limit."""
    script = {"1-byte": "JSON", "2-byte": "Russian", "4-byte": "logs"}[lane]
    text = texts.text(script, SMOKE_BYTES)
    text *= 1 if is_smoke else LARGE_BYTES // len(counters.lanes(text))
    work = made(lambda: counters.read_limit(text)) if who == "plain sum" else lambda: longturn.estimate(text)
    benchmark.group = f"large/{lane}"
    benchmark.pedantic(work, rounds=7)
    benchmark.extra_info.update(name=who, bytes=LARGE_BYTES)


# ---------------------------------------------------------------------- whole histories


@pytest.fixture(scope="module")
def history() -> list[histories.Message]:
    """Three hundred messages, half of their text not ASCII."""
    return histories.history(HISTORY_MESSAGES)[:HISTORY_MESSAGES]


def cold_by_twin(history: list[histories.Message]) -> int:
    """Walk a history in plain Python."""
    return whole_tokens(sum(TWIN.messages(history)))


TWIN: Final = new_walker(reference)


def langchain_history() -> Callable[[list[Any]], int]:
    count = counters.package("langchain_core.messages.utils").count_tokens_approximately
    return lambda history: int(count(history))


def litellm_history() -> Callable[[list[Any]], int]:
    count = counters.package("litellm").token_counter
    return lambda history: int(count(model="gpt-4o", messages=history))


def tiktoken_history() -> Callable[[list[Any]], int]:
    """Count texts and arguments only, without any structure."""
    count = counters.o200k()

    def of_message(message: histories.Message) -> int:
        calls = message.get("tool_calls", ())
        return count(message["content"]) + sum(count(call["function"]["arguments"]) for call in calls)

    return lambda history: sum(map(of_message, history))


@pytest.mark.parametrize("shape", histories.SHAPES)
def test_history_cold(benchmark: BenchmarkFixture, is_smoke: bool, history: list[Any], shape: str) -> None:
    """A history never seen before."""
    kept: list[Any] = []  # or counting one history would pay for forgetting another

    def fresh() -> tuple[tuple[list[Any]], dict[str, Any]]:
        kept.append(histories.SHAPES[shape](history))
        return (kept[-1],), {}

    benchmark.group = f"history/{shape}"
    benchmark.pedantic(longturn.estimate, setup=fresh, rounds=1 if is_smoke else 200)
    benchmark.extra_info.update(name="longturn, cold", messages=len(kept[-1]))


def test_history_cold_by_a_profile(benchmark: BenchmarkFixture, is_smoke: bool, history: list[Any]) -> None:
    """The same under a profile."""
    kept: list[Any] = []

    def fresh() -> tuple[tuple[list[Any]], dict[str, Any]]:
        kept.append(histories.SHAPES["openai-chat"](history))
        return (kept[-1],), {"profile": PROFILE}

    benchmark.group = "history/openai-chat"
    benchmark.pedantic(longturn.estimate, setup=fresh, rounds=1 if is_smoke else 200)
    benchmark.extra_info.update(name="longturn by a profile, cold", messages=len(kept[-1]))


@pytest.mark.parametrize("shape", histories.SHAPES)
def test_history_warm(benchmark: BenchmarkFixture, measure: Measure, history: list[Any], shape: str) -> None:
    """The same history once more."""
    shaped = histories.SHAPES[shape](history)
    benchmark.group = f"history/{shape}"
    tokens = measure(longturn.estimate, shaped)
    benchmark.extra_info.update(name="longturn, warm", messages=len(shaped), tokens=tokens)


@pytest.mark.parametrize("shape", histories.SHAPES)
def test_history_twin(benchmark: BenchmarkFixture, measure: Measure, history: list[Any], shape: str) -> None:
    """The plain-Python twin, without a memo."""
    shaped = histories.SHAPES[shape](history)
    benchmark.group = f"history/{shape}"
    tokens = measure(cold_by_twin, shaped)
    benchmark.extra_info.update(name="its plain-Python twin, cold", messages=len(shaped), tokens=tokens)
    assert tokens == longturn.estimate(shaped)


@pytest.mark.parametrize(
    ("name", "make", "shape"),
    [
        ("LangChain approximate", langchain_history, histories.as_langchain),
        ("LiteLLM token_counter", litellm_history, list),
        ("tiktoken o200k, texts only", tiktoken_history, list),
    ],
    ids=["langchain", "litellm", "tiktoken"],
)
def test_history_of_peers(
    benchmark: BenchmarkFixture,
    measure: Measure,
    history: list[Any],
    name: str,
    make: Callable[[], Callable[[list[Any]], int]],
    shape: Callable[[list[Any]], list[Any]],
) -> None:
    """The same history as others count it."""
    count = made(make)
    shaped = shape(history)
    benchmark.group = "history/openai-chat"
    tokens = measure(count, shaped)
    benchmark.extra_info.update(name=name, messages=len(shaped), tokens=tokens)
