"""The rows of many runs, for DuckDB, pandas, Spark and the like.

    from convert import tables

    for call in tables.calls(["monday.ndjson", "tuesday.ndjson"]):
        print(call.tool, call.outcome, call.duration_ms)

    frame = tables.calls(logs).to_arrow().to_pandas()

events -> rows -> ndjson, csv, parquet, Arrow

rows             the struct of each table, with the words and units of its columns
schema           what these structs say: the columns, and a number for their version
cells            texts, numbers and times that every format can hold
table            the tables by their names
run_rows         a row a run; call_rows: a row a call, file_rows: a row a file of a
                 run, finding_rows: a row a difference between two sides
file_formats     the formats of files that hold rows
ndjson           an object a line; comma_separated: csv
parquet          files of pyarrow; arrow: rows as its tables
partitions       the folders of a table by the values of a column
lazy             rows that are read when they are asked for

Making rows prints nothing, and writing rows counts nothing.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from convert.errors import InputError, UsageError, Warn, ignore

if TYPE_CHECKING:
    from convert.options import Reading
    from convert.options.settings import Settings
    from convert.stats.statistics import Broken
    from convert.tables.lazy import Rows
    from convert.tables.rows import CallRow, FileRow, FindingRow, RunRow

__all__ = ["calls", "files", "findings", "runs"]

Paths = Iterable[str | bytes | os.PathLike[str]]


def runs(
    logs: Paths,
    format: str = "auto",
    *,
    run: int | None = None,
    warn: Warn | None = None,
    reading: Reading | None = None,
    broken: list[Broken] | None = None,
) -> Rows[RunRow]:
    """Return a row for each run of many logs, which are named by their paths.

    The logs are read when the rows are asked for, each row when its run ends. `run`
    picks the N-th of each log. A log that cannot be read to its end raises InputError,
    which names it, after its rows up to there; with a list in `broken`, it is added to
    that once, and the others are read. The other arguments are those of `convert.read`.
    Raises UsageError for a log that is named twice, whose rows would have the same ids.
    """
    return _rows("runs", frozenset(), logs, format, run, warn, reading, broken)


def calls(
    logs: Paths,
    format: str = "auto",
    *,
    arguments: bool = False,
    outputs: bool = False,
    run: int | None = None,
    warn: Warn | None = None,
    reading: Reading | None = None,
    broken: list[Broken] | None = None,
) -> Rows[CallRow]:
    """Return a row for each call, when it ends, and for each step of a subagent.

    `arguments` and `outputs` add these as JSON text. See `runs` for the others.
    """
    wanted = {"--arguments": arguments, "--outputs": outputs}
    options = frozenset(name for name, is_wanted in wanted.items() if is_wanted)
    return _rows("calls", options, logs, format, run, warn, reading, broken)


def files(
    logs: Paths,
    format: str = "auto",
    *,
    run: int | None = None,
    warn: Warn | None = None,
    reading: Reading | None = None,
    broken: list[Broken] | None = None,
) -> Rows[FileRow]:
    """Return a row for each file that a run read or changed; see `runs`."""
    return _rows("files", frozenset(), logs, format, run, warn, reading, broken)


def findings(
    a: str | os.PathLike[str],
    b: str | os.PathLike[str],
    format: str = "auto",
    *,
    run: int | None = None,
    settings: Settings | None = None,
    reading: Reading | None = None,
    warn: Warn | None = None,
) -> Rows[FindingRow]:
    """Return a row for each difference of two folders of logs, or of two logs.

    `a` is the baseline. The arguments are those of `convert.compare`.
    """
    from convert.tables.lazy import Rows

    def make() -> Iterator[FindingRow]:
        from convert.storage import forget, local_path
        from convert.tables.finding_rows import rows_of

        forget()
        sides = local_path(os.fspath(a)), local_path(os.fspath(b))
        yield from rows_of(*sides, format, run, settings, reading, warn or ignore)

    return Rows("findings", frozenset(), make)


def _rows(
    table: str,
    options: frozenset[str],
    logs: Paths,
    format: str,
    run: int | None,
    warn: Warn | None,
    reading: Reading | None,
    broken: list[Broken] | None,
) -> Rows[Any]:
    from convert.options import Reading
    from convert.tables.lazy import Rows
    from convert.tables.table import Wanted

    paths = _paths(logs)
    settled = Reading.or_default(reading)
    wanted = Wanted(table, options)
    trouble = _Trouble(broken)

    def make() -> Iterator[Any]:
        for path in paths:
            try:
                yield from _rows_of_log(
                    wanted, path, format, run, warn or ignore, settled
                )
            except InputError as error:
                trouble.add(path, error)

    return Rows(table, options, make)


def _paths(logs: Paths) -> list[str]:
    """Return the paths of logs; raises an error for those that cannot be meant."""
    from convert.storage import local_path, shown

    if isinstance(logs, str | bytes | os.PathLike):
        raise TypeError("logs are several paths, as in [path]")
    paths = [local_path(os.fsdecode(log)) for log in logs]
    for path, times in Counter(paths).items():
        if times > 1:
            raise UsageError(f"{shown(path)} is named twice; name it once")
    return paths


class _Trouble:
    """The logs that cannot be read, each told of once: rows may be read again."""

    def __init__(self, broken: list[Broken] | None) -> None:
        self._broken = broken
        self._known: set[str] = set()

    def add(self, path: str, error: InputError) -> None:
        """Add a log to the list, or raise the error if nobody has given one."""
        from convert.stats.statistics import Broken
        from convert.storage import shown

        if self._broken is None:
            raise error
        if path not in self._known:
            self._known.add(path)
            name = shown(path)
            reason = error.message.removeprefix(f"{name}: ")
            self._broken.append(Broken(name, reason))


def _rows_of_log(
    wanted: Any, path: str, format: str, run: int | None, warn: Warn, reading: Reading
) -> Iterator[Any]:
    from convert.pipeline import events_of, only
    from convert.storage import shown
    from convert.tables.cells import log_name

    try:
        events = events_of(path, format, wanted.needs, reading, warn)
        chosen = events if run is None else only(events, run)
        yield from wanted.rows(chosen, log_name(path), warn)
    except InputError as error:
        name = shown(path)
        is_named = error.message.startswith(f"cannot read '{name}'")
        message = error.message if is_named else f"{name}: {error.message}"
        raise InputError(message, error.line) from error
