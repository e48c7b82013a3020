"""The page and the picture of a replayed run."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from strategies import SHAPES
from strategies import transcript as seeded

import longturn
from longturn.cli import main
from longturn.cli.records import Replay
from longturn.cli.replay import format_of, replay
from longturn.cli.report import transcript as transcripts
from longturn.cli.report.transcript import Chapter, Transcript
from longturn.tokens.measure import measure_of
from longturn.window import Window

pytest.importorskip("matplotlib")

from longturn.cli.report import drawing as drawings
from longturn.cli.report.drawing import DARK, LIGHT, NARROW, WIDE, amount, drawing, headline, png
from longturn.cli.report.page import page

BROWSER = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
NASTY = "</script><script>document.title='broken out'</script><!-- \u2028 \ud800"


def _history(rounds: int = 12, result: str = "line of a log\n" * 60) -> list[Any]:
    history: list[Any] = [{"role": "user", "content": f"Read everything. {NASTY}"}]
    for number in range(rounds):
        call = {"type": "tool_use", "id": f"c{number}", "name": "read", "input": {"number": number}}
        answer = {"type": "tool_result", "tool_use_id": f"c{number}", "content": f"{number} {result}"}
        history += [{"role": "assistant", "content": [call]}, {"role": "user", "content": [answer]}]
    return [*history, {"role": "assistant", "content": [{"type": "text", "text": "Done."}]}]


def _chapter(history: list[Any], budget: int, *, shape: str = "anthropic", name: str = "run") -> Chapter:
    transcript = Transcript(history, format_of(history, shape))
    run = replay(history, Window(budget, format=shape), name=name, shape=shape, watch=transcript.take_in)
    return Chapter(run=run, transcript=transcript)


@pytest.fixture(scope="module")
def chapter() -> Chapter:
    return _chapter(_history(), 1_500, name="run <b>one</b>")


@pytest.fixture(scope="module")
def html(chapter: Chapter) -> str:
    return page([chapter])


def _listed(transcript: Transcript) -> list[list[int]]:
    """Rebuild what the page shows, as its script does."""
    lists: list[list[int]] = [[]]
    for step in transcript.steps:
        lists.append(lists[-1][: step["keep"]] + step["add"])
    return lists[1:]


def _check(history: list[Any], run: Replay, transcript: Transcript) -> None:
    lists = _listed(transcript)
    assert len(run.requests) == len(lists)
    for request, places in zip(run.requests, lists, strict=True):
        entries = [transcript.entries[place] for place in places]
        sent = run.sent_at(request.number)
        assert len(sent) == len(entries)
        shown = sum(part["kind"] == "cleared" for entry in entries for part in entry["parts"])
        assert request.cleared == shown
        at = [entry["at"] for entry in entries if entry["at"] is not None]
        assert at == sorted(set(at))
        assert request.messages - request.dropped == len(at)
        own = [index for index, message in enumerate(history) if any(message is one for one in sent)]
        assert set(own) <= set(at)


def test_a_transcript_holds_the_very_messages_of_every_request(chapter: Chapter) -> None:
    """Requests are kept as what they add; put together again they are what was sent."""
    history = _history()
    again = _chapter(history, 1_500)
    assert again.run.moves
    _check(history, again.run, again.transcript)


@pytest.mark.parametrize("shape", SHAPES)
def test_every_format_has_a_transcript(shape: str) -> None:
    """Calls, results and notes are told apart in every format, and each message has its place."""
    history = seeded(7, shape, steps=25).messages
    whole = replay(history, Window(1_000_000), shape="auto").without.largest
    made = _chapter(history, whole // 3, shape="auto")
    kinds = {part["kind"] for entry in made.transcript.entries for part in entry["parts"]}
    notes = {"note"} if made.run.most_dropped else set()
    assert {"text", "call", "result", "cleared"} | notes == kinds - {"thinking"}
    tools = {part["tool"] for entry in made.transcript.entries for part in entry["parts"] if "tool" in part}
    assert {"read", "look", "write"} >= tools
    _check(history, made.run, made.transcript)


THOUGHT = {"type": "thinking", "thinking": "Hm."}
YES = {"type": "text", "text": "Yes."}
SHOWN = [
    ("anthropic", {"role": "assistant", "content": [THOUGHT, YES]}, ["thinking", "text"]),
    ("openai-responses", {"type": "reasoning", "summary": [{"type": "summary_text", "text": "Hm."}]}, ["thinking"]),
    ("gemini", {"role": "model", "parts": [{"text": "Hm.", "thought": True}, {"text": "Y"}]}, ["thinking", "text"]),
    ("anthropic", {"role": "user", "content": [{"type": "image", "source": {}}, YES]}, ["media", "text"]),
    ("gemini", {"role": "user", "parts": [{"inlineData": {"mimeType": "image/png", "data": ""}}]}, ["media"]),
    ("bedrock", {"role": "user", "content": [{"image": {"format": "png"}}, {"text": "?"}]}, ["media", "text"]),
]


@pytest.mark.parametrize(("shape", "message", "kinds"), SHOWN)
def test_what_is_thought_and_what_is_shown_are_told_apart(shape: str, message: Any, kinds: list[str]) -> None:
    """A picture has its place in a message, thinking is not what was said."""
    asked = {"role": "user", "parts": [{"text": "?"}]} if shape == "gemini" else {"role": "user", "content": "?"}
    made = _chapter([asked, message], 5_000, shape=shape)
    assert kinds == [part["kind"] for part in made.transcript.entries[1]["parts"]]


def test_a_page_has_room_for_short_texts_whatever_the_long_ones_are(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of all its runs together; what is cut is counted."""
    monkeypatch.setattr(transcripts, "PAGE_CHARACTERS", 3_000)
    assert 1_100 == transcripts.room_for(["x" * 300, "x" * 500, "x" * 9_000, "x" * 1_200])
    assert 200 == transcripts.room_for(["x" * 500] * 100)
    assert 20_000 == transcripts.room_for(["x" * 500] * 6)
    made = _chapter(_history(rounds=2, result="x" * 50_000), 100_000)
    parts = [part for entry in made.transcript.cut(1_000) for part in entry["parts"] if "more" in part]
    assert [(1_000, 49_002)] * 2 == [(len(part["text"]), part["more"]) for part in parts]


def test_a_results_size_is_what_the_run_measures_it_at() -> None:
    """By a profile if the run is: beside the sums it would look like an error otherwise."""
    history = _history(2, "0123456789abcdef " * 40)
    for name in ("script", "openai"):
        transcript = Transcript(history, format_of(history, "anthropic"), measure=measure_of(name))
        transcript.take_in(history, len(history))
        sizes = [part["tokens"] for entry in transcript.entries for part in entry["parts"] if "tokens" in part]
        contents = [message["content"][0]["content"] for message in history[2:-1:2]]
        assert sizes == [longturn.estimate(content, profile=name) for content in contents]


def test_long_texts_are_cut_and_say_so() -> None:
    """A page stays small enough to open; what is not shown is counted."""
    made = _chapter(_history(rounds=2, result="x" * 50_000), 100_000)
    cut = [part for entry in made.transcript.entries for part in entry["parts"] if "more" in part]
    assert {50_002} == {len(part["text"]) + part["more"] for part in cut}


class _Links(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []
        self.tags: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.found += [value or "" for name, value in attrs if name in ("src", "href", "xlink:href", "action")]


def test_a_page_fetches_nothing(html: str) -> None:
    """Everything is inside; a policy forbids the rest, and links go to places on the page."""
    links = _Links()
    links.feed(html)
    assert all(link.startswith("#") for link in links.found)
    assert not {"img", "link", "iframe", "object"} & set(links.tags)
    assert "default-src 'none'" in html
    assert not re.findall(r"url\((?!#)", html)


def test_texts_of_a_run_never_become_markup(html: str) -> None:
    """A message that holds the end of a script stays a text."""
    links = _Links()
    links.feed(html)
    assert 2 == links.tags.count("script")
    assert "b" not in links.tags
    data = json.loads(re.search(r'id="data">(.*?)</script>', html, re.DOTALL)[1])  # type: ignore[index]
    assert data[0]["entries"][0]["parts"][0]["text"].startswith("Read everything. </script>")


def test_a_page_names_its_parts_for_those_who_do_not_see_it(html: str) -> None:
    """The picture has a description, the slider a label, tables captions and headings."""
    assert re.search(r'<figure role="img" aria-label="Tokens per request[^"]+budget of 1,500', html)
    assert '<label for="request0">' in html
    assert 3 == html.count("<caption>")
    assert '<html lang="en">' in html


def test_the_same_run_makes_the_same_page(chapter: Chapter, html: str) -> None:
    """No date, no random ids: pages can be compared."""
    assert html == page([chapter])
    assert png(chapter.run) == png(chapter.run)


def test_a_drawing_takes_its_colours_from_the_page(chapter: Chapter) -> None:
    """Light and dark are the page's matter; the axis of requests is where the drawing says."""
    for shape in (WIDE, NARROW):
        made = drawing(chapter.run, shape, name="x")
        assert "var(--kept)" in made.svg
        assert "#0101" not in made.svg
        assert 0 < made.left < made.right < 1
        assert 0 < made.top < made.bottom < 1


def test_a_pictures_title_stands_above_its_legend(chapter: Chapter) -> None:
    """Neither covers the other."""
    figure, _ = drawings._figure(chapter.run, WIDE, LIGHT, title="A title")
    figure.draw_without_rendering()
    (legend,) = figure.legends
    assert legend.get_title().get_window_extent().y0 >= max(text.get_window_extent().y1 for text in legend.get_texts())


def test_a_picture_is_a_png(chapter: Chapter) -> None:
    """Wide enough for a slide."""
    image = png(chapter.run)
    assert image.startswith(b"\x89PNG\r\n")
    width, height = (int.from_bytes(image[start : start + 4], "big") for start in (16, 20))
    assert (1_584, 1_238) == (width, height)


@pytest.mark.parametrize(
    ("budget", "expected"),
    [
        (1_500, r"\d+ of 14 requests over the budget of 1\.5k; with longturn 0, at \d+% of the cost"),
        (90_000, "All 14 requests fit the budget of 90k as they are"),
    ],
)
def test_a_headline_says_what_fitting_did(budget: int, expected: str) -> None:
    """One sentence, also where there was nothing to do."""
    assert re.fullmatch(expected, headline(_chapter(_history(), budget).run))


@pytest.mark.parametrize(
    ("tokens", "said"),
    [(950, "950"), (12_345, "12.3k"), (1_400_000, "1.4M"), (2_041_000_000, "2.04B"), (999_960, "1M"), (0, "0")],
)
def test_amounts_are_said_as_people_say_them(tokens: float, said: str) -> None:
    """Three digits tell enough on an axis."""
    assert said == amount(tokens)


def test_a_run_of_one_request_has_a_page() -> None:
    """The slider has one place."""
    made = _chapter([{"role": "user", "content": "Hello."}], 1_000)
    html = page([made])
    assert "The only request fits the budget of 1k as it is" in html
    assert ">0.5<" not in html


def test_a_tool_may_be_called_like_nothing_on_earth() -> None:
    """A page is UTF-8 whatever stands in tables and names."""
    history = [*_history(6)]
    for message in history[1:-1:2]:
        message["content"][0]["name"] = NASTY
    made = _chapter(history, 1_100, name=NASTY)
    assert made.run.cleared
    assert page([made]).encode()


def _contrast(one: str, other: str) -> float:
    """Return the contrast of two colours as WCAG 2 has it."""

    def luminance(colour: str) -> float:
        parts = [int(colour[start : start + 2], 16) / 255 for start in (1, 3, 5)]
        red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
        return 0.2126 * red + 0.7152 * green + 0.0722 * blue

    darker, lighter = sorted((luminance(one), luminance(other)))
    return (lighter + 0.05) / (darker + 0.05)


@pytest.mark.parametrize("palette", [LIGHT, DARK], ids=["light", "dark"])
def test_what_is_drawn_stands_out_from_the_paper(palette: dict[str, str]) -> None:
    """WCAG AA: 3 to 1 for graphics, 4.5 to 1 for text; parts that lie on one another differ as well."""
    drawn = {name: _contrast(colour, palette["paper"]) for name, colour in palette.items()}
    assert [] == [name for name, contrast in drawn.items() if contrast < 3 and name not in ("paper", "faint")]
    assert min(drawn["ink"], drawn["without"], drawn["fitted"], drawn["cut"]) >= 4.5
    assert _contrast(palette["head"], palette["kept"]) >= 2


# ---------------------------------------------------------------------- in a real browser


def _in_browser(html: str, tmp_path: Path, script: str = "", address: str = "") -> str:
    """Return the page's elements after a browser has run it, and ``script`` on it."""
    assert BROWSER is not None
    target = tmp_path / "page.html"
    target.write_text(html.replace("</body>", f"<script>{{{script}}}</script></body>"), encoding="utf-8")
    command = [
        BROWSER, "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
        f"--user-data-dir={tmp_path / 'profile'}", "--dump-dom", f"{target.as_uri()}{address}",
    ]  # fmt: skip
    return subprocess.run(command, capture_output=True, text=True, timeout=100, check=True).stdout


def _said(shown: str) -> dict[str, str]:
    """Return what a script wrote onto the page."""
    return dict(re.findall(r'<output id="(\w+)">(.*?)</output>', shown))


SAY = """
    const say = (id, text) => {
      document.body.append(Object.assign(document.createElement("output"), {id, textContent: text}));
    };
"""

needs_browser = pytest.mark.skipif(BROWSER is None, reason="no chromium on this machine")


@needs_browser
@pytest.mark.slow
def test_the_slider_shows_the_messages_of_a_request(chapter: Chapter, html: str, tmp_path: Path) -> None:
    """Every request's list as it was sent: how many messages, how many cleared, and the note."""
    script = """
        const seen = [];
        for (let number = 1; number <= Number(document.querySelector(".request").max); number++) {
          const slider = document.querySelector(".request");
          slider.value = number;
          slider.dispatchEvent(new Event("input"));
          seen.push([
            document.querySelectorAll(".messages > li:not(.gap)").length,
            document.querySelectorAll(".messages .part.cleared").length,
          ]);
        }
        say("seen", JSON.stringify(seen));
    """
    shown = _in_browser(html, tmp_path, SAY + script)
    seen = json.loads(_said(shown)["seen"])
    expected = [[len(chapter.run.sent_at(one.number)), one.cleared] for one in chapter.run.requests]
    assert expected == seen
    assert "broken out" not in re.search(r"<title>(.*?)</title>", shown)[1]  # type: ignore[index]


@needs_browser
@pytest.mark.slow
def test_an_address_opens_a_request_and_buttons_lead_to_the_cuts(chapter: Chapter, tmp_path: Path) -> None:
    """A link names run and request; buttons go from cut to cut, the chooser from run to run."""
    other = _chapter(_history(rounds=3), 50_000, name="two")
    first = chapter.run.moves[0].number
    script = """
        const slider = document.querySelector(".request");
        say("opened", slider.value);
        slider.value = 1;
        slider.dispatchEvent(new Event("input"));
        document.querySelector("[data-to=after]").click();
        say("cut", slider.value);
        document.getElementById("theme").click();
        say("theme", document.documentElement.dataset.theme);
        const chooser = document.getElementById("run");
        chooser.value = 1;
        chooser.dispatchEvent(new Event("change"));
        say("hidden", [...document.querySelectorAll(".run")].map((run) => run.hidden).join());
        say("address", location.hash);
    """
    shown = _in_browser(page([chapter, other]), tmp_path, SAY + script, "#1/3")
    expected = {"opened": "3", "cut": str(first), "theme": "dark", "hidden": "true,false", "address": "#2/5"}
    assert expected == _said(shown)


@needs_browser
@pytest.mark.slow
def test_the_newest_messages_are_in_sight(tmp_path: Path) -> None:
    """A list longer than its box is shown from its end, where a request differs from the one before."""
    script = """
        const list = document.querySelector(".messages");
        say("is_long", list.scrollHeight > list.clientHeight);
        say("is_at_end", list.scrollTop + list.clientHeight > list.scrollHeight - 2);
    """
    shown = _in_browser(page([_chapter(_history(rounds=40), 100_000)]), tmp_path, SAY + script)
    assert {"is_long": "true", "is_at_end": "true"} == _said(shown)


# ---------------------------------------------------------------------- from the command line


def test_the_command_writes_a_page_and_a_picture(
    saved: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Both at once, of a run that fits: it is replayed at half its size, and says so."""
    html, png = tmp_path / "out.html", tmp_path / "out.png"
    assert 0 == main(["replay", saved(_history()[:-1]), "--html", str(html), "--png", str(png)])
    told = capsys.readouterr()
    assert "half its size" in told.out
    assert f"wrote {html}" in told.err
    assert "requests over the budget" in html.read_text(encoding="utf-8")
    assert png.read_bytes().startswith(b"\x89PNG")


def test_a_page_holds_several_runs(saved: Any, tmp_path: Path) -> None:
    """One page for a folder of sessions; those where something happened first."""
    names = [saved(_history(rounds), f"{rounds}.json") for rounds in (2, 9)]
    html = tmp_path / "out.html"
    assert 0 == main(["replay", *names, "--budget", "1500", "--html", str(html)])
    assert ["9.json", "2.json"] == re.findall(r"<option[^>]*>[^<]*?(\d\.json)</option>", html.read_text("utf-8"))


def test_a_picture_of_several_runs_is_refused(saved: Any, capsys: pytest.CaptureFixture[str]) -> None:
    """Before anything is replayed."""
    names = [saved(_history(2), f"{number}.json") for number in range(2)]
    assert 2 == main(["replay", *names, "--png", "out.png"])
    assert "--png draws one run (got 2 files); --html takes several" in capsys.readouterr().err


def test_a_page_that_cannot_be_written_is_an_error(
    saved: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A sentence, not a traceback."""
    assert 2 == main(["replay", saved(_history(2)), "--html", str(tmp_path / "no" / "out.html")])
    assert "cannot write" in capsys.readouterr().err


def test_without_matplotlib_the_command_says_what_to_install(
    saved: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Names the extra."""
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    assert 2 == main(["replay", saved(_history(2)), "--html", "out.html"])
    assert "pip install 'longturn[report]'" in capsys.readouterr().err


def test_a_run_far_beyond_its_budget_keeps_its_parts_in_sight() -> None:
    """The scale ends at three times the budget; how far the run goes beyond is said."""
    run = _chapter(_history(rounds=40), 1_100).run
    assert run.without.largest > 3 * max(run.budget, run.fitted.largest)
    assert f"without longturn up to {amount(run.without.largest)} ↗" in drawing(run, WIDE, name="x").svg
