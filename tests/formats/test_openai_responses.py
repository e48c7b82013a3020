"""OpenAI Responses."""

from __future__ import annotations

import json
from typing import Any

import pytest
from laws import LONG, WORDS, Model, cut, fit, notes

import longturn
from longturn import Policy, Window
from longturn.fitting.outline import Kind
from longturn.formats.openai_responses import OpenAIResponses

ASK = {"role": "user", "content": "Count the words."}
NOTE = {"role": "user", "content": WORDS.left_out}
EXIT = {"type": "exit", "exit_code": 1}
SCREEN = {"type": "computer_screenshot", "image_url": "https://example.com/a.png"}


def reasoning(number: int = 1) -> dict[str, Any]:
    return {"type": "reasoning", "id": f"rs_{number}", "summary": [], "encrypted_content": "e" * 3_000}


def call(number: int = 1, **arguments: Any) -> dict[str, Any]:
    return {"type": "function_call", "call_id": f"c{number}", "name": "read", "arguments": json.dumps(arguments)}


def output(number: int = 1, content: Any = LONG, **more: Any) -> dict[str, Any]:
    return {"type": "function_call_output", "call_id": f"c{number}", "output": content, **more}


def rounds(count: int, start: int = 1) -> list[dict[str, Any]]:
    return [item for n in range(start, start + count) for item in (reasoning(n), call(n), output(n))]


@pytest.mark.parametrize(
    ("item", "kind", "calls", "results"),
    [
        (ASK, Kind.USER, [], []),
        (
            {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Well."}]},
            Kind.MODEL,
            [],
            [],
        ),
        ({"role": "developer", "content": "Be brief."}, Kind.SYSTEM, [], []),
        (reasoning(), Kind.MODEL, [], []),
        (call(), Kind.MODEL, [("c1", "read")], []),
        ({"type": "shell_call", "call_id": "c1", "action": {"commands": ["ls"]}}, Kind.MODEL, [("c1", "shell")], []),
        ({"type": "program", "id": "p", "call_id": "c1", "code": "1"}, Kind.MODEL, [("c1", "program")], []),
        ({"type": "program_output", "id": "p", "call_id": "c1", "result": "1"}, Kind.MODEL, [], ["c1"]),
        (output(), Kind.REPLY, [], ["c1"]),
        ({"type": "local_shell_call_output", "id": "c1", "output": "."}, Kind.REPLY, [], ["c1"]),
        ({"type": "web_search_call", "id": "ws_1", "status": "completed"}, Kind.MODEL, [], []),
        ({"type": "mcp_call", "id": "mcp_1", "name": "read", "arguments": "{}", "output": LONG}, Kind.MODEL, [], []),
        ({"type": "mcp_list_tools", "id": "mcpl_1", "tools": []}, Kind.SYSTEM, [], []),
        ({"type": "compaction", "encrypted_content": "e"}, Kind.SYSTEM, [], []),
        ({"type": "item_reference", "id": "fc_1"}, Kind.MODEL, [], []),
        ({"type": "novel_item"}, Kind.MODEL, [], []),
        ({"type": "novel_call_output", "call_id": "c1"}, Kind.REPLY, [], ["c1"]),
    ],
)
def test_reads_who_speaks_and_the_calls_and_results(
    item: dict[str, Any], kind: Kind, calls: list[Any], results: list[Any]
) -> None:
    """Hosted calls hold their result and are nobody's call; what declares tools is pinned like a system message."""
    facts = OpenAIResponses().read(item)
    found = ([(c.id, c.tool) for c in facts.calls], [r.id for r in facts.results])
    assert (kind, calls, results) == (facts.kind, *found)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (
            output(1, [{"type": "input_text", "text": LONG}], status="completed"),
            output(1, WORDS.cleared, status="completed"),
        ),
        (
            {"type": "custom_tool_call_output", "call_id": "c1", "output": LONG},
            {"type": "custom_tool_call_output", "call_id": "c1", "output": WORDS.cleared},
        ),
        (
            {"type": "local_shell_call_output", "id": "c1", "output": LONG},
            {"type": "local_shell_call_output", "id": "c1", "output": WORDS.cleared},
        ),
        (
            {"type": "apply_patch_call_output", "call_id": "c1", "output": LONG, "status": "failed"},
            {"type": "apply_patch_call_output", "call_id": "c1", "output": WORDS.cleared, "status": "failed"},
        ),
        (
            {
                "type": "shell_call_output",
                "call_id": "c1",
                "output": [
                    {"stdout": LONG, "stderr": "", "outcome": {"type": "timeout"}},
                    {"stdout": "", "stderr": LONG, "outcome": EXIT},
                ],
            },
            {
                "type": "shell_call_output",
                "call_id": "c1",
                "output": [{"stdout": WORDS.cleared, "stderr": "", "outcome": EXIT}],
            },
        ),
    ],
)
def test_C3_cleared_outputs_keep_their_shape(before: dict[str, Any], after: dict[str, Any]) -> None:
    """The note stands in the text field, everything beside it stays, also the last outcome of a shell."""
    history = [ASK, *rounds(4)]
    history[2] = call(1) | {"type": before["type"].removesuffix("_output")}
    history[3] = before
    fitted = fit(history, 3_000)
    assert after == fitted.messages[3]
    assert fitted.cleared[0].call_id == "c1"


@pytest.mark.parametrize(
    "item",
    [
        {"type": "computer_call_output", "call_id": "c1", "output": SCREEN},
        {"type": "tool_search_output", "call_id": "c1", "tools": [{"name": LONG}]},
        output(1, WORDS.cleared),
        {"type": "shell_call_output", "call_id": "c1", "output": [{"stdout": WORDS.cleared, "stderr": ""}]},
        {"type": "shell_call_output", "call_id": "c1", "output": []},
    ],
)
def test_C1_outputs_that_no_text_can_replace_stay(item: dict[str, Any]) -> None:
    """A screenshot stays a screenshot, found tools stay found, a note stays itself."""
    (result,) = OpenAIResponses().read(item).results
    assert not result.is_replaceable


def test_C4_the_note_is_a_user_message_right_after_the_head() -> None:
    """It stands there once, also when a saved view grows and is cut again."""
    fitted = cut([ASK, *rounds(4)], 2_000)
    assert fitted.messages[:2] == [ASK, NOTE]
    assert 1 == notes(cut([*fitted.messages, *rounds(4, start=9)], 2_000).messages)


def test_C4_strict_roles_append_the_note_as_input_text() -> None:
    """Parts of a user's item are of type input_text."""
    asked = {"role": "user", "content": [{"type": "input_text", "text": "Count."}]}
    fitted = cut([asked, *rounds(4)], 2_000, strict_roles=True)
    expected = [*asked["content"], {"type": "input_text", "text": WORDS.left_out}]
    assert fitted.messages[0] == {"role": "user", "content": expected}
    assert fitted.messages[1]["type"] == "reasoning"


def test_V4_reasoning_leaves_with_the_item_after_it() -> None:
    """Neither a reasoning item without its call nor a call without its reasoning is left."""
    kept = [item["type"] for item in cut([ASK, *rounds(6)], 2_000).messages[2:]]
    assert kept == ["reasoning", "function_call", "function_call_output"] * (len(kept) // 3)


def test_V8_a_leading_compaction_stays_first() -> None:
    """It stands for everything before it."""
    history = [{"type": "compaction", "id": "cmp_1", "encrypted_content": "e"}, ASK, *rounds(4)]
    assert cut(history, 2_000).messages[0] is history[0]


def test_V8_a_history_held_by_the_provider_passes_through_with_one_warning() -> None:
    """There is nothing to see, so nothing to fit: an output without its call is right there."""
    body = {"model": "m", "previous_response_id": "resp_1", "input": [output(1)]}
    window = Window(policy=Policy(budget=1_000))
    with pytest.warns(UserWarning, match="history that the provider keeps"):
        fitted = window.fit_request(body)
    assert fitted.request == body
    assert fitted.tokens == longturn.estimate(body["input"])
    assert window.fit_request(body).request == body


def test_a_program_and_its_calls_are_one(  # their results are what it goes on with
) -> None:
    """No cut falls between a program and its output."""
    by = {"caller": {"type": "program", "caller_id": "p1"}}
    program = {"type": "program", "id": "prg_1", "call_id": "p1", "code": "read()", "fingerprint": "f"}
    inside = [program, call(1) | by, output(1) | by, call(2) | by, output(2) | by]
    inside.append({"type": "program_output", "id": "prg_2", "call_id": "p1", "result": "2", "status": "completed"})
    fitted = cut([ASK, *rounds(4, start=9), *inside, {"role": "assistant", "content": "Two."}], 2_000)
    assert fitted.messages[-7:-1] == inside


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (call(1, path=LONG), call(1) | {"arguments": f'{{"cleared":"{WORDS.cleared_input}"}}'}),
        (
            {"type": "custom_tool_call", "call_id": "c1", "name": "read", "input": LONG},
            {"type": "custom_tool_call", "call_id": "c1", "name": "read", "input": WORDS.cleared_input},
        ),
        ({"type": "apply_patch_call", "call_id": "c1", "operation": {"type": "update_file", "diff": LONG}},) * 2,
    ],
)
def test_cleared_arguments_keep_their_shape(before: dict[str, Any], after: dict[str, Any]) -> None:
    """JSON text stays JSON text, a free text a text; fields with a meaning of their own are left alone."""
    history = [ASK, reasoning(1), before, output(1), *rounds(3, start=2)]
    assert after == fit(history, 3_000, clear_tool_inputs=True).messages[2]


def test_items_as_objects_are_read_and_edited_as_copies() -> None:
    """``response.output`` may be handed back as it is."""
    history: list[Any] = [ASK, *rounds(4)]
    history[1], history[2] = Model(**reasoning(1)), Model(**call(1, path=LONG))
    fitted = fit(history, 3_500, clear_tool_inputs=True)
    assert fitted.messages[1] is history[1]
    assert {"cleared": WORDS.cleared_input} == json.loads(fitted.messages[2].arguments)


def test_S6_blobs_count_a_constant() -> None:
    """Encrypted reasoning, fingerprints and generated images weigh the same, however long they are."""

    def weight(size: int) -> int:
        blob = "b" * size
        generated = {"type": "image_generation_call", "id": "ig_1", "result": blob}
        return longturn.estimate(
            [reasoning() | {"encrypted_content": blob}, generated, {"type": "program", "fingerprint": blob}]
        )

    assert weight(12) == weight(100_000)
