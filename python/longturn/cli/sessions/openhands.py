"""
Events of OpenHands, old and new: actions the model took, observations that came of them.

Events that change a state or sum up are left out, as they were never sent, or stand for what is replayed itself.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, Final

from longturn.cli.sessions.base import (
    Message,
    Reader,
    Source,
    Thread,
    Warn,
    as_dict,
    as_list,
    as_text,
    counted_input,
    dicts,
    most_named,
)

_NO_ACTIONS: Final = frozenset("change_agent_state recall condensation condensation_request null".split())
_NO_OBSERVATIONS: Final = frozenset("agent_state_changed null recall condense".split())


class _Chat:
    """Messages as OpenAI's, put together from events."""

    def __init__(self) -> None:
        self.messages: list[Message] = []
        self.tools: Any = None
        self.reported: dict[int, int] = {}
        self.models: list[Any] = []
        self._answer: object = None  # which of the model's answers the last event was of
        self._calling: Message = {}  # the message of that answer

    def say(self, role: str, content: Any) -> None:
        self._answer = None
        if content:
            self.messages.append({"role": role, "content": content})

    def call(self, answer: object, content: Any, call: Message, usage: Any = None) -> None:
        """Take in a call; several of one answer are one message."""
        if answer is None or answer != self._answer:
            self._answer = answer
            if (counted := counted_input(usage)) is not None:
                self.reported[len(self.messages)] = counted
            self._calling = {"role": "assistant", "content": content or None, "tool_calls": []}
            self.messages.append(self._calling)
        self._calling["tool_calls"].append(call)

    def result(self, call_id: Any, content: Any) -> None:
        self.messages.append({"role": "tool", "tool_call_id": as_text(call_id), "content": content})

    def thread(self) -> Thread:
        return Thread(
            messages=self.messages, format="openai-chat", tools=self.tools, reported=self.reported,
            model=most_named(self.models),
        )  # fmt: skip


# ---------------------------------------------------------------------- version 0


def _is_old(source: Source) -> bool:
    return any(
        (isinstance(event.get("action"), str) and ("args" in event or "thought" in event or "content" in event))
        or (isinstance(event.get("observation"), str) and "content" in event)
        for event in _old_events(source)
    )


def _old_events(source: Source) -> list[Message]:
    return dicts(source.items()) or dicts(source.member("history"))


def _read_old(source: Source, warn: Warn) -> list[Thread]:
    chat = _Chat()
    events = [as_dict(line.value) for line in source.lines] if source.is_lines else _old_events(source)
    for event in events:
        if "observation" in event:
            _observe(chat, event)
        else:
            _act(chat, event)
    return [chat.thread()]


def _act(chat: _Chat, event: Message) -> None:
    action, args = as_text(event.get("action")), as_dict(event.get("args")) or event
    if action in _NO_ACTIONS:
        return
    if action == "system":
        chat.tools = as_list(args.get("tools")) or None
        chat.say("system", as_text(args.get("content")))
    elif action == "message":
        is_models = event.get("source") == "agent"
        chat.say("assistant" if is_models else "user", as_text(args.get("content")))
    elif calls := _calls(event):
        answer = as_dict(as_dict(event.get("tool_call_metadata")).get("model_response"))
        chat.models.append(answer.get("model"))
        said = as_dict(as_dict(next(iter(dicts(answer.get("choices"))), {})).get("message"))
        for call in calls:
            chat.call(answer.get("id"), as_text(said.get("content")), call, answer.get("usage"))
    else:
        chat.say("assistant", "\n".join(_spoken(args)))


def _calls(event: Message) -> list[Message]:
    """Return the call that an action is; the answer it came in may have had others, with actions of their own."""
    metadata = as_dict(event.get("tool_call_metadata"))
    answer = as_dict(metadata.get("model_response"))
    choices = dicts(answer.get("choices"))
    calls = [call for choice in choices for call in dicts(as_dict(choice.get("message")).get("tool_calls"))]
    return [call for call in calls if call.get("id") == metadata.get("tool_call_id")]


def _spoken(args: Message) -> Iterator[str]:
    """Yield what the model wrote where its calls are text."""
    for name in ("thought", "command", "code", "content"):
        if text := as_text(args.get(name)):
            yield text


def _observe(chat: _Chat, event: Message) -> None:
    if as_text(event.get("observation")) in _NO_OBSERVATIONS:
        return
    metadata = as_dict(event.get("tool_call_metadata"))
    if metadata:
        chat.result(metadata.get("tool_call_id"), as_text(event.get("content")))
    else:
        chat.say("user", as_text(event.get("content")))


# ---------------------------------------------------------------------- version 1


def _is_new(source: Source) -> bool:
    events = dicts(source.items()) or dicts(source.member("events"))
    return any(as_text(event.get("kind")).endswith(("Event", "Observation")) and "source" in event for event in events)


def _read_new(source: Source, warn: Warn) -> list[Thread]:
    chat = _Chat()
    events = source.everything() if source.items() else ()
    for event in [as_dict(line.value) for line in events] or dicts(source.member("events")):
        _take(chat, event)
    return [chat.thread()]


def _take(chat: _Chat, event: Message) -> None:
    match event.get("kind"):
        case "ConversationStateUpdateEvent":
            metrics = as_dict(as_dict(event.get("value")).get("usage_to_metrics"))
            chat.models.append(as_dict(metrics.get("default")).get("model_name"))
        case "SystemPromptEvent":
            chat.tools = as_list(event.get("tools")) or None
            chat.say("system", as_text(as_dict(event.get("system_prompt")).get("text")))
        case "MessageEvent":
            message = as_dict(event.get("llm_message"))
            chat.say(as_text(message.get("role")) or "user", message.get("content"))
        case "ActionEvent":
            call, thought = as_dict(event.get("tool_call")), _joined(event.get("thought"))
            chat.call(event.get("llm_response_id"), thought, _new_call(event, call))
        case "ObservationEvent":
            content = as_dict(event.get("observation")).get("content")
            chat.result(event.get("tool_call_id"), content if isinstance(content, str) else _joined(content))
        case "AgentErrorEvent" | "UserRejectObservation":
            chat.result(event.get("tool_call_id"), as_text(event.get("error") or event.get("rejection_reason")))


def _new_call(event: Message, call: Message) -> Message:
    arguments = call.get("arguments")
    if not isinstance(arguments, str):
        arguments = json.dumps(event.get("action"), ensure_ascii=False)
    name = as_text(call.get("name")) or as_text(event.get("tool_name"))
    return {
        "id": as_text(event.get("tool_call_id")), "type": "function",
        "function": {"name": name, "arguments": arguments},
    }  # fmt: skip


def _joined(content: Any) -> str:
    return "\n".join(text for block in dicts(content) if (text := as_text(block.get("text"))))


OLD: Final = Reader("a list of OpenHands events", _is_old, _read_old)
NEW: Final = Reader("a list of OpenHands events", _is_new, _read_new)
