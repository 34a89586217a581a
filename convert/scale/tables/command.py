"""The command `table`: many logs to the rows of a table, or its schema.

Rows go to standard output, to a file, or to the parts of a folder.
"""

from __future__ import annotations

import contextlib
import functools
import itertools
import os
from collections.abc import Generator, Iterable, Iterator
from typing import Any

from msgspec.structs import replace

from convert import registry
from convert.cli.commands import Given
from convert.cli.destination import (
    Destination,
    escape_for_display,
    identity_of,
    is_folder,
    named_by_suffix,
    print_text,
    refuse_output,
    refuse_same,
    standard_output,
)
from convert.cli.folders import check_engine, check_resume, named_logs, without_own
from convert.cli.logs import Named
from convert.cli.output_files import exit_on_signals, named_output
from convert.cli.progress import end
from convert.cli.settings import reading_with_settings
from convert.errors import ExitStatus, UsageError, with_nearest
from convert.options.conversion import Reading
from convert.pipeline import check_source
from convert.scale.commands import TABLES, TableOptions
from convert.scale.engines.run_jobs import progress_on, reading_of, run_jobs, say_notes
from convert.scale.resume import say_left_out
from convert.scale.tables.files import (
    DAY,
    DEFAULT_FORMAT,
    FORMATS,
    columns_to_partition,
    library,
)
from convert.scale.tables.log_rows import (
    DIED,
    LogEnd,
    Making,
    made_of,
    rows_of,
    temporary_folder,
)
from convert.scale.tables.parts import (
    Plan,
    Target,
    died,
    digest_of_table,
    groups,
    parts_in,
    refuse_parts,
    write_group,
)
from convert.scale.tables.rows import Wanted
from convert.scale.tables.schema import ROWS, SCHEMA, Column, columns, every_column
from convert.wording.paths import is_url, joined

# The table to which options add columns.
_OF_CALLS = "calls"


class Request:
    """The request that a command line makes."""

    def __init__(self, given: Given) -> None:
        self.given = given
        self.table, *self.logs = given.logs or [""]
        if given.logs and self.table not in TABLES:
            choices = f"choose from {', '.join(TABLES)}"
            advice = with_nearest(self.table, TABLES, choices)
            raise UsageError(
                f"no table '{self.table}' ({advice}); name the table, then the logs"
            )
        self.command = self.given.of(TableOptions)

    @functools.cached_property
    def wanted(self) -> Wanted:
        """The table, with the columns that options add."""
        names = ("arguments", "outputs")
        added = [f"--{name}" for name in names if getattr(self.command, name)]
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
            # Pools of Arrow would keep 20 MB of memory that nothing needs any more.
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

    def check(self) -> None:
        """Raise UsageError for a command line that makes no sense."""
        command = self.command
        if not self.table:
            raise UsageError(
                f"table takes the name of a table, and logs: {', '.join(TABLES)};"
                " see runconv table --help"
            )
        is_nothing_named = not self.logs and command.files_from is None
        if is_nothing_named and (os.isatty(0) or self.table == "findings"):
            raise UsageError(f"table {self.table} takes logs; see runconv table --help")
        if command.output == "":
            raise UsageError("--output needs a path")
        check_source(command.source)
        if command.partition is not None:
            self._check_partition(command.partition)
        # They raise UsageError as well.
        _ = self.wanted, self.format

    def _check_partition(self, column: str) -> None:
        """Raise UsageError for a column that no folder can be named for."""
        if not self.folder:
            raise UsageError("--partition is for a folder; name one, as in -o table/")
        known = columns_to_partition(self.table)
        if column not in known:
            advice = with_nearest(column, known, f"choose from {', '.join(known)}")
            raise UsageError(f"invalid value for --partition: '{column}' ({advice})")


def main(given: Given) -> int:
    """Run the command; return the exit status."""
    request = Request(given)
    if request.command.schema:
        return print_schema(request)
    request.check()
    write = registry.row("tables", request.table) or _run
    status: int = write(request)
    return status


def _run(request: Request) -> int:
    """Make the rows of every log; return the worst exit status."""
    command, folder = request.command, request.folder
    named = without_own(named_logs(request.logs, command, folder), command.output)
    check_engine(command.engine, command.scheduler, named.paths)
    # Its rows would have the same ids.
    refuse_twice(named.paths)
    if command.resume:
        check_resume(folder, named.paths)
    elif folder:
        refuse_parts(folder, parts_in(folder))
    else:
        refuse_output(command.output, named.paths)
    exit_on_signals()
    reading = reading_with_settings(
        request.given.values(Reading), "table", command.config
    )
    how = reading_of(command, reading, len(named.logs), "not in the table")
    write = write_parts if folder else write_rows
    ends = write(named, request, Making(request.wanted, how))
    say_notes(how, named.paths, (each.notes for each in ends))
    return end(named, [each.result for each in ends], command.quiet, "in the table")


def print_schema(request: Request) -> int:
    """Print the columns of the table that is named, or of all; return the status."""
    if request.logs:
        raise UsageError("--schema takes no logs; name a table or nothing")
    if request.folder:
        raise UsageError(
            "the schema goes into one file; name it, as in -o"
            f" {joined(request.folder, 'schema.parquet')}"
        )
    tables = [request.table] if request.table else [*ROWS]
    if request.command.format is None and request.command.output is None:
        print_text("".join(f"{line}\n" for line in _lines(tables)))
        return ExitStatus.CONVERTED
    rows = [column for table in tables for column in every_column(table)]
    # The columns of the schema itself, as a table.
    columns = [
        Column(
            table="schema",
            column=name,
            type="boolean" if name == "is_nullable" else "text",
            unit=None,
            is_nullable=name in ("unit", "option"),
            option=None,
            meaning=name,
        )
        for name in Column.__struct_fields__
    ]
    with output_of(request) as output:
        write_to(output, rows, columns, request)
        output.is_wanted = True
    return ExitStatus.CONVERTED


def _lines(tables: list[str]) -> Iterator[str]:
    from tabulate import tabulate

    yield f"schema {SCHEMA}; a null is what a log does not record"
    for table in tables:
        yield ""
        yield f"{table}"
        rows = [
            [
                each.column,
                each.type if each.is_nullable else f"{each.type} not null",
                each.unit or "",
                each.meaning + (f" ({each.option})" if each.option else ""),
            ]
            for each in every_column(table)
        ]
        for line in tabulate(rows, tablefmt="plain").split("\n"):
            yield f"  {line}".rstrip()


def refuse_twice(logs: list[str]) -> None:
    """Raise UsageError for a log that is named twice, perhaps by different paths.

    Links are not followed: there may be very many logs.
    """
    places: dict[str, str] = {}
    for log in logs:
        place = identity_of(log) if is_url(log) else os.path.abspath(log)
        if place in places:
            refuse_same(places[place], log)
        places[place] = log


def write_rows(named: Named, request: Request, making: Making) -> list[LogEnd]:
    """Write the rows of all logs to one place; return how their readings ended."""
    ends: list[LogEnd] = []
    numbers = itertools.count()
    with (
        output_of(request) as output,
        _folder_for_rows(named, request) as spill,
        contextlib.closing(
            _rows(named, request, replace(making, spill=spill), ends, output)
        ) as made,
    ):
        rows = (row for row, _ in zip(made, numbers, strict=False))
        write_to(output, rows, request.columns, request)
        # A file without a row would look as if the logs had none.
        is_read = any(end.result.status == 0 for end in ends)
        output.is_wanted = is_read or next(numbers) > 0
    return ends


def write_parts(named: Named, request: Request, making: Making) -> list[LogEnd]:
    """Write the rows of all logs into the folder of a partitioned table."""
    command, folder = request.command, request.folder
    column = command.partition or DAY
    target = Target(
        folder,
        column,
        request.format,
        [each for each in request.columns if each.column != column],
    )
    ends: dict[str, LogEnd] = {}
    noting = None
    if command.resume:
        plan = Plan(named.logs, folder, digest_of_table(making, target))
        planned, ends = plan.groups, plan.ends
        say_left_out(sum(end.result.is_log for end in ends.values()), command.quiet)
        noting = plan.unfinished.noting()
    else:
        planned = groups(named.logs)
    work = functools.partial(write_group, making, target, command.resume)
    made = run_jobs(work, planned, died, command, making.how.reading, folder, noting)
    for group, each in zip(planned, made, strict=True):
        ends.update(zip(group.paths, each.ends, strict=True))
    return [ends[path] for path in named.paths]


def write_to(
    output: Destination, rows: Iterable[Any], columns: list[Column], request: Request
) -> None:
    """Write rows in the format that the command line names."""
    for piece in FORMATS[request.format].pieces(rows, columns):
        output.write(piece)


def output_of(request: Request) -> contextlib.AbstractContextManager[Destination]:
    """Return the place of the rows; raises UsageError for bytes on a terminal."""
    row = FORMATS[request.format]
    path = request.command.output
    if path is not None and path != "-":
        return named_output(path, follows_link=True, shown_as=row.shown_as)
    if os.isatty(1) and row.shown_as == "bytes":
        raise UsageError(
            f"{row.name} is not for a terminal; name a file, as in -o"
            f" {request.table}{row.suffixes[0]}"
        )
    return standard_output(escape_for_display(row.shown_as, 1))


def _rows(
    named: Named,
    request: Request,
    making: Making,
    ends: list[LogEnd],
    output: Destination,
) -> Generator[Any, None, None]:
    """Yield the rows of all logs in the order of the logs."""
    command, logs, reading = request.command, named.logs, making.how.reading
    if len(logs) == 1 and command.engine == "local":
        # No other log is before it, so its rows need not wait.
        ends.append(LogEnd())
        with progress_on(logs, command, reading):
            yield from rows_of(making, logs[0], ends[0], output.flush)
        return
    work = functools.partial(made_of, making)
    for made in run_jobs(work, logs, lambda _: DIED, command, reading):
        ends.append(made.end)
        if made.rows is not None:
            yield from made.rows.rows()
            made.rows.remove()


def _folder_for_rows(
    named: Named, request: Request
) -> contextlib.AbstractContextManager[str]:
    """Return a folder for rows that wait, next to the output; "" if none wait.

    Other machines need not see it: their rows wait in memory.
    """
    if len(named.logs) < 2 or request.command.engine != "local":
        return contextlib.nullcontext("")
    path = request.command.output
    if not path or path == "-" or is_url(path):
        return temporary_folder()
    folder = os.path.dirname(os.path.realpath(path))
    # No file may be made next to a device or a pipe.
    return temporary_folder(folder if os.access(folder, os.W_OK) else None)
