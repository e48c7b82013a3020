"""
OpenAI Agents SDK: ``Runner.run(agent, task, run_config=RunConfig(model_provider=FitProvider(Window(150_000))))``.

Only what is sent is fitted; sessions and results keep every item.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from typing import Any, Final

from agents import FunctionTool, Handoff, Model, ModelProvider, MultiProvider

from longturn import sending
from longturn.mirror import Steady
from longturn.window import Window


class FitProvider(ModelProvider):
    """
    Fits every model call of a run's agents, and tells them so in their instructions.

    It gives the models of another provider, the SDK's own unless one is given, to agents that name their model.
    An agent that holds its model as an object asks no provider: give it ``fit_model(model, window)``.
    A request refused as too long is fitted tighter and sent once more; ``ConversationTooLong`` comes out where
    that is refused too.  Runs that continue a conversation on the provider's side pass through.
    """

    def __init__(self, window: Window, provider: ModelProvider | None = None) -> None:
        self.window = window
        self._provider: Final = provider or MultiProvider()
        self._steady: Final[Steady[Any]] = Steady()

    def get_model(self, model_name: str | None) -> Model:
        """Return a model of the other provider, fitted."""
        return _FittedModel(self._provider.get_model(model_name), self.window, self._steady)

    async def aclose(self) -> None:
        """Close the other provider."""
        await self._provider.aclose()


def fit_model(model: Model, window: Window) -> Model:
    """Return a model that does for one agent what ``FitProvider`` does for all; the given one stays as it is."""
    return _FittedModel(model, window, Steady())


class _FittedModel(Model):
    """What is not about a request, it asks the model that it stands for."""

    def __init__(self, model: Model, window: Window, steady: Steady[Any]) -> None:
        self._model, self._window = model, window
        self._steady: Final = steady  # the SDK builds all items anew for every call

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or name == "_model":  # asked for by copies that are not made yet
            raise AttributeError(name)
        return getattr(self._model, name)

    async def get_response(self, *args: Any, **options: Any) -> Any:
        request = {**dict(zip(_POSITIONAL, args, strict=False)), **options}

        async def post(body: Mapping[str, Any]) -> Any:
            return await self._model.get_response(**_request(request, body))

        return await sending.acall(self._window, self._body(request), _FORMAT, post)

    def stream_response(self, *args: Any, **options: Any) -> AsyncIterator[Any]:
        request = {**dict(zip(_POSITIONAL, args, strict=False)), **options}

        def post(body: Mapping[str, Any]) -> Any:
            return self._model.stream_response(**_request(request, body))

        return sending.astream(self._window, self._body(request), _FORMAT, post)

    def get_retry_advice(self, request: Any) -> Any:
        return self._model.get_retry_advice(request)

    async def close(self) -> None:
        await self._model.close()

    async def _cleanup_on_run_end(self, owner: object) -> None:
        await self._model._cleanup_on_run_end(owner)

    def _body(self, request: Mapping[str, Any]) -> dict[str, Any]:
        given = request["input"]
        return {
            "input": given if isinstance(given, str) else self._steady(given),
            "instructions": request["system_instructions"],
            "tools": [_declared(tool) for tool in [*request["tools"], *request["handoffs"]]],
            "previous_response_id": request.get("previous_response_id"),
            "conversation": request.get("conversation_id"),
        }


_FORMAT: Final = "openai-responses"
_POSITIONAL: Final = ("system_instructions", "input", "model_settings", "tools", "output_schema", "handoffs", "tracing")


def _request(request: Mapping[str, Any], body: Mapping[str, Any]) -> dict[str, Any]:
    """Return a model's arguments with what was made of their body."""
    return {**request, "input": body["input"], "system_instructions": body["instructions"]}


def _declared(tool: Any) -> dict[str, Any]:
    """Return what is read of a tool; hosted ones are known to the provider alone."""
    if isinstance(tool, Handoff):
        return _function(tool.tool_name, tool.tool_description, tool.input_json_schema)
    if isinstance(tool, FunctionTool):
        return _function(tool.name, tool.description, tool.params_json_schema)
    return {"type": tool.name}


def _function(name: str, description: str, parameters: Any) -> dict[str, Any]:
    return {"type": "function", "name": name, "description": description, "parameters": parameters}
