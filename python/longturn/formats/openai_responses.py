"""
OpenAI Responses: a flat list of items; a call and its output are items of their own.

A `reasoning` item belongs to the item after it; both are the model's and stand in one run, so that
they leave together.  Hosted tools keep call and result in one item: the model's own text here.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from longturn.fitting.outline import Call, Facts, Kind, Result
from longturn.formats.base import (
    MODEL_FACTS,
    REPLY_FACTS,
    SYSTEM_FACTS,
    Edit,
    Signs,
    blocks,
    call,
    cleared_input,
    get,
    is_cleared,
    like_before,
    name_of,
    replaced,
    result,
    text_of,
    user_facts,
    with_part,
)

_PINNED: Final = frozenset(
    """mcp_list_tools mcp_approval_request mcp_approval_response additional_tools configuration_update
    compaction compaction_summary compaction_trigger context_compaction""".split()
)
"""Items that stand for what is no longer there, or say what the model may do: they stay, like system messages."""

_TEXT_OUTPUTS: Final = frozenset(
    "function_call_output custom_tool_call_output local_shell_call_output apply_patch_call_output".split()
)
_SHELL_OUTPUT: Final = "shell_call_output"  # a list of what each command wrote
_OUTPUTS: Final = _TEXT_OUTPUTS | {_SHELL_OUTPUT, "computer_call_output", "tool_search_output", "program_output"}
_CALLS: Final = frozenset(
    """function_call custom_tool_call local_shell_call shell_call apply_patch_call computer_call tool_search_call
    web_search_call file_search_call code_interpreter_call image_generation_call mcp_call program""".split()
)


class OpenAIResponses:
    """Items of ``client.responses.create(input=...)``, as dicts or as the SDK's objects."""

    name = "openai-responses"
    signs = Signs(
        message={"type": _CALLS | _OUTPUTS | _PINNED | {"reasoning", "item_reference"}},
        typed_blocks=frozenset("input_text output_text input_image input_file".split()),
    )
    note_is_message = True
    binds_thinking = False  # reasoning whose prefix changed is dropped without an error

    def read(self, message: Any) -> Facts:
        kind = name_of(message, "type")
        if kind in (None, "message"):
            return _message_facts(message)
        if kind in _PINNED:
            return SYSTEM_FACTS
        if kind.endswith("_output"):
            return _output_facts(message, kind)
        # Hosted calls have no call_id; nothing answers them.
        return Facts(Kind.MODEL, (_call(message, kind),)) if name_of(message, "call_id") else MODEL_FACTS

    def with_results(self, message: Any, edits: Sequence[Edit]) -> Any:
        note = edits[0].text
        if name_of(message, "type") != _SHELL_OUTPUT:
            return replaced(message, output=note)
        return replaced(message, output=[replaced(get(message, "output")[-1], stdout=note, stderr="")])

    def with_inputs(self, message: Any, edits: Sequence[Edit]) -> Any:
        note = edits[0].text
        if name_of(message, "type") == "custom_tool_call":  # takes any text, so the note stands there bare
            return replaced(message, input=note)
        return replaced(message, arguments=like_before(cleared_input(note), get(message, "arguments")))

    def without_thinking(self, message: Any) -> Any:
        return message  # an item of its own, and its call is refused without it

    def with_note(self, message: Any, note: str) -> Any:
        part = {"type": "input_text", "text": note}
        return replaced(message, content=with_part(get(message, "content"), note, part))

    def note_message(self, note: str, like: Any) -> Any:
        return {"role": "user", "content": note}

    def result_text(self, message: Any, slot: int) -> str:
        output = get(message, "output")
        if name_of(message, "type") == _SHELL_OUTPUT:
            return "\n".join(text for entry in blocks(output) for text in _streams(entry) if text)
        return text_of(output)


def _message_facts(message: Any) -> Facts:
    role = name_of(message, "role")
    if role == "user":
        return user_facts(get(message, "content"))
    if role == "assistant":
        return MODEL_FACTS
    return SYSTEM_FACTS if role in ("system", "developer") else REPLY_FACTS


def _call(item: Any, kind: str) -> Call:
    call_id, tool = name_of(item, "call_id"), name_of(item, "name") or kind.removesuffix("_call")
    if kind == "function_call":
        return call(call_id, tool, 0, get(item, "arguments"))
    # Of other calls only a free text can be replaced: their fields have meanings.
    return Call(call_id, tool, 0, get(item, "input") if kind == "custom_tool_call" else 0)


def _output_facts(item: Any, kind: str) -> Facts:
    # A program's calls lie between it and its output, which the model's side writes.
    side = Kind.MODEL if kind == "program_output" else Kind.REPLY
    return Facts(side, results=(_result(item, kind, get(item, "output")),))


def _result(item: Any, kind: str, output: Any) -> Result:
    call_id, tool = name_of(item, "call_id") or name_of(item, "id"), name_of(item, "name")
    if kind != _SHELL_OUTPUT:
        return result(call_id, tool, 0, output, may_clear=kind in _TEXT_OUTPUTS)
    last = next((name_of(entry, "stdout") for entry in reversed(blocks(output))), None)
    is_note = is_cleared(last)
    return Result(call_id, tool, 0, output, last is not None and not is_note, is_note=is_note)


def _streams(entry: Any) -> tuple[Any, Any]:
    return get(entry, "stdout"), get(entry, "stderr")
