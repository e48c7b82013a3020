"""
LangGraph: ``builder.add_node("model", model_node(Window(150_000), model.bind_tools(tools)))`` in a graph of your
own; ``create_react_agent(model, tools, pre_model_hook=PreModelHook(Window(150_000)))`` in the prebuilt one.

Only what is sent is fitted; the messages in the state stay as they are.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from langchain_core.messages import SystemMessage
from langchain_core.runnables import RunnableLambda

from longturn.formats.base import get
from longturn.instructing import instructed, is_instructed
from longturn.window import Window

if TYPE_CHECKING:
    from langchain_core.messages import AnyMessage
    from langchain_core.runnables import Runnable, RunnableConfig

    from longturn.fitted import Fitted


def model_node(window: Window, model: Runnable[Any, Any], *, key: str = "messages") -> Runnable[Any, Any]:
    """
    Return a node that calls ``model``, tools bound to it included, with the fitted messages of the state.

    Its update is ``{key: [answer]}``.  A request refused as too long is fitted tighter and sent once more;
    ``ConversationTooLong`` comes out where that is refused too.
    """
    tools = get(get(model, "kwargs"), "tools")

    def node(state: Any, config: RunnableConfig) -> dict[str, Any]:
        def send(fitted: Fitted) -> Any:
            return model.invoke(_instructed(fitted.messages, window), config)

        history = get(state, key)
        return {key: [window.call(send, history, system=_missing(history, window), tools=tools)]}

    async def anode(state: Any, config: RunnableConfig) -> dict[str, Any]:
        async def send(fitted: Fitted) -> Any:
            return await model.ainvoke(_instructed(fitted.messages, window), config)

        history = get(state, key)
        return {key: [await window.acall(send, history, system=_missing(history, window), tools=tools)]}

    return RunnableLambda(node, anode, name="model")


class PreModelHook:
    """
    Fits what the prebuilt agent sends, and tells it so in its system message.

    It is not shown the tools: leave room for them in the budget, until the window has learned what the provider
    counts.  A hook can't send anything again: a refusal stays the model's exception, which
    ``longturn.classify`` reads.
    """

    def __init__(self, window: Window) -> None:
        self.window = window
        self._sent: tuple[Sequence[AnyMessage], Fitted] | None = None

    def __call__(self, state: Any) -> Mapping[str, Any]:
        """Return the messages to send under ``llm_input_messages``, where they are not saved."""
        history = get(state, "messages")
        self._learn(history)
        fitted = self.window.fit(history, system=_missing(history, self.window))
        self._sent = history, fitted
        return {"llm_input_messages": _instructed(fitted.messages, self.window)}

    def _learn(self, history: Sequence[AnyMessage]) -> None:
        """Observe what the answer to the request before this one reports, if this history goes on from there."""
        if self._sent is None:
            return
        before, fitted = self._sent
        if len(history) > len(before) and history[len(before) - 1] is before[-1]:
            self.window.observe(fitted, get(history[len(before)], "usage_metadata"))


def _missing(history: Sequence[AnyMessage], window: Window) -> str | None:
    """Return what has to be added to the system message; None where it is there."""
    text = window.instructions()
    return None if is_instructed(_system(history), text) else text


def _instructed(messages: list[AnyMessage], window: Window) -> list[AnyMessage]:
    """Return messages with the instructions in the system message that they begin with."""
    system = _system(messages)
    if system is None:
        return [SystemMessage(window.instructions()), *messages]
    content = instructed(system.content, window.instructions())
    return [system.model_copy(update={"content": content}), *messages[1:]]


def _system(messages: Sequence[AnyMessage]) -> SystemMessage | None:
    first = messages[0] if messages else None
    return first if isinstance(first, SystemMessage) else None
