"""The recorded refusals, in every form they come in, at the targets we publish."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from longturn import Failure, FailureKind, classify
from tests.failures.objects import Refused, Response

KINDS = {
    "context_overflow": FailureKind.CONTEXT_OVERFLOW,
    "invalid_request": FailureKind.INVALID_REQUEST,
    "too_large_payload": FailureKind.PAYLOAD_TOO_LARGE,
    "rate_limited": FailureKind.RATE_LIMITED,
    "quota_billing": FailureKind.QUOTA,
    "auth": FailureKind.AUTH,
    "overloaded_server": FailureKind.OVERLOADED,
    "timeout_connection": FailureKind.NETWORK,
    "output_limit": FailureKind.OUTPUT_LIMIT,
    "unknown": FailureKind.UNKNOWN,
    "ok": FailureKind.NONE,
}
Case = Mapping[str, Any]


@pytest.fixture(scope="module")
def cases(data: Path) -> list[Case]:
    return [json.loads(line) for line in (data / "errors" / "dev.jsonl").read_text("utf-8").splitlines()]


def as_text(case: Case) -> str:
    body = case["body"]
    return body if isinstance(body, str) else json.dumps(body, ensure_ascii=False)


def as_response(case: Case) -> object:
    if case["kind"] in ("http_error", "ok_body_error"):
        return Response(case["http_status"], as_text(case), case["headers"])
    return None


def as_exception(case: Case) -> object:
    """Return an exception with what the SDK's has; boto3 keeps its response in a mapping."""
    if case["kind"] not in ("http_error", "stream_error", "tool_error", "client_side"):
        return None
    attributes = {name: value for name, value in (case["sdk_attrs"] or {}).items() if name != "response_status"}
    if case["kind"] == "http_error" and case["sdk"] != "boto3":
        attributes["response"] = as_response(case)
    elif case["kind"] == "http_error":
        attributes["response"] = {
            **attributes["response"], "ResponseMetadata": {"HTTPStatusCode": case["http_status"]}
        }  # fmt: skip
    name = (case["sdk_exception"] or "Refused").rpartition(".")[2]
    return type(name, (Refused,), {})(case["sdk_str"] or case["message"], **attributes)


def as_signal(case: Case) -> object:
    if case["kind"] not in ("signal", "ok_reply"):
        return None
    if case["body"] is not None:
        return case["body"]
    answer: dict[str, Any] = {"content": case["message"]} if case["message"] else {}
    for name, value in case["signal"].items():
        *parents, last = name.split(".")
        inner = answer
        for parent in parents:
            inner = inner.setdefault(parent, {})
        inner[last] = value
    return answer


def heard(cases: list[Case], form: Any) -> Iterator[tuple[Case, Failure]]:
    for case in cases:
        error = form(case)
        if error is not None:
            yield case, classify(error)


def accepted(case: Case) -> set[FailureKind]:
    return {KINDS[verdict] for verdict in (case["verdict"], *(case["also_ok"] or ()))}


def share(right: list[bool]) -> float:
    return sum(right) / len(right)


by_form = pytest.mark.parametrize("form", [as_response, as_exception, as_signal])


@by_form
def test_recorded_refusals_are_told_apart(cases: list[Case], form: Any) -> None:
    """Kind, what to do, and whom to call, for at least 98 in 100."""
    told = list(heard(cases, form))
    assert share([failure.kind in accepted(case) for case, failure in told]) >= 0.98
    assert share([failure.retryable == case["retryable"] for case, failure in told]) >= 0.98
    assert share([failure.page == case["page_team"] for case, failure in told]) >= 0.975


@by_form
def test_recorded_overflows_are_found_and_nothing_else(cases: list[Case], form: Any) -> None:
    told = list(heard(cases, form))
    overflow = FailureKind.CONTEXT_OVERFLOW
    assert share([overflow in accepted(case) for case, failure in told if failure.kind is overflow]) >= 0.98
    assert share([failure.kind is overflow for case, failure in told if case["verdict"] == overflow]) >= 0.98


@by_form
def test_recorded_numbers_of_overflows_are_read(cases: list[Case], form: Any) -> None:
    """All of them, and none that are no tokens."""
    for case, failure in heard(cases, form):
        counted = case["numbers"] or {}
        if case["verdict"] == "context_overflow" and failure.kind is FailureKind.CONTEXT_OVERFLOW:
            assert (counted.get("actual"), counted.get("limit")) == (failure.tokens, failure.limit), case["id"]
        elif "token" not in str(counted.get("unit", "")):
            assert (None, None) == (failure.tokens, failure.limit), case["id"]
        if counted.get("retry_after_s"):
            assert counted["retry_after_s"] == failure.retry_after, case["id"]
