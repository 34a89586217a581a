"""The files that a run changed in the end or may have changed.

The net change of a file is its content before the first change and after the last one,
so it does not matter in how many steps it was made. Text that commands write into files
is not recorded, and is no part of it.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from typing import Any, Literal

from msgspec import Struct
from msgspec.structs import replace

from convert.facts.edits import (
    ABSENT,
    EDITING,
    UNRECORDED,
    Content,
    ContentsInFile,
    FileEdit,
    PlaceInFile,
    are_changes,
    edits_of,
    kept_content,
    local_steps_of,
    text_of,
)
from convert.model.events import ToolCall
from convert.tools.shell import only_looks
from convert.tools.table import tool_of
from convert.wording.diffs import changed_lines, count_changes
from convert.wording.escapes import one_line
from convert.wording.numbers import numbered
from convert.wording.paths import is_absolute, place_of, readable_path, relative


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


# The content is known to be the same, or to differ, or not recorded well enough.
NetStatus = Literal["same", "new", "deleted", "changed", "unknown"]
_Counts = tuple[int, int] | None
CallPlace = tuple[int, ...]


class NetChange(Struct):
    """The change of one file by a run."""

    path: str
    """The path as the log has it first, relative to the directory if inside."""

    name: str | None
    """The path inside the directory of the run, with slashes; None if it is outside."""

    _before: Content | PlaceInFile
    _after: Content | PlaceInFile
    line: int
    """The line of the log where the last change ended."""

    may_be_inside: bool = False
    """True for a file without a `name` because the log records no directory."""

    _diffs: list[tuple[int, CallPlace, str]] = []
    """The recorded diffs, in order, of changes whose contents are not recorded.

    Each with the line and the place of the call that made it.
    """

    _first_line: int = 0
    """The line of the log where the first change ended."""

    _counted_to: Content | PlaceInFile = UNRECORDED
    """The last known content; the lines changed since then are counted one by one."""

    _counts: _Counts = (0, 0)
    """The lines added and removed since; None if that is not recorded."""

    @property
    def before(self) -> Content:
        """The content before the first change."""
        return kept_content(self._before)

    @property
    def after(self) -> Content:
        """The content after the last change."""
        return kept_content(self._after)

    @property
    def status(self) -> NetStatus:
        """The difference between the contents."""
        if self._before is ABSENT and self._after is not ABSENT:
            return "new"
        if self._after is ABSENT and self._before is not ABSENT:
            return "deleted"
        if UNRECORDED in (self._before, self._after):
            return "unknown"
        return "same" if self.before == self.after else "changed"

    @property
    def diffs(self) -> list[str]:
        """The recorded diffs, in order, of changes whose contents are not recorded."""
        return [diff for _, _, diff in self._diffs]

    @property
    def counts(self) -> _Counts:
        """The number of lines added and removed; None if that is not recorded."""
        before, known = text_of(self.before), text_of(kept_content(self._counted_to))
        if before is None or known is None:
            return self._counts
        return _sum(self._counts, count_changes(before, known))

    def add(self, edit: FileEdit, line: int, call: CallPlace) -> None:
        """Add the next change of the file, which the call at this place made.

        Those of a subagent come when it ends: another one may have made later ones.
        """
        is_next = line >= self.line
        if edit.before is ABSENT and is_next:
            # A tool that writes a whole file also replaces one.
            edit = replace(edit, before=self.after)
        if line < self._first_line:
            self._first_line, self._before = line, edit.before
        if is_next:
            self.line, self._after = line, edit.after
            self._first_line = self._first_line or line
        if UNRECORDED not in (self._before, self._after):
            self._counted_to, self._counts = self._after, (0, 0)
            self._diffs = []
            return
        self._counts = _sum(self._counts, edit.counts)
        if edit.diff:
            diffs = [*self._diffs, (line, call, edit.diff)]
            self._diffs = sorted(diffs, key=lambda each: each[0])

    def remove(self, call: CallPlace) -> None:
        """Remove the diffs of a call; later changes have replaced its contents."""
        for _, place, diff in self._diffs:
            if place == call:
                added, removed = changed_lines(diff)
                self._counts = _sum(self._counts, (-added, -removed))
        self._diffs = [each for each in self._diffs if each[1] != call]

    def contents_in_memory(self) -> Iterator[str]:
        """Yield the contents that take memory; one may come twice."""
        for content in (self._before, self._after, self._counted_to):
            if isinstance(content, str):
                yield content

    def move(self, places: Mapping[Any, PlaceInFile]) -> None:
        """Let go of contents that are in a file."""
        self._before = places.get(self._before, self._before)
        self._after = places.get(self._after, self._after)
        self._counted_to = places.get(self._counted_to, self._counted_to)


def _sum(one: _Counts, other: _Counts) -> _Counts:
    if one is None or other is None:
        return None
    return one[0] + other[0], one[1] + other[1]


# How many bytes of contents stay in memory.
_MOST_BYTES = 4_000_000


class NetChanges:
    """Folds the calls of one run into the net change of each file.

    Keeps three contents for a file at most: the first one, the last one, and the one
    before, in case a later frame says that the last call has failed. A temporary file
    takes those that are too many for memory.
    """

    def __init__(self, directory: str = "") -> None:
        self.directory = directory
        self._changes: dict[str, NetChange] = {}
        # Files that the run has read, so that they were there before: as recorded, and
        # the keys of their places, which are computed when somebody asks.
        self._read: set[str] = set()
        self._seen: set[str] = set()
        # For each file the place of the call that changed it last, and the change
        # before that: a later frame may say that the call has failed.
        self._last: dict[str, tuple[CallPlace, NetChange | None]] = {}
        self._failed: set[CallPlace] = set()
        # As many bytes of contents are in memory at most; the others are in the file.
        self._bytes = 0
        self._file = ContentsInFile()
        self.has_changed = False
        """The last call that was added changed a file, other than by a subagent."""

    def __iter__(self) -> Iterator[NetChange]:
        """Iterate over the files in the order of their first change."""
        return iter(self._changes.values())

    def last_call(self, path: str) -> CallPlace:
        """Return the place of the call that changed a file last.

        It is empty for a file that the log records as unchanged.
        """
        key = place_of(path, self.directory).key
        change = self._changes.get(key)
        if change is None or change.status == "same":
            return ()
        return self._last.get(key, ((), None))[0]

    def add(self, call: ToolCall) -> bool:
        """Add a call that has ended, or a later frame that says how it ended.

        Returns True if the call names a file that it changed.
        """
        self.has_changed = False
        if call.steps:
            return self._add_steps(call, call.place)
        if call.kind == "read" or call.kind in EDITING:
            return self._add(call, call.place)
        return False

    def _add_steps(self, call: ToolCall, place: CallPlace) -> bool:
        """Add the changes of a subagent."""
        names_files = False
        for step in local_steps_of(call):
            inner = (*place, step.number)
            add = self._add_steps if step.steps else self._add
            names_files |= add(step, inner)
        return names_files

    def _add(self, call: ToolCall, place: CallPlace) -> bool:
        if call.kind == "read":
            self._see(call)
        if call.kind not in EDITING:
            return False
        is_ok = call.outcome is not None and call.outcome.status == "ok"
        if call.is_repeated and is_ok and place not in self._failed:
            return False
        if is_ok:
            self._failed.discard(place)
        else:
            self._failed.add(place)
        if call.is_repeated:
            self._remove(place)
        edits = edits_of(call)
        for edit in edits:
            self._add_edit(edit, call.line, place)
        self.has_changed = are_changes(edits)
        return bool(edits)

    def _remove(self, place: CallPlace) -> None:
        """Take back the changes of a call that has failed after all."""
        for key, (last, before) in [*self._last.items()]:
            if last != place:
                for change in filter(None, (self._changes[key], before)):
                    change.remove(place)
                continue
            del self._last[key]
            if before is None:
                del self._changes[key]
            else:
                self._changes[key] = before

    def _see(self, call: ToolCall) -> None:
        arguments = call.arguments or {}
        path = arguments.get("path") or arguments.get("filePath")
        is_ok = call.outcome is not None and call.outcome.status == "ok"
        if is_ok and isinstance(path, str) and path:
            self._read.add(path)

    def _add_edit(self, edit: FileEdit, line: int, number: CallPlace) -> None:
        place = place_of(edit.path, self.directory)
        if (change := self._changes.get(place.key)) is None:
            before = edit.before
            if before is ABSENT:
                read = (place_of(path, self.directory).key for path in self._read)
                self._seen.update(read)
                self._read.clear()
                if place.key in self._seen:
                    before = UNRECORDED
            path = relative(edit.path, self.directory)
            change = NetChange(path, place.name, before, before, line)
            change.may_be_inside = not self.directory and is_absolute(edit.path)
            self._changes[place.key] = change
            self._last[place.key] = number, None
        elif self._last.get(place.key, ((), None))[0] != number:
            self._last[place.key] = number, replace(change)
        change.add(edit, line, number)
        self._bytes += sys.getsizeof(edit.before) + sys.getsizeof(edit.after)
        if self._bytes > _MOST_BYTES:
            self._make_room()

    def _make_room(self) -> None:
        """Move contents to the file, unless later ones have replaced half of them."""
        changes = [*self._changes.values()]
        changes += [before for _, before in self._last.values() if before is not None]
        contents = {text for each in changes for text in each.contents_in_memory()}
        self._bytes = sum(map(sys.getsizeof, contents))
        if self._bytes > _MOST_BYTES // 2:
            places = self._file.places_of(contents)
            for change in changes:
                change.move(places)
            self._bytes = 0


FileStatus = Literal["", "new", "deleted"]


class FileChange(Struct, frozen=True):
    """One file that a run changed in the end, and by how much."""

    path: str
    """The path for people, relative to the directory of the run if inside."""

    added: int | None
    """The number of lines added; None if the log does not record it."""

    removed: int | None
    """The number of lines removed; None if the log does not record it."""

    status: FileStatus = ""
    """`new` if the run made the file, `deleted`, or empty if it was edited."""


def file_changes_in(net_changes: NetChanges) -> list[FileChange]:
    """Return the files that a run changed, without those that it changed back."""
    changes = []
    for change in net_changes:
        if change.status == "same":
            continue
        added, removed = change.counts or (None, None)
        status = change.status if change.status in ("new", "deleted") else ""
        path = one_line(readable_path(change.path, net_changes.directory))
        changes.append(FileChange(path, added, removed, status))
    return changes


def acts(kind: str, arguments: dict[str, Any]) -> bool:
    """Return True if a call may change something; an unknown tool may."""
    effect = tool_of(kind).effect
    if effect != "command":
        return effect != "looks"
    command = arguments.get("command")
    return not (isinstance(command, str) and only_looks(command))


# More or longer commands are not examined: one of them may have changed something.
_MOST_COMMANDS = 100
_LONGEST_COMMAND = 1000
_MOST_NUMBERS = 3


class PossibleChanges(Struct, frozen=True):
    """The calls that may have changed files that the log does not name."""

    numbers: list[str]
    """The numbers of the first ones; `5.2` is a step of call 5."""

    total: int
    """The number of all of them."""

    are_commands: bool
    """All of them are commands."""

    @property
    def words(self) -> str:
        """Name the calls: `commands 2 and 5`."""
        noun = "command" if self.are_commands else "call"
        return numbered(noun, self.numbers, self.total)


class _Calls(Struct):
    """Calls that are alike: the numbers of the first ones, and how many there are."""

    first: list[str] = []
    total: int = 0

    def add(self, number: str) -> None:
        """Add the number of a call."""
        self.total += 1
        if len(self.first) < _MOST_NUMBERS:
            self.first.append(number)


class UnnamedChanges:
    """Keeps the commands of one run until somebody asks; many runs change named files.

    Examining commands takes a parser, which takes longer to load than a short log.
    """

    def __init__(self) -> None:
        self._by_command: dict[str, _Calls] = {}
        self._unexamined = _Calls()
        self._others = _Calls()

    def add(self, call: ToolCall, names_files: bool, around: str = "") -> None:
        """Add a call that has ended; `names_files` if it names their files.

        `around` are the numbers of the subagents that made it.
        """
        outcome = call.outcome
        if outcome is None or outcome.status == "rejected":
            return
        effect = tool_of(call.kind).effect
        if effect == "command":
            command = (call.arguments or {}).get("command")
            self._calls_of(command).add(f"{around}{call.number}")
        elif call.steps is not None:
            for step in call.calls:
                named = step.kind in EDITING and bool(edits_of(step))
                self.add(step, named, f"{around}{call.number}.")
        elif (
            outcome.status in ("ok", "unfinished") and not names_files
            if call.kind in EDITING
            else effect == "acts on files"
        ):
            self._others.add(f"{around}{call.number}")

    def _calls_of(self, command: object) -> _Calls:
        """Return the calls that ran a command, or all those that are not examined."""
        known = self._by_command
        if not isinstance(command, str) or len(command) > _LONGEST_COMMAND:
            return self._unexamined
        if command not in known:
            if len(known) == _MOST_COMMANDS:
                return self._unexamined
            known[command] = _Calls()
        return known[command]

    def possible_changes(self) -> PossibleChanges | None:
        """Return the calls that may have changed other files; None if none may."""
        commands = [
            calls
            for command, calls in self._by_command.items()
            if acts("shell", {"command": command})
        ]
        found = [self._others, self._unexamined, *commands]
        if not (total := sum(calls.total for calls in found)):
            return None
        numbers = sorted(
            (number for calls in found for number in calls.first),
            key=lambda number: [int(part) for part in number.split(".")],
        )
        return PossibleChanges(numbers[:_MOST_NUMBERS], total, not self._others.total)


def may_write(call: ToolCall) -> bool:
    """Return True for a command that may have changed files, which no log records."""
    is_command = tool_of(call.kind).effect == "command"
    is_run = call.outcome is not None and call.outcome.status != "rejected"
    return is_command and is_run and acts(call.kind, call.arguments or {})
