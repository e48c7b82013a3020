"""Which readers there are, and the one that reads a file."""

from __future__ import annotations

from typing import Any, Final

from longturn.cli.errors import InputError
from longturn.cli.sessions import (
    adk,
    agents_sdk,
    claude_code,
    cline,
    codex,
    gemini_cli,
    inspect_ai,
    opencode,
    openhands,
    otel,
    pi,
    requests,
    swe_agent,
    vercel,
)
from longturn.cli.sessions.base import Reader, Source, Thread, Warn, as_dict, as_list

# Where a file shows the signs of two, the first one is meant; plain requests come last.
READERS: Final[tuple[Reader, ...]] = (
    codex.READER,
    pi.READER,
    claude_code.READER,
    gemini_cli.READER,
    adk.READER,
    swe_agent.READER,
    openhands.NEW,
    openhands.OLD,
    inspect_ai.READER,
    cline.READER,
    opencode.READER,
    agents_sdk.READER,
    otel.READER,
    vercel.FOR_MODELS,
    vercel.FOR_PAGES,
    requests.DOCUMENT,
    requests.LOG,
    requests.LINES,
)

EXPECTED: Final = (
    "a list of messages, a request body, a log of bodies, or a session of Claude Code, Codex, Gemini CLI, Cline, "
    "opencode, pi, OpenHands, SWE-agent, Inspect, ADK, the Vercel AI SDK, the OpenAI Agents SDK, or a trace by "
    "OpenTelemetry is expected"
)


def reader_of(source: Source) -> Reader:
    """
    Return the reader of a file.

    Raises:
        InputError: nobody reads such a file; says what was seen.
    """
    found = next((reader for reader in READERS if reader.sniff(source)), None)
    if found is not None:
        return found
    if _is_stream(source.items()):
        raise InputError(f"{source.name} holds pieces of streamed messages; save the state of the graph instead")
    raise InputError(f"{source.name} is {requests.seen(source)}; {EXPECTED}")


def read(source: Source, warn: Warn) -> list[Thread]:
    """
    Return the conversations of a file, the main one first.

    Raises:
        InputError: there is none in it, or nobody reads such a file; says what was seen.
    """
    reader = reader_of(source)
    threads = [thread for thread in reader.read(source, warn) if thread.messages]
    if not threads:
        raise InputError(f"{source.name} is {reader.name} without messages")
    return threads


def _is_stream(items: list[Any]) -> bool:
    """Tell whether these are LangGraph's pieces, which come in pairs with where they are from."""
    pieces = (part for item in items[:5] for part in as_list(item) for part in as_list(part))
    return any("MessageChunk" in str(as_dict(piece).get("id")) for piece in pieces)
