"""English."""

from __future__ import annotations

from typing import Final

from longturn.wording.phrases import Phrases

PHRASES: Final = Phrases(
    cleared=(
        "[This tool result was cleared to keep the conversation inside the model's context. "
        "Run the tool again if you need it.]"
    ),
    cleared_recall=(
        "[This tool result was cleared to keep the conversation inside the model's context. "
        "Do not run the tool again: recall the result by its call id if you need it.]"
    ),
    cleared_input="[cleared together with its result]",
    left_out=(
        "[An earlier part of this conversation was left out here to keep it inside the model's context. "
        "The task above still stands.]"
    ),
    instructions=(
        "This conversation may grow beyond what you can take in at once. That is taken care of: when it does, "
        "the oldest tool results are cleared and a note stands in their place, while the newest results stay "
        "whole. So never stop early, and never shorten or skip part of a long task to save room. Carry on until "
        "the task is done. If you need something that was cleared, run the tool again and read it anew."
    ),
    instructions_recall=(
        "Some tools must not be run twice; the note on their cleared results says so, and the recall tool "
        "brings such a result back by its call id."
    ),
    too_long=(
        "This conversation has become too long for the model to read at once. Start a new chat for the next step; "
        "everything built so far stays."
    ),
    too_large=(
        "Something in this conversation is too large to be sent to the model. Use a smaller file or image, "
        "or start a new chat; everything built so far stays."
    ),
    refused="The model's provider declined this request. Put it in other words and send it again.",
    recall_tool=(
        "Bring back the text of an earlier tool result that was cleared from the conversation. "
        "Use it for results whose tool must not be run again."
    ),
    recall_call_id="The id of the tool call whose result was cleared.",
    recall_start="Where in the text to begin, in characters; 0 is its beginning.",
    recall_length="How many characters to return; everything after the start if left out.",
)
