"""What a tool returned as text, as the members in which its kind shows it."""

from __future__ import annotations

from typing import Any

# The member that holds the text of each kind; `content` for any other.
_MEMBERS = {
    "shell": "interleavedOutput",
    "webFetch": "markdown",
    "edit": "message",
}


def output_of_text(kind: str, text: str) -> dict[str, Any]:
    """Return the output of a call of which only a text is recorded."""
    return {_MEMBERS.get(kind, "content"): text}
