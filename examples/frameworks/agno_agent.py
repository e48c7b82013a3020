"""An Agno agent over a folder of texts.  The lines marked are all that longturn adds."""

from __future__ import annotations

from pathlib import Path

from agno.agent import Agent
from agno.models.openai import OpenAIChat

import longturn
from longturn.integrations.agno import fit_model  # longturn


def run(folder: Path, task: str, *, model: str = "gpt-5", budget: int = 150_000) -> str:
    """Work on ``task`` with a tool that reads the files of ``folder``; return the answer."""

    def read(name: str) -> str:
        """Read a file by its name."""
        return (folder / name).read_text()

    fitted = fit_model(OpenAIChat(id=model), longturn.Window(budget))  # longturn
    agent = Agent(model=fitted, tools=[read], system_message="You are a careful reader.", telemetry=False)
    return str(agent.run(task).content)


if __name__ == "__main__":
    print(run(Path("docs"), "Summarise quickstart.md, policy.md and thinking.md."))
