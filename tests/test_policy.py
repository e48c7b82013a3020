"""The numbers a user may turn: defaults, ranges, and errors that say value, range and remedy."""

from __future__ import annotations

import pickle
import warnings
from copy import deepcopy
from dataclasses import FrozenInstanceError, asdict, fields, replace
from typing import Any

import pytest

from longturn import Policy


def test_the_defaults_are_those_of_the_documentation() -> None:
    """Names and values are a contract."""
    assert asdict(Policy(budget=400_000)) == {
        "budget": 400_000,
        "keep_share": 0.25,
        "batch": 4,
        "small_result": 160,
        "low_water": 0.5,
        "hold": True,
        "exclude_tools": (),
        "recall_tools": (),
        "clear_tool_inputs": False,
        "thinking": "keep",
        "strict_roles": False,
    }


@pytest.mark.parametrize(
    ("changes", "error", "said"),
    [
        ({"budget": 0}, ValueError, "budget must be greater than 0 tokens (got 0); pass what one request may use"),
        ({"budget": -5}, ValueError, "budget must be greater than 0 tokens (got -5)"),
        ({"budget": "400000"}, TypeError, "budget must be a whole number of tokens (got '400000' of type str)"),
        ({"budget": 4e5}, TypeError, "budget must be a whole number of tokens (got 400000.0 of type float)"),
        ({"budget": True}, TypeError, "budget must be a whole number of tokens (got True of type bool)"),
        ({"budget": None}, TypeError, "budget must be a whole number of tokens (got None of type NoneType)"),
        ({"keep_share": 25}, ValueError, "keep_share must lie between 0 and 1 (got 25); pass a fraction, not a perc"),
        ({"keep_share": -0.1}, ValueError, "keep_share must lie between 0 and 1 (got -0.1)"),
        ({"keep_share": float("nan")}, ValueError, "keep_share must lie between 0 and 1 (got nan)"),
        ({"keep_share": "0.25"}, TypeError, "keep_share must be a number between 0 and 1 (got '0.25')"),
        ({"keep_share": True}, TypeError, "keep_share must be a number between 0 and 1 (got True)"),
        ({"low_water": 50}, ValueError, "low_water must lie between 0 and 1 (got 50); pass a fraction, not a perc"),
        ({"low_water": 200}, ValueError, "low_water must lie between 0 and 1 (got 200)"),
        ({"batch": 0}, ValueError, "batch must be at least 1 (got 0); 4 keeps the cached prefix working"),
        ({"batch": 4.0}, TypeError, "batch must be a whole number (got 4.0)"),
        ({"small_result": -1}, ValueError, "small_result must be at least 0 (got -1); 0 lets every result be cleared"),
        ({"hold": "no"}, TypeError, "hold must be True or False (got 'no')"),
        ({"strict_roles": 1}, TypeError, "strict_roles must be True or False (got 1)"),
        ({"thinking": "drop"}, ValueError, "thinking must be 'keep' or 'strip' (got 'drop')"),
        ({"exclude_tools": "read"}, TypeError, "exclude_tools must be a collection of tool names (got 'read')"),
        ({"exclude_tools": ("read", 3)}, TypeError, "exclude_tools must hold tool names as str (got 3)"),
        ({"recall_tools": True}, TypeError, "recall_tools must be a collection of tool names (got True)"),
        ({"clear_tool_inputs": "all"}, TypeError, "clear_tool_inputs must be a collection of tool names (got 'all')"),
    ],
)  # fmt: skip
def test_errors_say_what_was_seen_what_is_allowed_and_what_to_do(
    changes: dict[str, Any], error: type[Exception], said: str
) -> None:
    """The first words are the name of what is wrong."""
    with pytest.raises(error) as caught:
        Policy(**{"budget": 400_000, **changes})
    assert str(caught.value).startswith(said)


@pytest.mark.parametrize("edge", [{"keep_share": 0}, {"keep_share": 1}, {"low_water": 0.0}, {"low_water": 1.0},
                                  {"batch": 1}, {"small_result": 0}, {"keep_share": 1e-9}])  # fmt: skip
def test_the_ends_of_a_range_are_inside(edge: dict[str, Any]) -> None:
    """Nothing warns, either."""
    Policy(budget=1_000, **edge)


def test_a_budget_that_looks_like_thousands_warns_at_the_callers_line() -> None:
    """400 for 400,000 would clear everything, silently."""
    with pytest.warns(UserWarning, match="a budget of 400 tokens holds hardly one tool result") as caught:
        Policy(budget=400)
    assert caught[0].filename == __file__


def test_names_of_tools_are_kept_sorted_and_once() -> None:
    """Equal policies are equal, and hash so, however their collections were written."""
    policy = Policy(budget=1_000, exclude_tools=["b", "a", "b"], clear_tool_inputs={"z", "y"})
    same = Policy(budget=1_000, exclude_tools=("a", "b"), clear_tool_inputs=frozenset({"y", "z"}))
    assert (("a", "b"), ("y", "z")) == (policy.exclude_tools, policy.clear_tool_inputs)
    assert policy == same
    assert hash(policy) == hash(same)


@pytest.mark.parametrize(("inputs", "cleared"), [(False, []), (True, ["read", "write", None]), (("write",), ["write"])])
def test_arguments_are_cleared_of_every_tool_or_of_those_named(inputs: Any, cleared: list[str | None]) -> None:
    """``clear_tool_inputs`` is a switch or a list."""
    policy = Policy(budget=1_000, clear_tool_inputs=inputs)
    assert cleared == [tool for tool in ("read", "write", None) if policy.clears_input_of(tool)]


def test_a_policy_is_frozen_and_copies() -> None:
    """It can be replaced, copied and pickled, and takes names only."""
    policy = Policy(budget=1_000, exclude_tools=("a",))
    with pytest.raises(FrozenInstanceError):
        policy.budget = 5  # type: ignore[misc]
    with pytest.raises(TypeError):
        Policy(1_000)  # type: ignore[misc]
    assert policy == pickle.loads(pickle.dumps(policy)) == deepcopy(policy)
    with warnings.catch_warnings(action="error"):
        assert replace(policy, batch=1).batch == 1
    assert all(field.kw_only for field in fields(policy))
