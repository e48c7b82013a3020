"""``python -m benches.one_step LENGTH``: one step on a fitted history, to count the instructions of."""

from __future__ import annotations

import sys
from collections.abc import Sequence

import longturn
from benches import histories


def main(arguments: Sequence[str]) -> None:
    run = histories.run()
    history = [run.task()]
    while len(history) < int(arguments[0]):
        history.extend(run.round())
    window = longturn.Window(400_000)
    window.fit(history)
    history.extend(run.round())
    window.fit(history)


if __name__ == "__main__":
    main(sys.argv[1:])
