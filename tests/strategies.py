"""Histories by construction: bare numbers for the planner, messages of every format for the window."""

from __future__ import annotations

from random import Random

import oracle
from hypothesis import strategies as st

# ---------------------------------------------------------------------- bare numbers

RESULT_SIZES = (4, 12, 40, 90, 130, 200, 400, 900, 2_000)
ARGUMENT_SIZES = (2, 2, 2, 9, 70, 400)
SIZES = (4, 4, 12, 12, 40, 60, 300, 900)
TOOLS = ("read", "read", "read", "look", "keep")


Called = tuple[tuple[int, int] | None, str]  # where the call stands, and its tool


class NumericHistory:
    """
    A history of sizes: rounds and turns, parallel calls, system messages anywhere.

    An odd one also begins with the model, has results without a call or with a call of an earlier round,
    notes of an earlier fit, and users who speak between a call and its result.
    """

    def __init__(self, random: Random, *, rounds: int, is_odd: bool) -> None:
        self.random = random
        self.odds = 1 if is_odd else 0
        self.sizes = random.choice((SIZES, SIZES[:5]))
        self.messages: list[oracle.Message] = []
        self.unanswered: list[Called] = []  # calls of earlier rounds
        if self.chance(20):
            self.add("system")
        if not self.chance(25 * self.odds):
            self.add_users()
        for _ in range(rounds):
            self.add_round()
        if not self.messages:
            self.add_users()

    def chance(self, percent: int) -> bool:
        return self.random.randrange(100) < percent

    def size(self) -> int:
        return self.random.choice(self.sizes)

    def add(self, kind: str) -> None:
        has_note = kind == "user" and self.chance(3 * self.odds)
        self.messages.append(oracle.Message(kind, self.size(), has_note=has_note))

    def add_users(self) -> None:
        for _ in range(self.random.choice((1, 1, 2))):
            self.add("user")
            if self.chance(5):
                self.add("system")

    def add_round(self) -> None:
        if self.chance(6):
            self.add("system")
        calls = self.add_model_run()
        if self.chance(10 * self.odds):
            self.add_users()
        if self.chance(10 * self.odds):
            self.unanswered += calls
        else:
            if self.unanswered and self.chance(40):
                calls.append(self.unanswered.pop(0))
            if self.chance(5 * self.odds):
                calls.append((None, "read"))
            self.add_answers(calls)
        if not calls or self.chance(20):
            self.add_users()

    def add_model_run(self) -> list[Called]:
        """Append the model's messages; return their calls."""
        found: list[Called] = []
        for _ in range(self.random.choice((1, 1, 1, 2))):
            calls = tuple(
                oracle.Call(self.random.choice(TOOLS), self.random.choice(ARGUMENT_SIZES))
                for _ in range(self.random.choice((0, 1, 1, 2, 3)))
            )
            thinking = self.random.choice((0, 0, 30))
            found += [((len(self.messages), place), call.tool) for place, call in enumerate(calls)]
            size = self.size() + thinking + sum(call.arguments for call in calls)
            self.messages.append(oracle.Message("model", size, calls=calls, thinking=thinking))
        return found

    def add_answers(self, calls: list[Called]) -> None:
        """Append the results of ``calls``, in any order, one or more to a message."""
        calls = self.random.sample(calls, len(calls))
        while calls:
            count = self.random.randint(1, len(calls))
            results = tuple(
                oracle.Result(
                    self.random.choice(RESULT_SIZES), place, tool, not self.chance(10), self.chance(2 * self.odds)
                )
                for place, tool in calls[:count]
            )
            size = self.random.choice((4, 30)) + sum(result.size for result in results)
            self.messages.append(oracle.Message("reply", size, results=results))
            calls = calls[count:]


def numeric_rules(random: Random, messages: list[oracle.Message]) -> oracle.Rules:
    """Return rules with a budget somewhere between nothing and the whole history."""
    overhead = random.choice((0, 0, 50, 400))
    whole = sum(message.size for message in messages)
    budget = overhead + int(whole * random.choice((0.03, 0.1, 0.2, 0.4, 0.6, 0.8))) + random.randrange(1, 9)
    return oracle.Rules(
        budget=budget,
        overhead=overhead,
        keep_window=int(random.choice((0.0, 0.1, 0.25, 0.5, 1.0)) * budget),
        batch=random.choice((1, 2, 4, 4, 7)),
        small_result=random.choice((0, 13, 60, 160)),
        low_water=random.choice((0.0, 0.3, 0.5, 0.5, 1.0)),
        hold=random.random() < 0.8,
        note=random.choice((1, 10, 45)),
        cleared=random.choice((2, 5, 40)),
        recalled=random.choice((6, 50)),
        cleared_input=random.choice((3, 30)),
        exclude_tools=random.choice(((), ("keep",))),
        recall_tools=random.choice(((), ("look",))),
        input_tools=random.choice(((), (), ("read",), TOOLS)),
        strips_thinking=random.random() < 0.25,
        note_is_message=random.random() < 0.5,
    )


def numeric_case(random: Random, *, is_odd: bool) -> tuple[list[oracle.Message], oracle.Rules]:
    """Return a history and the rules to fit it by."""
    history = NumericHistory(random, rounds=random.choice((1, 3, 8, 15, 30)), is_odd=is_odd)
    return history.messages, numeric_rules(random, history.messages)


def numeric_cases(*, is_odd: bool) -> st.SearchStrategy[tuple[list[oracle.Message], oracle.Rules]]:
    """The same for Hypothesis, which makes failing ones small."""
    return st.randoms(use_true_random=False).map(lambda random: numeric_case(random, is_odd=is_odd))
