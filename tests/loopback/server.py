"""The server: plays a script, and keeps what it was sent."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from threading import Lock
from typing import Any, Self

from pytest_httpserver import HTTPServer
from werkzeug import Request as HTTPRequest
from werkzeug import Response

from longturn.wording import is_cleared_note
from loopback.anthropic import Anthropic
from loopback.bedrock import Bedrock
from loopback.gemini import Gemini
from loopback.openai_chat import OpenAIChat
from loopback.openai_responses import OpenAIResponses
from loopback.protocol import Asked, Protocol, Result, Turn
from loopback.replies import Answer, Raw, Refusal, Reply, TooLong, Usage

PROTOCOLS: tuple[Protocol, ...] = (OpenAIChat(), OpenAIResponses(), Anthropic(), Gemini(), Bedrock())

KEY = "placeholder"


@dataclass(frozen=True, slots=True)
class Request:
    """What was sent, read by its protocol."""

    number: int
    path: str
    headers: Mapping[str, str]
    body: dict[str, Any]
    protocol: Protocol

    @property
    def messages(self) -> list[Any]:
        """The history in it; a bare text counts as a list of one."""
        found = self.body[self.protocol.history]
        return found if isinstance(found, list) else [found]

    @property
    def is_streamed(self) -> bool:
        return self.protocol.streams(self.path, self.body)

    @property
    def system(self) -> list[str]:
        """The texts of the system prompt."""
        return self.protocol.system(self.body)

    @property
    def tools(self) -> list[str]:
        """The names of the tools that it declares."""
        return self.protocol.tools(self.body)

    @property
    def results(self) -> list[Result]:
        return self.protocol.results(self.body)

    @property
    def whole(self) -> list[Result]:
        """The tool results that are as their tools gave them."""
        return [result for result in self.results if not is_cleared_note(result.text)]

    @property
    def cleared(self) -> list[Result]:
        """The tool results that a note stands for."""
        return [result for result in self.results if is_cleared_note(result.text)]

    def occurrences(self, text: str) -> int:
        """Return how often a text stands anywhere in the body."""
        return sum(one.count(text) for one in strings(self.body))

    def tokens(self, characters_per_token: float = 4) -> int:
        """Return the size of what the model reads: the characters of all texts, divided; at least 1."""
        return max(1, int(sum(map(len, strings(self.body))) / characters_per_token))


Script = Sequence[Reply] | Callable[[Request], Reply]


class Loopback:
    """A provider on 127.0.0.1 for tests; see the package's docstring."""

    def __init__(self) -> None:
        self.requests: list[Request] = []
        """Everything that was sent since the script began, refused requests included."""
        self._server = HTTPServer(host="127.0.0.1", port=0, threaded=True)
        self._server.expect_request(re.compile(".*")).respond_with_handler(self._respond)
        self._lock = Lock()
        self.play([])

    def __enter__(self) -> Self:
        self._server.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.stop()

    @property
    def url(self) -> str:
        """Without a path: OpenAI's clients want ``/v1`` behind it."""
        return f"http://127.0.0.1:{self._server.port}"

    def play(self, script: Script, *, limit: int | None = None, characters_per_token: float = 4) -> None:
        """
        Begin a script: replies in their order, or what a function makes of each request.

        Requests of more than ``limit`` tokens are refused as too long, and use up no reply of the script.
        """
        self._script = script
        self._replies = iter(script) if not callable(script) else iter(())
        self._limit = limit
        self._rate = characters_per_token
        self._calls = 0
        self.requests.clear()

    def environment(self) -> dict[str, str]:
        """Return the variables that point every SDK here."""
        return {
            "ANTHROPIC_BASE_URL": self.url,
            "ANTHROPIC_API_KEY": KEY,
            "OPENAI_BASE_URL": f"{self.url}/v1",
            "OPENAI_API_BASE": f"{self.url}/v1",
            "OPENAI_API_KEY": KEY,
            "GOOGLE_GEMINI_BASE_URL": self.url,
            "GEMINI_API_KEY": KEY,
            "AWS_ENDPOINT_URL_BEDROCK_RUNTIME": self.url,
            "AWS_ACCESS_KEY_ID": KEY,
            "AWS_SECRET_ACCESS_KEY": KEY,
            "AWS_DEFAULT_REGION": "us-east-1",
            "LITELLM_LOCAL_MODEL_COST_MAP": "True",  # or it is fetched when LiteLLM is imported
            "NO_PROXY": "127.0.0.1,localhost",
            "no_proxy": "127.0.0.1,localhost",
        }

    def check(self) -> None:
        """Raise what went wrong inside the server, which its clients only see as a failure of HTTP."""
        self._server.check_handler_errors()

    def _respond(self, http: HTTPRequest) -> Response:
        protocol = next((one for one in PROTOCOLS if one.owns(http.path)), None)
        if protocol is None or http.method != "POST":
            return _json(404, {"error": {"message": f"nothing is played at {http.method} {http.path}"}})
        body = json.loads(http.get_data())
        with self._lock:
            request = Request(len(self.requests), http.path, dict(http.headers), body, protocol)
            self.requests.append(request)
            reply = self._reply(request)
            if isinstance(reply, TooLong):
                reply = protocol.too_long(reply)
            if isinstance(reply, Refusal):
                return _json(reply.status, reply.body, reply.headers)
            if isinstance(reply, Raw):
                return Response(reply.content, content_type=reply.media_type)
            turn = self._turn(request, reply)
        if request.is_streamed:
            return Response(protocol.stream(turn), content_type=protocol.media_type)
        return _json(200, protocol.whole(turn))

    def _reply(self, request: Request) -> Reply:
        tokens = request.tokens(self._rate)
        if self._limit is not None and tokens > self._limit:
            return TooLong(tokens, self._limit)
        if callable(self._script):
            return self._script(request)
        return next(self._replies, Refusal(400, {"error": {"message": "the script has ended"}}))

    def _turn(self, request: Request, answer: Answer) -> Turn:
        calls = [
            Asked(call.id or self._new_id(), call.name or request.tools[0], call.arguments) for call in answer.calls
        ]
        return Turn(
            number=request.number,
            model=request.protocol.model(request.path, request.body),
            answer=answer,
            calls=tuple(calls),
            usage=answer.usage or Usage(input=request.tokens(self._rate)),
            body=request.body,
        )

    def _new_id(self) -> str:
        self._calls += 1
        return f"call_{self._calls}"


def strings(value: Any) -> Iterator[str]:
    """Yield every text in a JSON value, keys apart."""
    if isinstance(value, str):
        yield value
    for inner in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from strings(inner)


def _json(status: int, body: Any, headers: Mapping[str, str] | None = None) -> Response:
    data = body if isinstance(body, (str, bytes)) else json.dumps(body)
    return Response(data, status, dict(headers or {}), content_type="application/json")
