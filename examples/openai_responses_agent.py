"""An agent loop over OpenAI Responses with a history of its own.  The lines marked are what longturn adds."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

import longturn


def run(
    client: Any,
    task: str,
    *,
    model: str,
    tools: Sequence[dict[str, Any]],
    execute: Callable[[str, dict[str, Any]], str],
    budget: int = 150_000,
) -> list[Any]:
    """Work on ``task`` until the model stops calling tools; return the whole history, as it was saved."""
    window = longturn.Window(budget, format="openai-responses")  # longturn
    instructions = f"You are a careful worker.\n\n{window.instructions()}"  # longturn
    history: list[Any] = [{"role": "user", "content": task}]
    while True:
        answer = window.call(  # longturn: fits, sends, learns
            lambda fitted: client.responses.create(
                model=model, instructions=instructions, tools=tools, input=fitted.messages, store=False
            ),
            history,
            system=instructions,
            tools=tools,
        )
        history.extend(answer.output)  # the SDK's objects are fine
        calls = [item for item in answer.output if item.type == "function_call"]
        if not calls:
            return history
        for call in calls:
            text = execute(call.name, json.loads(call.arguments))
            history.append({"type": "function_call_output", "call_id": call.call_id, "output": text})


if __name__ == "__main__":
    import openai

    print(run(openai.OpenAI(), "Say hello.", model="gpt-5", tools=[], execute=str)[-1])
