"""
Rollouts of Codex: lines of which only the response items are history.

The lines of events beside them repeat their texts for the screen.
"""

from __future__ import annotations

from typing import Any, Final

from longturn.cli.sessions.base import (
    Line,
    Message,
    Reader,
    Source,
    Thread,
    Warn,
    as_dict,
    as_list,
    as_text,
    counted_input,
    most_named,
)

_LINE_TYPES: Final = frozenset("session_meta response_item event_msg turn_context compacted".split())
_NOT_SENT: Final = frozenset(("ghost_snapshot", "other"))
_NOT_THE_MODELS: Final = ("user", "developer", "system")


def _is_rollout(source: Source) -> bool:
    return any(
        as_text(as_dict(value).get("type")) in _LINE_TYPES and isinstance(value.get("payload"), dict)
        for value in source.items()
    )


def _read(source: Source, warn: Warn) -> list[Thread]:
    rollout = _Rollout()
    for line in source.everything():
        rollout.take(line, warn)
    return [
        Thread(
            messages=rollout.items, format="openai-responses", system=rollout.system or None,
            title=rollout.title, reported=rollout.reported, model=most_named(rollout.models),
        )
    ]  # fmt: skip


class _Rollout:
    """What was read so far."""

    def __init__(self) -> None:
        self.items: list[Message] = []
        self.system = ""
        self.title = ""
        self.reported: dict[int, int] = {}
        self.models: list[Any] = []
        self._answer: int | None = None  # where the model's last answer begins
        self._is_answering = False

    def take(self, line: Line, warn: Warn) -> None:
        value = as_dict(line.value)
        payload = as_dict(value.get("payload"))
        match value.get("type"):
            case "response_item" if as_text(payload.get("type")) not in _NOT_SENT:
                self._take_item(payload)
            case "session_meta":
                instructions = as_dict(payload.get("base_instructions")).get("text") or payload.get("instructions")
                self.system = self.system or as_text(instructions)
                self.title = self.title or as_text(payload.get("cwd"))
            case "turn_context":
                self.models.append(payload.get("model"))
            case "event_msg" if payload.get("type") == "token_count":
                counted = counted_input(as_dict(payload.get("info")).get("last_token_usage"))
                if counted is not None and self.items:
                    self.reported[self._counted_answer()] = counted
            case "compacted" if self.items:
                warn(f"line {line.number} is left out: it sums up messages that are replayed themselves")
            case "compacted":
                self.items += [item for item in as_list(payload.get("replacement_history")) if isinstance(item, dict)]

    def _counted_answer(self) -> int:
        """Return where the answer begins that a count is of: the last, or the next, for older programs count first."""
        if self._answer is None or (self._answer in self.reported and not self._is_answering):
            return len(self.items)
        return self._answer

    def _take_item(self, item: Message) -> None:
        kind = as_text(item.get("type"))
        is_models = not kind.endswith("_output") and item.get("role") not in _NOT_THE_MODELS
        if is_models and not self._is_answering:
            self._answer = len(self.items)
        self._is_answering = is_models
        self.items.append(item)


READER: Final = Reader("a Codex rollout", _is_rollout, _read)
