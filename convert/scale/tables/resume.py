"""The parts of a table that `--resume` leaves as they are, and those that it makes.

The manifest names the logs of each group, so that a group keeps its number and its logs
when others come between them. A group with a log that has changed is made again whole;
logs that are new make groups of their own. Rows of logs that are not named stay as they
are, or the command is refused.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from convert.cli.logs import LogResult
from convert.errors import ExitStatus, UsageError
from convert.scale.engines.jobs import groups_of
from convert.scale.resume import (
    Entry,
    LogRead,
    Manifest,
    Unfinished,
    digest_of,
    key_of,
    known_state,
    log_read,
    place_in,
    result_of,
)
from convert.scale.tables.log_rows import LogEnd, Making
from convert.scale.tables.parts import (
    Group,
    GroupMade,
    Target,
    number_of_part,
    parts_in,
    refuse_part,
)
from convert.source.places import State, state_of
from convert.wording.urls import shown

if TYPE_CHECKING:
    from convert.cli.logs import NamedLog

# The state of a log that can never be known to be unchanged.
_UNKNOWN = State(0, "")
# The result of a log that nobody has read yet.
_PLANNED = LogResult(ExitStatus.CONVERTED)


class Plan:
    """The groups of logs of a table, and which of them are to be made."""

    def __init__(self, logs: list[NamedLog], folder: str, digest: str) -> None:
        _check(logs)
        self._logs = {key_of(log.path): log for log in logs}
        self._states = {key: known_state(log.path) for key, log in self._logs.items()}
        self._folder = folder
        self._digest = digest
        self._manifest = Manifest(folder)
        self._kept: list[Entry] = []
        self.groups: list[Group] = []
        """Those that are to be made."""
        self.ends: dict[str, LogEnd] = {}
        """The ends of logs in other groups, by their paths."""

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

    @property
    def unfinished(self) -> Unfinished[Group, GroupMade]:
        """The manifest of the folder, in which all groups are planned."""
        planned = [self._entry(group) for group in self.groups]
        entries = [*self._kept, *planned]
        return Unfinished(self._manifest, entries, self._entry, self._stale)

    def _refuse(
        self, parts: dict[int | None, list[str]], entries: dict[int, Entry]
    ) -> None:
        """Raise UsageError for parts of another command or another table."""
        for number, paths in parts.items():
            if number not in entries:
                refuse_part(self._folder, paths[0])
        if any(entry.digest != self._digest for entry in entries.values()):
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
            self.ends |= {
                self._logs[log.log].path: LogEnd(result_of(log), log.told)
                for log in named
            }
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

    def _entry(self, group: Group, made: GroupMade | None = None) -> Entry:
        """Return the entry of a group; without what it has become, it is planned."""
        ends = made.ends if made else [LogEnd(_PLANNED)] * len(group.logs)
        read = [
            log_read(
                log, self._states[key_of(log.path)] or _UNKNOWN, end.result, end.told
            )
            for log, end in zip(group.logs, ends, strict=True)
        ]
        parts = made.parts if made else {}
        files = {
            place_in(path, self._folder): state
            for path, state in parts.items()
            if state is not None
        }
        piece, is_done = _piece(group.number), made is not None
        return Entry(piece, self._digest, read, files, is_done=is_done)


def digest_of_table(making: Making, target: Target) -> str:
    """Return what is the same only for commands that make the same parts."""
    wanted, how = making.wanted, making.how
    return digest_of(
        *(wanted.table, wanted.options, target.column, target.format),
        *(how.source, how.run, how.reading, how.is_strict),
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
