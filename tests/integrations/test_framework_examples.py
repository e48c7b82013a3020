"""The example agents of frameworks read a folder that is too long for their window."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest
from loopback import Answer, Call, Loopback, Request, prefix_breaks
from overlong import BUDGET, PAGE, ROUNDS, TASK, Judge, check_request

from longturn.wording import phrases

FOLDER = Path(__file__).parents[2] / "examples" / "frameworks"
NAMES = sorted(path.stem for path in FOLDER.glob("*_agent.py"))

# Synchronous runs of some frameworks leave their sockets to the garbage collector.
pytestmark = [
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning", "ignore::DeprecationWarning"),
    pytest.mark.usefixtures("own_loop"),
]


def load(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, FOLDER / f"{name}.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except ModuleNotFoundError as error:
        if str(error.name).startswith("longturn"):
            raise
        pytest.skip(f"{error.name} is not installed")
    return module


def reply(request: Request) -> Answer:
    """Read a page twelve times, then answer, by a tool where the framework has one for that."""
    if request.number < ROUNDS:
        return Answer(calls=(Call(name="read", arguments={"name": "page.txt"}),))
    is_tool = "final_answer" in request.tools
    return Answer(calls=(Call(name="final_answer", arguments={"answer": "Done."}),)) if is_tool else Answer("Done.")


@pytest.mark.parametrize("name", NAMES)
def test_an_example_stays_in_its_window(name: str, loopback: Loopback, judge: Judge, tmp_path: Path) -> None:
    (tmp_path / "page.txt").write_text(PAGE)
    example = load(name)
    loopback.play(reply)
    assert "Done." in example.run(tmp_path, TASK, budget=BUDGET)
    assert len(loopback.requests) == ROUNDS + 1
    for request in loopback.requests:
        check_request(request, judge)
    assert loopback.requests[-1].occurrences(phrases("en").cleared) > 0
    assert prefix_breaks(loopback.requests) <= ROUNDS // 4


@pytest.mark.parametrize("name", NAMES)
def test_an_example_is_short(name: str) -> None:
    assert len((FOLDER / f"{name}.py").read_text().splitlines()) <= 40
