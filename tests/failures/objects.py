"""Errors and answers as SDKs hold them, without an SDK."""

from __future__ import annotations

import json
from collections.abc import Mapping
from types import SimpleNamespace
from typing import Any


class Response:
    """What httpx, requests and the like have in common."""

    def __init__(self, status: int, body: object, headers: Mapping[str, str] | None = None) -> None:
        self.status_code = status
        self.headers = dict(headers or {})
        self.text = body if isinstance(body, str) else json.dumps(body, ensure_ascii=False)

    def json(self) -> object:
        return json.loads(self.text)


class Refused(Exception):
    """An SDK's exception: attributes, and a string that says less than they do."""

    def __init__(self, shown: str = "Error code: 400", **attributes: Any) -> None:
        super().__init__(shown)
        for name, value in attributes.items():
            setattr(self, name, value)


def said(text: str, status: int | None = 400) -> list[object]:
    """Return one refusal in every form: response, exceptions of three SDKs, exception that is all text."""
    body = {"error": {"message": text}}
    if status is None:
        return [RuntimeError(text), body, json.dumps(body)]
    response = Response(status, body)
    return [
        response,
        Refused(f"Error code: {status}", status_code=status, body=body["error"], response=response),
        Refused(text, code=status, status="", message=text, details=body),
        Refused(text, response={"Error": {"Message": text}, "ResponseMetadata": {"HTTPStatusCode": status}}),
    ]


def chat(finish: str | None = "stop", text: str = "All done.", **usage: int) -> SimpleNamespace:
    """Return an answer of Chat Completions as the SDK gives it."""
    message = SimpleNamespace(role="assistant", content=text, tool_calls=None)
    choice = SimpleNamespace(index=0, finish_reason=finish, message=message)
    return SimpleNamespace(id="1", object="chat.completion", choices=[choice], usage=SimpleNamespace(**usage))
