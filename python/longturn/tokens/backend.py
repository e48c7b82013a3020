"""Which estimator runs: the Rust core where it loads, the plain-Python twin everywhere else."""

from __future__ import annotations

import os
from importlib import import_module
from types import ModuleType
from typing import Final

_CHOICES: Final = ("rust", "python")


def _load() -> tuple[str, ModuleType]:
    wanted = os.environ.get("LONGTURN_BACKEND", "").strip().lower()
    if wanted and wanted not in _CHOICES:
        raise ImportError(f"LONGTURN_BACKEND must be one of {', '.join(_CHOICES)}, or unset (got {wanted!r})")
    if wanted != "python":
        try:
            return "rust", import_module("longturn._core")
        except ImportError:  # no wheel for this platform, or a sub-interpreter
            if wanted == "rust":
                raise
    return "python", import_module("longturn.tokens.reference")  # only here: compiling its patterns takes a while


BACKEND, core = _load()
