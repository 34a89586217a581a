"""All kinds of tools: the one table that every writer, `diff` and transcripts read.

The kinds are those of the agent's own protocol (48 of them in November 2026), plus
`write`, which older logs hold. A kind without a row is shown by its name, and nothing
else depends on knowing it.
"""

from __future__ import annotations

from convert.tools.kinds import (
    cloud,
    files,
    messages,
    plans,
    search,
    servers,
    shell,
    subagents,
    web,
)
from convert.tools.row import Tool

# Tools that start no others, which nearly all calls are of.
PLAIN = frozenset(
    {"shell", "read", "edit", "write", "delete", "grep", "glob", "ls", "updateTodos"}
)
TOOLS: dict[str, Tool] = {
    **files.ROWS,
    **search.ROWS,
    **shell.ROWS,
    **plans.ROWS,
    **subagents.ROWS,
    **web.ROWS,
    **servers.ROWS,
    **messages.ROWS,
    **cloud.ROWS,
}

# The row of a kind that has none in the table.
UNKNOWN = Tool(
    subject=None,
    effect="acts on files",
    lane="other",
    label="tool",
    noise=None,
    text_member=None,
    transcript="services.as_json",
)


def tool_of(kind: str) -> Tool:
    """Return the row of a kind, known or not."""
    return TOOLS.get(kind, UNKNOWN)
