"""Where the rows of a table go: standard output, a file, or the parts of a folder."""

from __future__ import annotations

import contextlib
import functools
import os
import tempfile
from collections.abc import Generator, Iterable, Iterator
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from convert.cli.destination import standard_output
from convert.cli.output_files import named_output
from convert.cli.terminal import escape_for_display
from convert.errors import OutputError, UsageError, temporary_folder_error
from convert.scale.engines import progress_on, run_jobs
from convert.scale.engines.jobs import groups_of
from convert.scale.resume import say_left_out
from convert.scale.tables.files import DAY, FORMATS, pieces_of
from convert.scale.tables.log_rows import DIED, LogEnd, Making, made_of, rows_of
from convert.scale.tables.parts import Group, Target, died, write_group
from convert.scale.tables.resume import Plan, digest_of_table
from convert.wording.urls import is_url

if TYPE_CHECKING:
    from convert.cli.destination import Destination
    from convert.cli.logs import Named
    from convert.scale.tables.request import Request


def write_rows(named: Named, asked: Request, making: Making) -> list[LogEnd]:
    """Write the rows of all logs to one place; return how their readings ended."""
    ends: list[LogEnd] = []
    with (
        output_of(asked) as output,
        _folder_for_rows(named, asked) as spill,
        contextlib.closing(
            _rows(named, asked, replace(making, spill=spill), ends, output)
        ) as made,
    ):
        rows = _Counted(made)
        write_to(output, rows, asked)
        # A file without a row would look as if the logs had none.
        is_read = any(end.result.status == 0 for end in ends)
        output.is_wanted = is_read or bool(rows.count)
    return ends


def write_parts(named: Named, asked: Request, making: Making) -> list[LogEnd]:
    """Write the rows of all logs into the folder of a partitioned table."""
    command, target = asked.command, _target(asked)
    ends: dict[str, LogEnd] = {}
    noting = None
    if command.resume:
        plan = Plan(named.logs, asked.folder, digest_of_table(making, target))
        groups, ends = plan.groups, plan.ends
        say_left_out(sum(end.result.is_log for end in ends.values()), command.quiet)
        noting = plan.unfinished.noting()
    else:
        groups = [
            Group(number, tuple(named.logs[index] for index in indexes))
            for number, indexes in enumerate(groups_of(named.paths))
        ]
    work = functools.partial(write_group, making, target, command.resume)
    made = run_jobs(work, groups, died, command, asked.reading, asked.folder, noting)
    for group, each in zip(groups, made, strict=True):
        ends.update(zip(group.paths, each.ends, strict=True))
    return [ends[path] for path in named.paths]


def write_to(output: Destination, rows: Iterable[Any], asked: Request) -> None:
    """Write rows in the format that is asked for."""
    for piece in pieces_of(asked.format)(rows, asked.columns):
        output.write(piece)


@contextlib.contextmanager
def output_of(asked: Request) -> Iterator[Destination]:
    """Yield the place of the rows; raises UsageError for bytes on a terminal."""
    row = FORMATS[asked.format]
    path = asked.command.output
    show_on = functools.partial(escape_for_display, row.shown_as)
    if path is None or path == "-":
        if os.isatty(1) and row.shown_as == "bytes":
            raise UsageError(
                f"{row.name} is not for a terminal; name a file, as in -o"
                f" {asked.table}{row.suffixes[0]}"
            )
        with standard_output(show_on(1)) as output:
            yield output
        return
    with named_output(path, follows_link=True, show_on=show_on) as output:
        yield output


class _Counted:
    """Rows that are counted as they pass."""

    def __init__(self, rows: Iterable[Any]) -> None:
        self._rows = rows
        self.count = 0

    def __iter__(self) -> Iterator[Any]:
        for row in self._rows:
            self.count += 1
            yield row


def _rows(
    named: Named,
    asked: Request,
    making: Making,
    ends: list[LogEnd],
    output: Destination,
) -> Generator[Any, None, None]:
    """Yield the rows of all logs in the order of the logs."""
    command, logs = asked.command, named.logs
    if len(logs) == 1 and command.engine == "local":
        # Nothing is ahead of its rows, so that none of them has to wait.
        ends.append(LogEnd())
        with progress_on(logs, command, asked.reading):
            yield from rows_of(making, logs[0], ends[0], output.flush)
        return
    work = functools.partial(made_of, making)
    for made in run_jobs(work, logs, lambda _: DIED, command, asked.reading):
        ends.append(made.end)
        if made.rows is not None:
            yield from made.rows.rows()
            made.rows.remove()


@contextlib.contextmanager
def _folder_for_rows(named: Named, asked: Request) -> Iterator[str]:
    """Yield a folder for rows that wait, beside the output; "" if none will.

    Other machines need not see it: what they make waits in memory.
    """
    if len(named.logs) < 2 or asked.command.engine != "local":
        yield ""
        return
    path = asked.command.output
    beside = None
    if path and path != "-" and not is_url(path):
        beside = os.path.dirname(os.path.realpath(path))
    if beside is not None and not os.access(beside, os.W_OK):
        # A device or a pipe lies there, and files go elsewhere.
        beside = None
    try:
        made = tempfile.TemporaryDirectory(prefix=".runconv-", dir=beside)
    except OSError as error:
        raise OutputError(temporary_folder_error(error)) from error
    with made as folder:
        yield folder


def _target(asked: Request) -> Target:
    column = asked.command.partition or DAY
    return Target(
        asked.folder,
        column,
        asked.format,
        [each for each in asked.columns if each.column != column],
        FORMATS[asked.format].suffixes[0],
    )
