"""What real SDKs make of an answer: played on loopback, caught as a caller would catch it."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Final

import pytest
from loopback.bedrock import frame
from pytest_httpserver import HTTPServer

MESSAGES: Final[list[Any]] = [{"role": "user", "content": "hello"}]


@contextmanager
def played(
    body: object, *, status: int = 200, headers: Mapping[str, str] | None = None, kind: str | None = None
) -> Iterator[str]:
    """Answer every request in the same way; yield the address."""
    data = body if isinstance(body, (str, bytes)) else json.dumps(body)
    server = HTTPServer(host="127.0.0.1", port=0)
    server.expect_request(re.compile(".*")).respond_with_data(
        data, status=status, headers=dict(headers or {}), content_type=kind or "application/json"
    )
    server.start()
    try:
        yield f"http://127.0.0.1:{server.port}"
    finally:
        server.stop()


def events(pairs: Sequence[tuple[str | None, object]]) -> str:
    """Return a raw event stream."""
    return "".join((f"event: {name}\n" if name else "") + f"data: {json.dumps(data)}\n\n" for name, data in pairs)


def ask_anthropic(url: str, *, stream: bool = False, timeout: float = 10.0) -> object:
    anthropic = pytest.importorskip("anthropic")
    with anthropic.Anthropic(api_key="x", base_url=url, max_retries=0, timeout=timeout) as client:
        answer = client.messages.create(model="m", max_tokens=16, messages=MESSAGES, stream=stream)
        return list(answer) if stream else answer


def ask_openai(url: str, *, stream: bool = False, timeout: float = 10.0) -> object:
    openai = pytest.importorskip("openai")
    with openai.OpenAI(api_key="x", base_url=f"{url}/v1", max_retries=0, timeout=timeout) as client:
        answer = client.chat.completions.create(model="m", messages=MESSAGES, stream=stream)
        return list(answer) if stream else answer


def embed_openai(url: str) -> object:
    openai = pytest.importorskip("openai")
    with openai.OpenAI(api_key="x", base_url=f"{url}/v1", max_retries=0) as client:
        return client.embeddings.create(model="m", input="hello")


def ask_responses(url: str, *, stream: bool = False) -> object:
    openai = pytest.importorskip("openai")
    with openai.OpenAI(api_key="x", base_url=f"{url}/v1", max_retries=0) as client:
        answer = client.responses.create(model="m", input="hello", stream=stream)
        return list(answer) if stream else answer


def ask_gemini(url: str, *, stream: bool = False) -> object:
    genai = pytest.importorskip("google.genai")
    client = genai.Client(api_key="x", http_options={"base_url": url})
    if stream:
        return list(client.models.generate_content_stream(model="m", contents="hello"))
    return client.models.generate_content(model="m", contents="hello")


def ask_bedrock(url: str, *, stream: bool = False) -> object:
    boto3 = pytest.importorskip("boto3")
    config = pytest.importorskip("botocore.config").Config(retries={"total_max_attempts": 1})
    client = boto3.client(
        "bedrock-runtime", region_name="us-east-1", endpoint_url=url, config=config,
        aws_access_key_id="x", aws_secret_access_key="x",
    )  # fmt: skip
    messages = [{"role": "user", "content": [{"text": "hello"}]}]
    if stream:
        return list(client.converse_stream(modelId="m", messages=messages)["stream"])
    return client.converse(modelId="m", messages=messages)


def ask_httpx(url: str) -> object:
    httpx = pytest.importorskip("httpx")
    response = httpx.post(url, json={})
    response.raise_for_status()
    return response


def ask_httpx2(url: str) -> object:
    httpx2 = pytest.importorskip("httpx2")
    response = httpx2.post(url, json={})
    response.raise_for_status()
    return response


def ask_requests(url: str) -> object:
    requests = pytest.importorskip("requests")
    response = requests.post(url, json={}, timeout=10)
    response.raise_for_status()
    return response


def ask_huggingface(url: str) -> object:
    hub = pytest.importorskip("huggingface_hub")
    return hub.InferenceClient(base_url=url, api_key="x").chat_completion(MESSAGES, model="m")


def ask_groq(url: str) -> object:
    groq = pytest.importorskip("groq")
    with groq.Groq(api_key="x", base_url=url, max_retries=0) as client:
        return client.chat.completions.create(model="m", messages=MESSAGES)


def ask_mistral(url: str) -> object:
    mistral = pytest.importorskip("mistralai.client")
    with mistral.Mistral(api_key="x", server_url=url) as client:
        return client.chat.complete(model="m", messages=MESSAGES)


def ask_cohere(url: str) -> object:
    cohere = pytest.importorskip("cohere")
    options = {"max_retries": 0}
    return cohere.ClientV2(api_key="x", base_url=url).chat(model="m", messages=MESSAGES, request_options=options)


def ask_ollama(url: str) -> object:
    return pytest.importorskip("ollama").Client(host=url).chat(model="m", messages=MESSAGES)


def ask_strands(url: str) -> object:
    strands = pytest.importorskip("strands")
    models = pytest.importorskip("strands.models.openai")
    client = {"api_key": "x", "base_url": f"{url}/v1", "max_retries": 0}
    return strands.Agent(model=models.OpenAIModel(client_args=client, model_id="m"), callback_handler=None)("hello")


def _agno_model(url: str) -> Any:
    models = pytest.importorskip("agno.models.openai")
    return models.OpenAIChat(id="m", api_key="x", base_url=f"{url}/v1", max_retries=0)


def ask_agno_model(url: str) -> object:
    model = _agno_model(url)
    from agno.models.message import Message

    return model.response([Message(role="user", content="hello")])


def run_agno(url: str) -> object:
    """Return a run that failed: Agno raises nothing."""
    model = _agno_model(url)
    from agno.agent import Agent

    return Agent(model=model, telemetry=False).run("hello")


def ask_agent_framework(url: str) -> object:
    framework = pytest.importorskip("agent_framework")
    clients = pytest.importorskip("agent_framework.openai")
    client = clients.OpenAIChatCompletionClient(model="m", api_key="x", base_url=f"{url}/v1")
    return asyncio.run(client.get_response([framework.Message("user", ["hello"])]))


def ask_llama_index(url: str) -> object:
    llms = pytest.importorskip("llama_index.llms.openai")
    from llama_index.core.llms import ChatMessage

    llm = llms.OpenAI(model="gpt-4o", api_key="x", api_base=f"{url}/v1", max_retries=0)
    return llm.chat([ChatMessage(role="user", content="hello")])


def ask_litellm(url: str) -> object:
    litellm = pytest.importorskip("litellm")
    return litellm.completion(
        model="openai/m", messages=MESSAGES, api_base=f"{url}/v1", api_key="x", num_retries=0, max_retries=0
    )


def ask_pydantic_ai(url: str) -> object:
    pytest.importorskip("pydantic_ai")
    openai = pytest.importorskip("openai")
    from pydantic_ai import Agent
    from pydantic_ai.models.openai import OpenAIChatModel
    from pydantic_ai.providers.openai import OpenAIProvider

    client = openai.AsyncOpenAI(api_key="x", base_url=f"{url}/v1", max_retries=0)
    agent = Agent(OpenAIChatModel("m", provider=OpenAIProvider(openai_client=client)))
    return asyncio.run(agent.run("hello"))  # its own way leaves a loop open


def caught(ask: Callable[[], object]) -> object:
    """Return what was raised, or else what was returned."""
    try:
        return ask()
    except Exception as error:
        return error


def failure_frame(name: str, body: Mapping[str, Any]) -> bytes:
    """Return the event by which Bedrock breaks a stream off."""
    return frame(name, body, "exception")
