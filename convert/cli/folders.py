"""The logs that a command line names: files, folders, and lists of files."""

from __future__ import annotations

import codecs
import os
from typing import TYPE_CHECKING

from msgspec import Struct

from convert.cli.display import shown_path
from convert.cli.logs import bytes_of, check_logs, name_of
from convert.cli.messages import say
from convert.errors import InputError, UsageError
from convert.source.folders import Walk

if TYPE_CHECKING:
    from convert.cli.options import ManyLogs
    from convert.source.globs import Globs

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

    @property
    def paths(self) -> tuple[str, ...]:
        """Its path alone."""
        return (self.path,)


class Named(Struct, frozen=True):
    """Everything that a command line names."""

    logs: list[NamedLog]
    is_many: bool
    """A folder or a list was named, so that nobody knows how many logs there are."""

    has_failed: bool = False
    """A folder could not be read, which has been printed."""

    links: list[str] = []
    """The links in folders, which are left out."""

    specials: list[str] = []
    """The pipes, sockets and devices in folders, which are left out."""

    left_out: int = 0
    """How many files are left out because they lie in the folder that is written to."""

    reports: list[str] = []
    """The files that are left out because the command writes them anew."""

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
    lists = [command.files_from] if command.files_from is not None else []
    check_logs([*lists, *words])
    logs = [NamedLog(path, _relative(path)) for each in lists for path in _listed(each)]
    if not (words or lists):
        words = ["-"]
    folders = [word for word in words if _is_folder(word)]
    if command.globs and not folders:
        raise UsageError("--glob chooses among the files of a folder; name a folder")
    walk = Walk(output)
    found = iter(_in_folders(folders, command, walk))
    for word in words:
        if word in folders:
            logs += next(found)
        else:
            logs.append(NamedLog(word, os.path.basename(word)))
    check_logs([*lists, *(log.path for log in logs)])
    return Named(
        logs,
        is_many=bool(folders or lists),
        has_failed=bool(walk.failures),
        links=sorted(walk.links),
        specials=sorted(walk.specials),
        left_out=walk.left_out,
    )


def _in_folders(
    folders: list[str], command: ManyLogs, walk: Walk
) -> list[list[NamedLog]]:
    """Return the files of each folder that the globs choose."""
    if not folders:
        return []
    from convert.source.globs import Globs

    globs = Globs(command.globs)
    found = []
    for folder in folders:
        # The names of several folders tell their outputs apart.
        above = os.path.basename(os.path.abspath(folder)) if len(folders) > 1 else ""
        found.append(
            [
                NamedLog(
                    os.path.join(folder, *inside), os.path.join(above, *inside), True
                )
                for inside in sorted(walk.files(folder))
                if globs.choose("/".join(inside))
            ]
        )
    for path, why in walk.failures.items():
        say(f"cannot read the folder {shown_path(path)}: {why}")
    if not command.quiet:
        say_unused(globs)
    return found


def say_unused(globs: Globs) -> None:
    """Print the globs that have matched no file."""
    for glob in globs.unused:
        advice = "it is about paths in the folder, as in a/*.log, or a/ for all of a"
        say(f"notice: --glob '{glob}' matches no file; {advice}", None)


def _is_folder(word: str) -> bool:
    return word != "-" and os.path.isdir(word)


def _listed(path: str) -> list[str]:
    """Return the paths in a list: one a line, or ended by a NUL each."""
    content = _content(path).removeprefix(codecs.BOM_UTF8)
    if content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        raise InputError(f"{name_of(path)}: is in UTF-16; write the list in UTF-8")
    if b"\0" in content:
        lines = content.split(b"\0")
    else:
        lines = [line.removesuffix(b"\r") for line in content.split(b"\n")]
    return [os.fsdecode(line) for line in lines if line]


def _content(path: str) -> bytes:
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
