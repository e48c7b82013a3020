"""Reports as text for a person and as JSON values for a program."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Any

from longturn.cli.records import Replay, Request, Side
from longturn.cli.sessions import Thread
from longturn.tokens.estimate import estimate

_PREVIEW_CHARS = 60


def report_text(report: Replay) -> str:
    """Return a report as a few aligned lines."""
    return "\n".join([*_heading(report), "", *_table(report), "", *_stages(report)])


def report_value(report: Replay) -> dict[str, Any]:
    """Return a report as JSON values: what a run sums up to, then each request."""
    sums = {
        key: {**asdict(side), "cache_share": side.cache_share}
        for key, side in (("without", report.without), ("fitted", report.fitted))
    }
    return {
        "name": report.name,
        "format": report.format,
        "budget": report.budget,
        "prices": asdict(report.prices),
        "messages": report.messages,
        **sums,
        "cost_ratio": report.cost_ratio,
        "reported_ratio": report.reported_ratio,
        "stages": [asdict(row) for row in report.stages],
        "cleared": [asdict(total) for total in report.cleared],
        "most_dropped": report.most_dropped,
        "requests": [_request_value(request) for request in report.requests],
    }


def _request_value(request: Request) -> dict[str, Any]:
    value = asdict(request)
    if request.move:
        value["move"]["why"] = request.move.why
    return value


def _heading(report: Replay) -> Iterator[str]:
    yield f"{report.name}: {report.messages:,} messages, {len(report.requests):,} requests, format {report.format}"
    yield f"budget: {report.budget:,} tokens a request; all sizes are estimates"


def _table(report: Replay) -> Iterator[str]:
    rows = list(_rows(report))
    widths = [max(len(row[column]) for row in rows) for column in range(4)]
    for label, without, fitted, remark in rows:
        line = f"{label:<{widths[0]}}  {without:>{widths[1]}}  {fitted:>{widths[2]}}  {remark}"
        yield line.rstrip()
    yield f"cost: in input tokens, cache read {report.prices.read:g}, cache write {report.prices.write:g}"


def _rows(report: Replay) -> Iterator[tuple[str, str, str, str]]:
    without, fitted = report.without, report.fitted
    yield "", "without", "with longturn", ""
    yield (
        "tokens sent",
        f"{without.tokens_sent:,}",
        f"{fitted.tokens_sent:,}",
        _ratio(fitted.tokens_sent, without.tokens_sent),
    )
    yield "largest request", f"{without.largest:,}", f"{fitted.largest:,}", _which(without, fitted)
    yield "requests over budget", f"{without.over_budget:,}", f"{fitted.over_budget:,}", ""
    yield "prefix breaks", f"{without.prefix_breaks:,}", f"{fitted.prefix_breaks:,}", ""
    yield "read from cache", f"{without.cache_share:.1%}", f"{fitted.cache_share:.1%}", ""
    yield "cost", f"{without.cost:,.0f}", f"{fitted.cost:,.0f}", _ratio(fitted.cost, without.cost)


def _ratio(part: float, whole: float) -> str:
    return f"ratio {part / whole:.3f}" if whole else ""


def _which(without: Side, fitted: Side) -> str:
    return f"requests {without.largest_request:,} and {fitted.largest_request:,}"


def _stages(report: Replay) -> Iterator[str]:
    rows = [
        ("stage", "cuts", "requests"),
        *((s.stage, f"{s.cuts:,}", f"{s.requests:,}") for s in report.stages),
    ]
    yield from (f"{stage:<7}  {cuts:>6}  {requests:>8}" for stage, cuts, requests in rows)
    yield ""
    results = sum(total.results for total in report.cleared)
    tokens = sum(total.tokens for total in report.cleared)
    yield f"cleared: {results:,} results, {tokens:,} tokens"
    for total in report.cleared:
        yield f"  {total.tool}: {total.results:,} results, {total.tokens:,} tokens"
    yield f"left out: at most {report.most_dropped:,} messages of one request"


# ---------------------------------------------------------------------- the threads of a session


def threads_text(threads: Sequence[Thread]) -> str:
    """Return a session's threads, one a line."""
    rows = [_thread_row(number, thread) for number, thread in enumerate(threads)]
    return "\n".join(
        f"{row['thread']:>3}  {row['kind']:<9}  line {row['first_line']:<5}  {row['messages']:>5,} messages  "
        f"{row['tokens']:>9,} tokens  {row['begins']}"
        for row in rows
    )


def threads_value(threads: Sequence[Thread]) -> list[dict[str, Any]]:
    """Return a session's threads as JSON values."""
    return [_thread_row(number, thread) for number, thread in enumerate(threads)]


def _thread_row(number: int, thread: Thread) -> dict[str, Any]:
    return {
        "thread": number,
        "kind": "sub-agent" if thread.is_agent else "main",
        "first_line": thread.first_line,
        "messages": len(thread.messages),
        "tokens": estimate(thread.messages),
        "begins": _preview(thread.messages[0]["content"]),
    }


def _preview(content: Any) -> str:
    """Return the first words of a message."""
    if isinstance(content, list):
        content = next((block["text"] for block in content if isinstance(block.get("text"), str)), "")
    words = " ".join(content[: 4 * _PREVIEW_CHARS].split())
    return words if len(words) <= _PREVIEW_CHARS else f"{words[: _PREVIEW_CHARS - 1]}…"
