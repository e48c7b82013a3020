"""A run over LiteLLM.  The lines marked are all that longturn adds."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import litellm

import longturn
from longturn.integrations.litellm import wrap  # longturn

PARAMETERS = {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}
FUNCTION = {"name": "read", "description": "Read a file by its name.", "parameters": PARAMETERS}


def run(folder: Path, task: str, *, model: str = "openai/gpt-5", budget: int = 150_000) -> str:
    """Work on ``task`` with a tool that reads the files of ``folder``; return the answer."""
    completion = wrap(litellm.completion, longturn.Window(budget))  # longturn
    history: list[Any] = [{"role": "system", "content": "You are a careful reader."}, {"role": "user", "content": task}]
    while True:
        answer = completion(model=model, messages=history, tools=[{"type": "function", "function": FUNCTION}])
        message = answer.choices[0].message
        history.append(message)
        if not message.tool_calls:
            return str(message.content)
        for call in message.tool_calls:
            text = (folder / json.loads(call.function.arguments)["name"]).read_text()
            history.append({"role": "tool", "tool_call_id": call.id, "content": text})


if __name__ == "__main__":
    print(run(Path("docs"), "Summarise quickstart.md, policy.md and thinking.md."))
