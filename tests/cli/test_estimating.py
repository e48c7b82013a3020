"""``longturn estimate``: files, folders, patterns and standard input, a piece at a time."""

from __future__ import annotations

import io
import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import longturn
from longturn.cli import files, main
from longturn.cli.estimating import count
from longturn.tokens.models import profile_name
from longturn.tokens.scripts import Scripts


def counted(capsys: pytest.CaptureFixture[str], *arguments: str) -> Any:
    assert main(["estimate", "--json", *arguments]) == 0
    return json.loads(capsys.readouterr().out)


def test_the_table_has_a_row_a_file_and_a_total(saved: Any, capsys: pytest.CaptureFixture[str]) -> None:
    """Like ``wc``."""
    russian, chinese = saved("Привет, мир", "ru.txt"), saved("你好 abc", "zh.txt")
    assert main(["estimate", russian, chinese]) == 0
    rows = [row.split() for row in capsys.readouterr().out.splitlines()]
    assert rows == [["tokens", "bytes", "file"], ["5", "20", russian], ["3", "10", chinese], ["8", "30", "total"]]


def test_counts_are_split_by_script(saved: Any, capsys: pytest.CaptureFixture[str]) -> None:
    """A column each ([S1])."""
    russian, chinese = saved("Привет, мир", "ru.txt"), saved("你好 abc", "zh.txt")
    assert main(["estimate", "--by-script", russian, chinese]) == 0
    rows = [row.split() for row in capsys.readouterr().out.splitlines()]
    assert rows == [
        ["tokens", "ascii", "cjk", "other", "bytes", "file"],
        ["5", "2", "0", "9", "20", russian],
        ["3", "4", "2", "0", "10", chinese],
        ["8", "6", "2", "9", "30", "total"],
    ]


def test_one_file_needs_no_total(saved: Any, capsys: pytest.CaptureFixture[str]) -> None:
    """And an empty one counts nothing."""
    name = saved(b"")
    assert main(["estimate", name]) == 0
    assert capsys.readouterr().out.split() == ["tokens", "bytes", "file", "0", "0", name]


def test_invalid_bytes_count_as_other(saved: Any, capsys: pytest.CaptureFixture[str]) -> None:
    """Any file is text enough to be counted."""
    total = counted(capsys, saved(b"ab\xff\xfe"))["total"]
    assert total == {"name": "total", "tokens": 2, "bytes": 4, "ascii": 2, "cjk": 0, "other": 2}


@pytest.mark.parametrize("arguments", [[], ["-"], ["-", "-"]])
def test_standard_input_is_read(
    arguments: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Where no file is named, or for ``-``; a second time there is nothing left."""
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO("привет".encode())))
    assert [row["tokens"] for row in counted(capsys, *arguments)["files"]] == [3, 0][: max(len(arguments), 1)]


def test_a_closed_standard_input_is_said(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """As services start programs."""
    monkeypatch.setattr(sys, "stdin", None)
    assert main(["estimate"]) == 2
    assert "standard input is closed; name a file" in capsys.readouterr().err


def test_a_missing_file_does_not_keep_the_others_from_being_counted(
    saved: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """But the exit code tells."""
    assert main(["estimate", str(tmp_path / "missing"), saved("abcd")]) == 2
    captured = capsys.readouterr()
    assert "1" in captured.out.splitlines()[1].split()
    assert "cannot read" in captured.err


@pytest.mark.parametrize("name", ["missing", "missing-*.txt", "zero\0byte"])
def test_a_name_of_nothing_is_said(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A pattern that nothing matches stands for itself."""
    assert main(["estimate", str(tmp_path / name)]) == 2
    assert "longturn: error: cannot read " in capsys.readouterr().err


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may read everything")
def test_a_forbidden_file_is_said(saved: Any, capsys: pytest.CaptureFixture[str]) -> None:
    """Permission denied."""
    name = saved("abcd")
    os.chmod(name, 0)
    assert main(["estimate", name]) == 2
    assert "ermission denied" in capsys.readouterr().err


def test_a_folder_stands_for_its_texts(saved: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Whatever is deep; but no hidden file, and none with zero bytes."""
    saved("abcd", "tree/b.txt")
    saved("abcd" * 2, "tree/a/deep.md")
    saved("abcd", "tree/.git/config")
    saved("abcd", "tree/.hidden")
    saved(b"\x89PNG\0\0", "tree/picture.png")
    assert main(["estimate", "--json", str(tmp_path / "tree")]) == 0
    captured = capsys.readouterr()
    rows = json.loads(captured.out)["files"]
    names = [Path(row["name"]).relative_to(tmp_path).as_posix() for row in rows]
    assert names == ["tree/b.txt", "tree/a/deep.md"]
    assert "2 files are left out" in captured.err


def test_a_pattern_stands_for_what_matches(saved: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """For shells that leave it to the program; a file with such a name comes first."""
    saved("abcd", "p/one.txt")
    saved("abcd", "p/q/two.txt")
    saved("abcd", "p/q/three.md")
    files = counted(capsys, str(tmp_path / "**" / "*.txt"))["files"]
    assert [Path(row["name"]).name for row in files] == ["one.txt", "two.txt"]
    odd = saved("abcd" * 3, "p/[ab].txt")
    assert counted(capsys, odd)["total"]["tokens"] == 3


@given(data=st.binary(max_size=60) | st.text(max_size=30).map(lambda text: text.encode("utf-8", "surrogatepass")))
def test_pieces_count_like_the_whole(data: bytes) -> None:
    """Wherever they are cut: no code point is parted, and invalid bytes stay as many."""
    for size in (1, 2, 3, 5, 7):
        cut = [data[at : at + size] for at in range(0, len(data), size)]
        sums = Scripts(0, 0, 0)
        for piece in files.unparted(cut):
            sums = Scripts(*map(int.__add__, sums, longturn.scripts(piece)))
        assert sums == longturn.scripts(data)


def test_a_large_file_is_read_in_pieces(saved: Any) -> None:
    """Three megabytes of three-byte letters: cut in the middle of letters, and progress is told."""
    name, told = saved("語" * 1_000_000), []
    row = count(name, lambda done, whole: told.append((done, whole)))
    assert row.scripts == Scripts(0, 1_000_000, 0)
    assert [whole for _, whole in told] == [3_000_000] * len(told)
    assert told[-1][0] == 3_000_000
    assert len(told) >= 1


def test_a_profile_or_a_model_can_measure(saved: Any, capsys: pytest.CaptureFixture[str]) -> None:
    """By name, or from its file; the split by script stays."""
    name = saved("Привет, мир. " * 500)
    text = Path(name).read_text(encoding="utf-8")
    other = next(profile for profile in longturn.Profile.names() if profile != "script")
    expected = longturn.estimate(text, profile=other)
    profile = saved(b"", "own.json")
    longturn.Profile.named(other).save(profile)
    for option in (["--profile", other], ["--profile", profile]):
        total = counted(capsys, name, *option)["total"]
        assert abs(total["tokens"] - expected) <= 1
        assert total["other"] == 9 * 500
    assert main(["estimate", name, "--profile", "nothing"]) == 2
    assert "profile must be one of" in capsys.readouterr().err
    by_model = counted(capsys, name, "--model", "gpt-5")["total"]["tokens"]
    assert abs(by_model - longturn.estimate(text, profile=profile_name("gpt-5"))) <= 1
