"""``estimate``: tokens of whatever a request is made of."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final, Self

from longturn.tokens.backend import core
from longturn.tokens.memo import Memo, Track
from longturn.tokens.walker import is_item, walker, whole_tokens

_tokens: Final[Callable[[str], int]] = core.tokens


class Estimator:
    """
    Estimates tokens by the script rule; one instance, ``longturn.estimate``, serves everybody.

    A callable object rather than a function, because token-counter slots of other libraries ask
    for a callable here, for a method there.
    """

    def __init__(self) -> None:
        self._memo: Final = Memo(Track)

    def __call__(self, content: object, tools: Sequence[object] | None = None, *, profile: str = "script") -> int:
        """
        Return the tokens of ``content``, rounded up once, at the end.

        ``content`` is a text (str, or bytes read as UTF-8), a message of any supported format, a
        non-empty list of messages, or any other JSON value, which counts as its compact JSON text.
        ``tools`` are definitions sent along, counted as JSON.  The messages of a list are remembered:
        counting a grown history again costs its new messages only.

        Raises:
            TypeError: something in ``content`` has no JSON form; says what and where.
            ValueError: nested too deep, or a cycle; or an unknown profile.
        """
        if type(content) is str and tools is None and profile == "script":  # most calls, at their cheapest
            return _tokens(content)
        check_profile(profile)
        return whole_tokens(self._quarters(content) + (walker.json(tools) if tools else 0))

    def __repr__(self) -> str:
        return "longturn.estimate"

    def count_tokens(self, text: str) -> int:
        """Return the tokens of a text: the method that tokenizer protocols ask for."""
        return self(text)

    def count(self, messages: Sequence[object], tools: Sequence[object] | None = None) -> int:
        """Return the tokens of messages and tools: the method that token-counter protocols ask for."""
        return self(messages, tools)

    def encode_batch_fast(self, texts: Sequence[str]) -> list[range]:
        """Return one range per text, as long as the text has tokens; its items mean nothing."""
        return [range(self(text)) for text in texts]

    def to_dict(self) -> dict[str, Any]:
        """Return what ``from_dict`` needs: frameworks save their pipelines with their counters."""
        return {"type": "longturn.tokens.estimate.Estimator", "init_parameters": {}}

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Self:
        """Return an estimator; there is nothing in ``data`` to set."""
        return cls()

    def __reduce__(self) -> tuple[type[Self], tuple[()]]:
        """Leave the memory behind when copied or sent to another process."""
        return type(self), ()

    def _quarters(self, content: object) -> int:
        if isinstance(content, (str, bytes)):
            return int(core.quarters(content))
        if isinstance(content, (bytearray, memoryview)):
            return int(core.quarters(bytes(content)))
        if isinstance(content, (list, tuple)):
            return self._list_quarters(list(content) if isinstance(content, tuple) else content)
        if walker.is_message(content):
            return int(walker.message(content))
        return int(walker.json(content))

    def _list_quarters(self, history: list[object]) -> int:
        if not history:
            return int(walker.json(history))
        with self._memo.held() as memo:
            track, known = memo.find(history)
            if known < len(history):
                if not _continues_history(history, known):
                    return int(walker.json(history))
                track = memo.grow(track, known, history)
            return track.totals[len(history)]


def _continues_history(values: list[object], start: int) -> bool:
    """
    Tell whether ``values[start:]`` are messages.

    Items of types unknown today are, where they stand among messages.
    """
    new = values[start:]
    if all(map(walker.is_message, new)):
        return True
    return (start > 0 or any(map(walker.is_message, new))) and all(map(is_item, new))


def check_profile(profile: str) -> None:
    """Refuse profiles that there are none of."""
    if profile != "script":
        raise ValueError(f"profile must be 'script' (got {profile!r})")


estimate: Final = Estimator()


def tokenizer(text: str) -> range:
    """
    Return a range as long as ``text`` has tokens, for slots that only take ``len(tokenizer(text))``.

    The items mean nothing: whatever slices or decodes tokens must not use it.
    """
    return range(estimate(text))
