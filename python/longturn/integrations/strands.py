"""
Strands Agents: ``agent.add_middleware(InvokeModelStage, fit_calls(Window(150_000)))``.

Only what is sent is fitted; ``agent.messages`` keeps every message.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from typing import TYPE_CHECKING, Any

from longturn.instructing import instructed
from longturn.mirror import Steady, Told
from longturn.window import Window

if TYPE_CHECKING:
    from strands.middleware.stages import InvokeModelContext

    from longturn.fitted import Fitted


def fit_calls(window: Window) -> Callable[..., AsyncIterator[Any]]:
    """
    Return a middleware that fits every model call of an agent, and tells the agent so in its system prompt.

    A request refused as too long is fitted tighter and sent once more; ``ConversationTooLong`` comes out
    where that is refused too.  Models that keep the history themselves are passed through.
    """
    steady: Steady[Any] = Steady()  # the framework copies all messages for every call

    async def fit_call(context: InvokeModelContext, next_fn: Callable[..., AsyncIterator[Any]]) -> AsyncIterator[Any]:
        context = context.replace(system_prompt=instructed(context.system_prompt, window.instructions()))
        if getattr(context.model, "stateful", False):
            window.fit_request({"messages": context.messages, "conversation": True})  # says so, once
            async for event in next_fn(context):
                yield event
            return

        def send(fitted: Fitted) -> AsyncIterator[Told]:
            return _told(next_fn(context.replace(messages=fitted.messages)))

        history, system, tools = steady(context.messages), context.system_prompt, context.tool_specs
        async for told in window.astream(send, history, system=system, tools=tools):
            yield told.answer

    return fit_call


async def _told(events: AsyncIterator[Any]) -> AsyncIterator[Told]:
    """Yield events with the usage that the last one reports."""
    async for event in events:
        yield Told(event, getattr(event, "usage", None))
