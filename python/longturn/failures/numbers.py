"""The token counts in a refusal's words. Characters, bytes and error codes are none."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from itertools import islice
from typing import Final

_NEAR_BEFORE: Final = 64  # characters in which a label stands
_NEAR_AFTER: Final = 36
_LEAST: Final = 16  # tokens; smaller numbers are indexes and versions
_MOST: Final = 10**9
_NUMBERS: Final = 32  # of one text; a list of token ids has millions


@dataclass(frozen=True, slots=True, kw_only=True)
class Numbers:
    """How long a request was, and how long it might have been, in tokens."""

    tokens: int | None = None
    limit: int | None = None
    output: int | None = None
    """Tokens asked for the answer."""
    tools: int | None = None
    """Tokens of the tool definitions."""
    excess: int | None = None
    """Tokens above the limit."""

    @property
    def is_over(self) -> bool:
        """Whether both are known and the request is the longer one."""
        return self.tokens is not None and self.limit is not None and self.tokens > self.limit


@dataclass(frozen=True, slots=True)
class _Number:
    value: int
    roles: frozenset[str]


# Terms that leave no doubt, most telling first: which number is which.
_TERMS: Final = (
    r"(?P<tokens>\d+)\ \+\ (?P<output>\d+)\ (?:\+\ \d+\ )?>=?\ (?P<limit>\d+)",
    r"(?P<output>\d+)\ >\ (?P<limit>\d+)\ -\ (?P<tokens>\d+)",
    r"(?P<tokens>\d+)\ ?(?:tokens?|toks?)?\ ?>=?\ ?(?:\w+:?\ ){0,2}?(?P<limit>\d+)",
    r"(?P<limit>\d+)\ ?(?:tokens?)?\ ?<=?\ ?(?P<tokens>\d+)",
)

# What stands right before, or right after, a number and so says what it counts.
_BEFORE: Final = {
    "output": r"""
        (?<!input\ and\ maximum\ )(?<!input\ and\ )(?<!prompt\ and\ )
        (?:max(?:imum)?_?(?:completion_?|new_?|output_?)?tokens|output\ tokens|completion(?:\ tokens)?|num_predict
        |generation|max\ tokens(?=\ ?\())
        ['"`]?\s*(?:[=:(]|\ is(?:\ too\ large)?|\ of|\ at|\ to)?:?\s*\(?$""",
    "tools": r"(?:tools?|functions?|schemas?)(?:\ tokens)?\s*[=:(]\s*$",
    "input": r"""
        (?:prompt|input|messages)\w*(?:\ (?:tokens|length|token\ count|size))?\s*(?:[=:(]|\ (?:is|has|contains|of|was))?
        \s*(?:at\ least\ |about\ )?$""",
    "total": r"""
        (?:requested|\bused|request(?:ed)?\ for|result(?:ed|s)\ in|total(?:\ of|\ is|ed|:)?|got|given:?
        |contains?|received
        |keep|needs?|would\ need|provided|sent|current\ length\ is|you\ have|has|=>|n_keep:?|count:?|实际|当前|共)
        \s*(?:approximately\ |about\ |around\ |~\s*)?\(?$""",
    "used": r"(?:,\s*used|already\ used|remaining|current(?:\ usage|\ [rt]pm)?)\s*:?\s*$",
    "limit": r"""
        (?:limit(?:ed)?|max(?:imum)?|allow(?:ed|s|able)|supports?|only|up\ to|at\ most|(?:less|fewer|no\ more)\ than
        |afford|accepts?|handles?|holds?|最多(?:支持)?|exceed(?:s|ed|ing)?|(?:greater|larger|longer|more|higher
        |bigger)\ than|above|over|beyond|within|below
        |under
        |window|context|capacity|n_ctx|max_total_tokens|(?<![=])<=?|(?<![=])>=?|≤|vs\.?|\[\s*\d+\s*,
        |上限|最大(?:输入|上下文)?(?:长度|值|限制)?(?:为|是)?|超过|超出|限制|maximal\w*|máxim\w+|kontext\w*|максим\w+|предел\w*
        |лимит\w*|grenze|límite|limite|최대|한도|最大値)
        (?:[\s_-]+(?:the|its|our|an?|of|is|are|at|for|to|this|that|model(?:'s)?|models|context|window|length
        |len|seq|session|supported|size|limit|input|prompt
        |tokens?|number|maximum|max|allowed|sequence|total|configured|your|organization|set|only|or|equal|just|be|value
        |holds?|can|takes?|reads?|fits|de|la|del|von|der
        |des|du|contexto|contexte|jetons))*
        [\s:=('"`]*$""",
    "excess": r"\bby(?:\ about)?\s*$",
    "other": r"(?:code|status|error|line|position|index|port|version|http|param_\w*|\bid)\s*[=:#]?\s*['\"(]?$",
}
_AFTER: Final = {
    "output": r"""
        \s*(?:tokens?\s+)?['"`]?(?:(?:in|for|from|of)\s+(?:the\s+)?)?
        (?:completion|output|new\b|max_\w*tokens|generat|response|answer)""",
    "tools": r"\s*(?:tokens?\s+)?(?:(?:in|for|from|of)\s+(?:the\s+|your\s+)?)?(?:tools?|functions?|schemas?)\b",
    "input": r"""
        \s*(?:tokens?\s+)?['"`]?(?:(?:in|for|from|of)\s+(?:the\s+|your\s+)?)?(?:input|prompt|messages|text\ input)""",
    "limit": r"""
        \s*(?:-?\s*tokens?\s+)?(?:max(?:imum)?|limit|context|window|is\ the\ (?:limit|max\w*)|的?上限|の上限)
        |\s*(?:\w+\s+){0,2}tokens?\s*(?:per|/)""",
    "excess": r"\s*tokens?\s+(?:over|too\s+(?:many|long)|above|more\s+than|beyond)\b",
    "other": r"""
        \s*(?:(?:input|text)\s+)?(?:characters?|chars?|bytes?|[kmg]i?b\b|pixels?|images?|files?|messages?\b
        |items?|tools\b|seconds?|s\b|ms\b
        |minutes?|字符|字节|символ\w*|zeichen|caracter\w*|caract\w*|%)""",
}
_NO_COUNT: Final = frozenset({"other", "used"})
_NOT_THE_REQUEST: Final = frozenset({"output", "tools", "excess"})


def numbers(texts: Sequence[str], *, may_fit: bool = False) -> Numbers:
    """
    Return the counts of the first text that has a sound pair, else the first there are.

    Unless the request ``may_fit``, a count that is below the limit is none.
    """
    found = [counted for text in texts if (counted := _counted(text, may_fit=may_fit)) != Numbers()]
    return next((counted for counted in found if counted.is_over), found[0] if found else Numbers())


def least_limit(texts: Sequence[str]) -> int | None:
    """Return the smallest limit that is stated, whatever it limits."""
    limits = [number.value for text in texts for number in _labelled(_plain(text)) if "limit" in number.roles]
    return min(limits, default=None)


def _counted(text: str, *, may_fit: bool) -> Numbers:
    if is_code(text):
        return Numbers()
    text = _plain(text)
    labelled = [number for number in _labelled(text) if not number.roles & _NO_COUNT]
    if term := _term(text):
        return term
    output, tools = _first(labelled, "output"), _first(labelled, "tools")
    limit = _limit(labelled)
    tokens = _sum(text) or _tokens(labelled, limit=limit, output=output, may_fit=may_fit)
    if limit is None and tokens is None:
        tokens, limit = _pair(text, labelled)
    excess = _first(labelled, "excess")
    if tokens is None and limit and excess:
        tokens = limit + excess
    return Numbers(tokens=tokens, limit=limit, output=output, tools=tools, excess=excess)


def is_code(text: str) -> bool:
    """Tell whether a text's only number is an error code in brackets."""
    return re.fullmatch(r"(?!.*token)\D*\(\d+\)[^\dA-Za-z]*", text, re.IGNORECASE) is not None


def _term(text: str) -> Numbers | None:
    for index in range(len(_TERMS)):
        for term in _pattern(_TERMS[index]).finditer(text):
            counted = Numbers(**{role: int(value) for role, value in term.groupdict().items() if value})
            if _is_count(counted) and _is_sound(counted.tokens or 0, counted.limit or 0, counted.output):
                return counted
    return None


def _is_count(counted: Numbers) -> bool:
    return all(is_count(value or 0) for value in (counted.tokens, counted.limit))


def is_count(value: int) -> bool:
    """Tell whether a number may be one of tokens."""
    return _LEAST <= value <= _MOST


def _is_sound(tokens: int, limit: int, output: int | None) -> bool:
    return tokens >= limit or tokens + (output or 0) > limit


def _limit(labelled: Sequence[_Number]) -> int | None:
    named = [number for number in labelled if "limit" in number.roles and not number.roles & _NOT_THE_REQUEST]
    named = [number for number in named if "total" not in number.roles] or named
    if len(labelled) == len(named) == 2:  # "limit exceeded: 9000, max 8000"
        return min(number.value for number in named)
    if named:
        return named[0].value
    rest = {number.value for number in labelled if not number.roles & _NOT_THE_REQUEST}
    return min(rest) if len(rest) == 2 else None


def _tokens(labelled: Sequence[_Number], *, limit: int | None, output: int | None, may_fit: bool) -> int | None:
    """Return the stated total, else the input, else the one number above the limit."""
    asked = [number for number in labelled if not number.roles & _NOT_THE_REQUEST and number.value != limit]
    for role in ("total", "input"):
        for number in asked:
            if role in number.roles and (may_fit or limit is None or _is_sound(number.value, limit, output)):
                return number.value
    return next((number.value for number in asked if limit and number.value > limit), None)


def _pair(text: str, labelled: Sequence[_Number]) -> tuple[int | None, int | None]:
    """Return the larger and the smaller of two numbers that no word tells apart."""
    values = {number.value for number in labelled}
    if len(values) != 2 or not re.search("token|ctx|context", text, re.IGNORECASE):
        return None, None
    return max(values), min(values)


def _sum(text: str) -> int | None:
    """Return input and output together where a server states one limit for both and no total (TGI)."""
    both = _pattern(r"(\d+)\W{0,3}(?:inputs?|prompt)\W{0,3}(?:tokens\W{0,2})?\s(?:and|\+)\s(\d+)\W{0,3}max_new_tokens")
    found = re.search(both, text)
    return int(found[1]) + int(found[2]) if found else None


def _first(labelled: Sequence[_Number], role: str) -> int | None:
    return next((number.value for number in labelled if role in number.roles), None)


def _labelled(text: str) -> list[_Number]:
    """Return the numbers that may be counts, with what the words around them say they are."""
    found = islice(re.finditer(r"(?<![a-z\d])\d{1,18}", text), _NUMBERS)
    matches = [match for match in found if is_count(int(match[0]))]
    return [_Number(int(match[0]), _roles(*_around(text, matches, index))) for index, match in enumerate(matches)]


def _around(text: str, matches: Sequence[re.Match[str]], index: int) -> tuple[str, str]:
    """Return what stands before and after a number, as far as the numbers beside it."""
    match = matches[index]
    start = matches[index - 1].end() if index else 0
    end = matches[index + 1].start() if index + 1 < len(matches) else len(text)
    before = text[max(start, match.start() - _NEAR_BEFORE) : match.start()]
    return before, text[match.end() : min(end, match.end() + _NEAR_AFTER)]


def _roles(before: str, after: str) -> frozenset[str]:
    ahead = {role for role, pattern in _BEFORE.items() if _pattern(pattern).search(before)}
    behind = {role for role, pattern in _AFTER.items() if _pattern(pattern).match(after)}
    return frozenset(ahead | behind)


def _plain(text: str) -> str:
    """Return a text with its numbers in plain digits: no separators, no K."""
    text = re.sub(r"\d{19,}", " ", text)  # no count, and slow to search
    text = _grouped().sub(lambda match: re.sub(r"\D", "", match[0]), text)
    return _scaled().sub(_written_out, text).lower()


def _written_out(match: re.Match[str]) -> str:
    scale = 1_000 if match[2] in "kK" else 1_000_000
    return str(int(float(match[1].replace(",", ".")) * scale))


@cache
def _grouped() -> re.Pattern[str]:
    return re.compile(r"(?<![\w.])\d{1,3}(?:[,.'’_\u00a0\u202f ]\d{3})+(?!\d|[.,]\d)")


@cache
def _scaled() -> re.Pattern[str]:
    return re.compile(r"(?<![\w.])(\d{1,4}(?:[.,]\d{1,3})?)\s?([kKM])(?![a-z0-9])")


@cache
def _pattern(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.VERBOSE)
