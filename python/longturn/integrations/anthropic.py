"""
The Anthropic SDK: ``Anthropic(middleware=[middleware(window)])``, and every message request is fitted.

Whole and streamed, sync and async, the beta tool runner (with ``thread=False``: else the provider holds the
history), and the clients for Bedrock and Vertex.
"""

from __future__ import annotations

from typing import Any

import anthropic

from longturn import sending
from longturn.mirror import Steady
from longturn.window import Window


def middleware(window: Window) -> anthropic.Middleware:
    """Return middleware that fits the message requests of a client, sync or async, to ``window``."""
    return _Fitting(window)


class _Fitting(anthropic.Middleware):
    """Stands inside the SDK's loop of retries: what passes by itself is repeated by the SDK, with the same body."""

    def __init__(self, window: Window) -> None:
        self._window = window
        self._steady: Steady[Any] = Steady()  # the SDK builds its messages anew for every request

    def _body(self, request: Any) -> dict[str, Any]:
        return {**request.json, "messages": self._steady(request.json["messages"])}

    def handle(self, request: Any, call_next: Any) -> Any:
        if not _has_history(request):
            return call_next(request)

        def post(body: dict[str, Any]) -> Any:
            answer = call_next(_with_body(request, body))
            if not answer.http_response.is_success:
                answer.http_response.read()
                raise _Refused(answer)
            return answer

        try:
            return sending.call(
                self._window,
                self._body(request),
                "anthropic",
                post,
                read=lambda answer: answer.parse() if _may_read(request, answer) else answer,
            )
        except _Refused as refused:
            return refused.answer  # which the SDK makes its own error of, or tries again

    async def handle_async(self, request: Any, call_next: Any) -> Any:
        if not _has_history(request):
            return await call_next(request)

        async def post(body: dict[str, Any]) -> Any:
            answer = await call_next(_with_body(request, body))
            if not answer.http_response.is_success:
                await answer.http_response.aread()
                raise _Refused(answer)
            return answer

        try:
            return await sending.acall(
                self._window,
                self._body(request),
                "anthropic",
                post,
                read=lambda answer: answer.parse() if _may_read(request, answer) else answer,
            )
        except _Refused as refused:
            return refused.answer


class _Refused(anthropic.APIStatusError):
    """What the SDK will make of a refusal, which middleware sees as an answer."""

    def __init__(self, answer: Any) -> None:
        response = answer.http_response
        try:
            body = response.json()
        except ValueError:
            body = response.text
        super().__init__(response.text, response=response, body=body)
        self.answer = answer


def _has_history(request: Any) -> bool:
    path = request.url.partition("?")[0]
    return request.method.lower() == "post" and path.endswith("/v1/messages") and isinstance(request.json, dict)


def _with_body(request: Any, body: dict[str, Any]) -> Any:
    """Return a request with another body; the SDK's own way copies the old one, to its last block."""
    return anthropic.APIRequest(
        options=request.options.model_copy(update={"json_data": body}),
        cast_to=request.cast_to,
        stream=request.stream,
        stream_cls=request.stream_cls,
        retries_taken=request.retries_taken,
    )


def _may_read(request: Any, answer: Any) -> bool:
    """Tell whether an answer is read already, or gives a stream; else its caller wants to read it piece by piece."""
    return bool(answer.http_response.is_closed or request.stream)
