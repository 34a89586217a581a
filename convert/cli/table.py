"""The command `table`: many logs to the rows of a table."""

from __future__ import annotations

import functools
import os
from typing import TYPE_CHECKING

from convert import wings
from convert.cli.arguments import Parser
from convert.cli.commands import option_sets
from convert.cli.report_options import TableOptions
from convert.cli.scale_commands import TABLES
from convert.cli.settings import reading_with_settings
from convert.errors import ExitStatus, UsageError
from convert.options import Reading

if TYPE_CHECKING:
    from convert.cli.folders import Named
    from convert.cli.table_rows import Making
    from convert.tables.schema import Column
    from convert.tables.table import Wanted

FINDINGS = "findings"
# The options that add columns, by their names, and the table that has these.
_ADDING = {"--arguments": "arguments", "--outputs": "outputs"}
_OF_CALLS = "calls"


class Asked:
    """The request that a command line makes."""

    def __init__(self, arguments: list[str]) -> None:
        self.given = Parser("runconv table", *option_sets("table")).given(arguments)
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
        from convert.tables.table import Wanted

        command = self.command.as_dict()
        added = [option for option, name in _ADDING.items() if command[name]]
        if added and self.table != _OF_CALLS:
            raise UsageError(f"{added[0]} is for runconv table {_OF_CALLS}")
        return Wanted(self.table, frozenset(added))

    @functools.cached_property
    def format(self) -> str:
        """The format of the rows: named, by the suffix of the output, or the first."""
        from convert.cli.paths import is_folder, named_by_suffix
        from convert.tables.file_formats import DEFAULT_FORMAT, FORMATS

        path = self.command.output or ""
        suffixes = {name: row.suffixes for name, row in FORMATS.items()}
        name: str | None = self.command.format
        if name is None and path and path != "-" and not is_folder(path):
            name = named_by_suffix(path, suffixes, "format", "--format")
        if name is None:
            name = "parquet" if self.folder else DEFAULT_FORMAT
        if name == "parquet":
            from convert.tables.arrow import library

            # Its own pools would keep 20 MB of memory that nothing needs any more.
            os.environ.setdefault("ARROW_DEFAULT_MEMORY_POOL", "system")
            library()
        return name

    @property
    def folder(self) -> str:
        """The folder that a partitioned table is written to; "" for none."""
        from convert.cli.paths import is_folder

        path = self.command.output
        return path if path and is_folder(path) else ""

    @property
    def columns(self) -> list[Column]:
        """The columns that are written."""
        from convert.tables.schema import columns

        return columns(self.table, self.wanted.options)


def main(arguments: list[str]) -> int:
    """Run the command with these words; return the exit status."""
    asked = Asked(arguments)
    if asked.command.help:
        from convert.cli.destination import print_text
        from convert.cli.help import help_of

        print_text(help_of("table"))
        return ExitStatus.CONVERTED
    if asked.command.schema:
        from convert.cli.table_schema import print_schema

        return print_schema(asked)
    _check(asked)
    if write := wings.row("tables", asked.table):
        status: int = write(asked)
        return status
    return _run(asked)


def _split(words: list[str]) -> tuple[str, list[str]]:
    """Return the name of the table, "" for none, and the logs behind it."""
    if not words:
        return "", []
    table, *logs = words
    if table in TABLES:
        return table, logs
    from convert.wording.nearest import with_nearest

    advice = with_nearest(table, TABLES, f"choose from {', '.join(TABLES)}")
    raise UsageError(f"no table '{table}' ({advice}); name the table, then the logs")


def _check(asked: Asked) -> None:
    """Raise UsageError for a command line that cannot be meant."""
    from convert.pipeline import find_reader, is_detected

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


def _check_partition(asked: Asked, column: str) -> None:
    """Raise UsageError for a column that no folder can be named for."""
    from convert.tables.partitions import columns_to_partition
    from convert.wording.nearest import with_nearest

    if not asked.folder:
        raise UsageError("--partition is for a folder; name one, as in -o table/")
    known = columns_to_partition(asked.table)
    if column not in known:
        advice = with_nearest(column, known, f"choose from {', '.join(known)}")
        raise UsageError(f"invalid value for --partition: '{column}' ({advice})")


def _run(asked: Asked) -> int:
    """Make the rows of every log; return the worst exit status."""
    from convert.cli.closing import end
    from convert.cli.engines import check
    from convert.cli.folders import named_logs
    from convert.cli.own_reports import without_own
    from convert.cli.table_output import write_parts, write_rows

    command = asked.command
    named = named_logs(asked.logs, command, asked.folder)
    named = without_own(named, command.output)
    check(command.engine, command.scheduler, named.paths)
    _refuse_inputs(named, asked)
    making = _making(asked, len(named.logs))
    write = write_parts if asked.folder else write_rows
    ends = write(named, asked, making)
    if making.is_quiet and not command.quiet:
        from convert.cli.sums import say_sums

        pairs = zip(named.paths, ends, strict=True)
        told = ((path, each.told) for path, each in pairs if each.told is not None)
        say_sums(told, "not in the table")
    return end(named, [each.result for each in ends], command.quiet, "in the table")


def _refuse_inputs(named: Named, asked: Asked) -> None:
    from convert.cli.paths import refuse_input, refuse_twice
    from convert.cli.signals import exit_on_signals

    # Its rows would have the same ids.
    refuse_twice(named.paths)
    output = asked.command.output
    if asked.command.resume:
        from convert.cli.resume import check

        check(asked.folder, named.paths)
    elif asked.folder:
        from convert.cli.table_parts import refuse_parts

        refuse_parts(asked.folder)
    elif output in (None, "-"):
        refuse_input(1, "standard output", named.paths)
    else:
        refuse_input(output or "", output or "", named.paths)
    exit_on_signals()


def _making(asked: Asked, logs: int) -> Making:
    from convert.cli.table_rows import Making

    command = asked.command
    # Thousands of logs may have the same to tell.
    is_quiet = command.quiet or logs > 1
    return Making(
        asked.wanted,
        command.source,
        command.run,
        asked.reading,
        is_quiet,
        command.strict,
    )
