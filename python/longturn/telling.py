"""
What is told to those who watch: records to the logger ``longturn``, attributes on the current span.

Numbers and names of our own, never a word of the conversation: not its texts, its tools or its call ids, nor
what the provider said, which may quote them.  Who listens has imported ``logging`` or OpenTelemetry; where
nobody has, looking into ``sys.modules`` is all that it costs.
"""

from __future__ import annotations

import sys
from typing import Any, Final

from longturn.failures.failure import Failure
from longturn.fitted import Fitted
from longturn.fitting.view import Stage
from longturn.tokens.usage import Calibration

_DEBUG: Final = 10  # the numbers of logging's levels, which is not imported
_INFO: Final = 20
_WARNING: Final = 30


def fitted(made: Fitted) -> None:
    """Tell of a fit that changed something, or that stays over the budget."""
    if made.stage is Stage.WHOLE and made.fits:
        return
    if (logger := _listener(_DEBUG if made.fits else _WARNING)) is not None:
        logger.log(
            _DEBUG if made.fits else _WARNING,
            "fitted %d tokens to %d (%s)" if made.fits else "fitted %d tokens to %d (%s): over the budget",
            made.tokens_before,
            made.tokens,
            made.stage.value,
            extra=_fields("fit", **_sizes(made)),
        )
    if made.stage is not Stage.WHOLE and (span := _span()) is not None:
        span.set_attributes(
            {
                "gen_ai.conversation.compacted": True,
                "longturn.budget": made.budget,
                "longturn.estimate.before": made.tokens_before,
                "longturn.estimate.after": made.tokens,
                "longturn.fits": made.fits,
                "longturn.messages_dropped": made.dropped,
                "longturn.results_cleared": len(made.cleared),
                "longturn.stage": made.stage.value,
            }
        )


def learned(before: Calibration, after: Calibration) -> None:
    """Tell of an observation that moved what a request may be estimated at."""
    if (before.ratio, before.limit, before.ceiling) == (after.ratio, after.limit, after.ceiling):
        return
    if (logger := _listener(_INFO)) is not None:
        logger.info(
            "learned a ratio of %s (it was %s), a limit of %s tokens, a ceiling of %s estimated ones",
            after.ratio,
            before.ratio,
            after.limit,
            after.ceiling,
            extra=_fields(
                "learned", ratio=after.ratio, ratio_before=before.ratio, limit=after.limit, ceiling=after.ceiling
            ),
        )


def ignored(estimated: int, counted: int) -> None:
    """Tell of a report that can't be of its request."""
    if (logger := _listener(_WARNING)) is not None:
        logger.warning(
            "ignored a report of %d tokens for a request estimated at %d: cached tokens left out, or another's?",
            counted,
            estimated,
            extra=_fields("ignored", tokens=estimated, provider_tokens=counted),
        )


def recovered(refused: Fitted, sent: Fitted, failure: Failure) -> None:
    """Tell of a request that was refused as too long, and of the tighter one that was answered."""
    if (logger := _listener(_WARNING)) is not None:
        logger.warning(
            "a request of %d estimated tokens was refused as too long, one of %d was answered",
            refused.tokens,
            sent.tokens,
            extra=_fields("recovered", **_sizes(sent), refused_tokens=refused.tokens, **_said(failure)),
        )
    if (span := _span()) is not None:
        span.set_attribute("longturn.recovered", True)


def given_up(sent: Fitted, failure: Failure) -> None:
    """Tell of a conversation that is too long for the model whatever is left out."""
    if (logger := _listener(_WARNING)) is not None:
        logger.warning(
            "a request of %d estimated tokens was refused as too long, and nothing tighter is left to send",
            sent.tokens,
            extra=_fields("given_up", **_sizes(sent), **_said(failure)),
        )
    if (span := _span()) is not None:
        span.set_attribute("longturn.given_up", True)


def _listener(level: int) -> Any:
    """Return the logger if someone listens at this level, else None."""
    logging = sys.modules.get("logging")
    if logging is None:
        return None
    logger = logging.getLogger("longturn")
    # Without handlers logging itself would print warnings: a library does not write to its user's terminal.
    return logger if logger.isEnabledFor(level) and logger.hasHandlers() else None


def _span() -> Any:
    """Return the current span if it is recorded, else None."""
    current = getattr(sys.modules.get("opentelemetry.trace"), "get_current_span", None)
    span = None if current is None else current()
    return span if span is not None and span.is_recording() else None


def _fields(event: str, **fields: Any) -> dict[str, Any]:
    return {"longturn_event": event} | {f"longturn_{name}": value for name, value in fields.items()}


def _sizes(made: Fitted) -> dict[str, Any]:
    return {
        "tokens": made.tokens,
        "tokens_before": made.tokens_before,
        "budget": made.budget,
        "stage": made.stage.value,
        "cleared": len(made.cleared),
        "dropped": made.dropped,
        "fits": made.fits,
    }


def _said(failure: Failure) -> dict[str, Any]:
    """Return the provider's numbers; not its words."""
    return {"status": failure.status, "provider_tokens": failure.tokens, "provider_limit": failure.limit}
