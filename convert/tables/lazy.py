"""The rows of a table for callers in Python: read when somebody asks for them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Generic, TypeVar

from msgspec import Struct

from convert.tables.schema import Column, columns

if TYPE_CHECKING:
    import pyarrow

R = TypeVar("R", bound=Struct)


class Rows(Generic[R]):
    """The rows of a table; each iteration reads the logs anew."""

    def __init__(
        self, table: str, options: frozenset[str], make: Callable[[], Iterator[R]]
    ) -> None:
        self.table = table
        """The name of the table."""

        self._options = options
        self._make = make

    def __iter__(self) -> Iterator[R]:
        """Read the logs, and yield row after row."""
        return self._make()

    def __repr__(self) -> str:
        return f"<rows of {self.table}>"

    @property
    def columns(self) -> list[Column]:
        """The columns, with their types, units and meanings."""
        return columns(self.table, self._options)

    def to_arrow(self) -> pyarrow.Table:
        """Return all rows as a table of Arrow.

        Raises UsageError where pyarrow is not installed.
        """
        from convert.tables.arrow import library, schema_of, tables_of

        arrow = library()
        schema = schema_of(self.columns)
        made = [schema.empty_table(), *tables_of(self, self.columns, schema)]
        return arrow.concat_tables(made)
