"""The text that a tool returned, as the member in which its kind shows it."""

from __future__ import annotations

from typing import Any

from convert.agents.tools import NativeCall
from convert.tools.table import tool_of

# The member for a kind that shows none as text.
_CONTENT = "content"
# The tools that are given the whole content of a file.
_WRITERS = {"Write", "create", "create_file", "write", "write_file", "write_to_file"}


def output_of_text(kind: str, text: str) -> Any:
    """Return the output of a call of which only a text is recorded.

    A tool of the agent's own has no members, and its output is the text.
    """
    if kind == "function":
        return text
    return {tool_of(kind).text_member or _CONTENT: text}


def written_whole(call: NativeCall) -> dict[str, Any] | None:
    """Return the content that a tool gave a file; None for one that changes a part."""
    content = (call.arguments or {}).get("streamContent")
    if call.native not in _WRITERS or not isinstance(content, str):
        return None
    return {"afterFullFileContent": content}
