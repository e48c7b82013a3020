"""
LiteLLM: ``completion = wrap(litellm.completion, window)``, or ``litellm.callbacks = [callback(window)]``.

``wrap`` takes any of ``completion``, ``acompletion``, ``responses``, ``aresponses`` and their namesakes of a
``Router``.  The callback fits what goes through ``acompletion``, a ``Router``'s asynchronous methods and the proxy,
Anthropic's ``/v1/messages`` included; LiteLLM does not ask it about synchronous calls, for which there is ``wrap``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import wraps
from inspect import iscoroutinefunction
from typing import Any, Final

from litellm.integrations.custom_logger import CustomLogger

from longturn import sending
from longturn.window import Window

_FORMATS: Final = {
    "completion": "openai-chat",
    "acompletion": "openai-chat",
    "responses": "openai-responses",
    "aresponses": "openai-responses",
    "anthropic_messages": "anthropic",
    "aanthropic_messages": "anthropic",
}
"""By the names that LiteLLM has for kinds of calls; all others, embeddings among them, hold no history."""

_POSITIONAL: Final = {"openai-chat": ("model", "messages"), "openai-responses": ("input", "model")}


def wrap(complete: Callable[..., Any], window: Window) -> Callable[..., Any]:
    """
    Return one of LiteLLM's functions, sync or async, that fits what it is asked to send to ``window``.

    Raises:
        TypeError: ``complete`` is none of them.
    """
    format = _FORMATS.get(getattr(complete, "__name__", ""))
    if format not in _POSITIONAL:
        raise TypeError(f"complete must be LiteLLM's or a Router's (a)completion or (a)responses (got {complete!r})")
    names = _POSITIONAL[format]

    @wraps(complete)
    def fitting(*args: Any, **kwargs: Any) -> Any:
        body = {**dict(zip(names, args, strict=False)), **kwargs}
        return sending.call(window, body, format, lambda to_send: _shown(complete(**to_send)))

    @wraps(complete)
    async def afitting(*args: Any, **kwargs: Any) -> Any:
        async def post(to_send: dict[str, Any]) -> Any:
            return _shown(await complete(**to_send))

        return await sending.acall(window, {**dict(zip(names, args, strict=False)), **kwargs}, format, post)

    return afitting if iscoroutinefunction(complete) else fitting


def callback(window: Window) -> CustomLogger:
    """Return a callback that fits asynchronous calls, and the proxy's, to ``window``, and learns from them."""
    return _Fitting(window)


class _Fitting(CustomLogger):
    """
    Fits; LiteLLM sends.

    After an overflow the next request is tighter, also the one that a ``Router`` or ``num_retries`` makes of it.
    """

    def __init__(self, window: Window) -> None:
        super().__init__()
        self._window = window

    async def async_pre_call_hook(
        self, user_api_key_dict: Any, cache: Any, data: dict[str, Any], call_type: Any
    ) -> dict[str, Any]:
        return self._prepared(data, call_type)

    async def async_pre_call_deployment_hook(self, kwargs: dict[str, Any], call_type: Any) -> dict[str, Any]:
        return self._prepared(kwargs, call_type)

    async def async_post_call_success_deployment_hook(
        self, request_data: dict[str, Any], response: Any, call_type: Any
    ) -> None:
        self._observe(request_data, call_type, response)

    async def async_log_success_event(
        self, kwargs: dict[str, Any], response_obj: Any, start_time: Any, end_time: Any
    ) -> None:
        """Learn from a stream, which is told of here only, and only if the count in it is the provider's."""
        options = kwargs.get("optional_params") or {}
        if (options.get("stream_options") or {}).get("include_usage"):
            self._observe({**options, "messages": kwargs["input"]}, kwargs["call_type"], response_obj)

    async def async_post_call_failure_deployment_hook(
        self, request_data: Mapping[str, Any], exception: Exception, call_type: Any, **_: Any
    ) -> None:
        self._observe(request_data, call_type, exception)

    def _prepared(self, body: dict[str, Any], call_type: Any) -> dict[str, Any]:
        format = _format(call_type)
        return body if format is None else sending.prepared(self._window, body, format)

    def _observe(self, sent: Mapping[str, Any], call_type: Any, outcome: Any) -> None:
        if _format(call_type) is not None:
            sending.observe(self._window, sent, outcome)


def _format(call_type: Any) -> str | None:
    return _FORMATS.get(getattr(call_type, "value", call_type))


def _shown(answer: Any) -> Any:
    """Return an answer as it is, and a stream so that it can be watched."""
    return sending.Watchable(answer) if hasattr(answer, "__next__") or hasattr(answer, "__anext__") else answer
