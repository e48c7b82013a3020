"""An agent loop over Anthropic Messages.  The lines marked are what longturn adds."""

from __future__ import annotations

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
) -> list[dict[str, Any]]:
    """Work on ``task`` until the model stops calling tools; return the whole history, as it was saved."""
    window = longturn.Window(budget)  # longturn
    system = f"You are a careful worker.\n\n{window.instructions()}"  # longturn
    history: list[dict[str, Any]] = [{"role": "user", "content": task}]
    while True:
        answer = window.call(  # longturn: fits, sends, learns
            lambda fitted: client.messages.create(
                model=model, max_tokens=8_000, system=system, tools=tools, messages=fitted.messages
            ),
            history,
            system=system,
            tools=tools,
        )
        history.append({"role": "assistant", "content": answer.content})
        calls = [block for block in answer.content if block.type == "tool_use"]
        if not calls:
            return history
        results = [
            {"type": "tool_result", "tool_use_id": call.id, "content": execute(call.name, call.input)} for call in calls
        ]
        history.append({"role": "user", "content": results})


if __name__ == "__main__":
    import anthropic

    print(run(anthropic.Anthropic(), "Say hello.", model="claude-sonnet-5", tools=[], execute=str)[-1])
