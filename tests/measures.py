"""What the laws are tried under besides the script rule: a profile like no model's, and a tokenizer of a few words."""

from __future__ import annotations

import re
from random import Random

from longturn.tokens.classes import CLASSES
from longturn.tokens.measure import Measured
from longturn.tokens.profiles import Frames, Profile

_PIECES = re.compile(r"\w{1,5}|\W")


def profile(seed: int = 5) -> Profile:
    """Return a profile with another weight for each class, and others after some."""
    random = Random(seed)
    weights = {name: random.choice((0.11, 0.31, 0.77, 1.93)) + random.random() / 10 for name in CLASSES}
    after = {name: {random.choice(CLASSES): random.uniform(0.0, 2.0)} for name in CLASSES}
    frames = Frames(request=3, message=5, call=9, result=7, tools=11, tool=13)
    return Profile(name="sample", weights=weights, after=after, frames=frames, margin=1.1, provenance={"seed": seed})


def tokenizer(text: str) -> int:
    """Return how many pieces a text is cut into: sums over parts of a text are another number."""
    return len(_PIECES.findall(text))


PROFILES: dict[str, Measured] = {"script": "script", "profile": profile(), "tokenizer": tokenizer}
