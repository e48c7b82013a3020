"""What is shipped: one version, types, a light import, and a release that is whole."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import subprocess
import sys
import tomllib
from pathlib import Path
from types import ModuleType

import pytest

import longturn

ROOT = Path(__file__).parents[1]
HEAVY = (
    "anthropic", "openai", "google.genai", "langchain_core", "pydantic_ai", "litellm", "pydantic",
    "httpx", "numpy", "pyarrow", "pandas", "polars", "rich", "click", "argparse",
)  # fmt: skip


def _toml(path: str) -> dict[str, dict[str, object]]:
    file = ROOT / path
    if not file.exists():
        pytest.skip(f"{path} is in the repository only")
    return tomllib.loads(file.read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def check_release() -> ModuleType:
    path = ROOT / ".github/scripts/check_release.py"
    if not path.exists():
        pytest.skip("release scripts are in the repository only")
    spec = importlib.util.spec_from_file_location("check_release", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_version_is_that_of_the_crate() -> None:
    """Cargo.toml has the one number; the installed metadata and the module repeat it."""
    expected = _toml("Cargo.toml")["package"]["version"]
    assert expected == importlib.metadata.version("longturn") == longturn.__version__


def test_types_are_shipped() -> None:
    """Type checkers look for py.typed beside the package's files."""
    assert Path(longturn.__file__).with_name("py.typed").is_file()


def test_every_promised_name_is_there() -> None:
    """`__all__` holds no name twice and none that is missing."""
    names = longturn.__all__
    assert [] == [name for name in names if not hasattr(longturn, name)]
    assert len(set(names)) == len(names)


def test_unknown_name_is_an_attribute_error() -> None:
    """Lazy names must not swallow a typing error."""
    with pytest.raises(AttributeError, match="no_such_name"):
        _ = longturn.no_such_name  # type: ignore[attr-defined]


def test_import_is_light() -> None:
    """[P2] `import longturn` imports no SDK, no numpy, no CLI library."""
    script = "import sys; before = set(sys.modules); import longturn; print(*set(sys.modules) - before)"
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert set() == set(HEAVY) & set(run.stdout.split())


def test_import_takes_little_of_the_standard_library() -> None:
    """[P2] Nor what costs more there than all of ours: it is imported where it is used."""
    unused = {"asyncio", "datetime", "decimal", "email", "fractions", "logging", "pathlib", "urllib", "uuid"}
    script = "import sys; import longturn; print(*sys.modules)"
    isolated = [sys.executable, "-S", "-c", f"import sys; sys.path[:] = {sys.path!r}; {script}"]
    run = subprocess.run(isolated, capture_output=True, text=True, check=True)
    assert set() == unused & set(run.stdout.split())


def test_both_packages_say_the_same() -> None:
    """The pure wheel is the same project: its table must not drift from the root's."""
    compiled, pure = _toml("pyproject.toml")["project"], _toml("packaging/pure/pyproject.toml")["project"]
    assert compiled == pure


def test_a_whole_release_has_no_problem(check_release: ModuleType) -> None:
    """58 files, each once."""
    names = [
        name.replace("*", ".manylinux2014_x" if name.endswith("*.whl") else "11_0")
        for name in check_release.expected_files("1.2.3")
    ]
    assert check_release.COUNT == len(names)
    assert [] == check_release.file_problems(names, "1.2.3")


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (lambda names: names[1:], ["longturn-1.2.3.tar.gz: expected one file, found 0"]),
        (lambda names: [*names, "longturn-1.2.2.tar.gz"], ["longturn-1.2.2.tar.gz: not part of a release"]),
        (
            lambda names: [*names, "longturn-1.2.3-cp311-cp311-macosx_10_12_x86_64.whl"],
            ["longturn-1.2.3-cp311-cp311-macosx_*_x86_64.whl: expected one file, found 2"],
        ),
    ],
    ids=["missing", "foreign", "doubled"],
)
def test_a_release_that_is_not_whole_is_stopped(check_release: ModuleType, change, expected) -> None:
    """The problem names the file."""
    names = [name.replace("*", "11_0") for name in check_release.expected_files("1.2.3")]
    assert expected == check_release.file_problems(change(names), "1.2.3")


def test_tag_must_name_the_version(check_release: ModuleType) -> None:
    """`v` and the version, nothing else."""
    assert [] == check_release.tag_problems("v1.2.3", "1.2.3")
    assert ["the tag is 1.2.3, but Cargo.toml has version 1.2.3"] == check_release.tag_problems("1.2.3", "1.2.3")


def test_every_framework_is_tried_by_itself() -> None:
    """What there is a page about has a group, and each group is in the matrix of the workflow."""
    groups = {
        name.removeprefix("framework-") for name in _toml("pyproject.toml")["dependency-groups"] if "work-" in name
    }
    workflow = ROOT / ".github" / "workflows" / "ci.yml"
    if not workflow.exists():
        pytest.skip("the workflows are in the repository only")
    pages = {page.stem for page in (ROOT / "docs" / "frameworks").glob("*.md")} - {"index"}
    matrix = workflow.read_text(encoding="utf-8").partition("framework:\n          - ")[2].partition("    steps:")[0]
    assert sorted(groups) == sorted(matrix.replace("- ", "").split())
    assert pages <= groups
