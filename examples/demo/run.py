"""The demonstration: ``make demo``, or ``python examples/demo/run.py``."""

from __future__ import annotations

import argparse
import json
import sys
import time
from pathlib import Path

from counter import VOCABULARY, Counter
from experiments import EXPERIMENTS, Experiment, Scale

import longturn

SMALL = Scale(
    agents=2,
    limit=80_000,
    budget=56_000,
    to_read=100_000,
    reads_at_once=1,
    chapters=5,
    chapters_limit=80_000,
    chapters_budget=76_000,
    rules=6,
    russian_budget=50_000,
)


def main() -> int:
    """Run the experiments, print what came of them, and write ``demo.json``."""
    parser = argparse.ArgumentParser(description="Three experiments, each without and with longturn.")
    parser.add_argument("--small", action="store_true", help="a few seconds instead of a minute")
    sys.stdout.reconfigure(errors="replace")  # type: ignore[union-attr]  # a terminal may not have our signs
    scale = SMALL if parser.parse_args().small else Scale()
    print(
        "The models are scripted: no model was asked anything. The rest is real: agents that call tools, texts of\n"
        f"this machine, HTTP on the loopback interface, and a server that counts with {VOCABULARY}\n"
        f"(tiktoken) and refuses what is too long. Estimates by the {longturn.BACKEND} backend.\n"
    )
    counter = Counter()
    results = []
    for number, experiment in enumerate(EXPERIMENTS, 1):
        start = time.perf_counter()
        results.append(experiment(scale, counter))
        show(number, results[-1], time.perf_counter() - start)
    Path("demo.json").write_text(
        json.dumps([result.to_json() for result in results], indent=2) + "\n", encoding="utf-8"
    )
    print("Written: demo.json")
    return 0


def show(number: int, experiment: Experiment, seconds: float) -> None:
    """Print one experiment."""
    without, fitted = experiment.verdict
    print(f"({number}) {experiment.question}\n    Without: {without}\n    With: {fitted}\n    [{seconds:.1f} s]\n")


if __name__ == "__main__":
    raise SystemExit(main())
