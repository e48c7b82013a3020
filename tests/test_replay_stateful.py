"""A run that grows: what a window sends after having seen every step is what a fresh one sends ([H1])."""

from __future__ import annotations

import os
from copy import deepcopy
from random import Random
from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule
from strategies import SHAPES, Transcript, sent

import longturn
from longturn import Fitted, Policy, Window

POLICIES: tuple[dict[str, Any], ...] = (
    {},
    {"hold": False},
    {"thinking": "strip"},
    {"clear_tool_inputs": True, "batch": 1},
    {"exclude_tools": ("read", "look", "write")},
    {"low_water": 0.0, "keep_share": 0.1, "strict_roles": True},
)


class GrowingRun(RuleBasedStateMachine):
    """An agent's run: rounds, turns, remarks, reasoning, errors, rewinds, edits; fitted at every step."""

    format: str

    @initialize(
        seed=st.integers(0, 2**32), policy=st.sampled_from(POLICIES), budget=st.sampled_from((1_000, 3_000, 9_000))
    )
    def start(self, seed: int, policy: dict[str, Any], budget: int) -> None:
        self.random = Random(seed)
        self.made = Transcript(self.random, SHAPES[self.format])
        self.policy = Policy(budget=budget, **policy)
        self.window = self.fresh()
        self.last: tuple[list[Any], Fitted] | None = None  # the history of the last request, and its view

    def fresh(self) -> Window:
        return Window(policy=self.policy, format=self.format)

    # ------------------------------------------------------------------ what may happen

    @rule(count=st.integers(1, 4))
    def the_model_calls_tools(self, count: int) -> None:
        """In parallel or one; with or without reasoning before; some of the results are errors."""
        self.request()
        self.made.add_round(count)

    @rule()
    def the_model_answers_and_a_turn_begins(self) -> None:
        self.request()
        self.made.add_answer()
        self.made.add_user()

    @rule()
    def the_user_adds_something(self) -> None:
        self.made.add_user()

    @rule()
    def the_host_adds_a_system_message(self) -> None:
        self.made.add_system()

    @rule(rounds=st.integers(5, 20))
    def many_rounds_go_by_unseen(self, rounds: int) -> None:
        """The window is asked again only after a while, or the process was another one."""
        self.made.grow(rounds)
        self.last = None

    @precondition(lambda self: len(self.made.messages) > 4)
    @rule(share=st.floats(0.2, 0.95))
    def the_run_is_rewound(self, share: float) -> None:
        """To a request made earlier."""
        kinds = [message.kind for message in self.made.outline]
        points = [i for i in range(1, len(kinds)) if kinds[i] == "model" and kinds[i - 1] != "model"]
        point = points[int(share * len(points))]
        del self.made.messages[point:], self.made.outline[point:]
        self.last = None

    @precondition(lambda self: len(self.made.messages) > 4)
    @rule(share=st.floats(0, 0.99))
    def a_message_is_exchanged_for_an_equal_one(self, share: float) -> None:
        """A history that was saved and read back, in part."""
        index = int(share * len(self.made.messages))
        self.made.messages[index:] = deepcopy(self.made.messages[index:])

    # ------------------------------------------------------------------ what must hold

    def request(self) -> None:
        """Fit as an agent does, and look at what became of the request before."""
        fitted = self.window.fit(self.made.messages)
        if self.last is not None and self.policy.hold:
            history, before = self.last
            grown = [*before.messages, *self.made.messages[len(history) :]]
            is_identical_or_extension = fitted.messages == grown
            assert is_identical_or_extension or longturn.estimate(grown) > self.policy.budget
        self.last = (list(self.made.messages), fitted)

    @invariant()
    def a_fresh_window_agrees(self) -> None:
        """Nothing remembered makes a difference, and the last answer is what the documentation says."""
        fitted = self.window.fit(self.made.messages)
        assert self.fresh().fit(self.made.messages) == fitted
        assert sent(self.made, self.policy).messages == fitted.messages


@pytest.mark.timeout(1_800 if os.environ.get("LONGTURN_HYPOTHESIS") == "slow" else 120)
@pytest.mark.filterwarnings("ignore:a budget of")
@pytest.mark.parametrize("format", SHAPES)
def test_H1_a_window_that_saw_every_step_equals_a_fresh_one(format: str) -> None:
    """Whatever happens in a run."""
    machine = type("GrowingRunOf", (GrowingRun,), {"format": format})
    default = settings()
    machine.TestCase.settings = settings(max_examples=max(default.max_examples // 4, 8), stateful_step_count=25)
    machine.TestCase().runTest()
