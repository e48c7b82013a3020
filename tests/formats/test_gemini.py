"""Gemini generateContent."""

from __future__ import annotations

from typing import Any

import pytest
from laws import LONG, WORDS, Model, cut, fit, notes

import longturn
from longturn.fitting.outline import Kind
from longturn.formats.gemini import Gemini

ASK = {"role": "user", "parts": [{"text": "Count the words."}]}
PICTURE = {"inlineData": {"mimeType": "image/png", "data": "iVBORw0KGgo="}}


def call(**members: Any) -> dict[str, Any]:
    return {"functionCall": {"name": "read", "args": {}, **members}, "thoughtSignature": "c2ln"}


def response(value: Any, **members: Any) -> dict[str, Any]:
    return {"functionResponse": {"name": "read", "response": value, **members}}


def rounds(count: int) -> list[dict[str, Any]]:
    pair = ({"role": "model", "parts": [call()]}, {"role": "user", "parts": [response({"result": LONG})]})
    return [dict(message) for _ in range(count) for message in pair]


@pytest.mark.parametrize(
    ("content", "kind", "calls", "results"),
    [
        (ASK, Kind.USER, 0, 0),
        ({"parts": [{"text": "No role."}]}, Kind.USER, 0, 0),
        ({"role": "model", "parts": [{"text": "", "thoughtSignature": "c2ln"}]}, Kind.MODEL, 0, 0),
        ({"role": "model", "parts": [call(), call()]}, Kind.MODEL, 2, 0),
        ({"parts": [{"function_call": {"name": "read", "args": {}}}]}, Kind.MODEL, 1, 0),
        ({"role": "user", "parts": [response({}), response({})]}, Kind.REPLY, 0, 2),
        ({"role": "function", "parts": [{"function_response": {"name": "read", "response": {}}}]}, Kind.REPLY, 0, 1),
        ({"role": "user", "parts": [response({}), PICTURE]}, Kind.REPLY, 0, 1),
        (
            {"role": "model", "parts": [{"executableCode": {"code": "1"}}, {"codeExecutionResult": {}}]},
            Kind.MODEL,
            0,
            0,
        ),
        ({"role": "user", "parts": None}, Kind.USER, 0, 0),
    ],
)
def test_reads_who_speaks_and_the_calls_and_results(
    content: dict[str, Any], kind: Kind, calls: int, results: int
) -> None:
    """A role may be missing, keys come in two spellings, and a content with responses is a reply."""
    facts = Gemini().read(content)
    assert (kind, calls, results) == (facts.kind, len(facts.calls), len(facts.results))


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ({"result": LONG}, {"result": WORDS.cleared}),
        ({"output": LONG}, {"output": WORDS.cleared}),
        ({"error": LONG}, {"error": WORDS.cleared}),
        ({"name": "read", "content": LONG}, {"content": WORDS.cleared}),
        ({"temperature": 20, "report": LONG}, {"output": WORDS.cleared}),
    ],
)
def test_C3_the_note_stands_under_the_key_the_text_had(before: dict[str, Any], after: dict[str, Any]) -> None:
    """Id and name stay, media inside the response go with it, and so an error stays an error."""
    history = [ASK, *rounds(4)]
    history[2] = {"role": "user", "parts": [response(before, id="7", parts=[PICTURE]), {"text": "Look."}]}
    fitted = fit(history, 3_600)
    assert fitted.messages[2] == {"role": "user", "parts": [response(after, id="7"), {"text": "Look."}]}


def test_C3_snake_case_stays_snake_case() -> None:
    """Dumps of the SDK are edited in their own spelling."""
    history = [ASK, *rounds(4)]
    named = {"name": "read", "response": {"result": LONG}}
    history[2] = {"role": "user", "parts": [{"function_response": named}]}
    expected = {"function_response": {"name": "read", "response": {"result": WORDS.cleared}}}
    assert fit(history).messages[2] == {"role": "user", "parts": [expected]}


def test_V1_results_without_ids_are_paired_by_name_and_order() -> None:
    """Neighbouring contents with responses belong to one round."""
    history = [ASK]
    for _ in range(6):
        history.append({"role": "model", "parts": [call(), call(name="look")]})
        history.append({"role": "user", "parts": [response({"result": LONG})]})
        history.append({"role": "user", "parts": [response({"result": LONG}, name="look")]})
    fitted = fit(history, 4_000)
    assert [(None, "read"), (None, "look")] == [cleared[:2] for cleared in fitted.cleared[:2]]
    kept = cut(history, 4_000).messages
    assert ["user", "model", "user", "user"] == [content["role"] for content in kept[:4]]


@pytest.mark.parametrize("strict_roles", [False, True])
def test_C4_the_note_is_a_part_of_the_first_user_content(strict_roles: bool) -> None:
    """A user text of its own would move the place from which signatures are checked."""
    fitted = cut([ASK, *rounds(4)], strict_roles=strict_roles)
    assert fitted.messages[0] == {"role": "user", "parts": [*ASK["parts"], {"text": WORDS.left_out}]}
    assert 1 == notes(cut([*fitted.messages, *rounds(4)], strict_roles=strict_roles).messages)


def test_V4_call_parts_are_never_touched() -> None:
    """They carry signatures over themselves: arguments stay even where they may be cleared."""
    history = [ASK, *rounds(4)]
    history[1] = {"role": "model", "parts": [call(args={"path": LONG})]}
    fitted = fit(history, 3_000, clear_tool_inputs=True)
    assert fitted.cleared
    assert fitted.messages[1] is history[1]


def test_contents_as_objects_are_read_and_edited_as_copies() -> None:
    """``response.candidates[0].content`` may be handed back as it is; the note takes the parts' class."""

    def thing(response: Any = None, text: Any = None, **more: Any) -> Model:
        return Model(function_response=response, text=text, **more)

    answer = Model(name="read", response={"result": LONG}, id=None, parts=None)
    history: list[Any] = [Model(role="user", parts=[Model(text="Count.")]), *rounds(4)]
    history[2] = Model(role="user", parts=[thing(answer)])
    cleared = fit(history).messages[2].parts[0].function_response
    assert cleared == Model(name="read", response={"result": WORDS.cleared}, id=None, parts=None)
    assert cut(history).messages[0].parts == [Model(text="Count."), Model(text=WORDS.left_out)]


def test_note_first_where_nobody_asked() -> None:
    """A history that begins with the model gets the note as a user content after its first round."""
    fitted = cut(rounds(6))
    assert fitted.messages[2] == {"role": "user", "parts": [{"text": WORDS.left_out}]}


def test_S6_blobs_count_a_constant() -> None:
    """Signatures weigh nothing, pictures by their size: base64 never counts by its length."""

    def weight(size: int) -> int:
        part = {"inlineData": {"mimeType": "image/png", "data": "b" * size}}
        signed = {"text": "Hm.", "thought": True, "thoughtSignature": "b" * size}
        return longturn.estimate({"role": "user", "parts": [part, signed, response({}, parts=[part])]})

    assert weight(12) == weight(100_000)
