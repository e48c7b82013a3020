"""A LlamaIndex agent over a folder of texts.  The lines marked are all that longturn adds."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path

from llama_index.core.agent.workflow import FunctionAgent
from llama_index.llms.openai_like import OpenAILike

import longturn
from longturn.integrations.llama_index import fit_llm  # longturn


def run(folder: Path, task: str, *, model: str = "gpt-5", budget: int = 150_000) -> str:
    """Work on ``task`` with a tool that reads the files of ``folder``; return the answer."""

    def read(name: str) -> str:
        """Read a file by its name."""
        return (folder / name).read_text()

    server = {"api_base": os.environ["OPENAI_BASE_URL"], "api_key": os.environ["OPENAI_API_KEY"]}
    llm = OpenAILike(model=model, is_chat_model=True, is_function_calling_model=True, **server)
    fitted = fit_llm(llm, longturn.Window(budget))  # longturn
    agent = FunctionAgent(tools=[read], llm=fitted, system_prompt="You are a careful reader.", timeout=None)

    async def answer() -> str:
        return str(await agent.run(task, max_iterations=1_000))

    return asyncio.run(answer())


if __name__ == "__main__":
    print(run(Path("docs"), "Summarise quickstart.md, policy.md and thinking.md."))
