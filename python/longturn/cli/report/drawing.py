"""
One run as a picture: sizes per request, cache reuse, cost, over a common axis of requests.

Drawn by matplotlib, which the extra ``report`` brings.  Colours are names: a PNG has them filled in, an SVG
leaves them to the style sheet of its page, so that it is light or dark as the page is.
"""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from longturn.cli.records import Parts, Replay, Request

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

PARTS: Final[tuple[tuple[str, str, Callable[[Parts], int]], ...]] = (
    ("overhead", "system prompt and tools", lambda parts: parts.overhead),
    ("head", "head: the task", lambda parts: parts.head),
    ("notes", "notes on what was cleared", lambda parts: parts.notes),
    ("kept", "kept: talk, calls, results", lambda parts: parts.kept),
    ("unread", "results not read yet", lambda parts: parts.unread),
)
"""What a request is stacked from, the lowest first: name of its colour, legend, tokens."""

LIGHT: Final[Mapping[str, str]] = {
    "paper": "#ffffff", "ink": "#1f2328", "faint": "#d0d7de",
    "overhead": "#848d97", "head": "#0550ae", "notes": "#d4791f", "kept": "#5694d6", "unread": "#2da44e",
    "without": "#a40e26", "budget": "#1f2328", "fitted": "#0969da", "cut": "#bc4c00",
}  # fmt: skip
DARK: Final[Mapping[str, str]] = {
    "paper": "#0d1117", "ink": "#e6edf3", "faint": "#30363d",
    "overhead": "#6e7681", "head": "#79b8ff", "notes": "#f0883e", "kept": "#3168a8", "unread": "#3fb950",
    "without": "#ff7b72", "budget": "#e6edf3", "fitted": "#58a6ff", "cut": "#f0883e",
}  # fmt: skip

_STAND_INS: Final = {name: f"#0101{number:02x}" for number, name in enumerate(LIGHT)}
"""Colours that a drawing has until its page gives it its own."""

_TALLEST: Final = 3
"""How many times the budget the scale of sizes goes up to, at most."""
_PNG_DOTS: Final = 144  # per inch
_UNITS: Final = ((1_000_000_000, "B"), (1_000_000, "M"), (1_000, "k"))
_ROUNDED: Final = 0.9995  # what three digits round up to one


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """How large a drawing is, in inches."""

    width: float
    height: float
    columns: int
    """Of the legend."""


WIDE: Final = Shape(width=11, height=8.6, columns=4)
NARROW: Final = Shape(width=4.6, height=9, columns=2)
"""For a phone."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Drawing:
    """A picture for a page, and where its axis of requests lies in it."""

    svg: str
    left: float
    """Of request 1, as a share of the width."""
    right: float
    """Of the last request, likewise."""
    top: float
    """Of the uppermost panel, as a share of the height, from above."""
    bottom: float
    """Of the lowest panel, likewise."""


def png(run: Replay) -> bytes:
    """Return a run as a PNG image, in light colours."""
    import matplotlib as mpl

    with mpl.rc_context(_settings(LIGHT)):
        figure, _ = _figure(run, WIDE, LIGHT, title=headline(run))
        return _saved(figure, "png", dpi=_PNG_DOTS)


def drawing(run: Replay, shape: Shape, *, name: str) -> Drawing:
    """Return a run as an SVG element for a page; ``name`` keeps its ids apart from those of others."""
    import matplotlib as mpl

    with mpl.rc_context({**_settings(_STAND_INS), "svg.hashsalt": name}):
        figure, axes = _figure(run, shape, _STAND_INS)
        text = _saved(figure, "svg", transparent=True).decode()
        return Drawing(svg=_for_page(text), **_edges(figure, axes, run))


def headline(run: Replay) -> str:
    """Return a run in a sentence."""
    over, requests, budget = run.without.over_budget, len(run.requests), amount(run.budget)
    if not over and not run.moves:
        if requests == 1:
            return f"The only request fits the budget of {budget} as it is"
        return f"All {requests:,} requests fit the budget of {budget} as they are"
    return (
        f"{over:,} of {requests:,} requests over the budget of {budget}; with longturn "
        f"{run.fitted.over_budget:,}, at {run.cost_ratio:.0%} of the cost"
    )


def amount(tokens: float) -> str:
    """Return a number of tokens as a person says it: 950, 12k, 1.4M, 2B."""
    unit, letter = next(((unit, letter) for unit, letter in _UNITS if abs(tokens) >= unit * _ROUNDED), (1, ""))
    return f"{tokens / unit:.3g}{letter}"


# ---------------------------------------------------------------------- the three panels


def _figure(run: Replay, shape: Shape, colours: Mapping[str, str], *, title: str | None = None) -> tuple[Figure, Axes]:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(shape.width, shape.height), layout="constrained")
    sizes, reuse, cost = figure.subplots(3, 1, sharex=True, height_ratios=(5, 2, 2))
    _draw_sizes(sizes, run, colours)
    _draw_reuse(reuse, run, colours)
    _draw_cost(cost, run, colours)
    cost.set_xlabel("request")
    cost.set_xlim(0.5, len(run.requests) + 0.5)
    figure.legend(
        *sizes.get_legend_handles_labels(), loc="outside upper left", ncols=shape.columns, frameon=False,
        title=title, alignment="left", title_fontproperties={"size": 11, "weight": "bold"},
    )  # fmt: skip
    return figure, cost


def _draw_sizes(axes: Axes, run: Replay, colours: Mapping[str, str]) -> None:
    edges = _bounds(run)
    lower = [0] * len(run.requests)
    for name, label, tokens in PARTS:
        upper = [base + tokens(request.fitted.parts) for base, request in zip(lower, run.requests, strict=True)]
        axes.stairs(upper, edges, baseline=lower, fill=True, color=colours[name], label=label, linewidth=0)
        lower = upper
    without = [request.without.tokens for request in run.requests]
    axes.stairs(
        without, edges, baseline=None, color=colours["without"], linewidth=1.4, linestyle="--", label=_SAID["without"]
    )
    axes.axhline(run.budget, color=colours["budget"], linewidth=1, linestyle=":", label="budget")
    _mark_cuts(axes, run.moves, colours)
    _finish(axes, "Tokens per request", amount)
    top = max(run.budget, run.fitted.largest)
    if max(without) > _TALLEST * top:  # else what fitting does would be a line at the bottom
        axes.set_ylim(0, _TALLEST * top)
        is_late = without[len(without) // 2] <= _TALLEST * top  # the line leaves the scale on the right
        label = f"without longturn up to {amount(max(without))} \N{NORTH EAST ARROW}"
        axes.annotate(
            label, (0.01 if is_late else 0.99, 0.95), xycoords="axes fraction", ha="left" if is_late else "right",
            va="top", color=colours["without"],
            bbox={"facecolor": colours["paper"], "edgecolor": "none", "pad": 2},
        )  # fmt: skip


def _mark_cuts(axes: Axes, moves: Sequence[Request], colours: Mapping[str, str]) -> None:
    if not moves:
        return
    axes.plot(
        [request.number for request in moves], [request.fitted.tokens for request in moves],
        marker="v", linestyle="none", markersize=6, color=colours["cut"], label="the cut moves", clip_on=False,
    )  # fmt: skip


def _draw_reuse(axes: Axes, run: Replay, colours: Mapping[str, str]) -> None:
    for name, sent in _sides(run):
        shares = [one.reused_share for one in sent]
        axes.stairs(shares, _bounds(run), baseline=None, linewidth=1.3, color=colours[name], linestyle=_LINES[name])
    axes.set_ylim(0, 1.05)
    _finish(axes, "Share read from the cache", lambda share: f"{share:.0%}")


def _draw_cost(axes: Axes, run: Replay, colours: Mapping[str, str]) -> None:
    for name, sent in _sides(run):
        costs = [one.cost_so_far for one in sent]
        label = f"{_SAID[name]}: {amount(costs[-1])} in the end"
        axes.stairs(
            costs, _bounds(run), baseline=None, linewidth=1.6, color=colours[name], linestyle=_LINES[name], label=label
        )
    _finish(axes, "Cost so far, in input tokens", amount)
    axes.legend(loc="upper left", frameon=False)


def _bounds(run: Replay) -> list[float]:
    """Return where on the axis each request begins, and where the last one ends: half a step beside its number."""
    return [number + 0.5 for number in range(len(run.requests) + 1)]


_LINES: Final = {"without": "--", "fitted": "-"}
_SAID: Final = {"without": "without longturn", "fitted": "with longturn"}


def _sides(run: Replay) -> Iterator[tuple[str, list[Any]]]:
    yield "without", [request.without for request in run.requests]
    yield "fitted", [request.fitted for request in run.requests]


def _finish(axes: Axes, title: str, tick: Callable[[float], str]) -> None:
    from matplotlib.ticker import MaxNLocator

    axes.set_title(title, loc="left", fontsize=10, fontweight="bold")
    axes.set_ylim(bottom=0)
    axes.yaxis.set_major_formatter(lambda value, _: tick(value))
    axes.xaxis.set_major_locator(MaxNLocator(integer=True, min_n_ticks=1))
    axes.grid(axis="y", linewidth=0.6)
    axes.set_axisbelow(True)
    for side in ("top", "right", "left"):
        axes.spines[side].set_visible(False)


# ---------------------------------------------------------------------- files


def _settings(colours: Mapping[str, str]) -> dict[str, Any]:
    ink, faint = colours["ink"], colours["faint"]
    return {
        "font.family": "DejaVu Sans",  # comes with matplotlib: the same picture on every machine
        "font.size": 9, "legend.fontsize": 8,
        "text.color": ink, "axes.labelcolor": ink, "xtick.color": ink, "ytick.color": ink, "axes.titlecolor": ink,
        "axes.edgecolor": faint, "grid.color": faint,
        "figure.facecolor": colours["paper"], "axes.facecolor": colours["paper"],
        "svg.fonttype": "none",  # text stays text: it can be searched, read aloud and takes the page's font
    }  # fmt: skip


def _saved(figure: Figure, kind: str, **options: Any) -> bytes:
    buffer = io.BytesIO()
    metadata = {"Date": None} if kind == "svg" else {}  # the same run, the same bytes
    figure.savefig(buffer, format=kind, metadata=metadata, **options)
    return buffer.getvalue()


def _edges(figure: Figure, lowest: Axes, run: Replay) -> dict[str, float]:
    """Return where the first and the last request lie, and the panels' ends, as shares of width and height."""
    width, height = figure.get_size_inches() * figure.dpi
    left, right = (lowest.transData.transform((number, 0))[0] for number in (1, len(run.requests)))
    top, bottom = figure.axes[0].bbox.y1, lowest.bbox.y0
    shares = {"left": left / width, "right": right / width, "top": 1 - top / height, "bottom": 1 - bottom / height}
    return {name: float(share) for name, share in shares.items()}


_PROLOGUE: Final = re.compile(r"^.*?(?=<svg)", re.DOTALL)
_METADATA: Final = re.compile(r"<metadata>.*?</metadata>", re.DOTALL)


def _for_page(text: str) -> str:
    """Return an SVG document as an element that fills its place and takes the page's colours."""
    text = _METADATA.sub("", _PROLOGUE.sub("", text))
    head, rest = text.split(">", 1)
    head = re.sub(r'\s(width|height)="[^"]*"', "", head)
    text = f'{head} aria-hidden="true" focusable="false">{rest}'
    for name, stand_in in _STAND_INS.items():
        text = text.replace(stand_in, f"var(--{name})")
    return text
