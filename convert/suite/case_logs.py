"""The logs of one side of a case, when they have been read."""

from __future__ import annotations

from collections.abc import Callable

from msgspec import Struct

from convert.diff import Side, settings_for, unrecorded
from convert.errors import EMPTY_LOG, InputError, NotALogError, RunconvError
from convert.options.settings import Settings
from convert.source.names import may_be_log
from convert.suite.cases import Case
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


def both_read(
    case: Case, read: Read, settings: Settings
) -> tuple[CaseLogs, CaseLogs, Settings]:
    """Read both sides of a case, and return them with the settings for it.

    A trajectory brings settings of its own, which hold for the logs beside it as well.
    Raises InputError for settings that it cannot honour.
    """
    a = all_read(case.a, read, settings)
    settings = _brought(a, settings)
    b = all_read(case.b, read, settings)
    if (theirs := _brought(b, settings)) != settings:
        a = all_read(case.a, read, theirs)
    return a, b, theirs


def _brought(found: CaseLogs, settings: Settings) -> Settings:
    for log in found.logs:
        try:
            settings = settings_for(log.side, settings)
        except InputError as error:
            raise InputError(f"{log.path}: {error.message}") from error
    return settings


def all_read(paths: tuple[str, ...], read: Read, settings: Settings) -> CaseLogs:
    """Read the logs of one side of a case."""
    found = CaseLogs()
    for path in paths:
        try:
            found.logs.append(CaseLog(spelled(path), read(path, settings)))
        except RunconvError as error:
            if _is_of_other_file(error, path):
                found.others.append(path)
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


def expect_logs(one: CaseLogs, other: CaseLogs) -> None:
    """Count files with the suffix of logs as failures where the other side has a log.

    Otherwise, the case would pass for one that is missing or new.
    """
    if one.logs or not other.logs:
        return
    for path in filter(may_be_log, [*one.others]):
        one.others.remove(path)
        advice = "repair or remove it, or name its format"
        message = f"no log of an agent, as {other.logs[0].path} is; {advice}"
        one.failures.append(f"{spelled(path)}: {message}")
