"""The schema of the tables, printed: for people, or as rows in a format."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from convert.errors import ExitStatus, UsageError
from convert.storage import joined
from convert.tables.schema import ROWS, SCHEMA, Column, every_column

if TYPE_CHECKING:
    from convert.cli.table import Asked

_BETWEEN = "  "


def print_schema(asked: Asked) -> int:
    """Print the columns of the table that is named, or of all; return the status."""
    from convert.cli.table_output import output_of

    if asked.logs:
        raise UsageError("--schema takes no logs; name a table or nothing")
    if asked.folder:
        file = joined(asked.folder, "schema.parquet")
        raise UsageError(f"the schema goes into one file; name it, as in -o {file}")
    is_for_people = asked.command.format is None and asked.command.output is None
    tables = [asked.table] if asked.table else [*ROWS]
    columns = [column for table in tables for column in every_column(table)]
    if is_for_people:
        from convert.cli.destination import print_text

        print_text("".join(f"{line}\n" for line in _lines(tables)))
        return ExitStatus.CONVERTED
    from convert.tables.file_formats import pieces_of

    with output_of(asked) as output:
        for piece in pieces_of(asked.format)(columns, _columns_of_schema()):
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
