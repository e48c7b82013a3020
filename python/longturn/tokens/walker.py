"""The one walker of this process: the backend's, fed with the tables and constants of this package."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from longturn.tokens import costs, rules
from longturn.tokens.backend import core
from longturn.tokens.costs import QUARTERS
from longturn.tokens.media import price
from longturn.tokens.plain import plain

walker: Final = core.Walker(
    key_rules=rules.KEY_RULES,
    call_types=rules.CALL_TYPES,
    result_types=rules.RESULT_TYPES,
    result_roles=rules.RESULT_ROLES,
    media_types=rules.MEDIA_TYPES,
    media_keys=rules.MEDIA_KEYS,
    item_types=rules.ITEM_TYPES,
    block_keys=rules.BLOCK_KEYS,
    costs=tuple(
        QUARTERS * tokens
        for tokens in (costs.MESSAGE_TOKENS, costs.CALL_TOKENS, costs.RESULT_TOKENS, costs.OPAQUE_TOKENS)
    ),
    max_depth=rules.MAX_DEPTH,
    plain=plain,
    price=price,
)


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
