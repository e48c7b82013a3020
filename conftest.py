"""Every Python block in the README and in docs/ is a test; names carry over from block to block of a page."""

from __future__ import annotations

import os

from sybil import Sybil
from sybil.parsers.markdown import PythonCodeBlockParser, SkipParser

# LiteLLM fetches prices when it is imported, whichever test or page does that first; there is no network here.
os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")

pytest_collect_file = Sybil(
    parsers=[PythonCodeBlockParser(), SkipParser()],
    patterns=["README.md", "docs/*.md", "docs/**/*.md"],
    excludes=["docs/frameworks/*.md"],  # run against a scripted provider: see the conftest.py there
).pytest()
