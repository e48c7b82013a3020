"""
The google-genai SDK: ``client = wrap(genai.Client(), window)``, and what its models are asked is fitted.

``models.generate_content`` and its stream, chats, automatic function calling, and ``aio`` likewise: all of them
meet in the two methods that send one request.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator
from functools import partial
from typing import Any, Final, TypeVar

from longturn import sending
from longturn.formats.base import get, replaced
from longturn.window import Window

T = TypeVar("T")

_FORMAT: Final = "gemini"
_WHOLE, _STREAM = "_generate_content", "_generate_content_stream"


def wrap(client: T, window: Window) -> T:
    """
    Fit what ``client`` sends to ``window``, and return it: the same client, changed.

    Requests on top of ``cached_content`` pass through, with one warning.

    Raises:
        TypeError: ``client`` is no client of the google-genai SDK, or of a version that works otherwise.
    """
    models, amodels = get(client, "models"), get(get(client, "aio"), "models")
    if not all(hasattr(one, name) for one in (models, amodels) for name in (_WHOLE, _STREAM)):
        raise TypeError(
            f"client must be a genai.Client of google-genai 2 to 4 (got {type(client).__name__}); "
            "elsewhere fit the contents: generate_content(contents=window.fit(contents).messages)"
        )
    setattr(models, _WHOLE, partial(_whole, window, getattr(models, _WHOLE)))
    setattr(models, _STREAM, partial(_stream, window, getattr(models, _STREAM)))
    setattr(amodels, _WHOLE, partial(_awhole, window, getattr(amodels, _WHOLE)))
    setattr(amodels, _STREAM, partial(_astream, window, getattr(amodels, _STREAM)))
    return client


def _whole(window: Window, send: Callable[..., Any], **request: Any) -> Any:
    return sending.call(window, _body(request), _FORMAT, lambda body: send(**_request(request, body)))


def _stream(window: Window, send: Callable[..., Any], **request: Any) -> Iterator[Any]:
    return sending.stream(window, _body(request), _FORMAT, lambda body: send(**_request(request, body)))


async def _awhole(window: Window, send: Callable[..., Any], **request: Any) -> Any:
    return await sending.acall(window, _body(request), _FORMAT, lambda body: send(**_request(request, body)))


async def _astream(window: Window, send: Callable[..., Any], **request: Any) -> AsyncIterator[Any]:
    return sending.astream(window, _body(request), _FORMAT, lambda body: send(**_request(request, body)))


def _body(request: dict[str, Any]) -> dict[str, Any]:
    """Return a request as a body; what is one turn in one of the SDK's short forms is no history to fit."""
    config = request.get("config")
    return {
        "contents": request["contents"] if _is_history(request["contents"]) else "",
        "system_instruction": get(config, "system_instruction"),
        "tools": get(config, "tools"),
        "cached_content": get(config, "cached_content"),
    }


def _request(request: dict[str, Any], body: dict[str, Any]) -> dict[str, Any]:
    """Return the SDK's request with what was made of its body."""
    contents = request["contents"]
    return {
        **request,
        "contents": body["contents"] if _is_history(contents) else contents,
        "config": replaced(request.get("config") or {}, system_instruction=body["system_instruction"]),
    }


def _is_history(contents: Any) -> bool:
    return isinstance(contents, list) and all(get(one, "parts") is not None for one in contents)
