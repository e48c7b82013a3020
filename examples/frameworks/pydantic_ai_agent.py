"""A Pydantic AI agent over a folder of texts.  The lines marked are all that longturn adds."""

from __future__ import annotations

from pathlib import Path

from pydantic_ai import Agent
from pydantic_ai.usage import UsageLimits

import longturn
from longturn.integrations.pydantic_ai import FitRequests  # longturn


def run(folder: Path, task: str, *, model: str = "openai:gpt-5", budget: int = 150_000) -> str:
    """Work on ``task`` with a tool that reads the files of ``folder``; return the answer."""
    fit = FitRequests(longturn.Window(budget))  # longturn
    agent = Agent(model, instructions="You are a careful reader.", capabilities=[fit])

    @agent.tool_plain
    def read(name: str) -> str:
        """Read a file by its name."""
        return (folder / name).read_text()

    return str(agent.run_sync(task, usage_limits=UsageLimits(request_limit=1_000)).output)


if __name__ == "__main__":
    print(run(Path("docs"), "Summarise quickstart.md, policy.md and thinking.md."))
