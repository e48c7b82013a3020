"""
Ways to say no, in our own words: none is any provider's text.

One row is a sentence with the tokens and the limit that can be read from it. The status is 400 unless the
section says otherwise.
"""

from __future__ import annotations

from typing import Final

Row = tuple[str, int | None, int | None]

OVERFLOW: Final[tuple[Row, ...]] = (
    # English: subject, relation, object, in many orders
    ("The prompt you sent is 210000 tokens long, which is longer than the 200000 this model can read.", 210000, 200000),
    ("Your conversation no longer fits in the context window.", None, None),
    ("The conversation history does not fit into the model's context window (131072 tokens).", None, 131072),
    ("context window exceeded", None, None),
    ("Context length exceeded: got 9001 tokens, maximum 8192.", 9001, 8192),
    ("CONTEXT_WINDOW_EXCEEDED", None, None),
    ("The total number of tokens (140,512) is above the model's context size of 131,072.", 140512, 131072),
    ("Sequence length of 40000 is greater than the maximum sequence length 32768.", 40000, 32768),
    ("Sequence too long: 40000 tokens, this model handles up to 32768.", 40000, 32768),
    ("Number of prompt tokens must not exceed 16384, received 20000.", 20000, 16384),
    ("Prompt tokens: 20000. Maximum allowed: 16384.", 20000, 16384),
    ("Prompt length 35001 is over the configured max_model_len 32768.", 35001, 32768),
    ("max_model_len (32768) exceeded by prompt of 35001 tokens.", 35001, 32768),
    ("input_tokens=35001 is out of range, must be between 1 and 32768.", 35001, 32768),
    ("The length of your input (35001) surpasses what the model allows (32768 tokens).", 35001, 32768),
    ("Input size 35001 tokens > model limit 32768 tokens", 35001, 32768),
    ("Your messages contain 150k tokens but the model only supports 128k tokens.", 150000, 128000),
    ("Requested tokens (5000) exceed the context window of 4096.", 5000, 4096),
    ("The request would need 5000 tokens of context, but only 4096 are available in the KV cache.", 5000, 4096),
    ("Not enough KV cache slots for a prompt of 70000 tokens (capacity: 65536).", 70000, 65536),
    ("The prompt cannot fit in the KV cache.", None, None),
    ("Token budget exhausted: the prompt uses 70000 of 65536 context tokens.", 70000, 65536),
    ("Your prompt has overflowed the context.", None, None),
    ("Context overflow: prompt too large for the model.", None, None),
    ("Prompt too large. Try again with a shorter prompt.", None, None),
    ("The messages you passed are too long for this model.", None, None),
    ("This chat is too long. Please start a new chat.", None, None),
    ("Input too long.", None, None),
    ("Query is too long for the selected model.", None, None),
    ("Too many tokens in prompt.", None, None),
    ("Too many input tokens: 300000 (limit 262144).", 300000, 262144),
    ("Total input tokens of 300000 exceeds the limit of 262144 tokens for this deployment.", 300000, 262144),
    ("The number of input tokens should be less than 32000 but is 41230.", 41230, 32000),
    ("input token count must be at most 32000", None, 32000),
    ("Input exceeds the maximum allowed tokens for model qwen-plus.", None, None),
    ("Input validation failed: prompt length exceeds maximum sequence length.", None, None),
    ("ValueError: prompt (9000 tokens) exceeds n_ctx (8192 tokens)", 9000, 8192),
    ("n_ctx too small: need 9000, have 8192", 9000, 8192),
    ("prompt has 9000 tokens but num_ctx is 8192; increase num_ctx or shorten the prompt", 9000, 8192),
    ("the request exceeds the available context size, try increasing it", None, None),
    ("request (35999 tokens) exceeds the available context size (32768 tokens)", 35999, 32768),
    ("length of prompt_tokens (147509) must be less than max_seq_len (65536).", 147509, 65536),
    ("Prompt is too long, max tokens supported is 2048 or less, got 3030", 3030, 2048),
    ("The model's context is limited to 8192 tokens, whereas your request amounts to 9100 tokens.", 9100, 8192),
    ("We could not process 9100 tokens: the maximum for the prompt is 8192.", 9100, 8192),
    ("The maximum prompt length is 131072 but the request contains 537812 tokens.", 537812, 131072),
    ("Your request exceeded the model token limit: 262144 (requested: 300000)", 300000, 262144),
    ("Invalid request: your request exceeded model token limit : 8192", None, 8192),
    ("Input is longer than the maximum number of tokens allowed for this endpoint.", None, None),
    ("This endpoint accepts a maximum of 8000 tokens of input; yours had 12000.", 12000, 8000),
    ("Please shorten your input or conversation history.", None, None),
    ("Please reduce the size of your prompt and retry.", None, None),
    ("Request too large for the context: shorten the messages.", None, None),
    ("prompt length (210000) + max_tokens (4096) exceeds the context length (200000)", 210000, 200000),
    ("190000 + 20000 > 200000: input plus max_tokens is above the context limit", 190000, 200000),
    ("'max_tokens' is too large: 6048. The window holds 8192 tokens, your request has 3000 input tokens.", 3000, 8192),
    ("The sum of prompt tokens (7000) and max tokens (2000) exceeds the maximum context of 8192.", 7000, 8192),
    ("Error in model execution: the decoder prompt (length 40000) is longer than the maximum model length of 32768.",
     40000, 32768),
    ("An image item of length 3000 in the prompt exceeds the maximum model length of 2048", 3000, 2048),
    ("Model input cannot exceed 4096 tokens.", None, 4096),
    ("text is too long for model: 600 tokens over the context window", None, None),
    ("Your input is over the token limit by 600 tokens.", None, None),
    ("The context window of this model (32k) has been exceeded.", None, 32000),
    ("Conversation exceeds maximum context of 1M tokens.", None, 1000000),
    ("Trying to keep 13055 tokens although the context holds 4096.", 13055, 4096),
    ("Messages have 10 500 tokens, which exceeds the max limit of 8 192 tokens.", 10500, 8192),
    ("exceeds_context: prompt tokens 10.500, limit 8.192 tokens", 10500, 8192),
    ("The thread has grown beyond what the model's context window can hold.", None, None),
    ("transcript too long for model context", None, None),
    ("Session context is full; start a new session.", None, None),
    ("The model ran out of context.", None, None),
    ("insufficient context space for 50000 prompt tokens", 50000, None),
    # Chinese
    ("输入长度超过模型最大上下文长度", None, None),
    ("输入的 tokens 数 210000 超过最大限制 131072", 210000, 131072),
    ("上下文过长，请缩短对话后重试", None, None),
    ("提示词太长", None, None),
    ("请求的token数(35000)超出模型上限(32768)", 35000, 32768),
    ("消息总长度超过模型限制，请减少输入内容", None, None),
    ("输入内容过长，最多支持 8192 个 token", None, 8192),
    ("對話內容超過模型的上下文視窗", None, None),
    # Japanese
    ("プロンプトが長すぎます", None, None),
    ("入力トークン数 35000 がモデルの上限 32768 を超えています", 35000, 32768),
    ("コンテキスト長を超過しました", None, None),
    ("会話がコンテキストウィンドウの上限を超えました。メッセージを短くしてください。", None, None),
    # Korean
    ("입력이 너무 깁니다", None, None),
    ("프롬프트 토큰 수 35000이 최대 한도 32768을 초과했습니다", 35000, 32768),
    ("컨텍스트 길이를 초과했습니다", None, None),
    ("대화가 모델의 컨텍스트 창을 넘었습니다", None, None),
    # Russian
    ("Запрос слишком длинный", None, None),
    ("Превышена максимальная длина контекста модели", None, None),
    ("Количество токенов в запросе (35000) превышает максимально допустимое значение 32768", 35000, 32768),
    ("Длина контекста превышена: 9000 токенов, лимит 8192", 9000, 8192),
    ("Диалог не помещается в контекстное окно. Сократите сообщения.", None, None),
    ("Превышен лимит токенов модели", None, None),
    # German
    ("Die Eingabe ist zu lang für dieses Modell.", None, None),
    ("Das Kontextfenster von 128.000 Token wurde überschritten.", None, 128000),
    ("Die Anfrage enthält 35.000 Token und überschreitet damit das Limit von 32.768 Token.", 35000, 32768),
    ("Maximale Kontextlänge überschritten. Bitte kürzen Sie die Unterhaltung.", None, None),
    ("Die Nachrichten sind länger als das Kontextfenster.", None, None),
    # French
    ("L'entrée dépasse la fenêtre de contexte du modèle.", None, None),
    ("Le prompt est trop long : 35000 jetons, la limite est de 32768.", 35000, 32768),
    ("La longueur maximale du contexte est dépassée.", None, None),
    ("La conversation est trop longue pour ce modèle.", None, None),
    # Spanish, Portuguese, Italian
    ("La entrada supera la ventana de contexto del modelo.", None, None),
    ("El mensaje es demasiado largo para este modelo.", None, None),
    ("Se ha excedido el límite de tokens de la conversación.", None, None),
    ("La longitud del prompt (35000) excede el máximo de 32768 tokens.", 35000, 32768),
    ("A conversa excede o tamanho máximo do contexto.", None, None),
    ("Il messaggio supera la finestra di contesto del modello.", None, None),
)  # fmt: skip

RATE: Final[tuple[str, ...]] = (  # 429
    "Too many tokens per minute. Slow down.",
    "Rate limit: input tokens per minute exceeded for this key.",
    "Tokens per min (TPM) limit reached: 100000 used, try again in 12s.",
    "You are sending requests too quickly.",
    "Request was throttled.",
    "Too many concurrent requests.",
    "The token rate limit of your tier has been exceeded. Retry after 7 seconds.",
    "The prompt would exceed your input token rate limit for this minute.",
    "请求过于频繁，请稍后再试",
    "每分钟 token 数超过限制",
    "レート制限を超えました",
    "요청 한도를 초과했습니다. 분당 요청 수를 줄이세요.",
    "Превышен лимит запросов в минуту",
    "Zu viele Anfragen pro Minute",
    "Trop de requêtes par minute",
    "Demasiadas solicitudes por minuto",
)

QUOTA: Final[tuple[tuple[int, str], ...]] = (
    (429, "Daily token quota used up; it resets at midnight."),
    (429, "You have hit your monthly spending limit."),
    (429, "Too many tokens today: the per-day allowance is used up."),
    (400, "Your credit balance is too low for this request."),
    (403, "Billing is not active on this account."),
    (402, "Insufficient credits: the prompt costs more than you have."),
    (402, "Payment required"),
    (400, "Account has no balance left, please top up."),
    (429, "账户余额不足，请充值"),
    (403, "免费额度已用完"),
    (402, "残高が不足しています"),
    (402, "잔액이 부족합니다"),
    (402, "Недостаточно средств на балансе"),
    (402, "Guthaben aufgebraucht"),
    (402, "Solde insuffisant"),
    (402, "Saldo insuficiente"),
)

OUTPUT: Final[tuple[str, ...]] = (
    "max_tokens: 64000 > 32000, the most this model can write",
    "max_tokens must be less than or equal to 8192",
    "The value of max_completion_tokens is larger than the model's maximum output of 16384 tokens.",
    "`max_new_tokens` must be <= 512. Given: 1024",
    "maxOutputTokens is out of range: supported are values from 1 to 65536",
    "Requested output tokens exceed the maximum for this model.",
    "max_output_tokens is above the maximum value. Expected a value <= 8192, but got 10000 instead.",
    "Maximum number of output tokens exceeded: 4096.",
    "max_tokens is greater than the context window of the model",
    "max_tokens 超过模型最大输出长度 8192",
    "Значение max_tokens превышает максимум 4096",
    "max_tokens überschreitet das Maximum von 4096",
    "max_tokens dépasse la limite de 4096",
    "max_tokens supera el máximo de 4096",
)

OTHER_FIELDS: Final[tuple[str, ...]] = (  # invalid requests, whatever their numbers
    "tools.3.description: string is longer than 1024 characters",
    "Invalid 'tools[2].function.name': string too long. It may have 64 characters, but has 71.",
    "Too many tools: 200, at most 128 are allowed.",
    "Too many stop sequences: at most 4 are allowed.",
    "The field 'user' may have 64 characters at most, but has 80",
    "temperature must be less than or equal to 2",
    "top_p must not exceed 1",
    "The schema of response_format is nested too deeply: at most 5 levels.",
    "metadata has too many keys: at most 16",
    "Batch size 300 exceeds the maximum of 96 texts for embeddings",
    "This embedding model accepts at most 8192 tokens; your input has 9000.",
    "messages.4: `tool_result` without a `tool_use` before it",
    "Unknown parameter: 'max_token'",
    "The model `window-large` does not exist",
    "messages: at least one message is required",
    "Unsupported value: 'reasoning_effort' does not support 'max' with this model.",
    "Property names must be at most 64 characters",
    "The cached content has 1000 tokens; at least 2048 are needed to cache.",
    "Expected a value for 'context' in the tool's arguments",
)

TOO_LARGE: Final[tuple[tuple[int, str], ...]] = (
    (413, "Request Entity Too Large"),
    (413, "The request body is larger than 32 MB."),
    (413, ""),
    (413, "Payload exceeds 10485760 bytes"),
    (400, "Image exceeds the maximum of 5 MB: 6291456 bytes"),
    (400, "The PDF has 1200 pages; the maximum is 1000 pages."),
    (400, "File size 60 MB exceeds the limit of 50 MB"),
    (400, "total message size 34000000 exceeds limit 33554432 bytes"),
    (400, "图片大小超过限制"),
    (400, "Размер файла превышает 20 МБ"),
    (400, "Das Bild ist zu groß"),
    (400, "Request body exceeds the maximum size of 4 MB"),
)

AUTH: Final[tuple[tuple[int, str], ...]] = (
    (401, "No auth credentials found"),
    (401, "Invalid token"),
    (403, "You do not have access to this model"),
    (400, "Your API key is not valid"),
    (403, "The bearer token has expired"),
    (401, "密钥无效"),
)

OVERLOADED: Final[tuple[tuple[int | None, str], ...]] = (
    (503, "The model is overloaded. Please try again later."),
    (529, "Overloaded"),
    (500, "Internal server error"),
    (502, "Bad Gateway"),
    (503, "Model is warming up"),
    (None, "The server had an error while processing your request"),
    (None, "Our servers are at capacity right now"),
    (503, "服务繁忙，请稍后重试"),
    (500, "Something went wrong while reading a long answer"),
)

NETWORK: Final[tuple[str, ...]] = (
    "Connection reset by peer",
    "Request timed out after 60 seconds: the prompt took too long",
    "Server disconnected without sending a response",
    "The model took too long to respond",
    "Connection aborted.",
)

POLICY: Final[tuple[str, ...]] = (
    "The content was blocked by the safety filter",
    "Your message was flagged by our moderation system",
    "Your prompt violates the content policy",
    "输入内容包含敏感信息",
)

UNTOLD: Final[tuple[str, ...]] = (  # exceptions of somebody else's code
    "list index out of range",
    "In the context of this file, the list is longer than expected",
    "'NoneType' object has no attribute 'content'",
    "division by zero",
    "the window was closed",
)
