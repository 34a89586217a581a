"""The arguments that a model passed, without those that Cursor adds to its record."""

from __future__ import annotations

from typing import Any

from convert.model.events import ToolCall
from convert.tools.every_tool import FOREIGN, NOISE
from convert.tools.table import tool_of

# Comparisons ignore these too, but the model wrote them.
_PASSED = frozenset(
    {"description", "explanation", "model", "shellId", "taskId", "timeout"}
)


def passed_arguments(call: ToolCall) -> dict[str, Any]:
    """Return the arguments of a call without an id, a parsed command and the like."""
    arguments = call.arguments or {}
    if call.kind in FOREIGN:
        return arguments
    noise = tool_of(call.kind).noise
    added = {*NOISE.arguments, *(noise.arguments if noise else ())} - _PASSED
    return {name: value for name, value in arguments.items() if name not in added}
