"""Histories by construction: bare numbers for the planner, messages of every format for the window."""

from __future__ import annotations

import json
from collections.abc import Sequence
from copy import deepcopy
from dataclasses import dataclass
from random import Random
from typing import Any, Final

import oracle
from hypothesis import strategies as st

import longturn
from longturn import Policy, Window
from longturn.tokens.measure import Measured, measure_of
from longturn.wording import phrases

# ---------------------------------------------------------------------- bare numbers

RESULT_SIZES = (4, 12, 40, 90, 130, 200, 400, 900, 2_000)
ARGUMENT_SIZES = (2, 2, 2, 9, 70, 400)
SIZES = (4, 4, 12, 12, 40, 60, 300, 900)
TOOLS = ("read", "read", "read", "look", "keep")


Unanswered = tuple[tuple[int, int] | None, str]  # where the call stands, and its tool


class NumericHistory:
    """
    A history of sizes: rounds and turns, parallel calls, system messages anywhere.

    An odd one also begins with the model, has results without a call or with a call of an earlier round,
    notes of an earlier fit, and users who speak between a call and its result.
    """

    def __init__(self, random: Random, *, rounds: int, is_odd: bool) -> None:
        self.random = random
        self.odds = 1 if is_odd else 0
        self.sizes = random.choice((SIZES, SIZES[:5]))
        self.messages: list[oracle.Message] = []
        self.unanswered: list[Unanswered] = []  # calls of earlier rounds
        if self.chance(20):
            self.add("system")
        if not self.chance(25 * self.odds):
            self.add_users()
        for _ in range(rounds):
            self.add_round()
        if not self.messages:
            self.add_users()

    def chance(self, percent: int) -> bool:
        return self.random.randrange(100) < percent

    def size(self) -> int:
        return self.random.choice(self.sizes)

    def add(self, kind: str) -> None:
        has_note = kind == "user" and self.chance(3 * self.odds)
        self.messages.append(oracle.Message(kind, self.size(), has_note=has_note))

    def add_users(self) -> None:
        for _ in range(self.random.choice((1, 1, 2))):
            self.add("user")
            if self.chance(5):
                self.add("system")

    def add_round(self) -> None:
        if self.chance(6):
            self.add("system")
        calls = self.add_model_run()
        if self.chance(10 * self.odds):
            self.add_users()
        if self.chance(10 * self.odds):
            self.unanswered += calls
        else:
            if self.unanswered and self.chance(40):
                calls.append(self.unanswered.pop(0))
            if self.chance(5 * self.odds):
                calls.append((None, "read"))
            self.add_answers(calls)
        if not calls or self.chance(20):
            self.add_users()

    def add_model_run(self) -> list[Unanswered]:
        """Append the model's messages; return their calls."""
        found: list[Unanswered] = []
        for _ in range(self.random.choice((1, 1, 1, 2))):
            calls = tuple(
                oracle.Call(self.random.choice(TOOLS), self.random.choice(ARGUMENT_SIZES))
                for _ in range(self.random.choice((0, 1, 1, 2, 3)))
            )
            thinking = self.random.choice((0, 0, 30))
            found += [((len(self.messages), place), call.tool) for place, call in enumerate(calls)]
            size = self.size() + thinking + sum(call.arguments for call in calls)
            self.messages.append(oracle.Message("model", size, calls=calls, thinking=thinking))
        return found

    def add_answers(self, calls: list[Unanswered]) -> None:
        """Append the results of ``calls``, in any order, one or more to a message."""
        calls = self.random.sample(calls, len(calls))
        while calls:
            count = self.random.randint(1, len(calls))
            results = tuple(
                oracle.Result(
                    self.random.choice(RESULT_SIZES), place, tool, not self.chance(10), self.chance(2 * self.odds)
                )
                for place, tool in calls[:count]
            )
            size = self.random.choice((4, 30)) + sum(result.size for result in results)
            self.messages.append(oracle.Message("reply", size, results=results))
            calls = calls[count:]


def numeric_rules(random: Random, messages: list[oracle.Message]) -> oracle.Rules:
    """Return rules with a budget somewhere between nothing and the whole history."""
    overhead = random.choice((0, 0, 50, 400))
    whole = sum(message.size for message in messages)
    budget = overhead + int(whole * random.choice((0.03, 0.1, 0.2, 0.4, 0.6, 0.8))) + random.randrange(1, 9)
    return oracle.Rules(
        budget=budget,
        overhead=overhead,
        keep_window=int(random.choice((0.0, 0.1, 0.25, 0.5, 1.0)) * budget),
        batch=random.choice((1, 2, 4, 4, 7)),
        small_result=random.choice((0, 13, 60, 160)),
        low_water=random.choice((0.0, 0.3, 0.5, 0.5, 1.0)),
        hold=random.random() < 0.8,
        note=random.choice((1, 10, 45)),
        cleared=random.choice((2, 5, 40)),
        recalled=random.choice((6, 50)),
        cleared_input=random.choice((3, 30)),
        exclude_tools=random.choice(((), ("keep",))),
        recall_tools=random.choice(((), ("look",))),
        input_tools=random.choice(((), (), ("read",), TOOLS)),
        strict_roles=random.random() < 0.2,
        strips_thinking=random.random() < 0.25,
        note_is_message=random.random() < 0.5,
    )


def numeric_case(random: Random, *, is_odd: bool) -> tuple[list[oracle.Message], oracle.Rules]:
    """Return a history and the rules to fit it by."""
    history = NumericHistory(random, rounds=random.choice((1, 3, 8, 15, 30)), is_odd=is_odd)
    return history.messages, numeric_rules(random, history.messages)


def numeric_cases(*, is_odd: bool) -> st.SearchStrategy[tuple[list[oracle.Message], oracle.Rules]]:
    """The same for Hypothesis, which makes failing ones small."""
    return st.randoms(use_true_random=False).map(lambda random: numeric_case(random, is_odd=is_odd))


# ---------------------------------------------------------------------- messages of every format


@dataclass(frozen=True)
class Called:
    """A tool call as every format has it."""

    id: str | None
    tool: str
    arguments: dict[str, Any]


@dataclass(frozen=True)
class Answer:
    """A tool result as every format has it; ``call`` is its place among the calls of the round."""

    call: Called
    text: str
    is_error: bool = False


class Shape:
    """
    How one format writes messages, and what it makes of notes.

    A second reading of ``formats.md``: nothing is taken from ``longturn.formats``.
    """

    name: str
    note_is_message = False
    binds_thinking = True
    strips_thinking = True
    has_inputs = True
    has_systems = True
    ids = "unique"  # or "repeating", where the provider takes them, or "none"
    note_key: str | None = None  # of the object that holds the note in a cleared result

    def user(self, text: str) -> Any:
        raise NotImplementedError

    def system(self, text: str) -> Any:
        raise NotImplementedError

    def model(self, text: str, thinking: str, calls: Sequence[Called]) -> list[Any]:
        raise NotImplementedError

    def replies(self, answers: Sequence[Answer]) -> list[Any]:
        raise NotImplementedError

    def calls(self, message: Any) -> list[tuple[str, Any]]:
        """Return tool and arguments of the calls in a message."""
        raise NotImplementedError

    def results(self, message: Any) -> list[Any]:
        """Return the contents of the results in a message."""
        raise NotImplementedError

    def thinking(self, message: Any) -> list[Any]:
        """Return the reasoning blocks of a message that may be stripped."""
        return []

    def with_result(self, message: Any, place: int, note: str) -> Any:
        raise NotImplementedError

    def with_input(self, message: Any, place: int, arguments: dict[str, str]) -> Any:
        raise NotImplementedError

    def without_thinking(self, message: Any) -> Any:
        raise NotImplementedError

    def with_note(self, message: Any, note: str) -> Any:
        raise NotImplementedError

    def note_message(self, note: str) -> Any:
        return self.user(note)


def _edited(message: dict[str, Any], path: Sequence[Any], value: Any) -> Any:
    """Return a deep copy of a message with one value in it replaced."""
    changed = deepcopy(message)
    at: Any = changed
    for step in path[:-1]:
        at = at[step]
    at[path[-1]] = value
    return changed


class AnthropicShape(Shape):
    name = "anthropic"
    ids = "repeating"

    def user(self, text: str) -> Any:
        return {"role": "user", "content": text if len(text) % 2 else [{"type": "text", "text": text}]}

    def system(self, text: str) -> Any:
        return {"role": "system", "content": text}

    def model(self, text: str, thinking: str, calls: Sequence[Called]) -> list[Any]:
        content: list[Any] = [{"type": "thinking", "thinking": thinking, "signature": "c2ln"}] if thinking else []
        content.append({"type": "text", "text": text})
        content += [{"type": "tool_use", "id": c.id, "name": c.tool, "input": c.arguments} for c in calls]
        return [{"role": "assistant", "content": content}]

    def replies(self, answers: Sequence[Answer]) -> list[Any]:
        content = [
            {
                "type": "tool_result",
                "tool_use_id": a.call.id,
                "content": a.text,
                **({"is_error": True} if a.is_error else {}),
            }
            for a in answers
        ]
        return [{"role": "user", "content": content}]

    def _places(self, message: Any, kind: str) -> list[int]:
        content = message["content"]
        return [i for i, block in enumerate(content) if not isinstance(content, str) and block["type"] == kind]

    def calls(self, message: Any) -> list[tuple[str, Any]]:
        content = message["content"]
        return [(content[i]["name"], content[i]["input"]) for i in self._places(message, "tool_use")]

    def results(self, message: Any) -> list[Any]:
        return [message["content"][i]["content"] for i in self._places(message, "tool_result")]

    def thinking(self, message: Any) -> list[Any]:
        return [message["content"][i] for i in self._places(message, "thinking")]

    def with_result(self, message: Any, place: int, note: str) -> Any:
        return _edited(message, ("content", self._places(message, "tool_result")[place], "content"), note)

    def with_input(self, message: Any, place: int, arguments: dict[str, str]) -> Any:
        return _edited(message, ("content", self._places(message, "tool_use")[place], "input"), arguments)

    def without_thinking(self, message: Any) -> Any:
        return {**message, "content": [block for block in message["content"] if block["type"] != "thinking"]}

    def with_note(self, message: Any, note: str) -> Any:
        if isinstance(message["content"], str):
            return {**message, "content": f"{message['content']}\n\n{note}"}
        return {**message, "content": [*message["content"], {"type": "text", "text": note}]}


class OpenAIChatShape(Shape):
    name = "openai-chat"
    note_is_message = True
    binds_thinking = strips_thinking = False
    ids = "repeating"

    def user(self, text: str) -> Any:
        return {"role": "user", "content": text if len(text) % 2 else [{"type": "text", "text": text}]}

    def system(self, text: str) -> Any:
        return {"role": "system" if len(text) % 2 else "developer", "content": text}

    def model(self, text: str, thinking: str, calls: Sequence[Called]) -> list[Any]:
        made = [
            {"id": c.id, "type": "function", "function": {"name": c.tool, "arguments": json.dumps(c.arguments)}}
            for c in calls
        ]
        more = {"reasoning_content": thinking} if thinking else {}
        return [{"role": "assistant", "content": text, **more, **({"tool_calls": made} if made else {})}]

    def replies(self, answers: Sequence[Answer]) -> list[Any]:
        return [{"role": "tool", "tool_call_id": a.call.id, "content": a.text} for a in answers]

    def calls(self, message: Any) -> list[tuple[str, Any]]:
        functions = [call["function"] for call in message.get("tool_calls", ())]
        return [(function["name"], function["arguments"]) for function in functions]

    def results(self, message: Any) -> list[Any]:
        return [message["content"]] if message["role"] == "tool" else []

    def with_result(self, message: Any, place: int, note: str) -> Any:
        return {**message, "content": note}

    def with_input(self, message: Any, place: int, arguments: dict[str, str]) -> Any:
        return _edited(message, ("tool_calls", place, "function", "arguments"), _compact(arguments))

    def with_note(self, message: Any, note: str) -> Any:
        if isinstance(message["content"], str):
            return {**message, "content": f"{message['content']}\n\n{note}"}
        return {**message, "content": [*message["content"], {"type": "text", "text": note}]}

    def note_message(self, note: str) -> Any:
        return {"role": "user", "content": note}


class OpenAIResponsesShape(Shape):
    name = "openai-responses"
    note_is_message = True
    binds_thinking = strips_thinking = False

    def user(self, text: str) -> Any:
        content: Any = text if len(text) % 2 else [{"type": "input_text", "text": text}]
        return {"role": "user", "content": content, **({"type": "message"} if len(text) % 3 else {})}

    def system(self, text: str) -> Any:
        return {"role": "developer", "content": text}

    def model(self, text: str, thinking: str, calls: Sequence[Called]) -> list[Any]:
        items: list[Any] = [
            {"type": "function_call", "call_id": c.id, "name": c.tool, "arguments": json.dumps(c.arguments)}
            for c in calls
        ]
        said = {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": text}]}
        if thinking:
            reasoning = {"type": "reasoning", "summary": [], "encrypted_content": thinking}
            return [reasoning, said, *items] if not items else [said, reasoning, *items]
        return [said, *items]

    def replies(self, answers: Sequence[Answer]) -> list[Any]:
        return [{"type": "function_call_output", "call_id": a.call.id, "output": a.text} for a in answers]

    def calls(self, message: Any) -> list[tuple[str, Any]]:
        return [(message["name"], message["arguments"])] if message.get("type") == "function_call" else []

    def results(self, message: Any) -> list[Any]:
        return [message["output"]] if message.get("type") == "function_call_output" else []

    def with_result(self, message: Any, place: int, note: str) -> Any:
        return {**message, "output": note}

    def with_input(self, message: Any, place: int, arguments: dict[str, str]) -> Any:
        return {**message, "arguments": _compact(arguments)}

    def with_note(self, message: Any, note: str) -> Any:
        if isinstance(message["content"], str):
            return {**message, "content": f"{message['content']}\n\n{note}"}
        return {**message, "content": [*message["content"], {"type": "input_text", "text": note}]}

    def note_message(self, note: str) -> Any:
        return {"role": "user", "content": note}


class GeminiShape(Shape):
    name = "gemini"
    binds_thinking = strips_thinking = has_inputs = has_systems = False
    ids = "none"
    note_key = "result"

    def user(self, text: str) -> Any:
        return {"role": "user", "parts": [{"text": text}]}

    def model(self, text: str, thinking: str, calls: Sequence[Called]) -> list[Any]:
        parts: list[Any] = [{"text": text}]
        parts += [{"functionCall": {"name": c.tool, "args": c.arguments}} for c in calls]
        if calls:
            parts[1]["thoughtSignature"] = "c2ln"
        return [{"role": "model", "parts": parts}]

    def replies(self, answers: Sequence[Answer]) -> list[Any]:
        parts = [{"functionResponse": {"name": a.call.tool, "response": {"result": a.text}}} for a in answers]
        return [{"role": "user", "parts": parts}]

    def calls(self, message: Any) -> list[tuple[str, Any]]:
        return [(part["functionCall"]["name"], {}) for part in message["parts"] if "functionCall" in part]

    def results(self, message: Any) -> list[Any]:
        return [part["functionResponse"]["response"] for part in message["parts"] if "functionResponse" in part]

    def with_result(self, message: Any, place: int, note: str) -> Any:
        return _edited(message, ("parts", place, "functionResponse", "response"), {"result": note})

    def with_note(self, message: Any, note: str) -> Any:
        return {**message, "parts": [*message["parts"], {"text": note}]}


class BedrockShape(Shape):
    name = "bedrock"
    has_systems = False

    def user(self, text: str) -> Any:
        return {"role": "user", "content": [{"text": text}]}

    def model(self, text: str, thinking: str, calls: Sequence[Called]) -> list[Any]:
        content: list[Any] = []
        if thinking:
            content.append({"reasoningContent": {"reasoningText": {"text": thinking, "signature": "c2ln"}}})
        content.append({"text": text})
        content += [{"toolUse": {"toolUseId": c.id, "name": c.tool, "input": c.arguments}} for c in calls]
        return [{"role": "assistant", "content": content}]

    def replies(self, answers: Sequence[Answer]) -> list[Any]:
        content = [
            {
                "toolResult": {
                    "toolUseId": a.call.id,
                    "content": [{"text": a.text}],
                    **({"status": "error"} if a.is_error else {}),
                }
            }
            for a in answers
        ]
        return [{"role": "user", "content": content}]

    def _places(self, message: Any, key: str) -> list[int]:
        return [i for i, block in enumerate(message["content"]) if key in block]

    def calls(self, message: Any) -> list[tuple[str, Any]]:
        uses = [message["content"][i]["toolUse"] for i in self._places(message, "toolUse")]
        return [(use["name"], use["input"]) for use in uses]

    def results(self, message: Any) -> list[Any]:
        return [message["content"][i]["toolResult"]["content"] for i in self._places(message, "toolResult")]

    def thinking(self, message: Any) -> list[Any]:
        return [message["content"][i] for i in self._places(message, "reasoningContent")]

    def with_result(self, message: Any, place: int, note: str) -> Any:
        at = self._places(message, "toolResult")[place]
        return _edited(message, ("content", at, "toolResult", "content"), [{"text": note}])

    def with_input(self, message: Any, place: int, arguments: dict[str, str]) -> Any:
        at = self._places(message, "toolUse")[place]
        return _edited(message, ("content", at, "toolUse", "input"), arguments)

    def without_thinking(self, message: Any) -> Any:
        return {**message, "content": [block for block in message["content"] if "reasoningContent" not in block]}

    def with_note(self, message: Any, note: str) -> Any:
        return {**message, "content": [*message["content"], {"text": note}]}


class LangChainShape(Shape):
    name = "langchain"
    ids = "repeating"

    def user(self, text: str) -> Any:
        return {"type": "human", "content": text if len(text) % 2 else [{"type": "text", "text": text}]}

    def system(self, text: str) -> Any:
        return {"type": "system", "content": text}

    def model(self, text: str, thinking: str, calls: Sequence[Called]) -> list[Any]:
        content: Any = text
        if thinking:
            content = [{"type": "thinking", "thinking": thinking, "signature": "c2ln"}, {"type": "text", "text": text}]
        made = [{"type": "tool_call", "id": c.id, "name": c.tool, "args": c.arguments} for c in calls]
        return [{"type": "ai", "content": content, "tool_calls": made}]

    def replies(self, answers: Sequence[Answer]) -> list[Any]:
        return [
            {
                "type": "tool",
                "tool_call_id": a.call.id,
                "content": a.text,
                "status": "error" if a.is_error else "success",
            }
            for a in answers
        ]

    def calls(self, message: Any) -> list[tuple[str, Any]]:
        return [(call["name"], call["args"]) for call in message.get("tool_calls", ())]

    def results(self, message: Any) -> list[Any]:
        return [message["content"]] if message["type"] == "tool" else []

    def thinking(self, message: Any) -> list[Any]:
        content = message["content"]
        return [block for block in content if not isinstance(content, str) and block["type"] == "thinking"]

    def with_result(self, message: Any, place: int, note: str) -> Any:
        return {**message, "content": note}

    def with_input(self, message: Any, place: int, arguments: dict[str, str]) -> Any:
        return _edited(message, ("tool_calls", place, "args"), arguments)

    def without_thinking(self, message: Any) -> Any:
        return {**message, "content": [block for block in message["content"] if block["type"] != "thinking"]}

    def with_note(self, message: Any, note: str) -> Any:
        if isinstance(message["content"], str):
            return {**message, "content": f"{message['content']}\n\n{note}"}
        return {**message, "content": [*message["content"], {"type": "text", "text": note}]}

    def note_message(self, note: str) -> Any:
        return {"type": "human", "content": note}


class PydanticAIShape(Shape):
    name = "pydantic-ai"

    def user(self, text: str) -> Any:
        return {"kind": "request", "parts": [{"part_kind": "user-prompt", "content": text}]}

    def system(self, text: str) -> Any:
        return {"kind": "request", "parts": [{"part_kind": "system-prompt", "content": text}]}

    def model(self, text: str, thinking: str, calls: Sequence[Called]) -> list[Any]:
        parts: list[Any] = [{"part_kind": "thinking", "content": thinking}] if thinking else []
        parts.append({"part_kind": "text", "content": text})
        parts += [
            {
                "part_kind": "tool-call",
                "tool_call_id": c.id,
                "tool_name": c.tool,
                "args": json.dumps(c.arguments) if len(text) % 2 else c.arguments,
            }
            for c in calls
        ]
        return [{"kind": "response", "parts": parts}]

    def replies(self, answers: Sequence[Answer]) -> list[Any]:
        parts = [
            {
                "part_kind": "retry-prompt" if a.is_error else "tool-return",
                "tool_name": a.call.tool,
                "tool_call_id": a.call.id,
                "content": a.text,
            }
            for a in answers
        ]
        return [{"kind": "request", "parts": parts}]

    def _places(self, message: Any, *kinds: str) -> list[int]:
        return [i for i, part in enumerate(message["parts"]) if part["part_kind"] in kinds]

    def calls(self, message: Any) -> list[tuple[str, Any]]:
        parts = [message["parts"][i] for i in self._places(message, "tool-call")]
        return [(part["tool_name"], part["args"]) for part in parts]

    def results(self, message: Any) -> list[Any]:
        return [message["parts"][i]["content"] for i in self._places(message, "tool-return", "retry-prompt")]

    def thinking(self, message: Any) -> list[Any]:
        return [message["parts"][i] for i in self._places(message, "thinking")]

    def with_result(self, message: Any, place: int, note: str) -> Any:
        at = self._places(message, "tool-return", "retry-prompt")[place]
        return _edited(message, ("parts", at, "content"), note)

    def with_input(self, message: Any, place: int, arguments: dict[str, str]) -> Any:
        at = self._places(message, "tool-call")[place]
        is_text = isinstance(message["parts"][at]["args"], str)
        return _edited(message, ("parts", at, "args"), _compact(arguments) if is_text else arguments)

    def without_thinking(self, message: Any) -> Any:
        return {**message, "parts": [part for part in message["parts"] if part["part_kind"] != "thinking"]}

    def with_note(self, message: Any, note: str) -> Any:
        return {**message, "parts": [*message["parts"], {"part_kind": "user-prompt", "content": note}]}


def _compact(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


SHAPES: Final[dict[str, Shape]] = {
    shape.name: shape
    for shape in (
        AnthropicShape(),
        OpenAIChatShape(),
        OpenAIResponsesShape(),
        GeminiShape(),
        BedrockShape(),
        LangChainShape(),
        PydanticAIShape(),
    )
}
"""Every format there are tests for; a new one is added here, and nowhere else."""


# ---------------------------------------------------------------------- transcripts, legal by construction

TEXTS = ("word ", "слово ", "字", "🙂", "mixed слово 字 ")
RESULT_TOKENS = (1, 5, 40, 150, 170, 300, 600, 1_500, 4_000)


class Transcript:
    """
    A history in one format that its provider takes, grown step by step; and what it is in bare numbers.

    ``messages`` is the history; ``outline`` says of each message what the oracle needs.
    """

    def __init__(self, random: Random, shape: Shape, profile: Measured = "script") -> None:
        self.random = random
        self.shape = shape
        self.profile = profile
        self.measure = measure_of(profile)
        self.messages: list[Any] = []
        self.outline: list[oracle.Message] = []
        self.rounds = 0
        self._serial = 0
        self.add_user()

    # each step leaves a history that may be sent

    def add_user(self) -> None:
        text = self._text(self.random.choice((3, 30, 200)))
        self._add(self.shape.user(text), "user")

    def add_system(self) -> None:
        """Only where every provider takes one: after a user's message or results."""
        if self.shape.has_systems and self.outline[-1].kind in ("user", "reply"):
            self._add(self.shape.system(self._text(20)), "system")

    def add_answer(self) -> None:
        """The model says something, with or without reasoning, and calls nothing."""
        for message in self.shape.model(self._text(self.random.choice((5, 60))), self._thinking(), ()):
            self._add(message, "model")

    def add_round(self, count: int | None = None) -> None:
        """The model calls tools, in parallel perhaps, and gets their results, in any order."""
        count = self.random.choice((1, 1, 1, 2, 3)) if count is None else count
        calls = [self._call(place) for place in range(count)]
        first = len(self.messages)
        for message in self.shape.model(self._text(5), self._thinking(), calls):
            self._add(message, "model")
        self.rounds += 1
        places = [
            (index, slot)
            for index in range(first, len(self.messages))
            for slot in range(len(self.outline[index].calls))
        ]
        order = list(range(count)) if self.shape.ids == "none" else self.random.sample(range(count), count)
        answers = [
            Answer(calls[n], self._text(self.random.choice(RESULT_TOKENS)), self.random.random() < 0.1) for n in order
        ]
        waiting = [places[n] for n in order]
        for message in self.shape.replies(answers):
            here = len(self.shape.results(message))
            self._add(message, "reply", waiting[:here])
            waiting = waiting[here:]

    def grow(self, steps: int) -> None:
        """Append rounds mostly, now and then the end of a turn, a remark, a system message."""
        for _ in range(steps):
            chance = self.random.random()
            if chance < 0.78:
                self.add_round()
                if self.random.random() < 0.06:
                    self.add_user()
                if self.random.random() < 0.06:
                    self.add_system()
            else:
                self.add_answer()
                for _ in range(self.random.choice((1, 1, 2))):
                    self.add_user()

    def _add(self, message: Any, kind: str, answered: Sequence[tuple[int, int]] = ()) -> None:
        calls = tuple(
            oracle.Call(tool, self._argument_size(arguments)) for tool, arguments in self.shape.calls(message)
        )
        results = tuple(
            oracle.Result(
                self._content_size(content),
                place,
                self.outline[place[0]].calls[place[1]].tool,
                has_id=self.shape.ids != "none",
            )
            for content, place in zip(self.shape.results(message), answered, strict=True)
        )
        thinking = self.shape.thinking(message)
        size = self.measure.message(message)
        self.messages.append(message)
        self.outline.append(oracle.Message(kind, size, calls, results, self.measure.content(thinking)))

    def _argument_size(self, arguments: Any) -> int:
        if not self.shape.has_inputs:
            return 0
        return self.measure.value(arguments)

    def _content_size(self, content: Any) -> int:
        return self.measure.json(content) if isinstance(content, dict) else self.measure.content(content)

    def estimate(self, messages: Sequence[Any]) -> int:
        """Return the tokens of messages, counted afresh."""
        return longturn.estimate(list(messages), profile=self.profile)

    def window(self, policy: Policy) -> Window:
        return Window(policy=policy, format=self.shape.name, profile=self.profile)

    def _call(self, place: int) -> Called:
        call_id = {"unique": f"call_{self._serial}_{place}", "repeating": f"call_{place}", "none": None}[self.shape.ids]
        path = self._text(self.random.choice((1, 1, 1, 400)))
        return Called(call_id, self.random.choice(("read", "read", "look", "write")), {"path": path})

    def _thinking(self) -> str:
        return self._text(30) if self.random.random() < 0.4 else ""

    def _text(self, tokens: int) -> str:
        """Return a text like no other in this history."""
        self._serial += 1
        word = self.random.choice(TEXTS)
        return f"#{self._serial} " + word * -(-4 * tokens // self.measure.quarters(word))


def transcript(seed: int, format: str, *, steps: int | None = None, profile: Measured = "script") -> Transcript:
    """Return a history by its seed, of a few rounds up to some dozens."""
    random = Random(f"{seed} {format}")
    made = Transcript(random, SHAPES[format], profile)
    made.grow(random.choice((1, 4, 10, 25)) if steps is None else steps)
    return made


def policies(random: Random, history: Sequence[Any], profile: Measured = "script") -> Policy:
    """Return a policy whose budget lies between a trifle and the whole history."""
    whole = longturn.estimate(list(history), profile=profile)
    return Policy(
        budget=max(int(whole * random.choice((0.05, 0.15, 0.3, 0.6, 0.9, 1.0))), 1_000),
        keep_share=random.choice((0.0, 0.1, 0.25, 0.25, 0.5)),
        batch=random.choice((1, 4, 4, 4, 7)),
        small_result=random.choice((0, 50, 160, 160)),
        low_water=random.choice((0.0, 0.5, 0.5, 1.0)),
        hold=random.random() < 0.8,
        exclude_tools=random.choice(((), (), ("look",))),
        recall_tools=random.choice(((), (), ("write",))),
        clear_tool_inputs=random.choice((False, False, True, ("write",))),
        thinking=random.choice(("keep", "keep", "strip")),
        strict_roles=random.random() < 0.2,
    )


def numbers(policy: Policy, made: Transcript, head_message: Any, *, overhead: int = 0) -> oracle.Rules:
    """Return a policy as the oracle reads it, in quarter-tokens; ``head_message`` is the one that takes the note."""
    words, shape, measure = phrases("en"), made.shape, made.measure

    def size_of_note(note: str) -> int:
        return measure.value(note if shape.note_key is None else {shape.note_key: note})

    as_message = shape.note_is_message and not policy.strict_roles
    if as_message:
        note = measure.message(shape.note_message(words.left_out))
    else:
        note = measure.message(shape.with_note(head_message, words.left_out)) - measure.message(head_message)
    inputs = policy.clear_tool_inputs
    tools = ("read", "look", "write")
    return oracle.Rules(
        budget=4 * policy.budget,
        overhead=measure.request + overhead,
        keep_window=int(policy.keep_share * 4 * policy.budget),
        batch=policy.batch,
        small_result=4 * policy.small_result,
        low_water=policy.low_water,
        hold=policy.hold,
        note=note,
        cleared=size_of_note(words.cleared),
        recalled=size_of_note(words.cleared_recall),
        cleared_input=measure.json({"cleared": words.cleared_input}),
        exclude_tools=tuple(policy.exclude_tools),
        recall_tools=tuple(policy.recall_tools),
        input_tools=(tools if inputs else ()) if isinstance(inputs, bool) else tuple(inputs),
        strict_roles=policy.strict_roles,
        strips_thinking=policy.thinking == "strip" and shape.strips_thinking,
        note_is_message=as_message,
    )


@dataclass(frozen=True)
class Sent:
    """What the documentation says is sent of a history; ``edited`` are the places of what is no message of its own."""

    messages: list[Any]
    edited: frozenset[int]
    view: oracle.View
    quarters: int
    rules: oracle.Rules


def sent(made: Transcript, policy: Policy, *, overhead: int = 0) -> Sent:
    """Return what is sent of a transcript by the oracle's decision, written down by its shape."""
    shape, history = made.shape, oracle.History(made.outline, strict_roles=policy.strict_roles)
    rules = numbers(policy, made, made.messages[history.head_end - 1], overhead=overhead)
    view = oracle.fit(history, rules)
    noted = oracle.shows_note(history, view, rules)
    edits = _edits(history, view, rules)
    messages: list[Any] = []
    edited: set[int] = set()
    for index, message in enumerate(made.messages):
        if index == history.head_end and noted and rules.note_is_message:
            edited.add(len(messages))
            messages.append(shape.note_message(phrases("en").left_out))
        if index in view.gone:
            continue
        copy = _copy(shape, message, edits.get(index, []), rules.strips_thinking and index in view.bound)
        if index == history.head_end - 1 and noted and not rules.note_is_message:
            copy = shape.with_note(copy, phrases("en").left_out)
        if copy is not message:
            edited.add(len(messages))
        messages.append(copy)
    quarters = oracle.size_of(history, len(made.messages), view, rules)
    return Sent(messages, frozenset(edited), view, quarters, rules)


def _edits(history: oracle.History, view: oracle.View, rules: oracle.Rules) -> dict[int, list[tuple[str, int, Any]]]:
    """Return for each message what is replaced in it: kind, place and what stands there."""
    words = phrases("en")
    edits: dict[int, list[tuple[str, int, Any]]] = {}
    for message, place in view.cleared:
        if message in view.gone:
            continue
        result = history.messages[message].results[place]
        note = words.cleared_recall if result.tool in rules.recall_tools else words.cleared
        edits.setdefault(message, []).append(("result", place, note))
        if result.call is not None and oracle.arguments_of(history, result, rules):
            of_call, slot = result.call
            edits.setdefault(of_call, []).append(("input", slot, {"cleared": words.cleared_input}))
    return edits


def _copy(shape: Shape, message: Any, edits: list[tuple[str, int, Any]], is_stripped: bool) -> Any:
    for kind, place, value in edits:
        message = (shape.with_result if kind == "result" else shape.with_input)(message, place, value)
    return shape.without_thinking(message) if is_stripped else message
