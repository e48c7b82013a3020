"""A Strands agent over a folder of texts.  The lines marked are all that longturn adds."""

from __future__ import annotations

from pathlib import Path

from strands import Agent, tool
from strands.agent.conversation_manager import NullConversationManager
from strands.middleware import InvokeModelStage
from strands.models.openai import OpenAIModel

import longturn
from longturn.integrations.strands import fit_calls  # longturn


def run(folder: Path, task: str, *, model: str = "gpt-5", budget: int = 150_000) -> str:
    """Work on ``task`` with a tool that reads the files of ``folder``; return the answer."""

    @tool
    def read(name: str) -> str:
        """Read a file by its name."""
        return (folder / name).read_text()

    agent = Agent(
        model=OpenAIModel(model_id=model),
        tools=[read],
        system_prompt="You are a careful reader.",
        conversation_manager=NullConversationManager(),  # longturn
    )
    agent.add_middleware(InvokeModelStage, fit_calls(longturn.Window(budget)))  # longturn
    return str(agent(task))


if __name__ == "__main__":
    print(run(Path("docs"), "Summarise quickstart.md, policy.md and thinking.md."))
