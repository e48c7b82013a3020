"""A run of the Anthropic SDK's tool runner.  The lines marked are all that longturn adds."""

from __future__ import annotations

from pathlib import Path

from anthropic import Anthropic, beta_tool

import longturn
from longturn.integrations.anthropic import middleware  # longturn


def run(folder: Path, task: str, *, model: str = "claude-sonnet-5", budget: int = 150_000) -> str:
    """Work on ``task`` with a tool that reads the files of ``folder``; return the answer."""

    @beta_tool
    def read(name: str) -> str:
        """Read a file by its name."""
        return (folder / name).read_text()

    fitting = middleware(longturn.Window(budget))  # longturn
    with Anthropic(middleware=[fitting]) as client:  # longturn
        runner = client.beta.messages.tool_runner(
            model=model,
            max_tokens=8_000,
            system="You are a careful reader.",
            tools=[read],
            messages=[{"role": "user", "content": task}],
            thread=False,  # longturn: keep the history here, where it can be fitted
        )
        return str(runner.until_done().content[-1].text)


if __name__ == "__main__":
    print(run(Path("docs"), "Summarise quickstart.md, policy.md and thinking.md."))
