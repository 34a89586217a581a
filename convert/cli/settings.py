"""The settings for a command: those that it names, and those in a TOML file.

The file is the one that is named, or the nearest with a table for runconv.
"""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, BinaryIO

from msgspec import Struct

from convert.cli.commands import IMPLIED, Common, option_sets
from convert.errors import UsageError, did_you_mean, system_reason
from convert.options.conversion import NOISE, Reading
from convert.options.option_set import Option

if TYPE_CHECKING:
    from convert.options.settings import Settings

# The tables below [tool.runconv]: for `diff` of two logs, and of two folders.
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
                found = _read(path, data, command)
                if found is None:
                    raise UsageError(f"{path} has no table [tool.runconv]; write one")
                return FileSettings(found, path)
        except (OSError, ValueError) as error:
            why = (getattr(error, "strerror", None) or str(error)).lower()
            raise UsageError(f"cannot read {path}: {why}; check --config") from error
    folder = os.path.abspath(folder or os.curdir)
    while True:
        path = os.path.join(folder, "pyproject.toml")
        shown = _relative(path)
        data = _data_of(path, shown)
        # Importing tomllib takes time. A file in UTF-16 has NUL bytes.
        is_ours = b"runconv" in data.replace(b"\0", b"")
        found = _read(shown, data, command) if is_ours else None
        if found is not None:
            if found.get("answer_cmd") is not None:
                # It would run whatever the folder of a log says.
                raise UsageError(
                    f"{shown}: answer-cmd runs a program, so it is not taken from a"
                    f" file that is found; name it: --config {shown}"
                )
            return FileSettings(found, shown if found else "")
        if os.path.dirname(folder) == folder:
            return FileSettings({})
        folder = os.path.dirname(folder)


def _relative(path: str) -> str:
    """Return a path for a message, whole if it is on another drive of Windows."""
    with contextlib.suppress(ValueError):
        path = os.path.relpath(path)
    return path.replace(os.sep, "/")


def reading_with_settings(
    given: dict[str, Any], command: str, path: str | None
) -> Reading:
    """Return how a command reads logs: by its options, and by a file.

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

    Another file than a pyproject.toml has settings of only one command.
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
        raise UsageError(
            f"cannot read {shown}: {system_reason(error)}; make it readable, or name"
            " another: --config"
        ) from error


def _start_of(file: BinaryIO, shown: str) -> bytes:
    """Return the bytes of a file; raises UsageError for one without end."""
    data = file.read(_LONGEST + 1)
    if len(data) > _LONGEST:
        raise UsageError(f"{shown} is too long for settings; name another: --config")
    return data


def _read(path: str, data: bytes, command: str) -> dict[str, Any] | None:
    """Return the settings in the bytes of a TOML file, by their names in Python.

    None if there is no table for runconv. Raises UsageError for invalid TOML, for
    unknown names and for values that cannot be used.
    """
    table = _table(path, data, command)
    if table is None:
        return None
    options = {row.long_name: row for row in _rows(command)}
    # A file may hold the settings of conversions for another command.
    ignored = set() if command in _TABLES else _names(IMPLIED) - options.keys()
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
    """Return the options that the table of a command, or of suites, may hold."""
    if table == SUITE:
        return _suite_rows()
    kinds = [kind for kind in option_sets(table) if not issubclass(kind, Common)]
    rows = [row for kind in kinds for row in kind.options().values()]
    if table not in _TABLES:
        return rows
    own = {row.name for row in _suite_rows(has_growth=False)}
    return [row for row in rows if row.name not in own]


def _suite_rows(has_growth: bool = True) -> list[Option]:
    """Return the options of suites, with the limits of growth, which `diff` has too."""
    # Imported here: most files and commands have no suites.
    from convert.options.settings import GROWTH_LIMITS, Settings, SuiteSettings

    growth = [Settings.options()[name] for name in GROWTH_LIMITS if has_growth]
    return [*SuiteSettings.options().values(), *growth]


def _names(table: str) -> set[str]:
    return {row.long_name for row in _rows(table)}


def _advice(
    name: str, command: str, known: Iterable[str], tables: Iterable[str] = ()
) -> str:
    """Return advice on a name that is no setting of a command."""
    if command in _TABLES and command != SUITE and name in _names(SUITE):
        return f"it belongs to tool.runconv.{SUITE}"
    if name == "runconv":
        return "write [tool.runconv]"
    rows = [row for kind in option_sets(command) for row in kind.options().values()]
    if any(name == row.long_name for row in rows):
        return f"--{name} is only for the command line"

    return did_you_mean(
        name, {*known, *tables}, f"choose from {', '.join(sorted(known))}"
    )


def _table(path: str, data: bytes, command: str) -> dict[str, Any] | None:
    """Return the settings of a command as they are written in a TOML file.

    They are its own members, or those of `[tool.runconv]`, with its table for the
    command; there, those of how logs are read hold for every command.
    """
    import tomllib

    for line in map(bytes.strip, data.splitlines()):
        name = line if line.startswith(b"[") else line.partition(b"=")[0]
        if name.count(b".") >= _MOST_PARTS:
            raise UsageError(f"{path}: a name has more than {_MOST_PARTS:,} parts")
    try:
        table = tomllib.loads(_text(path, data))
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise UsageError(f"{path}: not TOML: {error}") from error
    except ValueError as error:
        raise UsageError(f"{path}: a number has too many digits") from error
    if "tool" not in table and os.path.basename(path) != "pyproject.toml":
        # A file of its own, in which suites have a table.
        suite = _member(path, table, SUITE, "")
        own = {name: value for name, value in table.items() if name != SUITE}
        return suite if command == SUITE else own
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


def _text(path: str, data: bytes) -> str:
    """Return the text of a file in UTF-8, with or without a byte order mark."""
    if b"\0" in data:
        raise UsageError(
            f"{path}: not TOML: it is binary, or in UTF-16; save it as UTF-8"
        )
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise UsageError(
            f"{path}: not TOML: line {line} is not in UTF-8; save the file as UTF-8"
        ) from error


def _check_general(path: str, general: dict[str, Any]) -> None:
    """Raise UsageError for a name that does not belong to [tool.runconv] itself."""
    known = _names(IMPLIED)
    for name in general:
        if name in known:
            continue
        for table in _TABLES:
            if name in _names(table):
                raise UsageError(
                    f"{path}: unknown setting '{name}' (it belongs to"
                    f" tool.runconv.{table})"
                )
        advice = _advice(name, IMPLIED, known, _TABLES)
        raise UsageError(f"{path}: unknown setting 'tool.runconv.{name}' ({advice})")


def _member(path: str, table: dict[str, Any], name: str, above: str) -> dict[str, Any]:
    """Return a table inside another, empty if there is none."""
    found: Any = table.get(name, {})
    if not isinstance(found, dict):
        raise UsageError(f"{path}: {above}{name} must be a table")
    return found
