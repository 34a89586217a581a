"""The rows of many runs, for DuckDB, pandas, Spark and the like.

    from convert import tables

    for call in tables.calls(["monday.ndjson", "tuesday.ndjson"]):
        print(call.tool, call.outcome, call.duration_ms)

    frame = tables.calls(logs).to_arrow().to_pandas()

The work is done in `convert.scale.tables`. Rows are read when somebody asks for them.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from msgspec import Struct

from convert.diff import compare
from convert.errors import InputError, UsageError, Warn, ignore
from convert.findings_table import options_of, rows
from convert.options.conversion import Reading
from convert.options.settings import Settings
from convert.pipeline import events_of, only
from convert.scale.stats.statistics import Broken
from convert.scale.tables.files import library, schema_of, tables_of
from convert.scale.tables.rows import Wanted, log_name
from convert.scale.tables.schema import (
    CallRow,
    Column,
    FileRow,
    FindingRow,
    RunRow,
    columns,
)
from convert.source.places import forget, is_folder
from convert.wording.paths import local_path, shown

if TYPE_CHECKING:
    import pyarrow


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

    def make() -> Iterator[FindingRow]:
        forget()
        sides = local_path(os.fspath(a)), local_path(os.fspath(b))
        yield from _findings(*sides, format, run, settings, reading, warn or ignore)

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
    paths = _paths(logs)
    settled = Reading.or_default(reading)
    wanted = Wanted(table, options)
    # Rows may be read several times, but a log is added only once.
    known: set[str] = set()

    def make() -> Iterator[Any]:
        for path in paths:
            try:
                yield from _rows_of_log(
                    wanted, path, format, run, warn or ignore, settled
                )
            except InputError as error:
                if broken is None:
                    raise
                if path not in known:
                    known.add(path)
                    name = shown(path)
                    reason = error.message.removeprefix(f"{name}: ")
                    broken.append(Broken(name, reason))

    return Rows(table, options, make)


def _paths(logs: Paths) -> list[str]:
    """Return the paths of logs; raises an error for paths that make no sense."""
    if isinstance(logs, str | bytes | os.PathLike):
        raise TypeError("logs are several paths, as in [path]")
    paths = [local_path(os.fsdecode(log)) for log in logs]
    for path, times in Counter(paths).items():
        if times > 1:
            raise UsageError(f"{shown(path)} is named twice; name it once")
    return paths


def _rows_of_log(
    wanted: Any, path: str, format: str, run: int | None, warn: Warn, reading: Reading
) -> Iterator[Any]:
    try:
        events = events_of(path, format, wanted.needs, reading, warn)
        yield from wanted.rows(only(events, run), log_name(path), warn)
    except InputError as error:
        name = shown(path)
        is_named = error.message.startswith(f"cannot read '{name}'")
        message = error.message if is_named else f"{name}: {error.message}"
        raise InputError(message, error.line) from error


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
        arrow = library()
        schema = schema_of(self.columns)
        made = [schema.empty_table(), *tables_of(self, self.columns, schema)]
        return arrow.concat_tables(made)


def _findings(
    a: str,
    b: str,
    format: str,
    run: int | None,
    settings: Settings | None,
    reading: Reading | None,
    warn: Warn,
) -> Iterator[FindingRow]:
    """Compare two folders or two logs, and yield a row for each finding."""
    if is_folder(a) != is_folder(b):
        names = f"{shown(a)!r} and {shown(b)!r}"
        raise UsageError(f"one of {names} is a folder; name two, or two logs")
    if not is_folder(a):
        from convert.suites.case_comparison import suite_of_pair

        compared = compare(
            a, b, format, run=run, settings=settings, reading=reading, warn=warn
        )
        yield from rows(suite_of_pair(compared, (a, b), options_of(a, b), {}))
        return
    from convert.suite import compare_folders

    yield from rows(
        compare_folders(
            a,
            b,
            format,
            run=run,
            settings=settings,
            reading=reading,
            reports=(),
            warn=lambda path, line, reason, action: warn(line, reason, action),
        )
    )
