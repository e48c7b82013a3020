"""
Stop a release that is not whole: the tag names the version, and every promised file is there.

    check_release.py tag v0.1.0
    check_release.py files dist
"""

from __future__ import annotations

import itertools
import sys
import tomllib
from collections.abc import Iterable
from fnmatch import fnmatch
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

PYTHONS = (
    "cp311-cp311",
    "cp312-cp312",
    "cp313-cp313",
    "cp314-cp314",
    "cp315-cp315",
    "cp314-cp314t",
    "cp315-cp315t",
)
PLATFORMS = (
    "manylinux_2_17_x86_64*",  # maturin adds the older name, manylinux2014, behind a dot
    "manylinux_2_17_aarch64*",
    "musllinux_1_2_x86_64",
    "musllinux_1_2_aarch64",
    "macosx_*_x86_64",
    "macosx_*_arm64",
    "win_amd64",
    "win_arm64",
)
COUNT = 58  # 7 Pythons on 8 platforms, the pure wheel, the sdist


def version() -> str:
    """Return the version that Cargo.toml, and so the whole project, has."""
    manifest = tomllib.loads((ROOT / "Cargo.toml").read_text(encoding="utf-8"))
    return str(manifest["package"]["version"])


def expected_files(version: str) -> list[str]:
    """Return one pattern per file of a release."""
    tags = [f"{python}-{platform}" for python, platform in itertools.product(PYTHONS, PLATFORMS)]
    return [
        f"longturn-{version}.tar.gz",
        *(f"longturn-{version}-{tag}.whl" for tag in [*tags, "py3-none-any"]),
    ]


def tag_problems(tag: str, version: str) -> list[str]:
    """Return what is wrong with the tag of a release of ``version``; nothing if it may go out."""
    return [] if tag == f"v{version}" else [f"the tag is {tag}, but Cargo.toml has version {version}"]


def file_problems(names: Iterable[str], version: str) -> list[str]:
    """Return what is missing from, doubled in or foreign to the files of a release of ``version``."""
    left = set(names)
    problems = []
    for pattern in expected_files(version):
        found = {name for name in left if fnmatch(name, pattern)}
        left -= found
        if len(found) != 1:
            problems.append(f"{pattern}: expected one file, found {len(found)}")
    return problems + [f"{name}: not part of a release" for name in sorted(left)]


def main(arguments: list[str]) -> int:
    match arguments:
        case ["tag", tag]:
            problems = tag_problems(tag, version())
        case ["files", folder]:
            problems = file_problems((path.name for path in Path(folder).iterdir()), version())
        case _:
            problems = [str(__doc__).strip()]
    print("\n".join(problems), file=sys.stderr, end="\n" if problems else "")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
