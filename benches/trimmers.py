"""
What keeps a history inside a budget, each as a step from the saved history to the messages sent.

Peers run as their documentation says, with the same budget and on the same history in their own
shape.  They count for themselves; what they send is judged by one measure, ours.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from copy import deepcopy
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

import longturn
from benches.counters import package
from benches.histories import TOOLS, Message, as_langchain, as_responses

TOOLS_TOKENS: Final = longturn.estimate(TOOLS)
Step = Callable[[list[Any]], Sequence[Any]]


class Sent(NamedTuple):
    """One message or item as the provider gets it, whatever its shape."""

    role: str
    text: str
    calls: tuple[str, ...] = ()
    answers: str | None = None  # the call that this is the result of


@dataclass(frozen=True, slots=True, kw_only=True)
class Trimmer:
    """One way to fit, and the shape it works on."""

    name: str
    make: Callable[[int], Step]
    """Takes the budget in tokens, of the whole request."""
    shape: Callable[[list[Message]], list[Any]] = list
    read: Callable[[Any], Sent]
    most_messages: int = sys.maxsize  # one that takes minutes on more is not asked to


# ---------------------------------------------------------------------- reading what is sent


def read_chat(message: Message) -> Sent:
    calls = tuple(call["id"] for call in message.get("tool_calls") or ())
    return Sent(message["role"], message.get("content") or "", calls, message.get("tool_call_id"))


def read_langchain(message: Any) -> Sent:
    roles = {"human": "user", "ai": "assistant"}
    calls = tuple(call["id"] for call in getattr(message, "tool_calls", ()))
    role = roles.get(message.type, message.type)
    return Sent(role, message.content, calls, getattr(message, "tool_call_id", None))


def read_item(item: Message) -> Sent:
    match item["type"]:
        case "function_call":
            return Sent("assistant", "", (item["call_id"],))
        case "function_call_output":
            return Sent("tool", item["output"], (), item["call_id"])
    return Sent(item["role"], item["content"])


# ---------------------------------------------------------------------- longturn


def send_all(budget: int) -> Step:
    return list


def ours(budget: int) -> Step:
    window = longturn.Window(budget)
    return lambda history: window.fit(history, tools=TOOLS).messages


def ours_literal(budget: int) -> Step:
    window = longturn.Window(policy=longturn.Policy(budget=budget, hold=False))
    return lambda history: window.fit(history, tools=TOOLS).messages


# ---------------------------------------------------------------------- peers


def clear_tool_uses(budget: int) -> Step:
    """LangChain's context editing with its defaults: above 100,000 tokens, all but the newest three results."""
    return _langchain_edit(package("langchain.agents.middleware").ClearToolUsesEdit())


def clear_tool_uses_at_budget(budget: int) -> Step:
    edit = package("langchain.agents.middleware").ClearToolUsesEdit(trigger=budget - TOOLS_TOKENS)
    return _langchain_edit(edit)


def _langchain_edit(edit: Any) -> Step:
    """Return what ``ContextEditingMiddleware`` does around a model call: copy everything, then edit the copy."""
    count = package("langchain_core.messages.utils").count_tokens_approximately

    def step(history: list[Any]) -> list[Any]:
        messages = deepcopy(list(history))
        edit.apply(messages, count_tokens=count)
        return messages

    return step


def trim_last(budget: int) -> Step:
    return _langchain_trim(budget, include_system=True)


def trim_on_human(budget: int) -> Step:
    """LangChain's documentation recommends this form for chats."""
    return _langchain_trim(budget, include_system=True, start_on="human")


def _langchain_trim(budget: int, **options: Any) -> Step:
    messages = package("langchain_core.messages")
    limit = budget - TOOLS_TOKENS
    return lambda history: messages.trim_messages(
        history, strategy="last", token_counter="approximate", max_tokens=limit, **options
    )


def litellm_trim(budget: int) -> Step:
    trim = package("litellm.utils").trim_messages
    return lambda history: trim(history, model="gpt-4o", max_tokens=budget - TOOLS_TOKENS)


def openai_agents(budget: int) -> Step:
    """The OpenAI Agents SDK shortens outputs older than the last two user messages, whatever the budget."""
    run = package("agents.run")
    trim = package("agents.extensions.tool_output_trimmer").ToolOutputTrimmer()

    def step(items: list[Any]) -> list[Any]:
        data = run.CallModelData(run.ModelInputData(list(items), None), None, None)
        return list(trim(data).input)

    return step


TRIMMERS: Final = (
    Trimmer(name="send everything", make=send_all, read=read_chat),
    Trimmer(name="longturn", make=ours, read=read_chat),
    Trimmer(name="longturn, hold=False", make=ours_literal, read=read_chat),
    Trimmer(
        name="LangChain ClearToolUsesEdit, defaults",
        make=clear_tool_uses,
        shape=as_langchain,
        read=read_langchain,
    ),
    Trimmer(
        name="LangChain ClearToolUsesEdit, trigger=budget",
        make=clear_tool_uses_at_budget,
        shape=as_langchain,
        read=read_langchain,
    ),
    Trimmer(name="LangChain trim_messages", make=trim_last, shape=as_langchain, read=read_langchain),
    Trimmer(
        name="LangChain trim_messages, start_on=human",
        make=trim_on_human,
        shape=as_langchain,
        read=read_langchain,
    ),
    Trimmer(name="LiteLLM trim_messages", make=litellm_trim, read=read_chat, most_messages=100),
    Trimmer(name="OpenAI Agents ToolOutputTrimmer", make=openai_agents, shape=as_responses, read=read_item),
)
