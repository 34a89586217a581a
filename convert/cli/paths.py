"""The paths of outputs, none of which may be a log that is read."""

from __future__ import annotations

import contextlib
import functools
import os
import stat
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, NoReturn

from convert import storage
from convert.errors import UsageError
from convert.source.names import COMPRESSED, stem_of
from convert.storage import base_name, is_url, joined

if TYPE_CHECKING:
    from convert.cli.folders import NamedLog

# Device and inode of a file, or the name of a URL.
Identity = tuple[int, int] | str


def is_folder(path: str) -> bool:
    """Return True for a path that gets one file per log."""
    return path.endswith(("/", os.sep)) or storage.is_folder(path)


def file_among_folders(path: str) -> str:
    """Return the part of a path that is a file but should be a folder, else ""."""
    while not is_url(path) and (path := os.path.dirname(path)):
        if os.path.lexists(path):
            return path if os.path.isfile(path) else ""
    return ""


def named_by_suffix(
    path: str, suffixes: Mapping[str, tuple[str, ...]], what: str, flag: str
) -> str | None:
    """Return the name with the suffix of a file; None if the file has no suffix.

    Raises UsageError for a suffix that no name has; `what` says what the names are of,
    and `flag` is the option that takes one.
    """
    suffix = os.path.splitext(base_name(path))[1].lower()
    if not suffix:
        return None
    if suffix in COMPRESSED:
        raise UsageError(
            "cannot write compressed files; write a plain file, then compress it"
        )
    whole = base_name(path).lower()
    fitting = [
        (len(each), name)
        for name, own in suffixes.items()
        for each in own
        if whole.endswith(each)
    ]
    if fitting:
        # The longest counts, as in `train.messages.jsonl`.
        return max(fitting, key=lambda found: found[0])[1]
    known = dict.fromkeys(each for own in suffixes.values() for each in own)
    raise UsageError(
        f"no {what} has the suffix {suffix}; choose from {', '.join(known)},"
        f" or name a {what} with {flag}: {', '.join(suffixes)}"
    )


def paths_in(logs: list[NamedLog], folder: str, suffix: str) -> list[str]:
    """Return the path of each log in a folder.

    Logs of a folder that differ in the suffix alone keep it in the name of the output.

    Raises UsageError if two logs have one path, if a path is that of a log or would be
    outside of the folder, or if the folder is a file.
    """
    _refuse_file(folder)
    is_inside = _inside(folder)
    paths: dict[str, str] = {}
    inputs = _identities([log.path for log in logs])
    stems = Counter(stem_of(log.place) for log in logs)
    for log in logs:
        _refuse_standard_input(log.path, folder, suffix)
        stem = stem_of(log.place)
        if log.is_found and stems[stem] > 1:
            # An earlier command may have written the other one.
            plain = _joined(folder, stem + suffix)
            _refuse(plain, plain, inputs, "folder")
            stem = log.place
        path = _joined(folder, stem + suffix)
        if path in paths:
            refuse_same(paths[path], log.path)
            raise UsageError(
                f"{paths[path]} and {log.path} would both become {path};"
                " convert them into different folders"
            )
        if not is_inside(path):
            raise UsageError(f"{path} would be outside of {folder}; choose another")
        _refuse(path, path, inputs, "folder")
        paths[path] = log.path
    return [*paths]


def names_of(logs: list[str]) -> list[str]:
    """Return a short name for each log: its path in the folder that all share.

    Suffixes are left out, unless two logs would have one name.
    """
    shared = folder_of_all([log for log in logs if log != "-"])
    names = ["<stdin>" if log == "-" else _name_in(log, shared) for log in logs]
    stems = [
        name if log == "-" else stem_of(name)
        for name, log in zip(names, logs, strict=True)
    ]
    times = Counter(stems)
    return [
        name if times[stem] > 1 else stem
        for name, stem in zip(names, stems, strict=True)
    ]


def folder_of_all(paths: list[str]) -> str:
    """Return the folder that all paths share; "" if they share none."""
    if any(map(is_url, paths)):
        from convert.storage.addresses import shared_folder

        return shared_folder(paths)
    try:
        whole = map(os.path.abspath, paths)
        return os.path.commonpath([os.path.dirname(path) for path in whole])
    except ValueError:
        # There is no path, or they are on several drives.
        return ""


def _name_in(log: str, shared: str) -> str:
    if is_url(log):
        from convert.storage.addresses import named

        return named(log).removeprefix(shared)
    inside = os.path.relpath(os.path.abspath(log), shared) if shared else log
    return inside.replace(os.sep, "/")


def pages_in(logs: list[str], names: list[str], folder: str, index: str) -> list[str]:
    """Return the path of the page of each log in a folder, as its name says.

    The page of a log with the name of the index is named `index-log`. Raises UsageError
    if two logs have one page, if a page is one of the logs, or if it would be outside
    of the folder.
    """
    _refuse_file(folder)
    is_inside = _inside(folder)
    pages: dict[str, str] = {}
    inputs = _identities(logs)
    for log, name in zip(logs, names, strict=True):
        _refuse_standard_input(log, folder, ".html")
        # Some systems do not tell small letters from capitals.
        stem = f"{name}-log" if f"{name}.html".lower() == index else name
        page = _joined(folder, f"{stem}.html")
        if page in pages:
            refuse_same(pages[page], log)
            raise UsageError(
                f"{pages[page]} and {log} would both become {page}; rename one"
            )
        if not is_inside(page):
            raise UsageError(f"{page} would be outside of {folder}; choose another")
        _refuse(page, page, inputs)
        pages[page] = log
    return [*pages]


def _inside(folder: str) -> Callable[[str], bool]:
    """Return what tells if a path is inside of a folder, whatever links lead there."""
    if is_url(folder):
        from convert.storage.addresses import inside

        return lambda path: bool(inside(path, folder))
    top = os.path.realpath(folder)

    @functools.cache
    def is_inside(above: str) -> bool:
        return os.path.commonpath([top, os.path.realpath(above)]) == top

    return lambda path: is_inside(os.path.dirname(path))


def refuse_input(output: str | int, name: str, logs: list[str]) -> None:
    """Raise UsageError if the output is one of the logs, under any name.

    Raises OutputError for a URL that cannot be written to.
    """
    _refuse(output, name, _identities(logs))
    if isinstance(output, str) and is_url(output):
        from convert.source.stores import check_place

        check_place(output)


def refuse_inputs(outputs: Iterable[str], logs: list[str]) -> None:
    """Raise UsageError if an output is one of the logs, under any name."""
    inputs = _identities(logs)
    for output in outputs:
        _refuse(output, output, inputs)


def refuse_twice(logs: list[str]) -> None:
    """Raise UsageError for a log that is named twice, maybe once with its folder.

    Links are not followed: there may be very many logs.
    """
    places: dict[str, str] = {}
    for log in logs:
        place = identity_of(log) if is_url(log) else os.path.abspath(log)
        if place in places:
            refuse_same(places[place], log)
        places[place] = log


def refuse_same(one: str, other: str) -> None:
    """Raise UsageError for one log that is named twice, maybe in two ways."""
    name, other_name = storage.shown(one), storage.shown(other)
    if one == other:
        raise UsageError(f"{name} is named twice; name it once")
    if identity_of(one) == identity_of(other):
        raise UsageError(f"{name} and {other_name} are the same log; name it once")


def _refuse_standard_input(log: str, folder: str, suffix: str) -> None:
    if log == "-":
        raise UsageError(
            f"standard input has no name for a file in {folder};"
            f" give a file name, as in -o {joined(folder, 'run' + suffix)}"
        )


def _identities(logs: list[str]) -> set[Identity]:
    """Return device and inode of each log that exists, and the names of URLs."""
    found: set[Identity] = set()
    for log in logs:
        if is_url(log):
            found.add(identity_of(log))
            continue
        with contextlib.suppress(OSError, ValueError):
            state = os.stat(0 if log == "-" else log)
            found.add((state.st_dev, state.st_ino))
    return found


def identity_of(path: str) -> str:
    """Return the same for two paths of one place."""
    if is_url(path):
        from convert.storage.addresses import identity

        return identity(path)
    return os.path.realpath(path)


def _joined(folder: str, path: str) -> str:
    """Return a path in a folder of this machine or at a URL."""
    return joined(folder, *path.replace(os.sep, "/").split("/"))


def _refuse_file(folder: str) -> None:
    """Raise UsageError for a folder that is a file, or would be in one.

    Raises OutputError for a URL that cannot be written to.
    """
    if is_url(folder):
        from convert.source.stores import check_place

        check_place(folder)
    if file := file_among_folders(os.path.join(folder, "")):
        from convert.cli.display import shown_path

        what = "is a file, not a folder; choose another with -o"
        raise UsageError(f"{shown_path(file)} {what}")


def _refuse(
    output: str | int, name: str, inputs: set[Identity], other: str = "file"
) -> None:
    if isinstance(output, str) and is_url(output):
        if identity_of(output) in inputs:
            _refuse_log(name, other)
        return
    try:
        old = os.stat(output)
    except (OSError, ValueError):
        return
    is_kept = stat.S_ISREG(old.st_mode) or stat.S_ISFIFO(old.st_mode)
    if is_kept and (old.st_dev, old.st_ino) in inputs:
        _refuse_log(name, other)


def _refuse_log(name: str, other: str) -> NoReturn:
    raise UsageError(f"{name} is one of the logs to read; write to another {other}")
