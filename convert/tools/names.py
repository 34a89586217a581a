"""The name of a tool: in full for comparisons, short for people."""

from __future__ import annotations

from convert.model.events import ToolCall
from convert.tools.every_tool import FOREIGN
from convert.wording.sanitise import one_line


def full_name(call: ToolCall) -> str:
    """Return the kind of a call, followed by the name of a foreign tool."""
    if call.kind in FOREIGN and call.name:
        return f"{call.kind}:{call.name}"
    return call.kind


def kind_in(full_name: str) -> str:
    """Return the kind in the full name of a tool."""
    kind, colon, _ = full_name.partition(":")
    return kind if colon and kind in FOREIGN else full_name


def shown_name(full_name: str) -> str:
    """Return a tool's full name on one line, as reports show it."""
    return one_line(full_name.removeprefix("function:")) or "unknown"
