"""Fitting a profile: a tokenizer that is a sum of weights is found again, and errors are told honestly."""

from __future__ import annotations

import subprocess
import sys
from functools import cache
from random import Random
from types import MappingProxyType

import pytest
from hypothesis import given
from hypothesis import strategies as st

import longturn
from longturn import Profile
from longturn.tokens.classes import ASCII, BEYOND_ASCII, CLASSES, PAIRS, START
from longturn.tokens.profiles import UNITS

np = pytest.importorskip("numpy", reason="fitting needs NumPy")

from longturn.tokens import calibrate as module  # noqa: E402
from longturn.tokens.calibrate import Sample, calibrate, count_samples, counter, pieces, spread  # noqa: E402

_PRINTABLE = {name: characters for name, characters in ASCII.items() if name != "control"}


@cache
def _class_of(character: str) -> str:
    for name, characters in ASCII.items():
        if character in characters:
            return name
    return [name for first, name in BEYOND_ASCII if first <= ord(character)][-1]


def _weigh(profile: Profile, text: str) -> float:
    """Add up as the description of profiles says, one character at a time."""
    total, before = 0.0, START
    for character in text:
        name = _class_of(character)
        total += profile.after.get(before, {}).get(name, profile.weights[name])
        before = name
    return total


def _tokenizer(seed: int) -> Profile:
    """Return weights that nobody fitted."""
    draw = Random(seed)
    weights = {name: round(draw.uniform(0.1, 2), 3) for name in CLASSES}
    after: dict[str, dict[str, float]] = {}
    for before, name in PAIRS:
        if draw.random() < 0.3:
            after.setdefault(before, {})[name] = round(draw.uniform(0, 2), 3)
    script = Profile.named("script")
    return Profile(
        name="known", weights=MappingProxyType(weights), after=MappingProxyType(after), frames=script.frames,
        margin=1.0, provenance=MappingProxyType({}),
    )  # fmt: skip


def _texts(seed: int, amount: int, names: list[str]) -> list[str]:
    """Return texts that each favour a few classes, as real ones do."""
    draw = Random(seed)
    texts = []
    for _ in range(amount):
        favoured = draw.sample(names, 6)
        texts.append("".join(draw.choice(_PRINTABLE[draw.choice(favoured)]) for _ in range(3_000)))
    return texts


def test_known_tokenizer_is_found() -> None:
    """Texts that had no part in the fit come out within a few percent, whatever the weights are."""
    known = _tokenizer(1)
    names = list(_PRINTABLE)
    samples = [Sample(text, round(_weigh(known, text)), "any", str(n)) for n, text in enumerate(_texts(2, 400, names))]
    found = calibrate(samples, name="found").profile
    errors = [_weigh(found, text) / _weigh(known, text) - 1 for text in _texts(3, 50, names)]
    assert max(map(abs, errors)) < 0.06
    assert abs(sum(errors)) / len(errors) < 0.01


def test_silence_leaves_the_prior() -> None:
    """Where the texts hold nothing of a class, the prior's weight stays, and so do its frames."""
    prior = Profile.named("claude")
    samples = [Sample("the quick brown fox " * 50, 200, "en", str(n)) for n in range(10)]
    found = calibrate(samples, name="found", prior=prior).profile
    for name in ("thai", "emoji", "han"):
        assert found.weights[name] == pytest.approx(prior.weights[name], abs=0.002)
    assert found.frames == prior.frames


def test_kinds_count_alike() -> None:
    """A hundred texts of one kind do not outvote two of another."""
    samples = [Sample("a" * 1_000, 500, "many", str(n)) for n in range(100)]
    samples += [Sample("t" * 1_000, 100, "few", str(n)) for n in range(2)]
    weights = count_samples(samples)
    assert module.alike(weights.kinds, weights.sources).sum() == pytest.approx(2)
    found = calibrate(samples, name="found").profile
    assert _weigh(found, "a" * 1_000) + _weigh(found, "t" * 1_000) == pytest.approx(600, rel=0.1)


def test_errors_are_of_unseen_sources() -> None:
    """A source that is unlike the others is told with the error that the others' weights have on it."""
    samples = [Sample("a" * 900, 300, "one", str(n)) for n in range(8)]
    samples += [Sample("a" * 900, 600, "one", "odd")]
    fitted = calibrate(samples, name="found")
    assert fitted.by_kind["one"].least == pytest.approx(-0.5, abs=0.1)


def test_margin_makes_up_for_the_tenth_that_falls_shortest() -> None:
    """Estimates times it fall short once in ten times."""
    draw = Random(5)
    samples = [Sample("a" * 1_000, round(draw.uniform(200, 300)), "one", str(n)) for n in range(200)]
    fitted = calibrate(samples, name="found")
    short = [_weigh(fitted.profile, one.text) * fitted.profile.margin < one.tokens for one in samples]
    assert 0.02 < sum(short) / len(short) < 0.15


def test_nothing_to_fit_to() -> None:
    """Texts without tokens say nothing."""
    with pytest.raises(ValueError, match="at least one text with tokens"):
        calibrate([Sample("", 0)], name="found")


@given(st.text(st.characters(codec=None, exclude_categories=()), max_size=60))
def test_counter_agrees_with_the_description(text: str) -> None:
    """Each character is counted once, under its class or its pair; lone surrogates too."""
    counts = counter()(text)
    pairs = {pair: place for place, pair in enumerate(PAIRS, len(CLASSES))}
    expected = [0] * len(counts)
    before = START
    for character in text:
        name = _class_of(character)
        expected[pairs.get((before, name), CLASSES.index(name))] += 1
        before = name
    assert expected == counts.tolist()


@given(st.text(max_size=60), st.sampled_from([name for name in Profile.names() if name != "script"]))
def test_table_agrees_with_the_description(text: str, name: str) -> None:
    """What engines add up is what the weights say, and never below nothing."""
    profile = Profile.named(name)
    table, before, total = profile.table(), CLASSES.index(START), 0
    for character in text:
        found = CLASSES.index(_class_of(character))
        total += table[before * len(CLASSES) + found]
        before = found
    assert total / UNITS == pytest.approx(_weigh(profile, text), abs=0.02)
    assert total >= 0


@given(st.text(max_size=200), st.sampled_from([name for name in Profile.names() if name != "script"]))
def test_estimate_is_what_the_weights_add_up_to(text: str, name: str) -> None:
    """The engine's sum is that of the counter, up to rounding; a text has no negative estimate, an empty one none."""
    profile = Profile.named(name)
    weights = [profile.weights[one] for one in CLASSES]
    weights += [profile.after.get(before, {}).get(one, profile.weights[one]) for before, one in PAIRS]
    expected = float(counter()(text) @ np.array(weights))
    assert -0.1 <= longturn.estimate(text, profile=name) - expected <= 1.35
    assert longturn.estimate("", profile=name) == 0


@given(st.text(max_size=50), st.integers(1, 12))
def test_pieces_are_the_text(text: str, size: int) -> None:
    """Nothing is lost, and no piece is much longer or shorter than asked for."""
    cut = list(pieces(text, size))
    assert "".join(cut) == text
    assert all(len(piece) <= size + size // 2 for piece in cut)


def test_percentiles_weigh_kinds_alike() -> None:
    """One kind has many small errors, the other one large error: half the weight each."""
    errors = np.array([0.0] * 99 + [0.5])
    told = spread(errors, ["many"] * 99 + ["few"])
    assert (told.mean, told.p10, told.p90) == (pytest.approx(0.25), 0.0, 0.5)


def test_import_is_light() -> None:
    """NumPy is loaded when something is fitted, not before."""
    code = "import sys, longturn.tokens.calibrate; print(sorted({'numpy'} & set(sys.modules)))"
    assert subprocess.check_output([sys.executable, "-c", code], text=True).strip() == "[]"
