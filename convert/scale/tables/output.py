"""Where the rows of a table go: standard output, a file, or the parts of a folder."""

from __future__ import annotations

import contextlib
import functools
import os
import tempfile
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from convert.cli.progress import Progress, progress_of
from convert.cli.terminal import escape_for_display
from convert.errors import OutputError, UsageError, temporary_folder_error
from convert.scale.tables.log_rows import DIED, LogEnd, Making, made_of, rows_of
from convert.wording.urls import is_url

if TYPE_CHECKING:
    from convert.cli.destination import Destination
    from convert.cli.logs import Named
    from convert.scale.engines.jobs import Engine
    from convert.scale.tables.request import Request


def write_rows(named: Named, asked: Request, making: Making) -> list[LogEnd]:
    """Write the rows of all logs to one place; return how their readings ended."""
    from convert.scale.engines import opened

    command = asked.command
    ends: list[LogEnd] = []
    with (
        opened(command.engine, command.scheduler) as engine,
        _progress(named.paths, asked) as progress,
        output_of(asked) as output,
        _folder_for_rows(named, asked) as spill,
    ):
        making = replace(making, spill=spill)
        rows = _Counted(_rows(named, making, ends, output, engine, progress))
        write_to(output, rows, asked)
        # A file without a row would look as if the logs had none.
        is_read = any(end.result.status == 0 for end in ends)
        output.is_wanted = is_read or bool(rows.count)
    return ends


def write_parts(named: Named, asked: Request, making: Making) -> list[LogEnd]:
    """Write the rows of all logs into the folder of a partitioned table."""
    from convert.scale.engines import opened
    from convert.scale.engines.jobs import groups_of
    from convert.scale.tables.parts import Group, died, write_group

    command = asked.command
    if command.resume:
        return _write_rest(named, asked, making)
    groups = [
        Group(number, tuple(named.logs[index] for index in indexes))
        for number, indexes in enumerate(groups_of(named.paths))
    ]
    work = functools.partial(write_group, making, _target(asked))
    ends: list[LogEnd] = []
    with (
        opened(command.engine, command.scheduler, asked.folder) as engine,
        _progress(named.paths, asked) as progress,
    ):
        made = engine.results_of(work, groups, None, progress)
        for group, result in zip(groups, made, strict=True):
            ends += (result or died(group)).ends
    return ends


def _write_rest(named: Named, asked: Request, making: Making) -> list[LogEnd]:
    """Write the parts that are not done yet; return how all readings ended."""
    from convert.scale.engines import opened
    from convert.scale.tables.resume import Plan, digest_of_table, write_and_look

    command, target = asked.command, _target(asked)
    plan = Plan(named.logs, asked.folder, digest_of_table(making, target))
    plan.say_left_out(command.quiet)
    if not plan.groups:
        return plan.ends([])
    work = functools.partial(write_and_look, making, target)
    paths = [path for group in plan.groups for path in group.paths]
    with (
        opened(command.engine, command.scheduler, asked.folder) as engine,
        plan.noted(),
        _progress(paths, asked) as progress,
    ):
        return plan.ends(
            engine.results_of(work, plan.groups, None, progress, plan.note)
        )


def write_to(output: Destination, rows: Iterable[Any], asked: Request) -> None:
    """Write rows in the format that is asked for."""
    from convert.scale.tables.files import pieces_of

    for piece in pieces_of(asked.format)(rows, asked.columns):
        output.write(piece)


@contextlib.contextmanager
def output_of(asked: Request) -> Iterator[Destination]:
    """Yield the place of the rows; raises UsageError for bytes on a terminal."""
    from convert.cli.destination import standard_output
    from convert.cli.output_files import named_output
    from convert.scale.tables.files import FORMATS

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
    making: Making,
    ends: list[LogEnd],
    output: Destination,
    engine: Engine,
    progress: Progress | None,
) -> Iterator[Any]:
    """Yield the rows of all logs in the order of the logs."""
    from convert.scale.engines.local import Local

    if len(named.logs) == 1 and isinstance(engine, Local):
        # Nothing is ahead of its rows, so that none of them has to wait.
        ends.append(LogEnd())
        yield from rows_of(making, named.logs[0], ends[0], output.flush)
        return
    work = functools.partial(made_of, making)
    for made in engine.results_of(work, named.logs, DIED, progress):
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


def _progress(
    paths: list[str], asked: Request
) -> contextlib.AbstractContextManager[Progress | None]:
    times = 2 if asked.reading.redact else 1
    return progress_of(paths, times=times, is_wanted=not asked.command.quiet)


def _target(asked: Request) -> Any:
    from convert.scale.tables.files import DAY, FORMATS
    from convert.scale.tables.parts import Target

    column = asked.command.partition or DAY
    return Target(
        asked.folder,
        column,
        asked.format,
        [each for each in asked.columns if each.column != column],
        FORMATS[asked.format].suffixes[0],
    )
