"""The settings in a TOML file."""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, BinaryIO

from msgspec import Struct

from convert.cli.commands import IMPLIED, option_sets
from convert.cli.options import Common
from convert.errors import UsageError
from convert.options import NOISE, Reading
from convert.options.option_set import Option

if TYPE_CHECKING:
    from convert.options.settings import Settings

# The tables below [tool.runconv]: one for a command, one for it of two folders.
SUITE = "suite"
_TABLES = ("diff", SUITE)
# How much of a file may be settings, in bytes, and the parts of a name in it, which
# tomllib reads in quadratic time.
_LONGEST = 10_000_000
_MOST_PARTS = 1000


class FileSettings(Struct, frozen=True):
    """The settings in a file."""

    values: dict[str, Any]
    """The settings by their names in Python."""

    source: str = ""
    """The path of the file, relative to the current folder; "" if none was found."""


def settings_in_file(
    path: str | None, command: str, folder: str | None = None
) -> FileSettings:
    """Return the settings of a command in a TOML file.

    Without a path, it is the nearest pyproject.toml with a table `[tool.runconv]`, in
    a folder or above it; without a folder, in the current one.
    """
    if path is not None:
        try:
            with open(path, "rb") as file:
                data = _start_of(file, path)
                return FileSettings(_read(path, data, command) or {}, path)
        except (OSError, ValueError) as error:
            why = (getattr(error, "strerror", None) or str(error)).lower()
            raise UsageError(f"cannot read {path}: {why}; check --config") from error
    folder = os.path.abspath(folder or os.curdir)
    while True:
        path = os.path.join(folder, "pyproject.toml")
        shown = os.path.relpath(path).replace(os.sep, "/")
        data = _data_of(path, shown)
        found = _read(shown, data, command) if _may_name_us(data) else None
        if found is not None:
            _check_that_nothing_runs(shown, found)
            return FileSettings(found, shown if found else "")
        if os.path.dirname(folder) == folder:
            return FileSettings({})
        folder = os.path.dirname(folder)


def reading_with_settings(
    given: dict[str, Any], command: str, path: str | None
) -> Reading:
    """Return how a command reads logs: as it is told, or as a file says.

    The file is the one that is named, or the nearest.
    """
    return Reading(**with_settings(given, settings_in_file(path, command)))


def of_comparison(
    given: dict[str, Any], path: str | None, folder: str | None = None
) -> tuple[Settings, Reading, str]:
    """Return how logs are compared and read, and the path of the file that was found.

    `given` are the settings of a command line, which win over those of the file that is
    named or found.
    """
    from convert.options.settings import Settings

    file = settings_in_file(path, "diff", folder)
    values = with_settings(given, file)
    of_reading = Reading.options().keys() & values.keys()
    reading = Reading(**{name: values.pop(name) for name in of_reading})
    return Settings(**values), reading, "" if path else file.source


def noise_in_file(path: str | None) -> dict[str, Any]:
    """Return the settings for noise that comparisons take from a file.

    Another file than a pyproject.toml has settings of one command alone.
    """
    if path is not None and os.path.basename(path) != "pyproject.toml":
        return {}
    values = settings_in_file(path, "diff").values
    return {name: values[name] for name in NOISE if name in values}


def with_settings(given: dict[str, Any], file: FileSettings) -> dict[str, Any]:
    """Return settings of a command line and those of a file.

    Those of the command line win and add to lists.
    """
    values = dict(file.values)
    for name, value in given.items():
        is_added_to = isinstance(value, tuple) and name in values
        values[name] = values[name] + value if is_added_to else value
    return values


def _data_of(path: str, shown: str) -> bytes:
    """Return the bytes of a file that may be there; nothing of a folder.

    Raises UsageError for a pipe or a device, which might never end, and for a file that
    cannot be read, whose settings would be lost.
    """
    mode = 0
    with contextlib.suppress(OSError):
        mode = os.stat(path).st_mode
    if not mode or stat.S_ISDIR(mode):
        return b""
    if not stat.S_ISREG(mode):
        raise UsageError(f"{shown} is a pipe or a device; name a file: --config")
    try:
        with open(path, "rb") as file:
            return _start_of(file, shown)
    except OSError as error:
        why = (error.strerror or str(error)).lower()
        advice = "make it readable, or name another: --config"
        raise UsageError(f"cannot read {shown}: {why}; {advice}") from error


def _start_of(file: BinaryIO, shown: str) -> bytes:
    """Return the bytes of a file; raises UsageError for one without end."""
    data = file.read(_LONGEST + 1)
    if len(data) > _LONGEST:
        raise UsageError(f"{shown} is too long for settings; name another: --config")
    return data


def _may_name_us(data: bytes) -> bool:
    """Tell if a file may have settings for runconv, in UTF-16 as well.

    Most have none, and importing tomllib takes time.
    """
    return b"runconv" in data.replace(b"\0", b"")


def _check_that_nothing_runs(path: str, found: dict[str, Any]) -> None:
    """Raise UsageError for a command in a file that nobody named.

    It would run whatever the folder of a log says.
    """
    if found.get("answer_cmd") is not None:
        raise UsageError(
            f"{path}: answer-cmd runs a program, so it is not taken from a file that is"
            f" found; name it: --config {path}"
        )


def _read(path: str, data: bytes, command: str) -> dict[str, Any] | None:
    """Return the settings in the bytes of a TOML file, by their names in Python.

    None if there is no table for runconv. Raises UsageError for what is not TOML, for
    unknown names and for values that cannot be used.
    """
    table = _table(path, data, command)
    if table is None:
        return None
    options = {row.long_name: row for row in _rows(command)}
    ignored = _of_conversions(command)
    values = {}
    for name, value in table.items():
        if name in ignored:
            continue
        if name not in options:
            advice = _advice(name, command, options)
            raise UsageError(f"{path}: unknown setting '{name}' ({advice})")
        row = options[name]
        try:
            values[row.name] = row.checked(value, name)
        except UsageError as error:
            raise UsageError(f"{path}: {error.message}") from error
    return values


def _rows(table: str) -> list[Option]:
    """Return the options that may stand in the table of a command, or of suites."""
    if table == SUITE:
        return _suite_rows()
    kinds = [kind for kind in option_sets(table) if not issubclass(kind, Common)]
    rows = [row for kind in kinds for row in kind.options().values()]
    if table not in _TABLES:
        return rows
    own = {row.name for row in _suite_rows()} - {row.name for row in _growth_rows()}
    return [row for row in rows if row.name not in own]


def _suite_rows() -> list[Option]:
    # Imported here: most files and commands have no suites.
    from convert.options.suite import SuiteSettings

    return [*SuiteSettings.options().values(), *_growth_rows()]


def _growth_rows() -> list[Option]:
    from convert.options.settings import Settings
    from convert.options.suite import GROWTH_LIMITS

    return [Settings.options()[name] for name in GROWTH_LIMITS]


def _advice(
    name: str, command: str, known: Iterable[str], tables: Iterable[str] = ()
) -> str:
    """Return what to do about a name that is no setting of a command."""
    own = _suite_rows() if command in _TABLES else ()
    if command != SUITE and name in {row.long_name for row in own}:
        return f"it belongs to tool.runconv.{SUITE}"
    rows = [row for kind in option_sets(command) for row in kind.options().values()]
    if any(name == row.long_name for row in rows):
        return f"--{name} is for the command line alone"
    from convert.wording.nearest import did_you_mean

    return did_you_mean(name, {*known, *tables}, f"choose from {_listed(known)}")


def _of_conversions(command: str) -> set[str]:
    """Return the settings of conversions that a file may hold for another command."""
    if command == IMPLIED or command in _TABLES:
        return set()
    own = {row.long_name for row in _rows(command)}
    return {row.long_name for row in _rows(IMPLIED)} - own


def _listed(names: Iterable[str]) -> str:
    return ", ".join(sorted(names))


def _table(path: str, data: bytes, command: str) -> dict[str, Any] | None:
    """Return the settings of a command as they are written in a TOML file.

    They are its own members, or those of `[tool.runconv]`, with its table for the
    command; there, those of how logs are read hold for every command.
    """
    import tomllib

    if any(_has_long_name(line) for line in data.splitlines()):
        raise UsageError(f"{path}: a name has more than {_MOST_PARTS:,} parts")
    try:
        table = tomllib.loads(_text(path, data))
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise UsageError(f"{path}: not TOML: {error}") from error
    except ValueError as error:
        raise UsageError(f"{path}: a number has too many digits") from error
    if "tool" not in table and os.path.basename(path) != "pyproject.toml":
        return _of_own_file(path, table, command)
    tool = _member(path, table, "tool", "")
    if "runconv" not in tool:
        return None
    ours = _member(path, tool, "runconv", "tool.")
    tables = {name: _member(path, ours, name, "tool.runconv.") for name in _TABLES}
    general = {name: value for name, value in ours.items() if name not in _TABLES}
    _check_general(path, general)
    if command == IMPLIED:
        return general
    if command == SUITE:
        return tables[SUITE]
    shared = {row.long_name for row in Reading.options().values()}
    of_reading = {name: value for name, value in general.items() if name in shared}
    return of_reading | tables.get(command, {})


def _of_own_file(path: str, table: dict[str, Any], command: str) -> dict[str, Any]:
    """Return the settings in a file of their own, in which suites have a table."""
    suite = _member(path, table, SUITE, "")
    if command == SUITE:
        return suite
    return {name: value for name, value in table.items() if name != SUITE}


def _text(path: str, data: bytes) -> str:
    """Return the text of a file in UTF-8, with or without the mark that it is."""
    if b"\0" in data:
        raise UsageError(f"{path}: not TOML: it is in UTF-16; save it as UTF-8")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        what = f"line {line} is not in UTF-8; save the file as UTF-8"
        raise UsageError(f"{path}: not TOML: {what}") from error


def _has_long_name(line: bytes) -> bool:
    """Tell if the name of a member or of a table may have too many parts."""
    line = line.strip()
    name = line if line.startswith(b"[") else line.partition(b"=")[0]
    return name.count(b".") >= _MOST_PARTS


def _check_general(path: str, general: dict[str, Any]) -> None:
    """Raise UsageError for a name that does not belong to [tool.runconv] itself."""
    known = {row.long_name for row in _rows(IMPLIED)}
    for name in general:
        if name in known and name.replace("-", "_") not in NOISE:
            continue
        for table in _TABLES:
            if name in {row.long_name for row in _rows(table)}:
                where = f"it belongs to tool.runconv.{table}"
                raise UsageError(f"{path}: unknown setting '{name}' ({where})")
        advice = _advice(name, IMPLIED, known, _TABLES)
        raise UsageError(f"{path}: unknown setting 'tool.runconv.{name}' ({advice})")


def _member(path: str, table: dict[str, Any], name: str, above: str) -> dict[str, Any]:
    """Return a table inside another, empty if there is none."""
    found: Any = table.get(name, {})
    if not isinstance(found, dict):
        raise UsageError(f"{path}: {above}{name} must be a table")
    return found
