"""The formats of files that hold rows: each turns rows into pieces of bytes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from importlib import import_module

from msgspec import Struct

from convert.tables.schema import Column
from convert.wording.sanitise import ShownAs

Pieces = Callable[[Iterable[Struct], list[Column]], Iterator[bytes]]


class FileFormat(Struct, frozen=True):
    """One row of the table of formats."""

    name: str
    """The name that `--format` takes."""

    module: str
    """The module in this folder that holds the function `pieces`."""

    suffixes: tuple[str, ...]
    """The suffixes of files that choose it; new files get the first."""

    shown_as: ShownAs
    """How it is made harmless where a terminal or the log of a runner shows it."""


FORMATS: dict[str, FileFormat] = {
    row.name: row
    for row in (
        FileFormat("ndjson", "ndjson", (".ndjson", ".jsonl"), "json"),
        FileFormat("csv", "comma_separated", (".csv",), "text"),
        FileFormat("parquet", "parquet", (".parquet",), "bytes"),
    )
}
DEFAULT_FORMAT = next(iter(FORMATS))


def pieces_of(name: str) -> Pieces:
    """Return the function of a format, whose module is imported here."""
    found: Pieces = import_module(f"convert.tables.{FORMATS[name].module}").pieces
    return found
