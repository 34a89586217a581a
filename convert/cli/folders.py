"""Folders on a command line: the logs in them, and the paths of outputs in them."""

from __future__ import annotations

import codecs
import contextlib
import functools
import os
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from msgspec.structs import replace

from convert.cli.commands import ManyLogs
from convert.cli.destination import (
    Identity,
    file_among_folders,
    identities,
    identity_of,
    refuse,
    refuse_same,
    shown_path,
)
from convert.cli.logs import Named, NamedLog, bytes_of, check_logs, first_error, name_of
from convert.cli.messages import say
from convert.errors import EMPTY_LOG, InputError, NotALogError, UsageError
from convert.source.places import (
    Pattern,
    Walk,
    check_place,
    is_folder,
    look_up,
    pattern_in,
    state_of,
)
from convert.wording.paths import (
    base_name,
    inside,
    is_url,
    joined,
    local_path,
    parts_of,
    stem_of,
)

# How much of a list of files is read, in bytes.
_LONGEST_LIST = 100_000_000

if TYPE_CHECKING:
    from convert.source.globs import Globs


def named_logs(words: list[str], command: ManyLogs, output: str = "") -> Named:
    """Return the logs that a command line names, those of folders in their order.

    Logs in the folder that is written to are skipped. Raises UsageError for
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
    if urls := [log.path for log in logs if is_url(log.path)]:
        # The listing of a folder has found the others.
        look_up(urls)
    check_logs([*lists, *(log.path for log in logs)])
    return Named(
        logs,
        is_many=bool(folders or lists),
        has_failed=bool(walk.failures),
        places=[*map(name_of, lists), *map(shown_path, folders)],
        links=sorted(walk.links),
        specials=sorted(walk.specials),
        left_out=walk.left_out,
        has_hidden=walk.has_hidden,
    )


def _folder(word: str) -> str | Pattern | None:
    """Return the folder that a word names, or the glob in a URL; None for a log."""
    if not is_url(word):
        return word if word != "-" and os.path.isdir(word) else None
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
        # Outputs of several folders differ by the names of the folders.
        whole = folder if is_url(folder) else os.path.abspath(folder)
        above = base_name(whole) if len(folders) > 1 else ""
        found[each] = [
            NamedLog(joined(folder, *below), os.path.join(above, *below), True)
            for below in sorted(walked)
            if globs.choose("/".join(below))
        ]
    for path, why in walk.failures.items():
        say(f"cannot read the folder {shown_path(path)}: {why}")
    if not command.quiet:
        say_unused(globs)
    return found


def say_unused(globs: Globs) -> None:
    """Print the globs that have matched no file."""
    for glob in globs.unused:
        say(
            f"notice: --glob '{glob}' matches no file; it is about paths in the folder,"
            " as in a/*.log, or a/ for all of a",
            None,
        )


def _listed(path: str) -> list[str]:
    """Return the paths in a list: one a line, or with a NUL after each."""
    from convert.source.detection import is_binary

    content = _content(path).removeprefix(codecs.BOM_UTF8)
    if content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        raise InputError(f"{name_of(path)}: is in UTF-16; write the list in UTF-8")
    sample = content[:65536].replace(b"\0", b"\n").decode(errors="replace")
    if sample.startswith("{") or is_binary(sample):
        raise InputError(
            f"{name_of(path)}: is no list of paths; name a log without --files-from"
        )
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
        return os.path.join("", *(part for part in parts_of(path) if part.strip(".")))
    parts = os.path.splitdrive(os.path.normpath(path))[1].split(os.sep)
    return os.path.join("", *(part for part in parts if part not in ("", "..")))


def paths_in(
    logs: list[NamedLog], folder: str, suffix: str, listed_in: str | None = None
) -> list[str]:
    """Return the path of each log in a folder; `listed_in` is the list of the logs.

    Logs of a folder that differ only in the suffix keep it in the name of the output.

    Raises UsageError if two logs have one path, if a path is that of a log or would be
    outside of the folder, or if the folder is a file.
    """
    paths = [log.path for log in logs]
    inputs = identities([*paths, listed_in] if listed_in is not None else paths)
    times = Counter(stem_of(log.place) for log in logs)

    def stems() -> Iterator[str]:
        for log in logs:
            stem = stem_of(log.place)
            if log.is_found and times[stem] > 1:
                # An earlier command may have written the other one.
                plain = _joined(folder, stem + suffix)
                refuse(plain, plain, inputs, "folder")
                stem = log.place
            yield stem

    advice = "convert them into different folders"
    return _placed(paths, stems(), folder, suffix, inputs, "folder", advice)


def pages_in(logs: list[str], names: list[str], folder: str, index: str) -> list[str]:
    """Return the path of the page of each log in a folder, as its name says.

    The page of a log with the name of the index is named `index-log`. Raises UsageError
    if two logs have one page, if a page is one of the logs, or if it would be outside
    of the folder.
    """
    # Some systems take small letters and capitals for the same.
    stems = [
        f"{each}-log" if f"{each}.html".lower() == index else each for each in names
    ]
    return _placed(logs, stems, folder, ".html", identities(logs), "file", "rename one")


def _placed(
    logs: list[str],
    stems: Iterable[str],
    folder: str,
    suffix: str,
    inputs: set[Identity],
    other: str,
    advice: str,
) -> list[str]:
    """Return the paths of outputs in a folder, none of them twice or that of a log.

    `other` is another place to write to, and `advice` says how to avoid equal paths.
    Raises UsageError for a folder that is a file, or would be in one, and OutputError
    for a URL that cannot be written to.
    """
    if is_url(folder):
        check_place(folder)
    if file := file_among_folders(os.path.join(folder, "")):
        raise UsageError(
            f"{shown_path(file)} is a file, not a folder; choose another with -o"
        )
    is_inside = inside_of(folder)
    placed: dict[str, str] = {}
    outputs: list[str] = []
    for log, stem in zip(logs, stems, strict=True):
        if log == "-":
            raise UsageError(
                f"standard input has no name for a file in {folder};"
                f" give a file name, as in -o {joined(folder, 'run' + suffix)}"
            )
        path = _joined(folder, stem + suffix)
        if (other_log := placed.get(_one_file(path))) is not None:
            refuse_same(other_log, log)
            raise UsageError(
                f"{other_log} and {log} would both become {path}; {advice}"
            )
        if not is_inside(path):
            raise UsageError(f"{path} would be outside of {folder}; choose another")
        refuse(path, path, inputs, other)
        placed[_one_file(path)] = log
        outputs.append(path)
    return outputs


def _one_file(path: str) -> str:
    """Return the same for two paths of one file: disks of some systems ignore case."""
    ignores_case = sys.platform in ("win32", "darwin") and not is_url(path)
    return path.casefold() if ignores_case else path


def inside_of(folder: str) -> Callable[[str], bool]:
    """Return a function that tests if a path is inside of a folder, through links."""
    if is_url(folder):
        return lambda path: bool(inside(path, folder))
    top = os.path.realpath(folder)

    @functools.cache
    def is_inside(above: str) -> bool:
        try:
            return os.path.commonpath([top, os.path.realpath(above)]) == top
        except ValueError:
            # They are on two drives.
            return False

    return lambda path: is_inside(os.path.dirname(path))


def _joined(folder: str, path: str) -> str:
    """Return a path in a folder of this machine or at a URL."""
    return joined(folder, *path.replace(os.sep, "/").split("/"))


def without_own(named: Named, output: str | None) -> Named:
    """Return logs without the output of an earlier command in their folder."""
    if not output or not may_be_there(output):
        return named
    own = [
        log
        for log in named.logs
        if log.is_found
        and base_name(log.path) == base_name(output)
        and is_same_place(log.path, output)
        and not is_log(log.path)
    ]
    if not own:
        return named
    logs = [log for log in named.logs if log not in own]
    return replace(named, logs=logs, reports=[log.path for log in own])


def may_be_there(path: str) -> bool:
    """Return True if a file may exist; the list of its folder shows that of a URL."""
    return is_url(path) or os.path.isfile(path)


def is_same_place(log: str, path: str) -> bool:
    """Return True if two paths are those of one file or object."""
    if is_url(path):
        return is_url(log) and identity_of(log) == identity_of(path)
    with contextlib.suppress(OSError):
        return os.path.samefile(log, path)
    return False


def is_log(path: str) -> bool:
    """Return True if a file is a log, by its first event."""
    error = first_error(path)
    is_empty = isinstance(error, InputError) and error.message == EMPTY_LOG
    return not (is_empty or isinstance(error, NotALogError))


def check_engine(name: str, scheduler: str | None, logs: Sequence[str] = ()) -> None:
    """Raise UsageError if an engine cannot do the work on these logs."""
    if name == "local":
        if scheduler is not None:
            raise UsageError("--scheduler is for a cluster; add --engine dask")
    elif scheduler == "":
        raise UsageError("--scheduler needs an address, as in tcp://10.0.0.7:8786")
    elif "-" in logs:
        raise UsageError(
            f"--engine {name} reads only files; name a log in place of standard input"
        )


def check_resume(folder: str, logs: Iterable[str]) -> None:
    """Raise UsageError if no work can be resumed."""
    if not folder:
        raise UsageError("--resume is for a folder; name one, as in -o FOLDER/")
    if "-" in logs:
        raise UsageError(
            "--resume reads only files; name a log in place of standard input"
        )
