"""OpenAI Chat Completions."""

from __future__ import annotations

import json
from typing import Any

import pytest
from laws import LONG, WORDS, Model, cut, fit, notes

import longturn
from longturn.fitting.outline import Kind
from longturn.formats.openai_chat import OpenAIChat

SYSTEM = {"role": "system", "content": "Be brief."}
ASK = {"role": "user", "content": "Count the words."}
NOTE = {"role": "user", "content": WORDS.left_out}


def call(number: int = 1, **arguments: Any) -> dict[str, Any]:
    return {"id": f"c{number}", "type": "function", "function": {"name": "read", "arguments": json.dumps(arguments)}}


def result(number: int = 1, content: Any = LONG, **more: Any) -> dict[str, Any]:
    return {"role": "tool", "tool_call_id": f"c{number}", "content": content, **more}


def rounds(count: int, start: int = 1, **arguments: Any) -> list[dict[str, Any]]:
    pairs = [
        ({"role": "assistant", "content": None, "tool_calls": [call(n, **arguments)]}, result(n))
        for n in range(start, start + count)
    ]
    return [message for pair in pairs for message in pair]


@pytest.mark.parametrize(
    ("message", "kind", "calls", "results"),
    [
        (SYSTEM, Kind.SYSTEM, [], []),
        ({"role": "developer", "content": "Be brief."}, Kind.SYSTEM, [], []),
        (ASK, Kind.USER, [], []),
        ({"role": "assistant", "content": "Well.", "tool_calls": []}, Kind.MODEL, [], []),
        ({"role": "assistant", "tool_calls": [call(1), call(2)]}, Kind.MODEL, [("c1", "read"), ("c2", "read")], []),
        ({"role": "assistant", "function_call": {"name": "read", "arguments": "{}"}}, Kind.MODEL, [(None, "read")], []),
        (
            {"role": "assistant", "tool_calls": [{"id": "c1", "function": "read", "arguments": {}}]},
            Kind.MODEL,
            [("c1", "read")],
            [],
        ),
        (
            {
                "role": "assistant",
                "tool_calls": [{"id": "c1", "type": "custom", "custom": {"name": "sh", "input": "ls"}}],
            },
            Kind.MODEL,
            [("c1", "sh")],
            [],
        ),
        (result(1, name="read"), Kind.REPLY, [], [("c1", "read")]),
        ({"role": "function", "name": "read", "content": "12"}, Kind.REPLY, [], [(None, "read")]),
        ({"role": "critic", "content": "Hm."}, Kind.REPLY, [], []),
    ],
)
def test_reads_who_speaks_and_the_calls_and_results(
    message: dict[str, Any], kind: Kind, calls: list[Any], results: list[Any]
) -> None:
    """All the shapes that servers and agents give calls are read."""
    facts = OpenAIChat().read(message)
    found = ([(c.id, c.tool) for c in facts.calls], [(r.id, r.tool) for r in facts.results])
    assert (kind, calls, results) == (facts.kind, *found)


def test_C3_clearing_replaces_the_content_by_a_plain_text() -> None:
    """Id and name stay, a list of parts becomes a text: valid at every server."""
    history = [ASK, *rounds(4)]
    history[2] = result(1, [{"type": "text", "text": LONG}], name="read")
    fitted = fit(history)
    assert fitted.messages[2] == result(1, WORDS.cleared, name="read")
    assert [(2, "c1", "read")] == [(len(fitted.cleared), fitted.cleared[0].call_id, fitted.cleared[0].tool)]


def test_C4_the_note_is_a_user_message_right_after_the_head() -> None:
    """It stands there once, also when a saved view grows and is cut again."""
    history = [SYSTEM, ASK, *rounds(4)]
    fitted = cut(history)
    assert fitted.messages[:3] == [SYSTEM, ASK, NOTE]
    assert 1 == notes(cut([*fitted.messages, *rounds(4, start=9)]).messages)


def test_C4_strict_roles_append_the_note() -> None:
    """Servers that demand alternating roles get no second user message."""
    fitted = cut([ASK, *rounds(4)], strict_roles=True)
    assert fitted.messages[0] == {"role": "user", "content": f"{ASK['content']}\n\n{WORDS.left_out}"}
    roles = [message["role"] for message in fitted.messages]
    assert ["user", "assistant", "tool"] == roles[:3]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (
            call(1, path=LONG),
            call(1) | {"function": {"name": "read", "arguments": f'{{"cleared":"{WORDS.cleared_input}"}}'}},
        ),
        (
            {"id": "c1", "function": {"name": "read", "arguments": {"path": LONG}}},
            {"id": "c1", "function": {"name": "read", "arguments": {"cleared": WORDS.cleared_input}}},
        ),
        (
            {"id": "c1", "function": "read", "arguments": {"path": LONG}},
            {"id": "c1", "function": "read", "arguments": {"cleared": WORDS.cleared_input}},
        ),
        (
            {"id": "c1", "type": "custom", "custom": {"name": "read", "input": LONG}},
            {"id": "c1", "type": "custom", "custom": {"name": "read", "input": WORDS.cleared_input}},
        ),
    ],
)
def test_cleared_arguments_keep_their_shape(before: dict[str, Any], after: dict[str, Any]) -> None:
    """JSON text stays JSON text, an object stays an object, a free text a text."""
    history = [ASK, *rounds(4)]
    history[1] = {"role": "assistant", "content": "", "tool_calls": [before]}
    fitted = fit(history, clear_tool_inputs=["read"])
    assert fitted.messages[1] == {"role": "assistant", "content": "", "tool_calls": [after]}


@pytest.mark.parametrize(
    "details",
    [
        {"extra_content": {"google": {"thought_signature": "sig"}}},
        {"provider_specific_fields": {"thought_signature": "sig"}},
    ],
)
def test_V4_arguments_under_a_signature_stay(details: dict[str, Any]) -> None:
    """Gemini signs its calls, whoever's API they come by."""
    history = [ASK, *rounds(4, path=LONG)]
    history[1]["tool_calls"][0] |= details
    fitted = fit(history, 4_000, clear_tool_inputs=True)
    assert fitted.messages[1] is history[1]
    assert WORDS.cleared == fitted.messages[2]["content"]


def test_V4_extra_keys_of_servers_stay() -> None:
    """Some refuse a tool-calling message whose reasoning is not handed back."""
    history = [ASK, *rounds(4, path=LONG)]
    extras = {"reasoning_content": "Hm.", "reasoning_details": [{"type": "reasoning.encrypted", "data": "b" * 99}]}
    history[1] |= extras
    edited = fit(history, 4_000, clear_tool_inputs=True).messages[1]
    assert extras == {key: edited[key] for key in extras}


def test_messages_as_objects_are_read_and_edited_as_copies() -> None:
    """``response.choices[0].message`` may be handed back as it is."""
    history: list[Any] = [ASK, *rounds(4, path=LONG)]
    function = Model(name="read", arguments=json.dumps({"path": LONG}))
    message = Model(role="assistant", content=None, tool_calls=[Model(id="c1", type="function", function=function)])
    history[1] = message
    edited = fit(history, 4_000, clear_tool_inputs=True).messages[1]
    assert {"cleared": WORDS.cleared_input} == json.loads(edited.tool_calls[0].function.arguments)
    assert message.tool_calls[0].function is function


def test_S6_blobs_count_a_constant() -> None:
    """Encrypted reasoning and signatures beside calls weigh the same, however long they are."""

    def weight(size: int) -> int:
        blob = "b" * size
        signed = call(1) | {"extra_content": {"google": {"thought_signature": blob}}}
        return longturn.estimate(
            {
                "role": "assistant",
                "tool_calls": [signed | {"provider_specific_fields": {"thought_signature": blob}}],
                "reasoning_details": [
                    {"type": "reasoning.text", "text": "Hm.", "signature": blob},
                    {"type": "reasoning.encrypted", "data": blob},
                ],
                "thinking_blocks": [{"type": "thinking", "thinking": "Hm.", "signature": blob}],
            }
        )

    assert weight(10) == weight(100_000)
