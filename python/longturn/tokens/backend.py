"""Which estimator runs: the Rust core where it loads, the plain-Python twin everywhere else."""

from __future__ import annotations

import os
from types import ModuleType
from typing import Final

from longturn.tokens import reference

_CHOICES: Final = ("rust", "python")


def _load() -> tuple[str, ModuleType]:
    wanted = os.environ.get("LONGTURN_BACKEND", "").strip().lower()
    if wanted and wanted not in _CHOICES:
        raise ImportError(f"LONGTURN_BACKEND must be one of {', '.join(_CHOICES)}, or unset (got {wanted!r})")
    if wanted == "python":
        return "python", reference
    try:
        from longturn import _core
    except ImportError:
        if wanted == "rust":
            raise
        return "python", reference  # no wheel for this platform, or a sub-interpreter
    return "rust", _core


BACKEND, core = _load()
