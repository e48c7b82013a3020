"""LiteLLM's proxy, started as its users start it, with the window as its callback."""

from __future__ import annotations

import importlib.util
import json
import os
import secrets
import socket
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from loopback import Loopback, agent_run
from overlong import BUDGET, PAGE, ROUNDS, TASK, Judge, check_run

MISSING = [name for name in ("fastapi", "litellm", "openai") if importlib.util.find_spec(name) is None]
pytestmark = [
    pytest.mark.slow,
    pytest.mark.timeout(300),
    pytest.mark.skipif(bool(MISSING), reason=f"{', '.join(MISSING)} not installed"),
]

FIT = f"""
import longturn
from longturn.integrations.litellm import callback
fit = callback(longturn.Window({BUDGET}))
"""
TOOL = {"type": "object", "properties": {"page": {"type": "integer"}}}


class Proxy:
    def __init__(self, url: str, key: str) -> None:
        self.url, self.key = url, key

    def post(self, path: str, body: dict[str, Any]) -> dict[str, Any]:
        headers = {"authorization": f"Bearer {self.key}", "content-type": "application/json"}
        request = urllib.request.Request(self.url + path, json.dumps(body).encode(), headers)
        with urllib.request.urlopen(request) as response:
            return json.load(response)  # type: ignore[no-any-return]


@pytest.fixture
def proxy(loopback: Loopback, tmp_path: Path) -> Iterator[Proxy]:
    models = [
        {"model_name": "gpt", "litellm_params": {"model": "openai/any"}},
        {"model_name": "claude", "litellm_params": {"model": "anthropic/any"}},
    ]
    config = tmp_path / "config.yaml"
    config.write_text(json.dumps({"model_list": models, "litellm_settings": {"callbacks": "fit.fit"}}))
    (tmp_path / "fit.py").write_text(FIT)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    key = "sk-" + secrets.token_hex(24)
    command = [Path(sys.executable).parent / "litellm", "--config", config, "--host", "127.0.0.1", "--port", str(port)]
    process = subprocess.Popen(
        list(map(str, command)),
        cwd=tmp_path,
        env={**environment(loopback), "LITELLM_MASTER_KEY": key},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    try:
        assert process.stdout
        said = []
        while "running on" not in (line := process.stdout.readline()):
            said.append(line)
            assert line, "".join(said)
        yield Proxy(f"http://127.0.0.1:{port}", key)
    finally:
        process.terminate()
        process.communicate()


def environment(loopback: Loopback) -> dict[str, str]:
    sources = str(Path(__file__).parents[2] / "python")
    return {**os.environ, **loopback.environment(), "PYTHONPATH": sources, "DISABLE_ADMIN_UI": "True"}


def test_a_run_through_the_proxy(proxy: Proxy, loopback: Loopback, judge: Judge) -> None:
    """Of Chat Completions; its history is in another process."""
    loopback.play(agent_run(ROUNDS))
    history: list[Any] = [{"role": "user", "content": TASK}]
    tools = [{"type": "function", "function": {"name": "read", "parameters": TOOL}}]
    for _ in range(ROUNDS + 1):
        answer = proxy.post("/v1/chat/completions", {"model": "gpt", "messages": history, "tools": tools})
        message = answer["choices"][0]["message"]
        history.append({key: value for key, value in message.items() if value is not None})
        calls = message.get("tool_calls") or []
        history += [{"role": "tool", "tool_call_id": call["id"], "content": PAGE} for call in calls]
    check_run(loopback, judge)


def test_a_run_over_anthropics_messages(proxy: Proxy, loopback: Loopback, judge: Judge) -> None:
    """Which the proxy hands on in Anthropic's own shape."""
    loopback.play(agent_run(ROUNDS))
    history: list[Any] = [{"role": "user", "content": TASK}]
    tools = [{"name": "read", "input_schema": TOOL}]
    for _ in range(ROUNDS + 1):
        body = {"model": "claude", "max_tokens": 99, "messages": history, "tools": tools}
        answer = proxy.post("/v1/messages", body)
        history.append({"role": "assistant", "content": answer["content"]})
        calls = [block for block in answer["content"] if block["type"] == "tool_use"]
        results = [{"type": "tool_result", "tool_use_id": call["id"], "content": PAGE} for call in calls]
        history += [{"role": "user", "content": results}] if results else []
    check_run(loopback, judge)
    assert {request.protocol.name for request in loopback.requests} == {"anthropic"}
