"""Trajectories of SWE-agent and mini-swe-agent: chat messages with bookkeeping in them."""

from __future__ import annotations

from typing import Final

from longturn.cli.sessions.base import Message, Reader, Source, Thread, Warn, as_list, as_text, dicts

_SENT: Final = ("role", "content", "tool_calls", "tool_call_id", "name", "thinking_blocks")


def _is_trajectory(source: Source) -> bool:
    is_large = isinstance(source.member("trajectory"), list) and isinstance(source.member("history"), list)
    return is_large or as_text(source.member("trajectory_format")).startswith("mini-swe-agent")


def _read(source: Source, warn: Warn) -> list[Thread]:
    history = dicts(source.member("history")) or dicts(source.member("messages"))
    threads: dict[str, list[Message]] = {}
    for message in history:
        threads.setdefault(as_text(message.get("agent")), []).append(_sent(message))
    return [
        Thread(messages=messages, format="openai-chat", title=agent, is_agent=number > 0)
        for number, (agent, messages) in enumerate(threads.items())
    ]


def _sent(message: Message) -> Message:
    sent = {key: message[key] for key in _SENT if message.get(key) is not None}
    ids = as_list(message.get("tool_call_ids"))
    return {**sent, "content": message.get("content")} | ({"tool_call_id": as_text(ids[0])} if ids else {})


READER: Final = Reader("a SWE-agent trajectory", _is_trajectory, _read)
