"""A sub-agent: one instruction, then call after call until the model is done."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from http.client import HTTPConnection
from typing import Any

from scripted import BULLET, TOOL

from longturn import Window

MODEL = "scripted"
TOOLS = [
    {
        "name": TOOL,
        "description": "Read one item of the list, whole.",
        "input_schema": {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]},
    }
]

Message = dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """What a sub-agent has to do."""

    instruction: str
    documents: Mapping[str, str]  # what there is to read, in this order
    system: str = "You are a sub-agent. You read what you are given and report."


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """How it went.  Sizes in tokens as the server counted them."""

    refused: bool
    completed: bool
    requests: int
    largest_true_size: int
    read: int
    messages: list[Message]  # the saved history


class RefusedError(Exception):
    """The server's answer to a request that is too long."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        found = re.search(r"(\d+) tokens", message)
        self.tokens = int(found[1]) if found else 0


Fit = Callable[[list[Message], str], list[Message]]


def everything(history: list[Message], system: str) -> list[Message]:
    """Without longturn: send the whole history, every time."""
    return history


def fitted(window: Window) -> Fit:
    """With longturn: send what fits."""
    return lambda history, system: window.fit(history, system=system, tools=TOOLS).messages


def run(job: Job, address: tuple[str, int], fit: Fit) -> Outcome:
    """Let a sub-agent work until it is done or refused."""
    listed = "\n".join(f"{BULLET}{name}" for name in job.documents)
    history: list[Message] = [{"role": "user", "content": f"{job.instruction}\n\n{listed}"}]
    connection = HTTPConnection(*address)
    requests = largest = read = 0
    refused = False
    while True:
        requests += 1
        try:
            answer = send(connection, job, fit(history, job.system))
        except RefusedError as refusal:
            refused, largest = True, max(largest, refusal.tokens)
            break
        largest = max(largest, answer["usage"]["input_tokens"])
        history.append({"role": "assistant", "content": answer["content"]})
        if answer["stop_reason"] != "tool_use":
            break
        calls = [block for block in answer["content"] if block["type"] == "tool_use"]
        history.append({"role": "user", "content": [result(job, call) for call in calls]})
        read += len(calls)
    connection.close()
    return Outcome(
        refused=refused,
        completed=not refused and read == len(job.documents),
        requests=requests,
        largest_true_size=largest,
        read=read,
        messages=history,
    )


def send(connection: HTTPConnection, job: Job, messages: list[Message]) -> dict[str, Any]:
    """
    Make one request.

    Raises:
        RefusedError: it is over the model's limit.
    """
    body = {"model": MODEL, "max_tokens": 1_000, "system": job.system, "tools": TOOLS, "messages": messages}
    data = json.dumps(body, ensure_ascii=False).encode()
    connection.request("POST", "/v1/messages", data, {"content-type": "application/json"})
    with connection.getresponse() as response:
        answer: dict[str, Any] = json.load(response)
    if response.status == 400:
        raise RefusedError(answer["error"]["message"])
    if response.status != 200:
        raise RuntimeError(f"the server answered {response.status}: {answer}")
    return answer


def result(job: Job, call: dict[str, Any]) -> dict[str, Any]:
    """Run the tool: return what was asked for."""
    return {"type": "tool_result", "tool_use_id": call["id"], "content": job.documents[call["input"]["name"]]}
