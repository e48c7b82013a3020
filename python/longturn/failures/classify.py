"""
What a refusal means, and whether to send the same request again.

Codes are read before words, and what says more before what says less: transport, decisive codes, money and
rate, the answer's limit, the limit of one field, and the conversation's length last.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import cache
from typing import Final

from longturn.failures import table
from longturn.failures.evidence import Evidence
from longturn.failures.failure import Failure, FailureKind
from longturn.failures.numbers import Numbers, is_count, least_limit, numbers
from longturn.failures.reading import attribute, is_error, links, read
from longturn.failures.table import Names, Verdict, Wording
from longturn.failures.vocabulary import concepts, sentences, spaced
from longturn.failures.waiting import retry_after
from longturn.wording import phrases

_SAID_CHARS: Final = 2_000
_CODE_WORD_CHARS: Final = 8  # shorter codes are no sentence
_OF_A_REQUEST: Final = (table.FIELD, table.TOO_LARGE)


def classify(error: object, *, language: str = "en", window: int | None = None, estimate: int | None = None) -> Failure:
    """
    Return what an error of any SDK, a response, a decoded body or an answer means.

    No SDK is imported, nothing is awaited, and whatever ``error`` is, this does not raise; a failure that
    was made of one before is returned as it is. ``language``
    is the language of ``Failure.message``. Some servers cut what is too long and say nothing: ``window``
    (the model's, in tokens) and ``estimate`` (what was sent, in tokens) show it in an answer's usage.

    Raises:
        TypeError: ``window`` or ``estimate`` is no whole number.
        ValueError: there are no texts in ``language``, or ``window`` or ``estimate`` is negative.
    """
    words = phrases(language)
    known = {"contextwindow": _known("window", window), "estimatedprompttokens": _known("estimate", estimate)}
    heard: Failure | None = None
    is_settled = False
    for link in links(error):
        if (told := _told(link)) is not None:
            return told
        if is_settled and heard is not None and _is_complete(heard):
            break
        evidence = read(link, known=known)
        verdict, is_sure = _judge(evidence)
        failure = _failure(evidence, verdict, words)
        if heard is None or (not is_settled and (is_sure or heard.kind is FailureKind.UNKNOWN)):
            heard, is_settled = failure, is_sure
        elif failure.kind is heard.kind and any(link is cause for cause in links(error, implied=False)):
            heard = _completed(heard, failure)
    return heard or _failure(Evidence(), table.UNKNOWN, words)


def _is_complete(failure: Failure) -> bool:
    return failure.status is not None and (failure.tokens is not None or not failure.shrink_helps)


def _completed(failure: Failure, cause: Failure) -> Failure:
    """Return what a wrapper and its cause say together: the one that names numbers, and what it leaves open."""
    is_silent = failure.tokens is None and failure.limit is None
    better, other = (cause, failure) if is_silent and (cause.tokens or cause.limit) else (failure, cause)
    return replace(
        better,
        status=other.status if better.status is None else better.status,
        retry_after=other.retry_after if better.retry_after is None else better.retry_after,
    )


def _known(name: str, tokens: int | None) -> int | None:
    if tokens is not None and (isinstance(tokens, bool) or not isinstance(tokens, int)):
        raise TypeError(f"{name} must be a whole number of tokens, or None (got {tokens!r})")
    if tokens is not None and tokens < 0:
        raise ValueError(f"{name} must be 0 tokens or more (got {tokens}); leave it out where it is not known")
    return tokens


def _told(link: object) -> Failure | None:
    """Return what was made of an error before: a failure, or what carries one, as `ConversationTooLong` does."""
    told = attribute(link, "failure") if is_error(link) else link
    return told if type(told) is Failure else None


def is_retryable(error: object) -> bool:
    """
    Tell whether the same request may succeed if it is sent again soon.

    False for every request that was refused as invalid. Fits ``tenacity.retry_if_exception``,
    ``stamina.retry(on=...)`` and ``RetryPolicy(retry_on=...)`` as it is. Never raises.
    """
    return classify(error).retryable


def _judge(evidence: Evidence) -> tuple[Verdict, bool]:
    """Return what the evidence amounts to, and whether nothing deeper in the chain can say better."""
    if evidence.is_answer and not evidence.texts and (evidence.status or 200) < 400:
        return _ending(evidence), True
    decided = _named(table.DECISIVE_CODES, evidence.codes) or _named(table.DECISIVE_CLASSES, evidence.classes)
    if decided:
        return decided, True
    spoken = _spoken(evidence)
    sure = (
        _refused_for_money_or_rate(evidence, spoken)
        or _worded(evidence, spoken)
        or _spelled(evidence, table.WORDINGS, only=table.OVERFLOW)
        or _named(table.CODES, evidence.codes)
        or _first(table.OTHER_WORDINGS, spoken)
        or _spelled(evidence, table.CODE_WORDINGS)
        or (None if _blames_the_request(evidence.status) else _in_trouble(evidence, spoken))
    )
    if sure:
        return sure, True
    return _by_class_or_status(evidence, spoken), False


def _spoken(evidence: Evidence) -> list[frozenset[str]]:
    """Return what each sentence speaks of: embeddings too where one was asked for, the answer where it is meant."""
    always = frozenset({"embedding"}) if evidence.path.rstrip("/").endswith(("embeddings", "embed")) else frozenset()
    if any("output" in concepts(spaced(name)) for name in evidence.params):
        always |= {"output"}
    return [concepts(sentence) | always for text in evidence.texts for sentence in sentences(spaced(text))]


def _named(rows: Iterable[Names], names: frozenset[str]) -> Verdict | None:
    return next((row.verdict for row in rows if not names.isdisjoint(row.names)), None)


def _first(wordings: Iterable[Wording], spoken: Iterable[frozenset[str]]) -> Verdict | None:
    heard = list(spoken)
    return next((wording.verdict for wording in wordings if any(_says(wording, of) for of in heard)), None)


def _says(wording: Wording, of: frozenset[str]) -> bool:
    return wording.speaks_of <= of and wording.not_of.isdisjoint(of)


def _refused_for_money_or_rate(evidence: Evidence, spoken: list[frozenset[str]]) -> Verdict | None:
    of = frozenset[str]().union(*spoken)
    coded = _named(table.CODES, evidence.codes)
    is_timed = "rate" in of or any({"day", "excess"} <= sentence for sentence in spoken)
    is_rate = is_timed or evidence.status == 429 or coded is table.RATE
    if evidence.status == 402 or ("money" in of and not is_rate):
        is_input = "output" not in of and numbers(evidence.texts).is_over
        return table.QUOTA_SHRINKABLE if is_input else table.QUOTA
    if evidence.status == 401 or (is_rate and coded is table.AUTH and not is_timed):
        return table.AUTH
    if not is_rate or "grpc" in of:
        return None
    return _rate(evidence, of)


def _rate(evidence: Evidence, of: frozenset[str]) -> Verdict:
    wait = _wait(evidence)
    soon = wait is not None and wait <= table.LONG_WAIT and "money" not in of
    if ("day" in of and not soon) or ("money" in of and "rate" not in of):
        return table.QUOTA
    if numbers(evidence.texts, may_fit=True).is_over:
        return table.OVER_ALLOWANCE
    if (wait or 0) > table.LONG_WAIT:
        return table.RATE_FOR_LONG
    return table.RATE_SHRINKABLE if "shorten" in of or "peak" in of else table.RATE


def _worded(evidence: Evidence, spoken: list[frozenset[str]]) -> Verdict | None:
    of = frozenset[str]().union(*spoken)
    counted = "counted" in of and "window" in of
    wordings = (row for row in table.WORDINGS if not (counted and row.verdict is table.OUTPUT_ASKED))
    if verdict := _first(table.FIRST_WORDINGS, [of]) or _first(wordings, spoken):
        if (verdict in _OF_A_REQUEST or "files" in of) and _is_bare(evidence) and "grpc" not in of:
            return None
        return table.TOO_LARGE_FOR_PROXY if verdict is table.TOO_LARGE and evidence.is_plain else verdict
    pair = frozenset({"pair"}) if numbers(evidence.texts).is_over else frozenset[str]()
    return _first(table.WHOLE_WORDINGS, [of | pair])


def _spelled(evidence: Evidence, wordings: Iterable[Wording], *, only: Verdict | None = None) -> Verdict | None:
    """Return what a code that no table knows says in words: ``prompt_too_long``, ``ServerOverloaded``."""
    spoken = [concepts(spaced(code)) for code in evidence.spellings if len(code) > _CODE_WORD_CHARS]
    verdict = _first(wordings, spoken)
    return verdict if only in (None, verdict) else None


def _blames_the_request(status: int | None) -> bool:
    """Tell whether a status means that the request is wrong; one that nobody defined means nothing."""
    return 400 <= (status or 0) < 500 and status in table.STATUSES


def _in_trouble(evidence: Evidence, spoken: list[frozenset[str]]) -> Verdict | None:
    return _first(table.TROUBLE_WORDINGS, spoken) or _spelled(evidence, table.TROUBLE_WORDINGS)


def _is_bare(evidence: Evidence) -> bool:
    """Tell whether there is nothing but an exception's text: then it may be anybody's."""
    return bool(evidence.classes) and evidence.status is None and not evidence.codes


def _ending(evidence: Evidence) -> Verdict:
    """Return what an answer's end means."""
    if evidence.codes & {"max_output_tokens", "length"}:
        return table.OUTPUT_REACHED
    verdict = _named(table.STOPS, evidence.stops) or table.NORMAL
    return table.OVERFLOW if _was_cut(evidence, reached=verdict is table.OUTPUT_REACHED) else verdict


def _was_cut(evidence: Evidence, *, reached: bool) -> bool:
    """Tell whether the usage shows that the prompt filled the window, or was cut to fit it."""
    sent = _usage(evidence, table.IN_USAGE) or 0
    window = _usage(evidence, table.WINDOW_FIELDS)
    guess = _usage(evidence, ("estimatedprompttokens",))
    is_full = reached and sent > 0 and _usage(evidence, table.OUT_USAGE) == 0
    return is_full or (window is not None and sent > window) or (guess is not None and 0 < sent < guess * table.CUT_TO)


def _usage(evidence: Evidence, names: Iterable[str]) -> int | None:
    return next((evidence.counts[name] for name in names if name in evidence.counts), None)


def _by_class_or_status(evidence: Evidence, spoken: list[frozenset[str]]) -> Verdict:
    status = evidence.status
    by_class = _named(table.CLASSES, evidence.classes)
    if by_class is table.OVERFLOW and any("malformed" in of for of in spoken):
        by_class = None  # a wrapper took an echo for an overflow
    if by_class and by_class.kind is not FailureKind.OVERLOADED:
        return by_class
    if status is None or status < 400:
        if any(_network().match(name) for name in evidence.classes):
            return table.NETWORK
        if by_class:
            return by_class
        is_normal = status is not None and not evidence.classes and not evidence.is_error
        return table.NORMAL if is_normal else table.UNKNOWN
    if status == 413 and evidence.is_plain:
        return table.TOO_LARGE_FOR_PROXY
    return table.STATUSES.get(status) or (table.OVERLOADED if status >= 500 else table.INVALID)


@cache
def _network() -> re.Pattern[str]:
    return re.compile(table.NETWORK_CLASS, re.IGNORECASE)


def _wait(evidence: Evidence) -> float | None:
    return retry_after(evidence.headers, evidence.waits, evidence.texts)


def _failure(evidence: Evidence, verdict: Verdict, words: object) -> Failure:
    counted = _numbers(evidence, verdict)
    verdict = _for_developer(verdict, counted)
    return Failure(
        kind=verdict.kind,
        retryable=verdict.retryable,
        page=verdict.page,
        message=getattr(words, verdict.sentence) if verdict.sentence else None,
        status=evidence.status,
        provider_message=_most_telling(evidence.texts),
        tokens=counted.tokens,
        limit=counted.limit,
        output=counted.output if verdict.kind is FailureKind.CONTEXT_OVERFLOW else None,
        excess=counted.excess,
        retry_after=_wait(evidence),
        shrink_helps=verdict.shrink_helps,
        advice=verdict.advice,
    )


def _most_telling(texts: Sequence[str]) -> str | None:
    """Return the text that speaks of most: wrappers put their own, emptier words around the provider's."""
    if len(texts) < 2:
        return texts[0][:_SAID_CHARS] if texts else None
    return max(texts, key=lambda text: len(concepts(spaced(text))))[:_SAID_CHARS]


def _numbers(evidence: Evidence, verdict: Verdict) -> Numbers:
    counts = ((role, evidence.counts.get(name, 0)) for name, role in table.FIELD_NUMBERS.items())
    fields = {role: count for role, count in counts if is_count(count)}
    if verdict.kind is FailureKind.CONTEXT_OVERFLOW:
        if fields:
            return Numbers(**fields)
        counted = numbers(evidence.texts)
        return _filled(evidence) if evidence.is_answer and counted == Numbers() else counted
    if verdict.kind is FailureKind.RATE_LIMITED:
        return numbers(evidence.texts, may_fit=True)
    if verdict is table.FIELD:
        return _of_tokens(evidence)
    if verdict is table.QUOTA_SHRINKABLE:
        return numbers(evidence.texts)
    if verdict in (table.QUOTA, table.OUTPUT_ASKED):
        return Numbers(limit=least_limit(evidence.texts))
    return Numbers()


def _filled(evidence: Evidence) -> Numbers:
    """Return what the usage says of a full window; where nothing else tells its size, the prompt's was it."""
    if not _was_cut(evidence, reached=True):
        return Numbers()
    sent = _usage(evidence, table.IN_USAGE)
    return Numbers(tokens=sent, limit=_usage(evidence, table.WINDOW_FIELDS) or sent)


def _of_tokens(evidence: Evidence) -> Numbers:
    counted = numbers([text for text in evidence.texts if "token" in text.lower()])
    return counted if counted.is_over else Numbers()


def _for_developer(verdict: Verdict, counted: Numbers) -> Verdict:
    """Return who has to act where trimming the conversation to nothing would not make room."""
    if verdict is not table.OVERFLOW or counted.limit is None:
        return verdict
    if (counted.tools or 0) >= counted.limit:
        return table.OVERFLOW_BY_TOOLS
    return table.OVERFLOW_BY_OUTPUT if (counted.tools or 0) + (counted.output or 0) >= counted.limit else verdict
