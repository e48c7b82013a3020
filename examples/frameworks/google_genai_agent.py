"""A chat of the google-genai SDK that calls functions itself.  The lines marked are all that longturn adds."""

from __future__ import annotations

from pathlib import Path

from google import genai
from google.genai import types

import longturn
from longturn.integrations.google_genai import wrap  # longturn


def run(folder: Path, task: str, *, model: str = "gemini-3-pro", budget: int = 150_000) -> str:
    """Work on ``task`` with a tool that reads the files of ``folder``; return the answer."""

    def read(name: str) -> str:
        """Read a file by its name."""
        return (folder / name).read_text()

    config = types.GenerateContentConfig(
        system_instruction="You are a careful reader.",
        tools=[read],
        automatic_function_calling=types.AutomaticFunctionCallingConfig(maximum_remote_calls=1_000),
    )
    with genai.Client() as client:
        wrap(client, longturn.Window(budget))  # longturn
        return client.chats.create(model=model, config=config).send_message(task).text or ""


if __name__ == "__main__":
    print(run(Path("docs"), "Summarise quickstart.md, policy.md and thinking.md."))
