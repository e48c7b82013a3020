"""
How far off estimates are: ``python -m benches.accuracy [TABLE...]`` writes the tables of ``docs/accuracy.md``.

A table is JSON lines: ``text`` (or ``id``, for a file ``id``.txt beside it), ``kind`` (``lang`` for prose), ``type``
(the language or the kind of content), ``source``, and ``tokens``, the true count by tokenizer.  Without one it is
that of the corpus in ``LONGTURN_DATA``.  A profile is judged by weights fitted without the source of the text.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

import numpy as np

import longturn
from benches import counters
from longturn import Profile
from longturn.tokens.calibrate import Sample, count_samples, cross_errors, spread

PAGE: Final = Path(__file__).parents[1] / "docs" / "accuracy.md"
BEGIN, END = "<!-- tables: make accuracy -->\n", "<!-- end of tables -->\n"

TOKENIZERS: Final = {
    "openai": "o200k", "openai-cl100k": "cl100k", "claude": "claude3", "claude-4.7": "claude47", "gemini": "gemma3",
    "llama": "llama3", "mistral": "tekken", "deepseek": "deepseek", "qwen": "qwen35",
}  # fmt: skip
"""Which tokenizer's counts a profile is judged by."""

CROWD: Final = "cautious"  # judged by the most that any tokenizer counts
SHORT_OF_TEXTS: Final = {"gemini": "qwen"}  # fitted to few texts, from another profile
RARE: Final = frozenset("am bo dz chr cop syr ti nqo vai zgh shn ks yi ff_Adlm or dv iu mni sat ii".split())
"""Scripts that tokenizers spell out in bytes; told apart."""

_LANGUAGES: Final = dict(
    pair.split("=")
    for pair in """
    af=Afrikaans am=Amharic ar=Arabic as=Assamese az=Azerbaijani be=Belarusian bg=Bulgarian bn=Bengali bo=Tibetan
    ca=Catalan chr=Cherokee ckb=Kurdish-(Arabic) cop=Coptic cs=Czech cy=Welsh da=Danish de=German dz=Dzongkha el=Greek
    en=English en_GB=English-(UK) eo=Esperanto es=Spanish et=Estonian eu=Basque fa=Persian ff_Adlm=Fula-(Adlam)
    fi=Finnish fr=French ga=Irish gu=Gujarati he=Hebrew hi=Hindi hr=Croatian hu=Hungarian hy=Armenian id=Indonesian
    is=Icelandic it=Italian ja=Japanese ka=Georgian kk=Kazakh km=Khmer kn=Kannada ko=Korean ks=Kashmiri ku=Kurdish
    ky=Kyrgyz lo=Lao lt=Lithuanian lv=Latvian mk=Macedonian ml=Malayalam mn=Mongolian mr=Marathi ms=Malay my=Burmese
    nb=Norwegian ne=Nepali nl=Dutch nqo=N'Ko or=Odia pa=Punjabi pl=Polish ps=Pashto pt=Portuguese ro=Romanian
    ru=Russian sat=Santali sd=Sindhi shn=Shan si=Sinhala sk=Slovak sl=Slovene sq=Albanian sr=Serbian sv=Swedish
    sw=Swahili syr=Syriac ta=Tamil te=Telugu tg=Tajik th=Thai ti=Tigrinya tl=Filipino tr=Turkish ug=Uyghur
    uk=Ukrainian ur=Urdu uz=Uzbek vai=Vai vi=Vietnamese yi=Yiddish zgh=Tamazight zh-Hans=Chinese-(simplified)
    zh-Hant=Chinese-(traditional)
    """.split()
)

Estimates = Callable[[Sequence[str]], Sequence[int]]


@dataclass(frozen=True, slots=True)
class Text:
    """A text, what it is, and its true counts."""

    text: str
    is_prose: bool
    type: str
    source: str
    tokens: dict[str, int]

    @property
    def is_rare(self) -> bool:
        return self.is_prose and self.type in RARE

    def truth(self, profile: str) -> int:
        """Return what the profile is judged by; 0 if that was not counted."""
        if profile == CROWD:
            is_told = len(self.tokens) >= len(TOKENIZERS) - len(SHORT_OF_TEXTS)
            return max(self.tokens.get(tokenizer) or 0 for tokenizer in TOKENIZERS.values()) if is_told else 0
        return self.tokens.get(TOKENIZERS[profile]) or 0


def main(arguments: Sequence[str]) -> None:
    texts = [text for path in arguments or [_corpus()] for text in read(Path(path))]
    page = PAGE.read_text(encoding="utf-8")
    before, _, rest = page.partition(BEGIN)
    _, _, after = rest.partition(END)
    PAGE.write_text(before + BEGIN + tables(texts) + END + after, encoding="utf-8")


def _corpus() -> str:
    if not (folder := os.environ.get("LONGTURN_DATA")):
        sys.exit("name a table of counted texts, or set LONGTURN_DATA to a folder with corpus/tokens.jsonl")
    return str(Path(folder) / "corpus" / "tokens.jsonl")


def read(path: Path) -> Iterable[Text]:
    for line in path.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        text = row.get("text")
        if text is None:
            with (path.parent / f"{row['id']}.txt").open(encoding="utf-8", newline="") as file:
                text = file.read()
        yield Text(text, row["kind"] == "lang", row["type"], row["source"], row["tokens"])


# ---------------------------------------------------------------------- errors


def judged(texts: Sequence[Text], profile: str) -> tuple[list[Text], np.ndarray]:
    """Return the texts with a count for the profile, and its error on each by weights fitted without their source."""
    counted = [text for text in texts if text.truth(profile)]
    samples = [Sample(text.text, text.truth(profile), text.type, text.source) for text in counted]
    prior = Profile.named(SHORT_OF_TEXTS[profile]) if profile in SHORT_OF_TEXTS else None
    return counted, cross_errors(count_samples(samples), prior)


def others() -> dict[str, Estimates]:
    """Return what to compare with: one estimate a text, the same for every model."""
    found: dict[str, Estimates] = {
        "script rule": lambda texts: [longturn.estimate(text) for text in texts],
        "characters ÷ 4": lambda texts: [-(-len(text) // 4) for text in texts],
    }
    if find_spec("langchain_core"):
        found["LangChain"] = lambda texts: list(map(counters.langchain(), texts))
    return found


def errors_of(estimates: Sequence[int], texts: Sequence[Text], profile: str) -> np.ndarray:
    """Return the errors of fixed estimates by the counts of a profile's tokenizer."""
    return np.array(estimates) / np.array([text.truth(profile) for text in texts]) - 1


# ---------------------------------------------------------------------- tables


def tables(texts: Sequence[Text]) -> str:
    by_others = {name: dict(zip(map(id, texts), count([text.text for text in texts]), strict=True))
                 for name, count in others().items()}  # fmt: skip
    overall, script, own = [], {}, {}
    for profile in (*TOKENIZERS, CROWD):
        counted, errors = judged(texts, profile)
        rows = {"**profile**": errors}
        for name, estimates in by_others.items():
            rows[name] = errors_of([estimates[id(text)] for text in counted], counted, profile)
        usual = np.array([not text.is_rare for text in counted])
        types = [text.type for text in counted]
        for name, row in rows.items():
            told = spread(row, types, usual).shown()
            shown = [f"{told['mean']:.1f}", *(_signed(told[part] / 100) for part in ("p10", "p90"))]
            overall.append([f"`{profile}`" if name == "**profile**" else "", name, *shown])
        own[profile] = _medians(counted, errors)
        script[profile] = _medians(counted, rows["script rule"])
    about = f"{len(texts):,} pieces of {len({(text.type, text.source) for text in texts})} texts"
    return "\n".join([
        "", f"Measured on {about}.", "",
        _table(["profile", "estimate by", "mean size of the error, %", "10th percentile", "90th percentile"], overall),
        "### Languages", "", *_per_type(texts, own, script, is_prose=True),
        "### Kinds of content", "", *_per_type(texts, own, script, is_prose=False),
    ])  # fmt: skip


def _medians(texts: Sequence[Text], errors: np.ndarray) -> dict[str, float]:
    types = np.array([text.type for text in texts])
    return {kind: float(np.median(errors[types == kind])) for kind in set(types)}


def _per_type(texts: Sequence[Text], own: Any, script: Any, *, is_prose: bool) -> list[str]:
    types = sorted({text.type for text in texts if text.is_prose == is_prose}, key=_shown_type)
    cells = [
        [_shown_type(kind), *(_cell(script[profile].get(kind), own[profile].get(kind)) for profile in own)]
        for kind in types
    ]
    return [
        "Median error in percent, by the script rule and by the profile.", "",
        _table(["", *(f"`{profile}`" for profile in own)], cells),
    ]  # fmt: skip


def _shown_type(kind: str) -> str:
    return _LANGUAGES.get(kind, kind).replace("-(", " (")


def _cell(script: float | None, own: float | None) -> str:
    if script is None or own is None:
        return "–"
    return f"{_signed(script)} → {_signed(own)}"


def _signed(share: float) -> str:
    percent = round(100 * share)
    return f"{percent:+d}" if percent else "0"


def _table(headings: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [headings, ["---", *["--:"] * (len(headings) - 1)], *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines) + "\n"


if __name__ == "__main__":
    main(sys.argv[1:])
