"""A LangChain agent over a folder of texts.  The lines marked are all that longturn adds."""

from __future__ import annotations

from pathlib import Path

from langchain.agents import create_agent

import longturn
from longturn.integrations.langchain import FitMiddleware  # longturn


def run(folder: Path, task: str, *, model: str = "openai:gpt-5", budget: int = 150_000) -> str:
    """Work on ``task`` with a tool that reads the files of ``folder``; return the answer."""

    def read(name: str) -> str:
        """Read a file by its name."""
        return (folder / name).read_text()

    fit = FitMiddleware(longturn.Window(budget))  # longturn
    agent = create_agent(model, [read], system_prompt="You are a careful reader.", middleware=[fit])
    asked = {"messages": [{"role": "user", "content": task}]}
    return str(agent.invoke(asked, {"recursion_limit": 1_000})["messages"][-1].text)


if __name__ == "__main__":
    print(run(Path("docs"), "Summarise quickstart.md, policy.md and thinking.md."))
