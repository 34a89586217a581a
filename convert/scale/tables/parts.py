"""The parts of a partitioned table: the files that a group of logs makes.

With `--resume`, some stay as they are. The manifest names the logs of each group, so
that a group keeps its number and its logs when others come between them. A group with a
log that has changed is made again whole; logs that are new make groups of their own.
Rows of logs that are not named stay as they are, or the command is refused.
"""

from __future__ import annotations

import functools
import itertools
import os
import re
import tempfile
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct

from convert.cli.logs import FAILED, LogResult, NamedLog
from convert.cli.messages import say
from convert.cli.output_files import write_whole
from convert.errors import ExitStatus, OutputError, UsageError, system_reason
from convert.scale.engines.jobs import ranges_of
from convert.scale.resume import (
    Entry,
    LogRead,
    Manifest,
    Unfinished,
    digest_of,
    key_of,
    known_state,
    log_read,
    path_in,
    result_of,
)
from convert.scale.tables.files import DAY, FORMATS, partition_day, partition_folder
from convert.scale.tables.log_rows import (
    KeptRows,
    LogEnd,
    Making,
    rows_of,
    temporary_folder,
)
from convert.scale.tables.schema import Column
from convert.source.places import (
    State,
    check_place,
    paths_below,
    size_of,
    state_now,
    state_of,
)
from convert.wording.paths import base_name, is_url, joined, shown

# How many bytes of rows wait in memory, of all partitions together.
_MOST = 8_000_000


class Target(Struct, frozen=True):
    """The folder of a partitioned table, the same for each group."""

    folder: str
    column: str
    """The column whose values are folders."""

    format: str
    columns: list[Column]
    """The columns in the files, without that of the folders."""

    def part(self, number: int, value: str | None) -> str:
        """Return the path of the part that a group writes for a value."""
        return joined(
            self.folder,
            partition_folder(self.column, value),
            f"{_piece(number)}{FORMATS[self.format].suffixes[0]}",
        )


class Group(Struct, frozen=True):
    """Logs that are read in one piece of work."""

    number: int
    logs: tuple[NamedLog, ...]

    @property
    def paths(self) -> tuple[str, ...]:
        """The paths of the logs."""
        return tuple(log.path for log in self.logs)


def groups(logs: list[NamedLog], first: int = 0) -> list[Group]:
    """Return logs in groups, which are numbered from the first one."""
    indexes = groups_of([log.path for log in logs])
    return [
        Group(number, tuple(logs[index] for index in each))
        for number, each in enumerate(indexes, first)
    ]


def groups_of(paths: Sequence[str]) -> Iterator[range]:
    """Yield the indexes of the logs of each group, in the order of the logs.

    They depend only on the logs and their sizes, never on how many processes or
    machines work on them, so that the same logs make the same files everywhere.
    A log of more than 64 MB is a group of its own.
    """
    return ranges_of(map(size_of, paths))


class GroupMade(Struct):
    """The result of a group."""

    parts: dict[str, State | None]
    """The states of the files that it wrote, if they are noted, by their paths."""

    ends: list[LogEnd]
    """How the reading of each of its logs ended."""


def write_group(
    making: Making, target: Target, is_noted: bool, group: Group
) -> GroupMade:
    """Write the parts of a group; an error in a log or a part does not stop others."""
    ends = [LogEnd() for _ in group.logs]
    written: dict[str, State | None] = {}
    try:
        with _folder_for_rows(target.folder) as held:
            waiting = _Waiting(making.wanted.table, held, target.column)
            for log, end in zip(group.logs, ends, strict=True):
                waiting.add_log(rows_of(making, log, end), end)
            for value, kept in waiting.in_order():
                path = target.part(group.number, value)
                pieces = FORMATS[target.format].pieces
                write_whole(path, pieces(kept.rows(), target.columns))
                written[path] = state_now(path) if is_noted else None
    except (OSError, OutputError) as error:
        say(
            error.message
            if isinstance(error, OutputError)
            else f"cannot write {target.folder}: {system_reason(error)}; choose another"
            " with -o"
        )
        ends = [LogEnd(FAILED, end.notes, end.began) for end in ends]
    return GroupMade(written, ends)


def died(group: Group) -> GroupMade:
    """Return the result of a group whose worker has died."""
    return GroupMade({}, [LogEnd() for _ in group.logs])


def refuse_parts(folder: str, paths: Iterable[str]) -> None:
    """Raise UsageError if an earlier command has left these parts in a folder."""
    # The last by name: a file system has an order of its own.
    if path := max(paths, default=""):
        raise UsageError(
            f"{folder} holds parts of an earlier command, as {path}; remove them, or"
            " choose another folder with -o"
        )


def parts_in(folder: str) -> Iterator[str]:
    """Yield the paths of all parts in a folder or below a URL.

    Raises OutputError for a URL that cannot be written to.
    """
    if is_url(folder):
        check_place(folder)
        below, failure = paths_below(folder)
        if failure:
            raise OutputError(f"cannot write {folder}: {failure}")
        paths = [joined(folder, path) for path in below]
    else:
        walk = os.walk(folder)
        paths = [
            os.path.join(above, name) for above, _, names in walk for name in names
        ]
    return (path for path in paths if base_name(path).startswith("part-"))


def number_of_part(path: str) -> int | None:
    """Return the number of the group of a part; None for another file."""
    found = re.fullmatch(r"part-(\d{5,15})(\.\w+)?", base_name(path))
    return int(found[1]) if found else None


def _folder_for_rows(folder: str) -> tempfile.TemporaryDirectory[str]:
    """Return a folder for rows that wait, inside of the folder of the parts.

    Rows of parts at a URL wait in the temporary folder.
    """
    if is_url(folder):
        return temporary_folder()
    os.makedirs(folder, exist_ok=True)
    return tempfile.TemporaryDirectory(prefix=".runconv-", dir=folder)


class _Waiting:
    """The rows of a group that wait, by the values of their partitions."""

    def __init__(self, table: str, folder: str, column: str) -> None:
        self._column = column
        self._new = functools.partial(KeptRows, table, folder)
        self._kept: defaultdict[str | None, KeptRows] = defaultdict(self._new)

    def add_log(self, rows: Iterator[Any], end: LogEnd) -> None:
        """Keep the rows of a log; the day of a run is known when it has ended."""
        if self._column != DAY:
            _keep(rows, self._column, self._kept)
            return
        runs: defaultdict[Any, KeptRows] = defaultdict(self._new)
        _keep(rows, "run", runs)
        for run, kept in runs.items():
            self._kept[partition_day(end.began.get(run))].take(kept)
            _limit(self._kept)

    def in_order(self) -> list[tuple[str | None, KeptRows]]:
        """Return the values and their rows, null last."""
        return sorted(
            self._kept.items(), key=lambda found: (found[0] is None, found[0] or "")
        )


def _keep(rows: Iterator[Any], column: str, into: defaultdict[Any, KeptRows]) -> None:
    for row in rows:
        into[getattr(row, column)].add(row)
        _limit(into)


def _limit(kept: Mapping[Any, KeptRows]) -> None:
    """Write rows that wait to files, if there are too many of them."""
    if sum(len(each.waiting) for each in kept.values()) > _MOST:
        for each in kept.values():
            each.flush()


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

        parts: dict[int | None, list[str]] = {}
        for path in parts_in(folder):
            parts.setdefault(number_of_part(path), []).append(path)
        entries: dict[int, Entry] = {}
        for entry in self._manifest.entries().values():
            number = number_of_part(entry.piece)
            if number is None:
                # It belongs to a conversion into the same folder.
                self._kept.append(entry)
            elif parts:
                # If all parts were removed, nothing is to be kept.
                entries[number] = entry
        self._refuse(parts, entries)
        for number, entry in entries.items():
            self._take(number, entry, parts.get(number, []))
        known = {log.log for entry in entries.values() for log in entry.logs}
        new = [log for key, log in self._logs.items() if key not in known]
        self.groups += groups(new, first=max(entries, default=-1) + 1)
        kept = {entry.piece for entry in self._kept}
        self._stale = [
            path
            for number, paths in parts.items()
            if _piece(number) not in kept
            for path in paths
        ]

    @property
    def unfinished(self) -> Unfinished[Group, GroupMade]:
        """The manifest of the folder, in which all groups are planned."""
        return Unfinished(
            self._manifest,
            [*self._kept, *map(self._entry, self.groups)],
            self._entry,
            self._stale,
        )

    def _refuse(
        self, parts: dict[int | None, list[str]], entries: dict[int, Entry]
    ) -> None:
        """Raise UsageError for parts of another command or another table."""
        others = [paths for number, paths in parts.items() if number not in entries]
        refuse_parts(self._folder, itertools.chain(*others))
        if any(entry.digest != self._digest for entry in entries.values()):
            raise UsageError(
                f"{self._folder} holds parts that were made with other options or by"
                " another version of runconv; remove them, or choose another folder"
                " with -o"
            )

    def _take(self, number: int, entry: Entry, parts: list[str]) -> None:
        """Keep a group that is finished or has no named log; plan others again."""
        named = [log for log in entry.logs if log.log in self._logs]
        is_unchanged = all(map(self._is_unchanged, named))
        made = {path_in(part, self._folder): state_of(part) for part in parts}
        if entry.is_done and (not named or (is_unchanged and entry.made == made)):
            self._kept.append(entry)
            self.ends |= {
                self._logs[log.log].path: LogEnd(result_of(log), log.notes)
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

    def _is_unchanged(self, log: LogRead) -> bool:
        now = self._logs[log.log]
        has_failed = (
            log.status >= ExitStatus.TROUBLE if log.is_log else not now.is_found
        )
        is_same = log.name == now.path and log.state == self._states[log.log]
        return is_same and not has_failed

    def _entry(self, group: Group, made: GroupMade | None = None) -> Entry:
        """Return the entry of a group, which is only planned if it is not made."""
        planned = LogEnd(LogResult(ExitStatus.CONVERTED))
        ends = made.ends if made else [planned] * len(group.logs)
        # A log is read again if nothing shows that it is unchanged.
        unknown = State(0, "")
        read = [
            log_read(
                log, self._states[key_of(log.path)] or unknown, end.result, end.notes
            )
            for log, end in zip(group.logs, ends, strict=True)
        ]
        files = {
            path_in(path, self._folder): state
            for path, state in (made.parts if made else {}).items()
            if state is not None
        }
        piece, is_done = _piece(group.number), made is not None
        return Entry(piece, self._digest, read, files, is_done=is_done)


def digest_of_table(making: Making, target: Target) -> str:
    """Return a digest that commands share only if they make the same parts."""
    wanted, reading, command = making.wanted, making.how.reading, making.how.command
    return digest_of(
        *(wanted.table, wanted.options, target.column, target.format),
        *(command.source, command.run, reading, command.strict),
    )


def _check(logs: list[NamedLog]) -> None:
    """Raise UsageError for logs whose names a manifest must not hold."""
    for log in logs:
        if shown(log.path) != log.path:
            raise UsageError(
                f"{shown(log.path)} is named with credentials, which --resume does not"
                " write down; leave out --resume, or set them in the environment"
            )


def _piece(number: int | None) -> str:
    return f"part-{number:05d}"
