"""A Google ADK agent over a folder of texts.  The lines marked are all that longturn adds."""

from __future__ import annotations

import asyncio
from pathlib import Path

from google.adk.agents import LlmAgent
from google.adk.agents.run_config import RunConfig
from google.adk.apps import App
from google.adk.runners import InMemoryRunner

import longturn
from longturn.integrations.google_adk import FitPlugin  # longturn


def run(folder: Path, task: str, *, model: str = "gemini-2.5-pro", budget: int = 150_000) -> str:
    """Work on ``task`` with a tool that reads the files of ``folder``; return the answer."""

    def read(name: str) -> str:
        """Read a file by its name."""
        return (folder / name).read_text()

    fit = FitPlugin(longturn.Window(budget))  # longturn
    agent = LlmAgent(name="reader", model=model, instruction="You are a careful reader.", tools=[read])
    runner = InMemoryRunner(app=App(name="reading", root_agent=agent, plugins=[fit]))  # longturn
    events = asyncio.run(runner.run_debug(task, run_config=RunConfig(max_llm_calls=1_000), quiet=True))
    return str(events[-1].content.parts[-1].text)


if __name__ == "__main__":
    print(run(Path("docs"), "Summarise quickstart.md, policy.md and thinking.md."))
