"""Clients are opened once for all the tests of a file: that takes longer than the tests."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest
from sdk.clients import Client

if TYPE_CHECKING:
    from loopback import Loopback


@pytest.fixture(scope="module")
def client(request: pytest.FixtureRequest, _server: Loopback) -> Iterator[Client]:
    """Return a real client, ready to run against the scripted provider."""
    with pytest.MonkeyPatch.context() as patch:
        for name, value in _server.environment().items():
            patch.setenv(name, value)
        with request.param.opened() as opened:
            yield opened
