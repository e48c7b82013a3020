"""The front door: a window holds the budget and fits each request to it."""

from __future__ import annotations

import warnings
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache, partial
from typing import Any, Final, TypeVar

from longturn import calling, requests, telling
from longturn.calling import Turn, is_too_long
from longturn.failures.classify import classify
from longturn.failures.failure import Failure
from longturn.fitted import Fitted
from longturn.fitting.outline import Rules
from longturn.fitting.plan import Plan
from longturn.fitting.policy import Policy
from longturn.fitting.view import Stage, Terms
from longturn.formats.detect import format_named
from longturn.ledger import Ledger, Settings
from longturn.rendering import Shown, Style
from longturn.tokens.costs import QUARTERS
from longturn.tokens.measure import Measure, Measured, measure_of, profile_for
from longturn.tokens.memo import Memo
from longturn.tokens.reports import USUAL_PACE, Report
from longturn.tokens.usage import STEPS, Calibration, checked_ratio, input_tokens
from longturn.tokens.walker import walker, whole_tokens
from longturn.wording import phrases
from longturn.wording.phrases import Phrases

T = TypeVar("T")


class Window:
    """
    The part of a conversation that one request may hold.

    One per agent, kept as long as the agent lives; safe to share between threads.  What it sends is a
    pure function of history, system prompt, tools and policy: two windows, or a restarted process,
    make the same requests.  Once it was told what a provider counted, its ``ratio`` is part of that.
    """

    def __init__(
        self,
        budget: int | None = None,
        *,
        policy: Policy | None = None,
        format: str = "auto",
        profile: Measured = "script",
        model: str | None = None,
        language: str = "en",
        calibration: Mapping[str, Any] | None = None,
    ) -> None:
        """
        Take a budget in tokens, or a whole policy; and what another window's ``calibration`` was.

        What everything is measured by is the script rule, or what is known of ``model``, by its name; or else
        ``profile``: the name of one, a ``Profile``, or a function that returns the tokens of a text.

        Raises:
            TypeError: neither or both of budget and policy are given, or both a profile and a model.
            ValueError: an argument is out of range, or no such format, profile or language is known.
        """
        self._measure: Final = measure_of(profile_for(profile, model))
        if isinstance(budget, Policy):
            raise TypeError("pass a policy by its name, as in Window(policy=Policy(...))")
        if (budget is None) == (policy is None):
            raise TypeError("pass either a budget in tokens or a policy, as in Window(400_000)")
        self._policy: Final = policy if policy is not None else Policy(budget=budget)  # type: ignore[arg-type]
        self._words: Final = phrases(language)
        settings = Settings(
            format=format_named(format),
            measure=self._measure,
            rules=_rules(self._policy, self._words, self._measure),
            style=Style(self._words, frozenset(self._policy.recall_tools), self._policy.strict_roles),
        )
        self._arguments: Final[dict[str, Any]] = {
            "policy": self._policy,
            "format": format,
            "profile": profile,
            "model": model,
            "language": language,
        }
        self._memo: Final = Memo(lambda: Ledger(settings))
        self._calibration = Calibration() if calibration is None else Calibration.loaded(calibration)
        self._report: Report | None = None
        self._moved: Report | None = (
            None  # what is to be expected since the report's messages are not all sent any more
        )
        self._warned = False

    def __reduce__(self) -> tuple[Any, ...]:
        """Leave the memory behind when copied or sent to another process: it is only speed."""
        return partial(type(self), **self._arguments), (), self._calibration

    def __setstate__(self, calibration: Calibration) -> None:
        self._calibration = calibration

    def __repr__(self) -> str:
        return f"Window({self._policy!r})"

    @property
    def policy(self) -> Policy:
        """What requests are fitted by."""
        return self._policy

    def fit(self, messages: Sequence[Any], *, system: Any = None, tools: Sequence[Any] | None = None) -> Fitted:
        """
        Return the messages to send for a history, within the budget together with ``system`` and ``tools``.

        Neither the list nor anything in it is changed; unchanged messages come back as the same objects.

        Raises:
            FormatError: a message has no shape that the format knows; names its index.
            TypeError: something in a message can't be sent; says what and where.
        """
        fitted = self._fit(_listed(messages), self._measure.overhead(system, tools))
        telling.fitted(fitted)
        return fitted

    def _fit(self, history: list[Any], overhead: int, *, is_smallest: bool = False) -> Fitted:
        if not history:
            return self._unfitted([], overhead)
        with self._memo.held() as memo:
            ledger = memo.grow(*memo.find(history), history)
            budget = 1 if is_smallest else self._budget_quarters()
            plan = ledger.plan(lambda own, note: self._terms(budget, overhead, own, note))
            return self._fitted(ledger.view(), plan, ledger.shown)

    def fit_request(self, body: Mapping[str, Any]) -> Fitted:
        """
        Return a whole request fitted: ``Fitted.request`` is a new body, with everything else as it was.

        A history that lives on the provider's side can't be fitted: it passes through, with one warning.

        Raises:
            ValueError: there is no history in ``body``; names the keys that hold one.
        """
        parts = requests.take_apart(body)
        if parts.is_held_by_server:
            self._warn_once(requests.HELD_BY_SERVER)
        if parts.is_held_by_server or not isinstance(parts.messages, (list, tuple)):
            return self.unfitted_request(body)
        fitted = self.fit(parts.messages, system=parts.system, tools=parts.tools)
        return replace(fitted, request={**body, parts.key: fitted.messages})

    def unfitted_request(self, body: Mapping[str, Any]) -> Fitted:
        """
        Return a whole request as it is: what to ``observe`` by where it was fitted elsewhere, and sent.

        Raises:
            ValueError: there is no history in ``body``; names the keys that hold one.
        """
        parts = requests.take_apart(body)
        size = self._measure.overhead(parts.system, parts.tools) + _unseen(parts.messages, self._measure)
        return replace(self._unfitted(parts.messages, size), request=dict(body))

    def observe(self, fitted: Fitted, usage: Any) -> None:
        """
        Learn from what the provider counted for a request.

        ``usage`` is the number of input tokens, cached ones included; or any SDK's usage object, or an answer
        that carries one; None is no report.  Moves ``ratio``, upwards only, and anchors ``Fitted.expected``.
        A report that can't be of this request, far too high or too low, is ignored, with a logged warning.
        It may also be the error that the request was refused with, or what ``classify`` says of it: after one
        that it was too long, what is fitted is smaller.  One conversation to a window that observes.

        Raises:
            TypeError: ``usage`` has no count of the input; names the members that hold one.
        """
        if isinstance(usage, (BaseException, Failure)):
            self._observe_refusal(fitted, usage if isinstance(usage, Failure) else classify(usage))
            return
        counted, budget, messages = input_tokens(usage), self._policy.budget, list(fitted.messages)
        if counted is None or not _is_known(fitted):
            return
        if not self._calibration.is_believable(fitted.tokens, counted, budget):
            telling.ignored(fitted.tokens, counted)
            return
        self._learn(
            lambda known: known.observed(self._report, messages, fitted.tokens, counted, budget, self._measure.messages)
        )

    def _observe_refusal(self, fitted: Fitted, failure: Failure) -> None:
        if is_too_long(failure) and _is_known(fitted):
            sizes = fitted.tokens, failure.tokens, failure.limit, failure.output or 0, self._policy.budget
            self._learn(lambda known: (known.refused(*sizes), self._report))

    def _learn(self, lesson: Callable[[Calibration], tuple[Calibration, Report | None]]) -> None:
        with self._memo.held():
            before = self._calibration
            after, self._report = lesson(before)
            self._calibration, self._moved = after, None
        telling.learned(before, after)  # outside the lock: who listens may do as they like

    def call(
        self,
        send: Callable[[Fitted], T],
        history: Sequence[Any],
        *,
        system: Any = None,
        tools: Sequence[Any] | None = None,
    ) -> T:
        """
        Return what ``send(fitted)`` returns: the SDK's answer to a request that was fitted, and is observed.

        Where the provider refuses it as too long, the window learns the real size and sends one tighter request.
        Nothing else is repeated: what passes by itself is left to the SDK, what is invalid to the caller.  A
        stream is returned unread; see ``stream``.

        Raises:
            ConversationTooLong: the tighter request was refused as well, or there is none.
            FormatError: a message has no shape that the format knows; names its index.
            TypeError: something in a message can't be sent, or ``send`` is asynchronous.
        """
        return calling.call(self._turn(history, system, tools), send)

    async def acall(
        self,
        send: Callable[[Fitted], Awaitable[T]],
        history: Sequence[Any],
        *,
        system: Any = None,
        tools: Sequence[Any] | None = None,
    ) -> T:
        """Do what ``call`` does where ``send`` is asynchronous; cancelling it leaves the window as it is."""
        return await calling.acall(self._turn(history, system, tools), send)

    def stream(
        self,
        send: Callable[[Fitted], calling.Stream[T]],
        history: Sequence[Any],
        *,
        system: Any = None,
        tools: Sequence[Any] | None = None,
    ) -> Iterator[T]:
        """
        Yield the events of the stream that ``send(fitted)`` returns, each as it is and as it comes.

        What ``call`` does for an answer is done for a stream: until its first event that is part of an answer, a
        refusal is followed by one tighter request; usage is observed when it ends, and it is closed.  ``send``
        returns anything to iterate, or a context manager that gives it.

        Raises:
            ConversationTooLong: the tighter request was refused as well, or there is none.
            FormatError: a message has no shape that the format knows; names its index.
            TypeError: something in a message can't be sent, or ``send`` returns no stream.
        """
        return calling.stream(self._turn(history, system, tools), send)

    def astream(
        self,
        send: Callable[[Fitted], calling.AsyncStream[T]],
        history: Sequence[Any],
        *,
        system: Any = None,
        tools: Sequence[Any] | None = None,
    ) -> AsyncIterator[T]:
        """Do what ``stream`` does where ``send`` is asynchronous, or returns an asynchronous stream."""
        return calling.astream(self._turn(history, system, tools), send)

    def _turn(self, messages: Sequence[Any], system: Any, tools: Sequence[Any] | None) -> Turn:
        history, overhead = _listed(messages), self._measure.overhead(system, tools)
        return Turn(
            fit=partial(self._fit, history, overhead),
            smallest=partial(self._fit, history, overhead, is_smallest=True),
            observe=self.observe,
            language=self._arguments["language"],
        )

    @property
    def calibration(self) -> dict[str, Any]:
        """
        What was learned from reports, as JSON values: save it with the conversation, give it to the next window.

        A window that has it fits as this one would have; ``Fitted.expected`` comes back with the first report.
        """
        return self._calibration.saved()

    @property
    def ratio(self) -> float:
        """
        The provider's tokens to one that is estimated; 1 until something was observed or set.

        Between 0.5 and 4, in sixteenths.  The budget counts the provider's tokens: at a ratio of 2, views are
        fitted to half as many estimated ones.  A plain value, to be saved and given to another window.

        Raises:
            TypeError: what it is set to is no number.
            ValueError: it is out of bounds.
        """
        return self._calibration.ratio

    @ratio.setter
    def ratio(self, value: float) -> None:
        ratio = checked_ratio(value)
        self._calibration = replace(self._calibration, ratio=ratio, base=ratio, is_telling=False, pace=USUAL_PACE)

    def instructions(self) -> str:
        """
        Return the paragraph for the system prompt: old results get cleared, the newest stay, keep going.

        Constant per policy and language, so that the prompt stays cached.  Without it agents stop early
        to save room.
        """
        if not self._policy.recall_tools:
            return self._words.instructions
        return f"{self._words.instructions}\n{self._words.instructions_recall}"

    def _terms(self, budget: int, overhead: int, note_is_message: bool, note: int) -> Terms:
        policy = self._policy
        return Terms(
            budget=budget,
            overhead=overhead,
            keep_window=int(policy.keep_share * budget),
            note=note,
            batch=policy.batch,
            low_water=policy.low_water if policy.hold else 1.0,
            hold=policy.hold,
            strips_thinking=policy.thinking == "strip",
            note_is_message=note_is_message,
        )

    def _budget_quarters(self) -> int:
        """Return the budget in estimated quarter-tokens: exactly, for the ratio is a number of sixteenths."""
        return QUARTERS * self._budget() * STEPS // int(self.ratio * STEPS)

    def _budget(self) -> int:
        return self._calibration.budget(self._policy.budget)

    def _fitted(self, view: list[Any], plan: Plan, shown: Shown) -> Fitted:
        tokens = whole_tokens(plan.quarters)
        return Fitted(
            messages=view,
            tokens=tokens,
            tokens_before=whole_tokens(plan.whole),
            expected=self._expected(view, tokens),
            budget=self._budget(),
            stage=_stage(plan, shown),
            cleared=shown.cleared,
            dropped=shown.gone.messages,
            fits=plan.quarters <= self._budget_quarters(),
            first_changed=shown.first_changed,
            stable_until=shown.stable_until,
            needs_drop_block=shown.has_bound_thinking,
        )

    def _expected(self, view: list[Any], tokens: int) -> int | None:
        """Return what the provider will count; a cut is looked into once, what it leaves is extended again."""
        pace = self._calibration.pace
        for known in (self._report, self._moved):
            if known is not None and known.is_extended_by(view):
                return known.expected(tokens, pace)
        self._moved = None if self._report is None else self._report.moved(list(view), tokens, pace)
        return None if self._moved is None else self._moved.counted

    def _unfitted(self, messages: Any, quarter_tokens: int) -> Fitted:
        tokens = whole_tokens(quarter_tokens)
        return Fitted(
            messages=messages,
            tokens=tokens,
            tokens_before=tokens,
            budget=self._budget(),
            stage=Stage.WHOLE,
            fits=quarter_tokens <= self._budget_quarters(),
        )

    def _warn_once(self, text: str) -> None:
        if not self._warned:
            self._warned = True
            warnings.warn(text, stacklevel=3)


def _is_known(fitted: Fitted) -> bool:
    """Tell whether all that was sent was estimated: a report on anything else teaches nothing."""
    if fitted.request is not None and requests.take_apart(fitted.request).is_held_by_server:
        return False
    return fitted.tokens > 0


def _unseen(messages: Any, measure: Measure) -> int:
    """Return the quarter-tokens of what passes through: new messages of a history held elsewhere, or a bare text."""
    if not isinstance(messages, list):
        return measure.content(messages)
    return sum(measure.message(one) if walker.is_message(one) else measure.content(one) for one in messages)


def _listed(messages: object) -> list[Any]:
    """Return a history as a list: itself if it is one."""
    if isinstance(messages, list):
        return messages
    if isinstance(messages, (str, bytes, Mapping)) or not isinstance(messages, Iterable):
        kind = type(messages).__name__
        raise TypeError(f"messages must be a list of messages (got {kind}); a whole request goes to fit_request()")
    return list(messages)


def _stage(plan: Plan, shown: Shown) -> Stage:
    if shown.gone.messages:
        return plan.cut.stage
    return Stage.CLEARED if shown.cleared else Stage.WHOLE


def _rules(policy: Policy, words: Phrases, measure: Measure) -> Rules:
    inputs = policy.clear_tool_inputs

    @cache
    def note_size(note: str, key: str | None) -> int:
        return measure.value(note if key is None else {key: note})

    return Rules(
        small_result=QUARTERS * policy.small_result,
        note=words.cleared,
        recall_note=words.cleared_recall,
        input_note=words.cleared_input,
        exclude_tools=frozenset(policy.exclude_tools),
        recall_tools=frozenset(policy.recall_tools),
        strict_roles=policy.strict_roles,
        size_of=measure.content,
        value_size=measure.value,
        note_size=note_size,
        input_tools=(None if inputs else frozenset()) if isinstance(inputs, bool) else frozenset(inputs),
    )
