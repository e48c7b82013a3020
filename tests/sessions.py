"""Small sessions of every program whose sessions are read, and what was sent in each."""

from __future__ import annotations

import json
from typing import Any


def use(call_id: str = "c1", name: str = "read", **arguments: Any) -> dict[str, Any]:
    return {"type": "tool_use", "id": call_id, "name": name, "input": arguments}


def answer(content: Any, call_id: str = "c1", **more: Any) -> dict[str, Any]:
    return {"type": "tool_result", "tool_use_id": call_id, "content": content, **more}


def text(text: str) -> dict[str, Any]:
    return {"type": "text", "text": text}


def function(arguments: str = '{"p": 1}', call_id: str = "c1", name: str = "read") -> dict[str, Any]:
    return {"id": call_id, "type": "function", "function": {"name": name, "arguments": arguments}}


ANTHROPIC = [
    {"role": "user", "content": [text("Do it.")]},
    {"role": "assistant", "content": [text("Reading."), use(p=1), use("c2", p=2)]},
    {"role": "user", "content": [answer("one"), answer("gone", "c2", is_error=True)]},
    {"role": "assistant", "content": [text("Done.")]},
]
"""What several of the programs said, each in its own way."""

CHAT = [
    {"role": "user", "content": "Do it."},
    {"role": "assistant", "content": "Reading.", "tool_calls": [function()]},
    {"role": "tool", "tool_call_id": "c1", "content": "one"},
    {"role": "assistant", "content": "Done."},
]


def lines(*values: Any) -> str:
    return "\n".join(json.dumps(value) for value in values)


def item(payload: Any) -> dict[str, Any]:
    return {"timestamp": "t", "type": "response_item", "payload": payload}


CODEX_ITEMS = [
    {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Do it."}]},
    {"type": "reasoning", "summary": [], "encrypted_content": "xyz"},
    {"type": "function_call", "name": "shell", "arguments": "{}", "call_id": "c1"},
    {"type": "function_call_output", "call_id": "c1", "output": "one"},
    {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Done."}]},
]
CODEX = [
    {"type": "session_meta", "payload": {"id": "s", "cwd": "/p", "base_instructions": {"text": "Be brief."}}},
    *map(item, CODEX_ITEMS[:3]),
    {"type": "event_msg", "payload": {"type": "agent_message", "message": "Reading."}},
    {"type": "event_msg", "payload": {"type": "token_count", "info": None}},
    {
        "type": "event_msg",
        "payload": {
            "type": "token_count",
            "info": {"last_token_usage": {"input_tokens": 70, "cached_input_tokens": 9}},
        },
    },
    item(CODEX_ITEMS[3]),
    item({"type": "ghost_snapshot", "ghost_commit": {}}),
    {"type": "compacted", "payload": {"message": "So far: …"}},
    item(CODEX_ITEMS[4]),
    {"type": "turn_context", "payload": {"model": "m"}},
]

GEMINI_CLI = {
    "sessionId": "s",
    "messages": [
        {"type": "user", "content": "Do it."},
        {
            "type": "gemini",
            "content": "Reading.",
            "toolCalls": [
                {
                    "id": "c1", "name": "read", "args": {"p": 1}, "status": "success", "resultDisplay": "one",
                    "result": [{"functionResponse": {"id": "c1", "name": "read", "response": {"output": "one"}}}],
                },
                {"id": "c2", "name": "run", "args": {}, "status": "cancelled"},
            ],
            "thoughts": [{"subject": "Plan"}],
            "tokens": {"input": 50, "output": 2},
        },
        {"type": "info", "content": "Update available."},
        {"type": "gemini", "content": "Done.", "tokens": {"input": 60}},
    ],
}  # fmt: skip
GEMINI = [
    {"role": "user", "parts": [{"text": "Do it."}]},
    {
        "role": "model",
        "parts": [
            {"text": "Reading."},
            {"functionCall": {"id": "c1", "name": "read", "args": {"p": 1}}},
            {"functionCall": {"id": "c2", "name": "run", "args": {}}},
        ],
    },
    {
        "role": "user",
        "parts": [
            {"functionResponse": {"id": "c1", "name": "read", "response": {"output": "one"}}},
            {"functionResponse": {"id": "c2", "name": "run", "response": {"status": "cancelled"}}},
        ],
    },
    {"role": "model", "parts": [{"text": "Done."}]},
]

ADK_PARTS = [
    ("user", [{"text": "Do it."}]),
    ("helper", [{"function_call": {"name": "read", "args": {}}}]),
    ("helper", [{"function_response": {"name": "read", "response": {"result": "one"}}}]),
    ("other", [{"text": "Done."}]),
]
ADK = {
    "id": "s",
    "events": [
        *({"author": author, "content": {"parts": parts}} for author, parts in ADK_PARTS[:3]),
        {"author": "other", "partial": True, "content": {"parts": [{"text": "Do"}]}},
        {"author": "other", "content": {"parts": ADK_PARTS[3][1]}, "usage_metadata": {"prompt_token_count": 40}},
        {"author": "other", "actions": {"state_delta": {}}},
    ],
}

SWE_AGENT = {
    "environment": "swe_main",
    "trajectory": [{"action": "ls", "observation": "one"}],
    "history": [
        {"role": "user", "content": "Do it.", "agent": "main", "message_type": "observation"},
        {
            "role": "assistant", "content": "Reading.", "agent": "main", "message_type": "action",
            "thought": "Reading.", "action": "read", "tool_calls": [function()],
        },
        {"role": "tool", "content": "one", "agent": "main", "tool_call_ids": ["c1"], "message_type": "observation"},
        {"role": "assistant", "content": "Done.", "agent": "main", "message_type": "action"},
    ],
    "info": {},
}  # fmt: skip
MINI_SWE_AGENT = {
    "info": {"model_stats": {}},
    "trajectory_format": "mini-swe-agent-1.1",
    "messages": [{**message, "extra": {"response": "x" * 99}} for message in CHAT],
}

INSPECT = {
    "version": 2,
    "eval": {"task": "t"},
    "samples": [
        {
            "id": 1,
            "epoch": 1,
            "messages": [
                {"id": "m1", "role": "user", "content": "attachment://h1", "source": "input"},
                {
                    "id": "m2", "role": "assistant", "content": "Reading.", "source": "generate",
                    "tool_calls": [{"id": "c1", "function": "read", "arguments": {"p": 1}}],
                },
                {"id": "m3", "role": "tool", "content": "one", "tool_call_id": "c1", "function": "read"},
                {"id": "m4", "role": "assistant", "content": "Done."},
            ],
            "events": [
                {
                    "event": "model", "input": [{}], "tools": [{"name": "read", "description": "attachment://h2"}],
                    "output": {"usage": {"total_tokens": 50, "output_tokens": 8, "input_tokens": 2}},
                },
                {"event": "tool"},
            ],
            "attachments": {"h1": "Do it.", "h2": "Reads."},
        }
    ],
}  # fmt: skip

CLINE = {
    "version": 1,
    "sessionId": "s",
    "agent": "lead",
    "system_prompt": "Be brief.",
    "messages": [
        {"id": "1", "role": "user", "ts": 1, "content": [text("Do it."), {"type": "file", "content": "a file"}]},
        {"id": "2", "role": "assistant", "content": [use(p=1)], "metrics": {"inputTokens": 80, "cost": 1}},
        {
            "id": "3",
            "role": "user",
            "content": [{**answer([{"query": "q", "result": "one"}]), "name": "read"}],
        },
    ],
}

OPENCODE = {
    "info": {"id": "s", "title": "A task"},
    "messages": [
        {"info": {"role": "user"}, "parts": [text("Do it."), {**text("unsent"), "ignored": True}]},
        {
            "info": {"role": "assistant", "tokens": {"input": 5, "cache": {"read": 60, "write": 1}}},
            "parts": [
                {"type": "step-start"},
                text("Reading."),
                {
                    "type": "tool", "tool": "read", "callID": "c1",
                    "state": {"status": "completed", "input": {"p": 1}, "output": "one", "metadata": {"output": "one"}},
                },
                {
                    "type": "tool", "tool": "read", "callID": "c2",
                    "state": {"status": "error", "input": {"p": 2}, "error": "gone"},
                },
                {"type": "step-finish"},
                {"type": "step-start"},
                text("Done."),
            ],
        },
    ],
}  # fmt: skip

PI = [
    {"type": "session", "id": "s", "cwd": "/p"},
    {"type": "message", "message": {"role": "user", "content": "Do it."}},
    {
        "type": "message",
        "message": {
            "role": "assistant",
            "content": [
                text("Reading."),
                {"type": "toolCall", "id": "c1", "name": "read", "arguments": {"p": 1}},
                {"type": "toolCall", "id": "c2", "name": "read", "arguments": {"p": 2}},
            ],
            "usage": {"input": 1, "cacheRead": 40, "cacheWrite": 2},
        },
    },
    {"type": "message", "message": {"role": "toolResult", "toolCallId": "c1", "content": "one"}},
    {"type": "message", "message": {"role": "toolResult", "toolCallId": "c2", "content": "gone", "isError": True}},
    {"type": "compaction", "summary": "So far: …"},
    {"type": "message", "message": {"role": "assistant", "content": [text("Done.")]}},
]
PI_MESSAGES = [
    *ANTHROPIC[:2],
    {"role": "user", "content": [answer([text("one")]), answer([text("gone")], "c2", is_error=True)]},
    ANTHROPIC[3],
]

OLD_CALL = {
    "tool_call_id": "c1",
    "model_response": {
        "id": "r1",
        "choices": [{"message": {"content": "Reading.", "tool_calls": [function()]}}],
        "usage": {"prompt_tokens": 90},
    },
}
OPENHANDS = [
    {"id": 0, "source": "agent", "action": "system", "args": {"content": "Be brief.", "tools": [{"type": "function"}]}},
    {"id": 1, "source": "user", "action": "message", "args": {"content": "Do it."}},
    {"id": 2, "source": "environment", "observation": "agent_state_changed", "content": ""},
    {"id": 3, "source": "agent", "action": "run", "args": {"command": "ls"}, "tool_call_metadata": OLD_CALL},
    {"id": 4, "source": "agent", "observation": "run", "content": "one", "tool_call_metadata": OLD_CALL, "cause": 3},
    {"id": 5, "source": "agent", "action": "message", "args": {"content": "Done."}},
]
OPENHANDS_TEXT = {
    "history": [
        {"action": "message", "content": "Do it.", "wait_for_response": False},
        {"action": "run", "command": "ls", "thought": "Reading."},
        {"observation": "run", "content": "one", "exit_code": 0},
    ]
}
OPENHANDS_NEW = [
    {"kind": "SystemPromptEvent", "source": "agent", "system_prompt": text("Be brief."), "tools": [{"name": "read"}]},
    {"kind": "MessageEvent", "source": "user", "llm_message": {"role": "user", "content": "Do it."}},
    {"kind": "ConversationStateUpdateEvent", "source": "environment", "key": "stats", "value": {}},
    {
        "kind": "ActionEvent", "source": "agent", "thought": [text("Reading.")], "tool_name": "read",
        "tool_call_id": "c1", "action": {}, "llm_response_id": "r1",
        "tool_call": {"id": "c1", "name": "read", "arguments": '{"p": 1}'},
    },
    {
        "kind": "ActionEvent", "source": "agent", "thought": [], "tool_name": "read", "tool_call_id": "c2",
        "action": {"p": 2}, "llm_response_id": "r1",
    },
    {
        "kind": "ObservationEvent", "source": "environment", "tool_call_id": "c1",
        "observation": {"content": [text("one")], "kind": "TerminalObservation"},
    },
    {"kind": "AgentErrorEvent", "source": "agent", "tool_call_id": "c2", "error": "gone"},
]  # fmt: skip

VERCEL_MODEL = [
    {"role": "system", "content": "Be brief."},
    {"role": "user", "content": "Do it."},
    {
        "role": "assistant",
        "content": [
            text(""), text("Reading."),
            {"type": "tool-call", "toolCallId": "c1", "toolName": "read", "input": {"p": 1}},
            {"type": "tool-call", "toolCallId": "c2", "toolName": "read", "input": {"p": 2}},
        ],
    },
    {
        "role": "tool",
        "content": [
            {"type": "tool-result", "toolCallId": "c1", "output": {"type": "text", "value": "one"}},
            {"type": "tool-result", "toolCallId": "c2", "output": {"type": "error-text", "value": "gone"}},
        ],
    },
    {"role": "assistant", "content": [text("Done.")]},
]  # fmt: skip
VERCEL_UI = [
    {"id": "u", "role": "user", "parts": [text("Do it.")]},
    {
        "id": "a",
        "role": "assistant",
        "parts": [
            {"type": "step-start"},
            text("Reading."),
            {"type": "tool-read", "toolCallId": "c1", "state": "output-available", "input": {"p": 1}, "output": "one"},
            {
                "type": "dynamic-tool", "toolName": "read", "toolCallId": "c2", "state": "output-error",
                "input": {"p": 2}, "errorText": "gone",
            },
            {"type": "step-start"},
            text("Done."),
        ],
    },
]  # fmt: skip

RUN_STATE = {
    "$schemaVersion": "1.9",
    "original_input": "Do it.",
    "generated_items": [
        {"type": "tool_call_item", "raw_item": CODEX_ITEMS[2]},
        {"type": "tool_call_output_item", "raw_item": CODEX_ITEMS[3], "output": "one"},
    ],
    "model_responses": [],
}

PARTS = [
    {"role": "user", "parts": [{"type": "text", "content": "Do it."}]},
    {
        "role": "assistant",
        "parts": [
            {"type": "text", "content": "Reading."},
            {"type": "tool_call", "id": "c1", "name": "read", "arguments": '{"p": 1}'},
        ],
    },
    {"role": "tool", "parts": [{"type": "tool_call_response", "id": "c1", "response": "one"}]},
    {"role": "assistant", "parts": [{"type": "text", "content": "Done."}]},
]


def attribute(key: str, value: Any) -> dict[str, Any]:
    return {"key": key, "value": {"stringValue": value if isinstance(value, str) else json.dumps(value)}}


def span(start: int, attributes: list[Any]) -> dict[str, Any]:
    return {"startTimeUnixNano": str(start), "attributes": attributes}


OTLP = {
    "resourceSpans": [
        {
            "scopeSpans": [
                {
                    "spans": [
                        span(2, [
                            attribute("gen_ai.input.messages", PARTS[:3]),
                            attribute("gen_ai.output.messages", PARTS[3:]),
                        ]),
                        span(1, [
                            attribute("gen_ai.input.messages", PARTS[:1]),
                            attribute("gen_ai.output.messages", PARTS[1:2]),
                            {"key": "gen_ai.usage.input_tokens", "value": {"intValue": "33"}},
                        ]),
                        span(0, [attribute("http.method", "POST")]),
                    ]
                }
            ]
        }
    ]
}  # fmt: skip
LANGFUSE = {
    "trace": {"input": json.dumps(json.dumps(PARTS[:3])), "output": json.dumps(PARTS[3:]), "metadata": "{}"},
    "observations": [{"type": "GENERATION", "input": None}, {"type": "TOOL"}],
}
LANGFUSE_DELTAS = {
    "trace": {},
    "observations": [
        {"type": "GENERATION", "startTime": "2", "input": PARTS[2:3], "output": PARTS[3:]},
        {
            "type": "GENERATION",
            "startTime": "1",
            "input": PARTS[:1],
            "output": PARTS[1:2],
            "usageDetails": {"input": 9},
        },
    ],
}

LANGGRAPH = {
    "values": {
        "messages": [
            {"type": "human", "content": "Do it."},
            {"type": "ai", "content": "Done.", "usage_metadata": {"input_tokens": 12, "output_tokens": 1}},
        ],
        "title": "A task",
    },
    "next": [],
}
BODIES = [
    {"request": {"messages": CHAT[:1]}, "response": {"usage": {"prompt_tokens": 21}}},
    {"body": {"messages": CHAT}},
]

CASES: dict[str, tuple[Any, str, list[Any], dict[str, Any]]] = {
    "codex": (
        lines(*CODEX), "openai-responses", CODEX_ITEMS,
        {"system": "Be brief.", "reported": {1: 70}, "title": "/p"},
    ),
    "gemini-cli": (GEMINI_CLI, "gemini", GEMINI, {"reported": {1: 50, 3: 60}}),
    "gemini-cli lines": (lines(*GEMINI_CLI["messages"]), "gemini", GEMINI, {"reported": {1: 50, 3: 60}}),
    "adk": (
        ADK, "gemini",
        [{"role": "model" if n % 2 else "user", "parts": parts} for n, (_, parts) in enumerate(ADK_PARTS)],
        {"reported": {3: 40}},
    ),
    "swe-agent": (SWE_AGENT, "openai-chat", CHAT, {"title": "main"}),
    "mini-swe-agent": (MINI_SWE_AGENT, "openai-chat", CHAT, {}),
    "inspect": (
        INSPECT, "openai-chat", CHAT,
        {
            "reported": {1: 42}, "title": "sample 1, epoch 1",
            "tools": [{"type": "function", "function": {"name": "read", "description": "Reads."}}],
        },
    ),
    "cline": (
        CLINE, "anthropic",
        [
            {"role": "user", "content": [text("Do it."), text("a file")]},
            {"role": "assistant", "content": [use(p=1)]},
            {"role": "user", "content": [answer([text('{"query": "q", "result": "one"}')])]},
        ],
        {"system": "Be brief.", "reported": {1: 80}, "title": "lead"},
    ),
    "opencode": (OPENCODE, "anthropic", ANTHROPIC, {"reported": {1: 66}, "title": "A task"}),
    "pi": (lines(*PI), "anthropic", PI_MESSAGES, {"reported": {1: 43}}),
    "openhands": (
        OPENHANDS, "openai-chat", [{"role": "system", "content": "Be brief."}, *CHAT],
        {"reported": {2: 90}, "tools": [{"type": "function"}]},
    ),
    "openhands without calls": (
        OPENHANDS_TEXT, "openai-chat",
        [CHAT[0], {"role": "assistant", "content": "Reading.\nls"}, {"role": "user", "content": "one"}],
        {},
    ),
    "openhands 1": (
        lines(*OPENHANDS_NEW), "openai-chat",
        [
            {"role": "system", "content": "Be brief."},
            CHAT[0],
            {**CHAT[1], "tool_calls": [function(), function('{"p": 2}', "c2")]},
            CHAT[2],
            {"role": "tool", "tool_call_id": "c2", "content": "gone"},
        ],
        {"tools": [{"name": "read"}]},
    ),
    "vercel model messages": (VERCEL_MODEL, "anthropic", ANTHROPIC, {"system": "Be brief."}),
    "vercel ui messages": (VERCEL_UI, "anthropic", ANTHROPIC, {}),
    "run state": (RUN_STATE, "openai-responses", [CHAT[0], *CODEX_ITEMS[2:4]], {}),
    "otlp": (OTLP, "openai-chat", CHAT, {"reported": {1: 33}}),
    "langfuse": (LANGFUSE, "openai-chat", CHAT, {}),
    "langfuse, only what is new": (LANGFUSE_DELTAS, "openai-chat", CHAT, {"reported": {1: 9}}),
    "langgraph": (LANGGRAPH, "auto", LANGGRAPH["values"]["messages"], {"reported": {1: 12}}),
    "bodies": (lines(*BODIES), "auto", CHAT, {"reported": {1: 21}}),
    "messages": (lines(*CHAT), "auto", CHAT, {}),
    "a text": ({"input": "Do it."}, "auto", [CHAT[0]], {}),
}  # fmt: skip
