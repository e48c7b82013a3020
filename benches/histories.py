"""
Histories to fit: one long turn of a sub-agent, as OpenAI chat messages, and the same run in other shapes.

The proportions are those of a coding agent: three rounds in ten make two to four calls at once; of
the results, three in ten are small, four medium, a quarter large, and a few very large.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any, Final

from benches import texts

Message = dict[str, Any]

RESULT_TOKENS: Final = ((0.30, 40, 300), (0.42, 500, 3_000), (0.25, 4_000, 10_000), (0.03, 15_000, 30_000))
"""Share of the results, and the range of their sizes."""
PARALLEL_SHARE, MOST_PARALLEL = 0.3, 4
THOUGHT_TOKENS, ARGUMENT_TOKENS, TASK_TOKENS = 100, 100, 1_500
SYSTEM_TOKENS: Final = 5_000
TOOLS: Final = [
    {
        "type": "function",
        "function": {
            "name": name,
            "description": f"{name} something in the project, and say what came of it. " * 6,
            "parameters": {
                "type": "object",
                "properties": {key: {"type": "string", "description": "as the name says " * 4} for key in "abcd"},
                "required": ["a"],
            },
        },
    }
    for name in ("read", "write", "search", "run", "list", "fetch", "test", "diff")
]


@dataclass(slots=True)
class Run:
    """A run that can be continued round by round."""

    chance: random.Random
    languages: tuple[str, ...]
    scale: float = 1.0  # of the results' sizes
    calls: int = 0

    def system(self) -> str:
        return self._text("English", SYSTEM_TOKENS)

    def task(self) -> Message:
        return {"role": "user", "content": self._text(self.languages[0], TASK_TOKENS)}

    def round(self, most_calls: int = MOST_PARALLEL) -> list[Message]:
        """Return the next model message with its calls, and their results."""
        is_parallel = self.chance.random() < PARALLEL_SHARE
        count = min(self.chance.randint(2, MOST_PARALLEL) if is_parallel else 1, most_calls)
        calls = [self._call() for _ in range(count)]
        thought = self._text(self.chance.choice(self.languages), THOUGHT_TOKENS)
        return [
            {"role": "assistant", "content": thought, "tool_calls": calls},
            *({"role": "tool", "tool_call_id": call["id"], "content": self._result()} for call in calls),
        ]

    def _call(self) -> Message:
        self.calls += 1
        tool = self.chance.choice(TOOLS)["function"]["name"]
        arguments = json.dumps({"a": self._text("code", ARGUMENT_TOKENS)})
        return {
            "id": f"call_{self.calls:06}",
            "type": "function",
            "function": {"name": tool, "arguments": arguments},
        }

    def _result(self) -> str:
        shares = [share for share, _, _ in RESULT_TOKENS]
        _, low, high = self.chance.choices(RESULT_TOKENS, shares)[0]
        return self._text(self.chance.choice(self.languages), int(self.scale * self.chance.randint(low, high)))

    def _text(self, language: str, tokens: int) -> str:
        """Return a piece of text of about so many tokens by the script rule, starting anywhere."""
        pool, tokens_per_character = _pool(language)
        length = max(round(tokens / tokens_per_character), 1)
        start = self.chance.randrange(len(pool) - length)
        return pool[start : start + length]


@cache
def _pool(language: str) -> tuple[str, float]:
    import longturn

    pool = texts.text(language, 1_000_000)
    return pool, longturn.estimate(pool) / len(pool)


ASCII: Final = ("English", "code")
HALF_ASCII: Final = ("English", "Russian", "code", "Chinese")


def run(seed: int = 0, languages: tuple[str, ...] = HALF_ASCII, scale: float = 1.0) -> Run:
    return Run(random.Random(seed), languages, scale)


def history(length: int, seed: int = 0, languages: tuple[str, ...] = HALF_ASCII, scale: float = 1.0) -> list[Message]:
    """Return a history of at least ``length`` messages that ends with a round's results."""
    source = run(seed, languages, scale)
    messages = [source.task()]
    while len(messages) < length:
        messages.extend(source.round())
    return messages


def renewed(messages: list[Message]) -> list[Message]:
    """Return the same history in new dicts with new texts, whose hashes nobody has computed yet."""
    return [{**message, "content": _copied(message["content"])} for message in messages]


def _copied(text: str) -> str:
    return f"{text} "[:-1]


# ---------------------------------------------------------------------- the same history in other shapes


def as_langchain(messages: list[Message]) -> list[Any]:
    """Return LangChain's message objects."""
    return [_langchain(message) for message in messages]


def _langchain(message: Message) -> Any:
    from langchain_core.messages import AIMessage, HumanMessage, SystemMessage, ToolMessage

    match message["role"]:
        case "system":
            return SystemMessage(message["content"])
        case "user":
            return HumanMessage(message["content"])
        case "tool":
            return ToolMessage(message["content"], tool_call_id=message["tool_call_id"])
    calls = [
        {"name": call["function"]["name"], "args": json.loads(call["function"]["arguments"]), "id": call["id"]}
        for call in message["tool_calls"]
    ]
    return AIMessage(message["content"], tool_calls=calls)


def as_responses(messages: list[Message]) -> list[Message]:
    """Return items of the Responses API."""
    return [item for message in messages for item in _items(message)]


def _items(message: Message) -> Iterator[Message]:
    if message["role"] == "tool":
        yield {"type": "function_call_output", "call_id": message["tool_call_id"], "output": message["content"]}
        return
    yield {"type": "message", "role": message["role"], "content": message["content"]}
    for call in message.get("tool_calls", ()):
        yield {"type": "function_call", "call_id": call["id"], **call["function"]}


def as_anthropic(messages: list[Message]) -> list[Message]:
    """Return Anthropic messages: all results of a round share one user message.  There must be no system message."""
    made: list[Message] = []
    for message in messages:
        if message["role"] != "tool":
            made.append(_anthropic(message))
            continue
        if made[-1]["role"] == "assistant":
            made.append({"role": "user", "content": []})
        made[-1]["content"].append(
            {"type": "tool_result", "tool_use_id": message["tool_call_id"], "content": message["content"]}
        )
    return made


def _anthropic(message: Message) -> Message:
    if message["role"] != "assistant":
        return message
    calls = (
        {
            "type": "tool_use",
            "id": call["id"],
            "name": call["function"]["name"],
            "input": json.loads(call["function"]["arguments"]),
        }
        for call in message["tool_calls"]
    )
    return {"role": "assistant", "content": [{"type": "text", "text": message["content"]}, *calls]}


SHAPES: Final[dict[str, Callable[[list[Message]], list[Message]]]] = {
    "openai-chat": renewed,
    "anthropic": lambda messages: as_anthropic(renewed(messages)),
}
"""Each makes new messages whenever it is called."""
