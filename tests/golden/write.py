"""Write the files that tests compare with anew (`make golden`); the review reads their diff."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path

from longturn.wording import languages, phrases

WORDING = Path(__file__).with_name("wording.json")


def wording() -> str:
    """Return every text of every language, as it goes into the file."""
    texts = {language: asdict(phrases(language)) for language in languages()}
    return json.dumps(texts, ensure_ascii=False, indent=2) + "\n"


if __name__ == "__main__":
    WORDING.write_bytes(wording().encode())
