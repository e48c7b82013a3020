"""
What leaves the machine when a model says no: counted at a server, with the real SDKs.

An invalid request is sent once ([pain 21]), what passes by itself as often as the SDK's own retries have it, and
what was too long once more, tighter ([K1]).
"""

from __future__ import annotations

import json
from typing import Any

import pytest

pytest.importorskip("pytest_httpserver")

from loopback import Answer, Loopback, Raw, Refusal, TooLong, Usage
from loopback.bedrock import Bedrock, frame
from loopback.protocol import event
from sdk.clients import CLIENTS, STREAMING, Client, each

from longturn import ConversationTooLong
from longturn.failures.classify import classify
from longturn.wording import phrases

pytestmark = pytest.mark.filterwarnings(
    "ignore::DeprecationWarning:botocore", "ignore::DeprecationWarning:google", "ignore::ResourceWarning"
)

SENTENCE = phrases("en").too_long
SOON = {"retry-after-ms": "1", "retry-after": "0"}
OK = Answer("Yes.", usage=Usage(input=900))

MESSAGES = {
    400: "messages: at least one message is required",
    401: "the key is not valid",
    413: "request exceeds the maximum size",
    429: "too many requests",
    529: "overloaded",
}
ANTHROPIC = {
    400: "invalid_request_error",
    401: "authentication_error",
    413: "request_too_large",
    429: "rate_limit_error",
    529: "overloaded_error",
}
GOOGLE = {400: "INVALID_ARGUMENT", 401: "UNAUTHENTICATED", 413: "OUT_OF_RANGE", 429: "RESOURCE_EXHAUSTED"}
AMAZON = {
    400: "ValidationException",
    401: "UnrecognizedClientException",
    413: "ValidationException",
    429: "ThrottlingException",
    529: "ServiceUnavailableException",
}


def refused(format: str, status: int) -> Refusal:
    """Return a refusal as the provider of a format words it."""
    message = MESSAGES[status]
    if format == "anthropic":
        return Refusal(status, {"type": "error", "error": {"type": ANTHROPIC[status], "message": message}}, SOON)
    if format == "gemini":
        error = {"code": status, "message": message, "status": GOOGLE.get(status, "UNAVAILABLE")}
        return Refusal(status, {"error": error}, SOON)
    if format == "bedrock":
        return Refusal(status, {"message": message}, {**SOON, "x-amzn-errortype": AMAZON[status]})
    kind = {429: "rate_limit_exceeded", 529: "server_error"}.get(status, "invalid_request_error")
    return Refusal(status, {"error": {"message": message, "type": kind, "param": None, "code": None}}, SOON)


REQUESTS = {  # each SDK's own retries, by default; google-genai's as they were asked for
    "anthropic": {400: 1, 401: 1, 413: 1, 429: 3, 529: 3},
    "openai": {400: 1, 401: 1, 413: 1, 429: 3, 529: 3},
    "google-genai": {400: 1, 401: 1, 413: 1, 429: 3, 529: 1},
    "boto3": {400: 1, 401: 1, 413: 1, 429: 3, 529: 1},
}


@each(CLIENTS)
def test_21_a_refusal_is_repeated_by_the_sdk_alone(loopback: Loopback, client: Client) -> None:
    """An invalid request goes out once; what passes, as often as without a window; the SDK's own error is raised."""
    for status, count in REQUESTS[client.name].items():
        loopback.play(lambda _, status=status: refused(client.format, status))
        error = raised(client.run, client.window(), client.history())
        assert not isinstance(error, ConversationTooLong)
        assert is_of_sdk(error)
        assert (status, count) == (status, len(loopback.requests))
        assert len({json.dumps(sent.body) for sent in loopback.requests}) == 1


def raised(run: Any, *given: Any) -> Exception | None:
    try:
        run(*given)
    except Exception as error:
        return error
    return None


def is_of_sdk(error: BaseException | None) -> bool:
    return type(error).__module__.startswith(("anthropic", "openai", "google.genai", "botocore"))


@each(CLIENTS)
def test_what_passes_is_answered(loopback: Loopback, client: Client) -> None:
    """The SDK repeats it, and the window sees an answer."""
    loopback.play([refused(client.format, 429), OK])
    window = client.window()
    client.run(window, client.history())
    assert len(loopback.requests) == 2
    assert window.calibration["ceiling"] is None


@each(CLIENTS)
def test_K1_an_overflow_is_followed_by_one_tighter_request(loopback: Loopback, client: Client) -> None:
    """Which is answered, and observed; the next step of the turn is within the limit at once."""
    loopback.play(lambda _: OK, limit=9_000)
    window, history = client.window(), client.history()
    client.run(window, history)
    first, second = loopback.requests
    client.run(window, [*history, *client.history(1)[1:]])
    assert first.tokens() > 9_000 >= second.tokens()
    assert second.cleared
    assert window.calibration["ceiling"] is not None
    assert len(loopback.requests) == 3


@each(CLIENTS)
def test_K1_a_second_overflow_is_the_sentence(loopback: Loopback, client: Client) -> None:
    """Two requests, the second smaller, and the SDK's error is the cause; one, where nothing can be left out."""
    for rounds, count in ((30, 2), (0, 1)):
        loopback.play(lambda request: TooLong(request.tokens(), 10))
        error = raised(client.run, client.window(), client.history(rounds))
        assert isinstance(error, ConversationTooLong)
        assert str(error) == SENTENCE
        assert is_of_sdk(error.__cause__)
        assert error.failure == classify(error.__cause__)
        assert len(loopback.requests) == count
        assert loopback.requests[-1].tokens() < loopback.requests[0].tokens() or count == 1


@each(CLIENTS)
def test_K1_an_answer_is_observed(loopback: Loopback, client: Client) -> None:
    """Whole or streamed, as each SDK reports it; cached tokens count once."""
    window, history = client.window(20_000), client.history(5)
    estimated = window.fit(history).tokens
    loopback.play([Answer("Yes.", usage=Usage(input=estimated * 3 // 2, cached=100))])
    client.run(window, history)
    assert window.ratio == pytest.approx(1.5, abs=1 / 16)
    assert window.fit(history).expected == estimated * 3 // 2


BROKEN: dict[str, dict[str, Any]] = {
    "anthropic": {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}},
    "openai-chat": {"error": {"type": "server_error", "code": None, "message": "Overloaded"}},
    "openai-responses": {"type": "error", "code": "server_error", "message": "Overloaded", "param": None},
    "gemini": {"error": {"code": 503, "message": "Overloaded", "status": "UNAVAILABLE"}},
    "bedrock": {"message": "Overloaded", "originalStatusCode": 503, "originalMessage": "Overloaded"},
}


@each(STREAMING)
def test_a_stream_that_breaks_is_sent_once(loopback: Loopback, client: Client) -> None:
    """Part of the answer was read: its end is the caller's to see, as an error or as the last event."""
    loopback.play([Answer("Yes, and", thinking="Hm.", broken=BROKEN[client.format])])
    error = raised(client.run, client.window(), client.history())
    assert not isinstance(error, ConversationTooLong)
    assert error is not None or client.format in ("openai-responses", "gemini")
    assert len(loopback.requests) == 1


EVENTS = "text/event-stream"
FULL = {"code": "context_length_exceeded", "message": "Your input exceeds the context window of this model."}
FAILED = {"id": "resp_1", "object": "response", "created_at": 1, "model": "gpt", "parallel_tool_calls": True}
FAILED |= {"output": [], "tools": [], "tool_choice": "auto", "status": "failed", "error": FULL}
MESSAGE = {"id": "msg_1", "type": "message", "role": "assistant", "model": "claude", "stop_sequence": None}
MESSAGE |= {"stop_reason": "model_context_window_exceeded", "usage": {"input_tokens": 900, "output_tokens": 0}}
BEGUN = {"type": "response.created", "sequence_number": 0, "response": {**FAILED, "status": "in_progress"}}
ENDED = {"type": "response.failed", "sequence_number": 1, "response": FAILED}

FIRST: dict[str, Raw] = {  # streams whose first event says it
    "anthropic": Raw(
        event({"type": "error", "error": {"type": "invalid_request_error", "message": "prompt is too long"}}, "error"),
        EVENTS,
    ),
    "openai-chat": Raw(event({"error": FULL}), EVENTS),
    "openai-responses": Raw(event(BEGUN, "response.created") + event(ENDED, "response.failed"), EVENTS),
    "gemini": Raw(
        event(
            {
                "error": {
                    "code": 400,
                    "status": "INVALID_ARGUMENT",
                    "message": "The input token count exceeds it",
                }
            },
            end="\r\n\r\n",
        ),
        EVENTS,
    ),
    "bedrock": Raw(
        frame("validationException", {"message": "Input is too long for requested model."}, "exception"),
        Bedrock.media_type,
    ),
}
WHOLE: dict[str, Raw] = {  # answers that are no errors to their SDK
    "anthropic": Raw(json.dumps({**MESSAGE, "content": []}).encode(), "application/json"),
    "openai-chat": Raw(json.dumps({"id": "gen-1", "choices": None, "error": FULL}).encode(), "application/json"),
    "openai-responses": Raw(json.dumps(FAILED).encode(), "application/json"),
}


@each([one for one in CLIENTS if one.is_streamed or one.format in WHOLE])  # the others have errors for it
def test_K1_an_overflow_under_status_200_is_recovered(loopback: Loopback, client: Client) -> None:
    """The first event of a stream, or an answer that is none."""
    reply = (FIRST if client.is_streamed else WHOLE)[client.format]
    loopback.play([reply, OK])
    client.run(client.window(), client.history())
    first, second = loopback.requests
    assert second.tokens() < first.tokens()
    loopback.play(lambda _: reply)
    error = raised(client.run, client.window(), client.history())
    assert isinstance(error, ConversationTooLong)
    assert len(loopback.requests) == 2


@each([one for one in CLIENTS if one.format == "anthropic" and not one.is_streamed])
def test_an_answer_cut_short_is_returned(loopback: Loopback, client: Client) -> None:
    """There is something to read, even if the window was full after it."""
    said = {**MESSAGE, "content": [{"type": "text", "text": "First,"}]}
    loopback.play([Raw(json.dumps(said).encode(), "application/json")])
    answer = client.run(client.window(), client.history())
    assert answer.stop_reason == "model_context_window_exceeded"
    assert len(loopback.requests) == 1
