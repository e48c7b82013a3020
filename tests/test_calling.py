"""Recovery from an overflow ([K1]): one request that is different and tighter, then the sentence; never a loop."""

from __future__ import annotations

import asyncio
import json
import pickle
from collections.abc import AsyncIterator, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from copy import copy, deepcopy
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule
from strategies import SHAPES, policies, transcript

from longturn import ConversationTooLong, FailureKind, Fitted, Policy, Window, classify, is_retryable
from longturn.tokens.usage import STEPS, Calibration
from longturn.wording import phrases

pytestmark = pytest.mark.filterwarnings("ignore:a budget of")

SENTENCE = phrases("en").too_long


class APIStatusError(Exception):
    """As SDKs raise it."""

    def __init__(self, status_code: int, message: str, kind: str = "invalid_request_error") -> None:
        super().__init__(f"Error code: {status_code}")
        self.status_code = status_code
        self.body = {"type": "error", "error": {"type": kind, "message": message}}


def overflow(tokens: int | None = None, limit: int | None = None) -> APIStatusError:
    if tokens is None:
        return APIStatusError(400, "Input is too long for requested model.")
    return APIStatusError(400, f"prompt is too long: {tokens} tokens > {limit} maximum")


ANSWER = 2_000
WORDINGS: dict[str, Callable[[int, int], APIStatusError]] = {
    "named": overflow,
    "none": lambda tokens, limit: overflow(),
    "sum": lambda tokens, limit: APIStatusError(
        400,
        f"This model's maximum context length is {limit + ANSWER} tokens. However, you requested {tokens + ANSWER} "
        f"tokens ({tokens} in the messages, {ANSWER} in the completion).",
    ),
    "apart": lambda tokens, limit: APIStatusError(
        400, f"input length and `max_tokens` exceed context limit: {tokens} + {ANSWER} > {limit + ANSWER}"
    ),
}
"""How providers say it, for a limit of the input."""


class Provider:
    """Counts by a rate of its own, and refuses what is beyond a limit that nobody was told of."""

    def __init__(self, limit: int, rate: float = 1.0, *, wording: str = "named") -> None:
        self.limit, self.rate, self.says = limit, rate, WORDINGS[wording]
        self.sent: list[Fitted] = []
        self.errors: list[APIStatusError] = []

    def counts(self, fitted: Fitted) -> int:
        return int(fitted.tokens * self.rate)

    def __call__(self, fitted: Fitted) -> dict[str, Any]:
        self.sent.append(fitted)
        tokens = self.counts(fitted)
        if tokens > self.limit:
            self.errors.append(self.says(tokens, self.limit))
            raise self.errors[-1]
        return {"content": [{"type": "text", "text": "Yes."}], "usage": {"input_tokens": tokens, "output_tokens": 1}}

    async def awaited(self, fitted: Fitted) -> dict[str, Any]:
        await asyncio.sleep(0)
        return self(fitted)

    def streamed(self, fitted: Fitted) -> Iterator[dict[str, Any]]:
        answer = self(fitted)
        yield {"type": "message_start", "message": {"content": [], "usage": answer["usage"]}}
        yield {"type": "message_stop"}

    async def astreamed(self, fitted: Fitted) -> AsyncIterator[dict[str, Any]]:
        for event in self.streamed(fitted):
            yield event


def rounds(count: int, size: int = 1_000) -> list[dict[str, Any]]:
    history: list[dict[str, Any]] = [{"role": "user", "content": "Count the words."}]
    for number in range(count):
        use = {"type": "tool_use", "id": f"call_{number}", "name": "read", "input": {}}
        result = {"type": "tool_result", "tool_use_id": f"call_{number}", "content": "a" * 4 * size}
        history += [{"role": "assistant", "content": [use]}, {"role": "user", "content": [result]}]
    return history


def by_call(window: Window, provider: Provider, history: list[Any]) -> Any:
    return window.call(provider, history)


def by_acall(window: Window, provider: Provider, history: list[Any]) -> Any:
    return asyncio.run(window.acall(provider.awaited, history))


def by_stream(window: Window, provider: Provider, history: list[Any]) -> Any:
    return list(window.stream(provider.streamed, history))


def by_astream(window: Window, provider: Provider, history: list[Any]) -> Any:
    async def read() -> list[Any]:
        return [event async for event in window.astream(provider.astreamed, history)]

    return asyncio.run(read())


Way = Callable[[Window, Provider, list[Any]], Any]
WAYS = [by_call, by_acall, by_stream, by_astream]
EVERY_WAY = pytest.mark.parametrize("way", WAYS, ids=lambda way: way.__name__)


# ---------------------------------------------------------------------- the laws


def too_long(way: Way, *given: Any) -> ConversationTooLong | None:
    try:
        way(*given)
    except ConversationTooLong as error:
        return error
    return None


def smallest(window: Window, history: list[Any]) -> Fitted:
    """Return the least that can be made of a history."""
    least = Window(policy=Policy(**{**_members(window.policy), "budget": 1}))
    return least.fit(history)


def _members(policy: Policy) -> dict[str, Any]:
    return {name: getattr(policy, name) for name in policy.__dataclass_fields__}


@given(
    seed=st.integers(0, 50),
    format=st.sampled_from(sorted(SHAPES)),
    rate=st.sampled_from((0.5, 0.8, 1.0, 1.06, 1.3, 2.0, 3.9, 6.0)),
    share=st.floats(0.02, 1.2),
    wording=st.sampled_from(sorted(WORDINGS)),
    way=st.sampled_from(WAYS),
)
def test_K1_an_answer_or_one_tighter_request_and_then_the_sentence(
    seed: int, format: str, rate: float, share: float, wording: str, way: Way
) -> None:
    """Whatever the history, the provider's rate and its limit; the history stays as it is."""
    made = transcript(seed, format, steps=10)
    window = Window(policy=policies(Random(seed), made.messages), format=format)
    limit = max(100, int(share * rate * window.fit(made.messages).tokens))
    provider = Provider(limit, rate, wording=wording)
    before = deepcopy(made.messages)
    error = too_long(way, window, provider, made.messages)
    if error is not None:
        assert str(error) == SENTENCE
        assert error.__cause__ is provider.errors[-1]
        assert error.fitted is provider.sent[-1]
        assert error.failure.kind is FailureKind.CONTEXT_OVERFLOW
    assert before == made.messages
    first, *others = provider.sent
    assert len(others) <= 1
    assert all(other.tokens < first.tokens and other.messages != first.messages for other in others)
    least = smallest(window, made.messages)
    if wording != "none":  # then it is answered wherever it can be
        assert (error is None) == (min(provider.counts(least), provider.counts(first)) <= limit)
    elif error is not None:
        assert others or provider.counts(least) >= provider.counts(first)


class AgentRun(RuleBasedStateMachine):
    """A growing turn at a provider whose limit and rate the window has to find out."""

    @initialize(
        budget=st.integers(4_000, 60_000),
        limit=st.integers(3_000, 40_000),
        rate=st.sampled_from((0.7, 1.0, 1.2, 1.5, 2.0, 5.0)),
        wording=st.sampled_from(sorted(WORDINGS)),
    )
    def begin(self, budget: int, limit: int, rate: float, wording: str) -> None:
        self.window = Window(budget)
        self.provider, self.names_numbers = Provider(limit, rate, wording=wording), wording != "none"
        self.history = rounds(0)
        self.refusals = 0

    @rule(size=st.integers(10, 900), count=st.integers(1, 8))
    def step(self, size: int, count: int) -> None:
        self.history += rounds(count, size)[1:]
        self.provider.sent.clear()
        self.provider.errors.clear()
        before = self.window.fit(self.history)
        try:
            self.window.call(self.provider, self.history)
        except ConversationTooLong:
            assert self.provider.sent[-1].tokens <= before.tokens
        if self.provider.errors:
            self.refusals += 1

    @invariant()
    def never_more_than_two(self) -> None:
        if hasattr(self, "provider"):
            assert len(self.provider.sent) <= 2
            bodies = [json.dumps(fitted.messages) for fitted in self.provider.sent]
            assert len(set(bodies)) == len(bodies)

    @invariant()
    def a_limit_that_was_named_is_run_into_once(self) -> None:
        """After that, requests are within it; but for those that are over the budget and say so."""
        if hasattr(self, "provider") and self.names_numbers and self.refusals > 1 and self.provider.errors:
            assert not self.provider.sent[0].fits


TestAgentRun = AgentRun.TestCase


# ---------------------------------------------------------------------- what a refusal teaches


@pytest.mark.parametrize(
    ("counted", "limit", "output", "expected"),
    [
        (120_000, 110_000, 0, (1.25, 103_125, 85_937)),  # the ratio, and the limit less a sixteenth
        (103_000, 100_000, 0, (1.0, 93_750, 91_019)),  # within the ratio's dead band
        (800_000, 100_000, 0, (4.0, 93_750, 11_718)),  # beyond what a ratio may be
        (9 * 10**8, 100_000, 0, (1.0, 93_750, 75_000)),  # beyond what a request may be: the limit alone
        (100, 50, 0, (1.0, None, 75_000)),  # nor can this be of it: numbers of something else
        (None, 90_000, 0, (1.0, 84_375, 75_000)),  # a limit alone
        (130_000, None, 0, (1.3125, None, 75_000)),
        (80_000, 100_000, 0, (1.0, 93_750, 75_000)),  # numbers that explain nothing
        (None, None, 0, (1.0, None, 75_000)),  # no numbers: a quarter less
        (102_000, 120_000, 30_000, (1.0, 84_375, 82_720)),  # the input alone, and the answer asked for
        (132_000, 120_000, 30_000, (1.0, 84_375, 63_920)),  # the sum of both
        (600_000, 595_000, 590_000, (4.0, 4_687, 781)),  # without the answer it would be too few to be of it
        (120_000, 20_000, 30_000, (1.0, 1, 1)),  # an answer beyond the limit
    ],
)
def test_K1_a_refusal_is_an_observation(
    counted: int | None, limit: int | None, output: int, expected: tuple[float, int | None, int]
) -> None:
    """Ratio, limit in the provider's tokens, ceiling in estimated ones: numbers where they are named, else a step."""
    learned = Calibration().refused(100_000, counted, limit, output, 400_000)
    assert expected == (learned.ratio, learned.limit, learned.ceiling)


@given(
    st.lists(
        st.tuples(
            st.integers(1, 10**6), st.none() | st.integers(1, 10**7), st.none() | st.integers(1, 10**7), st.booleans()
        ),
        max_size=6,
    )
)
def test_H5_what_was_learned_only_gets_tighter(reports: list[tuple[int, int | None, int | None, bool]]) -> None:
    """On the grid, in bounds; and what was refused never fits again."""
    known, budget = Calibration(), 10**6
    room = budget
    for estimated, counted, limit, is_refusal in reports:
        if is_refusal:
            known = known.refused(estimated, counted, limit, 100, budget)
            assert estimated == 1 or known.budget(budget) / known.ratio < estimated
        elif counted is not None and known.is_telling:
            known = known.learned(estimated, counted, budget)
        assert 1.0 <= known.ratio <= 4.0
        assert (known.ratio * STEPS).is_integer()
        assert known.budget(budget) >= 1
        if known.is_telling:
            assert known.budget(budget) / known.ratio <= room + 1
            room = min(room, known.budget(budget) / known.ratio)


def test_K1_a_budget_far_above_the_limit_comes_down_to_it() -> None:
    """With head-room, and for good: the whole turn costs one refused request."""
    window, provider, history = Window(1_000_000), Provider(50_000, 1.2), rounds(0)
    for _ in range(120):
        history += rounds(1)[1:]
        window.call(provider, history)
    assert len(provider.errors) == 1
    assert window.calibration["limit"] == 46_875
    assert window.fit(history).budget == 46_875


def test_K1_what_refusals_taught_is_saved_with_the_calibration() -> None:
    """Another window that is given it sends what this one sends; so does a copy, and forgetting is possible."""
    window, history = Window(100_000), rounds(60)
    window.call(Provider(30_000, 1.5), history)
    saved = json.loads(json.dumps(window.calibration))
    assert saved["limit"] == 28_125
    assert window.fit(history).messages == Window(100_000, calibration=saved).fit(history).messages
    assert window.fit(history).messages == deepcopy(window).fit(history).messages
    fresh = Window(100_000, calibration={**saved, "limit": None, "ceiling": None, "ratio": 1.0, "base": 1.0})
    assert Window(100_000).fit(history) == fresh.fit(history)


@pytest.mark.parametrize(
    ("value", "error", "said"),
    [
        (0, ValueError, "limit must be at least 1 (got 0); None forgets it"),
        (1.5, TypeError, "limit must be a whole number of tokens, or None (got 1.5)"),
        (True, TypeError, "limit must be a whole number of tokens, or None (got True)"),
    ],
)
def test_a_limit_that_is_none_is_refused(value: Any, error: type[Exception], said: str) -> None:
    with pytest.raises(error) as caught:
        Window(10_000, calibration={"limit": value})
    assert str(caught.value) == said


def test_K1_a_loop_of_ones_own_learns_by_the_error_as_well() -> None:
    """`observe` takes what the SDK raised, or what `classify` made of it."""
    window, same, history = Window(60_000), Window(60_000), rounds(50)
    fitted = window.fit(history)
    window.observe(fitted, overflow(90_000, 60_000))
    try:
        same.call(Provider(0), history)
    except ConversationTooLong as error:
        same = Window(60_000)
        same.observe(fitted, overflow(90_000, 60_000))
        window.observe(fitted, APIStatusError(429, "Slow down.", "rate_limit_error"))
        Window(60_000).observe(fitted, error.failure)
    assert window.ratio == same.ratio == 1.8125
    assert window.fit(history) == same.fit(history)
    assert window.fit(history).tokens < fitted.tokens


# ---------------------------------------------------------------------- what is not recovered


@EVERY_WAY
@pytest.mark.parametrize(
    "error",
    [
        APIStatusError(400, "messages.0.content: field required"),
        APIStatusError(429, "This request would exceed your rate limit.", "rate_limit_error"),
        APIStatusError(529, "Overloaded", "overloaded_error"),
        APIStatusError(401, "invalid x-api-key", "authentication_error"),
        KeyError("messages"),
        APIStatusError(  # an overflow that no smaller conversation cures: someone has to be told
            400,
            "This model's maximum context length is 8192 tokens. However, you requested 8256 tokens "
            "(64 in the messages, 8192 in the completion).",
        ),
    ],
    ids=["invalid", "rate", "overloaded", "key", "bug", "answer"],
)
def test_21_everything_else_is_sent_once_and_raised_as_it_is(way: Way, error: Exception) -> None:
    """What passes by itself belongs to the SDK's own retries, what is invalid to the caller."""
    window, provider = Window(10_000), Provider(10**9)
    before = window.calibration
    provider.counts = lambda _: _raise(error)  # type: ignore[method-assign]
    with pytest.raises(type(error)) as caught:
        way(window, provider, rounds(5))
    assert caught.value is error
    assert len(provider.sent) == 1
    assert before == window.calibration


def _raise(error: BaseException) -> int:
    raise error


@pytest.mark.parametrize("stop", [KeyboardInterrupt, SystemExit, GeneratorExit, asyncio.CancelledError])
def test_what_ends_the_program_passes_through(stop: type[BaseException]) -> None:
    """And leaves the window as it was."""
    window, provider, history = Window(10_000), Provider(10**9), rounds(30)
    expected = Window(10_000).fit(history)
    with pytest.raises(stop):
        window.call(lambda _: _raise(stop("prompt is too long: 20000 tokens > 10000 maximum")), history)
    assert window.fit(history) == expected
    assert window.call(provider, history)


def test_cancelling_leaves_the_window_usable() -> None:
    """A request that is waited for is given up; the next one goes its way."""
    window, provider, history = Window(10_000), Provider(10**9), rounds(30)

    async def run() -> Any:
        never = asyncio.Event()

        async def send(fitted: Fitted) -> Any:
            provider.sent.append(fitted)
            await never.wait()

        task = asyncio.create_task(window.acall(send, history))
        while not provider.sent:
            await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        return await window.acall(provider.awaited, history)

    assert asyncio.run(run())["usage"]
    assert len(provider.sent) == 2
    assert window.calibration["limit"] is None


def test_a_second_error_of_another_kind_is_raised_as_it_is() -> None:
    """The tighter request met with a rate limit: that passes, and the window already knows better."""
    window, errors = Window(60_000), [overflow(70_000, 60_000), APIStatusError(429, "Slow down.", "rate_limit_error")]
    sent: list[Fitted] = []

    def send(fitted: Fitted) -> None:
        sent.append(fitted)
        raise errors[len(sent) - 1]

    with pytest.raises(APIStatusError) as caught:
        window.call(send, rounds(50))
    assert caught.value.status_code == 429
    assert window.fit(rounds(50)).tokens == sent[1].tokens < sent[0].tokens


def test_nothing_smaller_is_nothing_to_send() -> None:
    """One message can't be made smaller: one request, then the sentence in the window's language."""
    provider = Provider(500)
    with pytest.raises(ConversationTooLong) as caught:
        Window(60_000, language="de").call(provider, [{"role": "user", "content": "word " * 1_000}])
    assert str(caught.value) == phrases("de").too_long
    assert len(provider.sent) == 1
    assert (caught.value.failure.limit, caught.value.failure.message) == (500, phrases("de").too_long)


def test_the_sentence_travels_between_processes() -> None:
    """Workers hand their errors over pickled."""
    with pytest.raises(ConversationTooLong) as caught:
        Window(60_000).call(Provider(10), rounds(2))
    caught.value.add_note("while reading")
    for made in (caught.value, _Told("worker 7", caught.value)):
        for again in (pickle.loads(pickle.dumps(made)), copy(made), deepcopy(made)):
            assert (str(made), made.failure, made.fitted) == (str(again), again.failure, again.fitted)
            assert vars(again).keys() == vars(made).keys()


class _Told(ConversationTooLong):
    """An application's own, with a constructor of its own."""

    def __init__(self, who: str, error: ConversationTooLong) -> None:
        super().__init__(str(error), error.failure, error.fitted)
        self.who = who


def test_what_gave_up_once_is_not_begun_again() -> None:
    """A call within a call: the inner one's last word is none of the outer one's refusals."""
    window, provider, history = Window(60_000), Provider(10), rounds(50)
    outer: list[Fitted] = []
    with pytest.raises(ConversationTooLong) as caught:
        window.call(lambda fitted: outer.append(fitted) or window.call(provider, history), history)
    assert (len(outer), len(provider.sent)) == (1, 2)
    assert classify(caught.value) is caught.value.failure


def test_a_call_within_a_call_holds_no_lock() -> None:
    window, history = Window(60_000), rounds(5)
    assert window.call(lambda _: window.call(Provider(10**6), history), history)["usage"]


# ---------------------------------------------------------------------- answers that are refusals

FAILED = {"code": "context_length_exceeded", "message": "Your input exceeds the context window of this model."}
REFUSALS: dict[str, Any] = {
    "an error in an answer without choices": {"id": "gen-1", "choices": None, "error": {**FAILED, "code": 400}},
    "a failed response": {"id": "resp_1", "object": "response", "status": "failed", "output": [], "error": FAILED},
    "the window was full before a word": {
        "type": "message",
        "role": "assistant",
        "content": [],
        "stop_reason": "model_context_window_exceeded",
        "usage": {"input_tokens": 10_000, "output_tokens": 0},
    },
}
ANSWERS: dict[str, Any] = {
    "the window was full after some words": {
        "type": "message",
        "role": "assistant",
        "content": [{"type": "text", "text": "First,"}],
        "stop_reason": "model_context_window_exceeded",
        "usage": {"input_tokens": 10_000, "output_tokens": 90},
    },
    "words about it": {"role": "assistant", "content": [{"type": "text", "text": "prompt is too long"}]},
    "a text": "prompt is too long: 20000 tokens > 10000 maximum",
    "nothing": None,
    "a number": 7,
}


@pytest.mark.parametrize("refusal", REFUSALS.values(), ids=REFUSALS)
def test_an_answer_that_is_an_error_is_recovered(refusal: Any) -> None:
    """A 200 that says nothing but that it was too long; twice, and there is no cause to name."""
    history, good = rounds(50), {"content": [{"type": "text", "text": "Yes."}]}
    answers = [refusal, good]
    assert Window(60_000).call(lambda _: answers.pop(0), history) is good
    sent: list[Fitted] = []
    with pytest.raises(ConversationTooLong) as caught:
        Window(60_000).call(lambda fitted: sent.append(fitted) or refusal, history)
    assert len(sent) == 2
    assert classify(caught.value).kind is FailureKind.CONTEXT_OVERFLOW
    assert not is_retryable(caught.value)
    assert sent[1].tokens < sent[0].tokens
    assert caught.value.__cause__ is None


@pytest.mark.parametrize("answer", ANSWERS.values(), ids=ANSWERS)
def test_an_answer_with_something_to_read_is_returned(answer: Any) -> None:
    """As the very object."""
    sent: list[Fitted] = []
    assert Window(60_000).call(lambda fitted: sent.append(fitted) or answer, rounds(50)) is answer
    assert len(sent) == 1


def test_K2_an_answer_is_observed() -> None:
    """The next request is anchored on it."""
    window, history = Window(60_000), rounds(5)
    window.call(Provider(10**6, 1.5), history)
    assert window.ratio == 1.5
    assert window.fit(history).expected is not None


class Unread:
    """Whatever it is asked for can't be had: not read yet, closed, or broken."""

    def __getattr__(self, name: str) -> Any:
        raise RuntimeError(name)


class HalfRead:
    """An answer with properties that raise."""

    status_code = 200

    @property
    def usage(self) -> Any:
        raise ValueError("usage")

    text = json = usage


@pytest.mark.parametrize("answer", [Unread(), HalfRead()], ids=["all of it", "some properties"])
def test_an_answer_that_fights_back_is_not_lost(answer: Any) -> None:
    """It was paid for; so were the events of a stream."""
    window, history = Window(60_000), rounds(5)
    assert window.call(lambda _: answer, history) is answer
    assert list(window.stream(lambda _: iter([answer] * 3), history)) == [answer] * 3
    assert Window(60_000).calibration == window.calibration


def test_an_error_that_fights_back_is_raised_as_it_is() -> None:
    class Broken(Exception):
        def __str__(self) -> str:
            raise ValueError("no string")

        @property
        def message(self) -> str:
            raise OSError("no message")

        body = response = message

    error = Broken("x")
    with pytest.raises(Broken) as caught:
        Window(60_000).call(lambda _: _raise(error), rounds(5))
    assert caught.value is error


def test_a_group_of_errors_is_looked_into() -> None:
    """As task groups raise it; but one that also ends the program passes through."""
    window, history = Window(60_000), rounds(50)
    errors: list[Any] = [ExceptionGroup("tasks", [ValueError("other"), overflow(70_000, 60_000)]), None]

    def send(fitted: Fitted) -> str:
        if error := errors.pop(0):
            raise error
        return "Yes."

    assert window.call(send, history) == "Yes."
    errors[:] = [BaseExceptionGroup("tasks", [KeyboardInterrupt(), overflow(70_000, 60_000)])]
    with pytest.raises(BaseExceptionGroup):
        window.call(send, history)


def test_what_is_to_be_awaited_is_no_answer() -> None:
    """Said at once, not by an answer that nobody awaited."""

    async def send(fitted: Fitted) -> None:
        raise AssertionError

    async def begun() -> Any:
        return asyncio.get_running_loop().create_future()

    future = asyncio.run(begun())
    for way in (Window(10_000).call, lambda *given: list(Window(10_000).stream(*given))):
        for wrong in (send, lambda _: future):
            with pytest.raises(TypeError, match="an async send belongs to acall"):
                way(wrong, rounds(1))


def test_what_is_there_already_is_not_awaited() -> None:
    """With the way that it belongs to."""
    for answer in ({"content": []}, USED["bedrock"], _aplayed()):
        with pytest.raises(TypeError, match=r"belongs to call\(\), a stream to stream\(\) or astream"):
            asyncio.run(Window(10_000).acall(lambda _, answer=answer: answer, rounds(1)))


async def _aplayed() -> AsyncIterator[Any]:
    yield START


def test_what_is_no_stream_is_said_to_be_none() -> None:
    """Before its letters are taken for events."""

    def read(answer: Any) -> list[Any]:
        return list(Window(10_000).stream(lambda _: answer, rounds(1)))

    async def aread(answer: Any) -> list[Any]:
        return [event async for event in Window(10_000).astream(lambda _: answer, rounds(1))]

    for answer in (None, "text", b"text", 7):
        for way in (read, lambda answer: asyncio.run(aread(answer))):
            with pytest.raises(TypeError, match="send must return a stream of events"):
                way(answer)
    with pytest.raises(TypeError, match="an asynchronous one belongs to astream"):
        read(_aplayed())
    with pytest.raises(TypeError, match="another to stream"):
        asyncio.run(aread(iter([START])))


# ---------------------------------------------------------------------- streams


def test_call_returns_a_stream_unread() -> None:
    """What is in it is the caller's to read."""

    def events() -> Iterator[int]:
        raise AssertionError
        yield 1

    made = events()
    assert Window(10_000).call(lambda _: made, rounds(1)) is made


START = {"type": "message_start", "message": {"content": [], "usage": {"input_tokens": 9_000}}}
USED: dict[str, list[Any]] = {
    "anthropic": [START, {"type": "message_delta", "usage": {"output_tokens": 7}}, {"type": "message_stop"}],
    "openai-chat": [{"choices": [{"delta": {"content": "Yes"}}]}, {"choices": [], "usage": {"prompt_tokens": 9_000}}],
    "openai-responses": [
        {"type": "response.created", "response": {"status": "in_progress", "usage": None}},
        {"type": "response.output_text.delta", "delta": "Yes"},
        {"type": "response.completed", "response": {"output": [], "usage": {"input_tokens": 9_000}}},
    ],
    "gemini": [{"usage_metadata": {"prompt_token_count": 8_000}}, {"usage_metadata": {"prompt_token_count": 9_000}}],
    "bedrock": [{"messageStart": {"role": "assistant"}}, {"metadata": {"usage": {"inputTokens": 9_000}}}],
}


@pytest.mark.parametrize("events", USED.values(), ids=USED)
def test_K1_a_stream_reports_its_usage(events: list[Any]) -> None:
    """Every event is yielded as it is, when it is there."""
    window = Window(60_000)
    read = window.stream(lambda _: iter(events), rounds(6))
    assert all(new is old for new, old in zip(read, events, strict=True))
    assert window.ratio == 1.5


def test_a_stream_that_is_left_early_is_closed_and_observed() -> None:
    """What it told so far counts."""
    window, closed = Window(60_000), []

    class Stream:
        def __iter__(self) -> Iterator[Any]:
            yield START
            yield {"type": "content_block_delta"}
            raise AssertionError

        def close(self) -> None:
            closed.append(True)

    read = window.stream(lambda _: Stream(), rounds(6))
    assert next(read) is START
    read.close()  # type: ignore[attr-defined]
    assert (closed, window.ratio) == ([True], 1.5)


def test_a_stream_that_is_cancelled_is_closed_and_not_observed() -> None:
    """The window is as it was."""
    window, closed = Window(60_000), []

    async def events(fitted: Fitted) -> AsyncIterator[Any]:
        try:
            yield START
            await asyncio.Event().wait()
        finally:
            closed.append(True)

    async def run() -> None:
        read = window.astream(events, rounds(6))
        assert await anext(read) is START
        waiting = asyncio.create_task(anext(read))  # type: ignore[arg-type]
        await asyncio.sleep(0)
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting

    asyncio.run(run())
    assert closed == [True]
    assert Window(60_000).calibration == window.calibration


def test_a_stream_that_is_entered_is_left() -> None:
    """As with `client.messages.stream(...)`."""
    steps: list[str] = []

    class Opening:
        def __enter__(self) -> list[Any]:
            steps.append("entered")
            return [START]

        def __exit__(self, *error: object) -> None:
            steps.append("left")

    for event in Window(60_000).stream(lambda _: Opening(), rounds(1)):
        assert event is START
        steps.append("read")
    assert steps == ["entered", "read", "left"]


BEGUN = [{"type": "response.created"}, {"type": "response.in_progress"}]
LATE: dict[str, list[Any]] = {
    "raised": [overflow()],
    "raised after its announcement": [*BEGUN, overflow()],
    "an event": [{"type": "response.failed", "response": {"status": "failed", "output": [], "error": FAILED}}],
    "an event after its announcement": [
        *BEGUN,
        {"type": "response.failed", "response": {"status": "failed", "output": [], "error": FAILED}},
    ],
}


def _played(events: list[Any]) -> Iterator[Any]:
    for event in events:
        if isinstance(event, Exception):
            raise event
        yield event


@pytest.mark.parametrize("events", LATE.values(), ids=LATE)
def test_a_stream_that_begins_with_a_refusal_is_recovered(events: list[Any]) -> None:
    """Nothing of the first one is seen."""
    scripts = [events, USED["openai-responses"]]
    read = Window(60_000).stream(lambda _: _played(scripts.pop(0)), rounds(50))
    assert USED["openai-responses"] == list(read)
    with pytest.raises(ConversationTooLong):
        list(Window(60_000).stream(lambda _: _played(events), rounds(50)))


def test_a_stream_that_breaks_is_not_begun_again() -> None:
    """What was read can't be taken back; but the next request is tighter."""
    window, error, sent = Window(60_000), overflow(90_000, 60_000), []
    read = window.stream(lambda fitted: sent.append(fitted) or _played([START, error]), rounds(50))
    assert next(read) is START
    with pytest.raises(APIStatusError) as caught:
        next(read)
    assert caught.value is error
    assert len(sent) == 1
    assert window.fit(rounds(50)).tokens < sent[0].tokens


def test_a_mapping_is_no_stream() -> None:
    """boto3 keeps its stream in one."""
    with pytest.raises(TypeError, match="return the stream in it"):
        list(Window(10_000).stream(lambda _: {"stream": []}, rounds(1)))


# ---------------------------------------------------------------------- threads


def test_one_window_recovers_in_many_threads() -> None:
    """All are refused at about the same time; each sends one tighter request, and all are answered."""
    window, history = Window(100_000), rounds(90)
    providers = [Provider(40_000, 1.3) for _ in range(8)]
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda provider: window.call(provider, list(history)), providers))
    assert all(answer["usage"]["input_tokens"] <= 40_000 for answer in answers)
    assert all(1 <= len(provider.sent) <= 2 for provider in providers)
    assert window.calibration["limit"] == 37_500
