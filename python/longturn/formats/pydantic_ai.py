"""
pydantic-ai: requests and responses made of parts, as dataclass objects or dumped.

The lists are shared with the run, so nothing is edited in place.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, Final

from longturn.fitting.outline import Call, Facts, Kind, Result
from longturn.formats.base import (
    REPLY_FACTS,
    SYSTEM_FACTS,
    USER_FACTS,
    USER_FACTS_WITH_NOTE,
    Edit,
    Signs,
    blocks,
    call,
    cleared_input,
    get,
    has_note,
    is_reasoning_of_openai,
    is_signed,
    like_before,
    model_facts,
    name_of,
    replaced,
    result,
    text_of,
    with_blocks,
)

if TYPE_CHECKING:
    from datetime import datetime

_USER: Final = "user-prompt"
_RESULTS: Final = ("tool-return", "retry-prompt")  # the second one where it names a tool


class PydanticAI:
    """Messages of ``agent.run(message_history=...)``."""

    name = "pydantic-ai"
    signs = Signs(message={"kind": frozenset(("request", "response"))})
    note_is_message = False
    binds_thinking = True

    def read(self, message: Any) -> Facts:
        parts = blocks(get(message, "parts"))
        if name_of(message, "kind") == "response":
            return _response_facts(parts)
        if results := tuple(_result(slot, part) for slot, part in enumerate(parts) if _is_result(part)):
            return Facts(Kind.REPLY, results=results)
        prompts = [get(part, "content") for part in parts if _kind(part) == _USER]
        if prompts:
            return USER_FACTS_WITH_NOTE if any(map(has_note, prompts)) else USER_FACTS
        is_system = any(_kind(part) == "system-prompt" for part in parts)
        return SYSTEM_FACTS if is_system else REPLY_FACTS  # a retry without a tool goes on with its turn

    def with_results(self, message: Any, edits: Sequence[Edit]) -> Any:
        parts = get(message, "parts")
        changed = {edit.slot: replaced(parts[edit.slot], content=edit.text) for edit in edits}
        return replaced(message, parts=with_blocks(parts, changed))

    def with_inputs(self, message: Any, edits: Sequence[Edit]) -> Any:
        parts = get(message, "parts")
        changed = {edit.slot: _without_arguments(parts[edit.slot], edit.text) for edit in edits}
        return replaced(message, parts=with_blocks(parts, changed))

    def without_thinking(self, message: Any) -> Any:
        rest = [part for part in get(message, "parts") if not _is_thinking(part)]
        return replaced(message, parts=rest) if rest else message

    def with_note(self, message: Any, note: str) -> Any:
        parts = get(message, "parts")
        last = next(part for part in reversed(parts) if _kind(part) == _USER)
        # Made from the prompt before it: a part of the same class, and its time is no new one.
        return replaced(message, parts=[*parts, replaced(last, content=note)])

    def note_message(self, note: str, like: Any) -> Any:
        if isinstance(like, Mapping):
            return {"kind": "request", "parts": [{"part_kind": _USER, "content": note}]}
        from pydantic_ai.messages import ModelRequest, UserPromptPart

        return ModelRequest(parts=[UserPromptPart(note, timestamp=_no_time())])

    def result_text(self, message: Any, slot: int) -> str:
        return text_of(get(get(message, "parts")[slot], "content"))


def _kind(part: Any) -> Any:
    return name_of(part, "part_kind")


def _response_facts(parts: Sequence[Any]) -> Facts:
    calls = [_call(slot, part) for slot, part in enumerate(parts) if _kind(part) == "tool-call"]
    thinking = [part for part in parts if _is_thinking(part)]
    return model_facts(calls, thinking, has_more=len(thinking) < len(parts))


def _call(slot: int, part: Any) -> Call:
    arguments = None if is_signed(get(part, "provider_details")) else get(part, "args")
    return call(name_of(part, "tool_call_id"), name_of(part, "tool_name"), slot, arguments)


def _is_thinking(part: Any) -> bool:
    return _kind(part) == "thinking" and not is_reasoning_of_openai(part)


def _is_result(part: Any) -> bool:
    return _kind(part) in _RESULTS and name_of(part, "tool_name") is not None


def _result(slot: int, part: Any) -> Result:
    content = get(part, "content")
    # A kind of tool has results of a form: what was found or loaded is read from them.
    may_clear = get(part, "tool_kind") is None
    return result(name_of(part, "tool_call_id"), name_of(part, "tool_name"), slot, content, may_clear=may_clear)


def _without_arguments(part: Any, note: str) -> Any:
    return replaced(part, args=like_before(cleared_input(note), get(part, "args")))


@cache
def _no_time() -> datetime:
    """Return the time of every note: the present one would make each another."""
    from datetime import UTC, datetime

    return datetime.fromtimestamp(0, UTC)
