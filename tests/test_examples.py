"""The example agents run a long turn against scripted clients, and every request stays in the budget."""

from __future__ import annotations

import importlib.util
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import longturn

EXAMPLES = Path(__file__).parents[1] / "examples"
BUDGET = 4_000
ROUNDS = 20
PAGE = "Ein Satz wie jeder andere. " * 150  # about a thousand tokens


class Item:
    """An SDK's object: attributes to read, and its JSON form on demand."""

    def __init__(self, **members: Any) -> None:
        vars(self).update(members)

    def model_dump(self) -> dict[str, Any]:
        return dict(vars(self))


def load(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, EXAMPLES / f"{name}.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def scripted(call: Callable[[int], Any], last: Any, seen: list[Any], key: str) -> Callable[..., Any]:
    """Return a model that calls a tool so many times, then stops; its requests are kept in ``seen``."""
    answers: Iterator[Any] = iter([*(call(number) for number in range(ROUNDS)), last])

    def create(**request: Any) -> Any:
        seen.append(request[key])
        return next(answers)

    return create


def anthropic(seen: list[Any]) -> Any:
    def call(number: int) -> Any:
        return Item(content=[Item(type="tool_use", id=f"c{number}", name="read", input={"page": number})])

    create = scripted(call, Item(content=[Item(type="text", text="Done.")]), seen, "messages")
    return Item(messages=Item(create=create))


def openai_chat(seen: list[Any]) -> Any:
    def answer(**message: Any) -> Any:
        return Item(choices=[Item(message=Item(role="assistant", content=None, **message))])

    def call(number: int) -> Any:
        function = Item(name="read", arguments=json.dumps({"page": number}))
        return answer(tool_calls=[Item(id=f"c{number}", type="function", function=function)])

    return Item(chat=Item(completions=Item(create=scripted(call, answer(tool_calls=None), seen, "messages"))))


def openai_responses(seen: list[Any]) -> Any:
    def call(number: int) -> Any:
        arguments = json.dumps({"page": number})
        return Item(output=[Item(type="function_call", call_id=f"c{number}", name="read", arguments=arguments)])

    last = Item(output=[Item(type="message", role="assistant", content=[Item(type="output_text", text="Done.")])])
    return Item(responses=Item(create=scripted(call, last, seen, "input")))


def gemini(seen: list[Any]) -> Any:
    def answer(**part: Any) -> Any:
        content = Item(role="model", parts=[Item(**{"text": None, "function_call": None, **part})])
        return Item(candidates=[Item(content=content)])

    def call(number: int) -> Any:
        return answer(function_call=Item(name="read", args={"page": number}))

    return Item(models=Item(generate_content=scripted(call, answer(text="Done."), seen, "contents")))


def bedrock(seen: list[Any]) -> Any:
    def answer(block: dict[str, Any]) -> Any:
        return {"output": {"message": {"role": "assistant", "content": [block]}}}

    def call(number: int) -> Any:
        return answer({"toolUse": {"toolUseId": f"c{number}", "name": "read", "input": {"page": number}}})

    return Item(converse=scripted(call, answer({"text": "Done."}), seen, "messages"))


@pytest.mark.parametrize(
    ("name", "client"),
    [
        ("anthropic_agent", anthropic),
        ("openai_agent", openai_chat),
        ("openai_responses_agent", openai_responses),
        ("gemini_agent", gemini),
        ("bedrock_agent", bedrock),
    ],
)
def test_an_example_agent_stays_in_its_budget(name: str, client: Callable[[list[Any]], Any]) -> None:
    """Twenty pages are read, the history holds them all, and no request is larger than the budget."""
    seen: list[Any] = []
    tools = [{"name": "read"}]
    history = load(name).run(
        client(seen), "Read it all.", model="scripted", tools=tools, execute=lambda *_: PAGE, budget=BUDGET
    )
    assert len(seen) == ROUNDS + 1
    assert longturn.estimate(history) > ROUNDS * longturn.estimate(PAGE)
    assert max(longturn.estimate(request) for request in seen) <= BUDGET
