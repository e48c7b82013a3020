"""Real SDKs on loopback: their exceptions and answers are read without importing them."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from longturn import FailureKind, classify, is_retryable

pytest.importorskip("pytest_httpserver")

from tests.failures import sdks
from tests.failures.test_corpus import accepted

OVERFLOW = FailureKind.CONTEXT_OVERFLOW
OPENAI = {"error": {"message": "Your 9000 tokens exceed the context window of 8192.", "type": "x", "code": None}}
CODED = {"error": {**OPENAI["error"], "code": "context_length_exceeded"}}  # what wrappers look for
ANTHROPIC = {"type": "error", "error": {"type": "invalid_request_error", "message": "prompt too long: 9000 > 8192"}}
GEMINI = {
    "error": {"code": 400, "message": "9000 input tokens exceed the limit of 8192.", "status": "INVALID_ARGUMENT"}
}
BEDROCK = {"message": "9000 input tokens are more than the model's limit of 8192."}
AMZN = {"x-amzn-errortype": "ValidationException"}

Ask = Callable[[str], object]


@pytest.fixture(autouse=True)
def _no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")


@pytest.mark.parametrize(
    ("ask", "body", "headers"),
    [
        (sdks.ask_anthropic, ANTHROPIC, {}),
        (sdks.ask_openai, OPENAI, {}),
        (sdks.ask_responses, OPENAI, {}),
        (sdks.ask_gemini, GEMINI, {}),
        (sdks.ask_bedrock, BEDROCK, AMZN),
        (sdks.ask_huggingface, OPENAI, {}),
        (sdks.ask_httpx, OPENAI, {}),
        (sdks.ask_httpx2, OPENAI, {}),
        (sdks.ask_requests, OPENAI, {}),
        (sdks.ask_pydantic_ai, OPENAI, {}),
        (sdks.ask_groq, OPENAI, {}),
        (sdks.ask_mistral, OPENAI, {}),
        (sdks.ask_cohere, OPENAI, {}),
        (sdks.ask_ollama, OPENAI, {}),
        (sdks.ask_strands, OPENAI, {}),
        (sdks.ask_strands, CODED, {}),
        (sdks.ask_agno_model, OPENAI, {}),
        (sdks.ask_agent_framework, OPENAI, {}),
        (sdks.ask_agent_framework, CODED, {}),
        (sdks.ask_llama_index, OPENAI, {}),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_a_refusal_is_understood(ask: Ask, body: object, headers: dict[str, str]) -> None:
    """Status, words and numbers come through every SDK."""
    with sdks.played(body, status=400, headers=headers) as url:
        failure = classify(sdks.caught(lambda: ask(url)))
    assert (OVERFLOW, 400, 9000, 8192) == (failure.kind, failure.status, failure.tokens, failure.limit)


def test_a_run_that_failed_is_returned_and_understood() -> None:
    """By its words alone, which is all that Agno keeps."""
    with sdks.played(OPENAI, status=400) as url:
        failure = classify(sdks.run_agno(url))
    assert (OVERFLOW, 9000, 8192) == (failure.kind, failure.tokens, failure.limit)


RECORDED = {
    "groq": sdks.ask_groq,
    "mistralai": sdks.ask_mistral,
    "cohere": sdks.ask_cohere,
    "ollama": sdks.ask_ollama,
    "huggingface": sdks.ask_huggingface,
}


@pytest.mark.parametrize("sdk", RECORDED)
def test_recorded_refusals_come_through(data: Path, sdk: str) -> None:
    """With their verdicts and numbers, as the SDK raises them."""
    lines = (data / "errors" / "dev.jsonl").read_text("utf-8").splitlines()
    played = [case for case in map(json.loads, lines) if case["sdk"] == sdk and case["kind"] == "http_error"]
    cases = [case for case in played if not case["api"].startswith("embed")]  # which we don't ask for
    assert cases
    for case in cases:
        with sdks.played(case["body"], status=case["http_status"], headers=case["headers"]) as url:
            failure = classify(sdks.caught(lambda url=url: RECORDED[sdk](url)))
        assert failure.kind in accepted(case), case["id"]
        assert (case["retryable"], case["page_team"]) == (failure.retryable, failure.page), case["id"]
        if OVERFLOW == failure.kind:
            counted = case["numbers"] or {}
            assert (counted.get("actual"), counted.get("limit")) == (failure.tokens, failure.limit), case["id"]


@pytest.mark.parametrize(
    ("ask", "body", "kind"),
    [
        (sdks.ask_anthropic, sdks.events([("error", ANTHROPIC)]), "text/event-stream"),
        (sdks.ask_openai, sdks.events([(None, OPENAI)]), "text/event-stream"),
        (sdks.ask_responses, sdks.events([("error", {"type": "error", **OPENAI})]), "text/event-stream"),
        (sdks.ask_bedrock, sdks.failure_frame("validationException", BEDROCK), "application/vnd.amazon.eventstream"),
    ],
    ids=["anthropic", "openai", "responses", "bedrock"],
)
def test_a_refusal_inside_a_stream_is_understood(ask: Callable[..., object], body: str | bytes, kind: str) -> None:
    """There is no status then, or a cheerful one."""
    with sdks.played(body, kind=kind) as url:
        failure = classify(sdks.caught(lambda: ask(url, stream=True)))
    assert (OVERFLOW, False, 9000, 8192) == (failure.kind, failure.retryable, failure.tokens, failure.limit)


def test_a_response_that_failed_is_an_event_not_an_exception() -> None:
    failed = {"id": "r", "object": "response", "created_at": 1, "status": "failed", "output": [], "model": "m",
              "parallel_tool_calls": False, "tool_choice": "auto", "tools": [],
              "error": {"code": "server_error", "message": "9000 tokens exceed the context of 8192"}}  # fmt: skip
    event = {"type": "response.failed", "sequence_number": 1, "response": failed}
    stream = sdks.events([("response.failed", event)])
    with sdks.played(stream, kind="text/event-stream") as url:
        answer = sdks.caught(lambda: sdks.ask_responses(url, stream=True))
    assert isinstance(answer, list)
    assert OVERFLOW == classify(answer[-1]).kind


def chat(**choice: Any) -> dict[str, Any]:
    message = {"role": "assistant", "content": "prompt is too long: 9000 tokens > 8192 maximum"}
    usage = {"prompt_tokens": 9, "completion_tokens": 9, "total_tokens": 18}
    choices = [{"index": 0, "message": message, **choice}]
    return {"id": "1", "object": "chat.completion", "created": 1, "model": "m", "choices": choices, "usage": usage}


def message(stop: str) -> dict[str, Any]:
    return {"id": "1", "type": "message", "role": "assistant", "model": "m", "stop_reason": stop,
            "content": [{"type": "text", "text": "prompt too long"}],
            "usage": {"input_tokens": 1, "output_tokens": 1}}  # fmt: skip


@pytest.mark.parametrize(
    ("ask", "body", "kind"),
    [
        (sdks.ask_openai, chat(finish_reason="stop"), FailureKind.NONE),
        (sdks.ask_openai, chat(finish_reason="length"), FailureKind.OUTPUT_LIMIT),
        (sdks.ask_openai, chat(finish_reason="model_context_window_exceeded"), OVERFLOW),
        (sdks.ask_openai, {"error": {"code": 429, "message": "slow down"}}, FailureKind.RATE_LIMITED),
        (sdks.ask_anthropic, message("end_turn"), FailureKind.NONE),
        (sdks.ask_anthropic, message("max_tokens"), FailureKind.OUTPUT_LIMIT),
        (sdks.ask_anthropic, message("model_context_window_exceeded"), OVERFLOW),
        (sdks.ask_gemini, {"candidates": [{"finishReason": "MAX_TOKENS"}]}, FailureKind.OUTPUT_LIMIT),
        (sdks.ask_gemini, {"candidates": [{"finishReason": "STOP"}]}, FailureKind.NONE),
    ],
)
def test_answers_are_read_as_the_sdk_holds_them(ask: Ask, body: object, kind: FailureKind) -> None:
    with sdks.played(body) as url:
        assert kind == classify(sdks.caught(lambda: ask(url))).kind


@pytest.mark.parametrize(
    "ask", [sdks.ask_anthropic, sdks.ask_openai, sdks.ask_gemini, sdks.ask_bedrock, sdks.ask_httpx, sdks.ask_requests]
)
def test_a_wire_that_is_cut_is_worth_another_try(ask: Ask) -> None:
    """Each SDK has its own exception for it, or none."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{free.getsockname()[1]}"
    error = sdks.caught(lambda: ask(url))
    assert (FailureKind.NETWORK, True) == (classify(error).kind, is_retryable(error))


def refused(status: int, body: object = OPENAI) -> Exception:
    with sdks.played(body, status=status) as url:
        error = sdks.caught(lambda: sdks.ask_openai(url))
    assert isinstance(error, Exception)
    return error


def test_pain_21_tenacity_sends_a_refused_request_once() -> None:
    tenacity = pytest.importorskip("tenacity")
    for error, times in ((refused(400), 1), (refused(503, {"error": {"message": "busy"}}), 3)):
        sent = 0

        @tenacity.retry(
            retry=tenacity.retry_if_exception(is_retryable), stop=tenacity.stop_after_attempt(3), reraise=True
        )
        def send(error: Exception = error) -> None:
            nonlocal sent
            sent += 1
            raise error

        with pytest.raises(type(error)):
            send()
        assert times == sent


def test_pain_21_stamina_sends_a_refused_request_once() -> None:
    stamina = pytest.importorskip("stamina")
    sent = 0

    def send(error: Exception) -> None:
        nonlocal sent
        sent += 1
        raise error

    with stamina.set_testing(True, attempts=3):  # no waiting between attempts
        for error, times in ((refused(400), 1), (refused(503, {"error": {"message": "busy"}}), 3)):
            sent = 0
            with pytest.raises(type(error)):
                stamina.retry(on=is_retryable)(send)(error)
            assert times == sent


def test_pain_21_langgraph_takes_the_predicate() -> None:
    types = pytest.importorskip("langgraph.types")
    policy = types.RetryPolicy(retry_on=is_retryable)
    assert (False, True) == (policy.retry_on(refused(400)), policy.retry_on(refused(503, {})))


def test_pain_21_langchain_takes_the_predicate() -> None:
    middleware = pytest.importorskip("langchain.agents.middleware")
    retry = middleware.ModelRetryMiddleware(max_retries=2, retry_on=is_retryable)
    sent = 0
    error = refused(400)

    def send(request: object) -> None:
        nonlocal sent
        sent += 1
        raise error

    with pytest.raises(Exception, match="9000 tokens"):
        retry.wrap_model_call(object(), send)
    assert 1 == sent


def test_no_sdk_is_imported() -> None:
    """Nor anything else that an agent does not have already."""
    code = (
        "import sys, longturn; longturn.classify({'error': {'message': 'prompt is too long'}});"
        "longturn.classify(RuntimeError('x')); longturn.classify('data: {}');"
        "print([n for n in ('anthropic', 'openai', 'botocore', 'google', 'httpx', 'requests') if n in sys.modules])"
    )
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "[]" == shown.stdout.strip()
