"""The settings in a TOML file."""

from __future__ import annotations

import contextlib
import os
from typing import Any

from convert.errors import UsageError
from convert.options.settings import Settings


def settings_in_file(path: str | None) -> dict[str, Any]:
    """Return the settings in a TOML file, or in the nearest pyproject.toml with any."""
    if path is not None:
        try:
            with open(path, "rb") as file:
                return _read(path, file.read())
        except (OSError, ValueError) as error:
            why = (getattr(error, "strerror", None) or str(error)).lower()
            raise UsageError(f"cannot read {path}: {why}; check --config") from error
    folder = os.getcwd()
    while True:
        path = os.path.join(folder, "pyproject.toml")
        with contextlib.suppress(OSError), open(path, "rb") as file:
            # Most have no settings for runconv, and importing tomllib takes time.
            data = file.read()
            found = _read(path, data) if b"runconv" in data else {}
            if found:
                return found
        if os.path.dirname(folder) == folder:
            return {}
        folder = os.path.dirname(folder)


def _read(path: str, data: bytes) -> dict[str, Any]:
    """Return the settings in the bytes of a TOML file, by their names in Python.

    They are its own members, or those of `[tool.runconv.diff]`. Raises UsageError for
    what is not TOML, for unknown names and for values that cannot be used.
    """
    options = {row.long_name: row for row in Settings.options().values()}
    values = {}
    for name, value in _table(path, data).items():
        if name not in options:
            known = ", ".join(sorted(options))
            raise UsageError(f"{path}: unknown setting '{name}' (choose from {known})")
        row = options[name]
        try:
            values[row.name] = row.checked(value, name)
        except UsageError as error:
            raise UsageError(f"{path}: {error.message}") from error
    return values


def _table(path: str, data: bytes) -> dict[str, Any]:
    """Return the settings of a TOML file as they are written in it."""
    import tomllib

    try:
        table = tomllib.loads(data.decode())
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise UsageError(f"{path}: not TOML: {error}") from error
    except ValueError as error:
        raise UsageError(f"{path}: a number has too many digits") from error
    found: Any = table
    if "tool" in table or os.path.basename(path) == "pyproject.toml":
        for name in ("tool", "runconv", "diff"):
            found = found.get(name, {}) if isinstance(found, dict) else None
    if not isinstance(found, dict):
        raise UsageError(f"{path}: tool.runconv.diff must be a table")
    return found
