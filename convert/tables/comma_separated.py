"""csv: a head, and a line a row; what is not recorded is an empty cell.

No text of a row is empty, so that an empty cell is a null in every reader. Cells hold
what the other formats hold: no sign in front of a text keeps a spreadsheet from taking
it for a formula, as in the reports of `stats` for people.
"""

from __future__ import annotations

import csv
import datetime
import io
from collections.abc import Iterable, Iterator
from operator import attrgetter
from typing import Any

from msgspec import Struct

from convert.tables.ndjson import written_moment
from convert.tables.schema import Column


def pieces(rows: Iterable[Struct], columns: list[Column]) -> Iterator[bytes]:
    """Yield the head, and the line of each row."""
    names = [each.column for each in columns]
    values = attrgetter(*names)
    yield _line(names)
    for row in rows:
        yield _line(map(_cell, values(row)))


def _line(cells: Iterable[Any]) -> bytes:
    line = io.StringIO()
    csv.writer(line, lineterminator="\n").writerow(cells)
    return line.getvalue().encode()


def _cell(value: Any) -> Any:
    match value:
        case bool():
            return "true" if value else "false"
        case datetime.datetime():
            return written_moment(value)
    return value
