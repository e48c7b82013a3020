"""Bedrock Converse."""

from __future__ import annotations

from typing import Any

import pytest
from laws import LONG, WORDS, cut, fit, notes

import longturn
from longturn.fitting.outline import Kind
from longturn.formats.bedrock import Bedrock

ASK = {"role": "user", "content": [{"text": "Count the words."}]}
POINT = {"cachePoint": {"type": "default"}}
THINKING = {"reasoningContent": {"reasoningText": {"text": "Hm.", "signature": "s" * 4_000}}}


def use(number: int = 1, **more: Any) -> dict[str, Any]:
    return {"toolUse": {"toolUseId": f"c{number}", "name": "read", "input": {}, **more}}


def result(number: int = 1, content: Any = None, **more: Any) -> dict[str, Any]:
    return {"toolResult": {"toolUseId": f"c{number}", "content": content or [{"text": LONG}], **more}}


def rounds(count: int, start: int = 1) -> list[dict[str, Any]]:
    pairs = [
        ({"role": "assistant", "content": [use(n)]}, {"role": "user", "content": [result(n)]})
        for n in range(start, start + count)
    ]
    return [message for pair in pairs for message in pair]


@pytest.mark.parametrize(
    ("message", "kind", "calls", "results"),
    [
        (ASK, Kind.USER, [], []),
        ({"role": "assistant", "content": [{"text": "Well."}, use(1), use(2)]}, Kind.MODEL, ["c1", "c2"], []),
        ({"role": "user", "content": [result(1), result(2), POINT]}, Kind.REPLY, [], ["c1", "c2"]),
        ({"role": "assistant", "content": [use(1, type="server_tool_use"), result(1)]}, Kind.MODEL, [], []),
        ({"role": "assistant", "content": []}, Kind.MODEL, [], []),
    ],
)
def test_reads_who_speaks_and_the_calls_and_results(
    message: dict[str, Any], kind: Kind, calls: list[str], results: list[str]
) -> None:
    """Blocks are told by their keys; server-side tools are the model's own text."""
    facts = Bedrock().read(message)
    assert (kind, calls, results) == (facts.kind, [c.id for c in facts.calls], [r.id for r in facts.results])


@pytest.mark.parametrize(
    "content",
    [
        [{"text": LONG}, {"text": "more"}],
        [{"json": {"lines": [LONG]}}],
        [{"searchResult": {"source": "s", "title": "t", "content": [{"text": LONG}]}}],
        [{"image": {"format": "png", "source": {"bytes": b"\x89PNG" + bytes(2_000)}}}],
    ],
)
def test_C3_clearing_leaves_one_text_and_keeps_id_status_and_cache_points(content: Any) -> None:
    """Content stays a list of blocks, as the API demands."""
    history = [ASK, *rounds(4)]
    history[2] = {"role": "user", "content": [result(1, content, status="error"), POINT]}
    fitted = fit(history)
    expected = result(1, [{"text": WORDS.cleared}], status="error")
    assert fitted.messages[2] == {"role": "user", "content": [expected, POINT]}


@pytest.mark.parametrize("strict_roles", [False, True])
def test_C4_the_note_is_a_block_of_the_first_user_message(strict_roles: bool) -> None:
    """Roles must alternate; it stands there once, also when a saved view grows and is cut again."""
    fitted = cut([ASK, *rounds(4)], strict_roles=strict_roles)
    assert fitted.messages[0] == {"role": "user", "content": [*ASK["content"], {"text": WORDS.left_out}]}
    assert ["user", "assistant"] == [message["role"] for message in fitted.messages[:2]]
    assert 1 == notes(cut([*fitted.messages, *rounds(4, start=9)], strict_roles=strict_roles).messages)


def test_C4_the_note_is_known_before_a_cache_point() -> None:
    """Cache points are set anew on views that come back."""
    marked = {"role": "user", "content": [{"text": "Count."}, {"text": WORDS.left_out}, POINT]}
    assert 1 == notes(cut([marked, *rounds(4)]).messages)


def test_V4_only_arguments_change_and_only_on_request() -> None:
    """Thinking and everything beside the input stay as they are."""
    history = [ASK, *rounds(4)]
    history[1] = {"role": "assistant", "content": [THINKING, use(1, input={"path": LONG})]}
    assert fit(history, 3_000).messages[1] is history[1]
    edited = fit(history, 3_000, clear_tool_inputs=True).messages[1]
    assert edited["content"] == [THINKING, use(1, input={"cleared": WORDS.cleared_input})]


def test_V7_strip_removes_thinking_made_before_an_edit() -> None:
    """Blocks after the first cleared result go, those of the newest round and lone ones stay."""
    history = [ASK, *rounds(4)]
    for place in (1, 3, 5, 7):
        history[place]["content"].insert(0, THINKING)
    assert fit(history).needs_drop_block
    fitted = fit(history, thinking="strip")
    assert [True, False, False, True] == [THINKING in fitted.messages[place]["content"] for place in (1, 3, 5, 7)]
    alone = {"role": "assistant", "content": [THINKING]}
    assert Bedrock().without_thinking(alone) is alone


def test_S6_blobs_count_a_constant() -> None:
    """Signatures, redacted thinking and documents are not counted by their length."""

    def weight(size: int) -> int:
        document = {"document": {"format": "pdf", "name": "a", "source": {"bytes": b"b" * size}}}
        redacted = {"reasoningContent": {"redactedContent": b"b" * size}}
        signed = {"reasoningContent": {"reasoningText": {"text": "Hm.", "signature": "b" * size}}}
        return longturn.estimate({"role": "assistant", "content": [document, redacted, signed]})

    assert weight(12) == weight(100_000)
