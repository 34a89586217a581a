"""Whether a run may have changed files that its log does not name: a fold."""

from __future__ import annotations

from convert.facts.edits import EDITING, edits_of
from convert.model import ToolCall
from convert.tools.table import TOOLS, acts

# Kinds besides commands whose changes of files no log records.
_SILENT = frozenset(
    {
        *("mcp", "writeShellStdin", "computerUse", "generateImage", "recordScreen"),
        *("setupVmEnvironment", "replaceEnv", "setActiveBranch"),
    }
)
# How an edit ends that may have changed its file.
_DONE = ("ok", "unfinished")
# More or longer commands are not examined: one of them may have changed something.
_MOST_COMMANDS = 100
_LONGEST_COMMAND = 1000


class UnnamedChanges:
    """Keeps the commands of one run until somebody asks; many runs change named files.

    To examine commands takes a parser, which takes longer to load than a short log.
    """

    def __init__(self) -> None:
        self._commands: set[str] = set()
        self._are_possible = False

    def add(self, call: ToolCall) -> None:
        """Add a call that has ended."""
        outcome = call.outcome
        if self._are_possible or outcome is None or outcome.status == "rejected":
            return
        if call.kind == "shell":
            self._add_command((call.arguments or {}).get("command"))
        elif call.kind == "task" and call.steps is not None:
            for step in call.steps:
                if isinstance(step, ToolCall):
                    self.add(step)
        elif call.kind in EDITING:
            self._are_possible = outcome.status in _DONE and not edits_of(call)
        else:
            self._are_possible = call.kind in _SILENT or call.kind not in TOOLS

    def _add_command(self, command: object) -> None:
        commands = self._commands
        if isinstance(command, str) and len(command) <= _LONGEST_COMMAND:
            commands.add(command)
            self._are_possible = len(commands) > _MOST_COMMANDS
        else:
            self._are_possible = True
        if self._are_possible:
            commands.clear()

    @property
    def are_possible(self) -> bool:
        """The run may have changed files that its log does not name."""
        commands = ({"command": command} for command in self._commands)
        return self._are_possible or any(acts("shell", each) for each in commands)
