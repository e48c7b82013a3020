"""``estimate``: tokens of whatever a request is made of."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final, Self

from longturn.tokens.backend import core
from longturn.tokens.measure import SCRIPT, Measure, Measured, measure_of
from longturn.tokens.memo import Memo, Track
from longturn.tokens.walker import is_item, walker, whole_tokens

_tokens: Final[Callable[[str], int]] = core.tokens
_MOST_COUNTERS: Final = 8  # profiles whose histories are remembered at once


class Estimator:
    """
    Estimates tokens by the script rule or by a profile; one instance, ``longturn.estimate``, serves everybody.

    A callable object rather than a function, because token-counter slots of other libraries ask
    for a callable here, for a method there.
    """

    def __init__(self) -> None:
        self._by_script: Final = _Counter(SCRIPT)
        self._others: Final[dict[Measured, _Counter]] = {}

    def __call__(self, content: object, tools: Sequence[object] | None = None, *, profile: Measured = "script") -> int:
        """
        Return the tokens of ``content``, rounded up once, at the end.

        ``content`` is a text (str, or bytes read as UTF-8), a message of any supported format, a
        non-empty list of messages, or any other JSON value, which counts as its compact JSON text.
        ``tools`` are definitions sent along, counted as JSON.  The messages of a list are remembered:
        counting a grown history again costs its new messages only.

        ``profile`` is the name of one, a ``Profile``, or a function that returns the tokens of a text: a real
        tokenizer, which is asked once for each text.

        Raises:
            TypeError: something in ``content`` has no JSON form; says what and where.  Or ``profile`` is no
                profile, or a function that returned no int.
            ValueError: nested too deep, or a cycle; or an unknown profile.
        """
        if type(content) is str and tools is None and profile == "script":  # most calls, at their cheapest
            return _tokens(content)
        counter = self._by_script if profile == "script" else self._counter(profile)
        if type(content) is str and tools is None:
            return counter.measure.tokens(content)
        return whole_tokens(counter.quarters(content) + counter.measure.tools(tools))

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

    def _counter(self, profile: Measured) -> _Counter:
        """Return what counts by a profile, with its memory; those used last are kept."""
        try:
            known = self._others.get(profile)
        except TypeError:  # a function that can't be a key
            return _Counter(measure_of(profile))
        if known is not None:
            return known
        counter = _Counter(measure_of(profile))
        for oldest in list(self._others)[: len(self._others) + 1 - _MOST_COUNTERS]:
            self._others.pop(oldest, None)
        return self._others.setdefault(profile, counter)


class _Counter:
    """Counts by one measure, and remembers the messages of lists."""

    def __init__(self, measure: Measure) -> None:
        self.measure: Final = measure
        self._memo: Final = Memo(lambda: Track(measure))

    def quarters(self, content: object) -> int:
        measure = self.measure
        if isinstance(content, (str, bytes)):
            return measure.quarters(content)
        if isinstance(content, (bytearray, memoryview)):
            return measure.quarters(bytes(content))
        if isinstance(content, (list, tuple)):
            return self._of_list(list(content) if isinstance(content, tuple) else content)
        if walker.is_message(content):
            return measure.message(content)
        return measure.json(content)

    def _of_list(self, history: list[object]) -> int:
        if not history:
            return self.measure.json(history)
        with self._memo.held() as memo:
            track, known = memo.find(history)
            if known < len(history):
                if not _continues_history(history, known):
                    return self.measure.json(history)
                track = memo.grow(track, known, history)
            return self.measure.request + track.totals[len(history)]


def _continues_history(values: list[object], start: int) -> bool:
    """
    Tell whether ``values[start:]`` are messages.

    Items of types unknown today are, where they stand among messages.
    """
    new = values[start:]
    if all(map(walker.is_message, new)):
        return True
    return (start > 0 or any(map(walker.is_message, new))) and all(map(is_item, new))


estimate: Final = Estimator()


def tokenizer(text: str) -> range:
    """
    Return a range as long as ``text`` has tokens, for slots that only take ``len(tokenizer(text))``.

    The items mean nothing: whatever slices or decodes tokens must not use it.
    """
    return range(estimate(text))
