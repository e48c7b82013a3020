"""The scripted provider is believed by the real SDKs: else what it tells of us would be worth nothing."""

from __future__ import annotations

import json
import urllib.request
from typing import Any

import pytest

pytest.importorskip("pytest_httpserver")

from loopback import Answer, Call, Loopback, Refusal, Request, TooLong, Usage, agent_run, prefix_breaks

SCHEMA = {"type": "object", "properties": {"page": {"type": "integer"}}}
USAGE = Usage(input=100, cached=40, output=5)
CALLING = Answer("Let me see.", (Call(arguments={"page": 3}),), thinking="Page three.", usage=USAGE)
CHAT = {"model": "m", "messages": [{"role": "user", "content": "Read."}]}


def post(loopback: Loopback, path: str, body: dict[str, Any]) -> dict[str, Any]:
    request = urllib.request.Request(loopback.url + path, json.dumps(body).encode())
    with urllib.request.urlopen(request) as response:
        return json.load(response)  # type: ignore[no-any-return]


# ---------------------------------------------------------------------- each protocol, by its SDK


@pytest.mark.parametrize("is_streamed", [False, True])
def test_anthropic(loopback: Loopback, is_streamed: bool) -> None:
    """Thinking, text, a call and its usage; in a stream as well."""
    anthropic = pytest.importorskip("anthropic")
    tools = [{"name": "read", "input_schema": SCHEMA}]
    request = {"model": "m", "max_tokens": 9, "messages": CHAT["messages"], "tools": tools, "system": "Be brief."}
    loopback.play([CALLING])
    with anthropic.Anthropic() as client:
        if is_streamed:
            with client.messages.stream(**request) as stream:
                message = stream.get_final_message()
        else:
            message = client.messages.create(**request)
    thought, text, call = message.content
    assert (thought.thinking, text.text, call.name, call.input) == ("Page three.", "Let me see.", "read", {"page": 3})
    assert (message.usage.input_tokens, message.usage.cache_read_input_tokens) == (60, 40)
    assert message.stop_reason == "tool_use"
    (sent,) = loopback.requests
    assert (sent.system, sent.tools, sent.is_streamed) == (["Be brief."], ["read"], is_streamed)


@pytest.mark.parametrize("is_streamed", [False, True])
def test_openai_chat(loopback: Loopback, is_streamed: bool) -> None:
    """A stream tells its usage only where that was asked for."""
    openai = pytest.importorskip("openai")
    tools = [{"type": "function", "function": {"name": "read", "parameters": SCHEMA}}]
    loopback.play([CALLING])
    with openai.OpenAI() as client:
        if is_streamed:
            options = {"stream_options": {"include_usage": True}}
            with client.chat.completions.stream(**CHAT, tools=tools, **options) as stream:
                answer = stream.get_final_completion()
        else:
            answer = client.chat.completions.create(**CHAT, tools=tools)
    (choice,) = answer.choices
    (call,) = choice.message.tool_calls
    assert (choice.message.content, choice.finish_reason) == ("Let me see.", "tool_calls")
    assert (call.function.name, json.loads(call.function.arguments)) == ("read", {"page": 3})
    assert (answer.usage.prompt_tokens, answer.usage.prompt_tokens_details.cached_tokens) == (100, 40)


@pytest.mark.parametrize("is_streamed", [False, True])
def test_openai_responses(loopback: Loopback, is_streamed: bool) -> None:
    """Reasoning, a message and a call are items of their own."""
    openai = pytest.importorskip("openai")
    tools = [{"type": "function", "name": "read", "parameters": SCHEMA, "strict": False}]
    request = {"model": "m", "input": "Read.", "tools": tools, "instructions": "Be brief."}
    loopback.play([CALLING])
    with openai.OpenAI() as client:
        if is_streamed:
            with client.responses.stream(**request) as stream:
                stream.until_done()
                answer = stream.get_final_response()
        else:
            answer = client.responses.create(**request)
    thought, message, call = answer.output
    assert (thought.summary[0].text, message.content[0].text) == ("Page three.", "Let me see.")
    assert (call.name, json.loads(call.arguments)) == ("read", {"page": 3})
    assert (answer.usage.input_tokens, answer.usage.input_tokens_details.cached_tokens) == (100, 40)
    (sent,) = loopback.requests
    assert (sent.messages, sent.system, sent.tools) == (["Read."], ["Be brief."], ["read"])


@pytest.mark.parametrize("is_streamed", [False, True])
def test_gemini(loopback: Loopback, is_streamed: bool) -> None:
    """The first call carries the thought's signature."""
    genai = pytest.importorskip("google.genai")
    declared = [{"name": "read", "parameters_json_schema": SCHEMA}]
    config = {"tools": [{"function_declarations": declared}], "system_instruction": "Be brief."}
    request = {"model": "m", "contents": "Read.", "config": config}
    loopback.play([CALLING])
    with genai.Client() as client:
        if is_streamed:
            chunks = list(client.models.generate_content_stream(**request))
        else:
            chunks = [client.models.generate_content(**request)]
    thought, text, call = (part for chunk in chunks for part in chunk.candidates[0].content.parts)
    assert (thought.text, text.text) == ("Page three.", "Let me see.")
    assert (call.function_call.name, call.function_call.args) == ("read", {"page": 3})
    assert call.thought_signature.startswith(b"signature")
    usage = chunks[-1].usage_metadata
    assert (usage.prompt_token_count, usage.cached_content_token_count) == (100, 40)
    (sent,) = loopback.requests
    assert (sent.system, sent.tools) == (["Be brief."], ["read"])


@pytest.mark.parametrize("is_streamed", [False, True])
def test_bedrock(loopback: Loopback, is_streamed: bool) -> None:
    """The binary event stream passes its checksums."""
    boto3 = pytest.importorskip("boto3")
    client = boto3.client("bedrock-runtime")
    tools = {"tools": [{"toolSpec": {"name": "read", "inputSchema": {"json": SCHEMA}}}]}
    messages = [{"role": "user", "content": [{"text": "Read."}]}]
    request = {"modelId": "m:0", "messages": messages, "toolConfig": tools, "system": [{"text": "Be brief."}]}
    loopback.play([CALLING])
    if is_streamed:
        events = list(client.converse_stream(**request)["stream"])
        deltas = [event["contentBlockDelta"]["delta"] for event in events if "contentBlockDelta" in event]
        assert "".join(delta.get("text", "") for delta in deltas) == "Let me see."
        use = "".join(delta["toolUse"]["input"] for delta in deltas if "toolUse" in delta)
        usage = events[-1]["metadata"]["usage"]
        assert json.loads(use) == {"page": 3}
    else:
        answer = client.converse(**request)
        _, text, call = answer["output"]["message"]["content"]
        assert (text["text"], call["toolUse"]["input"]) == ("Let me see.", {"page": 3})
        usage = answer["usage"]
    client.close()
    assert (usage["inputTokens"], usage["cacheReadInputTokens"]) == (60, 40)
    (sent,) = loopback.requests
    assert (sent.system, sent.tools, sent.protocol.model(sent.path, sent.body)) == (["Be brief."], ["read"], "m:0")


# ---------------------------------------------------------------------- errors


def test_a_refusal_is_in_the_providers_words(loopback: Loopback) -> None:
    """Each SDK raises its own error, after one request."""
    anthropic, openai = pytest.importorskip("anthropic"), pytest.importorskip("openai")
    errors = pytest.importorskip("google.genai.errors")
    genai = pytest.importorskip("google.genai")
    loopback.play(lambda _: TooLong(9_000, 8_000))
    with anthropic.Anthropic() as client, pytest.raises(anthropic.BadRequestError, match="prompt is too long: 9000"):
        client.messages.create(**CHAT, max_tokens=9)
    with openai.OpenAI() as client:
        with pytest.raises(openai.BadRequestError) as caught:
            client.chat.completions.create(**CHAT)
        assert caught.value.code == "context_length_exceeded"
        with pytest.raises(openai.BadRequestError) as caught:
            client.responses.create(model="m", input="Read.")
        assert caught.value.code == "context_length_exceeded"
    with genai.Client() as client, pytest.raises(errors.ClientError, match="token count"):
        client.models.generate_content(model="m", contents="Read.")
    assert len(loopback.requests) == 4


def test_a_stream_may_break(loopback: Loopback) -> None:
    """After it began well."""
    anthropic, openai = pytest.importorskip("anthropic"), pytest.importorskip("openai")
    error = {"error": {"type": "overloaded_error", "message": "Overloaded"}}
    loopback.play([Answer("Let me see.", broken={"type": "error", **error}), Answer("Let me see.", broken=error)])
    with anthropic.Anthropic() as client, client.messages.stream(**CHAT, max_tokens=9) as stream:
        assert next(stream.text_stream) == "Let me"
        with pytest.raises(anthropic.APIStatusError, match="overloaded_error"):
            stream.until_done()
    with openai.OpenAI() as client, pytest.raises(openai.APIError):
        list(client.chat.completions.create(**CHAT, stream=True))


def test_any_status_and_header(loopback: Loopback) -> None:
    """As asked for: here a wait that the SDK obeys."""
    openai = pytest.importorskip("openai")
    loopback.play([Refusal(429, {"error": {"message": "slow"}}, {"retry-after-ms": "1"}), Answer("Done.")])
    with openai.OpenAI(max_retries=1) as client:
        assert client.chat.completions.create(**CHAT).choices[0].message.content == "Done."
    assert len(loopback.requests) == 2


# ---------------------------------------------------------------------- scripts and what is asked of requests


def test_a_script_may_be_a_function(loopback: Loopback) -> None:
    """Of the request, with its number."""
    loopback.play(lambda request: Answer(f"{request.number}: {request.messages[-1]['content']}"))
    answers = [post(loopback, "/v1/chat/completions", CHAT) for _ in range(2)]
    assert [answer["choices"][0]["message"]["content"] for answer in answers] == ["0: Read.", "1: Read."]


def test_a_limit_refuses_without_using_up_the_script(loopback: Loopback) -> None:
    """As a model's window does."""
    openai = pytest.importorskip("openai")
    loopback.play([Answer("Done.")], limit=20, characters_per_token=1)
    long = [{"role": "user", "content": "Read. " * 9}]
    with openai.OpenAI() as client:
        with pytest.raises(openai.BadRequestError, match="maximum context length is 20 tokens"):
            client.chat.completions.create(model="m", messages=long)
        answer = client.chat.completions.create(**CHAT)
    assert answer.usage.prompt_tokens == len("m" + "user" + "Read.")


def test_an_agent_run_asks_and_then_answers() -> None:
    """Its calls are numbered through."""
    first, second, last = agent_run(2, parallel=2, tool="read")
    assert [call.arguments for call in (*first.calls, *second.calls)] == [{"page": number} for number in range(4)]
    assert last == Answer("Done.")


def test_results_are_told_apart(loopback: Loopback) -> None:
    """A note in place of a result is seen."""
    import longturn

    pages = [{"role": "tool", "tool_call_id": f"c{number}", "content": "page " * 900} for number in range(5)]
    calls = [{"id": f"c{number}", "type": "function", "function": {"name": "read"}} for number in range(5)]
    steps = zip(calls, pages, strict=True)
    history = [*CHAT["messages"]]
    for call, page in steps:
        history += [{"role": "assistant", "tool_calls": [call]}, page]
    loopback.play([Answer()])
    post(loopback, "/v1/chat/completions", {"model": "m", "messages": longturn.Window(3_000).fit(history).messages})
    (sent,) = loopback.requests
    assert [result.id for result in sent.cleared] == ["c0", "c1", "c2", "c3"]
    assert [result.id for result in sent.whole] == ["c4"]
    assert sent.occurrences("page ") == 900


def request(messages: list[Any], **body: Any) -> Request:
    from loopback.openai_chat import OpenAIChat

    return Request(0, "", {}, {"messages": messages, **body}, OpenAIChat())


def test_prefix_breaks_are_counted() -> None:
    """A request extends the one before it, or it breaks the provider's cache; marks do not count."""
    one, other = {"role": "user", "content": "a"}, {"role": "user", "content": "b"}
    marked = {**one, "cache_control": {"type": "ephemeral"}}
    assert prefix_breaks([request([one]), request([marked, other]), request([one, other])]) == 0
    assert prefix_breaks([request([one, other]), request([other]), request([other, one])]) == 1
    assert prefix_breaks([request([one]), request([one], tools=[{}])]) == 1
