"""A Haystack agent over a folder of texts.  The lines marked are all that longturn adds."""

from __future__ import annotations

from pathlib import Path

from haystack.components.agents import Agent
from haystack.components.generators.chat import OpenAIChatGenerator
from haystack.dataclasses import ChatMessage
from haystack.tools import tool

import longturn
from longturn.integrations.haystack import FitGenerator  # longturn


def run(folder: Path, task: str, *, model: str = "gpt-5", budget: int = 150_000) -> str:
    """Work on ``task`` with a tool that reads the files of ``folder``; return the answer."""

    @tool
    def read(name: str) -> str:
        """Read a file by its name."""
        return (folder / name).read_text()

    generator = FitGenerator(OpenAIChatGenerator(model=model), longturn.Window(budget))  # longturn
    agent = Agent(
        chat_generator=generator, tools=[read], system_prompt="You are a careful reader.", max_agent_steps=1_000
    )
    return str(agent.run(messages=[ChatMessage.from_user(task)])["last_message"].text)


if __name__ == "__main__":
    print(run(Path("docs"), "Summarise quickstart.md, policy.md and thinking.md."))
