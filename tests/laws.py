"""Fitting with the laws checked that hold for every format, and stand-ins for the objects of SDKs."""

from __future__ import annotations

from copy import deepcopy
from typing import Any, Self

import longturn
from longturn import Fitted, Policy, Window
from longturn.wording import phrases

WORDS = phrases("en")
LONG = "All work. " * 280
"""A result of 700 tokens: two of them are over half of the smallest budget that draws no warning."""


def fit(
    history: list[Any], budget: int = 2_000, *, format: str = "auto", language: str = "en", **policy: Any
) -> Fitted:
    """Return a history fitted; never more than it ([F1]), as estimated ([F2]), unharmed ([V5]), at rest ([H4])."""
    window = Window(policy=Policy(budget=budget, batch=1, **policy), format=format, language=language)
    before = deepcopy(history)
    fitted = window.fit(history)
    assert before == history
    assert fitted.tokens == longturn.estimate(fitted.messages) <= fitted.tokens_before
    assert fitted.messages[-1] is history[-1]
    again = Window(policy=window.policy, format=format, language=language).fit(fitted.messages)
    assert fitted.messages == again.messages
    return fitted


def cut(history: list[Any], budget: int = 1_000, **policy: Any) -> Fitted:
    """Return a history fitted by leaving rounds out: the tool of these tests may not be cleared."""
    fitted = fit(history, budget, exclude_tools=("read",), **policy)
    assert fitted.dropped > 0
    return fitted


def notes(messages: list[Any]) -> int:
    """Return how often the note about left-out messages stands in ``messages``."""
    return str(messages).count(WORDS.left_out)


class Model:
    """What adapters need of pydantic's models: attributes, a dump and an edited copy."""

    def __init__(self, **members: Any) -> None:
        self.__dict__.update(members)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Model) and self.__dict__ == other.__dict__

    __hash__ = None  # type: ignore[assignment]  # like pydantic's: equal by members that may change

    def __repr__(self) -> str:
        return f"Model({self.__dict__})"

    def model_copy(self, *, update: dict[str, Any]) -> Self:
        return type(self)(**{**self.__dict__, **update})

    def model_dump(self, **_: Any) -> dict[str, Any]:
        return {name: _dumped(value) for name, value in self.__dict__.items()}


def _dumped(value: Any) -> Any:
    if isinstance(value, list):
        return [_dumped(item) for item in value]
    return value.model_dump() if isinstance(value, Model) else value
