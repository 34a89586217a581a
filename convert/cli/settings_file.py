"""The settings in a TOML file: its tables, with their names and values."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Any

from convert.cli.commands import IMPLIED, Common, option_sets
from convert.errors import UsageError, did_you_mean
from convert.options import NOISE, Reading
from convert.options.option_set import Option

# The tables below [tool.runconv]: for `diff` of two logs, and of two folders.
SUITE = "suite"
_TABLES = ("diff", SUITE)
_MOST_PARTS = 1000


def read_settings(path: str, data: bytes, command: str) -> dict[str, Any] | None:
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
        raise UsageError(f"{path}: not TOML: it is in UTF-16; save it as UTF-8")
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
        if name in known and name.replace("-", "_") not in NOISE:
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
