"""
Pydantic AI: ``Agent(model, capabilities=[FitRequests(Window(150_000))])``.

Only what is sent is fitted; the run's message history keeps every message.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from pydantic_ai.capabilities import AbstractCapability

from longturn.window import Window

if TYPE_CHECKING:
    from pydantic_ai import RunContext
    from pydantic_ai.messages import ModelResponse
    from pydantic_ai.models import ModelRequestContext

    from longturn.fitted import Fitted

_SERVER_SETTINGS = {
    "previous_response_id": "openai_previous_response_id",
    "conversation": "openai_conversation_id",
}


class FitRequests(AbstractCapability[Any]):
    """Fits every attempt at a model request, and tells the agent so in its instructions."""

    def __init__(self, window: Window) -> None:
        self.window = window
        self._sent: Fitted | None = None

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
        self._sent = self.window.fit_request(_body(request_context))
        return replace(request_context, messages=self._sent.messages)

    async def after_model_request(
        self, ctx: RunContext[Any], *, request_context: ModelRequestContext, response: ModelResponse
    ) -> ModelResponse:
        """Learn from what the provider counted."""
        if self._sent is not None:
            self.window.observe(self._sent, response.usage)
        return response


def _body(request: ModelRequestContext) -> dict[str, Any]:
    parameters = request.model_request_parameters
    settings: Mapping[str, Any] = request.model_settings or {}
    tools = [*parameters.function_tools, *parameters.output_tools]
    return {
        "messages": request.messages,
        "system": "\n\n".join(part.content for part in parameters.instruction_parts or []),
        "tools": [_declared(tool) for tool in tools],
        **{key: settings[name] for key, name in _SERVER_SETTINGS.items() if settings.get(name)},
    }


def _declared(tool: Any) -> dict[str, Any]:
    return {"name": tool.name, "description": tool.description, "parameters": tool.parameters_json_schema}
