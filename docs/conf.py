"""Sphinx configuration: Markdown in, furo out, every warning an error."""

from __future__ import annotations

import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[1]

project = "longturn"
author = "the longturn developers"
copyright = f"2026, {author}"  # noqa: A001  (Sphinx wants this name)
release = tomllib.loads((ROOT / "Cargo.toml").read_text(encoding="utf-8"))["package"]["version"]
version = release

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
exclude_patterns = ["_build"]
nitpicky = False  # signatures name types of other libraries, which an offline build cannot resolve

myst_enable_extensions = ["attrs_inline", "colon_fence", "deflist", "fieldlist"]
myst_heading_anchors = 3

autodoc_member_order = "bysource"
autodoc_typehints = "signature"
napoleon_numpy_docstring = False

html_theme = "furo"
html_title = f"longturn {release}"
html_copy_source = False
