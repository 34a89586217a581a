"""The parts of a partitioned table: the files that a group of logs makes."""

from __future__ import annotations

import contextlib
import os
import re
import tempfile
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NoReturn

from msgspec import Struct

from convert.cli.logs import FAILED, LogResult, NamedLog
from convert.cli.messages import say
from convert.cli.output_files import named_output
from convert.errors import ExitStatus, OutputError, UsageError, temporary_folder_error
from convert.scale.tables.files import DAY, FORMATS, partition_day, partition_folder
from convert.scale.tables.log_rows import KeptRows, LogEnd, Making, rows_of
from convert.source.places import State, state_now
from convert.wording.urls import base_name, is_url, joined

if TYPE_CHECKING:
    from convert.scale.tables.schema import Column

# How many bytes of rows wait in memory, of all partitions together.
_MOST = 8_000_000


class Target(Struct, frozen=True):
    """The folder of a partitioned table, the same for each group."""

    folder: str
    column: str
    """The column whose values are folders."""

    format: str
    columns: list[Column]
    """The columns in the files; that of the folders is none of them."""

    suffix: str

    def part(self, number: int, value: str | None) -> str:
        """Return the path of the part that a group writes for a value."""
        name = f"part-{number:05d}{self.suffix}"
        return joined(self.folder, partition_folder(self.column, value), name)


class Group(Struct, frozen=True):
    """Logs that are one piece of work."""

    number: int
    logs: tuple[NamedLog, ...]

    @property
    def paths(self) -> tuple[str, ...]:
        """The paths of the logs."""
        return tuple(log.path for log in self.logs)


class GroupMade(Struct):
    """The fate of a group."""

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
                _write(kept.rows(), path, target)
                written[path] = state_now(path) if is_noted else None
    except (OSError, OutputError) as error:
        say(_message_of(error, target))
        trouble = LogResult(ExitStatus.TROUBLE)
        ends = [LogEnd(trouble, end.told, end.began) for end in ends]
    return GroupMade(written, ends)


def died(group: Group) -> GroupMade:
    """Return the fate of a group whose worker has died."""
    return GroupMade({}, [LogEnd(FAILED) for _ in group.logs])


def refuse_parts(folder: str) -> None:
    """Raise UsageError for a folder with parts, whose rows would be there twice.

    Raises OutputError for a URL that cannot be written to.
    """
    for path in parts_in(folder):
        refuse_part(folder, path)


def refuse_part(folder: str, path: str) -> NoReturn:
    """Raise UsageError for a part that an earlier command has left in a folder."""
    raise UsageError(
        f"{folder} holds parts of an earlier command, as {path}; remove them, or choose"
        " another folder with -o"
    )


def parts_in(folder: str) -> Iterator[str]:
    """Yield the paths of the parts in a folder, of whatever command.

    Raises OutputError for a URL that cannot be written to.
    """
    paths = _paths_in(folder)
    return (path for path in paths if base_name(path).startswith("part-"))


def number_of_part(path: str) -> int | None:
    """Return the number of the group that a part is of; None for another file."""
    found = re.fullmatch(r"part-(\d{5,15})(\.\w+)?", base_name(path))
    return int(found[1]) if found else None


def _paths_in(folder: str) -> Iterator[str]:
    """Yield the paths of all files in a folder, or of the objects below a URL."""
    if not is_url(folder):
        for above, _, names in os.walk(folder):
            yield from (os.path.join(above, name) for name in names)
        return
    from convert.scale.storage.objects import check_place, paths_below

    check_place(folder)
    paths, failure = paths_below(folder)
    if failure:
        raise OutputError(f"cannot write {folder}: {failure}")
    yield from (joined(folder, path) for path in paths)


def _message_of(error: OSError | OutputError, target: Target) -> str:
    if isinstance(error, OutputError):
        return error.message
    why = (error.strerror or str(error)).lower()
    return f"cannot write {target.folder}: {why}; choose another with -o"


@contextlib.contextmanager
def _folder_for_rows(folder: str) -> Iterator[str]:
    """Yield a folder for rows that wait: in the one of the parts, which is made.

    Those of parts at a URL wait in the temporary folder.
    """
    if is_url(folder):
        try:
            made = tempfile.TemporaryDirectory(prefix="runconv-")
        except OSError as error:
            raise OutputError(temporary_folder_error(error)) from error
    else:
        os.makedirs(folder, exist_ok=True)
        made = tempfile.TemporaryDirectory(prefix=".runconv-", dir=folder)
    with made as held:
        yield held


def _write(rows: Iterator[Any], path: str, target: Target) -> None:
    with named_output(path, follows_link=False, show_on=lambda _: None) as output:
        for piece in FORMATS[target.format].pieces(rows, target.columns):
            output.write(piece)
        output.is_wanted = True


class _Waiting:
    """The rows of a group that wait, by the values of their partitions."""

    def __init__(self, table: str, folder: str, column: str) -> None:
        self._table = table
        self._folder = folder
        self._column = column
        self._is_by_day = column == DAY
        self._kept: dict[str | None, KeptRows] = {}

    def add_log(self, rows: Iterator[Any], end: LogEnd) -> None:
        """Keep the rows of a log; the day of a run is known when it has ended."""
        if not self._is_by_day:
            self._keep(rows, self._column, self._kept)
            return

        runs: dict[Any, KeptRows] = {}
        self._keep(rows, "run", runs)
        for run, kept in runs.items():
            day = partition_day((end.began or {}).get(run))
            self._of(day, self._kept).take(kept)
            self._limit(self._kept)

    def in_order(self) -> Iterator[tuple[str | None, KeptRows]]:
        """Yield the values and their rows, null last."""
        yield from sorted(
            self._kept.items(), key=lambda found: (found[0] is None, found[0] or "")
        )

    def _keep(
        self, rows: Iterator[Any], column: str, into: dict[Any, KeptRows]
    ) -> None:
        for row in rows:
            self._of(getattr(row, column), into).add(row)
            self._limit(into)

    def _of(self, value: Any, into: dict[Any, KeptRows]) -> KeptRows:
        kept = into.get(value)
        if kept is None:
            kept = into[value] = KeptRows(self._table, self._folder)
        return kept

    def _limit(self, into: dict[Any, KeptRows]) -> None:
        """Write rows that wait to files, if there are too many of them."""
        if sum(len(kept.waiting) for kept in into.values()) > _MOST:
            for kept in into.values():
                kept.flush()
