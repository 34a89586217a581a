"""The runs that are approved, each as a case of its own, and their goldens."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from msgspec.structs import replace

from convert.cli.display import shown_path
from convert.cli.paths import identity_of, paths_in
from convert.errors import InputError, UsageError, ignore
from convert.source.names import stem_of
from convert.storage import is_url
from convert.suite.goldens import first_of

if TYPE_CHECKING:
    from convert.cli.folders import Named, NamedLog

SUFFIX = ".json"


def one_per_case(named: Named, source: str) -> tuple[Named, list[str]]:
    """Return runs without the files beside them that are no logs, and those.

    Raises UsageError for two logs of one case, as `t.ndjson` and `t.jsonl`.
    """
    cases: dict[str, list[NamedLog]] = {}
    for log in named.logs:
        cases.setdefault(stem_of(log.place), []).append(log)
    others = []
    for logs in cases.values():
        if len(logs) < 2:
            continue
        if len({identity_of(log.path) for log in logs}) < len(logs):
            raise UsageError(f"{shown_path(logs[0].path)} is named twice; name it once")
        found = [log for log in logs if not log.is_found or _is_log(log.path, source)]
        if len(found) > 1:
            names = " and ".join(shown_path(log.path) for log in found)
            raise UsageError(
                f"{names} are logs of one case; name all but one otherwise"
            )
        others += [log.path for log in logs if log not in (found or logs)]
    logs = [log for log in named.logs if log.path not in others]
    return replace(named, logs=logs), others


def _is_log(path: str, source: str) -> bool:
    """Tell if a file is a log, or one that is damaged."""
    from convert.cli.logs import bytes_of, is_of_other_file
    from convert.diff import read_side
    from convert.options import Reading
    from convert.options.settings import Settings

    reading = Reading(is_found=True)
    if not (is_url(path) or os.path.isfile(path)) or os.path.islink(path):
        return False
    try:
        read_side(bytes_of(path), source, None, reading, Settings(), ignore)
    except InputError as error:
        return not is_of_other_file(error, path)
    return True


def goldens_in(folder: str, named: Named, source: str) -> list[str]:
    """Return the path of the golden of each run in a folder.

    Raises UsageError for one that would belong to another case as well, or where a log
    is the golden of the case already.
    """
    goldens = paths_in(named.logs, folder, SUFFIX)
    inputs = {os.path.realpath(path) for path in named.paths}
    for log, golden in zip(named.logs, goldens, strict=True):
        first = first_of(golden)
        if first and (first in goldens or os.path.lexists(first)):
            raise UsageError(
                f"{shown_path(golden)} would be a further golden of"
                f" {shown_path(first)}; rename {shown_path(log.path)}, or approve it"
                f" alone with -o {shown_path(golden)}"
            )
        for path in _beside(golden):
            if os.path.realpath(path) not in inputs and _is_log(path, source):
                raise UsageError(
                    f"{shown_path(path)} is the golden of {shown_path(log.path)}"
                    " already, as a whole log; remove it, or choose another folder"
                )
    return goldens


def _beside(golden: str) -> list[str]:
    """Return the files beside a golden that have its name but for the suffixes."""
    folder, name = os.path.split(golden)
    stem = stem_of(name)
    try:
        names = sorted(os.listdir(folder or os.curdir))
    except OSError:
        return []
    return [
        os.path.join(folder, other)
        for other in names
        if other != name and stem_of(other) == stem and not other.startswith(".")
    ]
