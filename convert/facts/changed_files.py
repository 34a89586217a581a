"""The recorded changes of a run in files, and those that it may have made: a fold."""

from __future__ import annotations

from convert.facts.net_changes import NetChanges
from convert.facts.unnamed_changes import UnnamedChanges
from convert.model.events import ToolCall


class ChangedFiles:
    """Folds the calls of one run, grouped by parent, into its changes of files."""

    def __init__(self, directory: str = "") -> None:
        self.net = NetChanges(directory)
        self.unnamed = UnnamedChanges()

    def add(self, call: ToolCall) -> None:
        """Add a call that has ended, or a later frame that says how it ended."""
        names_files = self.net.add(call)
        if not call.is_repeated:
            around = call.around
            numbers = "".join(f"{each}." for each in around) if around else ""
            self.unnamed.add(call, names_files, numbers)
