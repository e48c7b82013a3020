"""What is told: one record to a decision, numbers only, and next to nothing where nobody listens."""

from __future__ import annotations

import json
import logging
import subprocess
import sys
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest

from longturn import ConversationTooLong, Fitted, Window, telling

CANARY = "zanzibar"


class APIStatusError(Exception):
    """Quotes what was sent, as some providers do."""

    status_code = 400

    def __init__(self, tokens: int, limit: int) -> None:
        message = f"prompt is too long: {tokens} tokens > {limit} maximum (near {CANARY!r})"
        super().__init__(message)
        self.body = {"type": "error", "error": {"type": "invalid_request_error", "message": message}}


def rounds(count: int) -> list[dict[str, Any]]:
    history: list[dict[str, Any]] = [{"role": "user", "content": f"Count {CANARY}."}]
    for number in range(count):
        use = {"type": "tool_use", "id": f"{CANARY}_{number}", "name": f"read_{CANARY}", "input": {"path": CANARY}}
        result = {"type": "tool_result", "tool_use_id": f"{CANARY}_{number}", "content": f"{CANARY} " * 400}
        history += [{"role": "assistant", "content": [use]}, {"role": "user", "content": [result]}]
    return history


def refusing(limit: int, rate: float = 1.0) -> Any:
    def send(fitted: Fitted) -> dict[str, Any]:
        tokens = int(fitted.tokens * rate)
        if tokens > limit:
            raise APIStatusError(tokens, limit)
        return {"content": [{"type": "text", "text": CANARY}], "usage": {"input_tokens": tokens}}

    return send


def told(record: logging.LogRecord) -> dict[str, Any]:
    """Return the fields that a record adds."""
    return {name: value for name, value in vars(record).items() if name.startswith("longturn_")}


class Listener(logging.Handler):
    def __init__(self) -> None:
        super().__init__()
        self.records: list[logging.LogRecord] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.records.append(record)


@pytest.fixture
def records() -> Iterator[list[logging.LogRecord]]:
    logger, listener = logging.getLogger("longturn"), Listener()
    logger.addHandler(listener)
    logger.setLevel(logging.DEBUG)
    yield listener.records
    logger.removeHandler(listener)
    logger.setLevel(logging.NOTSET)


def test_what_changes_nothing_is_not_told(records: list[logging.LogRecord]) -> None:
    """Nor a report that teaches nothing."""
    window = Window(100_000)
    window.observe(window.fit(rounds(3)), window.fit(rounds(3)).tokens)
    assert records == []


def test_a_fit_that_changed_something_is_told(records: list[logging.LogRecord]) -> None:
    """Once, for those who debug."""
    fitted = Window(10_000).fit(rounds(20))
    (record,) = records
    assert (record.name, record.levelno) == ("longturn", logging.DEBUG)
    assert told(record) == {
        "longturn_event": "fit",
        "longturn_tokens": fitted.tokens,
        "longturn_tokens_before": fitted.tokens_before,
        "longturn_budget": 10_000,
        "longturn_stage": "cleared",
        "longturn_cleared": len(fitted.cleared),
        "longturn_dropped": 0,
        "longturn_fits": True,
    }


def test_F1_a_fit_over_the_budget_is_a_warning(records: list[logging.LogRecord]) -> None:
    """It will be sent all the same, and perhaps refused."""
    assert not Window(10_000).fit([{"role": "user", "content": "word " * 10_000}]).fits
    (record,) = records
    assert (record.levelno, told(record)["longturn_fits"]) == (logging.WARNING, False)


def test_K1_a_ratio_that_moved_is_told(records: list[logging.LogRecord]) -> None:
    """With what it was."""
    window = Window(100_000)
    window.observe(window.fit(rounds(20)), window.fit(rounds(20)).tokens * 2)
    (record,) = records
    assert record.levelno == logging.INFO
    assert told(record) == {
        "longturn_event": "learned",
        "longturn_ratio": 2.0,
        "longturn_ratio_before": 1.0,
        "longturn_limit": None,
        "longturn_ceiling": None,
    }


def test_K1_a_recovery_is_told_with_the_providers_numbers(records: list[logging.LogRecord]) -> None:
    """After what was learned, and how the second request was fitted."""
    Window(100_000).call(refusing(8_000, 1.5), rounds(20))
    assert [told(record)["longturn_event"] for record in records] == ["learned", "fit", "recovered"]
    fields = told(records[-1])
    assert records[-1].levelno == logging.WARNING
    assert fields["longturn_refused_tokens"] > fields["longturn_tokens"]
    assert (fields["longturn_provider_tokens"], fields["longturn_provider_limit"]) == (
        int(fields["longturn_refused_tokens"] * 1.5),
        8_000,
    )
    assert fields["longturn_status"] == 400


def test_giving_up_is_told(records: list[logging.LogRecord]) -> None:
    """After the last request."""
    with pytest.raises(ConversationTooLong):
        Window(100_000).call(refusing(10), rounds(20))
    assert told(records[-1])["longturn_event"] == "given_up"
    assert records[-1].levelno == logging.WARNING


def test_nothing_of_the_conversation_is_told(records: list[logging.LogRecord]) -> None:
    """Not in messages, fields or arguments: no text, tool name, call id or path, nor what the provider quotes."""
    Window(100_000).call(refusing(8_000), rounds(30))
    Window(3_000).fit(rounds(60))
    with pytest.raises(ConversationTooLong):
        Window(100_000).call(refusing(10), rounds(30))
    assert {told(record)["longturn_event"] for record in records} == {"fit", "learned", "recovered", "given_up"}
    for record in records:
        assert CANARY not in record.getMessage()
        assert CANARY not in repr(vars(record))
        json.dumps(told(record))  # plain values


def test_nobody_who_did_not_ask_reads_anything() -> None:
    """Neither is logging imported, nor does a warning get to the terminal of a program that has not set it up."""
    script = """
import sys
import longturn
window = longturn.Window(10_000)
window.fit([{"role": "user", "content": "word " * 20_000}])
assert "logging" not in sys.modules
import logging
window.fit([{"role": "user", "content": "word " * 30_000}])
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == ("", "")


def test_what_is_not_listened_to_is_not_built(monkeypatch: pytest.MonkeyPatch) -> None:
    """A level that is off costs a look."""
    logging.getLogger("longturn").setLevel(logging.CRITICAL)
    monkeypatch.setattr(telling, "_fields", None)
    monkeypatch.setattr(telling, "_sizes", None)
    try:
        assert Window(10_000).fit(rounds(20)).cleared
    finally:
        logging.getLogger("longturn").setLevel(logging.NOTSET)


# ---------------------------------------------------------------------- OpenTelemetry


@pytest.fixture
def spans() -> Iterator[Any]:
    """Return a tracer whose finished spans stay at hand, without making it the process's own."""
    pytest.importorskip("opentelemetry.sdk")
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import SimpleSpanProcessor
    from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

    exporter, provider = InMemorySpanExporter(), TracerProvider(shutdown_on_exit=False)
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    yield SimpleNamespace(
        open=lambda: provider.get_tracer("test").start_as_current_span("chat"),
        attributes=lambda: [dict(span.attributes) for span in exporter.get_finished_spans()],
    )
    provider.shutdown()


def test_a_cut_is_told_to_the_current_span(spans: Any) -> None:
    """By the convention's name, and our own."""
    with spans.open():
        fitted = Window(10_000).fit(rounds(20))
    assert spans.attributes() == [
        {
            "gen_ai.conversation.compacted": True,
            "longturn.budget": 10_000,
            "longturn.estimate.before": fitted.tokens_before,
            "longturn.estimate.after": fitted.tokens,
            "longturn.fits": True,
            "longturn.messages_dropped": 0,
            "longturn.results_cleared": len(fitted.cleared),
            "longturn.stage": "cleared",
        }
    ]


def test_a_span_learns_of_recovery_and_its_end(spans: Any) -> None:
    """Whether it went well or not."""
    with spans.open():
        Window(100_000).call(refusing(8_000), rounds(20))
    with spans.open(), pytest.raises(ConversationTooLong):
        Window(100_000).call(refusing(10), rounds(20))
    recovered, given_up = spans.attributes()
    assert (recovered["longturn.recovered"], given_up["longturn.given_up"]) == (True, True)
    assert "longturn.given_up" not in recovered
    assert CANARY not in repr(recovered) + repr(given_up)


def test_what_is_whole_leaves_the_span_alone(spans: Any) -> None:
    """The convention's attribute says that something was cut."""
    with spans.open():
        Window(100_000).fit(rounds(3))
    assert spans.attributes() == [{}]


def test_no_span_is_no_trouble() -> None:
    """Nor is an OpenTelemetry that is there, with nothing recorded."""
    pytest.importorskip("opentelemetry.trace")
    assert Window(10_000).fit(rounds(20)).cleared
