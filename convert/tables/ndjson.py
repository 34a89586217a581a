"""ndjson: an object a line, each with all columns; what is not recorded is null."""

from __future__ import annotations

import datetime
from collections.abc import Iterable, Iterator
from operator import attrgetter

import msgspec
from msgspec import Struct

from convert.tables.schema import Column


def pieces(rows: Iterable[Struct], columns: list[Column]) -> Iterator[bytes]:
    """Yield the line of each row."""
    names = [each.column for each in columns]
    moments = [each.column for each in columns if each.type == "timestamp"]
    values = attrgetter(*names)
    encode = msgspec.json.Encoder().encode
    for row in rows:
        members = dict(zip(names, values(row), strict=True))
        for name in moments:
            if (moment := members[name]) is not None:
                members[name] = written_moment(moment)
        yield encode(members) + b"\n"


def written_moment(moment: datetime.datetime) -> str:
    """Return a time in UTC as text: `2026-11-20T10:00:00.123Z`."""
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")
