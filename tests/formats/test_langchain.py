"""LangChain messages: objects, dumped dicts and the form with ``kwargs``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from laws import LONG, WORDS, Model, cut, fit, notes

import longturn
from longturn.fitting.outline import Kind
from longturn.formats.langchain import LangChain

ASK = {"type": "human", "content": "Count the words.", "id": "h1"}
THINKING = {"type": "thinking", "thinking": "Hm.", "signature": "s" * 4_000}
Form = Callable[[dict[str, Any]], Any]


def call(number: int = 1, **arguments: Any) -> dict[str, Any]:
    return {"name": "read", "args": arguments, "id": f"c{number}", "type": "tool_call"}


def ai(*calls: dict[str, Any], content: Any = "", **more: Any) -> dict[str, Any]:
    return {"type": "ai", "content": content, "tool_calls": list(calls), "invalid_tool_calls": [], **more}


def result(number: int = 1, content: Any = LONG, **more: Any) -> dict[str, Any]:
    return {"type": "tool", "content": content, "tool_call_id": f"c{number}", "name": "read", **more}


def rounds(count: int, start: int = 1) -> list[dict[str, Any]]:
    return [message for n in range(start, start + count) for message in (ai(call(n)), result(n))]


def dumped(message: dict[str, Any]) -> dict[str, Any]:
    name = {"human": "HumanMessage", "ai": "AIMessage", "tool": "ToolMessage", "system": "SystemMessage"}
    path = ["langchain", "schema", "messages", name[message["type"]]]
    members = {key: value for key, value in message.items() if key != "type"}
    return {"lc": 1, "type": "constructor", "id": path, "kwargs": members}


FORMS = pytest.mark.parametrize("form", [dict, dumped, lambda message: Model(**message)], ids=["dict", "lc", "object"])


def members(message: Any) -> dict[str, Any]:
    """Return a message's members, whatever its form, but for its type."""
    found = message.get("kwargs", message) if isinstance(message, dict) else vars(message)
    return {key: value for key, value in found.items() if key != "type"}


@pytest.mark.parametrize(
    ("message", "kind", "calls", "results"),
    [
        (ASK, Kind.USER, [], []),
        ({"type": "system", "content": "Be brief."}, Kind.SYSTEM, [], []),
        (ai(call(1), call(2)), Kind.MODEL, ["c1", "c2"], []),
        ({"type": "AIMessageChunk", "content": "Well."}, Kind.MODEL, [], []),
        (ai(content=[{"type": "tool_use", "id": "c1", "name": "read", "input": {}}]), Kind.MODEL, ["c1"], []),
        (ai(call(1), content=[{"type": "tool_use", "id": "c1", "name": "read", "input": {}}]), Kind.MODEL, ["c1"], []),
        (ai(invalid_tool_calls=[{"id": "c1", "name": "read", "args": "{"}]), Kind.MODEL, ["c1"], []),
        (result(), Kind.REPLY, [], ["c1"]),
        ({"type": "function", "name": "read", "content": "12"}, Kind.REPLY, [], [None]),
        ({"type": "chat", "role": "assistant", "content": "Well."}, Kind.MODEL, [], []),
        ({"type": "chat", "role": "critic", "content": "Hm."}, Kind.REPLY, [], []),
    ],
)
def test_reads_who_speaks_and_the_calls_and_results(
    message: dict[str, Any], kind: Kind, calls: list[str], results: list[Any]
) -> None:
    """A call that stands in the content as well is one call."""
    facts = LangChain().read(message)
    assert (kind, calls, results) == (facts.kind, [c.id for c in facts.calls], [r.id for r in facts.results])


@FORMS
def test_C3_clearing_replaces_the_content_only(form: Form) -> None:
    """Ids, status and artifact stay: a graph's state keeps the message by its id."""
    extras = {"id": "t1", "status": "error", "artifact": {"rows": 3}}
    history = [form(message) for message in (ASK, *rounds(4))]
    history[2] = form(result(1, [{"type": "text", "text": LONG}], **extras))
    fitted = fit(history)
    assert members(fitted.messages[2]) == members(form(result(1, WORDS.cleared, **extras)))
    assert type(fitted.messages[2]) is type(history[2])


@FORMS
@pytest.mark.parametrize("strict_roles", [False, True])
def test_C4_the_note_is_appended_once(form: Form, strict_roles: bool) -> None:
    """It ends the head's human message, also when a saved view grows and is cut again."""
    history = [form(message) for message in (ASK, *rounds(4))]
    fitted = cut(history, strict_roles=strict_roles)
    expected = {"content": f"{ASK['content']}\n\n{WORDS.left_out}", "id": "h1"}
    assert members(fitted.messages[0]) == expected
    more = [form(message) for message in rounds(4, start=9)]
    assert 1 == notes(cut([*fitted.messages, *more], strict_roles=strict_roles).messages)


@pytest.mark.parametrize("form", [dict, dumped], ids=["dict", "lc"])
def test_C4_the_note_has_the_form_of_the_history(form: Form) -> None:
    """Where nobody asked, it is a message of its own."""
    note = cut([form(message) for message in rounds(6)]).messages[2]
    assert members(note) == {"content": WORDS.left_out}
    assert LangChain().read(note).kind is Kind.USER
    assert note.get("lc") == form(ASK).get("lc")


@FORMS
@pytest.mark.parametrize(
    ("block", "key", "cleared"),
    [
        ({"type": "tool_use", "id": "c1", "name": "read"}, "input", {"cleared": WORDS.cleared_input}),
        ({"type": "tool_call", "id": "c1", "name": "read"}, "args", {"cleared": WORDS.cleared_input}),
        (
            {"type": "function_call", "call_id": "c1", "name": "read"},
            "arguments",
            f'{{"cleared":"{WORDS.cleared_input}"}}',
        ),
    ],
)
@pytest.mark.parametrize("is_doubled", [True, False])
def test_cleared_arguments_go_from_both_places(
    form: Form, block: Any, key: str, cleared: Any, is_doubled: bool
) -> None:
    """The call in ``tool_calls`` and its block in the content say the same."""
    long = f'{{"path":"{LONG}"}}' if isinstance(cleared, str) else {"path": LONG}
    history = [ASK, *rounds(4)]
    content = [THINKING, {**block, key: long}, {**block, "id": "c7", "call_id": "c7", key: "{}"}]
    history[1] = ai(*[call(1, path=LONG)] * is_doubled, content=content)
    edited = members(fit([form(message) for message in history], 3_000, clear_tool_inputs=True).messages[1])
    assert edited["content"] == [THINKING, {**block, key: cleared}, content[2]]
    assert edited["tool_calls"] == [call(1, cleared=WORDS.cleared_input)] * is_doubled


@FORMS
def test_V4_arguments_under_a_signature_stay(form: Form) -> None:
    """Gemini signs its calls; the integration keeps the signatures beside them."""
    history = [ASK, *rounds(4)]
    history[1] = ai(
        call(1, path=LONG), additional_kwargs={"__gemini_function_call_thought_signatures__": {"c1": "sig"}}
    )
    history = [form(message) for message in history]
    fitted = fit(history, 3_000, clear_tool_inputs=True)
    assert fitted.messages[1] is history[1]
    assert WORDS.cleared == members(fitted.messages[2])["content"]


@FORMS
def test_V7_strip_removes_thinking_made_before_an_edit(form: Form) -> None:
    """But for OpenAI's reasoning items, whose calls are refused without them."""
    item = {"type": "reasoning", "id": "rs_1", "summary": []}
    history = [ASK, *rounds(4)]
    for place in (1, 3, 5, 7):
        history[place] |= {"content": [THINKING, item]}
    history = [form(message) for message in history]
    assert fit(history).needs_drop_block
    found = [members(fit(history, thinking="strip").messages[place])["content"] for place in (1, 3, 5, 7)]
    assert found == [[THINKING, item], [item], [item], [THINKING, item]]


def test_V2_system_messages_in_the_middle_stay() -> None:
    """Memory notes stand behind each question."""
    memory = {"type": "system", "content": "Remember."}
    history = [ASK, memory, *rounds(2), ASK, memory, *rounds(4, start=5)]
    kept = cut(history).messages
    assert 2 == kept.count(memory)


def test_S6_blobs_count_a_constant() -> None:
    """Signatures weigh nothing, in the spellings of all integrations."""

    def weight(size: int) -> int:
        blob = "b" * size
        blocks = [
            {"type": "reasoning_content", "reasoning_content": {"text": "Hm.", "signature": blob}},
            {"type": "reasoning", "reasoning": "Hm.", "extras": {"signature": blob}},
            THINKING | {"signature": blob},
        ]
        return longturn.estimate(ai(content=blocks))

    assert weight(10) == weight(100_000)


def test_S6_what_is_not_sent_does_not_count() -> None:
    """Artifacts, usage and metadata stay with the framework; calls in two places count once."""
    extras = {
        "artifact": {"rows": [LONG]},
        "response_metadata": {"model_name": LONG},
        "usage_metadata": {"input_tokens": 10**9},
    }
    assert longturn.estimate(result()) == longturn.estimate(result(**extras))
    again = [{"type": "tool_use", "id": "c1", "name": "read", "input": {"path": LONG}}]
    raw = {"tool_calls": [{"id": "c1", "function": {"name": "read", "arguments": LONG}}]}
    assert longturn.estimate(ai(call(1, path=LONG))) == longturn.estimate(
        ai(call(1, path=LONG), content=again, additional_kwargs=raw)
    )
