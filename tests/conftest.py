"""What every test relies on: the backend asked for, no network, same examples, real data if at hand."""

from __future__ import annotations

import importlib.util
import ipaddress
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

import hypothesis
import pytest

import longturn

if TYPE_CHECKING:
    from loopback import Loopback

_PHASES = set(hypothesis.Phase) - {hypothesis.Phase.explain}  # explaining a failure traces every line, for minutes
hypothesis.settings.register_profile("fast", max_examples=40, deadline=None, derandomize=True, phases=_PHASES)
hypothesis.settings.register_profile("slow", max_examples=1_000, deadline=None, phases=_PHASES)
hypothesis.settings.load_profile(os.environ.get("LONGTURN_HYPOTHESIS", "fast"))


def pytest_configure() -> None:
    """Stop at once if the suite would test another backend than the one asked for."""
    wanted = os.environ.get("LONGTURN_BACKEND")
    if wanted and wanted != longturn.BACKEND:
        pytest.exit(f"LONGTURN_BACKEND is {wanted!r}, but {longturn.BACKEND!r} was loaded", returncode=3)
    sys.addaudithook(_refuse_network)


def pytest_report_header() -> str:
    return f"longturn: {longturn.BACKEND} backend, from {Path(longturn.__file__).parent}"


@pytest.fixture(scope="session")
def data() -> Path:
    """Return the folder of recorded histories, texts and errors: too large, too mixed in licence to ship."""
    folder = os.environ.get("LONGTURN_DATA")
    if not folder:
        pytest.skip("LONGTURN_DATA does not name a folder of recorded data")
    return Path(folder)


@pytest.fixture(scope="session")
def validator(data: Path) -> ModuleType:
    """Return the data folder's ``validate.py``: ``check(format, body)`` says what a provider would refuse."""
    spec = importlib.util.spec_from_file_location("longturn_data_validate", data / "validate.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses look their module up by name
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="session")
def _server() -> Iterator[Loopback]:
    pytest.importorskip("pytest_httpserver")
    from loopback import Loopback

    with Loopback() as server:
        yield server


@pytest.fixture
def loopback(_server: Loopback, monkeypatch: pytest.MonkeyPatch) -> Iterator[Loopback]:
    """Return a scripted provider with a blank script, and point every SDK at it."""
    _server.play([])
    for name, value in _server.environment().items():
        monkeypatch.setenv(name, value)
    yield _server
    _server.check()


def _refuse_network(event: str, args: tuple[object, ...]) -> None:
    # An audit hook sees every socket of the process, whoever opened it and however it was imported.
    if event == "socket.connect":
        address = args[1]
        host = address[0] if isinstance(address, tuple) else None  # a Unix socket's address is its path
    elif event == "socket.getaddrinfo":
        host = args[0]
    else:
        return
    if isinstance(host, bytes):
        host = host.decode()
    if isinstance(host, str) and not _is_here(host):
        raise RuntimeError(f"a test tried to reach {host}; tests use no network")


def _is_here(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host in ("localhost", "")
