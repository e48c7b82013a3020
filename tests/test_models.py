"""Model names to profiles, however providers, routers and files write them."""

from __future__ import annotations

import re

import pytest

from longturn import Profile
from longturn.tokens.models import ROWS, UNKNOWN, profile_name

NAMES = {
    "openai": """
        gpt-4o gpt-4o-mini gpt-4o-2024-08-06 chatgpt-4o-latest gpt-4.1 gpt-4.1-nano gpt-4.5-preview gpt-5 gpt-5.4
        gpt-5-mini-2025-08-07 gpt-5.1-codex-max gpt-oss-120b o1 o1-preview o3 o3-mini o4-mini-2025-04-16
        openai/gpt-4o openai/o3-pro azure/gpt-4o azure/gpt-5-mini openrouter/openai/gpt-5 openai:gpt-4o
        groq/openai/gpt-oss-20b openai.gpt-oss-120b-1:0 ft:gpt-4o:acme::abc123 ft:gpt-4o-mini-2024-07-18:org:name:id
        openai/ft:gpt-4.1-mini-2025-04-14:org::id codex-mini-latest GPT-4o phi-4-mini-instruct
        databricks/databricks-gpt-5-1 openai-gpt-4o gpt-4-1-mini gpt-41-copilot gpt-4-o-preview gpt-mini-latest
    """,
    "openai-cl100k": """
        gpt-4 gpt-4-0613 gpt-4-turbo gpt-4-turbo-2024-04-09 gpt-4-32k gpt-3.5-turbo gpt-3.5-turbo-0125 gpt-35-turbo
        azure/gpt-35-turbo-16k ft:gpt-3.5-turbo-0125:org::id text-embedding-3-large text-embedding-ada-002 phi-4
        davinci-002 gpt-4-1106-preview
    """,
    "claude": """
        claude-3-opus-20240229 claude-3-5-sonnet-latest claude-3-5-haiku-20241022 claude-3.7-sonnet:thinking
        claude-sonnet-4 claude-sonnet-4-0 claude-sonnet-4-20250514 claude-opus-4@20250514 claude-opus-4-1-20250805
        claude-sonnet-4-5-20250929 claude-sonnet-4-5@20250929 claude-haiku-4-5 claude-opus-4-5 claude-opus-4-6
        claude-opus-4-6[1m] anthropic/claude-sonnet-4.5 anthropic/claude-opus-4.6 anthropic/claude-3.5-haiku
        openrouter/anthropic/claude-sonnet-4 anthropic:claude-sonnet-4-5 claude-4-sonnet-20250514 claude-4.5-sonnet
        anthropic.claude-3-haiku-20240307-v1:0 us.anthropic.claude-3-5-sonnet-20241022-v2:0
        eu.anthropic.claude-sonnet-4-20250514-v1:0 global.anthropic.claude-sonnet-4-5-20250929-v1:0
        bedrock/us.anthropic.claude-opus-4-6-v1 bedrock/converse/us.anthropic.claude-opus-4-6-v1:0
        bedrock:us.anthropic.claude-sonnet-4-20250514-v1:0 vertex_ai/claude-opus-4-5@20251101
        arn:aws:bedrock:us-east-1:123456789012:inference-profile/us.anthropic.claude-sonnet-4-20250514-v1:0
        arn:aws:bedrock:us-east-1::foundation-model/anthropic.claude-3-sonnet-20240229-v1:0
        databricks/databricks-claude-sonnet-4-5 system.ai.databricks-claude-opus-4-6 anthropic-claude-3-opus
        claude-opus-41 in.anthropic.claude-sonnet-4-5-20250929-v1:0
    """,
    "claude-4.7": """
        claude-opus-4-7 claude-opus-4-7-20260416 claude-opus-4-8 claude-opus-4-10 claude-sonnet-5 claude-haiku-5
        claude-fable-5 anthropic/claude-opus-4.7 anthropic/claude-sonnet-5 openrouter/anthropic/claude-opus-4.8
        databricks-claude-opus-4-7
        us.anthropic.claude-opus-4-7-v1:0 claude-opus-4-7@20260416 claude-4-7-opus claude-opus-latest opus sonnet[1m]
        arn:aws:bedrock:eu-west-1:123456789012:inference-profile/eu.anthropic.claude-opus-4-7-v1:0
    """,
    "gemini": """
        gemini-1.5-pro gemini-2.0-flash-001 gemini-2.5-flash gemini-2.5-pro-preview-06-05 gemini-3-pro-preview
        gemini-3.5-flash models/gemini-2.5-flash gemini/gemini-2.0-flash google/gemini-3-flash-preview
        publishers/google/models/gemini-2.5-pro google-gla:gemini-2.5-pro google-vertex:gemini-3-flash-preview
        projects/p/locations/us-central1/publishers/google/models/gemini-2.5-pro gemma-3-27b-it gemma3:12b
    """,
    "llama": """
        llama-3.3-70b-versatile llama3 llama3.1:8b llama-4-maverick meta-llama/Llama-3.3-70B-Instruct
        meta-llama/llama-4-scout meta.llama3-3-70b-instruct-v1:0 us.meta.llama4-maverick-17b-instruct-v1:0
        accounts/fireworks/models/llama-v3p1-405b-instruct @cf/meta/llama-3.1-8b-instruct meta-llama/Llama-Guard-3-8B
        nvidia/llama-3.1-nemotron-70b-instruct nousresearch/hermes-3-llama-3.1-405b deepseek-r1-distill-llama-70b
        databricks-meta-llama-3-3-70b-instruct snowflake-llama-3.3-70b hermes3-70b deepseek-r1:70b
    """,
    "mistral": """
        mistral-large-latest mistral-large-2512 mistral-medium-2505 mistral-small-2506 mistral-small3.1
        mistralai/devstral-small devstral-medium-latest magistral-medium-2506 open-mistral-nemo codestral-latest
        ministral-8b-latest pixtral-12b mistral-small-2409 mistral-large-3
        mistral/mistral-small-latest mistral:mistral-large-latest
    """,
    "deepseek": """
        deepseek-chat deepseek-reasoner deepseek-v4 deepseek/deepseek-v3.2-exp deepseek-ai/DeepSeek-R1 deepseek-r1:671b
        us.deepseek.r1-v1:0 deepseek.v3-v1:0 accounts/fireworks/models/deepseek-v3 deepseek/deepseek-chat:free
    """,
    "qwen": """
        qwen-max qwen3-235b-a22b qwen3:8b qwen2.5-coder:7b Qwen/Qwen2.5-Coder-32B-Instruct qwen/qwen3-coder
        qwen.qwen3-coder-480b-a35b-v1:0 qwq-32b deepseek-ai/DeepSeek-R1-Distill-Qwen-32B qwen3.5-plus
        qwen-72b-chat deepseek-r1:32b deepseek-r1-0528-qwen3-8b alibaba-qwen3-32b
    """,
    "cautious": """
        claude-2.1 claude-instant-1.2 claude-v2 anthropic.claude-v2:1 llama2:13b meta-llama/Llama-2-70b-chat-hf
        mistral-7b-instruct-v0.2 open-mixtral-8x22b mistral-large-2407 mistral.mistral-large-2407-v1:0 codestral-2405
        mistral mistral:7b mistral-large@2411-001 mistral-large-instruct-2407 mistral-large2 pixtral-large-latest
        mistral-small-2402 codestral@2405 llamaguard-7b deepseek-coder-v2 mixtral:8x7b gpt-j gpt2
        grok-4 amazon.nova-pro-v1:0 command-r-plus kimi-k2 glm-4.6 my-model opencode o gptq deepseek-coder-6.7b
        arn:aws:bedrock:us-east-1:123456789012:application-inference-profile/abc123
    """,
}


@pytest.mark.parametrize(
    ("model", "expected"), [(model, name) for name, all_ in NAMES.items() for model in all_.split()]
)
def test_profile_of_a_model(model: str, expected: str) -> None:
    """Routes, regions, dates, fine-tunes and capitals do not matter; versions do."""
    assert expected == profile_name(model)


@pytest.mark.parametrize("model", ["", "  ", "/", "arn:", "ft:", "a" * 10_000])
def test_odd_names_are_unknown(model: str) -> None:
    """A name that says nothing is that of an unknown model."""
    assert profile_name(model) == UNKNOWN


def test_no_name_is_no_model() -> None:
    """Only a text names a model."""
    with pytest.raises(TypeError, match=r"model must be a str.*got NoneType"):
        profile_name(None)  # type: ignore[arg-type]


def test_every_row_is_sound() -> None:
    """Each has a profile that exists, a pattern that compiles and stands alone, and a reason."""
    assert {row.profile for row in ROWS} == set(Profile.names()) - {"script"}
    assert all(re.compile(row.pattern) and row.reason for row in ROWS)
    assert len({row.pattern for row in ROWS}) == len(ROWS)


def test_every_row_is_needed() -> None:
    """A row that decides none of the names above has no test, and perhaps no use."""
    from longturn.tokens.models import bare_name

    bare = [bare_name(model) for names in NAMES.values() for model in names.split()]
    deciding = {next((row.pattern for row in ROWS if re.match(row.pattern, name)), "") for name in bare}
    assert [] == [row.pattern for row in ROWS if row.pattern not in deciding]
