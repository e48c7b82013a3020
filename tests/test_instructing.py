"""The instructions stand in the system prompt once, whatever its form, and nothing that was given is changed."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import pytest
from laws import Model

from longturn import Window
from longturn.instructing import instructed, instructed_messages, instructed_request, is_instructed

TEXT = Window(1_000).instructions()
MARK = {"cache_control": {"type": "ephemeral"}}
BE = "Be brief."
USER = {"role": "user", "content": "Read."}

PROMPTS: dict[str, tuple[Any, Any]] = {
    "none": (None, TEXT),
    "empty text": ("", TEXT),
    "no blocks": ([], TEXT),
    "text": (BE, f"{BE}\n\n{TEXT}"),
    "texts": ([BE], [BE, TEXT]),
    "anthropic's blocks": (
        [{"type": "text", "text": BE, **MARK}],
        [{"type": "text", "text": BE, **MARK}, {"type": "text", "text": TEXT}],
    ),
    "responses' parts": (
        [{"type": "input_text", "text": BE}],
        [{"type": "input_text", "text": BE}, {"type": "input_text", "text": TEXT}],
    ),
    "bedrock's blocks, the last one a mark": (
        [{"text": BE}, {"cachePoint": {"type": "default"}}],
        [{"text": BE}, {"cachePoint": {"type": "default"}}, {"text": TEXT}],
    ),
    "gemini's content": ({"parts": [{"text": BE}]}, {"parts": [{"text": BE}, {"text": TEXT}]}),
    "gemini's part": ({"text": BE}, [{"text": BE}, {"text": TEXT}]),
    "an SDK's content": (
        Model(parts=[Model(text=BE)], role="user"),
        Model(parts=[Model(text=BE), Model(text=TEXT)], role="user"),
    ),
    "a tuple": ((BE,), [BE, TEXT]),
}


@pytest.mark.parametrize(("prompt", "expected"), PROMPTS.values(), ids=PROMPTS)
def test_every_form_takes_the_text_at_its_end(prompt: Any, expected: Any) -> None:
    """Once: a prompt that has it comes back as the same object."""
    before = deepcopy(prompt)
    once = instructed(prompt, TEXT)
    assert expected == once
    assert before == prompt
    assert is_instructed(once, TEXT)
    assert instructed(once, TEXT) is once


def test_a_prompt_in_which_the_user_put_it_is_left_alone() -> None:
    """Wherever in it."""
    prompt = f"{BE}\n{TEXT}\nAnswer in French."
    assert instructed(prompt, TEXT) is prompt
    blocks = [{"type": "text", "text": prompt}, {"type": "text", "text": BE}]
    assert instructed(blocks, TEXT) is blocks


@pytest.mark.parametrize("role", ["system", "developer"])
@pytest.mark.parametrize("content", [BE, [{"type": "text", "text": BE}]])
def test_openai_messages_take_it_in_the_last_leading_system_message(role: str, content: Any) -> None:
    """The message is a copy; the others are the same objects."""
    messages = [{"role": "system", "content": "You."}, {"role": role, "content": content, "name": "a"}, USER]
    before = deepcopy(messages)
    first, second, last = instructed_messages(messages, TEXT)
    assert before == messages
    assert first is messages[0]
    assert last is USER
    assert second == {"role": role, "content": instructed(content, TEXT), "name": "a"}
    again = instructed_messages([first, second, last], TEXT)
    assert all(one is other for one, other in zip(again, (first, second, last), strict=True))


def test_openai_messages_without_a_system_prompt_get_one() -> None:
    """A later system message is something else."""
    later = {"role": "system", "content": BE}
    assert instructed_messages([USER, later], TEXT) == [{"role": "system", "content": TEXT}, USER, later]


SYSTEM = {"role": "developer", "content": BE}

BODIES: dict[str, tuple[str, dict[str, Any], dict[str, Any]]] = {
    "anthropic": ("anthropic", {"messages": [USER]}, {"system": TEXT}),
    "bedrock": ("bedrock", {"messages": [USER]}, {"system": [{"text": TEXT}]}),
    "gemini": ("gemini", {"contents": []}, {"systemInstruction": {"parts": [{"text": TEXT}]}}),
    "gemini in snake case": (
        "gemini",
        {"contents": [], "system_instruction": {"parts": [{"text": BE}]}},
        {"system_instruction": {"parts": [{"text": BE}, {"text": TEXT}]}},
    ),
    "chat": ("openai-chat", {"messages": [USER]}, {"messages": [{"role": "system", "content": TEXT}, USER]}),
    "responses": ("openai-responses", {"input": [USER]}, {"instructions": TEXT}),
    "responses, a bare text": ("openai-responses", {"input": "Read."}, {"instructions": TEXT}),
    "responses, instructed": (
        "openai-responses",
        {"input": [SYSTEM, USER], "instructions": BE},
        {"instructions": f"{BE}\n\n{TEXT}"},
    ),
    "responses, a system item": (
        "openai-responses",
        {"input": [SYSTEM, USER]},
        {"input": [{"role": "developer", "content": f"{BE}\n\n{TEXT}"}, USER]},
    ),
}


@pytest.mark.parametrize(("format", "body", "expected"), BODIES.values(), ids=BODIES)
def test_whole_requests_take_it_where_their_prompt_is(
    format: str, body: dict[str, Any], expected: dict[str, Any]
) -> None:
    """Everything else stays; doing it twice changes nothing."""
    before = deepcopy(body)
    once = instructed_request({**body, "model": "m"}, TEXT, format)
    assert {**body, "model": "m", **expected} == once
    assert before == body
    assert instructed_request(once, TEXT, format) == once
