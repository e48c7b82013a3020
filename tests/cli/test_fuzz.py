"""Whatever comes in, the command ends with a code and a sentence; never with a traceback."""

from __future__ import annotations

import contextlib
import io
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sessions import CASES

from longturn.cli import main
from longturn.cli.errors import Exit

COMMANDS = {
    "estimate": ["estimate", "--json"],
    "replay": ["replay", "--budget", "2k"],
    "threads": ["replay", "--threads"],
    "fit": ["fit", "--budget", "2k"],
    "explain": ["explain"],
    "explain lines": ["explain", "--lines"],
}
FIXTURES = [case[0] for case in CASES.values()]

junk = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5) | st.just(10**400),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)


def places(value: Any, at: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Return the paths to everything inside a JSON value."""
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [at, *(place for key, item in inner for place in places(item, (*at, key)))]


def exchanged(value: Any, at: tuple[Any, ...], new: Any) -> Any:
    """Return a JSON value with what is at a path exchanged."""
    if not at:
        return new
    copied = value.copy()
    copied[at[0]] = exchanged(value[at[0]], at[1:], new)
    return copied


@st.composite
def damaged_sessions(draw: st.DrawFn) -> bytes:
    """Make a session of some program in which something is of another type than it ought to be."""
    fixture = draw(st.sampled_from(FIXTURES))
    is_lines = isinstance(fixture, str)
    value = [json.loads(line) for line in fixture.splitlines()] if is_lines else fixture
    for _ in range(draw(st.integers(1, 3))):
        value = exchanged(value, draw(st.sampled_from(places(value))), draw(junk))
    if is_lines and isinstance(value, list):
        return "\n".join(map(json.dumps, value)).encode()
    return json.dumps(value).encode()


def run(arguments: list[str], data: bytes, folder: Path) -> str:
    """Run a command on a file; return what it says, having seen that it ended well."""
    path = folder / "input.jsonl"
    path.write_bytes(data)
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = main([*arguments, str(path)])
    assert code in (Exit.DONE, Exit.BAD_INPUT, Exit.NO)
    if code == Exit.BAD_INPUT:
        assert "longturn: error: " in err.getvalue()
    assert "Traceback" not in err.getvalue()
    return err.getvalue()


tolerant = settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])


@pytest.mark.parametrize("command", COMMANDS)
@tolerant
@given(data=st.binary(max_size=200))
def test_random_bytes(command: str, data: bytes, tmp_path: Path) -> None:
    """Of any kind."""
    run(COMMANDS[command], data, tmp_path)


@pytest.mark.parametrize("command", COMMANDS)
@tolerant
@given(value=junk)
def test_any_json(command: str, value: Any, tmp_path: Path) -> None:
    """Numbers too long to read among it."""
    run(COMMANDS[command], json.dumps(value).encode(), tmp_path)


@pytest.mark.parametrize("command", ["replay", "threads", "fit"])
@tolerant
@given(data=damaged_sessions())
def test_sessions_with_wrong_types(command: str, data: bytes, tmp_path: Path) -> None:
    """One to three values of a good session are something else."""
    run(COMMANDS[command], data, tmp_path)


@pytest.mark.parametrize("command", ["replay", "fit"])
@tolerant
@given(data=st.data())
def test_truncated_sessions(command: str, data: st.DataObject, tmp_path: Path) -> None:
    """Cut off anywhere."""
    fixture = data.draw(st.sampled_from(FIXTURES))
    text = fixture if isinstance(fixture, str) else json.dumps(fixture)
    run(COMMANDS[command], text[: data.draw(st.integers(0, len(text)))].encode(), tmp_path)


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("opening", [b"[", b'{"a":', b'[{"role":"user","content":['])
def test_deep_nesting(command: str, opening: bytes, tmp_path: Path) -> None:
    """Deeper than any parser goes."""
    run(COMMANDS[command], opening * 50_000, tmp_path)


@pytest.mark.parametrize("command", ["replay", "fit"])
def test_content_nested_as_deep_as_json_reads(command: str, tmp_path: Path) -> None:
    """Deeper than a message may be."""
    content = "[" * 900 + "]" * 900
    said = run(COMMANDS[command], b'[{"role": "user", "content": %s}]' % content.encode(), tmp_path)
    assert "longturn: error: " in said
