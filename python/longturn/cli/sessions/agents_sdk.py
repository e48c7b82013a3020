"""Run states of OpenAI's Agents SDK: what was asked, and the items that came of it."""

from __future__ import annotations

from typing import Any, Final

from longturn.cli.sessions.base import Reader, Source, Thread, Warn, as_dict, as_text, dicts


def _is_state(source: Source) -> bool:
    return "original_input" in as_dict(source.document) and isinstance(source.member("generated_items"), list)


def _read(source: Source, warn: Warn) -> list[Thread]:
    asked = source.member("original_input")
    items: list[Any] = [{"role": "user", "content": asked}] if isinstance(asked, str) else dicts(asked)
    made = [item["raw_item"] for item in dicts(source.member("generated_items")) if as_dict(item.get("raw_item"))]
    known = {as_text(item.get("id")) for item in items if as_text(as_dict(item).get("id"))}
    items += [item for item in made if as_text(item.get("id")) not in known]  # an item may be in both
    return [Thread(messages=items, format="openai-responses")]


READER: Final = Reader("an OpenAI Agents run state", _is_state, _read)
