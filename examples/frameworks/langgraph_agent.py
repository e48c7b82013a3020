"""A LangGraph graph of one's own.  The lines marked are all that longturn adds."""

from __future__ import annotations

from pathlib import Path

from langchain.chat_models import init_chat_model
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.prebuilt import ToolNode, tools_condition

import longturn
from longturn.integrations.langgraph import model_node  # longturn


def run(folder: Path, task: str, *, model: str = "openai:gpt-5", budget: int = 150_000) -> str:
    """Work on ``task`` with a tool that reads the files of ``folder``; return the answer."""

    def read(name: str) -> str:
        """Read a file by its name."""
        return (folder / name).read_text()

    window = longturn.Window(budget)  # longturn
    builder = StateGraph(MessagesState)
    builder.add_node("model", model_node(window, init_chat_model(model).bind_tools([read])))  # longturn
    builder.add_node("tools", ToolNode([read]))
    builder.add_edge(START, "model")
    builder.add_conditional_edges("model", tools_condition)
    builder.add_edge("tools", "model")
    asked = {"messages": [("system", "You are a careful reader."), ("user", task)]}
    return str(builder.compile().invoke(asked, {"recursion_limit": 1_000})["messages"][-1].text)


if __name__ == "__main__":
    print(run(Path("docs"), "Summarise quickstart.md, policy.md and thinking.md."))
