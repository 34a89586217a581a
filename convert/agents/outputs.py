"""What a tool returned as text, as the members in which its kind shows it."""

from __future__ import annotations

from typing import Any

# The member that holds the text of each kind; `content` for any other.
_MEMBERS = {
    "shell": "interleavedOutput",
    "webFetch": "markdown",
    "edit": "message",
}


def output_of_text(kind: str, text: str) -> Any:
    """Return the output of a call of which only a text is recorded.

    A tool of the agent's own has no members, and its output is the text.
    """
    if kind == "function":
        return text
    return {_MEMBERS.get(kind, "content"): text}
