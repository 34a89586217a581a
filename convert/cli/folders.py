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
from convert.storage import base_name, is_folder, is_url, joined, local_path, state_of

if TYPE_CHECKING:
    from convert.cli.options import ManyLogs
    from convert.source.globs import Globs
    from convert.source.stores import Pattern

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

    Logs in the folder that is written to are left out. Raises UsageError for
    options that do not fit, and InputError for a list that cannot be read. A folder
    that cannot be read does not stop the others.
    """
    lists = [command.files_from] if command.files_from is not None else []
    check_logs([*lists, *words])
    logs = [NamedLog(path, _relative(path)) for each in lists for path in _listed(each)]
    if not (words or lists):
        words = ["-"]
    folders = {word: folder for word in words if (folder := _folder(word))}
    if command.globs and not folders:
        raise UsageError("--glob chooses among the files of a folder; name a folder")
    walk = Walk(output)
    found = _in_folders([*folders.values()], command, walk)
    for word in words:
        if word in folders:
            logs += found[folders[word]]
        else:
            logs.append(NamedLog(word, base_name(word)))
    _look_up(logs)
    check_logs([*lists, *(log.path for log in logs)])
    return Named(
        logs,
        is_many=bool(folders or lists),
        has_failed=bool(walk.failures),
        links=sorted(walk.links),
        specials=sorted(walk.specials),
        left_out=walk.left_out,
    )


def _folder(word: str) -> str | Pattern | None:
    """Return the folder that a word names, or the glob in a URL; None for a log."""
    if not is_url(word):
        return word if word != "-" and os.path.isdir(word) else None
    from convert.source.stores import pattern_in

    # An object may have the characters of globs in its name.
    if (pattern := pattern_in(word)) is not None and state_of(word) is None:
        return pattern
    return word if is_folder(word) else None


def _in_folders(
    folders: list[str | Pattern], command: ManyLogs, walk: Walk
) -> dict[str | Pattern, list[NamedLog]]:
    """Return the files of each folder that the globs choose."""
    if not folders:
        return {}
    from convert.source.globs import Globs

    globs = Globs(command.globs)
    found = {}
    for each in folders:
        folder = each if isinstance(each, str) else each.folder
        walked = walk.files(each) if isinstance(each, str) else walk.matches(each)
        # The names of several folders tell their outputs apart.
        above = _name_of(folder) if len(folders) > 1 else ""
        found[each] = [
            NamedLog(joined(folder, *inside), os.path.join(above, *inside), True)
            for inside in sorted(walked)
            if globs.choose("/".join(inside))
        ]
    for path, why in walk.failures.items():
        say(f"cannot read the folder {shown_path(path)}: {why}")
    if not command.quiet:
        say_unused(globs)
    return found


def _name_of(folder: str) -> str:
    """Return the name of a folder, without those above it."""
    return base_name(folder if is_url(folder) else os.path.abspath(folder))


def _look_up(logs: list[NamedLog]) -> None:
    """Look up many objects at once that no folder has listed."""
    if urls := [log.path for log in logs if is_url(log.path)]:
        from convert.source.stores import look_up

        look_up(urls)


def say_unused(globs: Globs) -> None:
    """Print the globs that have matched no file."""
    for glob in globs.unused:
        advice = "it is about paths in the folder, as in a/*.log, or a/ for all of a"
        say(f"notice: --glob '{glob}' matches no file; {advice}", None)


def _listed(path: str) -> list[str]:
    """Return the paths in a list: one a line, or ended by a NUL each."""
    content = _content(path).removeprefix(codecs.BOM_UTF8)
    if content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        raise InputError(f"{name_of(path)}: is in UTF-16; write the list in UTF-8")
    if b"\0" in content:
        lines = content.split(b"\0")
    else:
        lines = [line.removesuffix(b"\r") for line in content.split(b"\n")]
    return [local_path(os.fsdecode(line)) for line in lines if line]


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
    if is_url(path):
        from convert.storage.addresses import parts_of

        return os.path.join("", *(part for part in parts_of(path) if part.strip(".")))
    parts = os.path.splitdrive(os.path.normpath(path))[1].split(os.sep)
    return os.path.join("", *(part for part in parts if part not in ("", "..")))
