"""What ``fit`` returns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from longturn.fitting.view import Stage
from longturn.rendering import Cleared


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Fitted:
    """One request's messages, and what was done to make them fit.  Sizes are in tokens."""

    messages: list[Any]
    """What to send: the history's own objects, but for copies where something was replaced."""
    request: dict[str, Any] | None = None
    """The whole request body, where ``fit_request`` was given one."""
    tokens: int
    """The estimate of what is sent, system prompt and tool definitions included."""
    tokens_before: int
    """The same for the whole history."""
    expected: int | None = None
    """What the provider will count, anchored on its last report; None before the first."""
    budget: int
    stage: Stage
    """The deepest stage visible in ``messages``."""
    cleared: tuple[Cleared, ...] = ()
    """The results shown as cleared, oldest first."""
    dropped: int = 0
    """How many messages are left out."""
    fits: bool
    """Whether ``tokens`` is within the budget; if not, it is sent all the same: the model's limit is higher."""
    first_changed: int | None = None
    """Index in ``messages`` of the first that is not the history's own object at that place."""
    stable_until: int = 0
    """How many leading messages there are up to the last edited one: where a cache breakpoint belongs."""
    needs_drop_block: bool = False
    """Reasoning is sent whose prefix was edited: models that bind it to its prefix must be told to drop it."""

    def __repr__(self) -> str:
        """Tell what was done, without the messages: they may be megabytes."""
        return (
            f"Fitted(stage={self.stage.value!r}, tokens={self.tokens}, tokens_before={self.tokens_before}, "
            f"budget={self.budget}, fits={self.fits}, messages={len(self.messages)}, cleared={len(self.cleared)}, "
            f"dropped={self.dropped})"
        )
