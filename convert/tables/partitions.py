"""The folders of a partitioned table: one for each value of a column, as in Hive."""

from __future__ import annotations

from urllib.parse import quote

from convert.errors import OutputError
from convert.tables.cells import moment
from convert.tables.schema import every_column

DAY = "date"
"""The day on which the run began, in UTC: a column of partitioned tables alone."""

# No day is called so, and every reader reads it. A text could have this value: there,
# the word of Hive stands, which readers take for null.
_NO_DAY = "unknown"
_NO_TEXT = "__HIVE_DEFAULT_PARTITION__"
# The characters that Hive leaves as they are, besides letters, digits and `_.-~`.
_PLAIN = " !$&()+,;@"
# In bytes, on most file systems; nothing but ASCII is left.
_LONGEST_NAME = 255


def columns_to_partition(table: str) -> list[str]:
    """Return the columns that a table can be partitioned by."""
    texts = [
        each.column
        for each in every_column(table)
        if each.type == "text" and each.option is None
    ]
    return [DAY, *texts]


def folder_of(column: str, value: str | None) -> str:
    """Return the name of the folder of a value.

    Raises OutputError for a value that is too long for one.
    """
    if value is None:
        return f"{column}={_NO_DAY if column == DAY else _NO_TEXT}"
    name = f"{column}={quote(value, safe=_PLAIN)}"
    if len(name) > _LONGEST_NAME:
        raise OutputError(
            f"--partition {column}: a value of {len(value):,} characters is too long"
            " for the name of a folder; choose another column"
        )
    return name


def day_of(started_ms: int | None) -> str | None:
    """Return the day of a time, in UTC; None if it is not recorded."""
    began = moment(started_ms)
    return None if began is None else began.date().isoformat()
