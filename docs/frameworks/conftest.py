"""
The pages about frameworks run against a scripted provider, which asks for a page twenty times.

Where the framework is not installed, its page is skipped.
"""

from __future__ import annotations

import asyncio
import importlib.util
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from sybil import Sybil
from sybil.parsers.markdown import PythonCodeBlockParser, SkipParser

_FOLDER = Path(__file__).parent


@pytest.fixture
def provider(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """Return a scripted provider, which every SDK finds by its environment variables; synchronous runs get a loop."""
    pytest.importorskip("pytest_httpserver")
    from loopback import Loopback, agent_run

    loop = asyncio.new_event_loop()
    asyncio.set_event_loop(loop)
    with Loopback() as server:
        for name, value in server.environment().items():
            monkeypatch.setenv(name, value)
        server.play(agent_run(20))
        yield server
        server.check()
        _check_fits(server)
    loop.run_until_complete(loop.shutdown_asyncgens())
    loop.close()
    asyncio.set_event_loop(None)


def _check_fits(server: Any) -> None:
    """See that what a page sent stayed in the window of 6,000 tokens that all pages have."""
    import longturn

    sizes = [longturn.estimate(request.messages) for request in server.requests]
    assert len(sizes) in (0, 21)
    assert all(size <= 6_000 for size in sizes)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Some frameworks use what their own dependencies have deprecated, and leave sockets to the garbage collector."""
    for item in items:
        if item.path.parent == _FOLDER:
            item.add_marker(pytest.mark.filterwarnings("ignore::DeprecationWarning"))
            item.add_marker(pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"))


def _set_up(namespace: dict[str, Any]) -> None:
    namespace["has"] = lambda *names: all(map(_is_installed, names))


def _is_installed(name: str) -> bool:
    try:
        return importlib.util.find_spec(name) is not None
    except ModuleNotFoundError:  # of the package around it
        return False


pytest_collect_file = Sybil(
    parsers=[PythonCodeBlockParser(), SkipParser()],
    patterns=["*.md"],
    setup=_set_up,
    fixtures=["provider"],
).pytest()
