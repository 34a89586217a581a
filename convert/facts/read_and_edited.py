"""The files that a run read and edited, and how often: a fold over its calls."""

from __future__ import annotations

from msgspec import Struct

from convert.facts.edits import local_steps_of
from convert.model.events import UNFINISHED, ToolCall
from convert.tools.subjects import subject_of
from convert.tools.table import tool_of
from convert.wording.paths import place_of
from convert.wording.sanitise import one_line

_ABOUT_ONE_FILE = {"read", "edit", "write", "delete"}


class FileCalls(Struct):
    """How many calls read or changed a file."""

    reads: int = 0
    """The calls that read it and ended well."""

    edits: int = 0
    """The calls that changed it and ended well."""

    failed_edits: int = 0
    """The calls that were to change it and did not end well."""

    first: int | None = None
    """The number of the first call about it, in the order of their starts; None if
    steps of subagents alone are."""

    last: int | None = None
    """The number of the last one."""


class ReadAndEdited:
    """Folds the calls of one run into the files that they are about, by their paths.

    A file whose path the calls spell in several ways has the first one.
    """

    def __init__(self, directory: str = "") -> None:
        self._directory = directory
        # The paths by the keys of their places.
        self._paths: dict[str, str] = {}
        self.files: dict[str, FileCalls] = {}

    def add(self, call: ToolCall) -> None:
        """Add a call that has ended, with the steps of a subagent that it started."""
        self._add(call, None if call.around else call.number)
        self._add_steps(call)

    def _add_steps(self, call: ToolCall) -> None:
        for step in local_steps_of(call):
            self._add(step, None)
            self._add_steps(step)

    def _add(self, call: ToolCall, number: int | None) -> None:
        if call.kind not in _ABOUT_ONE_FILE:
            return
        path = path_of(call, self._directory)
        if not path:
            return
        path = self._paths.setdefault(place_of(path, self._directory).key, path)
        file = self.files.get(path)
        if file is None:
            file = self.files[path] = FileCalls()
        if number is not None:
            file.first = min(file.first or number, number)
            file.last = max(file.last or number, number)
        is_ok = (call.outcome or UNFINISHED).status == "ok"
        if tool_of(call.kind).lane == "look":
            file.reads += is_ok
        elif is_ok:
            file.edits += 1
        else:
            file.failed_edits += 1


def path_of(call: ToolCall, directory: str) -> str:
    """Return the one file that a call reads or changes; "" for any other call."""
    if call.kind not in _ABOUT_ONE_FILE:
        return ""
    paths = subject_of(call.kind, call.arguments or {}, directory).paths
    path = paths[0] if paths else call.about
    return one_line(path)
