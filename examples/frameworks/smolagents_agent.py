"""A smolagents agent over a folder of texts.  The lines marked are all that longturn adds."""

from __future__ import annotations

from pathlib import Path

from smolagents import OpenAIModel, ToolCallingAgent, tool

import longturn
from longturn.integrations.smolagents import fit_model  # longturn


def run(folder: Path, task: str, *, model: str = "gpt-5", budget: int = 150_000) -> str:
    """Work on ``task`` with a tool that reads the files of ``folder``; return the answer."""

    @tool
    def read(name: str) -> str:
        """Read a file by its name.

        Args:
            name: The file's name.
        """
        return (folder / name).read_text()

    fitted = fit_model(OpenAIModel(model_id=model), longturn.Window(budget))  # longturn
    return str(ToolCallingAgent(tools=[read], model=fitted, max_steps=1_000).run(task))


if __name__ == "__main__":
    print(run(Path("docs"), "Summarise quickstart.md, policy.md and thinking.md."))
