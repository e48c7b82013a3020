"""Objects of SDKs and frameworks as the built-in values their JSON is made of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass
from datetime import date, time
from enum import Enum
from typing import Any


def plain(value: object) -> Any:
    """
    Return a built-in value that stands for ``value`` in JSON, one level deep at least.

    Raises:
        TypeError: ``value`` has no JSON form that anybody would send.
    """
    if isinstance(value, Enum):
        return value.value
    if hasattr(value, "model_dump") and not isinstance(value, type):
        return _dumped(value)
    if is_dataclass(value) and not isinstance(value, type):
        return {field.name: getattr(value, field.name) for field in fields(value)}
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, (bytearray, memoryview)):
        return bytes(value)
    if isinstance(value, Sequence):
        return list(value)
    if isinstance(value, (date, time)):
        return value.isoformat()
    if _is_scalar(value):
        return str(value)
    raise TypeError(type(value).__name__)


def _is_scalar(value: object) -> bool:
    """Tell whether a value is of a kind that serialisers print; imported here, because hardly any ever comes."""
    from decimal import Decimal
    from pathlib import PurePath
    from uuid import UUID

    return isinstance(value, (UUID, Decimal, PurePath))


def _dumped(value: Any) -> Any:
    """Return pydantic's JSON form; look-alikes of its method may take no arguments."""
    try:
        return value.model_dump(mode="json", warnings=False)
    except TypeError:
        return value.model_dump()
