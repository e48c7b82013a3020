"""Refusals of every kind, in wordings of our own and every form they come in."""

from __future__ import annotations

import json
from types import SimpleNamespace
from typing import Any

import pytest

import longturn
from longturn import FailureKind, classify, is_retryable
from longturn.wording import languages, phrases
from tests.failures import wordings
from tests.failures.objects import Refused, Response, chat, said

WORDS = phrases("en")
OVERFLOW = FailureKind.CONTEXT_OVERFLOW


def kinds(text: str, status: int | None = 400) -> set[FailureKind]:
    return {classify(error).kind for error in said(text, status)}


@pytest.mark.parametrize(("text", "tokens", "limit"), wordings.OVERFLOW)
def test_a_conversation_that_is_too_long_is_told_in_any_words(text: str, tokens: int | None, limit: int | None) -> None:
    """The kind, the numbers, what helps, and what the person reads."""
    for error in (*said(text), RuntimeError(text)):
        failure = classify(error)
        assert (OVERFLOW, tokens, limit) == (failure.kind, failure.tokens, failure.limit)
        assert (False, False, True) == (failure.retryable, failure.page, failure.shrink_helps)
        assert WORDS.too_long == failure.message


@pytest.mark.parametrize("text", wordings.RATE)
def test_too_fast_is_not_too_long(text: str) -> None:
    """Whatever it says of tokens, it passes by itself."""
    assert {FailureKind.RATE_LIMITED} == kinds(text, 429)
    assert all(is_retryable(error) for error in said(text, 429))


@pytest.mark.parametrize(("status", "text"), wordings.QUOTA)
def test_money_does_not_come_back_by_waiting(status: int, text: str) -> None:
    """A daily allowance, a balance, a plan: the team has to act."""
    failure = classify(Response(status, {"error": {"message": text}}))
    assert (FailureKind.QUOTA, False, True, None) == (failure.kind, failure.retryable, failure.page, failure.message)


@pytest.mark.parametrize("text", wordings.OUTPUT)
def test_the_limit_of_an_answer_is_not_the_conversations(text: str) -> None:
    """A bug in the caller's settings, which the person cannot mend."""
    assert {FailureKind.OUTPUT_LIMIT} == kinds(text)
    assert all(classify(error).page and classify(error).message is None for error in said(text))


@pytest.mark.parametrize("text", wordings.OTHER_FIELDS)
def test_the_limit_of_a_field_is_not_the_conversations(text: str) -> None:
    """Tools, strings, embeddings, settings: trimming the conversation cures none."""
    assert {FailureKind.INVALID_REQUEST} == kinds(text)
    assert not any(classify(error).shrink_helps or classify(error).retryable for error in said(text))


@pytest.mark.parametrize(("status", "text"), wordings.TOO_LARGE)
def test_bytes_are_not_tokens(status: int, text: str) -> None:
    """No count is taken for tokens."""
    failure = classify(Response(status, {"error": {"message": text}}))
    assert (FailureKind.PAYLOAD_TOO_LARGE, None, None) == (failure.kind, failure.tokens, failure.limit)
    assert WORDS.too_large == failure.message


@pytest.mark.parametrize(
    ("kind", "status", "text"),
    [
        *((FailureKind.AUTH, status, text) for status, text in wordings.AUTH),
        *((FailureKind.OVERLOADED, status, text) for status, text in wordings.OVERLOADED),
        *((FailureKind.NETWORK, None, text) for text in wordings.NETWORK),
    ],
)
def test_keys_servers_and_wires(kind: FailureKind, status: int | None, text: str) -> None:
    assert {kind} == kinds(text, status)


@pytest.mark.parametrize("text", wordings.POLICY)
def test_a_policy_is_for_the_person_to_heed(text: str) -> None:
    failure = classify(Response(400, {"error": {"message": text}}))
    assert (FailureKind.INVALID_REQUEST, False, WORDS.refused) == (failure.kind, failure.page, failure.message)


@pytest.mark.parametrize("text", wordings.UNTOLD)
def test_an_exception_of_other_code_is_unknown(text: str) -> None:
    """Not retried, but reported: nobody knows what it is."""
    failure = classify(RuntimeError(text))
    assert (FailureKind.UNKNOWN, False, True) == (failure.kind, failure.retryable, failure.page)


@pytest.mark.parametrize(
    ("status", "kind"),
    [
        (400, "invalid_request"), (401, "auth"), (402, "quota"), (403, "auth"), (404, "invalid_request"),
        (408, "network"), (413, "payload_too_large"), (422, "invalid_request"), (424, "overloaded"),
        (429, "rate_limited"), (500, "overloaded"), (502, "overloaded"), (503, "overloaded"), (504, "network"),
        (529, "overloaded"), (418, "invalid_request"), (599, "overloaded"),
    ],
)  # fmt: skip
def test_a_status_alone_tells_something(status: int, kind: str) -> None:
    assert kind == classify(Response(status, "")).kind
    assert status == classify(Response(status, "")).status


@pytest.mark.parametrize(
    ("code", "kind"),
    [
        ("ServerOverloaded", "overloaded"), ("EngineTemporarilyUnavailable", "overloaded"),
        ("InvalidSubscription", "quota"), ("MonthlyQuotaUsedUp", "quota"), ("RequestBurstTooFast", "rate_limited"),
        ("endpoint_rate_limit_hit", "rate_limited"), ("AccessDenied.ByPermission", "auth"),
        ("InputTextRiskDetection", "invalid_request"), ("PromptTooLongForModel", "context_overflow"),
    ],
)  # fmt: skip
def test_a_code_nobody_knows_is_read_as_words(code: str, kind: str) -> None:
    """Whatever joins its words: capitals, dots or dashes."""
    assert kind == classify({"error": {"code": code, "message": "No."}}).kind


def test_a_status_that_nobody_defined_blames_nobody() -> None:
    assert FailureKind.OVERLOADED == classify(Response(498, {"message": "tier capacity exceeded"})).kind
    assert FailureKind.INVALID_REQUEST == classify(Response(400, {"message": "tier capacity exceeded"})).kind


def test_an_error_that_came_as_a_success_is_no_normal_answer() -> None:
    failure = classify(Response(200, {"error_code": 7, "error_msg": "no"}))
    assert (FailureKind.UNKNOWN, True) == (failure.kind, failure.page)
    assert FailureKind.RATE_LIMITED == classify(Response(200, {"error_code": 18, "error_msg": "qps reached"})).kind
    assert FailureKind.NONE == classify(Response(200, {"success": True, "errors": []})).kind


def test_trouble_inside_a_server_is_not_the_requests_fault() -> None:
    failure = classify(Response(500, {"error": {"message": "We met an unexpected internal error."}}))
    assert (FailureKind.OVERLOADED, True) == (failure.kind, failure.retryable)


def test_a_locked_account_is_no_rate() -> None:
    """A bare 429 says less than a code for keys and accounts."""
    failure = classify(Response(429, {"error": {"code": "1112", "message": "您的账户已被锁定"}}))
    assert (FailureKind.AUTH, False) == (failure.kind, failure.retryable)


def test_a_short_wait_is_no_day() -> None:
    """A daily allowance that rolls comes back before the day is over."""
    told = "Rate limit on requests per day: limit 100, used 100. Try again in 8.64s."
    failure = classify(Response(429, {"error": {"message": told}}))
    assert (FailureKind.RATE_LIMITED, True, 8.64) == (failure.kind, failure.retryable, failure.retry_after)


def test_what_was_used_is_not_what_was_asked() -> None:
    """Only a request above the whole allowance never passes; what was used before it does not count."""
    assert classify(Response(429, {"message": "current tpm: 12260, tpm limit: 5000"})).retryable
    assert not classify(Response(429, {"message": "Limit 5000 tokens per minute, requested 12260"})).retryable


PROMPT = "prompt is too long: 9000 tokens > 8192 maximum"
INNER = {"type": "error", "error": {"type": "invalid_request_error", "message": PROMPT}}


@pytest.mark.parametrize(
    "body",
    [
        INNER,
        [INNER],
        json.dumps(INNER),
        json.dumps(INNER).encode(),
        json.dumps(json.dumps(INNER)),
        repr(INNER),
        {"error": {"message": json.dumps(INNER), "code": "400", "type": "None"}},
        {"error": {"message": f"upstream said: b'{json.dumps(INNER)}'. No fallback.", "code": 400}},
        {"error": {"message": f"wrapped.Error: Wrapped - Error code: 400 - {INNER!r}"}},
        {"error": {"message": "Provider returned error", "code": 400, "metadata": {"raw": json.dumps(INNER)}}},
        {"error": {"message": "Param Incorrect", "param": PROMPT}},
        {"errors": [{"message": PROMPT, "code": 7}], "success": False},
        {"detail": PROMPT},
        {"detail": [{"msg": PROMPT, "loc": ["body"]}]},
        {"error": PROMPT},
        {"Response": {"Error": {"Code": "InvalidParameter", "Message": PROMPT}}},
        {"base_resp": {"status_code": 2013, "status_msg": PROMPT}},
        f"event: error\ndata: {json.dumps(INNER)}\n\n",
        f"data: {json.dumps(INNER)}\n\ndata: [DONE]\n\n",
        ["error", INNER],
        f"<html><body><h1>400</h1><p>{PROMPT}</p></body></html>",
    ],
)
def test_wrappers_are_taken_off(body: Any) -> None:
    """JSON in strings, Python in strings, lists, streams, pages: the same is found in all."""
    for error in (body, Response(400, body if isinstance(body, str) else json.dumps(body, default=str))):
        failure = classify(error)
        assert (OVERFLOW, 9000, 8192) == (failure.kind, failure.tokens, failure.limit)
        assert failure.provider_message is not None
        assert "prompt is too long" in failure.provider_message


def test_the_chain_is_followed_to_who_knows() -> None:
    """Causes, contexts, groups and originals; the outermost that is sure decides."""
    inner = Refused(status_code=400, body=INNER)
    caused = RuntimeError("the step failed")
    caused.__cause__ = inner
    grouped = ExceptionGroup("several", [ValueError("?"), caused])
    kept = Refused("wrapped", original_exception=inner)
    given = ValueError("failed", inner)
    for error in (caused, grouped, kept, given, ValueError(INNER)):
        assert OVERFLOW == classify(error).kind


def test_a_context_that_was_suppressed_is_not_followed() -> None:
    """``raise ... from None`` says that the two have nothing to do with each other."""
    error = RuntimeError("something else")
    error.__context__ = Refused(status_code=400, body=INNER)
    assert OVERFLOW == classify(error).kind
    error.__suppress_context__ = True
    assert FailureKind.UNKNOWN == classify(error).kind


def test_a_status_gives_way_to_a_reason_deeper_down() -> None:
    """A wrapper that only kept the status does not hide what its cause says."""
    outer = Refused("Error code: 413", status_code=413)
    outer.__cause__ = Refused(status_code=413, body={"error": "your prompt is too long"})
    assert OVERFLOW == classify(outer).kind


@pytest.mark.parametrize(
    "body",
    [
        {"detail": [{"type": "string_type", "msg": "Input should be a valid string", "input": PROMPT}]},
        {"error": {"message": repr([{"msg": "Input should be a valid list", "input": {"content": PROMPT}}])}},
        {"error": {"message": f"Invalid role. Got: 'user says {PROMPT}'"}},
        {"error": {"message": "Invalid type for 'messages'", "messages": [{"role": "user", "content": PROMPT}]}},
    ],
)
def test_echoes_of_the_request_are_nobodys_complaint(body: Any) -> None:
    assert FailureKind.INVALID_REQUEST == classify(Response(422, body)).kind


@pytest.mark.parametrize(
    "answer",
    [
        chat(text=PROMPT),
        {"choices": [{"finish_reason": "stop", "message": {"role": "assistant", "content": PROMPT}}]},
        {"choices": [{"index": 0, "delta": {"content": PROMPT}, "finish_reason": None}]},
        {
            "role": "assistant",
            "type": "message",
            "content": [{"type": "text", "text": PROMPT}],
            "stop_reason": "end_turn",
        },
        {"type": "content_block_delta", "delta": {"type": "text_delta", "text": PROMPT}, "usage": {"output_tokens": 1}},
        {
            "status": "completed",
            "error": None,
            "output": [{"content": [{"text": PROMPT}]}],
            "usage": {"input_tokens": 9},
        },
        {"candidates": [{"content": {"parts": [{"text": PROMPT}]}, "finishReason": "STOP"}]},
        {"output": {"message": {"role": "assistant", "content": [{"text": PROMPT}]}}, "stopReason": "tool_use"},
        {"message": {"role": "assistant", "content": PROMPT}, "done_reason": "stop", "prompt_eval_count": 20},
        Response(200, {"choices": [{"finish_reason": "stop", "message": {"role": "assistant", "content": PROMPT}}]}),
    ],
)
def test_what_a_model_says_is_no_failure(answer: Any) -> None:
    """A normal answer is none, even one about prompts that are too long."""
    failure = classify(answer)
    assert (FailureKind.NONE, False, False, None) == (failure.kind, failure.retryable, failure.page, failure.message)


@pytest.mark.parametrize(
    ("answer", "kind"),
    [
        ({"stop_reason": "model_context_window_exceeded", "content": []}, "context_overflow"),
        ({"stopReason": "model_context_window_exceeded"}, "context_overflow"),
        (chat("model_length"), "context_overflow"),
        ({"results": [{"generated_text": "a", "stop_reason": "token_limit"}]}, "context_overflow"),
        ({"promptFeedback": {"blockReason": "OTHER"}}, "none"),
        (chat("length", prompt_tokens=9, completion_tokens=5), "output_limit"),
        (chat("length", prompt_tokens=8192, completion_tokens=0), "context_overflow"),
        ({"stop_reason": "max_tokens", "content": [{"type": "text", "text": "a"}]}, "output_limit"),
        ({"candidates": [{"finishReason": "MAX_TOKENS"}]}, "output_limit"),
        ({"status": "incomplete", "incomplete_details": {"reason": "max_output_tokens"}, "output": []}, "output_limit"),
        ({"status": "incomplete", "incomplete_details.reason": "max_output_tokens"}, "output_limit"),
        ({"type": "message_delta", "delta": {"stop_reason": "max_tokens"}}, "output_limit"),
        (chat("error"), "overloaded"),
        ({"choices": [{"finish_reason": "error", "error": {"code": 502, "message": "broken off"}}]}, "overloaded"),
        ({"choices": None, "error": {"code": 400, "message": PROMPT}}, "context_overflow"),
        (SimpleNamespace(choices=None, model_extra={"error": {"code": 402, "message": "no"}}), "quota"),
        ({"type": "response.failed", "response": {"status": "failed", "output": [],
          "error": {"code": "context_length_exceeded", "message": "no"}}}, "context_overflow"),
        ({"type": "response.failed", "response": {"error": {"code": "insufficient_quota", "message": "no"}}}, "quota"),
    ],
)  # fmt: skip
def test_answers_that_tell_of_a_failure(answer: Any, kind: str) -> None:
    """Stop reasons, and errors that come with status 200."""
    assert kind == classify(answer).kind


def test_a_server_that_cuts_in_silence_is_found_out() -> None:
    """By the window, by our own estimate, or by an answer that had no room for its first word."""
    assert FailureKind.NONE == classify(chat(prompt_tokens=9000)).kind
    told = classify(chat(prompt_tokens=9000), window=8192)
    assert (OVERFLOW, 9000, 8192) == (told.kind, told.tokens, told.limit)
    cut = classify({"done_reason": "stop", "prompt_eval_count": 4096}, estimate=50_000)
    assert (OVERFLOW, 4096, 4096) == (cut.kind, cut.tokens, cut.limit)
    assert FailureKind.NONE == classify({"done_reason": "stop", "prompt_eval_count": 40_000}, estimate=50_000).kind


@pytest.mark.parametrize(
    ("text", "advice"),
    [
        ("Maximum context length: 8192. You requested 8292 (100 in the messages, 8192 in the completion).", "output"),
        ("Maximum context length: 8192. You requested 9100 (100 in the messages, 9000 in the functions).", "tool"),
        ("The compaction block exceeds the context window.", "compaction"),
    ],
)  # fmt: skip
def test_what_trimming_cannot_cure_is_the_developers(text: str, advice: str) -> None:
    """The person reads nothing, the team is called, and told what to change."""
    failure = classify(Response(400, {"error": {"message": text}}))
    assert (OVERFLOW, False, True, None) == (failure.kind, failure.shrink_helps, failure.page, failure.message)
    assert failure.advice is not None
    assert advice in failure.advice


@pytest.mark.parametrize(
    ("text", "excess", "tokens", "limit"),
    [
        (
            "too many tokens: over the size limit by 500 tokens. The limit for this model is 8000 tokens.",
            500,
            8500,
            8000,
        ),
        ("the prompt exceeds the context by 12 tokens", 0, None, None),
        ("prompt too long; exceeded the context length by 40 tokens", 40, None, None),
    ],
)
def test_excess_is_told_where_that_is_all_there_is(
    text: str, excess: int, tokens: int | None, limit: int | None
) -> None:
    """And added to the limit where there is one; what is too small to be told from an index is left out."""
    failure = classify(RuntimeError(text))
    assert (OVERFLOW, excess or None, tokens, limit) == (failure.kind, failure.excess, failure.tokens, failure.limit)


def test_one_request_above_the_whole_allowance_never_passes() -> None:
    """Waiting does not help, shrinking does; below it, waiting does."""
    over = classify(
        Response(413, {"error": {"message": "Request too large for tokens per minute: Limit 6000, Requested 7000"}})
    )
    assert (FailureKind.RATE_LIMITED, False, True, 7000, 6000) == (
        over.kind, over.retryable, over.shrink_helps, over.tokens, over.limit,
    )  # fmt: skip
    text = "Tokens per minute: Limit 6000, Used 5000, Requested 2000. Try again in 10.5s."
    under = classify(Response(429, {"error": {"message": text}}))
    assert (True, 2000, 6000, 10.5) == (under.retryable, under.tokens, under.limit, under.retry_after)


def test_a_day_is_too_long_to_wait_in_a_loop() -> None:
    failure = classify(Response(429, {"error": {"message": "slow down"}}, {"Retry-After": "86400"}))
    assert (FailureKind.RATE_LIMITED, False, 86_400.0) == (failure.kind, failure.retryable, failure.retry_after)


def test_codes_are_read_before_words() -> None:
    """Whatever the status, the language and the wording."""
    assert OVERFLOW == classify({"error": {"code": "context_length_exceeded", "message": "nope"}}).kind
    assert OVERFLOW == classify(Response(500, {"error": {"type": "exceed_context_size_error", "n_ctx": 4096}})).kind
    assert (
        FailureKind.QUOTA
        == classify(Response(429, {"error": {"code": "insufficient_quota", "message": "too fast"}})).kind
    )
    assert OVERFLOW == classify(Response(400, {"error": {"code": "brand_new_prompt_too_long", "message": "no"}})).kind


def test_the_field_that_is_meant_is_read() -> None:
    """The words alone would not tell whose limit it is."""
    body = {"error": {"message": "Above the maximum: expected a value <= 8192.", "param": "max_completion_tokens"}}
    assert FailureKind.OUTPUT_LIMIT == classify(Response(400, body)).kind


def test_counts_are_read_from_fields() -> None:
    body = {"error": {"code": 400, "type": "exceed_context_size_error", "n_prompt_tokens": 9000, "n_ctx": 8192}}
    assert (9000, 8192) == (classify(body).tokens, classify(body).limit)


def test_a_proxy_is_for_operations() -> None:
    """A page instead of JSON: the provider never saw the request."""
    page = "<html><head><title>413 Request Entity Too Large</title></head></html>"
    failure = classify(Response(413, page))
    assert (FailureKind.PAYLOAD_TOO_LARGE, True, True) == (failure.kind, failure.page, failure.advice is not None)


def test_an_embedding_is_no_conversation() -> None:
    """The same words, but the path of the request tells."""
    error = Refused(status_code=400, body={"message": "input exceeds the context length"})
    error.request = SimpleNamespace(url=SimpleNamespace(path="/v1/embeddings"))  # type: ignore[attr-defined]
    assert FailureKind.INVALID_REQUEST == classify(error).kind


@pytest.mark.parametrize("error", [ConnectionResetError(), TimeoutError(), BrokenPipeError(), ConnectionRefusedError()])
def test_no_answer_is_worth_another_try(error: Exception) -> None:
    assert (FailureKind.NETWORK, True) == (classify(error).kind, is_retryable(error))


@pytest.mark.parametrize("language", languages())
def test_the_person_reads_their_own_language(language: str) -> None:
    assert phrases(language).too_long == classify(INNER, language=language).message


def test_a_wrapper_and_its_cause_are_read_together() -> None:
    """One has the code, the other the numbers; what only came before may be of another request."""
    text = "Maximum context length: 8192. You requested 8292 (100 in the messages, 8192 in the completion)."
    cause = Refused(status_code=400, headers={"retry-after": "7"}, body={"error": {"message": text}})
    wrapper = Refused("Unable to trim the context window: it is exceeded", code="context_length_exceeded")
    wrapper.__cause__ = cause
    failure = classify(wrapper)
    assert (400, 8292, 8192, 7.0) == (failure.status, failure.tokens, failure.limit, failure.retry_after)
    assert (True, False) == (failure.page, failure.shrink_helps)
    wrapper.__cause__, wrapper.__context__ = None, cause
    assert (None, None) == (classify(wrapper).status, classify(wrapper).tokens)


def test_what_the_caller_says_is_checked() -> None:
    for wrong, error in ((-1, ValueError), ("8192", TypeError), (True, TypeError), (8192.0, TypeError)):
        for name in ("window", "estimate"):
            with pytest.raises(error, match=f"{name} must be"):
                classify({}, **{name: wrong})  # type: ignore[arg-type]


def test_a_language_without_texts_is_refused() -> None:
    with pytest.raises(ValueError, match="language must be one of"):
        classify(INNER, language="tlh")


def test_the_names_are_public() -> None:
    assert {"classify", "is_retryable", "Failure", "FailureKind"} <= set(longturn.__all__)


@pytest.mark.parametrize("thing", [None, 0, "", b"", {}, [], object(), classify, type])
def test_what_tells_nothing_is_unknown(thing: object) -> None:
    assert FailureKind.UNKNOWN == classify(thing).kind
