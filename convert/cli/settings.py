"""The settings for a command: those that it names, and those of the nearest file."""

from __future__ import annotations

import contextlib
import os
import stat
from typing import TYPE_CHECKING, Any, BinaryIO

from msgspec import Struct

from convert.errors import UsageError, system_reason
from convert.options import NOISE, Reading

if TYPE_CHECKING:
    from convert.options.settings import Settings


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


# How much of a file may be settings, in bytes, and the parts of a name in it, which
# tomllib reads in quadratic time.
_LONGEST = 10_000_000


def _read(path: str, data: bytes, command: str) -> dict[str, Any] | None:
    """Return the settings in a TOML file; None if there is no table for runconv."""
    # Imported here: most folders have no settings.
    from convert.cli.settings_file import read_settings

    return read_settings(path, data, command)


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
