"""What tests with real frameworks share: the recorded rules of providers, if at hand."""

from __future__ import annotations

import asyncio
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
    return lambda format, body: [issue for issue in check(names.get(format, format), body) if issue.level == "error"]


@pytest.fixture
def own_loop() -> Iterator[None]:
    """
    Give synchronous runs of asynchronous frameworks a loop, and collect what they leave open before the test ends.

    Some look for a loop and leave it behind, for the next test to stumble over.
    """
    loop = asyncio.new_event_loop()
    asyncio.set_event_loop(loop)
    yield
    loop.run_until_complete(loop.shutdown_asyncgens())
    loop.close()
    asyncio.set_event_loop(None)
    gc.collect()
