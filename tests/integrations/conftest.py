"""What tests with real frameworks share: the recorded rules of providers, if at hand."""

from __future__ import annotations

import gc
import os
from collections.abc import Iterator

import pytest

from overlong import Judge


@pytest.fixture
def judge(request: pytest.FixtureRequest) -> Judge:
    """Return what says which errors a provider would find in a body; nothing ever, where the rules are not at hand."""
    if not os.environ.get("LONGTURN_DATA"):
        return lambda _format, _body: []
    check = request.getfixturevalue("validator").check
    names = {"bedrock": "bedrock-converse"}
    return lambda format, body: [
        issue for issue in check(names.get(format, format), body) if issue.level == "error"
    ]


@pytest.fixture
def collected() -> Iterator[None]:
    """Collect what a framework left open before the test ends, so that it is not laid at the next one's door."""
    yield
    gc.collect()
