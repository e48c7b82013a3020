"""
LangChain agents: ``create_agent(model, tools, middleware=[FitMiddleware(Window(150_000))])``.

Only what is sent is fitted; the messages in the agent's state stay as they are.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import TYPE_CHECKING, Any

from langchain.agents.middleware import AgentMiddleware
from langchain_core.messages import SystemMessage
from langchain_core.utils.function_calling import convert_to_openai_tool

from longturn.instructing import instructed
from longturn.mirror import Told
from longturn.window import Window

if TYPE_CHECKING:
    from langchain.agents.middleware import ModelRequest
    from langchain_core.messages import AnyMessage

    from longturn.fitted import Fitted

_SERVER = ("previous_response_id", "conversation")


class FitMiddleware(AgentMiddleware):
    """
    Fits every model call of an agent, and tells the agent so in its system message.

    Put it last among the middlewares that change messages: what comes after it is not fitted.  A
    request refused as too long is fitted tighter and sent once more; ``ConversationTooLong`` comes
    out where that is refused too.
    """

    def __init__(self, window: Window) -> None:
        super().__init__()
        self.window = window

    def wrap_model_call(self, request: ModelRequest[Any], handler: Callable[[ModelRequest[Any]], Any]) -> Any:
        """Fit a call, send it, learn from what the provider counted."""
        request, held = self._instructed(request), _held_by_server(request)
        if held:
            self.window.fit_request({"messages": request.messages, **held})  # says so once
            return handler(request)

        def send(fitted: Fitted) -> Told:
            return _told(handler(request.override(messages=fitted.messages)))

        return self.window.call(send, request.messages, **_beside_messages(request)).answer

    async def awrap_model_call(
        self, request: ModelRequest[Any], handler: Callable[[ModelRequest[Any]], Awaitable[Any]]
    ) -> Any:
        """Fit a call, send it, learn from what the provider counted."""
        request, held = self._instructed(request), _held_by_server(request)
        if held:
            self.window.fit_request({"messages": request.messages, **held})
            return await handler(request)

        async def send(fitted: Fitted) -> Told:
            return _told(await handler(request.override(messages=fitted.messages)))

        return (await self.window.acall(send, request.messages, **_beside_messages(request))).answer

    def _instructed(self, request: ModelRequest[Any]) -> ModelRequest[Any]:
        system = request.system_message
        content = instructed(system.content if system else None, self.window.instructions())
        message = system.model_copy(update={"content": content}) if system else SystemMessage(content)
        return request.override(system_message=message)


class FitEdit:
    """
    An edit for LangChain's own ``ContextEditingMiddleware(edits=[FitEdit(window)])``.

    It is shown neither system message nor tools: leave room for them in the budget, and put
    ``window.instructions()`` into the system prompt.
    """

    def __init__(self, window: Window) -> None:
        self.window = window

    def apply(self, messages: list[AnyMessage], *, count_tokens: object) -> None:
        """Fit a list in place: a copy, which the middleware has made."""
        messages[:] = self.window.fit(messages).messages


def _told(response: Any) -> Told:
    """Return a handler's response, which may be one message, with the usage of its last message that has one."""
    inner = getattr(response, "model_response", response)  # of a response that also commands the state
    messages = getattr(inner, "result", [inner])
    usages = (getattr(message, "usage_metadata", None) for message in reversed(messages))
    return Told(response, next(filter(None, usages), None))


def _held_by_server(request: ModelRequest[Any]) -> Mapping[str, Any]:
    """Return the settings by which a provider continues a history of its own."""
    settings = {"previous_response_id": getattr(request.model, "use_previous_response_id", None)}
    return {key: value for key, value in (settings | request.model_settings).items() if key in _SERVER and value}


def _beside_messages(request: ModelRequest[Any]) -> dict[str, Any]:
    tools = [convert_to_openai_tool(tool) for tool in request.tools]
    return {"system": request.system_message.content, "tools": tools}
