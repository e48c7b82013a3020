"""An agent loop over Gemini's generateContent.  The lines marked are what longturn adds."""

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
) -> list[Any]:
    """Work on ``task`` until the model stops calling tools; return the whole history, as it was saved."""
    window = longturn.Window(budget, format="gemini")  # longturn
    system = f"You are a careful worker.\n\n{window.instructions()}"  # longturn
    history: list[Any] = [{"role": "user", "parts": [{"text": task}]}]
    while True:
        answer = window.call(  # longturn: fits, sends, learns
            lambda fitted: client.models.generate_content(
                model=model, contents=fitted.messages, config={"system_instruction": system, "tools": tools}
            ),
            history,
            system=system,
            tools=tools,
        )
        history.append(answer.candidates[0].content)  # the SDK's object is fine
        calls = [part.function_call for part in history[-1].parts if part.function_call]
        if not calls:
            return history
        responses = [
            {"function_response": {"name": call.name, "response": {"result": execute(call.name, call.args)}}}
            for call in calls
        ]
        history.append({"role": "user", "parts": responses})


if __name__ == "__main__":
    from google import genai

    print(run(genai.Client(), "Say hello.", model="gemini-3-flash", tools=[], execute=str)[-1])
