"""longturn keeps an agent's long turns inside the model's context window."""

from __future__ import annotations

from longturn.calling import ConversationTooLong
from longturn.failures.classify import classify, is_retryable
from longturn.failures.failure import Failure, FailureKind
from longturn.fitted import Fitted
from longturn.fitting.policy import Policy
from longturn.fitting.view import Stage
from longturn.formats.base import FormatError
from longturn.recall import RECALL_TOOL, recall
from longturn.rendering import Cleared
from longturn.tokens.backend import BACKEND
from longturn.tokens.batch import estimate_batch, scripts_batch
from longturn.tokens.estimate import estimate, tokenizer
from longturn.tokens.profiles import Profile
from longturn.tokens.scripts import Scripts, scripts
from longturn.window import Window

__all__ = [
    "BACKEND",
    "RECALL_TOOL",
    "Cleared",
    "ConversationTooLong",
    "Failure",
    "FailureKind",
    "Fitted",
    "FormatError",
    "Policy",
    "Profile",
    "Scripts",
    "Stage",
    "Window",
    "classify",
    "estimate",
    "estimate_batch",
    "is_retryable",
    "recall",
    "scripts",
    "scripts_batch",
    "tokenizer",
]


def __getattr__(name: str) -> str:
    """Look the version up when it is asked for: reading package metadata costs more than the import."""
    if name == "__version__":
        from importlib.metadata import version

        return version("longturn")
    raise AttributeError(f"module 'longturn' has no attribute {name!r}")
