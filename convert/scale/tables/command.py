"""The command `table`: many logs to the rows of a table, or its schema."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import TYPE_CHECKING

from convert import wings
from convert.cli.destination import identity_of, print_text, refuse_input, refuse_same
from convert.cli.folders import check_engine, check_resume, named_logs, without_own
from convert.cli.output_files import exit_on_signals
from convert.cli.totals import end
from convert.errors import ExitStatus, UsageError
from convert.pipeline import find_reader, is_detected
from convert.scale.commands import TABLES
from convert.scale.log_reading import reading_of, say_notes
from convert.scale.tables.files import FORMATS, columns_to_partition
from convert.scale.tables.log_rows import Making
from convert.scale.tables.output import Request, output_of, write_parts, write_rows
from convert.scale.tables.parts import refuse_parts
from convert.scale.tables.schema import ROWS, SCHEMA, Column, every_column
from convert.wording.urls import is_url, joined

if TYPE_CHECKING:
    from convert.cli.logs import Named

FINDINGS = "findings"


def main(arguments: list[str]) -> int:
    """Run the command with these words; return the exit status."""
    asked = Request(arguments)
    if asked.command.help:
        from convert.cli.help import help_of

        print_text(help_of("table"))
        return ExitStatus.CONVERTED
    if asked.command.schema:
        return print_schema(asked)
    _check_request(asked)
    if write := wings.row("tables", asked.table):
        status: int = write(asked)
        return status
    return _run(asked)


def _check_request(asked: Request) -> None:
    """Raise UsageError for a command line that cannot be meant."""
    command = asked.command
    if not asked.table:
        raise UsageError(
            f"table takes the name of a table, and logs: {', '.join(TABLES)};"
            " see runconv table --help"
        )
    is_nothing_named = not asked.logs and command.files_from is None
    if is_nothing_named and (os.isatty(0) or asked.table == FINDINGS):
        raise UsageError(f"table {asked.table} takes logs; see runconv table --help")
    if command.output == "":
        raise UsageError("--output needs a path")
    if not is_detected(command.source):
        find_reader(command.source, "--from")
    if command.partition is not None:
        _check_partition(asked, command.partition)
    _ = asked.wanted, asked.format


def _check_partition(asked: Request, column: str) -> None:
    """Raise UsageError for a column that no folder can be named for."""
    from convert.wording.suggestions import with_nearest

    if not asked.folder:
        raise UsageError("--partition is for a folder; name one, as in -o table/")
    known = columns_to_partition(asked.table)
    if column not in known:
        advice = with_nearest(column, known, f"choose from {', '.join(known)}")
        raise UsageError(f"invalid value for --partition: '{column}' ({advice})")


def _run(asked: Request) -> int:
    """Make the rows of every log; return the worst exit status."""
    command = asked.command
    named = named_logs(asked.logs, command, asked.folder)
    named = without_own(named, command.output)
    check_engine(command.engine, command.scheduler, named.paths)
    _refuse_inputs(named, asked)
    how = reading_of(command, asked.reading, len(named.logs), "not in the table")
    making = Making(asked.wanted, how)
    write = write_parts if asked.folder else write_rows
    ends = write(named, asked, making)
    pairs = zip(named.paths, ends, strict=True)
    say_notes(how, command, ((path, each.told) for path, each in pairs))
    return end(named, [each.result for each in ends], command.quiet, "in the table")


def _refuse_inputs(named: Named, asked: Request) -> None:
    # Its rows would have the same ids.
    refuse_twice(named.paths)
    output = asked.command.output
    if asked.command.resume:
        check_resume(asked.folder, named.paths)
    elif asked.folder:
        refuse_parts(asked.folder)
    elif output in (None, "-"):
        refuse_input(1, "standard output", named.paths)
    else:
        refuse_input(output or "", output or "", named.paths)
    exit_on_signals()


def print_schema(asked: Request) -> int:
    """Print the columns of the table that is named, or of all; return the status."""
    if asked.logs:
        raise UsageError("--schema takes no logs; name a table or nothing")
    if asked.folder:
        file = joined(asked.folder, "schema.parquet")
        raise UsageError(f"the schema goes into one file; name it, as in -o {file}")
    is_for_people = asked.command.format is None and asked.command.output is None
    tables = [asked.table] if asked.table else [*ROWS]
    columns = [column for table in tables for column in every_column(table)]
    if is_for_people:
        print_text("".join(f"{line}\n" for line in _lines(tables)))
        return ExitStatus.CONVERTED

    with output_of(asked) as output:
        for piece in FORMATS[asked.format].pieces(columns, _columns_of_schema()):
            output.write(piece)
        output.is_wanted = True
    return ExitStatus.CONVERTED


def _lines(tables: list[str]) -> Iterator[str]:
    from tabulate import tabulate

    yield f"schema {SCHEMA}; a null is what a log does not record"
    for table in tables:
        yield ""
        yield f"{table}"
        rows = [
            [each.column, _kind(each), each.unit or "", _meaning(each)]
            for each in every_column(table)
        ]
        yield from (
            f"  {line}".rstrip()
            for line in tabulate(rows, tablefmt="plain").split("\n")
        )


def _kind(column: Column) -> str:
    return column.type if column.is_nullable else f"{column.type} not null"


def _meaning(column: Column) -> str:
    added = f" ({column.option})" if column.option else ""
    return column.meaning + added


def _columns_of_schema() -> list[Column]:
    """Return the columns of the schema itself, as a table."""
    return [
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


def refuse_twice(logs: list[str]) -> None:
    """Raise UsageError for a log that is named twice, maybe once with its folder.

    Links are not followed: there may be very many logs.
    """
    places: dict[str, str] = {}
    for log in logs:
        place = identity_of(log) if is_url(log) else os.path.abspath(log)
        if place in places:
            refuse_same(places[place], log)
        places[place] = log
