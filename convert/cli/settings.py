"""The settings in a TOML file."""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Iterable
from typing import Any, NamedTuple

from convert.errors import UsageError
from convert.options.settings import Settings
from convert.wording.nearest import did_you_mean

# The tables below [tool.runconv].
_TABLES = ("diff",)


class FileSettings(NamedTuple):
    """The settings in a file."""

    values: dict[str, Any]
    """The settings by their names in Python."""

    source: str = ""
    """The path of the file, relative to the current folder; "" if none was found."""


def settings_in_file(path: str | None) -> FileSettings:
    """Return the settings in a TOML file, or in the nearest pyproject.toml with any."""
    if path is not None:
        try:
            with open(path, "rb") as file:
                return FileSettings(_read(path, file.read()), path)
        except (OSError, ValueError) as error:
            why = (getattr(error, "strerror", None) or str(error)).lower()
            raise UsageError(f"cannot read {path}: {why}; check --config") from error
    folder = os.getcwd()
    while True:
        path = os.path.join(folder, "pyproject.toml")
        shown = os.path.relpath(path).replace(os.sep, "/")
        data = _data_of(path, shown)
        # Most have no settings for runconv, and importing tomllib takes time.
        found = _read(shown, data) if b"runconv" in data else {}
        if found:
            _check_that_nothing_runs(shown, found)
            return FileSettings(found, shown)
        if os.path.dirname(folder) == folder:
            return FileSettings({})
        folder = os.path.dirname(folder)


def _data_of(path: str, shown: str) -> bytes:
    """Return the bytes of a file that may be there; nothing of a folder.

    Raises UsageError for a pipe or a device, which might never end.
    """
    with contextlib.suppress(OSError):
        mode = os.stat(path).st_mode
        if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):
            raise UsageError(f"{shown} is a pipe or a device; name a file: --config")
        with open(path, "rb") as file:
            return file.read()
    return b""


def _check_that_nothing_runs(path: str, found: dict[str, Any]) -> None:
    """Raise UsageError for a command in a file that nobody named.

    It would run whatever the folder of a log says.
    """
    if found.get("answer_cmd") is not None:
        raise UsageError(
            f"{path}: answer-cmd runs a program, so it is not taken from a file that is"
            f" found; name it: --config {path}"
        )


def _read(path: str, data: bytes) -> dict[str, Any]:
    """Return the settings in the bytes of a TOML file, by their names in Python.

    They are its own members, or those of `[tool.runconv.diff]`. Raises UsageError for
    what is not TOML, for unknown names and for values that cannot be used.
    """
    options = {row.long_name: row for row in Settings.options().values()}
    values = {}
    for name, value in _table(path, data).items():
        if name not in options:
            advice = did_you_mean(name, options, f"choose from {_listed(options)}")
            raise UsageError(f"{path}: unknown setting '{name}' ({advice})")
        row = options[name]
        try:
            values[row.name] = row.checked(value, name)
        except UsageError as error:
            raise UsageError(f"{path}: {error.message}") from error
    return values


def _listed(names: Iterable[str]) -> str:
    return ", ".join(sorted(names))


def _table(path: str, data: bytes) -> dict[str, Any]:
    """Return the settings of a TOML file as they are written in it."""
    import tomllib

    try:
        table = tomllib.loads(data.decode())
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise UsageError(f"{path}: not TOML: {error}") from error
    except ValueError as error:
        raise UsageError(f"{path}: a number has too many digits") from error
    if "tool" not in table and os.path.basename(path) != "pyproject.toml":
        return table
    ours = _member(path, _member(path, table, "tool", ""), "runconv", "tool.")
    for name in ours:
        if name not in _TABLES:
            meant = did_you_mean(name, _TABLES, "settings belong to tool.runconv.diff")
            raise UsageError(f"{path}: unknown table 'tool.runconv.{name}' ({meant})")
    return _member(path, ours, "diff", "tool.runconv.")


def _member(path: str, table: dict[str, Any], name: str, above: str) -> dict[str, Any]:
    """Return a table inside another, empty if there is none."""
    found: Any = table.get(name, {})
    if not isinstance(found, dict):
        raise UsageError(f"{path}: {above}{name} must be a table")
    return found
