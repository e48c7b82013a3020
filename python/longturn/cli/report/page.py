"""One page for the browser that holds everything: no file beside it, nothing fetched."""

from __future__ import annotations

import json
from collections.abc import Sequence
from html import escape
from importlib.resources import files
from string import Template
from typing import Any, Final

from longturn.cli.records import Replay, Request, ToolTotal, counted
from longturn.cli.report.drawing import DARK, LIGHT, NARROW, PARTS, WIDE, Drawing, amount, drawing, headline
from longturn.cli.report.transcript import Chapter, room_for

_FOLDER: Final = files("longturn.cli.report")


def page(chapters: Sequence[Chapter]) -> str:
    """Return the page of some runs as HTML."""
    title = chapters[0].run.name if len(chapters) == 1 else f"{len(chapters)} runs"
    limit = room_for([text for chapter in chapters for text in chapter.transcript.texts()])
    text = Template(_read("page.html")).substitute(
        title=escape(title),
        style=_colours() + _read("page.css"),
        script=_read("page.js"),
        chapters="\n".join(_chapter(number, chapter) for number, chapter in enumerate(chapters)),
        runs="".join(f'<option value="{n}">{escape(one.run.name)}</option>' for n, one in enumerate(chapters)),
        several="" if len(chapters) > 1 else "hidden",
        data=_embedded([_data(chapter, limit) for chapter in chapters]),
    )
    return text.encode("utf-8", "replace").decode()  # a lone surrogate has no place in a file


def _read(name: str) -> str:
    return (_FOLDER / name).read_text(encoding="utf-8")


def _colours() -> str:
    """Return the style rules that give colours their values, by day and by night."""
    day, night = (
        "".join(f"--{name}:{value};" for name, value in palette.items()) + f"color-scheme:{scheme}"
        for palette, scheme in ((LIGHT, "light"), (DARK, "dark"))
    )
    return (
        f":root,:root[data-theme=light]{{{day}}}:root[data-theme=dark]{{{night}}}"
        f"@media(prefers-color-scheme:dark){{:root:not([data-theme=light]){{{night}}}}}\n"
    )


def _embedded(value: Any) -> str:
    """Return a value as JSON that no text in it can break out of."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")


# ---------------------------------------------------------------------- what stands on the page without a script


def _chapter(number: int, chapter: Chapter) -> str:
    run = chapter.run
    return Template(_read("chapter.html")).substitute(
        number=number,
        hidden="hidden" if number else "",
        name=escape(run.name),
        headline=escape(headline(run)),
        about=escape(_about(run)),
        described=escape(_described(run)),
        wide=_picture(drawing(run, WIDE, name=f"run{number}wide"), "wide"),
        narrow=_picture(drawing(run, NARROW, name=f"run{number}narrow"), "narrow"),
        sums=_rows(_sums(run)),
        cleared=_rows(_cleared(run.cleared)) or _nothing("Nothing was cleared.", 3),
        moves="".join(map(_move, run.moves)) or _nothing("The cut never moved: every request fits.", 3),
        last=len(run.requests),
        last_said=f"{len(run.requests):,}",
    )


def _about(run: Replay) -> str:
    messages, requests = counted(run.messages, "message"), counted(len(run.requests), "request")
    return f"{messages}, {requests}, format {run.format}; sizes are {run.measured}"


def _described(run: Replay) -> str:
    """Return in words what the picture shows."""
    without, fitted = run.without, run.fitted
    return (
        f"Tokens per request over {counted(len(run.requests), 'request')}. "
        f"Without longturn the largest has {without.largest:,} tokens; with it {fitted.largest:,}, at a budget of "
        f"{run.budget:,}. The cut moved {counted(len(run.moves), 'time')}. "
        f"{fitted.cache_share:.0%} of the tokens come from the cache, {without.cache_share:.0%} without. "
        f"The cost is {amount(fitted.cost)} against {amount(without.cost)} input tokens."
    )


def _picture(made: Drawing, kind: str) -> str:
    places = {"left": made.left, "right": made.right, "top": made.top, "bottom": made.bottom}
    data = " ".join(f'data-{name}="{share:.5f}"' for name, share in places.items())
    return f'<div class="picture {kind}" {data}>{made.svg}</div>'


def _sums(run: Replay) -> list[tuple[str, ...]]:
    without, fitted = run.without, run.fitted
    return [
        ("largest request", f"{without.largest:,}", f"{fitted.largest:,}"),
        ("requests over the budget", f"{without.over_budget:,}", f"{fitted.over_budget:,}"),
        ("tokens sent", f"{without.tokens_sent:,}", f"{fitted.tokens_sent:,}"),
        ("read from the cache", f"{without.cache_share:.1%}", f"{fitted.cache_share:.1%}"),
        ("requests that break the cached prefix", f"{without.prefix_breaks:,}", f"{fitted.prefix_breaks:,}"),
        ("cost, in input tokens", f"{without.cost:,.0f}", f"{fitted.cost:,.0f}"),
    ]


def _cleared(totals: Sequence[ToolTotal]) -> list[tuple[str, ...]]:
    return [(total.tool, f"{total.results:,}", f"{total.tokens:,}") for total in totals]


def _rows(rows: Sequence[tuple[str, ...]]) -> str:
    return "".join(
        f'<tr><th scope="row">{escape(first)}</th>' + "".join(f"<td>{escape(cell)}</td>" for cell in cells) + "</tr>"
        for first, *cells in rows
    )


def _move(request: Request) -> str:
    move = request.move
    assert move is not None
    tools = ", ".join(f"{total.results} × {total.tool}" for total in move.cleared)
    return (
        f'<tr><th scope="row"><button type="button" class="go" data-request="{request.number}">'
        f"{request.number:,}</button></th><td>{escape(move.why)}</td><td>{escape(tools)}</td></tr>"
    )


def _nothing(text: str, columns: int) -> str:
    return f'<tr><td colspan="{columns}">{escape(text)}</td></tr>'


# ---------------------------------------------------------------------- what the script needs


def _data(chapter: Chapter, limit: int) -> dict[str, Any]:
    return {
        "budget": chapter.run.budget,
        "parts": [[name, label] for name, label, _ in PARTS],
        "requests": [_request(request) for request in chapter.run.requests],
        "entries": chapter.transcript.cut(limit),
        "steps": chapter.transcript.steps,
    }


def _request(request: Request) -> dict[str, Any]:
    return {
        "messages": request.messages,
        "stage": request.stage,
        "tokens": request.fitted.tokens,
        "without": request.without.tokens,
        "reused": round(request.fitted.reused_share, 3),
        "fits": request.fitted.fits,
        "cleared": request.cleared,
        "dropped": request.dropped,
        "parts": [tokens(request.fitted.parts) for _, _, tokens in PARTS],
        "why": request.move.why if request.move else None,
    }
