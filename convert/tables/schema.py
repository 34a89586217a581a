"""The schema of the tables, read from the structs of their rows."""

from __future__ import annotations

import datetime
import hashlib
import types
from collections.abc import Iterable
from typing import Annotated, Any, Literal, get_args, get_origin, get_type_hints

import msgspec
from msgspec import Struct

from convert.tables.rows import CallRow, FileRow, FindingRow, RunRow

# It goes up with each change of a column, which the changelog then names.
SCHEMA = 2

Kind = Literal["text", "integer", "number", "boolean", "timestamp"]
RowType = type[RunRow] | type[CallRow] | type[FileRow] | type[FindingRow]

ROWS: dict[str, RowType] = {
    "runs": RunRow,
    "calls": CallRow,
    "files": FileRow,
    "findings": FindingRow,
}
"""The struct of each table, by the name of the table."""

_KINDS: dict[type, Kind] = {
    str: "text",
    int: "integer",
    float: "number",
    bool: "boolean",
    datetime.datetime: "timestamp",
}


class Column(Struct, frozen=True, kw_only=True):
    """A column of a table; as a row of the schema, it is written in each format."""

    table: str
    column: str
    type: Kind
    unit: str | None
    """The unit of its values; None for a plain number or no number."""

    is_nullable: bool
    """A cell is null where the log does not record the value."""

    option: str | None
    """The option that adds it; None if it is there always."""

    meaning: str

    @property
    def is_large(self) -> bool:
        """Its texts may be long, and hardly any occurs twice."""
        return self.option is not None


def columns(table: str, options: Iterable[str] = ()) -> list[Column]:
    """Return the columns of a table, with those that options add."""
    wanted = {None, *options}
    return [column for column in every_column(table) if column.option in wanted]


def every_column(table: str) -> list[Column]:
    """Return all columns of a table, those included that options add."""
    hints = get_type_hints(ROWS[table], include_extras=True)
    return [_column(table, name, hints[name]) for name in _names(ROWS[table])]


def digest() -> str:
    """Return a text that differs if any column of any table does."""
    whole = [column for table in ROWS for column in every_column(table)]
    return hashlib.sha256(msgspec.json.encode(whole)).hexdigest()[:16]


def _names(row: RowType) -> tuple[str, ...]:
    return row.__struct_fields__


def _column(table: str, name: str, hint: Any) -> Column:
    if get_origin(hint) is not Annotated:
        raise TypeError(f"the column {name} of {table} does not say what it holds")
    kind, told = get_args(hint)
    kinds = get_args(kind) if isinstance(kind, types.UnionType) else (kind,)
    [plain] = [each for each in kinds if each is not type(None)]
    return Column(
        table=table,
        column=name,
        type=_KINDS[plain],
        unit=told.extra["unit"] or None,
        is_nullable=len(kinds) > 1,
        option=told.extra["option"] or None,
        meaning=told.description,
    )
