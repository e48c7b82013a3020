"""What there must be in every language."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Phrases:
    """The texts of one language."""

    cleared: str
    """In place of a cleared result ([W1])."""
    cleared_recall: str
    """In place of a cleared result whose tool must not be run twice."""
    cleared_input: str
    """In place of a cleared call's arguments."""
    left_out: str
    """About messages that are left out ([W2])."""
    instructions: str
    """The paragraph for the system prompt ([W3])."""
    instructions_recall: str
    """What it adds where there are tools that must not be run twice."""
    too_long: str
    """For the person, when even the smallest request is refused ([W4])."""
    too_large: str
    """For the person, when a file, an image or the whole request has too many bytes."""
    refused: str
    """For the person, when the provider declines what was asked."""
    recall_tool: str
    """What the recall tool does, for the model."""
    recall_call_id: str
    """What its argument ``call_id`` means."""
    recall_start: str
    """What its argument ``start`` means."""
    recall_length: str
    """What its argument ``length`` means."""
