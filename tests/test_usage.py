"""Learning from what providers report ([K1], [K2]), on a grid and upwards only ([H5])."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from copy import copy, deepcopy
from itertools import pairwise
from pathlib import Path
from random import Random
from statistics import median
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from recordings import recorded
from strategies import SHAPES, policies, transcript

import longturn
from longturn import Policy, Window
from longturn.cli.sessions.base import Thread
from longturn.tokens.usage import Calibration, checked_ratio, input_tokens

# ---------------------------------------------------------------------- what is reported

USAGES: dict[str, tuple[Any, int | None]] = {
    "a number": (1_110, 1_110),
    "none": (None, None),
    "nothing counted": ({"input_tokens": 0, "output_tokens": 0}, None),
    "anthropic": (
        {"input_tokens": 100, "cache_read_input_tokens": 1_000, "cache_creation_input_tokens": 10, "output_tokens": 5},
        1_110,
    ),
    "anthropic without a cache": ({"input_tokens": 100, "cache_read_input_tokens": None, "output_tokens": 5}, 100),
    "anthropic with server tools": (
        {
            "input_tokens": 3_000,
            "iterations": [
                {"type": "message", "input_tokens": 900},
                {"type": "message", "input_tokens": 1_000, "cache_read_input_tokens": 110},
                {"type": "compaction", "input_tokens": 5_000},
            ],
        },
        1_110,
    ),
    "openai-chat": (
        {"prompt_tokens": 1_110, "completion_tokens": 5, "prompt_tokens_details": {"cached_tokens": 1_000}},
        1_110,
    ),
    "openai-responses": (
        {"input_tokens": 1_110, "input_tokens_details": {"cached_tokens": 1_000}, "output_tokens": 5},
        1_110,
    ),
    "litellm": (
        {"prompt_tokens": 1_110, "cache_read_input_tokens": 1_000, "cache_creation_input_tokens": 10},
        1_110,
    ),
    "gemini": ({"prompt_token_count": 1_110, "cached_content_token_count": 1_000}, 1_110),
    "gemini over REST": ({"promptTokenCount": 1_110, "cachedContentTokenCount": 1_000}, 1_110),
    "bedrock": ({"inputTokens": 100, "cacheReadInputTokens": 1_000, "cacheWriteInputTokens": 10}, 1_110),
    "strands": (
        {"inputTokens": 100, "outputTokens": 7, "totalTokens": 1_117, "cacheReadInputTokens": 1_010},
        1_110,
    ),
    "langchain": ({"input_tokens": 1_110, "input_token_details": {"cache_read": 1_000, "cache_creation": 10}}, 1_110),
    "pydantic-ai": ({"input_tokens": 1_110, "cache_read_tokens": 1_000, "cache_write_tokens": 10}, 1_110),
    "agent-framework": ({"input_token_count": 1_110, "cache_read_input_token_count": 1_000}, 1_110),
    "agent-framework over a provider that counts apart": (
        {"input_token_count": 110, "cache_read_input_token_count": 1_000},
        1_110,
    ),
    "anthropic, writes by their time to live": (
        {
            "input_tokens": 100,
            "cache_read_input_tokens": 1_000,
            "cache_creation": {"ephemeral_5m_input_tokens": 7, "ephemeral_1h_input_tokens": 3},
        },
        1_110,
    ),
    "anthropic, writes told twice": (
        {
            "input_tokens": 100,
            "cache_read_input_tokens": 1_000,
            "cache_creation_input_tokens": 10,
            "cache_creation": {"ephemeral_5m_input_tokens": 7, "ephemeral_1h_input_tokens": 3},
        },
        1_110,
    ),
    "strands over openai": (
        {"inputTokens": 1_110, "outputTokens": 7, "totalTokens": 1_117, "cacheReadInputTokens": 1_010},
        1_110,
    ),
    "agno over anthropic": ({"input_tokens": 100, "cache_read_tokens": 1_000, "cache_write_tokens": 10}, 1_110),
    "agno over openai": ({"input_tokens": 1_110, "cache_read_tokens": 1_000, "cache_write_tokens": 0}, 1_110),
    "haystack over anthropic": ({"prompt_tokens": 100, "cache_read_input_tokens": 1_010}, 1_110),
    "openai-agents": (
        {
            "requests": 2,
            "input_tokens": 1_900,
            "request_usage_entries": [{"input_tokens": 790}, {"input_tokens": 1_110}],
        },
        1_110,
    ),
    "smolagents": ({"input_tokens": 1_110, "output_tokens": 7, "total_tokens": 1_117}, 1_110),
    "autogen": ({"prompt_tokens": 1_110, "completion_tokens": 7}, 1_110),
}


def as_object(value: Any) -> Any:
    """Return an SDK's object in place of each mapping."""
    if isinstance(value, dict):
        return SimpleNamespace(**{key: as_object(member) for key, member in value.items()})
    return [as_object(item) for item in value] if isinstance(value, list) else value


@pytest.mark.parametrize(("usage", "tokens"), USAGES.values(), ids=USAGES)
def test_K1_cached_tokens_count_once(usage: Any, tokens: int | None) -> None:
    """Some providers report them apart, others as a part of the input; as mappings or as objects."""
    assert tokens == input_tokens(usage)
    assert tokens == input_tokens(as_object(usage))


@pytest.mark.parametrize(
    "holder",
    ["usage", "usage_metadata", "usageMetadata", "usage_details", "models_usage", "token_usage", "metrics"],
)
def test_K1_an_answer_may_stand_for_its_usage(holder: str) -> None:
    """Whole responses are what callers have at hand."""
    answer = {"id": "msg_1", holder: {"prompt_tokens": 7}}
    assert input_tokens(answer) == 7
    assert input_tokens(as_object(answer)) == 7


@pytest.mark.parametrize("path", [("metadata", "usage"), ("meta", "usage"), ("raw", "usage")])
def test_K1_a_message_may_hold_it_deeper(path: tuple[str, str]) -> None:
    """Strands, Haystack and LlamaIndex keep it with other facts about the answer."""
    answer = {"role": "assistant", path[0]: {"model": "m", path[1]: {"prompt_tokens": 7}}}
    assert input_tokens(answer) == 7
    assert input_tokens(as_object(answer)) == 7


def test_K1_the_sum_of_a_run_is_refused() -> None:
    """It is of no request; taken for one, it would say that the last was as large as all."""
    with pytest.raises(TypeError, match=r"usage must be of one request \(got dict, a sum of 3\)"):
        input_tokens({"requests": 3, "input_tokens": 3_300})
    assert input_tokens({"requests": 1, "input_tokens": 1_110}) == 1_110


def anthropic_usage() -> Any:
    from anthropic.types import Message, Usage

    usage = Usage(input_tokens=100, cache_read_input_tokens=1_000, cache_creation_input_tokens=10, output_tokens=5)
    return Message.model_construct(usage=usage, content=[], role="assistant", type="message")


def anthropic_writes() -> Any:
    from anthropic.types import Usage
    from anthropic.types.cache_creation import CacheCreation

    creation = CacheCreation(ephemeral_5m_input_tokens=4, ephemeral_1h_input_tokens=6)
    return Usage(input_tokens=100, cache_read_input_tokens=1_000, cache_creation=creation, output_tokens=5)


def anthropic_iterations() -> Any:
    from anthropic.types.beta import BetaUsage

    none = {"cache_creation": None, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0, "output_tokens": 5}
    rounds = [
        {**none, "type": "message", "input_tokens": 100, "cache_read_input_tokens": 1_010},
        {**none, "type": "compaction", "input_tokens": 9_000},
    ]
    return BetaUsage.model_validate({**none, "input_tokens": 9_100, "iterations": rounds})


def openai_chat_usage() -> Any:
    from openai.types import CompletionUsage

    details = {"cached_tokens": 1_000}
    found = {"prompt_tokens": 1_110, "completion_tokens": 5, "total_tokens": 1_115, "prompt_tokens_details": details}
    return CompletionUsage.model_validate(found)


def openai_responses_usage() -> Any:
    from openai.types.responses import Response, ResponseUsage

    usage = ResponseUsage.model_construct(
        input_tokens=1_110, input_tokens_details={"cached_tokens": 1_000}, output_tokens=5, total_tokens=1_115
    )
    return Response.model_construct(usage=usage, metadata={"run": "7"})


def gemini_usage() -> Any:
    from google.genai.types import GenerateContentResponse, GenerateContentResponseUsageMetadata

    usage = GenerateContentResponseUsageMetadata(prompt_token_count=1_110, cached_content_token_count=1_000)
    return GenerateContentResponse(usage_metadata=usage)


def litellm_usage() -> Any:
    from litellm.types.utils import Usage

    return Usage(
        prompt_tokens=1_110,
        completion_tokens=5,
        total_tokens=1_115,
        cache_read_input_tokens=1_000,
        cache_creation_input_tokens=10,
    )


def langchain_message() -> Any:
    from langchain_core.messages import AIMessage

    details = {"cache_read": 1_000, "cache_creation": 10}
    usage = {"input_tokens": 1_110, "output_tokens": 5, "total_tokens": 1_115, "input_token_details": details}
    return AIMessage("Hi.", usage_metadata=usage)


def pydantic_ai_response() -> Any:
    from pydantic_ai.messages import ModelResponse, TextPart
    from pydantic_ai.usage import RequestUsage

    usage = RequestUsage(input_tokens=1_110, cache_read_tokens=1_000, cache_write_tokens=10, output_tokens=5)
    return ModelResponse([TextPart("Hi.")], usage=usage)


def openai_agents_usage() -> Any:
    from agents.usage import Usage

    total = Usage()
    for tokens in (500, 1_110):
        total.add(Usage(requests=1, input_tokens=tokens, output_tokens=5, total_tokens=tokens + 5))
    return total


def haystack_reply() -> Any:
    from haystack.dataclasses import ChatMessage

    return ChatMessage.from_assistant("Hi.", meta={"model": "m", "usage": {"prompt_tokens": 1_110}})


def agno_message() -> Any:
    from agno.metrics import MessageMetrics
    from agno.models.message import Message

    metrics = MessageMetrics(input_tokens=100, cache_read_tokens=1_000, cache_write_tokens=10, output_tokens=5)
    return Message(role="assistant", content="Hi.", metrics=metrics)


def agent_framework_response() -> Any:
    from agent_framework import ChatResponse, Message

    usage = {"input_token_count": 1_110, "cache_read_input_token_count": 1_000}
    return ChatResponse(messages=[Message("assistant", ["Hi."])], usage_details=usage)


def smolagents_message() -> Any:
    from smolagents.models import ChatMessage
    from smolagents.monitoring import TokenUsage

    return ChatMessage(role="assistant", content="Hi.", token_usage=TokenUsage(1_110, 5))


def autogen_result() -> Any:
    from autogen_core.models import CreateResult, RequestUsage

    usage = RequestUsage(prompt_tokens=1_110, completion_tokens=5)
    return CreateResult(finish_reason="stop", content="Hi.", usage=usage, cached=False)


OF_SDKS = {
    "haystack.dataclasses": haystack_reply,
    "agno": agno_message,
    "agent_framework": agent_framework_response,
    "smolagents": smolagents_message,
    "autogen_core": autogen_result,
    "anthropic": anthropic_usage,
    "anthropic writes": anthropic_writes,
    "anthropic iterations": anthropic_iterations,
    "openai": openai_chat_usage,
    "openai responses": openai_responses_usage,
    "google.genai": gemini_usage,
    "litellm": litellm_usage,
    "langchain_core": langchain_message,
    "pydantic_ai": pydantic_ai_response,
    "agents": openai_agents_usage,
}


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize("name", OF_SDKS)
def test_K1_objects_of_real_sdks_are_read(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A request of 1,110 tokens, 1,000 of them cached, as each SDK reports it."""
    monkeypatch.setenv("LITELLM_LOCAL_MODEL_COST_MAP", "true")  # it would ask the network for prices
    pytest.importorskip(name.split(maxsplit=1)[0])
    assert input_tokens(OF_SDKS[name]()) == 1_110


@pytest.mark.parametrize("wrong", ["100", 1.5, True, {}, {"output_tokens": 3}, {"input_tokens": "many"}, object()])
def test_what_reports_no_input_is_refused(wrong: Any) -> None:
    """With the names that would do."""
    with pytest.raises(TypeError, match="usage must be a number of tokens, or have one of prompt_tokens, "):
        input_tokens(wrong)


# ---------------------------------------------------------------------- what is learned

KNOWN, TOLD = Calibration(), Calibration(ratio=1.5, is_telling=True)


@pytest.mark.parametrize(
    ("before", "estimated", "counted", "ratio"),
    [
        (KNOWN, 50_000, 50_000, 1.0),
        (KNOWN, 50_000, 53_000, 1.0),  # within the dead band
        (KNOWN, 50_000, 53_125, 1.0),
        (KNOWN, 50_000, 53_126, 1.125),  # up to the next sixteenth
        (KNOWN, 50_000, 75_000, 1.5),
        (KNOWN, 50_000, 75_001, 1.5625),
        (KNOWN, 50_000, 20_000, 1.0),  # never down
        (KNOWN, 50_000, 900_000, 4.0),  # bounded
        (TOLD, 50_000, 79_000, 1.5),
        (TOLD, 50_000, 80_000, 1.625),
        (TOLD, 50_000, 10_000, 1.5),
    ],
)
def test_H5_the_ratio_moves_up_in_sixteenths_beyond_a_dead_band(
    before: Calibration, estimated: int, counted: int, ratio: float
) -> None:
    """Down never, and no further than to what was seen, rounded up."""
    assert ratio == before.learned(estimated, counted, 100_000).ratio


def test_what_small_requests_teach_is_forgotten_at_the_first_large_one() -> None:
    """Their counts are mostly of frames and hidden prompts; nothing near the budget was decided by them."""
    small = KNOWN.learned(100, 390, 100_000)
    assert small.ratio == 3.9375
    assert small.learned(150, 200, 100_000).ratio == 3.9375
    large = small.learned(10_000, 12_000, 100_000)
    assert large.ratio == 1.25
    assert large.learned(100, 390, 100_000).ratio == 3.9375


def test_a_ratio_that_was_set_is_a_floor() -> None:
    """Someone knew; a report can only say that it is more."""
    calibration = Calibration(1.5, 1.5).learned(100, 390, 100_000)
    assert calibration.learned(50_000, 50_000, 100_000).ratio == 1.5


@pytest.mark.parametrize(
    ("value", "ratio"), [(1, 1.0), (0.5, 0.5), (4.0, 4.0), (1.01, 1.0625), (1.5, 1.5), (0.7, 0.75)]
)
def test_a_ratio_is_set_on_the_grid(value: float, ratio: float) -> None:
    """Between two sixteenths the upper one is meant."""
    assert ratio == checked_ratio(value)
    window = Window(10_000)
    window.ratio = value
    assert ratio == window.ratio


@pytest.mark.parametrize(
    ("value", "error", "said"),
    [
        (0.4, ValueError, "ratio must lie between 0.5 and 4.0 (got 0.4); it is the provider's tokens to one"),
        (5, ValueError, "ratio must lie between 0.5 and 4.0 (got 5)"),
        (10**400, ValueError, "ratio must lie between 0.5 and 4.0 (got 1000"),
        (float("nan"), ValueError, "ratio must lie between 0.5 and 4.0 (got nan)"),
        (float("inf"), ValueError, "ratio must lie between 0.5 and 4.0 (got inf)"),
        ("1.5", TypeError, "ratio must be a number (got '1.5')"),
        (True, TypeError, "ratio must be a number (got True)"),
    ],
)
def test_a_ratio_out_of_bounds_is_refused(value: Any, error: type[Exception], said: str) -> None:
    """And the old one stays."""
    window = Window(10_000)
    with pytest.raises(error) as caught:
        window.ratio = value
    assert str(caught.value).startswith(said)
    assert window.ratio == 1.0


# ---------------------------------------------------------------------- what a window does with it


def rounds(count: int, size: int = 1_000) -> list[dict[str, Any]]:
    history: list[dict[str, Any]] = [{"role": "user", "content": "Count the words."}]
    for number in range(count):
        use = {"type": "tool_use", "id": f"call_{number}", "name": "read", "input": {}}
        result = {"type": "tool_result", "tool_use_id": f"call_{number}", "content": "a" * 4 * size}
        history += [{"role": "assistant", "content": [use]}, {"role": "user", "content": [result]}]
    return history


def errors(run: Thread) -> list[float]:
    """Return how far off each request was expected, as a share, from the one after the first report on."""
    window, found = Window(200_000, format=run.format), []
    for length, counted in sorted(run.reported.items()):
        fitted = window.fit(run.messages[:length], system=run.system, tools=run.tools)
        if fitted.expected is not None:
            found.append(abs(fitted.expected / counted - 1))
        window.observe(fitted, counted)
    return found


def _runs() -> Iterator[tuple[str, Thread]]:
    if folder := os.environ.get("LONGTURN_DATA"):
        yield from recorded(Path(folder) / "traces")


RUNS = list(_runs())
NO_RUNS = "LONGTURN_DATA does not name a folder of recorded data"


def test_K1_nothing_observed_nothing_changes() -> None:
    """A window that was told nothing sends what the estimate says."""
    window = Window(10_000)
    assert window.ratio == 1.0
    fitted = window.fit(rounds(3))
    window.observe(fitted, None)
    assert window.fit(rounds(3)) == Window(10_000).fit(rounds(3))
    assert fitted.expected is None


def test_K1_a_ratio_makes_the_budget_smaller() -> None:
    """What fits is what fits at the provider: half as much where it counts double."""
    history = rounds(9)
    window, same = Window(10_000), Window(5_000)
    window.observe(window.fit(history[:5]), {"input_tokens": 2 * window.fit(history[:5]).tokens})
    assert window.ratio == 2.0
    fitted = window.fit(history)
    assert fitted.messages == same.fit(history).messages
    assert fitted.tokens == longturn.estimate(fitted.messages) <= 5_000
    assert (fitted.budget, fitted.fits) == (10_000, True)


def test_K1_what_is_over_the_smaller_budget_does_not_fit() -> None:
    """The report speaks of the provider's tokens, too."""
    window = Window(10_000)
    history = rounds(1, size=7_000)
    assert window.fit(history).fits
    window.ratio = 1.5
    assert not window.fit(history).fits


def test_K1_the_ratio_is_a_plain_value_that_another_window_takes() -> None:
    """Save it with the conversation; a copy of a window has it, too."""
    window = Window(10_000)
    window.observe(window.fit(rounds(3)), window.fit(rounds(3)).tokens * 3 // 2)
    other = Window(10_000)
    other.ratio = window.ratio
    history = rounds(9)
    assert window.fit(history).messages == other.fit(history).messages
    assert window.ratio == copy(window).ratio == deepcopy(window).ratio == 1.5


def test_K1_what_the_provider_holds_teaches_nothing() -> None:
    """Its count is of messages that nobody here has seen."""
    window = Window(10_000)
    with pytest.warns(UserWarning, match="a history that the provider keeps"):
        fitted = window.fit_request({"previous_response_id": "resp_1", "input": [{"role": "user", "content": "And?"}]})
    window.observe(fitted, 9_000)
    assert window.ratio == 1.0


@pytest.mark.filterwarnings("ignore:a budget of")
@pytest.mark.parametrize("format", SHAPES)
@pytest.mark.parametrize("seed", range(4))
def test_K2_a_request_that_extends_the_reported_one_is_anchored(format: str, seed: int) -> None:
    """The report, and the estimate of what is new at the pace of what was; None before the first report."""
    made = transcript(seed, format, steps=12)
    window = Window(policy=policies(Random(seed), made.messages), format=format)
    for request, length in enumerate(range(1, len(made.messages), 2)):
        fitted = window.fit(made.messages[:length])
        counted = fitted.tokens * 9 // 8 + 17
        assert (request == 0) == (fitted.expected is None)
        if request > 0:  # what came or went since is known to an eighth, all else exactly
            assert fitted.expected == pytest.approx(counted, abs=fitted.tokens_before / 8 + 20)
        window.observe(fitted, counted)


def test_K2_a_report_is_close_after_one_request() -> None:
    """Off by half in estimates, the next request is known within a few percent."""
    window, history = Window(100_000), rounds(30)
    for length in range(21, len(history), 2):
        before = window.fit(history[:length])
        window.observe(before, int(before.tokens * 1.5))
        after = window.fit(history[: length + 2])
        assert after.expected == pytest.approx(after.tokens * 1.5, rel=0.04)


def test_K2_what_was_reported_stays_what_it_was() -> None:
    """The list that was sent is the caller's, who may go on with it."""
    window, history = Window(100_000), rounds(3)
    fitted = window.fit(history[:5])
    window.observe(fitted, 3_000)
    fitted.messages.append("answer")
    after = window.fit(history)
    assert after.expected == 3_000 + (after.tokens - fitted.tokens)


def test_K2_what_is_not_estimated_is_in_the_report() -> None:
    """A prompt that a framework adds is in every count, and moves nothing."""
    window, history, hidden = Window(100_000), rounds(9, size=500), 20_000
    for length in range(1, len(history), 2):
        fitted = window.fit(history[:length])
        assert fitted.expected in (None, fitted.tokens + hidden)
        window.observe(fitted, fitted.tokens + hidden)


HEAVY, LIGHT = "7f9c24e5 " * 1_000, "All work and no play. " * 400


def weigh(messages: list[Any]) -> int:
    """Count as a provider to whom identifiers are three times what is estimated, and all else what it is."""
    return sum(longturn.estimate([one]) * (3 if HEAVY in str(one) else 1) for one in messages)


@pytest.mark.parametrize("heavy", [range(4), range(8, 12), range(0, 20, 2)], ids=["old", "later", "every other"])
def test_K3_after_a_cut_what_is_gone_weighs_what_it_was_counted_at(heavy: range) -> None:
    """Results that weigh three times their estimate leave with that weight, others with theirs."""
    history = rounds(20)
    for number, message in enumerate(history[2::2]):
        message["content"][0]["content"] = HEAVY if number in heavy else LIGHT
    window, cuts = Window(40_000), 0
    unknown = 3 * longturn.estimate(HEAVY)  # the newest result, or the one that came with the cut before
    before: list[Any] = []
    for length in range(1, len(history) + 1, 2):
        fitted = window.fit(history[:length])
        counted = weigh(fitted.messages)
        if fitted.messages[: len(before)] != before:
            cuts += 1
            assert fitted.expected == pytest.approx(counted, rel=0.02, abs=unknown)
        window.observe(fitted, counted)
        before = fitted.messages
    assert cuts > 0


def test_K3_a_cut_without_a_report_is_expected_all_the_same() -> None:
    """One report, then none for long: what is expected goes on from cut to cut; a rewind is told from the report."""
    window, history = Window(20_000), rounds(60)
    fitted = window.fit(history[:21])
    window.observe(fitted, fitted.tokens + 500)
    before, cuts = fitted.messages, 0
    for length in range(23, len(history), 2):
        fitted = window.fit(history[:length])
        cuts += fitted.messages[: len(before)] != before
        before = fitted.messages
        assert fitted.expected == pytest.approx(fitted.tokens + 500, rel=0.05)
    assert cuts > 2
    assert window.fit(history[:23]).expected == pytest.approx(window.fit(history[:23]).tokens + 500, rel=0.02)


def test_K3_a_history_read_anew_is_still_expected() -> None:
    """No message is known by identity: the report's total and the pace are all there is, and enough."""
    window, history = Window(100_000), rounds(12)
    for length in range(1, 20, 2):
        fitted = window.fit(history[:length])
        window.observe(fitted, fitted.tokens * 3 // 2)
    assert window.fit(deepcopy(history)).expected == pytest.approx(longturn.estimate(history) * 1.5, rel=0.02)
    other = deepcopy(history[:1]) + deepcopy(history[5:])
    assert window.fit(other).expected == pytest.approx(longturn.estimate(other) * 1.5, rel=0.05)


@pytest.mark.filterwarnings("ignore:a budget of")
@pytest.mark.skipif(not RUNS, reason=NO_RUNS)
@pytest.mark.parametrize("run", [run for _, run in RUNS], ids=[name for name, _ in RUNS])
def test_K2_recorded_runs_are_known_within_a_few_percent(run: Thread) -> None:
    """Whatever the provider, the framework and its hidden prompt: half of its requests within two percent."""
    assert median(errors(run)[2:]) <= 0.02


@pytest.mark.skipif(not RUNS, reason=NO_RUNS)
def test_K2_recorded_runs_are_known_after_one_report_and_better_after_three() -> None:
    """The medians over all runs: within four percent, within two."""
    by_run = [errors(run) for _, run in RUNS]
    assert median(found[0] for found in by_run) <= 0.04
    assert median(found[2] for found in by_run) <= 0.02


# ---------------------------------------------------------------------- what is not believed


@pytest.mark.parametrize("counted", [0, -5, 1, 30, 600_000, 10**12])
def test_K1_an_absurd_report_is_ignored(counted: int, caplog: pytest.LogCaptureFixture) -> None:
    """It moves neither the ratio nor what is expected; a warning says so where a number was reported."""
    window, history = Window(100_000), rounds(8)
    fitted = window.fit(history[:13])
    window.observe(fitted, fitted.tokens)
    known, expected = window.calibration, window.fit(history).expected
    window.observe(fitted, counted)
    assert (known, expected) == (window.calibration, window.fit(history).expected)
    said = [f"ignored a report of {counted} tokens for a request estimated at {fitted.tokens}"] if counted > 0 else []
    assert said == [record.getMessage().split(":")[0] for record in caplog.records if record.name == "longturn"]


def test_K1_a_first_report_that_is_a_hundred_times_off_is_ignored() -> None:
    """Nothing is learned from it, and no limit of the ratio hides that."""
    for factor in (100, 0.01):
        window = Window(100_000)
        fitted = window.fit(rounds(3))
        window.observe(fitted, int(fitted.tokens * factor))
        assert window.calibration == Window(100_000).calibration
        assert window.fit(rounds(3)).expected is None


# ---------------------------------------------------------------------- what is saved


def test_K1_a_window_takes_over_what_another_one_learned() -> None:
    """Through JSON; it fits the same and learns on the same way."""
    window, history = Window(20_000), rounds(40)
    for length in range(5, 31, 2):
        fitted = window.fit(history[:length])
        window.observe(fitted, fitted.tokens * 3 // 2)
    saved = json.loads(json.dumps(window.calibration))
    other = Window(20_000, calibration=saved)
    assert other.calibration == window.calibration == copy(window).calibration
    for length in range(31, len(history), 2):
        old, new = window.fit(history[:length]), other.fit(history[:length])
        assert old.messages == new.messages
        assert new.expected is None or new.expected == pytest.approx(old.expected, rel=0.02)
        for one, fitted in ((window, old), (other, new)):
            one.observe(fitted, fitted.tokens * 3 // 2)


def test_K1_what_is_missing_in_a_saved_calibration_is_as_at_the_beginning() -> None:
    """And what a later version has saved besides is left out."""
    assert Window(1_000, calibration={}).calibration == Window(1_000).calibration
    assert Window(1_000, calibration={"ratio": 1.5, "base": 1.0, "mood": "good"}).ratio == 1.5


@pytest.mark.parametrize(
    ("saved", "said"),
    [
        ({"ratio": 9}, "ratio must lie between"),
        ({"pace": [500, 500]}, "pace must hold two numbers of tokens"),
        ({"pace": {}}, "pace must hold two numbers of tokens, estimated and counted"),
        ({"pace": {"estimated": 10, "counted": 0}}, "pace must hold two numbers"),
        ({"pace": {"estimated": 10, "counted": 900}}, "pace must hold two numbers"),
        ({"pace": {"estimated": "10", "counted": 10}}, "pace must hold two numbers"),
    ],
)
def test_a_calibration_that_is_none_is_refused(saved: dict[str, Any], said: str) -> None:
    """Before anything is sent by it."""
    with pytest.raises(ValueError, match=said):
        Window(1_000, calibration=saved)
    with pytest.raises(TypeError, match=r"calibration must be what Window.calibration was \(got list\)"):
        Window(1_000, calibration=[saved])  # type: ignore[arg-type]


@given(st.floats(1.0, 3.5), st.randoms(use_true_random=False))
def test_H5_jitter_of_five_percent_never_moves_the_ratio(ratio: float, random: Random) -> None:
    """Wherever the truth lies between two steps of the grid, and whatever comes first after the first report."""
    known = Calibration().learned(50_000, int(50_000 * ratio), 100_000)
    for _ in range(50):
        estimated = random.randint(10_000, 400_000)
        assert known == known.learned(estimated, int(estimated * ratio * random.uniform(0.95, 1.05)), 100_000)


@pytest.mark.parametrize("ratio", [1.0, 1.3, 1.5, 2.0, 3.0])
def test_H5_jitter_never_moves_a_cut(ratio: float) -> None:
    """Reports five percent off either way: the views are those of a window that was told the truth once."""
    random, history = Random(1), rounds(60)
    told, jittered = Window(20_000), Window(20_000)
    for window in (told, jittered):
        window.observe(window.fit(history[:9]), int(ratio * window.fit(history[:9]).tokens))
    known = told.ratio
    for length in range(9, len(history), 2):
        fitted = jittered.fit(history[:length])
        assert told.fit(history[:length]).messages == fitted.messages
        jittered.observe(fitted, int(random.uniform(0.95, 1.05) * ratio * fitted.tokens))
        assert jittered.ratio == known


def test_H5_each_move_of_the_ratio_is_the_last_for_long() -> None:
    """Content that grows heavier moves it a few times, not at every report."""
    window, history = Window(100_000), rounds(80)
    ratios = []
    for length in range(11, len(history), 2):
        fitted = window.fit(history[:length])
        window.observe(fitted, int(fitted.tokens * (1 + length / len(history))))
        ratios.append(window.ratio)
    assert ratios == sorted(ratios)
    assert sum(old != new for old, new in pairwise(ratios)) <= 11


def test_one_window_learns_from_many_threads() -> None:
    """Reports arrive in any order; the highest counts."""
    window, fitted = Window(policy=Policy(budget=10_000)), Window(10_000).fit(rounds(5))
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda percent: window.observe(fitted, fitted.tokens * percent // 100), range(100, 190)))
    assert 1.89 / (1 + 1 / 16) <= window.ratio <= 1.9375
