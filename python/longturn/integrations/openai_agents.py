"""
OpenAI Agents SDK: ``fit = FitInput(Window(150_000))``, then
``Runner.run(agent, task, run_config=RunConfig(call_model_input_filter=fit), hooks=fit)``.

Only what is sent is fitted; sessions and results keep every item.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

from agents import FunctionTool, RunHooks
from agents.run_config import ModelInputData

from longturn.formats.base import name_of
from longturn.instructing import instructed
from longturn.mirror import Steady
from longturn.window import Window

if TYPE_CHECKING:
    from agents.run_config import CallModelData

    from longturn.fitted import Fitted

_SENT: ContextVar[Fitted | None] = ContextVar("longturn_sent", default=None)
"""What this task's run sent last: runs that share a window are told apart by it."""


class FitInput(RunHooks[Any]):
    """
    Fits the input of every model call, and tells the agent so in its instructions.

    As ``call_model_input_filter`` it fits.  Given as ``hooks`` too, the window also learns from what
    the provider counted.  Runs that continue a conversation on the provider's side pass through.  A filter
    can't send anything again: a refusal stays the SDK's exception, which ``longturn.classify`` reads.
    """

    def __init__(self, window: Window) -> None:
        self.window = window
        self._steady: Steady[Any] = Steady()  # the SDK builds all items anew for every call

    def __call__(self, data: CallModelData[Any]) -> ModelInputData:
        """Return the input to send; the SDK's own list and items are left alone."""
        items, instructions = self._steady(data.model_data.input), data.model_data.instructions
        instructions = instructed(instructions, self.window.instructions())
        body = {"input": items, "instructions": instructions, "tools": _declared(data.agent.tools)}
        if _is_answer_only(items):
            body["conversation"] = True
        fitted = self.window.fit_request(body)
        _SENT.set(fitted if any(map(_is_models, items)) else None)
        return ModelInputData(input=fitted.messages, instructions=instructions)

    async def on_llm_end(self, context: Any, agent: Any, response: Any) -> None:
        """Learn from a response, whole or streamed."""
        if (fitted := _SENT.get()) is not None:
            self.window.observe(fitted, response.usage)


def _is_models(item: Mapping[str, Any]) -> bool:
    return name_of(item, "role") == "assistant" or not (name_of(item, "role") or _is_output(item))


def _is_output(item: Mapping[str, Any]) -> bool:
    return (name_of(item, "type") or "").endswith("_output")


def _is_answer_only(items: Sequence[Mapping[str, Any]]) -> bool:
    """Tell whether results are sent without their calls: the provider holds those."""
    return any(map(_is_output, items)) and not any(map(_is_models, items))


def _declared(tools: Sequence[Any]) -> list[dict[str, Any]]:
    return [
        {"type": "function", "name": tool.name, "description": tool.description, "parameters": tool.params_json_schema}
        for tool in tools
        if isinstance(tool, FunctionTool)
    ]
