"""The page about the command line: what it shows is what the command prints."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import longturn
from longturn.cli.made_up import agent_run

PAGE = Path(__file__).parents[2] / "docs" / "command-line.md"
OVERFLOW = {
    "type": "error",
    "error": {"type": "invalid_request_error", "message": "prompt is too long: 208310 tokens > 200000 maximum"},
}
BLOCKS = re.findall(r"```console\n\$ (.+)\n((?:.*\n)*?)```", PAGE.read_text(encoding="utf-8"))
FILES = {"run.json": agent_run(120), "error.json": OVERFLOW}
"""What examples name, or else they bring their input themselves; others need what only their reader has."""
SHOWN = [
    (command, output)
    for command, output in BLOCKS
    if output and ("|" in command or any(name in command for name in FILES))
]


def test_there_are_examples_of_most_commands() -> None:
    """With what they print."""
    words = {word for command, _ in SHOWN for word in command.split()}
    assert {"replay", "fit", "estimate", "explain"} <= words


@pytest.mark.skipif(os.name == "nt", reason="the examples are for a Unix shell")
@pytest.mark.parametrize(("command", "output"), SHOWN, ids=[command for command, _ in SHOWN])
def test_an_example_prints_what_the_page_says(command: str, output: str, saved: Any) -> None:
    """In a folder with the files that the page names."""
    paths = [Path(saved(value, name)) for name, value in FILES.items()]
    folder = paths[0].parent
    program = folder / "longturn"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m longturn "$@"\n')
    program.chmod(0o755)
    environment = os.environ | {
        "PATH": f"{folder}{os.pathsep}{os.environ.get('PATH', '')}",
        "PYTHONPATH": str(Path(longturn.__file__).parent.parent),
        "PYTHONUTF8": "1",
    }
    done = subprocess.run(
        ["sh", "-c", command], cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        timeout=100, check=False,
    )  # fmt: skip
    assert done.stdout.decode() == output
