"""
How detectors tell a conversation that is too long: precision and recall over recorded refusals.

``LONGTURN_DATA=... python -m benches.refusals`` prints a table. Each detector is fed what it is made for: the
provider's words, the body as JSON, or the code. Cases that can be read either way count for neither side.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import longturn

Case = Mapping[str, Any]
PHRASES = (
    "context length", "context window", "context_length_exceeded", "too many tokens", "prompt is too long",
    "input is too long", "maximum number of tokens", "token limit",
)  # fmt: skip


def body_text(case: Case) -> str:
    body = case["body"]
    return body if isinstance(body, str) else json.dumps(body, ensure_ascii=False)


def by_longturn(case: Case) -> bool:
    body = case["body"] if case["body"] is not None else {"message": case["message"]}
    return longturn.classify(body).kind is longturn.FailureKind.CONTEXT_OVERFLOW


def by_phrases(case: Case) -> bool:
    return any(phrase in (case["message"] or "").lower() for phrase in PHRASES)


def by_code(case: Case) -> bool:
    return case["error_code"] == "context_length_exceeded"


def detectors() -> Iterator[tuple[str, Callable[[Case], bool]]]:
    yield "longturn, body alone", by_longturn
    os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")  # or its import asks the network
    try:
        from litellm.litellm_core_utils.exception_mapping_utils import ExceptionCheckers
    except ImportError:
        pass
    else:
        told = ExceptionCheckers.is_error_str_context_window_exceeded
        yield "litellm, provider's words", lambda case: told(case["message"] or "")
        yield "litellm, body", lambda case: told(body_text(case))
    yield f"{len(PHRASES)} phrases", by_phrases
    yield "the code alone", by_code


def measured(cases: list[Case], told: Callable[[Case], bool]) -> tuple[float, float]:
    """Return precision and recall; a debatable case is no false alarm."""
    found = [case for case in cases if told(case)]
    right = [case for case in found if case["verdict"] == "context_overflow"]
    wrong = [case for case in found if "context_overflow" not in (case["verdict"], *(case["also_ok"] or ()))]
    there = [case for case in cases if case["verdict"] == "context_overflow"]
    return len(right) / (len(right) + len(wrong)), len(right) / len(there)


def main() -> None:
    lines = (Path(os.environ["LONGTURN_DATA"]) / "errors" / "dev.jsonl").read_text("utf-8").splitlines()
    cases = [case for line in lines if (case := json.loads(line))["body"] is not None or case["message"]]
    print(f"{len(cases)} refusals, {sum(case['verdict'] == 'context_overflow' for case in cases)} of them overflows")
    print("| detector | precision | recall |\n|---|---|---|")
    for name, told in detectors():
        precision, recall = measured(cases, told)
        print(f"| {name} | {precision:.2f} | {recall:.2f} |")


if __name__ == "__main__":
    main()
