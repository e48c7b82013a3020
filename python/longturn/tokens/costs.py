"""What structure costs, in tokens: the named constants of the estimate, each with its source."""

from __future__ import annotations

from typing import Final

QUARTERS: Final = 4
"""Quarter-tokens in a token: every weight of the script rule is a whole number of them ([S2])."""

MESSAGE_TOKENS: Final = 4
"""
Around each message: role, start and end marks.  OpenAI's own counting recipe adds three per message
and one for the role; Claude 3 to 4.6 and GPT-4o frame a one-message request with seven in all.
"""

CALL_TOKENS: Final = 8
"""Around each tool call: the tags and field names that carry name and arguments."""

RESULT_TOKENS: Final = 4
"""Around each tool result: the tags that tie it to its call."""

OPAQUE_TOKENS: Final = 256
"""
An encrypted blob that is handed back to its maker (reasoning, a web page).  Its length says nothing
about what is billed; this is the order of a short passage of text.
"""
