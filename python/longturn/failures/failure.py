"""What a refusal, or an answer, means: the same few facts for every provider."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class FailureKind(StrEnum):
    """Why a request failed."""

    CONTEXT_OVERFLOW = "context_overflow"
    """The conversation is longer than the model's window."""
    INVALID_REQUEST = "invalid_request"
    """The provider will never take this request as it is."""
    PAYLOAD_TOO_LARGE = "payload_too_large"
    """Too many bytes, whatever the tokens: a body, a file, an image."""
    RATE_LIMITED = "rate_limited"
    """Too much in too short a time; passes."""
    QUOTA = "quota"
    """Money or a daily allowance has run out; does not pass by waiting a little."""
    AUTH = "auth"
    """The key is wrong, or may not do this."""
    OVERLOADED = "overloaded"
    """The provider's trouble; passes."""
    NETWORK = "network"
    """No answer came: refused, cut off, timed out."""
    OUTPUT_LIMIT = "output_limit"
    """The answer's length is the trouble, asked for or reached; not the conversation's."""
    UNKNOWN = "unknown"
    """Nothing tells."""
    NONE = "none"
    """No failure: a normal answer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """What is known of one refused request."""

    kind: FailureKind
    retryable: bool
    """Whether the same request may succeed if it is sent again soon."""
    page: bool
    """Whether the team should be alerted."""
    message: str | None = None
    """A sentence for the person; None where there is nothing for them to do."""
    status: int | None = None
    """The HTTP status, where there was one."""
    provider_message: str | None = None
    """The provider's own words."""
    tokens: int | None = None
    """How long the request was, in tokens, as the provider says."""
    limit: int | None = None
    """How long it might have been, in tokens."""
    output: int | None = None
    """How many were asked for the answer, where the provider counts them against the limit."""
    excess: int | None = None
    """By how many tokens it was too long, where the provider says so."""
    retry_after: float | None = None
    """Seconds to wait before sending again, where the provider says."""
    shrink_helps: bool = False
    """Whether a smaller conversation would cure it."""
    advice: str | None = None
    """What the developer can change; None where there is nothing, or the person can help themselves."""
