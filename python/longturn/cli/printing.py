"""Reports of replays: blocks for a person, JSON values for a program.  Nothing is counted here."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from functools import reduce
from itertools import pairwise
from typing import Any, Final, NamedTuple

from longturn.cli.console import Block, Table, Text, Toned, plain
from longturn.cli.records import Replay, Request, Side, counted
from longturn.tokens.profiles import SCRIPT

_CHART_WIDTH: Final = 60
_BARS: Final = "▁▂▃▄▅▆▇█"
_MOVES_SHOWN: Final = 8
_SAME: Final = "the same"


def report_blocks(run: Replay) -> Iterator[Block]:
    """Yield what is to be said of one run."""
    yield Toned(_heading(run), "title")
    yield f"Budget: {run.budget:,} tokens a request.  Sizes are {run.measured}."
    yield ""
    yield _sides(run)
    yield Toned(
        "Cost is in input tokens, of what is sent only: "
        f"{run.prices.read:g} for one read from the cache, {run.prices.write:g} for any other.",
        "quiet",
    )
    yield from _chart(run)
    yield ""
    yield from _moves(run)
    yield from _reported(run)


def _heading(run: Replay) -> str:
    requests, messages = counted(len(run.requests), "request"), counted(run.messages, "message")
    return f"{run.name}: {messages}, {requests}, format {run.format}"


def _sides(run: Replay) -> Table:
    without, fitted = run.without, run.fitted
    remarks = {
        "tokens sent": _less(fitted.tokens_sent, without.tokens_sent),
        "largest request": f"requests {without.largest_request:,} and {fitted.largest_request:,}",
        "requests over budget": "what must stay is larger than the budget" if fitted.over_budget else "",
        "requests that break the prefix": "the cache is written anew from there" if fitted.prefix_breaks else "",
        "cost": _less(fitted.cost, without.cost),
    }
    cells = zip(_cells(without).items(), _cells(fitted).values(), strict=True)
    rows = [[label, before, after, remarks.get(label, "")] for (label, before), after in cells]
    return Table(headings=("<", "without", "with longturn", "<"), rows=rows)


def _cells(side: Side) -> dict[str, Text]:
    return {
        "tokens sent": f"{side.tokens_sent:,}",
        "largest request": f"{side.largest:,}",
        "requests over budget": Toned(f"{side.over_budget:,}", "bad" if side.over_budget else "good"),
        "requests that break the prefix": f"{side.prefix_breaks:,}",
        "read from cache": f"{side.cache_share:.1%}",
        "cost": f"{side.cost:,.0f}",
    }


def _less(part: float, whole: float) -> Text:
    if not whole or part == whole:
        return ""
    change = part / whole - 1
    said = f"{abs(change):.0%}"
    if said == "0%":
        return f"nearly {_SAME}"
    return Toned(f"{said} less", "good") if change < 0 else Toned(f"{said} more", "bad")


def _chart(run: Replay) -> Iterator[Block]:
    """Yield the sizes of the requests in order, where the output can show bars."""
    if len(run.requests) < 3 or not _can_show(_BARS):
        return
    top = max(run.without.largest, run.budget)
    yield ""
    for label, sizes in (
        ("without", [request.without.tokens for request in run.requests]),
        ("with longturn", [request.fitted.tokens for request in run.requests]),
    ):
        yield f"{label:<13}  {_bars(sizes, top)}  up to {max(sizes):,}"


def _bars(sizes: Sequence[int], top: int) -> str:
    width = min(_CHART_WIDTH, len(sizes))
    edges = [index * len(sizes) // width for index in range(width + 1)]
    groups = (max(sizes[start:stop]) for start, stop in pairwise(edges))
    return "".join(_BARS[min(len(_BARS) - 1, size * len(_BARS) // (top + 1))] for size in groups)


def _can_show(text: str) -> bool:
    try:
        text.encode(getattr(sys.stdout, "encoding", None) or "ascii")
    except (UnicodeError, LookupError):
        return False
    return True


def _moves(run: Replay) -> Iterator[Block]:
    if not run.moves:
        yield "Every request fits as it is: nothing is cleared or left out."
        return
    yield f"The cut moved at {counted(len(run.moves), 'request')}, and held still between them:"
    for request in run.moves[:_MOVES_SHOWN]:
        yield f"  request {request.number:,}: {request.move.why}" if request.move else ""
    if len(run.moves) > _MOVES_SHOWN:
        yield f"  and {len(run.moves) - _MOVES_SHOWN:,} more; --json has them all"
    yield ""
    yield _stages(run)
    if run.cleared:
        yield ""
        yield _cleared(run)


def _stages(run: Replay) -> Table:
    meanings = {
        "whole": "as it is",
        "cleared": "old tool results are cleared",
        "turns": "older turns are left out too",
        "rounds": "older rounds of the newest turn are left out too",
    }
    rows = [[row.stage.value, f"{row.requests:,}", f"{row.cuts:,}", meanings[row.stage]] for row in run.stages]
    return Table(headings=("<stage", "requests", "cuts", "<what is sent"), rows=rows)


def _cleared(run: Replay) -> Table:
    rows: list[Sequence[Text]] = [[row.tool, f"{row.results:,}", f"{row.tokens:,}"] for row in run.cleared]
    return Table(headings=("<cleared results of", "results", "tokens"), rows=rows)


def _reported(run: Replay) -> Iterator[Block]:
    if run.reported_ratio is None:
        return
    yield ""
    yield f"The provider counted {run.reported_ratio:.2f} tokens for one that is estimated here."
    if run.unseen:
        yield f"It also counted about {run.unseen:,} tokens that the file does not hold: system prompt and tools."


# ---------------------------------------------------------------------- many runs


class _Sums(NamedTuple):
    """What a row says of one run, or of several."""

    requests: int
    over_budget: int
    moves: int
    cost: float
    fitted_cost: float
    largest: int
    fitted_largest: int

    def plus(self, other: _Sums) -> _Sums:
        return _Sums(
            requests=self.requests + other.requests,
            over_budget=self.over_budget + other.over_budget,
            moves=self.moves + other.moves,
            cost=self.cost + other.cost,
            fitted_cost=self.fitted_cost + other.fitted_cost,
            largest=max(self.largest, other.largest),
            fitted_largest=max(self.fitted_largest, other.fitted_largest),
        )

    def row(self, name: str) -> list[Text]:
        numbers = (self.requests, self.over_budget, self.largest, self.fitted_largest, self.moves)
        return [name, *(f"{number:,}" for number in numbers), _less(self.fitted_cost, self.cost) or _SAME]


def runs_table(runs: Sequence[dict[str, Any]]) -> Table:
    """Return a row a run, and their sum; the runs are given as `summary_value` makes them."""
    sums = [_sums_of(run) for run in runs]
    total = [Toned(plain(cell), "title") for cell in reduce(_Sums.plus, sums).row("total")]
    rows: list[Sequence[Text]] = [one.row(run["name"]) for run, one in zip(runs, sums, strict=True)]
    headings = ("<run", "requests", "over budget", "largest", "fitted to", "cuts", "cost")
    return Table(headings=headings, rows=[*rows, total])


def measures(runs: Sequence[dict[str, Any]]) -> str:
    """Return what runs are measured by, in a sentence; the runs are given as `summary_value` makes them."""
    counts = Counter(run["profile"] for run in runs)
    by = [(f"as {name}" if name != SCRIPT else "by one rule for all models", number) for name, number in counts.items()]
    told = ", ".join(f"{how} in {counted(number, 'run')}" for how, number in by)
    return f"Sizes are estimates, measured {told}."


def _sums_of(run: dict[str, Any]) -> _Sums:
    without, fitted = run["without"], run["fitted"]
    return _Sums(
        requests=run["requests"],
        over_budget=without["over_budget"],
        moves=run["moves"],
        cost=without["cost"],
        fitted_cost=fitted["cost"],
        largest=without["largest"],
        fitted_largest=fitted["largest"],
    )


# ---------------------------------------------------------------------- JSON


def report_value(run: Replay) -> dict[str, Any]:
    """Return a report as JSON values: what a run sums up to, then each request."""
    return {**summary_value(run), "requests": [_request_value(request) for request in run.requests]}


def summary_value(run: Replay) -> dict[str, Any]:
    """Return what a run sums up to as JSON values."""
    sides = {
        name: {**asdict(side), "cache_share": side.cache_share}
        for name, side in (("without", run.without), ("fitted", run.fitted))
    }
    return {
        "name": run.name,
        "format": run.format,
        "budget": run.budget,
        "profile": run.profile,
        "model": run.model or None,
        "prices": asdict(run.prices),
        "messages": run.messages,
        "requests": len(run.requests),
        "moves": len(run.moves),
        **sides,
        "cost_ratio": run.cost_ratio,
        "reported_ratio": run.reported_ratio,
        "unseen": run.unseen,
        "stages": [asdict(row) for row in run.stages],
        "cleared": [asdict(total) for total in run.cleared],
        "most_dropped": run.most_dropped,
    }


def _request_value(request: Request) -> dict[str, Any]:
    value = asdict(request)
    if request.move:
        value["move"]["why"] = request.move.why
    return value
