"""Learning from what providers report ([K1], [K2]), on a grid and upwards only ([H5])."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from copy import copy, deepcopy
from itertools import pairwise
from random import Random
from types import SimpleNamespace
from typing import Any

import pytest
from strategies import SHAPES, policies, transcript

import longturn
from longturn import Policy, Window
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
    "strands": ({"inputTokens": 100, "totalTokens": 1_117, "cacheReadInputTokens": 1_010}, 1_110),
    "langchain": ({"input_tokens": 1_110, "input_token_details": {"cache_read": 1_000, "cache_creation": 10}}, 1_110),
    "pydantic-ai": ({"input_tokens": 1_110, "cache_read_tokens": 1_000, "cache_write_tokens": 10}, 1_110),
    "agent-framework": ({"input_token_count": 1_110}, 1_110),
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


@pytest.mark.parametrize("holder", ["usage", "usage_metadata", "usageMetadata"])
def test_K1_an_answer_may_stand_for_its_usage(holder: str) -> None:
    """Whole responses are what callers have at hand."""
    answer = {"id": "msg_1", holder: {"prompt_tokens": 7}}
    assert input_tokens(answer) == 7
    assert input_tokens(as_object(answer)) == 7


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
    """The report and the estimate of what is new; None for any other request."""
    made = transcript(seed, format, steps=12)
    window = Window(policy=policies(Random(seed), made.messages), format=format)
    lengths = range(1, len(made.messages), 3)
    last, reported = None, 0
    for length in lengths:
        fitted = window.fit(made.messages[:length])
        extends = last is not None and fitted.messages[: len(last.messages)] == last.messages
        assert fitted.expected == (reported + fitted.tokens - last.tokens if last is not None and extends else None)
        last, reported = fitted, fitted.tokens * 9 // 8 + 17
        window.observe(fitted, reported)


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
    assert after.expected == 3_000 + after.tokens - fitted.tokens


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
