"""
The OpenAI SDK: ``client = wrap(OpenAI(), window)``, and everything it sends is fitted.

Chat Completions and Responses, whole, parsed and streamed, sync and async, also Azure's clients, ``with_options``,
``with_raw_response``, and any framework that takes a client.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import wraps
from inspect import iscoroutinefunction
from typing import Any, Final, TypeVar

from longturn import sending
from longturn.window import Window

T = TypeVar("T")

_HISTORIES: Final = {"openai-chat": "messages", "openai-responses": "input"}


def wrap(client: T, window: Window) -> T:
    """
    Return a client like ``client``, over the same connections, whose requests are fitted to ``window``.

    The given one stays as it is.  Requests that continue what the provider holds (``previous_response_id``,
    ``conversation``) pass through, with one warning.

    Raises:
        TypeError: ``client`` is no client of the OpenAI SDK.
    """
    if not (hasattr(client, "chat") and hasattr(client, "with_options")):
        raise TypeError(f"client must be one of the OpenAI SDK's clients (got {type(client).__name__})")
    return _fitting(client.with_options(), window)  # type: ignore[no-any-return]


def _fitting(client: Any, window: Window) -> Any:
    """Fit what a fresh client sends: its resources are made once, on first use, and the others call these two."""
    fitted = _afitted if iscoroutinefunction(client.post) else _fitted
    for resource, format in ((client.chat.completions, "openai-chat"), (client.responses, "openai-responses")):
        for name in ("create", "parse"):
            setattr(resource, name, fitted(getattr(resource, name), window, format))
    client.copy = client.with_options = _copying(client.copy, window)
    return client


def _copying(copy: Callable[..., Any], window: Window) -> Callable[..., Any]:
    @wraps(copy)
    def fitting_copy(*args: Any, **kwargs: Any) -> Any:
        return _fitting(copy(*args, **kwargs), window)

    return fitting_copy


def _fitted(create: Callable[..., Any], window: Window, format: str) -> Callable[..., Any]:
    """Return a resource's method that fits what it is asked to send."""

    @wraps(create)
    def fitting(**body: Any) -> Any:
        return sending.call(
            window, _listed(body, format), format, lambda to_send: create(**to_send), read=_reader(body)
        )

    return fitting


def _afitted(create: Callable[..., Any], window: Window, format: str) -> Callable[..., Any]:
    @wraps(create)
    async def fitting(**body: Any) -> Any:
        return await sending.acall(
            window, _listed(body, format), format, lambda to_send: create(**to_send), read=_reader(body)
        )

    return fitting


def _listed(body: Mapping[str, Any], format: str) -> Mapping[str, Any]:
    """Return the arguments with a history that is any iterable made a list, as the SDK would."""
    key = _HISTORIES[format]
    history = body.get(key)
    if isinstance(history, (str, list)) or not isinstance(history, Iterable):
        return body
    return {**body, key: list(history)}


def _reader(body: Mapping[str, Any]) -> Callable[[Any], Any]:
    """Return what takes a raw answer apart; one that its caller will stream is left alone."""

    def read(answer: Any) -> Any:
        response = getattr(answer, "http_response", None)
        if response is None or not (response.is_closed or body.get("stream")):
            return answer
        return answer.parse()

    return read
