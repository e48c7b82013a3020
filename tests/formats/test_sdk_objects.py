"""The SDKs' own objects, where they are installed: read, edited as copies, and still valid."""

from __future__ import annotations

from typing import Any

import pytest
from laws import LONG, WORDS, cut, fit, notes


def test_anthropic_content_blocks() -> None:
    """``response.content`` is handed back as it is."""
    types = pytest.importorskip("anthropic.types")
    history: list[Any] = [{"role": "user", "content": "Count."}]
    for n in range(4):
        use = types.ToolUseBlock(type="tool_use", id=f"c{n}", name="read", input={"path": LONG})
        thinking = types.ThinkingBlock(type="thinking", thinking="Hm.", signature="s")
        history.append({"role": "assistant", "content": [thinking, use]})
        result = {"type": "tool_result", "tool_use_id": f"c{n}", "content": LONG}
        history.append({"role": "user", "content": [result]})
    block = fit(history, 4_000, clear_tool_inputs=True).messages[1]["content"][1]
    assert isinstance(block, types.ToolUseBlock)
    assert block.input == {"cleared": WORDS.cleared_input}
    stripped = fit(history, 4_000, thinking="strip").messages[3]["content"]
    assert [history[3]["content"][1]] == stripped


def test_openai_chat_messages() -> None:
    """``response.choices[0].message`` is handed back as it is."""
    chat = pytest.importorskip("openai.types.chat")
    history: list[Any] = [{"role": "user", "content": "Count."}]
    for n in range(4):
        call = {"id": f"c{n}", "type": "function", "function": {"name": "read", "arguments": f'{{"path":"{LONG}"}}'}}
        message = {"role": "assistant", "content": None, "tool_calls": [call]}
        history.append(chat.ChatCompletionMessage.model_validate(message))
        history.append({"role": "tool", "tool_call_id": f"c{n}", "content": LONG})
    edited = fit(history, 4_000, clear_tool_inputs=True).messages[1]
    assert isinstance(edited, chat.ChatCompletionMessage)
    assert f'{{"cleared":"{WORDS.cleared_input}"}}' == edited.tool_calls[0].function.arguments


def test_openai_responses_items() -> None:
    """``response.output`` is handed back as it is."""
    types = pytest.importorskip("openai.types.responses")
    history: list[Any] = [{"role": "user", "content": "Count."}]
    for n in range(4):
        history.append(types.ResponseReasoningItem(id=f"rs_{n}", type="reasoning", summary=[]))
        call = {"type": "function_call", "call_id": f"c{n}", "name": "read", "arguments": "{}"}
        history.append(types.ResponseFunctionToolCall.model_validate(call))
        history.append({"type": "function_call_output", "call_id": f"c{n}", "output": LONG})
    assert WORDS.cleared == fit(history).messages[3]["output"]
    kept = cut(history).messages
    assert isinstance(kept[2], types.ResponseReasoningItem)


def test_gemini_contents() -> None:
    """``response.candidates[0].content`` is handed back as it is, signatures in bytes."""
    types = pytest.importorskip("google.genai.types")
    history = [types.Content(role="user", parts=[types.Part(text="Count.")])]
    for _ in range(4):
        call = types.FunctionCall(name="read", args={})
        history.append(types.Content(role="model", parts=[types.Part(function_call=call, thought_signature=b"s")]))
        response = types.FunctionResponse(name="read", response={"result": LONG})
        history.append(types.Content(role="user", parts=[types.Part(function_response=response)]))
    cleared = fit(history).messages[2]
    assert cleared.parts[0].function_response.response == {"result": WORDS.cleared}
    noted = cut(history).messages[0]
    assert [types.Part(text="Count."), types.Part(text=WORDS.left_out)] == noted.parts
    assert noted == types.Content.model_validate(noted.model_dump())


def test_langchain_messages() -> None:
    """Ids stay, so that a graph's state knows its messages; the note's own message is an object too."""
    messages = pytest.importorskip("langchain_core.messages")
    run: list[Any] = []
    for n in range(6):
        call = {"name": "read", "args": {"path": LONG}, "id": f"c{n}"}
        block = {"type": "tool_use", "id": f"c{n}", "name": "read", "input": {"path": LONG}}
        run.append(messages.AIMessage(content=[block], tool_calls=[call], id=f"a{n}"))
        run.append(messages.ToolMessage(LONG, tool_call_id=f"c{n}", id=f"t{n}", artifact={"rows": [LONG] * 9}))
    history = [messages.HumanMessage("Count."), *run]
    edited = fit(history, 5_000, clear_tool_inputs=True).messages
    assert (edited[1].id, edited[2].id, edited[2].artifact) == ("a0", "t0", history[2].artifact)
    assert edited[1].tool_calls[0]["args"] == edited[1].content[0]["input"] == {"cleared": WORDS.cleared_input}
    assert messages.HumanMessage(WORDS.left_out) == cut(run, 4_000).messages[2]


@pytest.mark.filterwarnings("ignore:The function `load` is in beta")
def test_langchain_dumps() -> None:
    """The form that checkpoints are written in loads again after a fit."""
    messages = pytest.importorskip("langchain_core.messages")
    from langchain_core.load import dumpd, load

    history = [messages.HumanMessage("Count.", id="h")]
    for n in range(4):
        history.append(messages.AIMessage("", tool_calls=[{"name": "read", "args": {}, "id": f"c{n}"}]))
        history.append(messages.ToolMessage(LONG, tool_call_id=f"c{n}"))
    fitted = cut([dumpd(message) for message in history]).messages
    assert messages.HumanMessage(f"Count.\n\n{WORDS.left_out}", id="h") == load(fitted[0], allowed_objects="messages")


def test_pydantic_ai_messages() -> None:
    """The parts keep their classes, a dump of the view loads again, and instructions are not counted."""
    messages = pytest.importorskip("pydantic_ai.messages")
    adapter = messages.ModelMessagesTypeAdapter
    system, prompt = messages.SystemPromptPart("Be brief."), messages.UserPromptPart("Count.")
    history: list[Any] = [messages.ModelRequest([system, prompt], instructions=LONG)]
    for n in range(4):
        call = messages.ToolCallPart("read", {"path": LONG}, tool_call_id=f"c{n}")
        history.append(messages.ModelResponse([messages.ThinkingPart("Hm.", signature="s"), call]))
        history.append(messages.ModelRequest([messages.ToolReturnPart("read", LONG, tool_call_id=f"c{n}")]))
    fitted = fit(history, 4_000, clear_tool_inputs=True, thinking="strip").messages
    assert fitted[1].parts[1].args == {"cleared": WORDS.cleared_input}
    assert isinstance(fitted[2].parts[0], messages.ToolReturnPart)
    assert fitted == adapter.validate_python(adapter.dump_python(fitted))
    noted = cut(history, 3_000).messages[0]
    assert messages.UserPromptPart(WORDS.left_out, timestamp=prompt.timestamp) == noted.parts[-1]
    own = cut([messages.ModelRequest([], instructions="Go on."), *history[1:]], 3_000).messages
    assert 1 == notes(own)
    assert any(isinstance(message, messages.ModelRequest) and notes([message]) for message in own)
    views = [cut(adapter.dump_python(history[:k], mode="json"), 3_000).messages for k in (7, 9)]
    assert all(adapter.validate_python(view) for view in views)
