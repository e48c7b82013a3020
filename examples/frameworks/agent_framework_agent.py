"""An agent of Microsoft's Agent Framework over a folder of texts.  The lines marked are all that longturn adds."""

from __future__ import annotations

import asyncio
from pathlib import Path

from agent_framework import Agent, tool
from agent_framework.openai import OpenAIChatCompletionClient

import longturn
from longturn.integrations.agent_framework import FitMiddleware  # longturn


def run(folder: Path, task: str, *, model: str = "gpt-5", budget: int = 150_000) -> str:
    """Work on ``task`` with a tool that reads the files of ``folder``; return the answer."""

    @tool(approval_mode="never_require")
    def read(name: str) -> str:
        """Read a file by its name."""
        return (folder / name).read_text()

    fit = FitMiddleware(longturn.Window(budget))  # longturn
    client = OpenAIChatCompletionClient(model=model, function_invocation_configuration={"max_iterations": 1_000})
    agent = Agent(client=client, instructions="You are a careful reader.", tools=[read], middleware=[fit])
    return asyncio.run(agent.run(task)).text


if __name__ == "__main__":
    print(run(Path("docs"), "Summarise quickstart.md, policy.md and thinking.md."))
