"""The recorded changes of a run in files, and those that it may have made: a fold."""

from __future__ import annotations

from convert.facts.linked_calls import LinkedCalls
from convert.facts.net_changes import NetChanges
from convert.facts.unnamed_changes import UnnamedChanges
from convert.model.events import ToolCall


class ChangedFiles:
    """Folds the calls of one run into its changes of files."""

    def __init__(self, directory: str = "") -> None:
        self.linked = LinkedCalls()
        self.net = NetChanges(directory)
        self.unnamed = UnnamedChanges()

    def add(self, call: ToolCall) -> None:
        """Add a call that has ended, or a later frame that says how it ended."""
        once = self.linked.once(call)
        if once is None:
            return
        names_files = self.net.add(once)
        if not call.is_repeated:
            self.unnamed.add(once, names_files)
