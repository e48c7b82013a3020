"""A run of the OpenAI Agents SDK.  The lines marked are all that longturn adds."""

from __future__ import annotations

from pathlib import Path

from agents import Agent, RunConfig, Runner, function_tool

import longturn
from longturn.integrations.openai_agents import FitProvider  # longturn


def run(folder: Path, task: str, *, model: str = "gpt-5", budget: int = 150_000) -> str:
    """Work on ``task`` with a tool that reads the files of ``folder``; return the answer."""

    @function_tool
    def read(name: str) -> str:
        """Read a file by its name."""
        return (folder / name).read_text()

    agent = Agent(name="reader", instructions="You are a careful reader.", tools=[read], model=model)
    config = RunConfig(model_provider=FitProvider(longturn.Window(budget)))  # longturn
    return str(Runner.run_sync(agent, task, run_config=config, max_turns=1_000).final_output)


if __name__ == "__main__":
    print(run(Path("docs"), "Summarise quickstart.md, policy.md and thinking.md."))
