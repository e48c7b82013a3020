"""
What refusals mean, as data: verdicts, codes, class names, statuses, stop reasons and wordings.

Every row names its source. A provider that says a known thing in a new way is one new row here, or one
new word in a concept.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from longturn.failures.failure import FailureKind


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What follows from one sort of refusal."""

    kind: FailureKind
    means: str
    """What happened, in one clause, for the documentation."""
    retryable: bool = False
    page: bool = False
    shrink_helps: bool = False
    sentence: str | None = None
    """Which of the person's sentences is said: a name in ``longturn.wording``."""
    advice: str | None = None
    """What the developer can change."""


OVERFLOW: Final = Verdict(
    kind=FailureKind.CONTEXT_OVERFLOW,
    means="the conversation is longer than the model's window",
    shrink_helps=True,
    sentence="too_long",
)
OVERFLOW_BY_OUTPUT: Final = Verdict(
    kind=FailureKind.CONTEXT_OVERFLOW,
    means="the output asked for fills the window alone",
    page=True,
    advice="ask for fewer output tokens: together with the tools they fill the window without any conversation",
)
OVERFLOW_BY_TOOLS: Final = Verdict(
    kind=FailureKind.CONTEXT_OVERFLOW,
    means="the tool definitions fill the window alone",
    page=True,
    advice="send fewer or shorter tool definitions: they fill the window without any conversation",
)
OVERFLOW_BY_COMPACTION: Final = Verdict(
    kind=FailureKind.CONTEXT_OVERFLOW,
    means="what must stay, such as a compaction block, fills the window",
    page=True,
    advice="the compaction block has to stay and is too long: compact earlier, or begin without it",
)
TOO_LARGE: Final = Verdict(
    kind=FailureKind.PAYLOAD_TOO_LARGE,
    means="a file, an image or the whole request has too many bytes",
    shrink_helps=True,
    sentence="too_large",
)
TOO_LARGE_FOR_PROXY: Final = Verdict(
    kind=FailureKind.PAYLOAD_TOO_LARGE,
    means="a proxy in between takes no body of this size",
    page=True,
    shrink_helps=True,
    advice="raise the body limit of the proxy that answered (nginx: client_max_body_size)",
)
FIELD: Final = Verdict(
    kind=FailureKind.INVALID_REQUEST,
    means="one field is over a limit of its own: a description, a list, an embedding's text",
    page=True,
)
INVALID: Final = Verdict(
    kind=FailureKind.INVALID_REQUEST,
    means="the request is malformed, or names what does not exist",
    page=True,
)
REFUSED: Final = Verdict(
    kind=FailureKind.INVALID_REQUEST,
    means="what was asked is against the provider's policy",
    sentence="refused",
)
OUTPUT_ASKED: Final = Verdict(
    kind=FailureKind.OUTPUT_LIMIT,
    means="more output was asked for than the model can give",
    page=True,
    advice="set the output limit to what the model allows",
)
OUTPUT_REACHED: Final = Verdict(kind=FailureKind.OUTPUT_LIMIT, means="the answer was cut at its limit")
RATE: Final = Verdict(
    kind=FailureKind.RATE_LIMITED, means="too many requests or tokens in too short a time", retryable=True
)
RATE_SHRINKABLE: Final = Verdict(
    kind=FailureKind.RATE_LIMITED,
    means="too many tokens for now; fewer pass sooner",
    retryable=True,
    shrink_helps=True,
)
RATE_FOR_LONG: Final = Verdict(kind=FailureKind.RATE_LIMITED, means="the allowance comes back after a long time only")
OVER_ALLOWANCE: Final = Verdict(
    kind=FailureKind.RATE_LIMITED,
    means="this one request is above the whole allowance: waiting never helps",
    shrink_helps=True,
)
QUOTA: Final = Verdict(kind=FailureKind.QUOTA, means="money, credits or a daily allowance have run out", page=True)
QUOTA_SHRINKABLE: Final = Verdict(
    kind=FailureKind.QUOTA,
    means="what is left pays for a smaller request only",
    page=True,
    shrink_helps=True,
)
AUTH: Final = Verdict(kind=FailureKind.AUTH, means="the key is wrong, or may not do this", page=True)
OVERLOADED: Final = Verdict(kind=FailureKind.OVERLOADED, means="the provider has trouble of its own", retryable=True)
NETWORK: Final = Verdict(kind=FailureKind.NETWORK, means="no answer came", retryable=True)
UNKNOWN: Final = Verdict(kind=FailureKind.UNKNOWN, means="nothing tells", page=True)
NORMAL: Final = Verdict(kind=FailureKind.NONE, means="a normal answer")


@dataclass(frozen=True, slots=True)
class Names:
    """Codes, class names or stop reasons of one provider, in small letters, with one meaning."""

    provider: str
    verdict: Verdict
    names: tuple[str, ...]
    source: str


def _names(provider: str, verdict: Verdict, names: str, source: str) -> Names:
    return Names(provider, verdict, tuple(names.lower().split()), source)


DECISIVE_CODES: Final = (
    _names("OpenAI, Azure", OVERFLOW, "context_length_exceeded", "platform.openai.com/docs/guides/error-codes"),
    _names("OpenAI, Azure", QUOTA,
           "insufficient_quota billing_hard_limit_reached billing_not_active usage_not_included",
           "platform.openai.com/docs/guides/error-codes; openai/codex"),
    _names("OpenAI, Azure", REFUSED, "invalid_prompt content_filter content_policy_violation",
           "learn.microsoft.com/azure/ai-foundry/openai/concepts/content-filter"),
    _names("Anthropic", OVERFLOW, "model_context_window_exceeded", "docs.claude.com/en/api/handling-stop-reasons"),
    _names("Anthropic", QUOTA, "billing_error contract_spend_limit_reached enforced_spend_limit_reached "
           "linked_organization_spend_limit_reached linked_organization_billing_unavailable "
           "user_profile_not_billable user_profile_billing_not_authorized storage_quota_exceeded",
           "anthropic-sdk-python anthropic/types"),
    _names("Anthropic", AUTH, "organization_on_hold claude_code_key_creator_not_member sandbox_egress_restricted",
           "anthropic-sdk-python anthropic/types"),
    _names("Anthropic", RATE, "ramp_limit_exceeded", "anthropic-sdk-python anthropic/types"),
    _names("Anthropic", OVERLOADED, "compaction_unavailable concurrent_membership_change change_outcome_unknown "
           "cmek_context_unavailable cmek_key_unreachable thread_continue_in_flight",
           "anthropic-sdk-python anthropic/types"),
    _names("Anthropic", FIELD, "available_tools_limit_exceeded compaction_too_many_tool_references",
           "anthropic-sdk-python anthropic/types"),
    _names("Anthropic", INVALID, "compaction_block_ambiguous compaction_block_misplaced compaction_content_mismatch "
           "compaction_incomplete_turn compaction_nothing_to_summarize compaction_signature_invalid "
           "compaction_tool_changes_mismatch thread_already_continued thread_fingerprint_mismatch",
           "anthropic-sdk-python anthropic/types"),
    _names("Anthropic", TOO_LARGE, "request_too_large request_body_too_large_after_decoding image_dimensions_too_large",
           "docs.claude.com/en/api/errors; anthropic-sdk-python anthropic/types"),
    _names("GitHub Models and Copilot", OVERFLOW, "tokens_limit_reached model_max_prompt_tokens_exceeded",
           "github.com/orgs/community/discussions; zed-industries/zed"),
    _names("llama.cpp", OVERFLOW, "exceed_context_size_error", "ggml-org/llama.cpp tools/server"),
    _names("MiniMax", QUOTA, "1008", "platform.minimax.io/docs/api-reference/errorcode"),
    _names("Glean", OVERFLOW, "token_limit_exceeded", "developers.glean.com/errors/token-limit-exceeded"),
    _names("watsonx.ai", OVERFLOW, "token_quantity_exceeded", "cloud.ibm.com/apidocs/watsonx-ai"),
    _names("watsonx.ai", QUOTA, "token_quota_reached", "cloud.ibm.com/apidocs/watsonx-ai"),
    _names("Mistral", OVERFLOW, "3051", "mistralai/client-python issues"),
    _names("Z.ai", OVERFLOW, "1261", "docs.z.ai/api-reference/api-code"),
    _names("Z.ai", QUOTA, "1113 1308 1309 1310 1311 1313 1314 1315 1316 1317 1318 1319 1320 1321",
           "docs.z.ai/api-reference/api-code"),
    _names("Moonshot", QUOTA, "exceeded_current_quota_error", "platform.moonshot.ai/docs/api/errors"),
    _names("LiteLLM proxy", QUOTA, "budget_exceeded", "BerriAI/litellm proxy/_types.py"),
    _names("DeepSeek", QUOTA, "insufficient_balance", "api-docs.deepseek.com/quick_start/error_codes"),
    _names("DashScope", QUOTA, "arrearage allocationquota.freetieronly", "help.aliyun.com/zh/model-studio/error-code"),
    _names("DashScope", REFUSED, "datainspectionfailed data_inspection_failed",
           "help.aliyun.com/zh/model-studio/error-code"),
)  # fmt: skip
"""Codes that settle it, whatever the status."""

CODES: Final = (
    _names("OpenAI, Azure, Groq", RATE, "rate_limit_exceeded rate_limit_error too_many_requests rate_limited 1302 1305",
           "platform.openai.com/docs/guides/error-codes"),
    _names("OpenAI, Azure", AUTH, "invalid_api_key authentication_error permission_error permission_denied "
           "unauthorized invalid_authentication_error", "platform.openai.com/docs/guides/error-codes"),
    _names("OpenAI, Azure", OVERLOADED, "server_error service_unavailable_error server_is_overloaded slow_down "
           "internal_server_error", "openai/codex codex-api"),
    _names("Anthropic", OVERLOADED, "overloaded_error api_error", "docs.claude.com/en/api/errors"),
    _names("Anthropic", NETWORK, "timeout_error", "docs.claude.com/en/api/errors"),
    _names("Bedrock", RATE, "throttlingexception throttling toomanyrequestsexception modelnotreadyexception",
           "docs.aws.amazon.com/bedrock/latest/userguide/troubleshooting-api-error-codes.html"),
    _names("Bedrock", QUOTA, "servicequotaexceededexception",
           "docs.aws.amazon.com/bedrock/latest/userguide/troubleshooting-api-error-codes.html"),
    _names("Bedrock", AUTH, "accessdeniedexception unrecognizedclientexception expiredtokenexception expiredtoken "
           "invalidsignatureexception incompletesignature invalidclienttokenid",
           "docs.aws.amazon.com/bedrock/latest/APIReference/CommonErrors.html"),
    _names("Bedrock", OVERLOADED, "serviceunavailableexception internalserverexception modelerrorexception "
           "modelstreamerrorexception internalfailure serviceunavailable",
           "docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ConverseStream.html"),
    _names("Bedrock", NETWORK, "modeltimeoutexception",
           "docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html"),
    _names("Gemini", RATE, "resource_exhausted rate_limit_exceeded", "ai.google.dev/gemini-api/docs/troubleshooting"),
    _names("Gemini", AUTH, "unauthenticated api_key_invalid", "ai.google.dev/gemini-api/docs/troubleshooting"),
    _names("Gemini", OVERLOADED, "unavailable internal", "ai.google.dev/gemini-api/docs/troubleshooting"),
    _names("Gemini", NETWORK, "deadline_exceeded", "ai.google.dev/gemini-api/docs/troubleshooting"),
    _names("Cerebras", RATE, "too_many_tokens_error token_quota_exceeded", "inference-docs.cerebras.ai"),
    _names("TGI", OVERLOADED, "overloaded", "huggingface/text-generation-inference router/src/lib.rs"),
    _names("DashScope", RATE, "limit_burst_rate limit_requests throttling.ratequota throttling.allocationquota",
           "help.aliyun.com/zh/model-studio/error-code"),
    _names("all", INVALID, "invalid_request_error validationexception invalid_argument badrequesterror not_found_error "
           "not_found model_not_found deploymentnotfound invalid_parameter_error invalidparameter validation "
           "bad_request_error", "their documentation"),
    _names("Z.ai", AUTH, "1110 1111 1112 1121 1220", "docs.bigmodel.cn/cn/api/api-code"),
    _names("Z.ai", QUOTA, "1304", "docs.bigmodel.cn/cn/api/api-code"),
    _names("Z.ai", RATE, "1303", "docs.bigmodel.cn/cn/api/api-code"),
    _names("Z.ai", REFUSED, "1301", "docs.bigmodel.cn/cn/api/api-code"),
    _names("Z.ai", OVERLOADED, "1120 1230 1234 1312", "docs.bigmodel.cn/cn/api/api-code"),
    _names("Z.ai", INVALID, "1210 1211 1212 1213 1214 1215 1221 1222", "docs.bigmodel.cn/cn/api/api-code"),
    _names("Mistral", RATE, "3505 service_tier_capacity_exceeded", "docs.mistral.ai"),
)  # fmt: skip
"""Codes that settle it where no wording says more."""

DECISIVE_CLASSES: Final = (
    _names("OpenAI SDK, strands", OUTPUT_REACHED, "lengthfinishreasonerror maxtokensreachedexception",
           "openai._exceptions; strands.types.exceptions"),
    _names("OpenAI SDK, LiteLLM", REFUSED, "contentfilterfinishreasonerror contentpolicyviolationerror",
           "openai._exceptions; litellm.exceptions"),
    _names("LiteLLM, pydantic-ai", QUOTA, "budgetexceedederror modelquotaexceedederror",
           "litellm.exceptions; pydantic_ai.exceptions"),
)  # fmt: skip
"""Names of exception classes that settle it."""

CLASSES: Final = (
    _names("LiteLLM, LangChain, pydantic-ai, strands, agno, AG2", OVERFLOW, "contextwindowexceedederror "
           "contextoverflowerror modelcontextwindowexceedederror contextwindowoverflowexception",
           "litellm.exceptions, langchain_core.exceptions, pydantic_ai.exceptions, strands.types.exceptions"),
    _names("SDKs and frameworks", RATE, "ratelimiterror toomanyrequestserror modelratelimiterror "
           "modelthrottledexception", "their packages"),
    _names("SDKs and frameworks", AUTH, "authenticationerror permissiondeniederror unauthorizederror forbiddenerror "
           "nocredentialserror partialcredentialserror defaultcredentialserror modelauthenticationerror",
           "their packages; botocore.exceptions; google.auth.exceptions"),
    _names("SDKs and frameworks", OVERLOADED, "internalservererror serviceunavailableerror overloadederror "
           "modeloverloadederror modelservererror servererror", "their packages"),
)  # fmt: skip
"""Names of exception classes that tell where nothing else does."""

NETWORK_CLASS: Final = (
    r"^(?!.*(?:ratelimit|toomany))\w*(?:timeout|timedout|connecterror|connectionerror|connectionclosed|connectionreset|"
    r"connectionrefused|connectionaborted|disconnected|protocolerror|transporterror|networkerror|readerror|writeerror|"
    r"incompleteread|chunkedencodingerror|sslerror|clientoserror|clientpayloaderror|nameresolution|gaierror|"
    r"endpointconnection|proxyerror|brokenpipe|remotedisconnected|maxretryerror|herror)\w*$"
)
"""Class names of httpx, requests, aiohttp, urllib3, botocore and the standard library where no answer came."""

STOPS: Final = (
    _names("Anthropic, Bedrock, Z.ai", OVERFLOW, "model_context_window_exceeded",
           "docs.claude.com/en/api/handling-stop-reasons; docs.z.ai"),
    _names("OpenAI-compatible", OVERFLOW, "context_length_exceeded context_window_exceeded context_length",
           "vercel/ai; continuedev/continue"),
    _names("Mistral", OVERFLOW, "model_length", "docs.mistral.ai/api"),
    _names("watsonx.ai", OVERFLOW, "token_limit", "cloud.ibm.com/apidocs/watsonx-ai"),
    _names("Cohere", OVERFLOW, "error_limit", "docs.cohere.com/reference/chat"),
    _names("OpenAI-compatible, Ollama", OUTPUT_REACHED, "length max_output_tokens max_output_reached",
           "platform.openai.com/docs/api-reference/chat/object; ollama/ollama docs/api.md"),
    _names("Anthropic, Bedrock, Gemini, Cohere", OUTPUT_REACHED, "max_tokens",
           "docs.claude.com; docs.aws.amazon.com; ai.google.dev; docs.cohere.com"),
    _names("OpenRouter, Z.ai, Cohere", OVERLOADED, "error network_error",
           "openrouter.ai/docs/api-reference/errors; docs.z.ai"),
)  # fmt: skip
"""Why answers end, where that is not the model's own wish."""

STATUSES: Final = {
    400: INVALID, 401: AUTH, 402: QUOTA, 403: AUTH, 404: INVALID, 405: INVALID, 406: INVALID, 408: NETWORK,
    409: OVERLOADED, 410: INVALID, 411: INVALID, 412: INVALID, 413: TOO_LARGE, 414: TOO_LARGE, 415: INVALID,
    421: INVALID, 422: INVALID, 424: OVERLOADED, 425: OVERLOADED, 429: RATE, 499: NETWORK, 501: INVALID,
    504: NETWORK, 522: NETWORK, 524: NETWORK,
}  # fmt: skip
"""What a status means where nothing else tells (RFC 9110; 409, 424 and 425: the SDKs and Bedrock send again)."""

CONCEPTS: Final = {
    # What the limit is about.
    "window": r"""
        context[ _-]*(?:window|length|len|size|limit|capacity|budget|overflow\w*|slots?|space|tokens?)(?![a-z])
        |(?<!\bin\s)(?<!\bin\sthe\s)(?<!\bin\sthis\s)(?<!['"`a-z])context\b
            (?!['"`]|\s+(?:of\s+(?!\d)|deadline|cancel|cach|manage|variable))
        |(?:max(?:imum)?|model(?:'?s)?|supported|allowed|permitted|allowable|total
        |configured)[ _-]+(?:[a-z]{1,20}[ _-]){0,3}?
            (?:sequence|context|prompt|input|model|seq|message|conversation)s?[ _-]*(?:token[ _-]*)?
            (?:length|len|size|limit|capacity|window|tokens?)\b
        |\b(?:sequence|session|prompt|input|token|conversation)s?[ _-]+(?:token[ _-]+)?
            (?:length|len|size|limit|budget|capacity)\b
        |max[_ ]?(?:model|seq|sequence|context|input|prompt|position)[_ ]?(?:len(?:gth)?|tokens|embeddings)
        |max(?:imum)?[_ ](?:allowed[_ ])?(?:number[_ ]of[_ ])?(?:input[_ ]|prompt[_ ]|total[_ ])?tokens?\b
        |model(?:'?s)?[ _](?:token|context|input)?[ _]?(?:limit|capacity|window|maximum|max)\b
        |(?:size|length|amount)\s+of\s+(?:the\s+|your\s+)?(?:prompt|input|messages|conversation|context|tokens)\b
        |\bn_?ctx|\bnum_ctx\b|\bctx[_ -]?(?:size|len\w*)\b|kv[ _-]?cache|\bwindow[ _]size\b|token[ _]window
        |total\s+text\s+bytes|上下文|最大(?:输入|输入的|模型|序列)?(?:长度|token)|(?:输入|总)?\s*tokens?\s*(?:总)?(?:数|数量|长度|上限|限制)
        |模型(?:的)?(?:最大)?(?:长度|限制|上限)
        |コンテキスト|最大(?:入力|トークン|長)|トークン(?:数|上限|制限)|컨텍스트|문맥|최대\s*(?:길이|토큰|입력)|토큰\s*(?:수|제한|한도|한계)
        |контекст\w*|(?:максимальн\w+|предел\w*)\s+(?:\w+\s+){0,2}(?:длин\w+|размер\w*|числ\w+|количеств\w+)
        |лимит\w*\s+(?:\w+\s+)?токен\w*
        |kontext\w*|(?:maximale\w*|zulässige\w*)\s+(?:\w+\s+){0,2}(?:länge|anzahl|tokenzahl|eingabe\w*|tokens?)
        |token-?limit\w*
        |contexte\b|(?:longueur|taille|nombre)\s+(?:maximale?|max)|limite\s+de\s+(?:jetons|tokens)
        |contexto\b|(?:longitud|tamaño|número|comprimento|tamanho)\s+máxim[oa]|límite\s+de\s+tokens|limite\s+de\s+tokens
        |contesto\b|lunghezza\s+massima""",
    # Whose length it is: the conversation's.
    "input": r"""
        \b(?:prompts?|inputs?|messages?|conversations?|chats?|history|dialog(?:ue)?|transcript|sequences?|thread
        |session|query|requested[ _]tokens?|request(?:ed)?[ _](?!output|completion|max)(?:\w+[ _])?tokens?)\b
        |n_keep|n_prompt_tokens|origin_input_ids|input_ids|prompt_tokens|input_tokens
        |输入|提示词?|消息|对话|對話|会话|历史|入力|プロンプト|メッセージ|会話|履歴|입력|프롬프트|메시지|대화
        |ввод\w*|входн\w+|сообщени\w+|диалог\w*|бесед\w+|промпт\w*|истори\w+|запрос\w*
        |eingabe\w*|nachricht\w*|unterhaltung\w*|gespräch\w*|anfrage\w*
        |entrée\w*|requête\w*|invite\b|entrada\w*|solicitud\w*|mensaje\w*|conversaci[oó]n\w*|mensage[mn]\w*|conversa\b
        |richiesta|messaggi\w*""",
    "request": r"\brequests?\b|请求|請求|リクエスト|요청",
    "tokens": r"\btok(?:en|s\b)|\btokens?\b|токен\w*|トークン|토큰|令牌|\bjetons?\b|_tokens?\b",
    # That it is over.
    "excess": r"""
        exceed\w*|overflow\w*|expected\s+max|not\s+possible|\bis\s+(?:just|only)\b|\brange\s+(?:of|is)\b
        |\bthe\s+(?:limit|maximum|max)\s+is\s+\d|\bover(?:runs?|shoots?
        |ran)?\s+(?:the|its|our|your|by|max\w*|limit|budget)|surpass\w*|
        too\s+(?:long|large|many|big|much|lengthy|great)|oversized?
        |(?:greater|larger|longer|more|bigger|higher|fewer|less|shorter|smaller|lower)\s+(?:\w+\s+)?(?:than|then)\b
        |\b(?:is|are|was|were|goes|go|went|being)\s+(?:well\s+|far\s+)?(?:above|beyond|over|past|outside|out\s+of)\b
        |\b(?:above|beyond|past|outside)\s+(?:the|its|our|your|max\w*|of|allowed|permitted|what)
        |out\s+of\s+(?:range|bounds|space|room|context|tokens)|ran\s+out\s+of|>=?|≥|<=|≤|\bat\s+most\b
        |(?:must|should|shall|has|have|need\w*|cannot|can't|can|may|could)\s+(?:not\s+)?(?:to\s+)?(?:be|have|contain)\s+
            (?:in\b|within|under|below|between|at\s+most|no\s+more|less|fewer|<|≤|up\s+to|\[)
        |'t\s+(?:be\s+)?fit|(?:not|cannot|no\s+longer|unable\s+to|fails?\s+to)\s+fit|not\s+(?:be\s+)?(?:long|large
        |big)\s+enough|not\s+enough
        |should\s+be\s+[\[(]|\b(?:limit|maximum|max)\s+(?:\w+\s+){0,2}(?:reached|hit|is\s+full|breached)
        |(?:reached|hit)\s+(?:the|its|our|your)\b|exhaust\w*|insufficient
        |(?:window|context|cache)\s+(?:is\s+)?(?:full|exhausted)|no\s+(?:more\s+)?(?:room|space)
        |violat\w+\s+the\s+\w*\s*limit
        |\bonly\s+(?:supports?|accepts?|allows?|handles?)\b|whereas|\blimited\s+to\b
        |超(?:过|出|限|长|過)|过长|太长|過長|大于|过大|太大|过多|超え|超過|長すぎ|大きすぎ|多すぎ|초과|너무\s*(?:길|긴|깁|크|큽|많)|넘(?:었|습|어|는)|넘을
        |превы\w+|слишком\s+(?:длин|больш|велик|много)\w*|больше,?\s+чем|не\s+помеща\w+|выходит\s+за
        |überschr\w+|übersteig\w+|zu\s+(?:lang|groß|viele?|umfangreich)\b|(?:länger|größer|mehr)\s+als
        |dépass\w+|trop\s+(?:long|grand|volumineu|de|élevé)\w*|excèd\w+|supérieur\w*\s+à
        |exced\w+|super[aoó]\w*\s|sobrepas\w+|demasiad\w+|muy\s+larg\w+|más\s+(?:larg|grand)\w+\s+que|rebas\w+
        |ultrapass\w+|muito\s+(?:long|grande)\w*|eccede\w*|super[ai]\w*\s|tropp\w+\s+lung\w+""",
    "exceed": r"""
        exceed\w*|surpass\w*|overflow\w*|超(?:过|出|限|過)|초과|превы\w+|überschr\w+|übersteig\w+|dépass\w+|exced\w+
        |ultrapass\w+""",
    "long": r"""
        too\s+(?:long|large|big|lengthy|many)|过长|太长|超长|過長|長すぎ|너무\s*(?:길|긴|깁)|слишком\s+(?:длин|больш|велик)\w*
        |zu\s+lang\w*|trop\s+long\w*|demasiad\w+\s+(?:larg|extens)\w*|muy\s+larg\w+|muito\s+long\w*|longo\s+demais
        |tropp\w+\s+lung\w+""",
    "small": r"too\s+(?:small|short)|not\s+(?:big|large|long)\s+enough",
    "limit": r"""
        \b(?:limit\w*|maximum|max|allow\w*|permitted|capacity|supports?|threshold|ceiling|cap|model(?:'s)?|budget)\b
        |上限|限制|最大|允许|制限|최대|한도|제한|лимит\w*|максим\w+|предел\w*|допуст\w+|grenze|limit|zulässig\w*|höchst\w+
        |limite\w*|maxim\w+|máxim\w+|límite\w*|autoris\w+|permit\w+""",
    "shorten": r"""
        (?:reduce|shorten|trim|truncate|decrease|cut\s+down|cut|shrink|lower|condense|compact|compress|summari[sz]e)\s+
            (?:\S+\s+){0,6}?(?:messages?|prompts?|inputs?|conversation|history|context|query)\b
        |\bshorter\s+(?:prompt|input|message|conversation|context|query)|fewer\s+(?:messages|input\s+tokens)
        |start\s+a\s+(?:new|fresh)\s+(?:chat|conversation|session|thread)
        |(?:缩短|减少|精简|减小|压缩)\S{0,8}(?:输入|提示|消息|对话|上下文|长度)|(?:入力|プロンプト|メッセージ|会話)\S{0,8}(?:短く|減ら|削減)
        |(?:입력|프롬프트|메시지|대화)\S{0,6}\s*(?:길이\S*\s*)?(?:줄|단축)|(?:сократите|уменьшите)\s+(?:\w+\s+){0,3}(?:запрос
        |сообщ|промпт|ввод|диалог|истори|контекст)\w*
        |(?:kürzen|verkürzen|reduzieren)\s+(?:\w+\s+){0,3}(?:eingabe|nachricht|prompt|unterhaltung|gespräch|anfrage)\w*
        |(?:réduisez|raccourcissez|réduire|raccourcir)\s+(?:\S+\s+){0,4}(?:entrée|message|prompt|conversation
        |requête)\w*
        |(?:reduzca|reduce|acorte|acorta|reduzir|reduza)\s+(?:\S+\s+){0,5}(?:entrada|mensaje|prompt|conversaci
        |solicitud|mensagen)\w*""",
    # Whose length it is: something else's.
    "output": r"""
        max_?(?:completion_|new_|output_|gen\w*_|response_)?tokens\b|max_?length\b|\bmaxoutputtokens\b
        |\bmaxtokens\b|num_predict|max_tgt_len
        |max_gen_len|tokens_to_generate
        |\b(?:output|completion|generated|generation|response|new|answer|reply)[ _-]+(?:tokens?|length|limit
        |size|budget)
        |(?:maximum|max)\s+tokens\s+(?:you\s+)?(?:requested|value|parameter|to\s+generate)|(?:requested
        |max)\s+(?:output|completion)
        |\bmax\s+(?:completion|output|new)\s+tokens|thinking[._ ](?:budget|tokens)|budget_tokens|reasoning\s+tokens
        |输出|生成(?:的)?(?:最大)?(?:长度|token)|出力|출력|вывод\w*|ответ\w*|генер\w+|ausgabe\w*|sortie\b|salida\b|saída\b""",
    "bulk": r"""
        \bbytes?\b|\b\d+(?:\.\d+)?\s*(?:[kmg]i?b|megabytes?|kilobytes?)\b|\b[kmg]i?b\b|megabyte\w*|image\w*
        |file\s*size|\bfiles?\b|\bpdfs?\b|\bpages?\b|
        pixels?|audio|video|payload|request[ _](?:entity|body)|body\s+(?:is\s+)?(?:too|exceed)|body\s+size
        |content[ -]length|attachment\w*|base64
        |字节|图片|图像|文件|画像|ファイル|バイト|이미지|파일|바이트|изображени\w+|файл\w*|байт\w*|bild\w*|datei\w*|imagen\w*|archivo\w*
        |fichier\w*""",
    "field": r"""
        \bstrings?\b|\barrays?\b|\blists?\b|\btools?\b|\bfunctions?\b|schema|description|\bcharacters?\b
        |\bchars\b|\bbatch\b|\bdocuments?\b|
        embedding\w*|\bstop\s+sequences?|temperature|top_p|top_k|\bseed\b|logprobs|metadata|\bname\b|\bid\b
        |\buser\b|\bmaxlength|expected\s+max\s+length|
        max_?items|\bbest_of\b|\benum\b|\btexts?\b|properties|\bitems\b|cache_control|\bkeys?\b|\blabels?\b|dimensions?
        |字符|工具|数组|文字|ツール|문자|도구|символ\w*|строк\w*|zeichen\b|werkzeug\w*|caractères|caracteres|herramienta\w*""",
    # Other reasons to say no.
    "rate": r"""
        rate[ _-]*limit\w*|limit_burst_rate|per[ _-]*(?:minute|second|hour|min\b|sec\b)|/\s*min\b|\b[tr]p[ms]\b
        |too\s+many\s+(?:requests|concurrent)|throttl\w+|
        requests?\s+(?:per|rate)|request\s+rate|request\s+limit\s+(?:\w+\s+){0,5}reached|\bqps\b|request\s+burst|slow\s+down|please\s+wait\s+before|concurren\w+|too\s+quickly
        |too\s+frequent\w*|usage\s+size\s+allowed|cooldown
        |请求\S{0,3}超过限额|频率|限流|速率|每分钟|并发|请求过于频繁|レート|毎分|リクエスト数|분당|속도\s*제한|요청\s*한도|лимит\w*\s+запрос\w*|в\s+минуту|частот\w+
        |pro\s+minute|ratenlimit\w*|anfragelimit|par\s+minute|limite\s+de\s+débit|trop\s+de\s+requêtes
        |por\s+minuto|límite\s+de\s+(?:velocidad|frecuencia|solicitudes)|demasiadas\s+solicitudes""",
    "money": r"""
        \bquotas?\b|billing|\bbalance\b|(?<!no\s)\bcredits?\b|payment|spend(?:ing)?\b|subscription\s+(?:\w+\s+){0,3}(?:expired|required|needed|ended)
        |(?:no|without|invalid|needs?|requires?|have)\s+(?:an?\s+)?(?:\w+\s+){0,3}subscription\b(?!\s+key)
        |used\s+(?:up\s+)?all\b|service\s+has\s+been\s+(?:paused|suspended)|\bbudget\s+has\s+been|max\s+budget
        |\bfunds?\b|prepa(?:y|id)\w*|can\s+only\s+afford|arrear\w*|overdue
        |extra\s+usage\s+is\s+required|upgrade\s+to\s+(?:plus|pro|a\s+paid)|free\s+(?:tier|plan)|usage\s+limits?
        |余额|欠费|用尽|耗尽|用完|配额|额度|充值|残高|クレジット|割り当て|잔액|할당량|크레딧|баланс\w*|средств\w*|квот\w*|оплат\w+|guthaben|kontingent\w*
        |solde|crédits?|quota|saldo|cuota\w*|créditos""",
    "key": r"""
        api[ _-]?keys?|authenticat\w+|unauthori[sz]ed|credentials?|(?:access|security|bearer|auth\w*)[ _]token
        |not\s+authori[sz]ed|permission|access\s+denied|forbidden|
        invalid\s+token|token\s+(?:has\s+)?expired|密钥|鉴权|身份验证|認証|인증|аутентифик\w+|авториз\w+|ключ\w*|schlüssel
        |clave|clé\b""",
    "trouble": r"""
        overloaded|high\s+demand|unable\s+to\s+process\s+your\s+request|(?:over|at|no|out\s+of
        |insufficient)\s+capacity|capacity\s+(?:temporarily\s+)?exceeded|currently\s+(?:loading
        |unavailable|overloaded)|temporarily|internal\s+(?:server\s+)?error|unavailable|bad\s+gateway|
        upstream|server\s+had\s+an\s+error|something\s+went\s+wrong|try\s+again\s+later|retry\s+your\s+request
        |error\s+(?:occurred\s+)?(?:while\s+)?(?:streaming|processing\s+stream)
        |繁忙|过载|稍后|混雑|過負荷|과부하|перегруж\w+|попробуйте\s+позже|überlastet|surchargé\w*|sobrecargad\w+""",
    "silence": r"""
        timed?[ -]?out\b|timeout|connection\s+(?:error|reset|refused|aborted|closed)|server\s+disconnected
        |peer\s+closed|unexpected\s+eof|broken\s+pipe|name\s+resolution""",
    "policy": r"""
        usage\s+polic\w+|content\s+(?:policy|filter\w*|management)|flagged\s+(?:as|for|by)\b
        |(?<!case[ -])(?<![a-z])sensitive\b|\bunsafe\b|risk\s+detection|safety\s+(?:system|reasons
        |filter)|moderation|inappropriate\s+content|
        敏感|违规|不当|不適切|부적절""",
    "stated": r"max(?:imum)?\s+(?:context|input|prompt|sequence)\s+(?:length|characters)\s+(?:is|of|:)\s*\d",
    "setting": r"""
        \b(?:num_ctx|max_model_len)\s+(?:must|should|cannot|is\s+(?:greater|larger))
        |max\s+seq\s+len\s+\(\d+\)\s+is\s+larger""",
    "embedding": r"\bembed\w*|in\s+batch|\b0\s+(?:tokens\s+)?(?:for|in)\s+the\s+completion|向量",
    # Where a field stands, and whether it holds what was said.
    "bytes": r"\d\s*(?:bytes|[kmg]i?b)\b|(?:\bmax\w*|limit|size)\W+(?:\w+\s+){0,2}(?:bytes|[kmg]i?b)\b",
    "files": r"\bfiles?\b|\bbytes?\b",
    "body": r"request[ _](?:entity|body)|payload|\bbody\s+(?:size|too|exceed)",
    "slow": r"took\s+too\s+long|\btimed\s*out\b|タイムアウト|超时|시간\s*초과|время\s+ожидания",
    "place": r"""
        \#/\w+|\w\[\d+\]|['`"]\w[\w.\[\]]*['`"]|\btools?\.\d|(?:^|[\W_])(?:name|key|label|id|description|title
        |argument)s?\b""",
    "spoken": r"""
        \b(?:messages|input|contents|prompt)(?:[.\[]+\d+\]?)?(?:\.(?:content|text|parts
        |output)(?:[.\[]+\d+\]?)*(?:\.(?:text|content))?)?
        ['`\"]?\s*(?::|string|array|is\b|must\b)""",
    "characters": r"""
        \bcharacters?\b|\bchars\b|\bmaxlength|expected\s+max\s+length|string\s+(?:value\s+)?(?:length|too)|字符
        |символ\w*|zeichen\b
        |caractères|caracteres|文字|글자""",
    "day": r"""
        per[ _-]*day
        |/\s*(?:day|month)\b|daily
        |per[ _-]*month|monthly|\b[tr]pd\b|this\s+month|每天|每日|今日|1日|하루|일일|в\s+(?:день|сутки
        |месяц)|суточн\w+|дневн\w+
        |pro\s+tag|täglich\w*|par\s+jour|quotidien\w*|por\s+día|diari[oa]\w*""",
    "counted": r"""
        \d[\W]{0,3}(?:tokens?\s+)?(?:(?:in|of|from|for)\s+(?:the\s+|your\s+)?)?(?:input|prompt|messages
        |text\s+input)|(?:input|prompt)\s+(?:length\s+)?(?:is|has|contains|of)\s+(?:at\s+least\s+)?\d""",
    "fewest": r"at\s+least|minimum|too\s+(?:few|short|small)|non-?empty|不能为空|至少",
    "minimum": r"\bminimum\b",
    "peak": r"peak\s+load",
    "grpc": r"(?:sent|received)\s+message\s+larger\s+than\s+max",
    "cut": r"""
        could\s+not\s+parse\s+response\s+content\s+as\s+the\s+length|max_?tokens\W+(?:limit\s+)?(?:was\s+
        |has\s+been\s+)?reached
        |(?:output|completion|response|generation)\s+(?:token\s+|length\s+)?limit\s+(?:was\s+
        |has\s+been\s+)?(?:reached|hit)""",
    "malformed": r"""
        \binvalid\b|unsupported|not\s+supported|'t\s+supported|not\s+permitted|not\s+allowed
        |does\s+not\s+exist|malformed|unexpected
        |(?:must|cannot|should)\s+(?:not\s+)?be\b|unknown\s+(?:parameter|model|field)|not\s+found|required|missing""",
    "compaction": r"compact(?:ion|ed)\b",
}  # fmt: skip
"""The vocabulary of refusals: what a word is about, in any language. Regular expressions, blanks insignificant."""


@dataclass(frozen=True, slots=True)
class Wording:
    """What a sentence means that speaks of some things and not of others."""

    verdict: Verdict
    speaks_of: frozenset[str]
    not_of: frozenset[str]
    example: str


def _wording(verdict: Verdict, speaks_of: str, *, not_of: str = "", example: str) -> Wording:
    return Wording(verdict, frozenset(speaks_of.split()), frozenset(not_of.split()), example)


WORDINGS: Final = (
    _wording(TOO_LARGE, "grpc", example="Sent message larger than max (50000056 vs. 20971520)"),
    _wording(INVALID, "setting", example="max_model_len is greater than what the model was made for"),
    _wording(OVERFLOW_BY_COMPACTION, "compaction excess", example="The compaction block is too long for the window"),
    _wording(OUTPUT_ASKED, "output excess", not_of="input", example="max_tokens is too large: 1048576"),
    _wording(REFUSED, "policy", not_of="excess", example="your prompt was flagged as violating our usage policy"),
    _wording(NETWORK, "slow", example="The model took too long to answer"),
    _wording(TOO_LARGE, "bytes excess", not_of="tokens", example="message size 34000000 exceeds limit 33554432 bytes"),
    _wording(TOO_LARGE, "bulk excess", not_of="window tokens", example="413 Request Entity Too Large"),
    _wording(OUTPUT_REACHED, "cut", example="The output limit was reached"),
    _wording(FIELD, "embedding excess", example="Too many tokens in batch"),
    _wording(FIELD, "embedding window", example="155434 in your prompt; 0 for the completion"),
    _wording(TOO_LARGE, "spoken field excess", not_of="tokens", example="'input[0].content': string too long"),
    _wording(FIELD, "place field excess", not_of="tokens window", example="Invalid 'tools': array too long"),
    _wording(TOO_LARGE, "characters excess", not_of="tokens", example="expected maxLength: 42000, actual: 46735"),
    _wording(FIELD, "field excess", not_of="window tokens", example="`best_of` must be > 0 and <= 2"),
    _wording(OVERFLOW, "window excess", example="Your input exceeds the context window of this model"),
    _wording(OVERFLOW, "window small", not_of="minimum", example="n_ctx is too small"),
    _wording(OVERFLOW, "input long", example="Prompt is too long"),
    _wording(OVERFLOW, "input tokens excess", example="Too many input tokens"),
    _wording(OVERFLOW, "request tokens excess", example="Request too large: 9000 tokens"),
    _wording(OVERFLOW, "tokens excess limit", not_of="output", example="Requested tokens are above the model's limit"),
    _wording(OVERFLOW, "input exceed limit", not_of="output field bulk", example="Your prompt exceeds the limit"),
    _wording(OVERFLOW, "shorten", example="Please reduce the length of the messages"),
)
"""What one sentence means, tried in this order."""

FIRST_WORDINGS: Final = (
    _wording(OVERFLOW, "body excess tokens", not_of="bytes", example="Request body too large. Max size: 8000 tokens"),
)
"""What a whole message means, whatever its sentences say alone."""

WHOLE_WORDINGS: Final = (
    _wording(OVERFLOW, "window pair", not_of="fewest", example="The context window is 8192 tokens. You sent 9000."),
    _wording(
        OVERFLOW, "tokens excess pair", not_of="fewest output field bulk", example="9000 tokens are more than 8192"
    ),
    _wording(OVERFLOW, "stated", not_of="fewest", example="The maximum input length is 4096 tokens"),
    _wording(OVERFLOW, "input tokens pair", not_of="fewest", example="Your prompt: 9000 tokens. Allowed: 8192."),
)
"""What a whole message means that no sentence of it tells alone; ``pair``: a count and a smaller limit."""

OTHER_WORDINGS: Final = (_wording(AUTH, "key", not_of="excess", example="API key not valid"),)
"""What one sentence means where codes tell nothing."""

CODE_WORDINGS: Final = (
    _wording(REFUSED, "policy", example="InputTextRiskDetection"),
    _wording(QUOTA, "money", example="InvalidSubscription"),
    _wording(RATE, "rate", example="RequestBurstTooFast"),
    _wording(AUTH, "key", not_of="excess", example="AccessDenied"),
)
"""What a code that no table knows says in words, where nothing else tells."""

TROUBLE_WORDINGS: Final = (
    _wording(INVALID, "malformed", not_of="silence trouble", example="'max_tokens' is not supported with this model"),
    _wording(OVERLOADED, "trouble", example="The engine is currently overloaded"),
    _wording(NETWORK, "silence", example="Request timed out."),
)
"""What one sentence means where codes tell nothing and no status blames the request."""

FIELD_NUMBERS: Final = {"nprompttokens": "tokens", "nctx": "limit"}
"""Fields of a body that count, as llama.cpp has them (ggml-org/llama.cpp tools/server)."""

WINDOW_FIELDS: Final = (
    "knownwindow",
    "contextwindow",
    "contextlength",
    "maxcontextlength",
    "maxmodellen",
    "numctx",
    "nctx",
)
"""Fields that name the window beside an answer, as LM Studio's ``model_info`` has it."""

IN_USAGE: Final = ("prompttokens", "inputtokens", "prompttokencount", "promptevalcount")
OUT_USAGE: Final = ("completiontokens", "outputtokens", "candidatestokencount", "evalcount")

CUT_TO: Final = 0.5
"""Of our estimate; an estimate may be off, but not by half."""

LONG_WAIT: Final = 600.0
"""Seconds; who has to wait longer must not sit in a retry loop."""
