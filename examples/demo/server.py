"""
A provider on the loopback interface, in the shape of Anthropic's Messages API.

It counts every request with a real tokenizer and refuses what is over the model's limit, with that
provider's status and error body.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import TYPE_CHECKING, Any

from scripted import Script, answer

if TYPE_CHECKING:
    from counter import Counter


class Provider(ThreadingHTTPServer):
    """Serves one scripted model."""

    daemon_threads = True

    def __init__(self, script: Script, counter: Counter) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self._script = script
        self._counter = counter

    @property
    def address(self) -> tuple[str, int]:
        """Host and port."""
        return "127.0.0.1", self.server_port

    def handle_request_body(self, body: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        """Return status and body of the answer to one request."""
        tokens, limit = self._counter.request(body), self._script.limit
        if tokens > limit:
            return 400, _error("invalid_request_error", f"prompt is too long: {tokens} tokens > {limit} maximum")
        return 200, self._message(body["model"], answer(body, self._script), tokens)

    def _message(self, model: str, content: list[dict[str, Any]], tokens: int) -> dict[str, Any]:
        calls = content[-1]["type"] == "tool_use"
        return {
            "id": "msg_demo",
            "type": "message",
            "role": "assistant",
            "model": model,
            "content": content,
            "stop_reason": "tool_use" if calls else "end_turn",
            "stop_sequence": None,
            "usage": {"input_tokens": tokens, "output_tokens": self._counter.text(json.dumps(content))},
        }


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"  # one connection for all requests of an agent
    server: Provider

    def do_POST(self) -> None:
        raw = self.rfile.read(int(self.headers["content-length"]))
        status, reply = self.server.handle_request_body(json.loads(raw))
        data = json.dumps(reply).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing: the report is what counts."""


def _error(kind: str, message: str) -> dict[str, Any]:
    return {"type": "error", "error": {"type": kind, "message": message}, "request_id": "req_demo"}


@contextmanager
def serving(script: Script, counter: Counter) -> Iterator[Provider]:
    """Run a provider for the length of a ``with`` block."""
    with Provider(script, counter) as provider:
        thread = Thread(target=provider.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
        thread.start()
        try:
            yield provider
        finally:
            provider.shutdown()
            thread.join()
