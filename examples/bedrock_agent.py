"""An agent loop over Bedrock's Converse.  The lines marked are what longturn adds."""

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
    window = longturn.Window(budget, format="bedrock")  # longturn
    system = [{"text": f"You are a careful worker.\n\n{window.instructions()}"}]  # longturn
    history: list[dict[str, Any]] = [{"role": "user", "content": [{"text": task}]}]
    options: dict[str, Any] = {"toolConfig": {"tools": tools}} if tools else {}
    while True:
        answer = window.call(  # longturn: fits, sends, learns
            lambda fitted: client.converse(modelId=model, system=system, messages=fitted.messages, **options),
            history,
            system=system,
            tools=tools,
        )
        history.append(answer["output"]["message"])
        calls = [block["toolUse"] for block in history[-1]["content"] if "toolUse" in block]
        if not calls:
            return history
        results = [
            {
                "toolResult": {
                    "toolUseId": call["toolUseId"],
                    "content": [{"text": execute(call["name"], call["input"])}],
                }
            }
            for call in calls
        ]
        history.append({"role": "user", "content": results})


if __name__ == "__main__":
    import boto3

    client = boto3.client("bedrock-runtime")
    print(run(client, "Say hello.", model="anthropic.claude-sonnet-5", tools=[], execute=str)[-1])
