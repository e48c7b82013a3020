"""Anthropic Messages."""

from __future__ import annotations

from typing import Any

import pytest
from laws import LONG, WORDS, Model, cut, fit, notes

import longturn
from longturn.fitting.outline import Kind
from longturn.formats.anthropic import Anthropic

ASK = {"role": "user", "content": "Count the words."}
MARK = {"type": "ephemeral"}


def text(words: str, **more: Any) -> dict[str, Any]:
    return {"type": "text", "text": words, **more}


def use(number: int = 1, **arguments: Any) -> dict[str, Any]:
    return {"type": "tool_use", "id": f"c{number}", "name": "read", "input": arguments}


def result(number: int = 1, content: Any = LONG, **more: Any) -> dict[str, Any]:
    return {"type": "tool_result", "tool_use_id": f"c{number}", "content": content, **more}


def rounds(count: int, start: int = 1, content: Any = LONG, **more: Any) -> list[dict[str, Any]]:
    pairs = [
        ({"role": "assistant", "content": [use(n)]}, {"role": "user", "content": [result(n, content, **more)]})
        for n in range(start, start + count)
    ]
    return [message for pair in pairs for message in pair]


@pytest.mark.parametrize(
    ("message", "kind", "calls", "results"),
    [
        (ASK, Kind.USER, [], []),
        ({"role": "assistant", "content": "Well."}, Kind.MODEL, [], []),
        ({"role": "assistant", "content": [text("Well."), use(1), use(2)]}, Kind.MODEL, ["c1", "c2"], []),
        ({"role": "user", "content": [result(1), result(2), text("Go on.")]}, Kind.REPLY, [], ["c1", "c2"]),
        ({"role": "system", "content": "Be brief."}, Kind.SYSTEM, [], []),
        (
            {"role": "assistant", "content": [{"type": "server_tool_use", "id": "s", "name": "web_search"}]},
            Kind.MODEL,
            [],
            [],
        ),
        ({"role": "critic", "content": "Hm."}, Kind.REPLY, [], []),
        ({"role": "user", "content": None}, Kind.USER, [], []),
    ],
)
def test_reads_who_speaks_and_the_calls_and_results(
    message: dict[str, Any], kind: Kind, calls: list[str], results: list[str]
) -> None:
    """A message with results is a reply, whatever else is in it; server-side tools are the model's own text."""
    facts = Anthropic().read(message)
    assert (kind, calls, results) == (facts.kind, [c.id for c in facts.calls], [r.id for r in facts.results])


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (LONG, True),
        ([text(LONG), {"type": "image", "source": {"type": "url", "url": "https://example.com/a.png"}}], True),
        ([{"type": "tool_reference", "tool_name": "write"}, text(LONG)], False),
        (WORDS.cleared, False),
        ([text(WORDS.cleared_recall)], False),
    ],
)
def test_C1_tool_references_and_notes_are_not_replaced(content: Any, expected: bool) -> None:
    """Without its reference a deferred tool would be unknown; a note is no result."""
    (found,) = Anthropic().read({"role": "user", "content": [result(1, content)]}).results
    assert expected is found.is_replaceable


def test_C3_clearing_keeps_id_error_flag_mark_and_what_stands_beside() -> None:
    """Only the content of the result becomes the note; a mark inside it moves to the block."""
    history = [ASK, *rounds(4, content=[text(LONG, cache_control=MARK)], is_error=True)]
    history[2]["content"].append(text("By the way."))
    fitted = fit(history)
    assert ["c1", "c2"] == [cleared.call_id for cleared in fitted.cleared]
    assert fitted.messages[2] == {
        "role": "user",
        "content": [result(1, WORDS.cleared, is_error=True, cache_control=MARK), text("By the way.")],
    }
    assert fitted.messages[5:] == history[5:]


@pytest.mark.parametrize("strict_roles", [False, True])
@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        ("Count.", f"Count.\n\n{WORDS.left_out}"),
        ([text("Count.", cache_control=MARK)], [text("Count.", cache_control=MARK), text(WORDS.left_out)]),
    ],
)
def test_C4_the_note_is_appended_once(asked: Any, expected: Any, strict_roles: bool) -> None:
    """It is the last text of the head's user message, also when a saved view grows and is cut again."""
    fitted = cut([{"role": "user", "content": asked}, *rounds(4)], strict_roles=strict_roles)
    assert fitted.messages[0] == {"role": "user", "content": expected}
    assert 1 == notes(cut([*fitted.messages, *rounds(4, start=9)], strict_roles=strict_roles).messages)


def test_V4_thinking_and_calls_are_not_touched() -> None:
    """Assistant messages come back as the same objects unless arguments are cleared on request."""
    thinking = {"type": "thinking", "thinking": "Hm.", "signature": "s" * 4_000}
    history = [ASK, *rounds(4)]
    history[1]["content"] = [thinking, use(1, path=LONG)]
    assert fit(history, 3_000).messages[1] is history[1]
    edited = fit(history, 3_000, clear_tool_inputs=True).messages[1]
    assert edited["content"] == [thinking, use(1, cleared=WORDS.cleared_input)]


def test_V7_strip_removes_thinking_made_before_an_edit() -> None:
    """Blocks after the first cleared result go, those of the newest round and lone ones stay."""
    thinking = {"type": "thinking", "thinking": "Hm.", "signature": "sig"}
    history = [ASK, *rounds(4)]
    for place in (1, 3, 5, 7):
        history[place] = {**history[place], "content": [thinking, *history[place]["content"]]}
    assert fit(history).needs_drop_block
    fitted = fit(history, thinking="strip")
    assert [True, False, False, True] == [thinking in fitted.messages[place]["content"] for place in (1, 3, 5, 7)]
    assert not fitted.needs_drop_block
    alone = {"role": "assistant", "content": [thinking]}
    assert 0 == Anthropic().read(alone).thinking
    assert Anthropic().without_thinking(alone) is alone


def test_blocks_as_objects_are_read_and_edited_as_copies() -> None:
    """``response.content`` may be handed back as it is."""
    history: list[Any] = [ASK, *rounds(4)]
    history[1] = {"role": "assistant", "content": [Model(**use(1, path=LONG))]}
    history[2] = Model(role="user", content=[Model(**result(1))])
    fitted = fit(history, clear_tool_inputs=True)
    assert fitted.messages[1]["content"][0] == Model(**use(1, cleared=WORDS.cleared_input))
    assert fitted.messages[2] == Model(role="user", content=[Model(**result(1, WORDS.cleared))])


@pytest.mark.parametrize("kind", ["server_tool_use", "mcp_tool_use"])
def test_server_side_tools_stay_whole(kind: str) -> None:
    """Their results carry what later citations refer to."""
    served = [
        {"type": kind, "id": "s1", "name": "read", "input": {}},
        {"type": kind.replace("use", "result"), "tool_use_id": "s1", "content": [text(LONG)]},
    ]
    history = [ASK, {"role": "assistant", "content": served}, ASK, *rounds(3)]
    fitted = fit(history, 3_000)
    assert fitted.messages[1] is history[1]


def test_S6_blobs_count_a_constant() -> None:
    """Signatures and encrypted parts weigh the same, however long they are."""

    def weight(size: int) -> int:
        blob = "b" * size
        return longturn.estimate(
            {
                "role": "assistant",
                "content": [
                    {"type": "thinking", "thinking": "Hm.", "signature": blob},
                    {"type": "redacted_thinking", "data": blob},
                    {
                        "type": "web_search_tool_result",
                        "content": [{"type": "web_search_result", "encrypted_content": blob}],
                    },
                    text("So.", citations=[{"cited_text": "So", "encrypted_index": blob}]),
                ],
            }
        )

    assert weight(10) == weight(100_000)
