"""One window, many threads: each gets what it would have got alone."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from random import Random
from threading import Barrier
from typing import Any

import pytest
from strategies import SHAPES, Transcript, transcript

from longturn import Fitted, Policy, Window

THREADS = 8


@pytest.fixture(autouse=True)
def _switch_often() -> Iterator[None]:
    """Let threads take turns as often as they can, or what goes wrong between two lines would hardly show."""
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(interval)


def _at_once(job: Any) -> list[Any]:
    """Run ``job(number)`` in all threads, from one moment on."""
    barrier = Barrier(THREADS)

    def started(number: int) -> Any:
        barrier.wait()
        return job(number)

    with ThreadPoolExecutor(THREADS) as pool:
        return list(pool.map(started, range(THREADS)))


def _lengths(made: Transcript) -> list[int]:
    return [*range(1, len(made.messages), 7), len(made.messages)]


@pytest.mark.parametrize("format", ["anthropic", "openai-chat"])
def test_histories_of_their_own_do_not_get_in_each_others_way(format: str) -> None:
    """More conversations than a window remembers, all growing at once."""
    window = Window(policy=Policy(budget=4_000), format=format)
    runs = [transcript(seed, format, steps=12) for seed in range(THREADS + 3)]

    def grow(number: int) -> list[Fitted]:
        return [window.fit(runs[number].messages[:length]) for length in _lengths(runs[number])]

    for number, views in enumerate(_at_once(grow)):
        alone = Window(policy=window.policy, format=format)
        assert [alone.fit(runs[number].messages[:length]) for length in _lengths(runs[number])] == views


@pytest.mark.parametrize("format", SHAPES)
def test_one_history_at_many_lengths(format: str) -> None:
    """Rewound, grown and cut by all of them, each in an order of its own."""
    window = Window(policy=Policy(budget=3_000), format=format)
    made = transcript(7, format, steps=15)
    expected = {
        length: Window(policy=window.policy, format=format).fit(made.messages[:length]) for length in _lengths(made)
    }

    def jump(number: int) -> list[tuple[int, Fitted]]:
        lengths = Random(number).sample(_lengths(made), len(_lengths(made)))
        return [(length, window.fit(made.messages[:length])) for length in lengths]

    for views in _at_once(jump):
        assert all(expected[length] == fitted for length, fitted in views)


def test_what_a_thread_was_given_stays_as_it_is() -> None:
    """A view is a list of its own: a later fit, or another thread's, does not reach into it."""
    window = Window(policy=Policy(budget=3_000), format="anthropic")
    made = transcript(3, "anthropic", steps=20)
    views = [window.fit(made.messages[:length]) for length in _lengths(made)]
    copies = [list(fitted.messages) for fitted in views]
    _at_once(lambda number: [window.fit(made.messages[:length]).messages.clear() for length in _lengths(made)])
    assert copies == [fitted.messages for fitted in views]
    assert all(old.messages is not new.messages for old, new in pairwise(views))
