"""The request of a command line of `table`: its table, columns, format and folder."""

from __future__ import annotations

import functools
import os
from typing import TYPE_CHECKING

from convert.cli.commands import parse
from convert.cli.destination import is_folder, named_by_suffix
from convert.cli.settings import reading_with_settings
from convert.errors import UsageError
from convert.options import Reading
from convert.scale.commands import TABLES, TableOptions
from convert.scale.tables.cells import Wanted
from convert.scale.tables.files import DEFAULT_FORMAT, FORMATS
from convert.scale.tables.schema import columns

if TYPE_CHECKING:
    from convert.scale.tables.schema import Column

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
            from convert.scale.tables.parquet import library

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
