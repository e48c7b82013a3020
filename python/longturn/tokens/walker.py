"""Walkers of nested values: a backend's class, fed with the tables of this package."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import ModuleType
from typing import Any, Final

from longturn.tokens import costs, rules
from longturn.tokens.backend import core
from longturn.tokens.costs import QUARTERS
from longturn.tokens.media import price
from longturn.tokens.plain import plain

Costs = tuple[int, int, int]
"""Tokens around each message, call and result."""

SCRIPT_COSTS: Final[Costs] = (costs.MESSAGE_TOKENS, costs.CALL_TOKENS, costs.RESULT_TOKENS)


def new_walker(
    backend: ModuleType,
    *,
    around: Costs = SCRIPT_COSTS,
    price: Callable[[dict[str, Any]], int | None] = price,
    weights: Any = None,
) -> Any:
    """Return a walker that measures texts by ``weights``, by the script rule if None."""
    return backend.Walker(
        key_rules=rules.KEY_RULES,
        call_types=rules.CALL_TYPES,
        result_types=rules.RESULT_TYPES,
        result_roles=rules.RESULT_ROLES,
        media_types=rules.MEDIA_TYPES,
        media_keys=rules.MEDIA_KEYS,
        item_types=rules.ITEM_TYPES,
        block_keys=rules.BLOCK_KEYS,
        costs=tuple(QUARTERS * tokens for tokens in (*around, costs.OPAQUE_TOKENS)),
        max_depth=rules.MAX_DEPTH,
        plain=plain,
        price=price,
        weights=weights,
    )


walker: Final = new_walker(core)
"""The one by the script rule."""

_ITEM_KEYS: Final = ("role", "parts", "type", "kind", "lc")


def is_item(value: object) -> bool:
    """Tell whether a value could be part of a history: it says what it is, if only by a type unknown today."""
    if isinstance(value, Mapping):
        return any(value.get(key) is not None for key in _ITEM_KEYS)
    if isinstance(value, (str, bytes, int, float, list, tuple)):
        return False
    return any(getattr(value, key, None) is not None for key in _ITEM_KEYS)


def whole_tokens(quarter_tokens: int) -> int:
    """Round quarter-tokens up to tokens: the only place that rounds."""
    return -(-quarter_tokens // QUARTERS)
