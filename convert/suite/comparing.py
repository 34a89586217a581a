"""The comparison of one case: from its logs to its result."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from msgspec import Struct

from convert.diff import Comparison, Side, compare_as_named
from convert.diff.reports.appearance import Look
from convert.diff.reports.verdict import headline, verdict
from convert.diff.setting_names import check_names
from convert.errors import EMPTY_LOG, InputError, NotALogError, RunconvError, UsageError
from convert.options.settings import SEVERITIES, Settings, Severity
from convert.source.names import may_be_log
from convert.suite.blocks import Room, block
from convert.suite.cases import Case
from convert.suite.findings import findings_of
from convert.suite.results import CaseResult, CaseSide, Fate
from convert.suite.suite import Suite, rank, worst_first

# Reads a log by its path; raises RunconvError for one that cannot be read.
Read = Callable[[str], Side]


class Comparing(Struct, frozen=True):
    """How cases are compared, the same for each of them."""

    settings: Settings

    look: Look
    """How reports look; the names are those of both folders."""

    rooms: dict[str, Room]
    """The reports of a pair that are wanted, and how many there is room for."""

    folders: tuple[str, str] = ("", "")
    """The paths of both folders, which their names replace in those of logs."""


class Outcome(Struct):
    """The result of comparing a case, and what it tells about its files."""

    result: CaseResult | None
    """The result; None if none of the files is a log."""

    others: tuple[str, ...] = ()
    """The files that are no logs."""

    is_compared: bool = False
    """Two logs were compared."""

    misnamed: str = ""
    """The message about a name in settings that these do not know."""

    @property
    def trouble(self) -> str:
        """The message about why the case could not be compared; "" if it could."""
        result = self.result
        return result.headline if result and result.fate == "trouble" else ""


class _Read(NamedTuple):
    """The files of one side of a case, when they have been read."""

    logs: list[tuple[str, Side]]
    others: list[str]
    """The files that are no logs."""

    failures: list[str]
    """The messages about logs that cannot be read."""


def compare_case(case: Case, read: Read, how: Comparing) -> Outcome:
    """Compare the logs of a case; one that cannot be read makes it trouble."""
    if case.trouble:
        return Outcome(in_trouble(case, case.trouble))
    a, b = (_all_read(paths, read) for paths in (case.a, case.b))
    _expect_logs(a, b)
    _expect_logs(b, a)
    others = (*a.others, *b.others)
    if trouble := _trouble(case, a, b):
        return Outcome(in_trouble(case, trouble), others)
    if not (a.logs or b.logs):
        return Outcome(None, others)
    if not (a.logs and b.logs):
        return Outcome(_alone(case, a, b, how), others)
    return _compared(case, a.logs[0], b.logs[0], how, others)


def in_trouble(case: Case, message: str) -> CaseResult:
    """Return the result of a case that cannot be compared."""
    a, b = CaseSide(logs=case.a), CaseSide(logs=case.b)
    return CaseResult(name=case.name, fate="trouble", headline=message, a=a, b=b)


def suite_of(outcomes: list[Outcome], how: Comparing) -> Suite:
    """Return the suite of all cases, with the reports that there is room for.

    Raises UsageError if no log of any case knows a name in the settings.
    """
    names = [each.misnamed for each in outcomes if each.is_compared]
    if names and all(names):
        raise UsageError(names[0])
    cases = worst_first([each.result for each in outcomes if each.result])
    for name, room in how.rooms.items():
        with_block = [case for case in cases if name in case.blocks]
        for case in with_block[room.most :] if room.most is not None else ():
            del case.blocks[name]
    return Suite(how.look.a, how.look.b, cases, how.settings)


def _all_read(paths: tuple[str, ...], read: Read) -> _Read:
    found = _Read([], [], [])
    for path in paths:
        try:
            found.logs.append((path, read(path)))
        except RunconvError as error:
            at = f"{path}:{error.line}" if error.line else path
            if _is_of_other_file(error, path):
                found.others.append(path)
            else:
                found.failures.append(f"{at}: {error.message}")
    return found


def _is_of_other_file(error: RunconvError, path: str) -> bool:
    """Tell if an error shows that a file is no log; an empty one tells by its name."""
    is_empty = isinstance(error, InputError) and error.message == EMPTY_LOG
    return isinstance(error, NotALogError) or (is_empty and not may_be_log(path))


def _expect_logs(one: _Read, other: _Read) -> None:
    """Count files with the suffix of logs as failures where the other side has a log.

    Otherwise, the case would pass for one that is missing or new.
    """
    if one.logs or not other.logs:
        return
    for path in filter(may_be_log, [*one.others]):
        one.others.remove(path)
        log, _ = other.logs[0]
        message = f"no log of the agent, as {log} is; repair or remove it"
        one.failures.append(f"{path}: {message}")


def _trouble(case: Case, a: _Read, b: _Read) -> str:
    """Return why a case cannot be compared; "" if it can."""
    failures = [*a.failures, *b.failures]
    for side in (a, b):
        if len(side.logs) > 1 and not case.is_repeated:
            names = " and ".join(path for path, _ in side.logs)
            failures.append(f"{names}: logs of one case; remove or rename all but one")
    return "; ".join(dict.fromkeys(failures))


def _alone(case: Case, a: _Read, b: _Read, how: Comparing) -> CaseResult:
    """Return the result of a case that only one side has."""
    fate: Fate = "missing" if a.logs else "new"
    severity: Severity = "critical" if a.logs else "minor"
    return CaseResult(
        name=case.name,
        fate=fate,
        severity=severity,
        is_different=_decides(severity, how.settings),
        headline=f"{fate} ({severity}): only in {_place(case, a, b, how)}",
        a=_lone_side(a),
        b=_lone_side(b),
    )


def _place(case: Case, a: _Read, b: _Read, how: Comparing) -> str:
    """Return the side that a case is on, and the log if its name does not tell."""
    side = 0 if a.logs else 1
    folder = (how.look.a, how.look.b)[side]
    path, _ = (a.logs or b.logs)[0]
    return folder if case.name in path else f"{folder}: {_renamed(path, side, how)}"


def _decides(severity: Severity, settings: Settings) -> bool:
    least = SEVERITIES.index(settings.fail_on)
    return SEVERITIES.index(severity) >= least


def _lone_side(found: _Read) -> CaseSide:
    """Return the logs of one side of a case that the other side lacks."""
    if not found.logs:
        return CaseSide()
    paths = tuple(path for path, _ in found.logs)
    return _side(paths, found.logs[0])


def _side(paths: tuple[str, ...], log: tuple[str, Side]) -> CaseSide:
    from convert.facts.figures import total

    path, side = log
    figures = total(run.figures for run in side.runs)
    return CaseSide(
        logs=paths,
        log=path,
        state=side.runs[-1].run.state if side.runs else None,
        calls=figures.calls,
        duration_ms=figures.duration_ms,
        tokens=figures.used_tokens,
    )


def _compared(
    case: Case,
    a: tuple[str, Side],
    b: tuple[str, Side],
    how: Comparing,
    others: tuple[str, ...],
) -> Outcome:
    """Compare one log with one log."""
    misnamed = _misnamed(a[1], b[1], how.settings)
    try:
        comparison = compare_as_named(a[1], b[1], how.settings)
    except InputError as error:
        message = f"{a[0]}, {b[0]}: {error.message}"
        return Outcome(in_trouble(case, message), others)
    sides = [_side((log[0],), log) for log in (a, b)]
    result = _result(case, comparison, sides[0], sides[1])
    _add_blocks(result, comparison, how)
    return Outcome(result, others, True, misnamed)


def _misnamed(a: Side, b: Side, settings: Settings) -> str:
    """Return the message about a name in settings; "" if the logs know all names."""
    try:
        check_names(settings, [*a.runs, *b.runs])
    except UsageError as error:
        return error.message
    return ""


def _result(case: Case, comparison: Comparison, a: CaseSide, b: CaseSide) -> CaseResult:
    result = CaseResult(
        name=case.name,
        fate=verdict(comparison),
        severity=comparison.severity,
        is_different=comparison.is_different,
        headline=headline(comparison),
        a=a,
        b=b,
    )
    if comparison.level == "calls":
        result.counts = comparison.counts
    return result


def _add_blocks(result: CaseResult, comparison: Comparison, how: Comparing) -> None:
    """Add the findings, and the reports as far as there is room for them."""
    look = how.look
    if result.fate == "same" and not look.is_verbose:
        return
    a, b = _renamed(result.a.log, 0, how), _renamed(result.b.log, 1, how)
    look = Look(a, b, look.is_full, look.is_verbose, look.width)
    result.findings = findings_of(comparison, look)
    if result.is_different or look.is_verbose:
        for name, room in how.rooms.items():
            if room.has(rank(result)):
                result.blocks[name] = block(name, comparison, look)


def _renamed(log: str, side: int, how: Comparing) -> str:
    """Return the name of a log in reports: its path, below the name of its folder."""
    folder, name = how.folders[side], (how.look.a, how.look.b)[side]
    if name == folder or not log.startswith(folder):
        return log
    return f"{name}/{log.removeprefix(folder).lstrip('/')}"
