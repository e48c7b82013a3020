"""pydantic-ai: dataclass objects and their dumps."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest
from laws import LONG, WORDS, cut, fit, notes

import longturn
from longturn.fitting.outline import Kind
from longturn.formats.pydantic_ai import PydanticAI

WHEN = "2026-11-30T08:00:00Z"


@dataclass
class Prompt:
    content: Any
    timestamp: str = WHEN
    part_kind: str = "user-prompt"


@dataclass
class Call:
    tool_call_id: str
    args: Any = None
    tool_name: str = "read"
    provider_details: Any = None
    part_kind: str = "tool-call"


@dataclass
class Return:
    tool_call_id: str
    content: Any = LONG
    tool_name: str | None = "read"
    outcome: str = "success"
    tool_kind: str | None = None
    part_kind: str = "tool-return"


@dataclass
class Other:
    part_kind: str
    content: Any = ""
    id: str | None = None


@dataclass
class Request:
    parts: list[Any]
    instructions: str | None = None
    kind: str = "request"


@dataclass
class Response:
    parts: list[Any]
    kind: str = "response"


THINKING = Other("thinking", "Hm.")


def as_dict(message: Any) -> dict[str, Any]:
    return vars(message) | {"parts": [dict(vars(part)) for part in message.parts]}


FORMS = pytest.mark.parametrize("form", [lambda message: message, as_dict], ids=["object", "dict"])
Form = Callable[[Any], Any]


def rounds(count: int, start: int = 1) -> list[Any]:
    numbers = range(start, start + count)
    return [message for n in numbers for message in (Response([Call(f"c{n}")]), Request([Return(f"c{n}")]))]


def ask() -> Request:
    return Request([Other("system-prompt", "Be brief."), Prompt("Count the words.")])


@FORMS
@pytest.mark.parametrize(
    ("message", "kind", "calls", "results"),
    [
        (ask(), Kind.USER, [], []),
        (Request([Other("system-prompt", "Be brief.")]), Kind.SYSTEM, [], []),
        (Response([Other("text", "Well."), Call("c1"), Call("c2")]), Kind.MODEL, ["c1", "c2"], []),
        (Response([Other("builtin-tool-call"), Other("builtin-tool-return", LONG)]), Kind.MODEL, [], []),
        (Request([Return("c1"), Return("c2"), Prompt("Go on.")]), Kind.REPLY, [], ["c1", "c2"]),
        (Request([Return("c1", part_kind="retry-prompt")]), Kind.REPLY, [], ["c1"]),
        (Request([Return("x", tool_name=None, part_kind="retry-prompt")]), Kind.REPLY, [], []),
        (Request([Other("retry-feedback", "Again.")]), Kind.REPLY, [], []),
        (Request([]), Kind.REPLY, [], []),
    ],
)
def test_reads_who_speaks_and_the_calls_and_results(
    form: Form, message: Any, kind: Kind, calls: list[str], results: list[str]
) -> None:
    """A request with results is a reply, whatever a user adds; a retry without a tool goes on with its turn."""
    facts = PydanticAI().read(form(message))
    assert (kind, calls, results) == (facts.kind, [c.id for c in facts.calls], [r.id for r in facts.results])


@FORMS
@pytest.mark.parametrize("part_kind", ["tool-return", "retry-prompt"])
def test_C3_clearing_replaces_the_content_only(form: Form, part_kind: str) -> None:
    """Id, tool and outcome stay, and so do the prompt beside the result and the list the run shares."""
    whole = Request([Return("c1", [LONG], outcome="failed", part_kind=part_kind), Prompt("Go on.")])
    history = [form(message) for message in (ask(), *rounds(4))]
    history[2] = form(whole)
    fitted = fit(history)
    cleared = Return("c1", WORDS.cleared, outcome="failed", part_kind=part_kind)
    assert fitted.messages[2] == form(Request([cleared, Prompt("Go on.")]))


def test_C1_results_of_a_kind_of_tool_stay() -> None:
    """What was found or loaded is read from their content."""
    found = Return("c1", {"discovered_tools": [LONG]}, tool_kind="tool-search")
    (result,) = PydanticAI().read(Request([found])).results
    assert not result.is_replaceable


@FORMS
@pytest.mark.parametrize("strict_roles", [False, True])
def test_C4_the_note_is_a_prompt_of_its_own_in_the_first_request(form: Form, strict_roles: bool) -> None:
    """It repeats the time of the prompt before it, so that every note is the same."""
    fitted = cut([form(message) for message in (ask(), *rounds(4))], strict_roles=strict_roles)
    assert fitted.messages[0] == form(Request([*ask().parts, Prompt(WORDS.left_out)]))
    more = [form(message) for message in rounds(4, start=9)]
    assert 1 == notes(cut([*fitted.messages, *more], strict_roles=strict_roles).messages)


def test_C4_the_note_of_a_dumped_history_is_a_dict() -> None:
    """Where nobody asked, it is a request of its own."""
    note = cut([as_dict(message) for message in rounds(6)]).messages[2]
    assert note == {"kind": "request", "parts": [{"part_kind": "user-prompt", "content": WORDS.left_out}]}


@FORMS
@pytest.mark.parametrize(
    ("before", "after"),
    [
        ({"path": LONG}, {"cleared": WORDS.cleared_input}),
        (f'{{"path":"{LONG}"}}', f'{{"cleared":"{WORDS.cleared_input}"}}'),
    ],
)
def test_V4_only_arguments_change_and_only_on_request(form: Form, before: Any, after: Any) -> None:
    """JSON text stays JSON text, an object stays an object."""
    history = [ask(), Response([THINKING, Call("c1", before)]), *rounds(4)[1:]]
    history = [form(message) for message in history]
    assert fit(history, 3_000).messages[1] is history[1]
    edited = fit(history, 3_000, clear_tool_inputs=True).messages[1]
    assert edited == form(Response([THINKING, Call("c1", after)]))


@FORMS
def test_V4_arguments_under_a_signature_stay(form: Form) -> None:
    """Gemini signs its calls."""
    history = [
        ask(),
        Response([Call("c1", {"path": LONG}, provider_details={"thought_signature": "sig"})]),
        *rounds(4)[1:],
    ]
    history = [form(message) for message in history]
    fitted = fit(history, 3_000, clear_tool_inputs=True)
    assert fitted.messages[1] is history[1]
    assert [1, 2] == [len(str(fitted.messages[place]).split(WORDS.cleared)) for place in (1, 2)]


@FORMS
def test_V7_strip_removes_thinking_made_before_an_edit(form: Form) -> None:
    """But for OpenAI's reasoning items, whose calls are refused without them; and a lone one stays."""
    item = Other("thinking", "Hm.", id="rs_1")
    history = [ask(), *rounds(4)]
    for place in (1, 3, 5, 7):
        history[place] = Response([THINKING, item, *history[place].parts])
    history = [form(message) for message in history]
    assert fit(history).needs_drop_block
    fitted = fit(history, thinking="strip").messages
    expected = [form(Response([THINKING, item, Call("c1")])), form(Response([item, Call("c2")]))]
    assert expected == [fitted[1], fitted[3]]
    alone = form(Response([THINKING]))
    assert PydanticAI().without_thinking(alone) is alone


def test_S6_what_is_not_sent_does_not_count() -> None:
    """The framework repeats instructions on every request, and keeps books of its own."""
    books = {"timestamp": LONG, "usage": {"details": LONG}, "provider_details": {"a": LONG}, "run_id": LONG}
    books |= {
        "model_id": LONG,
        "state": LONG,
        "canonical_system": LONG,
        "history_digest": LONG,
        "metadata": {"a": LONG},
    }
    plain = as_dict(Response([Other("text", "Well.")]))
    assert longturn.estimate(plain) == longturn.estimate(plain | books)
    assert longturn.estimate(ask()) == longturn.estimate(Request(ask().parts, instructions=LONG))
