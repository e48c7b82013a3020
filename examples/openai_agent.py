"""An agent loop over OpenAI Chat Completions.  The lines marked are what longturn adds."""

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
    window = longturn.Window(budget)  # longturn
    history: list[Any] = [
        {"role": "system", "content": f"You are a careful worker.\n\n{window.instructions()}"},  # longturn
        {"role": "user", "content": task},
    ]
    while True:
        answer = window.call(  # longturn: fits, sends, learns
            lambda fitted: client.chat.completions.create(model=model, tools=tools, messages=fitted.messages),
            history,
            tools=tools,
        )
        message = answer.choices[0].message
        history.append(message)  # the SDK's object is fine
        if not message.tool_calls:
            return history
        for call in message.tool_calls:
            text = execute(call.function.name, json.loads(call.function.arguments))
            history.append({"role": "tool", "tool_call_id": call.id, "content": text})


if __name__ == "__main__":
    import openai

    print(run(openai.OpenAI(), "Say hello.", model="gpt-5", tools=[], execute=str)[-1])
