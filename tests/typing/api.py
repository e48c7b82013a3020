"""Type-checked by `make lint`, never run: what users write must keep its types."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Sequence
from typing import Self, assert_type

import longturn
import longturn.arrow

tokens: int = longturn.estimate("Привет, мир")
assert_type(longturn.estimate({"role": "user", "content": "hello"}), int)
assert_type(longturn.estimate([{"role": "user", "content": "hello"}], tools=[{"name": "search"}]), int)
assert_type(longturn.estimate.count_tokens("hello"), int)
assert_type(len(longturn.tokenizer("hello")), int)
assert_type(longturn.estimate("hello", profile="openai"), int)
assert_type(longturn.estimate("hello", profile=longturn.Profile.named("claude")), int)
assert_type(longturn.estimate("hello", profile=len), int)

scripts = longturn.scripts("Привет, мир")
assert_type(scripts, longturn.Scripts)
assert_type(scripts.ascii, int)
assert_type(scripts.tokens, int)
ascii_count, cjk_count, other_count = scripts
assert_type(cjk_count, int)

policy = longturn.Policy(budget=400_000, keep_share=0.25, exclude_tools=("memory",))
assert_type(policy.low_water, float)

window = longturn.Window(400_000)
by_model = longturn.Window(400_000, model="gpt-5")
by_tokenizer = longturn.Window(400_000, profile=lambda text: len(text.split()))
same = longturn.Window(policy=policy, format="anthropic", language="de", calibration=window.calibration)


history: list[dict[str, object]] = [{"role": "user", "content": "hello"}]
fitted = window.fit(history, system="Be brief.", tools=[{"name": "search"}])
assert_type(fitted, longturn.Fitted)
assert_type(fitted.tokens, int)
assert_type(fitted.fits, bool)
assert_type(fitted.stage, longturn.Stage)
assert_type(fitted.first_changed, int | None)
for cleared in fitted.cleared:
    assert_type(cleared.call_id, str | None)
    assert_type(cleared.tokens, int)

assert_type(fitted.expected, int | None)
window.observe(fitted, {"input_tokens": 900, "cache_read_input_tokens": 100})
window.observe(fitted, 1_000)
same.ratio = window.ratio
assert_type(same.ratio, float)

assert_type(window.instructions(), str)


class Message:
    """What an SDK answers."""

    content: str = ""


def send(fitted: longturn.Fitted) -> Message:
    return Message()


async def send_later(fitted: longturn.Fitted) -> Message:
    return Message()


class Stream:
    """What an SDK streams: to iterate, and to leave."""

    def __iter__(self) -> Iterator[Message]:
        yield Message()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None: ...


class AsyncStream:
    async def __aiter__(self) -> AsyncIterator[Message]:
        yield Message()


class Opening:
    """What opens a stream, as `client.messages.stream(...)` does."""

    def __enter__(self) -> Stream:
        return Stream()

    def __exit__(self, *error: object) -> None: ...


def open_stream(fitted: longturn.Fitted) -> Stream:
    return Stream()


def open_manager(fitted: longturn.Fitted) -> Opening:
    return Opening()


async def open_later(fitted: longturn.Fitted) -> AsyncStream:
    return AsyncStream()


async def calling() -> None:
    assert_type(window.call(send, history, system="Be brief.", tools=[{"name": "search"}]), Message)
    assert_type(window.call(lambda fitted: len(fitted.messages), history), int)
    assert_type(await window.acall(send_later, history), Message)
    for event in window.stream(open_stream, history):
        assert_type(event, Message)
    for event in window.stream(open_manager, history):
        assert_type(event, Message)
    async for event in window.astream(open_later, history):
        assert_type(event, Message)
    await window.acall(send, history)  # type: ignore[arg-type]  # what is not awaited goes to call()
    try:
        window.call(send, history)
    except longturn.ConversationTooLong as error:
        assert_type(error.failure, longturn.Failure)
        assert_type(error.fitted, longturn.Fitted)
        window.observe(error.fitted, error.failure)


class Turn:
    """A frozen history of a caller's own making is as good as a list."""

    messages: Sequence[dict[str, object]] = ()


window.fit(Turn.messages)

longturn.Window("400_000")  # type: ignore[arg-type]  # a budget is a number
longturn.Policy(400_000)  # type: ignore[call-arg]  # everything is named


class Column:
    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return None


tokens_of_column = longturn.arrow.estimate(Column())
assert_type(len(tokens_of_column), int)
assert_type(longturn.arrow.estimate(tokens_of_column), longturn.arrow.TokenColumn)

failure = longturn.classify(ValueError("prompt is too long"), language="en")
assert_type(failure, longturn.Failure)
assert_type(failure.kind, longturn.FailureKind)
assert_type(failure.message, str | None)
assert_type(failure.tokens, int | None)
assert_type(failure.retry_after, float | None)
assert_type(longturn.is_retryable({"error": {"code": 429}}), bool)
