"""Files in a folder of logs that an earlier command has written there."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable
from typing import TYPE_CHECKING

from msgspec.structs import replace

from convert.errors import EMPTY_LOG, InputError, NotALogError, RunconvError, ignore
from convert.storage import base_name, is_url

if TYPE_CHECKING:
    from convert.cli.folders import Named
    from convert.suite.folders import Folder


def without_own(named: Named, output: str | None) -> Named:
    """Return logs without a file in their folder that is written anew, unless a log."""
    if not output or not _is_there(output):
        return named
    own = [
        log
        for log in named.logs
        if log.is_found
        and base_name(log.path) == base_name(output)
        and _is_same(log.path, output)
        and not _is_log(log.path)
    ]
    if not own:
        return named
    logs = [log for log in named.logs if log not in own]
    return replace(named, logs=logs, reports=[log.path for log in own])


def without_outputs(
    folders: Iterable[Folder], outputs: Iterable[str | None]
) -> tuple[list[Folder], list[str]]:
    """Return folders without the files that are written anew, and these.

    The pages next to the page of a suite are among these. A log stays, and so does a
    file in place of one that another folder has: neither may be written to.
    """
    from convert.cli.suite_pages import is_page_of

    folders = [*folders]
    paths = [path for path in outputs if path and _is_there(path)]
    found = {}
    for folder in folders:
        for log in folder.logs if paths else ():
            if any(_is_same(log, path) or is_page_of(log, path) for path in paths):
                found[log] = folder
    left_out = [
        log
        for log, folder in found.items()
        if not (_has_other(log, folder, folders) or _is_log(log))
    ]
    return [folder.without(left_out) for folder in folders], left_out


def _is_there(path: str) -> bool:
    """Tell if a file may be there; that of a URL shows in the list of its folder."""
    return is_url(path) or os.path.isfile(path)


def _is_same(log: str, path: str) -> bool:
    if is_url(path):
        from convert.cli.paths import identity_of

        return is_url(log) and identity_of(log) == identity_of(path)
    with contextlib.suppress(OSError):
        return os.path.samefile(log, path)
    return False


def _has_other(log: str, folder: Folder, folders: Iterable[Folder]) -> bool:
    """Tell if another folder has a file of the same path, but for the suffix."""
    from convert.source.names import stem_of

    stem = stem_of(folder.logs[log])
    others = (each for each in folders if each is not folder)
    return any(stem == stem_of(path) for each in others for path in each.logs.values())


def _is_log(path: str) -> bool:
    """Tell if a file is a log, which its first event shows."""
    from convert.cli.logs import bytes_of
    from convert.model.needs import Needs
    from convert.options import Reading
    from convert.pipeline import events_of

    reading = Reading(is_found=True)
    try:
        next(iter(events_of(bytes_of(path), "auto", Needs(), reading, ignore)), None)
    except NotALogError:
        return False
    except RunconvError as error:
        return not (isinstance(error, InputError) and error.message == EMPTY_LOG)
    return True
