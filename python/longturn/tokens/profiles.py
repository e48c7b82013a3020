"""
Profiles: what text weighs for one family of models, with where the numbers come from.

A profile is data: weights by class of characters and by what stands before (``classes.py``), tokens around
messages, and how far the sum can be trusted.  Those that come along are JSON files beside this module,
written by ``calibrate.py``; each is read when it is first asked for.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from functools import cache
from os import fspath, listdir
from os.path import dirname, join
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, Self

from longturn.tokens import costs
from longturn.tokens.classes import CLASSES
from longturn.tokens.models import profile_name

if TYPE_CHECKING:  # opened by the interpreter itself: importing it costs more than all of ours here
    from pathlib import Path

SCRIPT: Final = "script"
"""The name of the rule by script, which is exact arithmetic and has no weights."""

UNITS: Final = 4096
"""Units of weight in a token: tables hold whole numbers, so that every engine finds the same sums."""

VERSION: Final = 1
"""Of the file format; a change of ``classes.py`` that old files do not fit needs a new one."""

_SCRIPT_MARGIN: Final = 2.6
"""For the family that it falls shortest on, Claude from 4.7: a tenth of the texts there are 61 % short or more."""

_FORMAT: Final = "longturn profile"
_MOST_TOKENS: Final = 15
"""For one character: a table holds 16 bits, and no tokenizer needs more than one token a byte."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Frames:
    """Tokens that a request takes beside its texts."""

    request: int = 0
    message: int = costs.MESSAGE_TOKENS
    call: int = costs.CALL_TOKENS
    result: int = costs.RESULT_TOKENS
    tools: int = 0
    """Once, where tools are sent along: what the provider tells the model about calling them."""
    tool: int = 0
    """Around each definition, beside its JSON."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile:
    """
    What text weighs for one family of models.

    ``weights`` are tokens a character, by class.  ``after`` has, by the class of the character before, what
    weighs otherwise there.  The script rule is a profile without weights.  ``margin`` is the factor after
    which an estimate falls short about once in ten times.  ``provenance`` says what the weights were fitted
    to, when, and how far off they were on other texts.
    """

    name: str
    weights: Mapping[str, float] = field(hash=False)
    after: Mapping[str, Mapping[str, float]] = field(hash=False)
    frames: Frames = field(hash=False)
    margin: float = field(hash=False)
    provenance: Mapping[str, Any] = field(hash=False)

    def __repr__(self) -> str:
        return f"longturn.Profile({self.name!r}, margin={self.margin})"

    def __reduce__(self) -> tuple[Any, ...]:
        return _read, (self.to_dict(), f"profile {self.name!r}")

    @staticmethod
    def names() -> tuple[str, ...]:
        """Return the names of the profiles that come along."""
        return (SCRIPT, *sorted(name[:-5] for name in listdir(_FOLDER) if name.endswith(".json")))

    @staticmethod
    def named(name: str) -> Profile:
        """
        Return the profile of a name.

        Raises:
            ValueError: there is none of that name; lists those there are.
        """
        if name not in Profile.names():
            known = ", ".join(map(repr, Profile.names()))
            raise ValueError(
                f"profile must be one of {known}, or come from Profile.load or Profile.of_model (got {name!r:.60})"
            )
        return _known(name)

    @staticmethod
    def of_model(model: str) -> Profile:
        """
        Return the profile of a model, by its name as any provider or router writes it.

        That of an unknown model is ``cautious``: the most that any other profile counts.

        Raises:
            TypeError: ``model`` is no str.
        """
        return Profile.named(profile_name(model))

    @classmethod
    def load(cls, path: str | Path) -> Profile:
        """
        Return the profile in a JSON file, such as ``longturn calibrate`` writes.

        Raises:
            OSError: the file can't be read.
            ValueError: it holds no profile; says what is wrong with it.
        """
        with open(fspath(path), "rb") as file:
            content = file.read()
        try:
            data = json.loads(content.decode("utf-8-sig"))
        except (ValueError, RecursionError) as error:
            raise ValueError(f"{path} is no JSON: {error}") from None
        return _read(data, str(path))

    def save(self, path: str | Path) -> None:
        """
        Write the profile to a JSON file that ``load`` reads.

        Raises:
            OSError: the file can't be written.
        """
        content = _written(self.to_dict()).encode()  # before the file is emptied
        with open(fspath(path), "wb") as file:
            file.write(content)

    def to_dict(self) -> dict[str, Any]:
        """Return the profile as JSON values."""
        return {
            "format": _FORMAT,
            "version": VERSION,
            "name": self.name,
            "margin": self.margin,
            "frames": asdict(self.frames),
            "provenance": dict(self.provenance),
            "weights": dict(self.weights),
            "after": {before: dict(row) for before, row in self.after.items()},
        }

    def table(self) -> list[int]:
        """Return the weight of each class after each other one: ``UNITS`` to a token, rows by the class before."""
        rows = ({**self.weights, **self.after.get(before, {})} for before in CLASSES)
        return [round(UNITS * row[name]) for row in rows for name in CLASSES]

    @classmethod
    def _script(cls) -> Self:
        return cls(
            name=SCRIPT,
            weights=MappingProxyType({}),
            after=MappingProxyType({}),
            frames=Frames(),
            margin=_SCRIPT_MARGIN,
            provenance=MappingProxyType({"method": "a rule: ASCII 4 characters a token, CJK 1, others 2"}),
        )


_FOLDER: Final = join(dirname(__file__), "profiles")


@cache
def _known(name: str) -> Profile:
    return Profile._script() if name == SCRIPT else Profile.load(join(_FOLDER, f"{name}.json"))


# ---------------------------------------------------------------------- reading and writing


def _read(data: Any, where: str) -> Profile:
    if not isinstance(data, dict) or data.get("format") != _FORMAT:
        raise ValueError(f'{where} is no profile (a JSON object with "format": "{_FORMAT}" is needed)')
    if data.get("version") != VERSION:
        raise ValueError(
            f"{where} has version {data.get('version')!r} of the format, this longturn reads {VERSION} "
            "(calibrate anew, or use the longturn that wrote it)"
        )
    if data.get("name") == SCRIPT:
        if data.get("weights"):
            raise ValueError(
                f"{where}: name must not be {SCRIPT!r}, which is the rule without weights (name it otherwise)"
            )
        return Profile._script()
    weights = _numbers(_object(data, "weights", where), f"{where}: weights")
    if missing := [name for name in CLASSES if name not in weights]:
        raise ValueError(f"{where}: weights lack the class {missing[0]!r} (every class of classes.py needs one)")
    after = {
        _class(before, f"{where}: after"): MappingProxyType(_numbers(row, f"{where}: after[{before!r}]"))
        for before, row in _object(data, "after", where).items()
    }
    return Profile(
        name=_name(data.get("name"), where),
        weights=MappingProxyType(weights),
        after=MappingProxyType(after),
        frames=_frames(_object(data, "frames", where), where),
        margin=_number(data.get("margin"), f"{where}: margin", least=1, most=10),
        provenance=MappingProxyType(_object(data, "provenance", where)),
    )


def _object(data: dict[str, Any], key: str, where: str) -> dict[str, Any]:
    value = data.get(key)
    if not isinstance(value, dict):
        raise ValueError(f"{where}: {key} must be an object (got {value!r:.40})")
    return value


def _name(value: Any, where: str) -> str:
    if not isinstance(value, str) or not value:
        raise ValueError(f"{where}: name must be a text that is not empty (got {value!r:.40})")
    return value


def _class(name: str, where: str) -> str:
    if name not in CLASSES:
        raise ValueError(f"{where}: there is no class {name!r} (those of classes.py are known)")
    return name


def _numbers(values: Any, where: str) -> dict[str, float]:
    if not isinstance(values, dict):
        raise ValueError(f"{where} must be an object (got {values!r:.40})")
    return {
        _class(name, where): _number(value, f"{where}[{name!r}]", least=0, most=_MOST_TOKENS)
        for name, value in values.items()
    }


def _number(value: Any, where: str, *, least: float, most: float) -> float:
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    if not is_number or not least <= value <= most:
        raise ValueError(f"{where} must be a number from {least:g} to {most:g} (got {value!r:.40})")
    return float(value)


def _frames(values: dict[str, Any], where: str) -> Frames:
    known = [each.name for each in fields(Frames)]
    if unknown := [name for name in values if name not in known]:
        raise ValueError(f"{where}: frames has no {unknown[0]!r} ({', '.join(known)} are known)")
    for name, value in values.items():
        if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= 10_000:
            raise ValueError(f"{where}: frames[{name!r}] must be a whole number of tokens up to 10000 (got {value!r})")
    return Frames(**values)


def _written(data: dict[str, Any]) -> str:
    """Return JSON with a line for each member and each row: short to read, short to compare."""
    parts = []
    for key, value in data.items():
        if key == "after":
            rows = ",\n".join(f"    {json.dumps(before)}: {json.dumps(row)}" for before, row in value.items())
            parts.append(f'  "after": {{\n{rows}\n  }}')
        elif key == "provenance":
            shown = json.dumps(value, ensure_ascii=False, indent=2).replace("\n", "\n  ")
            parts.append(f'  "provenance": {shown}')
        else:
            parts.append(f"  {json.dumps(key)}: {json.dumps(value, ensure_ascii=False)}")
    return "{\n" + ",\n".join(parts) + "\n}\n"
