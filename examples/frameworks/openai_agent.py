"""A run over the OpenAI SDK's Chat Completions.  The lines marked are all that longturn adds."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from openai import OpenAI, pydantic_function_tool
from pydantic import BaseModel

import longturn
from longturn.integrations.openai import wrap  # longturn


class Read(BaseModel):
    """Read a file by its name."""

    name: str


def run(folder: Path, task: str, *, model: str = "gpt-5", budget: int = 150_000) -> str:
    """Work on ``task`` with a tool that reads the files of ``folder``; return the answer."""
    history: list[Any] = [{"role": "system", "content": "You are a careful reader."}, {"role": "user", "content": task}]
    tools: Any = [pydantic_function_tool(Read, name="read")]
    with wrap(OpenAI(), longturn.Window(budget)) as client:  # longturn
        while True:
            message = client.chat.completions.parse(model=model, messages=history, tools=tools).choices[0].message
            history.append(message)
            if not message.tool_calls:
                return message.content or ""
            for call in message.tool_calls:
                text = (folder / call.function.parsed_arguments.name).read_text()
                history.append({"role": "tool", "tool_call_id": call.id, "content": text})


if __name__ == "__main__":
    print(run(Path("docs"), "Summarise quickstart.md, policy.md and thinking.md."))
