"""The cases of several versions side by side, and what regressed from one to the next.

    from convert.suite import matrix

    made = matrix.of_folders(["v1", "v2", "v3"])
    for loss in matrix.losses(made):
        print(loss.case, loss.kind, made.columns[loss.at])
    print(matrix.report(made, "markdown"), end="")

events -> summaries of runs -> tries -> cells -> matrix -> lines

tries           a log in figures: how it ended, its calls, its time
grouping        which tries are of one case
cells           the tries of a case in one version; the matrix of all
lost            what succeeds less often than before, and since when
reports         what is printed

A version is a folder, and a try is a log. Its last run says how it ended.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from convert.errors import EMPTY_LOG, InputError, NotALogError, UsageError, Warn, ignore
from convert.storage import base_name, forget, is_folder, is_url, local_path, shown
from convert.suite.matrix.lost import losses
from convert.wording.paths import spelled

if TYPE_CHECKING:
    from convert.options import Reading
    from convert.suite.matrix.cells import Matrix
    from convert.suite.matrix.tries import Try

__all__ = ["losses", "of_folders", "report"]


def of_folders(
    folders: Iterable[str | os.PathLike[str]],
    format: str = "auto",
    *,
    repeat: bool | None = None,
    globs: Sequence[str] = (),
    run: int | None = None,
    warn: Warn | None = None,
    reading: Reading | None = None,
) -> Matrix:
    """Return the cases of several versions, which are named by their folders.

    A log that cannot be read is named in `broken`; files that are no logs are left out.
    `repeat`, `globs` and `run` are the options of `runconv matrix`, the other arguments
    those of `convert.read`. Raises InputError for a folder that cannot be read.
    """
    from convert.options import Reading
    from convert.suite.matrix.cells import matrix_of

    if isinstance(folders, str | bytes | os.PathLike):
        raise TypeError("folders are several paths, as in ['v1', 'v2']")
    forget()
    paths = [local_path(os.fspath(folder)) for folder in folders]
    _check(repeat=repeat, globs=tuple(globs), run=run)
    reading = Reading.or_default(reading)
    versions = [
        [
            made
            for log, inside in _logs_in(path, globs).items()
            if (made := _tried(log, inside, format, run, reading, warn or ignore))
        ]
        for path in paths
    ]
    return matrix_of(names_of(paths), versions, repeat)


def report(
    matrix: Matrix, format: str = "table", *, full: bool = False, width: int = 100
) -> str:
    """Return a matrix as text: a table, markdown, json or csv.

    The arguments are the options of `runconv matrix`. Raises UsageError for a value
    that one of them cannot have.
    """
    from convert.diff.reports.appearance import Look
    from convert.suite.matrix import reports
    from convert.wording.sanitise import repair_surrogates

    format = _check(format=format, full=full, width=width)["format"]
    lines = reports.report(format)(matrix, Look(is_full=full, width=width))
    return "".join(f"{repair_surrogates(line.text)}\n" for line in lines)


def names_of(folders: Sequence[str]) -> list[str]:
    """Return the names of versions: the last parts of their paths, if these differ."""
    names = [*map(_last_part, folders)]
    times = Counter(names)
    found = [
        name if times[name] == 1 else _normal(folder)
        for name, folder in zip(names, folders, strict=True)
    ]
    return [*map(spelled, found)]


def _last_part(folder: str) -> str:
    return base_name(folder if is_url(folder) else os.path.abspath(folder))


def _normal(folder: str) -> str:
    if is_url(folder):
        return shown(folder).rstrip("/")
    return os.path.normpath(folder).replace(os.sep, "/")


def _logs_in(path: str, globs: Sequence[str]) -> dict[str, str]:
    """Return the files of a version; raises InputError for what cannot be read."""
    from convert.source.globs import Globs
    from convert.suite.folders import folder_of

    if not is_folder(path):
        raise UsageError(f"{path} is no folder; name a folder for each version")
    folder = folder_of(path, "", Globs(tuple(globs)))
    for message in folder.failures.values():
        raise InputError(message)
    return folder.logs


def _tried(
    log: str, inside: str, format: str, run: int | None, reading: Reading, warn: Warn
) -> Try | None:
    """Count one log; None for a file that is none."""
    from convert.pipeline import events_of, only
    from convert.source.names import may_be_log
    from convert.stats.summary import NEEDS, Folds
    from convert.suite.matrix.tries import try_of
    from convert.suite.prompts import prompt_beneath

    folds, reason = Folds(), ""
    try:
        events = events_of(log, format, NEEDS, reading.replace(is_found=True), warn)
        for event in events if run is None else only(events, run):
            folds.add(event)
    except NotALogError:
        return None
    except InputError as error:
        if error.message == EMPTY_LOG and not may_be_log(log):
            return None
        reason = error.message
    prompt = prompt_beneath(log, format, reading)
    return try_of(log, inside, folds.take(), reason, prompt)


def _check(**given: Any) -> dict[str, Any]:
    """Return values of options of the command, checked; None is not looked at."""
    from convert.cli.report_options import MatrixOptions

    options = MatrixOptions.options()
    return {
        name: value if value is None else options[name].checked(value, name)
        for name, value in given.items()
    }
