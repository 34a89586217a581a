"""The logs of a case in each version, when they have been read."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from msgspec import Struct

from convert.diff import Side, settings_for, unrecorded
from convert.errors import EMPTY_LOG, InputError, NotALogError, RunconvError
from convert.options.settings import Settings
from convert.source.names import may_be_log, stem_of
from convert.suite.case_names import masked
from convert.wording.paths import spelled

# Reads a log by its path, with the rules of the settings; raises RunconvError for one
# that cannot be read.
Read = Callable[[str, Settings], Side]


class CaseLog(Struct, frozen=True):
    """A log that has been read."""

    path: str
    """Its path, as reports spell it."""

    side: Side


class CaseLogs(Struct):
    """The files of one side of a case."""

    logs: list[CaseLog] = []

    others: list[str] = []
    """The files that are no logs."""

    failures: list[str] = []
    """The messages about logs that cannot be read."""

    broken: dict[str, str] = {}
    """The files in place of logs that hold no event, and why they are none.

    A version that crashes at once leaves them, empty or with a message.
    """


def read_all(
    sides: Sequence[tuple[str, ...]], read: Read, settings: Settings
) -> tuple[list[CaseLogs], Settings]:
    """Read the logs of each version, and return them with the settings for the case.

    A trajectory brings settings of its own, which hold for the logs next to it as well.
    Raises InputError for settings that it cannot honour.
    """
    found: list[CaseLogs] = []
    for paths in sides:
        logs = _read_side(paths, read, settings)
        theirs = _brought(logs, settings)
        if theirs != settings and found:
            # Those before it were read without these settings.
            return read_all(sides, read, theirs)
        settings = theirs
        found.append(logs)
    return found, settings


def _brought(found: CaseLogs, settings: Settings) -> Settings:
    for log in found.logs:
        try:
            settings = settings_for(log.side, settings)
        except InputError as error:
            raise InputError(f"{log.path}: {error.message}") from error
    return settings


def _read_side(paths: tuple[str, ...], read: Read, settings: Settings) -> CaseLogs:
    found = CaseLogs()
    for path in paths:
        try:
            found.logs.append(CaseLog(spelled(path), read(path, settings)))
        except RunconvError as error:
            if _is_of_other_file(error, path):
                found.others.append(path)
            elif isinstance(error, InputError) and error.message == EMPTY_LOG:
                found.broken[spelled(path)] = EMPTY_LOG
            else:
                name = spelled(path)
                at = f"{name}:{error.line}" if error.line else name
                found.failures.append(f"{at}: {error.message}")
    return found


def _is_of_other_file(error: RunconvError, path: str) -> bool:
    """Tell if an error shows that a file is no log; an empty one tells by its name."""
    is_empty = isinstance(error, InputError) and error.message == EMPTY_LOG
    return isinstance(error, NotALogError) or (is_empty and not may_be_log(path))


def require_of_each(found: CaseLogs, settings: Settings) -> None:
    """Count logs as failures that do not record what the settings require.

    Two logs are checked when they are compared. Repeated runs are not all compared, and
    one that lacks something must not hide among the others.
    """
    reasons = [(log, unrecorded(log.side, settings)) for log in found.logs]
    found.failures += [f"{log.path}: {reason}" for log, reason in reasons if reason]
    found.logs = [log for log, reason in reasons if not reason]


def refuse_broken(sides: Sequence[CaseLogs]) -> None:
    """Count files in place of logs as logs that cannot be read."""
    for side in sides:
        side.failures += [f"{log}: {message}" for log, message in side.broken.items()]
        side.broken.clear()


def expect_logs(sides: Sequence[CaseLogs]) -> None:
    """Take files for broken logs that are named as the logs of the case.

    Otherwise, a run that crashes with a message would pass for none, and its case for
    one that is missing.
    """
    logs = [log.path for side in sides for log in side.logs]
    if not logs:
        return
    names = {*map(_name_of, logs)}
    advice = "repair or remove it, or name its format"
    for side in sides:
        for path in filter(may_be_log, [*side.others]):
            if not side.logs or _name_of(path) in names:
                side.others.remove(path)
                message = f"no log of an agent, as {logs[0]} is; {advice}"
                side.broken[spelled(path)] = message


def _name_of(path: str) -> tuple[tuple[str, ...], str]:
    """Return the name of a file without numbers, and its suffixes."""
    stem = stem_of(path)
    name = stem.replace("\\", "/").rpartition("/")[2]
    return masked(name), path.removeprefix(stem)
