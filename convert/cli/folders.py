"""The logs that a command line names: files, folders, and lists of files.

A folder is walked as ripgrep does it: hidden files and links in it are left out, and
so is what is neither a file nor a folder.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from msgspec import Struct

from convert.cli.messages import say
from convert.errors import InputError, UsageError

if TYPE_CHECKING:
    from convert.cli.options import ManyLogs

# How much of a list of files is read, in bytes.
_LONGEST_LIST = 100_000_000


class NamedLog(Struct, frozen=True):
    """A log that was named, or a file that was found in a folder."""

    path: str
    """Its path, or `-` for standard input."""

    place: str
    """The path that its output has in a folder, but for the suffix."""

    is_found: bool = False
    """It was found, so that it need not be a log."""


class Named(Struct, frozen=True):
    """Everything that a command line names."""

    logs: list[NamedLog]
    is_many: bool
    """A folder or a list was named, so that nobody knows how many logs there are."""

    has_failed: bool = False
    """A folder could not be read, which has been printed."""

    @property
    def paths(self) -> list[str]:
        """The paths of the logs."""
        return [log.path for log in self.logs]


def named_logs(words: list[str], command: ManyLogs, output: str = "") -> Named:
    """Return the logs that a command line names, those of folders in their order.

    What lies in the folder that is written to is left out. Raises UsageError for
    options that do not fit, and InputError for a list that cannot be read. A folder
    that cannot be read does not stop the others.
    """
    listed = _listed(command.files_from) if command.files_from is not None else []
    logs = [NamedLog(path, _relative(path)) for path in listed]
    if not (words or command.files_from is not None):
        words = ["-"]
    folders = [word for word in words if _is_folder(word)]
    if command.globs and not folders:
        raise UsageError("--glob chooses among the files of a folder; name a folder")
    is_wanted = _matcher(command.globs)
    failed: list[str] = []
    for word in words:
        if word not in folders:
            logs.append(NamedLog(word, os.path.basename(word)))
            continue
        # The names of several folders tell their outputs apart.
        above = os.path.basename(os.path.abspath(word)) if len(folders) > 1 else ""
        left_out = os.path.realpath(output) if output else ""
        found = sorted(_walk(word, "", left_out, failed.append))
        logs += [
            NamedLog(os.path.join(word, *inside), os.path.join(above, *inside), True)
            for inside in found
            if is_wanted("/".join(inside))
        ]
    for message in failed:
        say(message)
    is_many = bool(folders) or command.files_from is not None
    return Named(logs, is_many, bool(failed))


def _is_folder(word: str) -> bool:
    return word != "-" and os.path.isdir(word)


def _walk(
    folder: str, inside: str, output: str, fail: Callable[[str], None]
) -> Iterator[tuple[str, ...]]:
    """Yield the path of each file in a folder, as its parts; tell what fails."""
    path = os.path.join(folder, inside)
    try:
        with os.scandir(path) as entries:
            found = [entry for entry in entries if not entry.name.startswith(".")]
    except OSError as error:
        why = (error.strerror or str(error)).lower()
        fail(f"cannot read the folder {path}: {why}; make it readable, or leave it out")
        return
    for entry in found:
        if entry.is_dir(follow_symlinks=False):
            if os.path.realpath(entry.path) != output:
                below = os.path.join(inside, entry.name)
                yield from _walk(folder, below, output, fail)
        elif entry.is_file(follow_symlinks=False):
            yield (*filter(None, inside.split(os.sep)), entry.name)


def _matcher(globs: tuple[str, ...]) -> Callable[[str], bool]:
    """Return what tells if a file is wanted, by its path inside of its folder."""
    if not globs:
        return lambda path: True
    # Imported here: it takes as long as to start the command.
    from wcmatch import glob

    flags = (
        glob.GLOBSTAR
        | glob.BRACE
        | glob.MATCHBASE
        | glob.NEGATE
        | glob.NEGATEALL
        | glob.FORCEUNIX
    )
    pattern = glob.compile(globs, flags=flags)
    return lambda path: bool(pattern.match(path))


def _listed(path: str) -> list[str]:
    """Return the paths in a list: one a line, or ended by a NUL each."""
    content = _content(path)
    if b"\0" in content:
        lines = content.split(b"\0")
    else:
        lines = [line.removesuffix(b"\r") for line in content.split(b"\n")]
    return [os.fsdecode(line) for line in lines if line]


def _content(path: str) -> bytes:
    from convert.cli.logs import bytes_of, name_of

    content = bytearray()
    try:
        for piece in bytes_of(path):
            content += piece
            if len(content) > _LONGEST_LIST:
                raise InputError("is too long for a list of files")
    except InputError as error:
        raise InputError(f"{name_of(path)}: {error.message}") from error
    return bytes(content)


def _relative(path: str) -> str:
    """Return the path of a listed file below the folder that is written to."""
    parts = os.path.splitdrive(os.path.normpath(path))[1].split(os.sep)
    return os.path.join("", *(part for part in parts if part not in ("", "..")))
