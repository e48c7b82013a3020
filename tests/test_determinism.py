"""Every process makes the same request of the same history, byte for byte: no hash seed, clock or address gets in."""

from __future__ import annotations

import os
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest
from strategies import SHAPES

import longturn

HERE = Path(__file__).parent
PRINT_VIEWS = """
import json, sys, warnings
from random import Random
warnings.simplefilter("ignore")
from longturn import Window
from strategies import policies, transcript

format = sys.argv[1]
for seed in range(6):
    made = transcript(seed, format)
    policy = policies(Random(seed), made.messages)
    window = Window(policy=policy, format=format)
    for length in (len(made.messages) // 2, len(made.messages)):
        fitted = window.fit(made.messages[:length], system="Be brief.", tools=[{"name": "read"}])
        print(json.dumps([fitted.messages, fitted.tokens, fitted.stable_until, window.instructions()]))
"""


@cache
def printed(format: str, hash_seed: str) -> bytes:
    """Return what another process prints of the views of some histories."""
    paths = (str(Path(longturn.__file__).parents[1]), str(HERE))
    environment = {
        **os.environ,
        "PYTHONHASHSEED": hash_seed,
        "PYTHONPATH": os.pathsep.join(paths),
        "LONGTURN_BACKEND": longturn.BACKEND,
    }
    command = [sys.executable, "-c", PRINT_VIEWS, format]
    return subprocess.run(command, env=environment, check=True, capture_output=True).stdout


@pytest.mark.slow
@pytest.mark.parametrize("format", SHAPES)
def test_H1_two_processes_send_the_same_bytes(format: str) -> None:
    """Whatever their hash seeds."""
    assert printed(format, "1") == printed(format, "4242")
    assert printed(format, "1").count(b"\n") == 12
