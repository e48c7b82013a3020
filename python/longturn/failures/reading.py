"""
Read an error, a response, a body or an answer of any SDK into evidence.

Nothing is imported and nothing is trusted: attributes may raise, bodies may be broken, objects may
point to themselves. A walk looks at a bounded number of things and never fails.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from enum import Enum
from functools import lru_cache
from itertools import islice
from typing import Any, Final, NamedTuple, TypeGuard

from longturn.failures.evidence import Evidence
from longturn.failures.text import (
    WHOLE_CHARS,
    bounded,
    events,
    is_page,
    parsed,
    split_bodies,
    without_echoes,
    without_markup,
    without_preamble,
)

_THINGS: Final = 400  # looked at in one walk
_ITEMS: Final = 32  # of one list or mapping
_DEPTH: Final = 12
_CHARS: Final = 16_000  # of all that was said
_CHAIN: Final = 12  # exceptions that caused each other

# Attributes worth reading on objects that are no mappings.
_ATTRIBUTES: Final = (
    "status_code", "status", "http_status", "code", "error_code", "type", "reason", "param",
    "message", "api_message", "server_message", "msg", "detail", "details", "description", "error", "errors",
    "body", "response", "raw_response", "headers", "original_exception", "last_attempt",
    "choices", "candidates", "message_delta", "delta", "finish_reason", "finishReason",
    "native_finish_reason", "stop_reason",
    "stopReason", "done_reason", "incomplete_details", "usage", "usage_metadata", "response_metadata",
    "provider_details", "prompt_eval_count", "eval_count", "completion", "content", "role", "output", "parts",
    "model_extra", "completion_tokens", "prompt_tokens", "input_tokens", "output_tokens",
    "prompt_token_count", "candidates_token_count", "choice", "status_msg", "error_type", "retry_after",
)  # fmt: skip

# Whose words these are: the request's, the model's, a tool's; not the error's.
_NOT_SAID: Final = frozenset(
    "content contents text input inputs messages prompt prompts instructions system tools toolcalls functioncall "
    "functions arguments output outputs parts reasoning reasoningcontent thinking logprobs data documents query "
    "request inputvalue ctx url links link loc tokens tokenids examples embedding embeddings model id object requestid "
    "receivedargs stack stacktrace traceback".split()
)
_SAID: Final = re.compile(
    r"(?:message|msg|detail|details|description|reason|error|errors|raw|cause|title|fault\w*|body|quotaid|quotametric)$"
)
_CODES: Final = re.compile(r"(?:code|type|status|reason|exception)$")
_STOPS: Final = re.compile(r"(?:finish|stop|done|block)reason$")
_WAITS: Final = re.compile(r"retry(?:delay|after\w*)$")
_STATUS: Final = re.compile(r"(?:status|statuscode|httpstatus\w*|code|errorcode)$")
_ANSWER: Final = frozenset(
    "choices candidates stopreason finishreason donereason role delta generations output outputs parts usage "
    "incompletedetails promptfeedback".split()
)
_ERROR: Final = re.compile(r"errors?(?:code|type|msg|message)?$")
_CODE_CHARS: Final = 80  # a longer "code" is a sentence
_ORDER: Final = {name: place for place, name in enumerate((*_ATTRIBUTES, "url", "request"))}
_KINDS: Final = 512  # of objects whose members are remembered
_FIELDS: Final = 2_048  # whose names are remembered


class _Field(NamedTuple):
    """What a field's name tells of its value."""

    name: str
    """In small letters without dashes; of a dotted one, the last part."""
    is_answer: bool
    """Answers have it."""
    is_inside_answer: bool
    """Something that answers have is a part of it: a log's ``usage.prompt_tokens``."""
    is_error: bool
    """Errors have it."""
    is_headers: bool
    is_said: bool
    is_not_said: bool
    is_code: bool
    is_status: bool
    is_stop: bool
    is_wait: bool


@lru_cache(maxsize=_FIELDS)
def _field(key: str) -> _Field:
    *above, name = key.replace("_", "").replace("-", "").lower().split(".")
    return _Field(
        name=name,
        is_answer=name in _ANSWER,
        is_inside_answer=not _ANSWER.isdisjoint(above),
        is_error=_ERROR.match(name) is not None,
        is_headers=name.endswith("headers"),
        is_said=_SAID.search(name) is not None,
        is_not_said=name in _NOT_SAID,
        is_code=_CODES.search(name) is not None,
        is_status=_STATUS.search(name) is not None,
        is_stop=_STOPS.search(name) is not None,
        is_wait=_WAITS.search(name) is not None,
    )


_unharmed: Final = suppress(Exception)
"""Around what fights back: what else there is to read is read all the same."""


def links(error: object, *, implied: bool = True) -> list[object]:
    """
    Return an error and what it came from, the outermost first.

    Follows causes, groups, the original that a wrapper keeps, and, where they are ``implied``, contexts that were
    not suppressed: these may be of another request.
    """
    found: list[object] = []
    waiting = [error]
    while waiting and len(found) < _CHAIN:
        link = waiting.pop(0)
        if any(link is other for other in found):
            continue
        found.append(link)
        if is_error(link):
            with _unharmed:
                waiting.extend(_origins(link, implied=implied))
    return found


def is_error(thing: object) -> TypeGuard[BaseException]:
    """Tell whether a thing is an exception, without asking it."""
    return issubclass(type(thing), BaseException)


def _origins(error: BaseException, *, implied: bool) -> Iterator[object]:
    group = attribute(error, "exceptions")
    if isinstance(group, (list, tuple)):
        yield from group[:_CHAIN]
    for name in ("original_exception", "__cause__", "inner_exception"):
        if is_error(cause := attribute(error, name)):
            yield cause
    if implied and not error.__suppress_context__ and is_error(error.__context__):
        yield error.__context__
    yield from filter(is_error, _arguments(error))


def _arguments(error: BaseException) -> tuple[object, ...]:
    arguments = attribute(error, "args")
    return arguments[:_ITEMS] if isinstance(arguments, tuple) else ()


def read(thing: object, *, known: Mapping[str, int | None] | None = None) -> Evidence:
    """Return what one link says, those it came from left out, and what is ``known``. Never raises."""
    walk = _Walk()
    walk.counts.update((name, value) for name, value in (known or {}).items() if value)
    with _unharmed:
        walk.start(thing)
    return walk.evidence()


class _Walk:
    """One walk over one thing: what was found so far, and how much may still be looked at."""

    def __init__(self) -> None:
        self.left = _THINGS
        self.chars_left = _CHARS
        self.seen: list[object] = []  # kept alive, so that no id is used twice
        self.seen_ids: set[int] = set()
        self.status: int | None = None
        self.codes: set[str] = set()
        self.spellings: list[str] = []
        self.classes: set[str] = set()
        self.texts: list[str] = []
        self.params: list[str] = []
        self.headers: dict[str, str] = {}
        self.stops: set[str] = set()
        self.counts: dict[str, int] = {}
        self.waits: list[str] = []
        self.path = ""
        self.is_plain = False
        self.is_answer = False
        self.is_error = False

    def evidence(self) -> Evidence:
        return Evidence(
            status=self.status,
            codes=frozenset(self.codes),
            spellings=tuple(dict.fromkeys(self.spellings))[:_ITEMS],
            classes=frozenset(self.classes),
            texts=tuple(dict.fromkeys(self.texts)),
            params=tuple(self.params),
            headers=self.headers,
            stops=frozenset(self.stops),
            counts=self.counts,
            waits=tuple(self.waits),
            path=self.path,
            is_plain=self.is_plain,
            is_answer=self.is_answer,
            is_error=self.is_error,
        )

    def start(self, thing: object) -> None:
        if is_error(thing):
            self.classes.update(kind.__name__.lower() for kind in type(thing).__mro__)
        self.value(thing, depth=0)
        if is_error(thing) and not self.texts:
            self.text(_shown(thing), depth=1)  # last: an SDK's string may leave the body out, or hold the headers

    def value(self, value: object, *, depth: int) -> None:
        """Walk into anything."""
        with _unharmed:
            self._into(value, depth=depth)

    def _into(self, value: object, *, depth: int) -> None:
        if depth > _DEPTH or self.left <= 0 or value is None or isinstance(value, (bool, int, float)):
            return
        self.left -= 1
        if isinstance(value, (bytes, bytearray, memoryview)):
            value = bytes(value[:WHOLE_CHARS]).decode("utf-8", "replace")
        if isinstance(value, str):
            self.text(value, depth=depth)
        elif self._is_new(value):
            self._inside(value, depth=depth + 1)

    def _is_new(self, value: object) -> bool:
        if id(value) in self.seen_ids:
            return False
        self.seen_ids.add(id(value))
        self.seen.append(value)
        return True

    def _inside(self, value: object, *, depth: int) -> None:
        if isinstance(value, Mapping):
            self.mapping(value, depth=depth)
        elif isinstance(value, (list, tuple, set, frozenset)):
            for item in islice(value, _ITEMS):
                self.value(item, depth=depth)
        elif not isinstance(value, type) and not callable(value):
            self.attributes(value, depth=depth)

    def text(self, text: str, *, depth: int) -> None:
        """Take a text for what was said, after the bodies in it."""
        whole = parsed(text)
        inside = events(text) if whole is None else [whole]
        for body in inside:
            self.value(body, depth=depth + 1)
        if inside:
            return
        self.is_plain = self.is_plain or is_page(text)
        rest, bodies = split_bodies(without_markup(text))
        said = without_preamble(re.sub(r"\s+", " ", without_echoes(rest))).strip(" \n'\"")
        if said and self.chars_left > 0:
            self.texts.append(bounded(said)[: self.chars_left])
            self.chars_left -= len(said)
        for body in bodies:
            self.value(body, depth=depth + 1)

    def mapping(self, fields: object, *, depth: int) -> None:
        for key, value in islice(_items(fields), _ITEMS * 2):
            if isinstance(key, str):
                with _unharmed:
                    self.entry(_field(str(key[:_CODE_CHARS])), value, depth=depth)

    def entry(self, field: _Field, value: object, *, depth: int) -> None:
        """Take one field of a body or an object."""
        self.is_answer = self.is_answer or field.is_inside_answer
        if value is None:
            return
        if isinstance(value, Enum):
            value = value.value
        if field.is_answer and value:
            self.is_answer = True
        if field.is_error and value:
            self.is_error = True
        if field.is_headers:
            self._take_headers(value)
        elif field.is_not_said or isinstance(value, bool):
            return
        elif isinstance(value, (int, float)):
            self._number(field, value)
        elif isinstance(value, (str, bytes)):
            self._word(field, value, depth=depth)
        else:
            self.value(value, depth=depth)

    def _number(self, field: _Field, value: float) -> None:
        if field.is_wait:
            self.waits.append(_timed(field, str(value)))
        if isinstance(value, float):
            return
        if field.is_status:
            self.codes.add(str(value))
            self._take_status(value)
        elif len(self.counts) < _ITEMS:
            self.counts.setdefault(field.name, value)

    def _word(self, field: _Field, value: str | bytes, *, depth: int) -> None:
        text = value if isinstance(value, str) else bytes(value[:WHOLE_CHARS]).decode("utf-8", "replace")
        if field.is_wait:
            self.waits.append(_timed(field, text[:_CODE_CHARS]))
        if field.name == "param" and text:
            self.params.append(text[:_CODE_CHARS])
        if field.is_stop:
            self.stops.add(text.lower()[:_CODE_CHARS])
            return
        if field.is_code and text and len(text) <= _CODE_CHARS:
            self.codes.add(text.lower())
            self.spellings.append(text)
            if field.name != "type" and text.isdecimal() and field.is_status:
                self._take_status(int(text))
        if (field.is_said and (field.name != "reason" or " " in text)) or (field.name == "param" and " " in text):
            self.text(text, depth=depth)

    def _take_status(self, status: int) -> None:
        if 100 <= status < 600 and (self.status is None or self.status < 400):
            self.status = status

    def _take_headers(self, headers: object) -> None:
        if isinstance(headers, Mapping) or hasattr(headers, "items"):
            for key, value in islice(_items(headers), _ITEMS * 4):
                self.headers.setdefault(str(key).lower(), str(value)[:200])

    def attributes(self, thing: object, *, depth: int) -> None:
        """Read an object by the attributes that errors, responses and answers have."""
        fields = _members(thing)
        self.path = self.path or _path(fields.pop("url", None)) or _path(attribute(fields.pop("request", None), "url"))
        is_response = "status_code" in fields and not is_error(thing)
        extra = fields.pop("model_extra", None)
        if is_response:
            fields.pop("reason", None)  # the status in words
        self.mapping(fields, depth=depth)
        if _is_failed_run(fields):
            self.text(fields["content"], depth=depth)
        self.value(extra, depth=depth)
        if is_response:
            self._response_body(thing, depth=depth)
        if is_error(thing):
            for argument in _arguments(thing):
                if not is_error(argument):
                    self.value(argument, depth=depth)

    def _response_body(self, response: object, *, depth: int) -> None:
        """Read a response's text, or its JSON where there is no text; what is awaited is left alone."""
        text = attribute(response, "text")
        if not isinstance(text, (str, bytes)):
            text = _json_of(response)
        before = self.is_plain
        self.value(text, depth=depth)
        self.is_plain = before or (
            isinstance(text, str) and bool(text.strip()) and parsed(text) is None and not events(text)
        )


def _members(thing: object) -> dict[str, Any]:
    """Return the attributes of an object that are worth reading, its methods left out."""
    values = ((name, attribute(thing, name)) for name in _names(thing))
    return {name: value for name, value in values if value is not None and not callable(value)}


def _names(thing: object) -> Iterable[str]:
    """Return which attributes to read: asking a large model for what it does not have costs more than all the rest."""
    kind: Any = type(thing)
    of_kind = _names_of_kind(kind)
    if of_kind is None:
        return _ORDER
    own = attribute(thing, "__dict__")
    found = _ORDER.keys() & own.keys() if isinstance(own, dict) else ()
    return sorted({*of_kind, *found}, key=_ORDER.__getitem__) if found else of_kind


@lru_cache(maxsize=_KINDS)
def _names_of_kind(kind: type) -> tuple[str, ...] | None:
    """
    Return which attributes all objects of a class have; None where only asking an object tells.

    What pydantic's models find beside their own is in their ``model_extra``, which is read.
    """
    asked = getattr(kind, "__getattr__", None)
    reads = getattr(kind.__getattribute__, "__objclass__", None)
    if (asked is not None and not str(asked.__module__).startswith("pydantic.")) or reads not in _PLAIN:
        return None
    return tuple(name for name in _ORDER if any(name in base.__dict__ for base in kind.__mro__))


_PLAIN: Final = (object, BaseException)  # what reads attributes there is no surprise


def attribute(thing: object, name: str) -> object:
    """Return an attribute; None where there is none, or it can't be had."""
    try:
        return getattr(thing, name, None)
    except Exception:
        return None


def _timed(field: _Field, text: str) -> str:
    """Return a time to wait with the unit that the field's name tells."""
    return f"{text}ms" if field.name.endswith(("ms", "milliseconds", "millis")) else text


def _items(fields: object) -> Iterator[tuple[object, object]]:
    try:
        items: Iterable[tuple[object, object]] = fields.items()  # type: ignore[attr-defined]
        yield from items
    except Exception:
        return


def _shown(error: BaseException) -> str:
    try:
        return str(error)
    except Exception:
        return ""


def _json_of(response: object) -> object:
    decode = attribute(response, "json")
    if not callable(decode):
        return None
    try:
        body = decode()
    except Exception:
        return None
    if hasattr(body, "close") and hasattr(body, "send"):  # a coroutine: its answer cannot be had here
        body.close()
        return None
    return body


def _is_failed_run(fields: Mapping[str, Any]) -> bool:
    """Tell whether a run ended with an error, whose words are then its content, as Agno returns it."""
    status = getattr(fields.get("status"), "value", fields.get("status"))
    return status in ("ERROR", "error") and isinstance(fields.get("content"), str) and "role" not in fields


def _path(url: object) -> str:
    path = attribute(url, "path")
    if isinstance(path, str):
        return path[:200]
    return re.sub(r"^\w+://[^/]*|[?#].*", "", url[:400]) if isinstance(url, str) else ""
