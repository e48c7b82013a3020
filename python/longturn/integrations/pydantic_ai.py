"""
Pydantic AI: ``Agent(model, capabilities=[FitRequests(Window(150_000))])``.

Only what is sent is fitted; the run's message history keeps every message.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from pydantic_ai.capabilities import AbstractCapability
from pydantic_ai.exceptions import RetryModelRequest

from longturn.tokens.usage import reported
from longturn.window import Window

if TYPE_CHECKING:
    from pydantic_ai import RunContext
    from pydantic_ai.messages import ModelResponse
    from pydantic_ai.models import ModelRequestContext

    from longturn.calling import Turn
    from longturn.fitted import Fitted

_SERVER = {
    "previous_response_id": "openai_previous_response_id",
    "conversation": "openai_conversation_id",
}


class FitRequests(AbstractCapability[Any]):
    """
    Fits every attempt at a model request, and tells the agent so in its instructions.

    A request refused as too long is fitted tighter and sent once more; ``ConversationTooLong`` comes out
    where that is refused too.
    """

    def __init__(self, window: Window) -> None:
        self.window = window
        self._turn: Turn | None = None
        self._sent: Fitted | None = None
        self._tighter: Fitted | None = None

    async def for_run(self, ctx: RunContext[Any]) -> FitRequests:
        """Return a capability for one run: it remembers what that run sent last."""
        return type(self)(self.window)

    def get_instructions(self) -> str:
        """Return the window's paragraph for the system prompt."""
        return self.window.instructions()

    async def prepare_model_request(
        self, ctx: RunContext[Any], request_context: ModelRequestContext
    ) -> ModelRequestContext:
        """Return the request with fitted messages."""
        request_context = _told_once(request_context, self.window.instructions())
        if self._tighter is None:
            self._turn = _turn(self.window, request_context)
        if self._turn is None:
            return request_context
        self._sent, self._tighter = self._tighter or self._turn.fit(), None
        return replace(request_context, messages=self._sent.messages)

    async def after_model_request(
        self, ctx: RunContext[Any], *, request_context: ModelRequestContext, response: ModelResponse
    ) -> ModelResponse:
        """Learn from what the provider counted."""
        if self._turn is not None and self._sent is not None:
            self._turn.settle(self._sent, reported(response))
        return response

    async def on_model_request_error(
        self, ctx: RunContext[Any], *, request_context: ModelRequestContext, error: Exception
    ) -> ModelResponse:
        """Ask for another attempt, a smaller one, if this one was too long."""
        if self._turn is not None and self._sent is not None:
            self._tighter = self._turn.tighter(self._sent, error)
        if self._tighter is not None:
            raise RetryModelRequest from error
        raise error


def _told_once(request: ModelRequestContext, text: str) -> ModelRequestContext:
    """Return a request without the capability's own part, if the agent's prompt holds the text already."""
    parameters = request.model_request_parameters
    parts = parameters.instruction_parts or []
    own = [part for part in parts if part.content == text]
    prompts = [part for message in request.messages[:1] for part in message.parts if part.part_kind == "system-prompt"]
    is_there = any(text in part.content for part in [*parts, *prompts] if part not in own)
    spare = {id(part) for part in own[0 if is_there else 1 :]}
    if not spare:
        return request
    kept = [part for part in parts if id(part) not in spare]
    return replace(request, model_request_parameters=replace(parameters, instruction_parts=kept))


def _turn(window: Window, request: ModelRequestContext) -> Turn | None:
    """Return how to send a request; None if the provider holds its history."""
    settings, parameters = request.model_settings or {}, request.model_request_parameters
    if held := {key: settings[name] for key, name in _SERVER.items() if settings.get(name)}:
        window.fit_request({"messages": request.messages, **held})  # says so, once
        return None
    system = "\n\n".join(part.content for part in parameters.instruction_parts or [])
    tools = [_declared(tool) for tool in [*parameters.function_tools, *parameters.output_tools]]
    return window._turn(request.messages, system=system, tools=tools)


def _declared(tool: Any) -> dict[str, Any]:
    return {"name": tool.name, "description": tool.description, "parameters": tool.parameters_json_schema}
