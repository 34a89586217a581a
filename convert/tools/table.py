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
from convert.tools.row import Phrases, Tool

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
    phrases=Phrases(
        en="Used tool {}",
        es="Usó la herramienta {}",
        fr="Outil utilisé : {}",
        de="Werkzeug {} benutzt",
        ko="도구 {} 사용함",
        ja="ツール {} を使用した",
        zh="使用了工具 {}",
        tr="{} aracı kullanıldı",
    ),
    request=Phrases(
        en="Use tool {}",
        es="Usar la herramienta {}",
        fr="Utiliser l'outil {}",
        de="Werkzeug {} benutzen",
        ko="도구 {} 사용",
        ja="ツール {} を使用する",
        zh="使用工具 {}",
        tr="{} aracını kullan",
    ),
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
