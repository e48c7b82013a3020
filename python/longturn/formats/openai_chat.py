"""OpenAI Chat Completions and what speaks it: calls beside the content, each result a message of its own."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from longturn.fitting.outline import Call, Facts, Kind, Result
from longturn.formats.base import (
    REPLY_FACTS,
    SYSTEM_FACTS,
    Edit,
    Signs,
    blocks,
    call,
    cleared_input,
    get,
    is_signed,
    like_before,
    model_facts,
    name_of,
    replaced,
    result,
    text_of,
    user_facts,
    with_blocks,
    with_part,
)

_RESULT_ROLES: Final = ("tool", "function")
_DETAILS: Final = ("extra_content", "provider_specific_fields")  # where Google and LiteLLM put signatures
_LEGACY_SLOT: Final = -1  # the retired `function_call` beside `tool_calls`


class OpenAIChat:
    """Messages of ``client.chat.completions.create(messages=...)``, as dicts or as the SDK's objects."""

    name = "openai-chat"
    signs = Signs(
        message={"role": frozenset(_RESULT_ROLES), "tool_calls": None, "function_call": None},
        typed_blocks=frozenset(("image_url", "input_audio", "file")),
    )
    note_is_message = True
    binds_thinking = False

    def read(self, message: Any) -> Facts:
        role = name_of(message, "role")
        if role == "assistant":
            return _model_facts(message)
        if role in _RESULT_ROLES:
            return Facts(Kind.REPLY, (), (_result(message),))
        if role == "user":
            return user_facts(get(message, "content"))
        return SYSTEM_FACTS if role in ("system", "developer") else REPLY_FACTS

    def with_results(self, message: Any, edits: Sequence[Edit]) -> Any:
        return replaced(message, content=edits[0].text)

    def with_inputs(self, message: Any, edits: Sequence[Edit]) -> Any:
        calls = get(message, "tool_calls")
        changed = {edit.slot: _without_arguments(calls[edit.slot], edit.text) for edit in edits if edit.slot >= 0}
        members: dict[str, Any] = {"tool_calls": with_blocks(calls, changed)} if changed else {}
        for edit in edits:
            if edit.slot == _LEGACY_SLOT:
                members["function_call"] = _with_arguments(get(message, "function_call"), edit.text)
        return replaced(message, **members)

    def without_thinking(self, message: Any) -> Any:
        return message

    def with_note(self, message: Any, note: str) -> Any:
        return replaced(message, content=with_part(get(message, "content"), note, {"type": "text", "text": note}))

    def note_message(self, note: str, like: Any) -> Any:
        return {"role": "user", "content": note}

    def result_text(self, message: Any, slot: int) -> str:
        return text_of(get(message, "content"))


def _model_facts(message: Any) -> Facts:
    calls = [_call(slot, call) for slot, call in enumerate(blocks(get(message, "tool_calls")))]
    if (legacy := get(message, "function_call")) is not None:
        calls.append(call(None, name_of(legacy, "name"), _LEGACY_SLOT, get(legacy, "arguments")))
    return model_facts(calls)


def _call(slot: int, source: Any) -> Call:
    if (custom := get(source, "custom")) is not None:  # takes any text, so the note stands there bare
        return Call(name_of(source, "id"), name_of(custom, "name"), slot, get(custom, "input"))
    function = get(source, "function")
    if isinstance(function, str):  # some agents store the bare name, the arguments beside it
        return call(name_of(source, "id"), function, slot, get(source, "arguments"))
    arguments = None if _is_signed(source) else get(function, "arguments")
    return call(name_of(source, "id"), name_of(function, "name"), slot, arguments)


def _is_signed(source: Any) -> bool:
    return any(map(is_signed, [details for key in _DETAILS if (details := get(source, key)) is not None]))


def _result(message: Any) -> Result:
    content = get(message, "content")
    return result(name_of(message, "tool_call_id"), name_of(message, "name"), 0, content)


def _without_arguments(source: Any, note: str) -> Any:
    if (custom := get(source, "custom")) is not None:
        return replaced(source, custom=replaced(custom, input=note))
    function = get(source, "function")
    if isinstance(function, str):
        return _with_arguments(source, note)
    return replaced(source, function=_with_arguments(function, note))


def _with_arguments(function: Any, note: str) -> Any:
    """Replace arguments in the shape they had: JSON text at OpenAI, an object at some servers."""
    return replaced(function, arguments=like_before(cleared_input(note), get(function, "arguments")))
