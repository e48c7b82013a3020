"""Profiles: data that is whole, read once, and refused with a reason where it is not."""

from __future__ import annotations

import json
import pickle
import subprocess
import sys
from copy import deepcopy
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

import longturn
from longturn import Profile, Window
from longturn.tokens.classes import ASCII, BEYOND_ASCII, CLASSES, PAIRS, START
from longturn.tokens.profiles import UNITS

FAMILIES = tuple(name for name in Profile.names() if name != "script")


def test_names_are_those_of_the_families() -> None:
    """The rule comes first, then one profile per family and one for unknown models."""
    assert Profile.names() == (
        "script", "cautious", "claude", "claude-4.7", "deepseek", "gemini", "llama", "mistral", "openai",
        "openai-cl100k", "qwen",
    )  # fmt: skip


def test_unknown_name_lists_the_known_ones() -> None:
    """Whoever misspells a name reads the right ones."""
    with pytest.raises(ValueError, match=r"profile must be one of 'script', .*'qwen', or come from .*got 'gpt'"):
        Profile.named("gpt")


def test_script_is_a_profile_without_weights() -> None:
    """The rule is arithmetic; it has a name like the others."""
    script = Profile.named("script")
    assert (script.name, dict(script.weights)) == ("script", {})


@pytest.mark.parametrize("name", FAMILIES)
class TestFamily:
    """What each profile that comes along has."""

    def test_table_has_every_pair(self, name: str) -> None:
        """No weight is negative, so no text is, and a table of 16 bits holds them."""
        table = Profile.named(name).table()
        assert len(table) == len(CLASSES) ** 2
        assert all(0 <= weight < 1 << 16 for weight in table)

    def test_says_where_it_is_from(self, name: str) -> None:
        """Tokenizer, texts, date, method, frames and errors."""
        told = Profile.named(name).provenance
        assert {"tokenizer", "texts", "date", "method", "frames", "errors_percent"} <= set(told)
        assert set(told["errors_percent"]) == {"mean", "p10", "p90", "least"}

    def test_margin_raises(self, name: str) -> None:
        """It makes up for the tenth that falls shortest, and no more than it must."""
        profile = Profile.named(name)
        assert 1 <= profile.margin < 1.4
        assert profile.margin == pytest.approx(1 / (1 + profile.provenance["errors_percent"]["p10"] / 100), abs=0.002)

    def test_survives_saving(self, name: str, tmp_path: Path) -> None:
        """What is saved is what was loaded, to the byte."""
        profile = Profile.named(name)
        profile.save(tmp_path / "a.json")
        assert Profile.load(tmp_path / "a.json") == profile == pickle.loads(pickle.dumps(profile))
        shipped = Path(sys.modules[Profile.__module__].__file__ or "").with_name("profiles") / f"{name}.json"
        assert (tmp_path / "a.json").read_text(encoding="utf-8") == shipped.read_text(encoding="utf-8")

    def test_is_read_once(self, name: str) -> None:
        """A profile asked for twice is the same object, and can be a key."""
        assert Profile.named(name) is Profile.named(name)
        assert {Profile.named(name): 1}[Profile.named(name)] == 1

    @pytest.mark.parametrize(
        "text", ["the ", "them he me ", "e", "hahaha", "no ", "\u0430", "\u0435 ", "\u0648", "a1", "x\n"]
    )
    def test_no_text_is_free(self, name: str, text: str) -> None:
        """What stands in every text weighs something alone too: words a quarter token, letters a hundredth."""
        words = len((text * 1_000).split())
        assert longturn.estimate(text * 1_000, profile=name) >= max(words / 4, len(text) * 1_000 / 100)
        assert longturn.estimate(text, profile=name) >= 1


@pytest.mark.parametrize("name", Profile.names())
def test_a_window_takes_the_margin_as_its_ratio(name: str) -> None:
    """Every profile's, so that it can be said in one line."""
    window = Window(1_000)
    window.ratio = Profile.named(name).margin
    assert Profile.named(name).margin <= window.ratio < Profile.named(name).margin + 1 / 16


def test_profile_of_a_model() -> None:
    """As a window picks it, by a name in any form."""
    assert Profile.of_model("us.anthropic.claude-opus-4-7-v1:0") is Profile.named("claude-4.7")
    assert Profile.of_model("nobody/knows-it") is Profile.named("cautious")
    with pytest.raises(TypeError, match="model must be a str"):
        Profile.of_model(None)  # type: ignore[arg-type]


def test_script_survives_pickling() -> None:
    """As do the others."""
    assert pickle.loads(pickle.dumps(Profile.named("script"))) == Profile.named("script")


def test_table_prefers_the_pair() -> None:
    """A weight after a class is there only; elsewhere the class's own is."""
    profile = Profile.named("openai")
    table, width = profile.table(), len(CLASSES)
    before = next(iter(profile.after))
    name, weight = next(iter(profile.after[before].items()))
    column = CLASSES.index(name)
    assert table[CLASSES.index(before) * width + column] == round(UNITS * weight)
    other = next(one for one in CLASSES if name not in profile.after.get(one, {}))
    assert table[CLASSES.index(other) * width + column] == round(UNITS * profile.weights[name])


def test_profile_is_frozen() -> None:
    """Nobody changes weights that others count by."""
    profile = Profile.named("openai")
    with pytest.raises(TypeError):
        profile.weights["digit"] = 0  # type: ignore[index]
    with pytest.raises(AttributeError):
        profile.margin = 1  # type: ignore[misc]


def test_import_reads_no_profile() -> None:
    """Importing longturn opens none of the JSON files."""
    code = (
        "import sys; opened = []; sys.addaudithook(lambda event, args: event == 'open' and opened.append(str(args[0])))"
        "; import longturn; print([path for path in opened if path.endswith('.json')])"
    )
    assert subprocess.check_output([sys.executable, "-c", code], text=True).strip() == "[]"


# ---------------------------------------------------------------------- classes


def test_every_ascii_character_has_one_class() -> None:
    """All 128, none twice."""
    assert sorted("".join(ASCII.values())) == [chr(point) for point in range(0x80)]


def test_classes_go_up_to_the_end() -> None:
    """Each begins after the one before, the first one where ASCII ends, and a table of 64 has room for all."""
    firsts = [first for first, _ in BEYOND_ASCII]
    assert firsts[0] == 0x80
    assert firsts == sorted(set(firsts))
    assert len(set(CLASSES)) == len(CLASSES) <= 64


def test_neighbours_differ() -> None:
    """A row that begins the class of the row before says nothing."""
    assert [] == [row for row, after in pairwise(BEYOND_ASCII) if row[1] == after[1]]


def test_pairs_are_of_classes() -> None:
    """No pair is there twice, and all name classes."""
    assert len(set(PAIRS)) == len(PAIRS)
    assert {name for pair in PAIRS for name in pair} | {START} <= set(CLASSES)


# ---------------------------------------------------------------------- files that are none


def _written(path: Path, change: Any) -> Path:
    data = deepcopy(Profile.named("openai").to_dict())
    change(data)
    path.write_text(json.dumps(data), encoding="utf-8")
    return path


BROKEN = {
    "another format": (lambda data: data.update(format="x"), "is no profile"),
    "a later version": (lambda data: data.update(version=2), r"has version 2 of the format, this longturn reads 1"),
    "no version": (lambda data: data.pop("version"), "has version None"),
    "a class missing": (lambda data: data["weights"].pop("digit"), "weights lack the class 'digit'"),
    "an unknown class": (lambda data: data["weights"].update(runes=1.0), "weights: there is no class 'runes'"),
    "an unknown class before": (lambda data: data["after"].update(runes={}), "after: there is no class 'runes'"),
    "an unknown class after": (
        lambda data: data["after"].update(digit={"runes": 1.0}),
        r"after\['digit'\]: there is no class 'runes'",
    ),
    "a negative weight": (
        lambda data: data["weights"].update(digit=-0.1),
        r"weights\['digit'\] must be a number from 0 to 15 \(got -0.1\)",
    ),
    "a huge weight": (lambda data: data["weights"].update(digit=16), "must be a number from 0 to 15"),
    "a weight beyond floats": (lambda data: data["weights"].update(digit=10**400), "must be a number from 0 to 15"),
    "a weight that is NaN": (lambda data: data["weights"].update(digit=float("nan")), "must be a number from 0 to 15"),
    "a margin beyond floats": (lambda data: data.update(margin=10**400), "margin must be a number from 1 to 10"),
    "a weight that is no number": (lambda data: data["weights"].update(digit="1"), "must be a number"),
    "a weight that is a bool": (lambda data: data["weights"].update(digit=True), "must be a number"),
    "a weight without end": (lambda data: data["weights"].update(digit=float("inf")), "must be a number"),
    "weights that are a list": (lambda data: data.update(weights=[1]), "weights must be an object"),
    "a row that is a number": (lambda data: data["after"].update(digit=1), r"after\['digit'\] must be an object"),
    "a margin below one": (lambda data: data.update(margin=0.9), "margin must be a number from 1 to 10"),
    "the rule's name": (lambda data: data.update(name="script"), "name must not be 'script'"),
    "no name": (lambda data: data.update(name=""), "name must be a text"),
    "an unknown frame": (lambda data: data["frames"].update(turn=1), "frames has no 'turn'"),
    "a broken frame": (lambda data: data["frames"].update(call=1.5), r"frames\['call'\] must be a whole number"),
    "no provenance": (lambda data: data.pop("provenance"), "provenance must be an object"),
}


@pytest.mark.parametrize(("change", "message"), BROKEN.values(), ids=BROKEN)
def test_broken_file_says_what_is_wrong(change: Any, message: str, tmp_path: Path) -> None:
    """The file, the place in it, what was seen and what may stand there."""
    path = _written(tmp_path / "mine.json", change)
    with pytest.raises(ValueError, match=rf"mine\.json.*{message}"):
        Profile.load(path)


@pytest.mark.parametrize("text", ["", "{", "[]", "null", '"text"'])
def test_no_profile_at_all(text: str, tmp_path: Path) -> None:
    """What is no JSON, or no object, is no profile."""
    path = tmp_path / "mine.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ValueError, match=r"mine\.json is no (JSON|profile)"):
        Profile.load(str(path))


@pytest.mark.parametrize("content", [b"\xff\xfe{", b"[" * 100_000, b"\0"])
def test_no_text_at_all(content: bytes, tmp_path: Path) -> None:
    """Neither is what is no UTF-8, or nests without end."""
    path = tmp_path / "mine.json"
    path.write_bytes(content)
    with pytest.raises(ValueError, match=r"mine\.json is no JSON"):
        Profile.load(path)


def test_byte_order_mark_is_seen_through(tmp_path: Path) -> None:
    """Some editors begin a file with one."""
    path = tmp_path / "mine.json"
    path.write_bytes(b"\xef\xbb\xbf" + json.dumps(Profile.named("openai").to_dict()).encode())
    assert Profile.load(path) == Profile.named("openai")


def test_missing_file_is_an_os_error(tmp_path: Path) -> None:
    """As when any file is opened."""
    with pytest.raises(FileNotFoundError):
        Profile.load(tmp_path / "none.json")
