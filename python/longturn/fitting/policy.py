"""The numbers a user may turn, and what they may be."""

from __future__ import annotations

import warnings
from collections.abc import Collection
from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """
    How requests are fitted to the budget.  Sizes are in tokens, shares are fractions of one.

    Raises:
        ValueError: a value is out of its range; says value, range and remedy.
        TypeError: a value is of the wrong type.
    """

    budget: int
    """Tokens one request may use, system prompt and tool definitions included."""
    keep_share: float = 0.25
    """The newest results stay whole while they fit together in this share of the budget."""
    batch: int = 4
    """Results are cleared this many at a time: one by one would break the cached prefix on every call."""
    small_result: int = 160
    """Results below this stay: about four times what the note in their place would cost."""
    low_water: float = 0.5
    """A cut goes down to this share of the free budget, so that the next one is far away."""
    hold: bool = True
    """Keep each cut still until the budget is crossed again; False applies the rules afresh on every call."""
    exclude_tools: Collection[str] = ()
    """Results of these tools are never cleared."""
    recall_tools: Collection[str] = ()
    """Tools not to be run twice: the note on their cleared results points to recall instead."""
    clear_tool_inputs: bool | Collection[str] = False
    """Whether a cleared call's arguments go too: of every tool, or of the tools named."""
    thinking: Literal["keep", "strip"] = "keep"
    """What becomes of reasoning that is bound to a prefix which an edit has changed."""
    strict_roles: bool = False
    """The server demands alternating roles: the note is appended, never a message of its own."""

    def __post_init__(self) -> None:
        self._check_budget()
        _check_share("keep_share", self.keep_share)
        _check_share("low_water", self.low_water)
        _check_count("batch", self.batch, least=1, remedy="4 keeps the cached prefix working")
        _check_count("small_result", self.small_result, least=0, remedy="0 lets every result be cleared")
        for name in ("hold", "strict_roles"):
            if not isinstance(getattr(self, name), bool):
                raise TypeError(f"{name} must be True or False (got {getattr(self, name)!r})")
        for name in ("exclude_tools", "recall_tools", "clear_tool_inputs"):
            self._freeze_names(name)
        if self.thinking not in ("keep", "strip"):
            raise ValueError(f"thinking must be 'keep' or 'strip' (got {self.thinking!r})")

    def _check_budget(self) -> None:
        if isinstance(self.budget, bool) or not isinstance(self.budget, int):
            raise TypeError(
                f"budget must be a whole number of tokens (got {self.budget!r} of type {type(self.budget).__name__})"
            )
        if self.budget <= 0:
            raise ValueError(
                f"budget must be greater than 0 tokens (got {self.budget}); "
                "pass what one request may use, well below the model's limit"
            )
        if self.budget < 1_000:
            warnings.warn(
                f"a budget of {self.budget} tokens holds hardly one tool result; is it in thousands?",
                stacklevel=4,
            )

    def _freeze_names(self, name: str) -> None:
        value = getattr(self, name)
        if isinstance(value, bool) and name == "clear_tool_inputs":
            return
        if isinstance(value, str) or not isinstance(value, Collection):
            raise TypeError(f"{name} must be a collection of tool names (got {value!r})")
        if wrong := [item for item in value if not isinstance(item, str)]:
            raise TypeError(f"{name} must hold tool names as str (got {wrong[0]!r})")
        object.__setattr__(self, name, tuple(sorted(set(value))))

    def clears_input_of(self, tool: str | None) -> bool:
        """Tell whether the arguments of a cleared call to ``tool`` go as well."""
        if isinstance(self.clear_tool_inputs, bool):
            return self.clear_tool_inputs
        return tool in self.clear_tool_inputs


def _check_share(name: str, value: float) -> None:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise TypeError(f"{name} must be a number between 0 and 1 (got {value!r})")
    if not 0 <= value <= 1:
        hint = "; pass a fraction, not a percentage" if 1 < value <= 100 else ""
        raise ValueError(f"{name} must lie between 0 and 1 (got {value}){hint}")


def _check_count(name: str, value: int, *, least: int, remedy: str) -> None:
    if isinstance(value, bool) or not isinstance(value, int):
        raise TypeError(f"{name} must be a whole number (got {value!r})")
    if value < least:
        raise ValueError(f"{name} must be at least {least} (got {value}); {remedy}")
