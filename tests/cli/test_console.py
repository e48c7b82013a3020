"""Where the command prints: tables that line up, progress for those who watch, colours where there is the extra."""

from __future__ import annotations

import io
import json
import sys
from typing import Any

import pytest

from longturn.cli import console as consoles
from longturn.cli import main
from longturn.cli.console import Console, Table, Toned, suitable_console

TABLE = Table(headings=("<name", "tokens"), rows=[["a", "1,000"], [Toned("total", "title"), Toned("20", "bad")]])


class Terminal(io.StringIO):
    """A stream that somebody looks at."""

    encoding = "utf-8"

    def isatty(self) -> bool:
        return True


@pytest.fixture
def screen(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Return a function that makes this process' streams a terminal's, and returns them."""
    for variable in ("NO_COLOR", "FORCE_COLOR", "TTY_COMPATIBLE", "TTY_INTERACTIVE"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("COLUMNS", "100")

    def attach() -> tuple[Terminal, Terminal]:  # in the test itself: pytest exchanges the streams before it
        out, err = Terminal(), Terminal()
        monkeypatch.setattr(sys, "stdout", out)
        monkeypatch.setattr(sys, "stderr", err)
        return out, err

    return attach


def test_columns_line_up(capsys: pytest.CaptureFixture[str]) -> None:
    """Words to the left, numbers to the right; nothing trails."""
    Console().show("A line", TABLE)
    assert capsys.readouterr().out.splitlines() == ["A line", "name   tokens", "a       1,000", "total      20"]


def test_wide_characters_take_two_columns(capsys: pytest.CaptureFixture[str]) -> None:
    """As terminals show them; what is put on a letter takes none."""
    Console().show(Table(headings=("<tool", "calls"), rows=[["読む", "1"], ["read", "22"], ["re\u0301ad", "3"]]))
    assert capsys.readouterr().out.splitlines() == ["tool  calls", "読む      1", "read     22", "re\u0301ad      3"]


STEERING = "a\x1b[31mb\n\x9b2J\u202ec"
SPELLED = "a\\x1b[31mb\\n\\x9b2J\\u202ec"


@pytest.mark.parametrize("coloured", [False, True])
def test_names_do_not_steer_a_terminal(screen: Any, coloured: bool) -> None:
    """Control characters and turned lines are spelled out, on both streams, in lines, tables and bars."""
    if coloured:
        pytest.importorskip("rich")
    out, err = screen()
    console = suitable_console() if coloured else Console()
    console.show(STEERING, Table(headings=("<",), rows=[[Toned(STEERING, "title")]]))
    for say in (console.note, console.warn, console.error):
        say(STEERING)
    assert 2 == out.getvalue().count(SPELLED)
    assert 3 == err.getvalue().count(SPELLED)
    assert not {"\x9b", "\u202e"} & set(out.getvalue() + err.getvalue())


def test_json_does_not_steer_a_terminal_and_says_the_same(capsys: pytest.CaptureFixture[str]) -> None:
    """What JSON allows to stand as it is, is spelled out where a terminal would obey."""
    Console().json({STEERING: [STEERING]})
    said = capsys.readouterr().out
    assert {STEERING: [STEERING]} == json.loads(said)
    assert not {"\x1b", "\x9b", "\u202e"} & set(said)


def test_a_bar_takes_no_name_for_markup(screen: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file may be called like a closing tag."""
    colours = pytest.importorskip("longturn.cli.colours")
    _, err = screen()
    monkeypatch.setattr(colours, "PATIENCE_SECONDS", 0.0)
    with colours.ColourConsole().progress("replaying x[/y].json") as step:
        step(1, 2)
    assert "x[/y].json" in err.getvalue()


def test_progress_is_for_those_who_wait(screen: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing within the first second; then a share, or a number where the whole is unknown; cleared at the end."""
    out, err = screen()
    now = 0.0
    monkeypatch.setattr(consoles.time, "monotonic", lambda: now)
    with Console().progress("counting") as step:
        step(1, 10)
        assert err.getvalue() == ""
        now = 1.5
        step(5, 10)
        assert err.getvalue() == "\rcounting 50%"
        now = 1.55
        step(6, 10)
        assert "60%" not in err.getvalue()
        now = 1.7
        step(1_234, 0)
        assert err.getvalue().endswith("\rcounting 1,234")
    assert err.getvalue().endswith("\r" + " " * len("counting 1,234") + "\r")
    assert out.getvalue() == ""


def test_nobody_watches_a_file(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """However long it takes."""
    monkeypatch.setattr(consoles, "PATIENCE_SECONDS", 0.0)
    with Console().progress("counting") as step:
        step(5, 10)
    assert capsys.readouterr().err == ""


def test_without_the_extra_a_terminal_gets_plain_text(screen: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """No error, no hint."""
    screen()
    for name in [name for name in sys.modules if name.split(".")[0] == "rich" or name == "longturn.cli.colours"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "rich", None)
    assert type(suitable_console()) is Console


def test_colours_are_for_terminals(screen: Any) -> None:
    """Tables, warnings and errors; the texts are the same."""
    pytest.importorskip("rich")
    streams = screen()
    made = suitable_console()
    assert type(made).__name__ == "ColourConsole"
    made.show(Toned("A title", "title"), TABLE)
    made.warn("odd [brackets] stay")
    made.error("bad")
    out, err = (stream.getvalue() for stream in streams)
    assert "\x1b[1mA title\x1b[0m" in out
    assert "1,000" in out
    assert "odd [brackets] stay" in err
    assert "\x1b[1;31mlongturn: error: " in err


def test_colours_can_be_refused(screen: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """By the variable that all programs know."""
    pytest.importorskip("rich")
    out, _ = screen()
    monkeypatch.setenv("NO_COLOR", "1")
    suitable_console().show(Toned("a", "bad"))
    assert "\x1b[31m" not in out.getvalue()
    assert "a" in out.getvalue()


def test_a_bar_comes_late_and_goes(screen: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """With the extra; nothing is shown of quick work."""
    colours: Any = pytest.importorskip("longturn.cli.colours")
    _, err = screen()
    with suitable_console().progress("quick") as step:
        step(1, 2)
    assert "quick" not in err.getvalue()
    monkeypatch.setattr(colours, "PATIENCE_SECONDS", 0.0)
    with suitable_console().progress("slow") as step:
        step(1, 2)
        step(2, 2)
    assert "slow" in err.getvalue()


def test_a_report_looks_right_on_a_terminal(screen: Any, saved: Any) -> None:
    """The whole command, with colours where they are."""
    pytest.importorskip("rich")
    out, _ = screen()
    assert main(["demo"]) == 0
    assert "with longturn" in out.getvalue()
    assert "\x1b[" in out.getvalue()


@pytest.mark.parametrize("stream", ["stdout", "stderr"])
def test_closed_streams_are_no_error(stream: str, saved: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """As services start programs."""
    monkeypatch.setattr(sys, stream, None)
    assert main(["estimate", saved("abcd")]) == 0
