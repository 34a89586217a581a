"""The files that a run used, and the calls that it repeated."""

from __future__ import annotations

from collections.abc import Hashable, Iterable

from msgspec import Struct

from convert.facts.edits import local_steps_of
from convert.model.events import UNFINISHED, ToolCall
from convert.tools.subjects import subject_of
from convert.tools.table import full_name, noise_members, tool_of
from convert.wording.escapes import one_line
from convert.wording.paths import place_of

_ABOUT_ONE_FILE = {"read", "edit", "write", "delete"}


class FileCalls(Struct):
    """The number of calls that read or changed a file."""

    reads: int = 0
    """The calls that read it and ended well."""

    edits: int = 0
    """The calls that changed it and ended well."""

    failed_edits: int = 0
    """The calls that were to change it and did not end well."""

    first: int | None = None
    """The number of the first call about it, in the order of their starts.

    None if only steps of subagents are about it.
    """

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
        if not (path := path_of(call, self._directory)):
            return
        path = self._paths.setdefault(place_of(path, self._directory).key, path)
        file = self.files.setdefault(path, FileCalls())
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
    return one_line(paths[0] if paths else call.about)


def count_retries(calls: Iterable[tuple[Hashable, bool]]) -> int:
    """Count the calls whose last try before them failed.

    Each call is a key that equal calls share, and True if it ended well.
    """
    ended_well: dict[Hashable, bool] = {}
    retries = 0
    for call, is_ok in calls:
        retries += not ended_well.get(call, True)
        ended_well[call] = is_ok
    return retries


class SameCalls:
    """Folds the calls of one run into those that it made before in the same way.

    Two calls are the same if they are of one tool and their arguments are equal as
    recorded, apart from noise. Keeps two numbers for each call.
    """

    def __init__(self) -> None:
        self._calls: dict[tuple[int, ...], tuple[int, bool]] = {}

    def add(self, call: ToolCall, place: tuple[int, ...] = ()) -> None:
        """Add a call that has ended; `place` has the numbers of a step."""
        is_ok = (call.outcome or UNFINISHED).status == "ok"
        self._calls[place or call.place] = _key(call), is_ok

    @property
    def repeats(self) -> int:
        """The number of calls that the run had made before in the same way."""
        return len(self._calls) - len({key for key, _ in self._calls.values()})

    @property
    def retries(self) -> int:
        """The number of calls whose last try before them failed."""
        return count_retries(self._calls[number] for number in sorted(self._calls))


def _key(call: ToolCall) -> int:
    """Return a number that is equal for calls that are the same."""
    noise = noise_members(call.kind)
    members = (call.arguments or {}).items()
    kept = [member for member in members if member[0] not in noise]
    if len(kept) > 1:
        kept.sort()
    try:
        return hash((full_name(call), call.about, repr(kept)))
    except RecursionError:
        # Arguments that are nested so deeply equal none.
        return hash((call.number, call.line))
