"""When to come back, however it is said."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest

from longturn import classify
from tests.failures.objects import Response

NOON = datetime(2026, 5, 1, 12, tzinfo=UTC)


def wait(text: str = "slow down", **headers: str) -> float | None:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return classify(Response(429, {"error": {"message": text}}, named)).retry_after


def test_headers_say_it_in_seconds_milliseconds_or_dates() -> None:
    assert 30.0 == wait(retry_after="30")
    assert 1.5 == wait(retry_after_ms="1500", retry_after="2")
    later = format_datetime(NOON + timedelta(seconds=90), usegmt=True)
    assert 90.0 == wait(retry_after=later, date=format_datetime(NOON, usegmt=True))
    assert 0.0 == wait(retry_after=format_datetime(NOON, usegmt=True), date=later)
    assert wait(retry_after=format_datetime(NOON, usegmt=True)) is not None  # by our own clock


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("Please try again in 11.054s.", 11.054),
        ("Please try again in 6m0s.", 360.0),
        ("try again in 1h2m3s", 3723.0),
        ("Retry after 20 seconds.", 20.0),
        ("Please retry in 250ms", 0.25),
        ("wait for 2 minutes", 120.0),
        ("Please wait 5 sec and retry", 5.0),
        ("请在 30 秒后重试", 30.0),
        ("30秒後に再試行してください", None),
        ("The model has 30 seconds of audio", None),
        ("version 3.5s is slow", None),
    ],
)
def test_words_say_it(text: str, seconds: float | None) -> None:
    assert seconds == wait(text)


def test_fields_say_it() -> None:
    info = {"error": {"code": 429, "details": [{"@type": "RetryInfo", "retryDelay": "14s"}]}}
    assert 14.0 == classify(info).retry_after
    assert 7.0 == classify({"error": {"code": 429, "retry_after": 7}}).retry_after
    assert 7.5 == classify({"error": {"code": 429, "retry_after": 7.5}}).retry_after
    assert 1.5 == classify({"error": {"code": 429, "retry_after_ms": 1500}}).retry_after
    assert 1.5 == classify({"error": {"code": 429, "retryAfterMs": "1500"}}).retry_after
    assert classify({"error": {"code": 429, "retry_after": float("nan")}}).retry_after is None


@pytest.mark.parametrize("nonsense", ["soon", "-5", "nan", "1e99", "", "9" * 40])
def test_nonsense_is_no_time(nonsense: str) -> None:
    assert wait(retry_after=nonsense) is None
