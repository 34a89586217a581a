"""What a tool returned as text, as the member in which its kind shows it."""

from __future__ import annotations

from typing import Any

from convert.tools.table import tool_of

# The member for a kind that shows none as text.
_CONTENT = "content"


def output_of_text(kind: str, text: str) -> Any:
    """Return the output of a call of which only a text is recorded.

    A tool of the agent's own has no members, and its output is the text.
    """
    if kind == "function":
        return text
    return {tool_of(kind).text_member or _CONTENT: text}
