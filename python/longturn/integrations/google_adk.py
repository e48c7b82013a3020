"""
Google ADK: ``App(name="reader", root_agent=agent, plugins=[FitPlugin(Window(150_000))])``.

Only what is sent is fitted; the session keeps every event.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from google.adk.plugins.base_plugin import BasePlugin

from longturn.calling import ConversationTooLong
from longturn.instructing import instructed
from longturn.mirror import Steady
from longturn.tokens.usage import reported
from longturn.window import Window

if TYPE_CHECKING:
    from google.adk.agents.callback_context import CallbackContext
    from google.adk.models import LlmRequest, LlmResponse
    from google.genai.types import Content

    from longturn.calling import Turn
    from longturn.fitted import Fitted


class FitPlugin(BasePlugin):
    """
    Fits every model call of an app's agents, and tells them so in their system instruction.

    A request refused as too long is fitted tighter and sent once more, its answer in one piece.  Where that is
    refused too, the error stays the SDK's, which ``longturn.classify`` reads: what a plugin raises would come out
    as a ``RuntimeError``.  Calls that continue an interaction on the provider's side pass through.
    """

    def __init__(self, window: Window, name: str = "longturn") -> None:
        super().__init__(name=name)
        self.window = window
        self._steady: Steady[Content] = Steady()
        self._sent: dict[tuple[str, str], tuple[Turn, Fitted]] = {}

    async def before_model_callback(self, *, callback_context: CallbackContext, llm_request: LlmRequest) -> None:
        """Exchange the contents of a request for fitted ones."""
        config = llm_request.config
        config.system_instruction = instructed(config.system_instruction, self.window.instructions())
        if held := llm_request.previous_interaction_id:
            self.window.fit_request({"contents": [], "previous_interaction_id": held})  # says so, once
            self._sent.pop(_key(callback_context), None)  # its answer is not one to a request before it
            return
        contents, tools = self._steady(llm_request.contents), [_declared(tool) for tool in config.tools or []]
        turn = self.window._turn(contents, system=config.system_instruction, tools=tools)
        self._send(callback_context, llm_request, turn, turn.first())

    async def after_model_callback(self, *, callback_context: CallbackContext, llm_response: LlmResponse) -> None:
        """Learn from what the provider counted, in a whole answer or in the last piece of a streamed one."""
        if not llm_response.partial and (sent := self._sent.get(_key(callback_context))) is not None:
            turn, fitted = sent
            turn.settle(fitted, reported(llm_response))

    async def on_model_error_callback(
        self, *, callback_context: CallbackContext, llm_request: LlmRequest, error: Exception
    ) -> LlmResponse | None:
        """Return the answer to a tighter request; None where the error stays."""
        if (sent := self._sent.get(_key(callback_context))) is None:
            return None
        turn, fitted = sent
        try:
            if (tighter := turn.tighter(fitted, error)) is None:
                return None
            self._send(callback_context, llm_request, turn, tighter)
            return await _answer(callback_context, llm_request, turn, tighter)
        except ConversationTooLong:
            return None

    def _send(self, context: CallbackContext, request: LlmRequest, turn: Turn, fitted: Fitted) -> None:
        request.contents = fitted.messages
        self._sent[_key(context)] = turn, fitted

    async def after_run_callback(self, *, invocation_context: Any) -> None:
        """Forget what a run has sent."""
        ended = [key for key in self._sent if key[0] == invocation_context.invocation_id]
        for key in ended:
            self._sent.pop(key, None)


async def _answer(context: CallbackContext, request: LlmRequest, turn: Turn, fitted: Fitted) -> LlmResponse:
    """Ask the agent's model, past the callbacks: the answer will go through those that follow one."""
    agent: Any = context.get_invocation_context().agent
    try:
        pieces = [piece async for piece in agent.canonical_model.generate_content_async(request, stream=False)]
    except Exception as error:
        turn.tighter(fitted, error)
        raise
    return pieces[-1]


def _key(context: CallbackContext) -> tuple[str, str]:
    return context.invocation_id, context.agent_name


def _declared(tool: Any) -> Any:
    return tool.model_dump(mode="json", exclude_none=True) if hasattr(tool, "model_dump") else tool
