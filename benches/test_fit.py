"""What it costs to keep a growing run inside the window: time, memory, and the provider's cache."""

from __future__ import annotations

import gc
import subprocess
import sys
import time
import tracemalloc
from dataclasses import replace
from typing import Any, Final

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

import longturn
from benches import histories
from benches.conftest import made
from benches.simulation import SEEDS, TASKS, Task, averaged
from benches.trimmers import TRIMMERS, Trimmer

BUDGET: Final = 400_000
LENGTHS: Final = (100, 1_000, 10_000)
STEPS: Final = 200  # rounds added and timed one by one
STEP_SECONDS: Final = 5.0  # or as many as fit into this time, three at least
COLD_ROUNDS: Final = 15
STEP_TRIMMERS: Final = tuple(
    trimmer for trimmer in TRIMMERS if "start_on" not in trimmer.name and "hold=" not in trimmer.name
)


def grown(length: int, is_smoke: bool) -> tuple[histories.Run, list[histories.Message]]:
    """Return a run and its history so far."""
    run = histories.run()
    messages = [{"role": "system", "content": run.system()}, run.task()]
    while len(messages) < min(length, 20 if is_smoke else length):
        messages.extend(run.round())
    return run, messages


@pytest.mark.timeout(600)
@pytest.mark.parametrize("trimmer", STEP_TRIMMERS, ids=lambda trimmer: trimmer.name)
@pytest.mark.parametrize("length", LENGTHS)
def test_step(benchmark: BenchmarkFixture, is_smoke: bool, length: int, trimmer: Trimmer) -> None:
    """One more round on a history that was fitted before."""
    if length > trimmer.most_messages:
        pytest.skip(f"{trimmer.name} would take minutes")
    step = made(lambda: trimmer.make(BUDGET))
    run, messages = grown(length, is_smoke)
    history = trimmer.shape(messages)

    def next_round() -> tuple[tuple[list[Any]], dict[str, Any]]:
        history.extend(trimmer.shape(run.round()))
        return (history,), {}

    step(history)
    start = time.perf_counter()
    step(history)
    fitting = int(STEP_SECONDS / (time.perf_counter() - start))
    benchmark.group = f"step/{length}"
    benchmark.pedantic(step, setup=next_round, rounds=1 if is_smoke else max(3, min(STEPS, fitting)))
    benchmark.extra_info.update(name=trimmer.name, messages=length)


@pytest.mark.parametrize("shape", histories.SHAPES)
@pytest.mark.parametrize("length", LENGTHS)
def test_cold(benchmark: BenchmarkFixture, is_smoke: bool, length: int, shape: str) -> None:
    """A history never seen before, as after a restart."""
    history = histories.history(min(length, 20) if is_smoke else length)
    window = longturn.Window(BUDGET)

    def fresh() -> tuple[tuple[longturn.Window, list[Any]], dict[str, Any]]:
        nonlocal window
        window = longturn.Window(BUDGET)  # dropping the last one, and what it remembers, is not timed
        gc.collect()
        return (window, histories.SHAPES[shape](history)), {}

    benchmark.group = f"cold/{length}"
    benchmark.pedantic(longturn.Window.fit, setup=fresh, rounds=1 if is_smoke else COLD_ROUNDS)
    benchmark.extra_info.update(name=shape, messages=length)


@pytest.mark.parametrize("shape", histories.SHAPES)
def test_memory(benchmark: BenchmarkFixture, is_smoke: bool, shape: str) -> None:
    """What a window remembers per message, beside the history itself and the list it returns."""
    history = histories.SHAPES[shape](histories.history(20 if is_smoke else LENGTHS[-1]))
    warm = longturn.Window(BUDGET)
    warm.fit(history)  # what is made once per process is not the window's
    del warm
    gc.collect()
    benchmark.group = "memory"
    tracemalloc.start()
    try:
        before, _ = tracemalloc.get_traced_memory()
        window = longturn.Window(BUDGET)
        benchmark.pedantic(window.fit, (history,), rounds=1)
        gc.collect()
        after, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    benchmark.extra_info.update(name=shape, messages=len(history), bytes_per_message=(after - before) / len(history))


@pytest.mark.parametrize("statement", ["pass", "import longturn"])
def test_import(benchmark: BenchmarkFixture, is_smoke: bool, statement: str) -> None:
    """A new interpreter, with and without us."""
    command = [sys.executable, "-c", statement]
    benchmark.group = "import"
    benchmark.pedantic(subprocess.run, (command,), {"check": True}, rounds=1 if is_smoke else 20)
    benchmark.extra_info["name"] = statement


@pytest.mark.timeout(900)
@pytest.mark.parametrize("trimmer", TRIMMERS, ids=lambda trimmer: trimmer.name)
@pytest.mark.parametrize("task", TASKS, ids=lambda task: f"{task.calls} calls at {task.budget}")
def test_run(benchmark: BenchmarkFixture, is_smoke: bool, task: Task, trimmer: Trimmer) -> None:
    """A run request by request: prefix breaks, cost, and what gets lost."""
    if task.calls > trimmer.most_messages:
        pytest.skip(f"{trimmer.name} would take hours")
    made(lambda: trimmer.make(task.budget))
    tried = replace(task, calls=12) if is_smoke else task
    seeds = SEEDS[:1] if is_smoke or trimmer.most_messages < sys.maxsize else SEEDS
    benchmark.group = f"simulation/{task.budget}"
    row = benchmark.pedantic(averaged, (trimmer, tried, seeds), rounds=1)
    benchmark.extra_info.update(name=trimmer.name, budget=task.budget, calls=task.calls, **row)
