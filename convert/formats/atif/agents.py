"""The names of agents: those of a document, and those for people."""

from __future__ import annotations

# The names that Harbor has for them.
_NAMES = {
    "Cursor": "cursor-cli",
    "Claude Code": "claude-code",
    "Codex": "codex",
    "Qwen Code": "qwen-coder",
    "Gemini CLI": "gemini-cli",
    "GitHub Copilot": "copilot-cli",
}
_SHOWN = {name: shown for shown, name in _NAMES.items()}
# Other writers have this where nothing is recorded.
UNKNOWN = "unknown"


def name_in_document(agent: str) -> str:
    """Return the name of an agent in a document."""
    return _NAMES.get(agent, agent) or UNKNOWN


def name_for_people(name: str) -> str:
    """Return the name of an agent as it is shown; "" if none is recorded."""
    return "" if name == UNKNOWN else _SHOWN.get(name, name)
