"""The parts of a table that `--resume` leaves as they are, and those that it makes.

The manifest names the logs of each group, so that a group keeps its number and its logs
when others come between them. A group with a log that has changed is made again whole;
logs that are new make groups of their own. Rows of logs that are not named stay as they
are, or the command is refused.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from msgspec import Struct

from convert.cli.log_conversion import LogResult
from convert.cli.messages import Told
from convert.errors import ExitStatus, UsageError
from convert.scale.engines.jobs import groups_of
from convert.scale.resume import (
    Entry,
    LogRead,
    Manifest,
    ToldOf,
    digest_of,
    key_of,
    known_state,
    log_read,
    place_in,
    remove_all,
    result_of,
    say_left_out,
)
from convert.scale.tables.log_rows import LogEnd, Making
from convert.scale.tables.parts import (
    Group,
    GroupMade,
    Target,
    died,
    number_of_part,
    parts_in,
    refuse_part,
    write_group,
)
from convert.source.stores import State, state_now, state_of
from convert.wording.urls import shown

if TYPE_CHECKING:
    from convert.cli.logs import NamedLog

# The state of a log that can never be known to be unchanged.
_UNKNOWN = State(0, "")


class Looked(Struct, frozen=True):
    """The fate of a group, and the states of its parts by their places."""

    made: GroupMade
    files: dict[str, State | None]


def write_and_look(making: Making, target: Target, group: Group) -> Looked:
    """Write the parts of a group, and look at them."""
    made = write_group(making, target, group)
    folder = target.folder
    return Looked(
        made, {place_in(part, folder): state_now(part) for part in made.parts}
    )


class Plan:
    """The groups of logs of a table, and which of them are to be made."""

    def __init__(self, logs: list[NamedLog], folder: str, asked: str) -> None:
        _check(logs)
        self._keys = [key_of(log.path) for log in logs]
        self._logs = dict(zip(self._keys, logs, strict=True))
        self._states = {key: known_state(log.path) for key, log in self._logs.items()}
        self._folder = folder
        self._asked = asked
        self._manifest = Manifest(folder)
        self._ends: dict[str, LogEnd] = {}
        self._kept: list[Entry] = []
        self.groups: list[Group] = []
        """Those that are to be made."""

        parts = _parts_in(folder)
        entries: dict[int, Entry] = {}
        for entry in self._manifest.entries().values():
            number = number_of_part(entry.piece)
            if number is None:
                # It is of a conversion into the same folder.
                self._kept.append(entry)
            elif parts:
                # If all parts were removed, nothing is to be kept.
                entries[number] = entry
        self._refuse(parts, entries)
        for number, entry in entries.items():
            self._take(number, entry, parts.get(number, []))
        self._add_new(entries)
        kept = {entry.piece for entry in self._kept}
        self._stale = [
            path
            for number in parts
            if _piece(number) not in kept
            for path in parts[number]
        ]

    def say_left_out(self, is_quiet: bool) -> None:
        """Say how many logs are left out."""
        ends = self._ends.values()
        say_left_out(sum(end.result.is_log for end in ends), is_quiet)

    @contextlib.contextmanager
    def noted(self) -> Iterator[None]:
        """Let `note` add to the manifest for the block.

        The groups are written down before any part of them is there, so that parts of
        a command that is killed are known.
        """
        planned = (self._entry(group) for group in self.groups)
        self._manifest.begin([*self._kept, *planned])
        try:
            remove_all(self._stale)
            yield
        finally:
            self._manifest.end()

    def note(self, at: int, looked: Looked | None) -> None:
        """Add one of `groups` to the manifest, unless its worker has died."""
        if looked is None:
            return
        entry = self._entry(self.groups[at], looked.made.ends)
        files = looked.files.items()
        entry.made = {place: state for place, state in files if state is not None}
        self._manifest.add(entry)

    def ends(self, made: Iterable[Looked | None]) -> list[LogEnd]:
        """Return how the reading of each log ended, with those of `groups` that come.

        None is a group whose worker has died.
        """
        for group, looked in zip(self.groups, made, strict=True):
            ends = looked.made.ends if looked else died(group).ends
            self._ends.update(zip(map(key_of, group.paths), ends, strict=True))
        return [self._ends[key] for key in self._keys]

    def _refuse(
        self, parts: dict[int | None, list[str]], entries: dict[int, Entry]
    ) -> None:
        """Raise UsageError for parts of another command or another table."""
        for number, paths in parts.items():
            if number not in entries:
                refuse_part(self._folder, paths[0])
        if any(entry.asked != self._asked for entry in entries.values()):
            raise UsageError(
                f"{self._folder} holds parts that were made with other options or by"
                " another version of runconv; remove them, or choose another folder"
                " with -o"
            )

    def _take(self, number: int, entry: Entry, parts: list[str]) -> None:
        """Keep a group that is done or has no log that is named; plan others again."""
        named = [log for log in entry.logs if log.log in self._logs]
        if entry.is_done and not named:
            self._kept.append(entry)
        elif self._is_done(entry, named, parts):
            self._kept.append(entry)
            self._ends.update((log.log, _end_of(log)) for log in named)
        elif entry.is_done and len(named) < len(entry.logs):
            others = [log.name for log in entry.logs if log.log not in self._logs]
            raise UsageError(
                f"{self._folder} holds rows of {others[0]}, which is not named now, in"
                " a part that has to be made again; name it as well, or choose another"
                " folder with -o"
            )
        elif named:
            logs = tuple(self._logs[log.log] for log in named)
            self.groups.append(Group(number, logs))

    def _is_done(self, entry: Entry, named: list[LogRead], parts: list[str]) -> bool:
        """Return True if the parts and all logs of a group are as they should be."""
        return (
            entry.is_done
            and all(map(self._is_unchanged, named))
            and entry.made
            == {place_in(part, self._folder): state_of(part) for part in parts}
        )

    def _is_unchanged(self, log: LogRead) -> bool:
        now = self._logs[log.log]
        has_failed = (
            log.status >= ExitStatus.TROUBLE if log.is_log else not now.is_found
        )
        is_same = log.name == now.path and log.state == self._states[log.log]
        return is_same and not has_failed

    def _add_new(self, entries: dict[int, Entry]) -> None:
        """Plan groups of the logs that are in none yet."""
        known = {log.log for entry in entries.values() for log in entry.logs}
        logs = [log for key, log in self._logs.items() if key not in known]
        first = max(entries, default=-1) + 1
        indexes = groups_of([log.path for log in logs])
        self.groups += [
            Group(number, tuple(logs[index] for index in each))
            for number, each in enumerate(indexes, first)
        ]

    def _entry(self, group: Group, ends: list[LogEnd] | None = None) -> Entry:
        """Return the entry of a group; it is done if the ends of its logs are given."""
        keys = map(key_of, group.paths)
        states = [self._states[key] or _UNKNOWN for key in keys]
        given = ends or [LogEnd(LogResult(ExitStatus.CONVERTED)) for _ in group.logs]
        read = [
            log_read(log, state, end.result, _plain(end.told))
            for log, state, end in zip(group.logs, states, given, strict=True)
        ]
        piece = _piece(group.number)
        return Entry(piece, self._asked, read, is_done=ends is not None)


def digest_of_table(making: Making, target: Target) -> str:
    """Return what is the same only for commands that make the same parts."""
    wanted = making.wanted
    return digest_of(
        *(wanted.table, wanted.options, target.column, target.format),
        *(making.source, making.run, making.reading, making.is_strict),
    )


def _check(logs: list[NamedLog]) -> None:
    """Raise UsageError for logs whose names a manifest must not hold."""
    for log in logs:
        if shown(log.path) != log.path:
            raise UsageError(
                f"{shown(log.path)} is named with credentials, which --resume does not"
                " write down; leave out --resume, or set them in the environment"
            )


def _parts_in(folder: str) -> dict[int | None, list[str]]:
    """Return the paths of the parts in a folder, by the numbers of their groups."""
    parts: dict[int | None, list[str]] = {}
    for path in parts_in(folder):
        parts.setdefault(number_of_part(path), []).append(path)
    return parts


def _piece(number: int | None) -> str:
    return f"part-{number:05d}"


def _end_of(log: LogRead) -> LogEnd:
    """Return how the reading of a log ended, as the manifest has it."""
    told = log.told
    if told is None:
        return LogEnd(result_of(log))
    warnings = {
        (reason, action): (times, first)
        for reason, action, times, first in told.warnings
    }
    told_before = Told(warnings, told.unknown, told.redacted, told.notices)
    return LogEnd(result_of(log), told_before)


def _plain(told: Told | None) -> ToldOf | None:
    """Return what there was to tell about a log, as the manifest holds it."""
    if told is None:
        return None
    warnings = [(*kind, *counted) for kind, counted in told.warnings.items()]
    return ToldOf(warnings, told.unknown, told.redacted, told.notices)
