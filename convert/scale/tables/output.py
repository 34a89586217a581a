"""The request of `table`, and where its rows go: to one place, or parts of a folder."""

from __future__ import annotations

import contextlib
import functools
import os
import tempfile
from collections.abc import Generator, Iterable, Iterator
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from convert.cli.commands import parse
from convert.cli.destination import is_folder, named_by_suffix, standard_output
from convert.cli.output_files import named_output
from convert.cli.settings import reading_with_settings
from convert.cli.terminal import escape_for_display
from convert.errors import OutputError, UsageError, temporary_folder_error
from convert.options import Reading
from convert.scale.commands import TABLES, TableOptions
from convert.scale.engines import progress_on, run_jobs
from convert.scale.engines.jobs import groups_of
from convert.scale.resume import say_left_out
from convert.scale.tables.cells import Wanted
from convert.scale.tables.files import DAY, DEFAULT_FORMAT, FORMATS
from convert.scale.tables.log_rows import DIED, LogEnd, Making, made_of, rows_of
from convert.scale.tables.parts import Group, Target, died, write_group
from convert.scale.tables.resume import Plan, digest_of_table
from convert.scale.tables.schema import columns
from convert.wording.urls import is_url

if TYPE_CHECKING:
    from convert.cli.destination import Destination
    from convert.cli.logs import Named
    from convert.scale.tables.schema import Column


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
    for piece in FORMATS[asked.format].pieces(rows, asked.columns):
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


# The options that add columns, by their names, and the table that has these.
_ADDING = {"--arguments": "arguments", "--outputs": "outputs"}
_OF_CALLS = "calls"


class Request:
    """The request that a command line makes."""

    def __init__(self, arguments: list[str]) -> None:
        self.given = parse("table", arguments)
        self.table, self.logs = _split(self.given.logs)
        self.command = self.given.of(TableOptions)

    @functools.cached_property
    def reading(self) -> Reading:
        """How the logs are read: as the command line or a settings file says."""
        given = self.given.values(Reading)
        return reading_with_settings(given, "table", self.command.config)

    @functools.cached_property
    def wanted(self) -> Wanted:
        """The table, with the columns that options add."""
        command = self.command.as_dict()
        added = [option for option, name in _ADDING.items() if command[name]]
        if added and self.table != _OF_CALLS:
            raise UsageError(f"{added[0]} is for runconv table {_OF_CALLS}")
        return Wanted(self.table, frozenset(added))

    @functools.cached_property
    def format(self) -> str:
        """The format of the rows: named, by the suffix of the output, or the first."""
        path = self.command.output or ""
        suffixes = {name: row.suffixes for name, row in FORMATS.items()}
        name: str | None = self.command.format
        if name is None and path and path != "-" and not is_folder(path):
            name = named_by_suffix(path, suffixes, "format", "--format")
        if name is None:
            name = "parquet" if self.folder else DEFAULT_FORMAT
        if name == "parquet":
            from convert.scale.tables.files import library

            # Its own pools would keep 20 MB of memory that nothing needs any more.
            os.environ.setdefault("ARROW_DEFAULT_MEMORY_POOL", "system")
            library()
        return name

    @property
    def folder(self) -> str:
        """The folder that a partitioned table is written to; "" for none."""
        path = self.command.output
        return path if path and is_folder(path) else ""

    @property
    def columns(self) -> list[Column]:
        """The columns that are written."""
        return columns(self.table, self.wanted.options)


def _split(words: list[str]) -> tuple[str, list[str]]:
    """Return the name of the table, "" for none, and the logs behind it."""
    if not words:
        return "", []
    table, *logs = words
    if table in TABLES:
        return table, logs
    from convert.wording.suggestions import with_nearest

    advice = with_nearest(table, TABLES, f"choose from {', '.join(TABLES)}")
    raise UsageError(f"no table '{table}' ({advice}); name the table, then the logs")
