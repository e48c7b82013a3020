"""``longturn calibrate``: texts and counts in, a profile that ``Profile.load`` reads out."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from longturn import Profile
from longturn.cli import main

pytest.importorskip("numpy", reason="fitting needs NumPy")

_LINES = "".join(
    json.dumps({"text": f"row {n} of a table, worth {n * n} " * 40, "tokens": 700, "kind": "rows", "source": str(n)})
    + "\n"
    for n in range(8)
)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the working folder, with texts and a module that counts."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    (tmp_path / "counters_of_mine.py").write_text(
        "def count(text):\n    return (len(text) + 2) // 3\n"
        "def broken(text):\n    raise RuntimeError('no such encoding')\n"
        "def vague(text):\n    return len(text) / 3\n"
        "number = 3\n",
        encoding="utf-8",
    )
    for name in "abc":
        (tmp_path / name).mkdir()
        (tmp_path / name / "text.md").write_text(f"Some words of {name}, and more. " * 300, encoding="utf-8")
    return tmp_path


def test_fits_to_a_function(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The profile estimates like the function, and says what it was fitted to."""
    assert main(["calibrate", "--counter", "counters_of_mine:count", "-o", "mine.json", "a", "b", "c"]) == 0
    profile = Profile.load(folder / "mine.json")
    assert profile.name == "mine"
    assert profile.provenance["tokenizer"] == "counters_of_mine:count"
    assert abs(profile.provenance["errors_percent"]["mean"]) < 15
    shown = capsys.readouterr().out
    assert ".md" in shown
    assert "mine.json: profile 'mine'" in shown
    assert "by weights that a text's source had no part in" in shown


def test_errors_on_one_source_are_told_as_what_they_are(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Nothing was held out, so nothing is claimed of other texts."""
    assert main(["calibrate", "--counter", "counters_of_mine:count", "-o", "mine.json", "a"]) == 0
    assert "of the very texts" in capsys.readouterr().out


def test_the_rules_name_is_not_taken(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A profile of that name would be read as the rule."""
    for named in (["-o", "script.json"], ["-o", "mine.json", "--name", "script"]):
        assert main(["calibrate", "--counter", "counters_of_mine:count", *named, "a"]) == 2
    assert "--name must not be script" in capsys.readouterr().err
    assert not list(folder.glob("*.json"))


def test_fits_to_a_table(saved: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Counts that came from elsewhere; the report as JSON."""
    out = str(tmp_path / "out.json")
    assert main(["calibrate", "--table", saved(_LINES, "t.jsonl"), "-o", out, "--name", "tables", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["name"], list(told["errors_percent"])) == ("tables", ["rows"])
    assert Profile.load(out).name == "tables"


def test_files_of_a_table_are_beside_it(saved: Any, tmp_path: Path) -> None:
    """A row may name a file instead of holding its text."""
    saved("one two three " * 50, "texts/a.txt")
    table = saved('{"file": "texts/a.txt", "tokens": 150}\n\n', "t.jsonl")
    assert main(["calibrate", "--table", table, "-o", str(tmp_path / "out.json")]) == 0


def test_starts_from_another_profile(saved: Any, tmp_path: Path) -> None:
    """What the texts say nothing of is as it was there."""
    out = str(tmp_path / "out.json")
    assert main(["calibrate", "--table", saved(_LINES, "t.jsonl"), "--start", "qwen", "-o", out]) == 0
    assert Profile.load(out).weights["thai"] == pytest.approx(Profile.named("qwen").weights["thai"], abs=0.002)


WRONG = {
    "neither": (["a"], "give either text files and --counter"),
    "both": (["--counter", "m:f", "--table", "t"], "give either text files and --counter"),
    "no files": (["--counter", "counters_of_mine:count"], "name text files"),
    "no colon": (["--counter", "counters_of_mine", "a"], "must be MODULE:FUNCTION"),
    "no module": (["--counter", "no_such_module:count", "a"], "cannot import no_such_module"),
    "no function": (["--counter", "counters_of_mine:absent", "a"], "has no function absent"),
    "no callable": (["--counter", "counters_of_mine:number", "a"], "has no function number"),
    "a function that fails": (
        ["--counter", "counters_of_mine:broken", "a"],
        "failed on a piece of a/text.md: RuntimeError: no such encoding",
    ),
    "no int": (["--counter", "counters_of_mine:vague", "a"], "must return the number of tokens, an int"),
    "no such file": (["--counter", "counters_of_mine:count", "absent.txt"], "cannot read absent.txt"),
    "no such start": (["--counter", "counters_of_mine:count", "--start", "x", "a"], "--start must be a profile file"),
    "no such table": (["--table", "absent.jsonl"], "cannot read absent.jsonl"),
}


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(("arguments", "message"), WRONG.values(), ids=WRONG)
def test_what_is_wrong_is_said(arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Exit code 2, one line that says what and where, and nothing written."""
    assert main(["calibrate", "-o", "out.json", *arguments]) == 2
    assert message in capsys.readouterr().err
    assert not Path("out.json").exists()


LINES = {
    "{": "line 1: no JSON",
    "[]": "line 1: must be an object",
    '{"text": "a"}': 'line 1: "tokens" must be a number of tokens (got None)',
    '{"text": "a", "tokens": -1}': '"tokens" must be a number of tokens (got -1)',
    '{"text": "a", "tokens": true}': '"tokens" must be a number of tokens (got True)',
    '{"tokens": 3}': 'must have a "text", or a "file"',
    '{"file": "absent", "tokens": 3}': "cannot read",
    '{"text": "", "tokens": 0}': "there is no text with tokens",
    "": "there is no text with tokens",
}


@pytest.mark.parametrize(("line", "message"), LINES.items(), ids=LINES)
def test_broken_row_is_named(
    line: str, message: str, saved: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """By its line."""
    assert main(["calibrate", "--table", saved(line, "t.jsonl"), "-o", str(tmp_path / "out.json")]) == 2
    assert message in capsys.readouterr().err
