"""
Google ADK: ``App(name="reader", root_agent=agent, plugins=[FitPlugin(Window(150_000))])``.

Only what is sent is fitted; the session keeps every event.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from google.adk.plugins.base_plugin import BasePlugin

from longturn.instructing import instructed
from longturn.mirror import Steady
from longturn.tokens.usage import reported
from longturn.window import Window

if TYPE_CHECKING:
    from google.adk.agents.callback_context import CallbackContext
    from google.adk.models import LlmRequest, LlmResponse
    from google.genai.types import Content

    from longturn.fitted import Fitted


class FitPlugin(BasePlugin):
    """
    Fits every model call of an app's agents, and tells them so in their system instruction.

    A plugin can't send anything again: a refusal stays the SDK's exception, which ``longturn.classify`` reads;
    what is sent after it is smaller.  Calls that continue an interaction on the provider's side pass through.
    """

    def __init__(self, window: Window, name: str = "longturn") -> None:
        super().__init__(name=name)
        self.window = window
        self._steady: Steady[Content] = Steady()
        self._sent: dict[tuple[str, str], Fitted] = {}

    async def before_model_callback(self, *, callback_context: CallbackContext, llm_request: LlmRequest) -> None:
        """Exchange the contents of a request for fitted ones."""
        config = llm_request.config
        config.system_instruction = instructed(config.system_instruction, self.window.instructions())
        fitted = self.window.fit_request(
            {
                "contents": self._steady(llm_request.contents),
                "system_instruction": config.system_instruction,
                "tools": [_declared(tool) for tool in config.tools or []],
                "previous_interaction_id": llm_request.previous_interaction_id,
            }
        )
        llm_request.contents = fitted.messages
        self._sent[_key(callback_context)] = fitted

    async def after_model_callback(self, *, callback_context: CallbackContext, llm_response: LlmResponse) -> None:
        """Learn from what the provider counted, in a whole answer or in the last piece of a streamed one."""
        if not llm_response.partial and (fitted := self._sent.get(_key(callback_context))) is not None:
            self.window.observe(fitted, reported(llm_response))

    async def on_model_error_callback(
        self, *, callback_context: CallbackContext, llm_request: LlmRequest, error: Exception
    ) -> None:
        """Learn from a refusal; the error stays."""
        if (fitted := self._sent.get(_key(callback_context))) is not None:
            self.window.observe(fitted, error)

    async def after_run_callback(self, *, invocation_context: Any) -> None:
        """Forget what a run has sent."""
        ended = [key for key in self._sent if key[0] == invocation_context.invocation_id]
        for key in ended:
            self._sent.pop(key, None)


def _key(context: CallbackContext) -> tuple[str, str]:
    return context.invocation_id, context.agent_name


def _declared(tool: Any) -> Any:
    return tool.model_dump(mode="json", exclude_none=True) if hasattr(tool, "model_dump") else tool
