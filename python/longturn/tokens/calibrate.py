"""
Fitting a profile to a tokenizer: texts and their true counts in, weights out.  Needs NumPy, the extra ``calibrate``.

Tokens are modelled as a sum over characters, each weighing what its class does, or what its class does after
the one before (``classes.PAIRS``).  The weights are those of least squares of the *relative* error, so that
short and cheap texts matter as much as long and dear ones; every kind of text matters the same, and within a
kind every source.  Each weight has a bound below, so that no text is free, and is drawn a little to a prior, which
decides where the texts say nothing.  Errors are told on sources that had no part in the fit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, NamedTuple
from zlib import crc32

from longturn.tokens.classes import ASCII, BEYOND_ASCII, CLASSES, PAIRS
from longturn.tokens.measure import classes
from longturn.tokens.profiles import Frames, Profile

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

PIECE_CHARS: Final = 4_000
"""About what a tool result has; whole files would hide how far off a message is."""

FOLDS: Final = 5

# How strongly a weight is drawn, where a source counts 1: a class to the prior, and a pair to its class, since
# few texts must not give it a weight of its own. Found by the errors on sources left out.
_CLASS_PULL: Final = 4e-3
_PAIR_PULL: Final = 4e-3
_ROUNDS: Final = 2
_TOLERATED: Final = 0.06  # errors beyond it count by their size instead of its square: odd texts bend nothing
_ZERO: Final = 1e-9

# Bounds below. Without them letters that stand in every word weigh nothing, as others do their part, and then a text
# of such letters alone is free. They cost less than a tenth of a percent in the mean error; higher ones cost more.
_LEAST: Final = 0.01  # tokens a character
_LEAST_OF_WORD: Final = 0.25  # where a word begins, a token does; the rest a window's ratio can make up for
_LEAST_OF_RUN: Final = 0.005  # of blanks and rules, of which some tokens have two hundred
_PATIENCE: Final = 3
_DECIMALS: Final = 3
_SAME: Final = 0.01  # tokens; a pair that weighs what its class does is left out


class Sample(NamedTuple):
    """A text and its true tokens; ``kind`` and ``source`` say what it is an example of, and where it is from."""

    text: str
    tokens: int
    kind: str = ""
    source: str = ""


class Errors(NamedTuple):
    """
    Estimate / truth − 1, kinds weighted alike.

    Mean of its size, 10th and 90th percentile, and the worst, as shares.
    """

    mean: float
    p10: float
    p90: float
    least: float

    def shown(self) -> dict[str, float]:
        """Return the errors in percent."""
        return {name: round(100 * value, 1) for name, value in self._asdict().items()}


class Fitted(NamedTuple):
    """A profile, and the errors of each kind of text by weights that its source had no part in."""

    profile: Profile
    by_kind: dict[str, Errors]


@dataclass(frozen=True, slots=True)
class Counted:
    """Samples as numbers: how many characters there are of each weight, and the truth."""

    characters: NDArray[np.float64]
    tokens: NDArray[np.float64]
    kinds: Sequence[str]
    sources: Sequence[str]

    def of(self, chosen: NDArray[np.bool_]) -> Counted:
        """Return the samples where ``chosen`` is true."""
        places = chosen.nonzero()[0].tolist()
        return Counted(
            self.characters[chosen],
            self.tokens[chosen],
            [self.kinds[place] for place in places],
            [self.sources[place] for place in places],
        )


def calibrate(
    samples: Iterable[Sample],
    *,
    name: str,
    prior: Profile | None = None,
    frames: Frames | None = None,
    provenance: dict[str, Any] | None = None,
) -> Fitted:
    """
    Return the profile that fits ``samples`` best, and how far off it is.

    ``prior`` has the weights where the samples say nothing, and the frames; without one a character costs
    about a quarter of a token in ASCII and half a token a byte beyond.  The margin, and the errors in its
    provenance, are of samples whose source had no part in the fit.  Kinds of one source only are left out
    of them; where there is but one source, they are of the fit itself.

    Raises:
        ModuleNotFoundError: NumPy is missing.
        ValueError: there are no samples with tokens.
    """
    counted = count_samples(samples)
    errors = cross_errors(counted, prior)
    total = spread(errors, counted.kinds, _is_shared(counted))
    profile = _profile(
        fit(counted, prior),
        name=name,
        frames=frames or (prior.frames if prior else Frames()),
        margin=max(1.0, round(1 / (1 + total.p10), 3)),
        provenance={
            **(provenance or {}),
            "method": f"bounded least squares of the relative error, {len(counted.tokens)} pieces",
            "errors_percent": total.shown(),
        },
    )
    return Fitted(profile, _by_kind(errors, counted.kinds))


# ---------------------------------------------------------------------- texts to numbers


def pieces(text: str, size: int = PIECE_CHARS) -> Iterator[str]:
    """Yield ``text`` in pieces of ``size`` characters; a short rest goes with the one before."""
    cuts = [*range(0, max(len(text) - size // 2, 1), size), len(text)]
    return (text[first:last] for first, last in pairwise(cuts))


def count_samples(samples: Iterable[Sample]) -> Counted:
    """
    Return samples as numbers; those without tokens are left out.

    Raises:
        ModuleNotFoundError: NumPy is missing.
        ValueError: nothing is left.
    """
    import numpy as np

    kept = [sample for sample in samples if sample.tokens > 0]
    if not kept:
        raise ValueError("samples must hold at least one text with tokens (got none)")
    count = counter()
    return Counted(
        np.stack([count(sample.text) for sample in kept]),
        np.array([sample.tokens for sample in kept], dtype=np.float64),
        [sample.kind for sample in kept],
        [sample.source for sample in kept],
    )


def counter() -> Callable[[str], NDArray[np.float64]]:
    """Return a function that counts a text's characters by their weight: of each class, then of each of ``PAIRS``."""
    import numpy as np

    table, width = classes(), len(CLASSES)
    place = np.tile(np.arange(width), width)
    for number, (before, name) in enumerate(PAIRS, width):
        place[CLASSES.index(before) * width + CLASSES.index(name)] = number

    def count(text: str) -> NDArray[np.float64]:
        pairs = np.frombuffer(table.pairs(text), dtype="int64")
        return np.bincount(place, weights=pairs, minlength=width + len(PAIRS)).astype(np.float64, copy=False)

    return count


def alike(kinds: Sequence[str], sources: Sequence[str]) -> NDArray[np.float64]:
    """Return the weight of each sample: kinds alike, and within a kind sources alike."""
    import numpy as np

    both = list(zip(kinds, sources, strict=True))
    members = {one: both.count(one) for one in set(both)}
    of_kind = {kind: sum(1 for other, _ in members if other == kind) for kind in set(kinds)}
    return np.array([1 / members[one] / of_kind[one[0]] for one in both])


# ---------------------------------------------------------------------- the fit


def fit(counted: Counted, prior: Profile | None = None) -> NDArray[np.float64]:
    """
    Return a weight for each class, then for each of ``PAIRS``.

    Raises:
        ModuleNotFoundError: NumPy is missing.
    """
    import numpy as np

    rows = counted.characters / counted.tokens[:, None]
    importance = alike(counted.kinds, counted.sources)
    importance *= len(set(zip(counted.kinds, counted.sources, strict=True))) / importance.sum()
    pull, aim = _pull(prior)
    least = np.array(_LEAST_WEIGHTS)
    weights = aim
    trust = np.ones(len(rows))
    for _ in range(_ROUNDS):
        scaled = rows * (importance * trust)[:, None]
        form = rows.T @ scaled + pull
        weights = least + _least_squares(form, scaled.sum(axis=0) + pull @ aim - form @ least)
        trust = _TOLERATED / np.maximum(np.abs(rows @ weights - 1), _TOLERATED)
    return weights


def _pull(prior: Profile | None) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """
    Return the quadratic form that draws weights to the prior, and the prior.

    A pair is drawn to where it stands beside its class in the prior, not to a number.
    """
    import numpy as np

    width, size = len(CLASSES), len(CLASSES) + len(PAIRS)
    pull = np.zeros((size, size))
    pull[np.arange(width), np.arange(width)] = _CLASS_PULL
    for place, (_, name) in enumerate(PAIRS, width):
        of_class = CLASSES.index(name)
        pull[np.ix_([place, of_class], [place, of_class])] += _PAIR_PULL * np.array([[1, -1], [-1, 1]])
    return pull, np.array(_prior_weights(prior))


def _prior_weights(prior: Profile | None) -> list[float]:
    weights = prior.weights if prior else _WEIGHTS_BY_BYTES
    after = prior.after if prior else {}
    return [
        *(weights[name] for name in CLASSES),
        *(after.get(before, {}).get(name, weights[name]) for before, name in PAIRS),
    ]


def _tokens_of(first: int) -> float:
    return 0.5 * len(chr(first).encode("utf-8", "surrogatepass"))


_WEIGHTS_BY_BYTES: Final = {
    **{name: _tokens_of(first) for first, name in BEYOND_ASCII},
    **dict.fromkeys(ASCII, 0.25),
}


_BLANKS: Final = ("space", "newline", "tab")
_RUNS: Final = (*_BLANKS, "mark_rule", "mark_stop", "box")
_MARKS: Final = tuple(name for name in ASCII if name.startswith(("mark_", "control")))


def _least_of(before: str, name: str) -> float:
    if before == name and name in _RUNS:
        return _LEAST_OF_RUN
    return _LEAST_OF_WORD if before in _BLANKS and name not in (*_BLANKS, *_MARKS) else _LEAST


_LEAST_WEIGHTS: Final = [*(_LEAST for _ in CLASSES), *(_least_of(before, name) for before, name in PAIRS)]


def _least_squares(form: NDArray[np.float64], goal: NDArray[np.float64]) -> NDArray[np.float64]:
    """
    Return the x ≥ 0 with the least ``x·form·x − 2·goal·x``.

    By block pivoting: solve for what is free, exchange all that are on the wrong side, until none is.  Where
    that does not lessen their number, the last one alone is exchanged, which is slow but cannot go in circles.
    """
    import numpy as np

    free = np.ones(len(goal), dtype=bool)
    fewest, patience = len(goal) + 1, _PATIENCE
    while True:
        solution = np.zeros(len(goal))
        solution[free] = np.linalg.solve(form[np.ix_(free, free)], goal[free])
        slope = form @ solution - goal
        wrong = np.where(free, solution < -_ZERO, slope < -_ZERO).nonzero()[0]
        if not len(wrong):
            return np.maximum(solution, 0)
        if len(wrong) < fewest:
            fewest, patience = len(wrong), _PATIENCE
        else:
            patience -= 1
        exchanged = wrong if patience >= 0 else wrong[-1:]
        free[exchanged] = ~free[exchanged]


def _profile(weights: NDArray[np.float64], *, provenance: dict[str, Any], **others: Any) -> Profile:
    numbers = [round(float(weight), _DECIMALS) for weight in weights]
    by_class = dict(zip(CLASSES, numbers, strict=False))
    after: dict[str, dict[str, float]] = {}
    for (before, name), weight in zip(PAIRS, numbers[len(CLASSES) :], strict=True):
        if abs(weight - by_class[name]) > _SAME:
            after.setdefault(before, {})[name] = weight
    return Profile(
        weights=MappingProxyType(by_class),
        after=MappingProxyType({before: MappingProxyType(row) for before, row in after.items()}),
        provenance=MappingProxyType(provenance),
        **others,
    )


# ---------------------------------------------------------------------- how far off


def cross_errors(counted: Counted, prior: Profile | None = None, *, folds: int = FOLDS) -> NDArray[np.float64]:
    """Return the error of each sample by weights that its source had no part in, estimate / truth − 1."""
    import numpy as np

    fold = np.array([crc32(source.encode()) % folds for source in counted.sources])
    if len(set(fold)) == 1:
        return errors_by(fit(counted, prior), counted)
    errors = np.zeros(len(fold))
    for number in set(fold):
        errors[fold == number] = errors_by(fit(counted.of(fold != number), prior), counted.of(fold == number))
    return errors


def errors_by(weights: NDArray[np.float64], counted: Counted) -> NDArray[np.float64]:
    """Return the error of each sample by some weights."""
    errors: NDArray[np.float64] = counted.characters @ weights / counted.tokens - 1
    return errors


def _by_kind(errors: NDArray[np.float64], kinds: Sequence[str]) -> dict[str, Errors]:
    import numpy as np

    every = np.array(kinds)
    return {kind: spread(errors, kinds, every == kind) for kind in sorted(set(kinds))}


def _is_shared(counted: Counted) -> NDArray[np.bool_]:
    """Tell which samples are of a kind that several sources have; of all, if none is."""
    import numpy as np

    sources: dict[str, set[str]] = {}
    for kind, source in zip(counted.kinds, counted.sources, strict=True):
        sources.setdefault(kind, set()).add(source)
    shared = np.array([len(sources[kind]) > 1 for kind in counted.kinds])
    return shared if shared.any() else ~shared


def spread(errors: NDArray[np.float64], kinds: Sequence[str], chosen: NDArray[np.bool_] | None = None) -> Errors:
    """Return how errors lie, kinds weighted alike; those of some samples only, if chosen."""
    import numpy as np

    if chosen is not None:
        errors, kinds = errors[chosen], [kinds[place] for place in chosen.nonzero()[0].tolist()]
    share = alike(kinds, kinds)
    order = np.argsort(errors)
    passed = np.cumsum(share[order]) / share.sum()

    def percentile(part: float) -> float:
        return float(errors[order][min(int(np.searchsorted(passed, part)), len(order) - 1)])

    mean = float(np.average(np.abs(errors), weights=share))
    return Errors(mean, percentile(0.1), percentile(0.9), float(errors.min()))
