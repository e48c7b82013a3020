"""Recorded runs that say what the provider counted."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from longturn.cli.console import Console
from longturn.cli.errors import InputError
from longturn.cli.loading import load
from longturn.cli.sessions.base import Thread

_FEWEST = 5  # counts that make a run
_STAND_INS = ('"model_provider_id":"mock"', '"providerID":"mock"', '"providerID": "mock"')
"""Signs of records whose provider was a stand-in: its counts are nobody's."""


class _Silent(Console):
    def __init__(self) -> None:
        """Take no streams."""

    def note(self, text: str) -> None:
        """Nobody reads here what a reader warns of."""


def recorded(traces: Path) -> Iterator[tuple[str, Thread]]:
    """Yield the runs with at least five counts that a provider has made, and their names."""
    for entry in json.loads((traces / "manifest.json").read_text(encoding="utf-8")):
        path = traces / entry["file"]
        if any(sign in path.read_text(encoding="utf-8") for sign in _STAND_INS):
            continue
        try:
            threads = load(str(path), _Silent())
        except InputError:
            continue
        yield from ((entry["id"], thread) for thread in threads if len(thread.reported) >= _FEWEST)
