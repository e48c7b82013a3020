"""When to come back: what headers, fields and words say, in seconds."""

from __future__ import annotations

import re
import time
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Final

_UNITS: Final = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3_600.0, "d": 86_400.0}
_MOST: Final = 366 * 86_400.0  # seconds; more is a time of day, or nonsense


def retry_after(headers: Mapping[str, str], fields: Sequence[str], texts: Sequence[str]) -> float | None:
    """Return the seconds to wait: headers first, then fields, then words; None where nothing says."""
    stated = (
        _scaled(headers.get("retry-after-ms") or headers.get("x-ms-retry-after-ms"), 0.001),
        _header(headers),
        *(duration(field) for field in fields),
        *(_said(text) for text in texts),
    )
    return next((seconds for seconds in stated if seconds is not None and 0 <= seconds <= _MOST), None)


def _scaled(text: str | None, scale: float) -> float | None:
    try:
        return float(text) * scale if text else None
    except ValueError:
        return None


def _header(headers: Mapping[str, str]) -> float | None:
    text = headers.get("retry-after")
    if not text:
        return None
    seconds = _scaled(text, 1.0)
    return seconds if seconds is not None else _until(text, since=headers.get("date"))


def _until(date: str, *, since: str | None) -> float | None:
    """Return the seconds to a date, counted on the server's clock where it tells the time."""
    from email.utils import parsedate_to_datetime  # dates are rare, and its import costs more than all of ours

    try:
        now = parsedate_to_datetime(since).timestamp() if since else time.time()
        return max(0.0, parsedate_to_datetime(date).timestamp() - now)
    except (ValueError, TypeError, OverflowError):
        return None


def duration(text: str) -> float | None:
    """Return the seconds of ``34.5s``, ``6m0s``, ``1h2m``, ``20 seconds`` or a bare number of seconds."""
    text = text.strip().lower()
    if re.fullmatch(r"\d{1,9}(?:\.\d{1,9})?", text):
        return float(text)
    parts = _part().findall(text)
    return sum(float(number) * _UNITS[_unit(unit)] for number, unit in parts) if parts else None


def _unit(word: str) -> str:
    if word.startswith(("ms", "milli", "毫秒")):
        return "ms"
    return {"秒": "s", "초": "s", "с": "s", "分": "m", "분": "m", "м": "m", "小": "h", "時": "h", "ч": "h"}.get(
        word[0], word[0]
    )


def _said(text: str) -> float | None:
    said = _sentence().search(text)
    return duration(next(group for group in said.groups() if group)) if said else None


_UNIT: Final = r"""
    (?:ms|milliseconds?|毫秒|s(?:ec(?:ond)?s?)?|m(?:in(?:ute)?s?)?|h(?:(?:ou)?rs?)?|d(?:ays?)?
    |秒|초|сек\w*|分|분|мин\w*|小时|時間|час\w*)(?![a-z])"""
_NUMBER: Final = r"\d{1,9}(?:\.\d{1,9})?"


@cache
def _part() -> re.Pattern[str]:
    return re.compile(rf"({_NUMBER})\s*({_UNIT})", re.IGNORECASE | re.VERBOSE)


@cache
def _sentence() -> re.Pattern[str]:
    span = rf"((?:{_NUMBER}\s*{_UNIT}\s*)+)"
    return re.compile(
        rf"""(?:retry|try\s+again|wait|available|resets?)(?:\s+\w+){{0,4}}?\s+{span}
        |(?:请|在|в|через|nach|dans|en|in|espere)\s*{span}(?=\s*(?:后|後|$|[.,!]))""",
        re.IGNORECASE | re.VERBOSE,
    )
