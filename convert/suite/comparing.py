"""The comparison of one case: from its logs to its result."""

from __future__ import annotations

from msgspec import Struct
from msgspec.structs import replace

from convert.diff import Side, compare_as_named
from convert.diff.setting_names import check_names
from convert.errors import InputError, UsageError
from convert.options.settings import Settings
from convert.suite.case_logs import (
    CaseLog,
    CaseLogs,
    Read,
    both_read,
    expect_logs,
    require_of_each,
)
from convert.suite.case_results import (
    Comparing,
    in_trouble,
    of_lone_side,
    of_pair,
    of_repeated,
)
from convert.suite.cases import Case
from convert.suite.goldens import are_goldens, nearest
from convert.suite.results import CaseResult


class Outcome(Struct):
    """The result of comparing a case, and what it tells about its files."""

    result: CaseResult | None
    """The result; None if none of the files is a log."""

    others: tuple[str, ...] = ()
    """The files that are no logs."""

    is_compared: bool = False
    """Logs were compared."""

    misnamed: str = ""
    """The message about a name in settings that these do not know."""

    @property
    def trouble(self) -> str:
        """The message about why the case could not be compared; "" if it could."""
        result = self.result
        return result.headline if result and result.fate == "trouble" else ""


def compare_case(case: Case, read: Read, how: Comparing) -> Outcome:
    """Compare the logs of a case; one that cannot be read makes it trouble."""
    if case.trouble:
        return Outcome(in_trouble(case, case.trouble))
    try:
        a, b, settings = both_read(case, read, how.settings)
    except InputError as error:
        return Outcome(in_trouble(case, error.message))
    how = replace(how, settings=settings)
    if case.is_repeated and max(len(a.logs), len(b.logs)) > 1:
        require_of_each(a, settings)
        require_of_each(b, settings)
    expect_logs(a, b)
    expect_logs(b, a)
    others = (*a.others, *b.others)
    trouble = _trouble(case, a, b)
    if not (a.logs or b.logs or trouble):
        return Outcome(None, others)
    is_comparable = case.is_repeated or not trouble
    if not (a.logs and b.logs and is_comparable):
        result = in_trouble(case, trouble) if trouble else of_lone_side(case, a, b, how)
        return Outcome(result, others)
    misnamed = _misnamed([*a.logs, *b.logs], how.settings)
    try:
        result = _compared(case, a.logs, b.logs, how)
    except InputError as error:
        return Outcome(in_trouble(case, error.message), others)
    if trouble:
        result.fate, result.headline = "trouble", trouble
    return Outcome(result, others, True, misnamed)


def _compared(
    case: Case, a: list[CaseLog], b: list[CaseLog], how: Comparing
) -> CaseResult:
    if _has_goldens(case, a) and len(b) == 1:
        return _with_nearest(case, a, b[0], how)
    if len(a) > 1 or len(b) > 1:
        return of_repeated(case, a, b, how)
    return of_pair(case, a[0], b[0], how)


def _has_goldens(case: Case, logs: list[CaseLog]) -> bool:
    """Tell if a run may match any of these logs."""
    is_alone = not case.is_repeated and len(logs) > 1
    return is_alone and are_goldens(log.side for log in logs)


def _with_nearest(
    case: Case, goldens: list[CaseLog], run: CaseLog, how: Comparing
) -> CaseResult:
    """Compare a run with the golden that it matches, or that is the nearest."""
    found = {
        golden.path: compare_as_named(golden.side, run.side, how.settings)
        for golden in goldens
    }
    best = nearest(found)
    [golden] = [each for each in goldens if each.path == best]
    result = of_pair(case, golden, run, how)
    if result.is_different:
        result.headline += f"; matches none of {len(goldens):,} goldens"
    return result


def _trouble(case: Case, a: CaseLogs, b: CaseLogs) -> str:
    """Return why a case cannot be compared; "" if it can."""
    failures = [*a.failures, *b.failures]
    for side in (a, b):
        if side is a and _has_goldens(case, a.logs):
            continue
        if len(side.logs) > 1 and not case.is_repeated:
            names = " and ".join(log.path for log in side.logs)
            failures.append(f"{names}: logs of one case; remove or rename all but one")
    return "; ".join(dict.fromkeys(failures))


def _misnamed(logs: list[CaseLog], settings: Settings) -> str:
    """Return the message about a name in settings; "" if the logs know all names."""
    sides: list[Side] = [log.side for log in logs]
    try:
        check_names(settings, [run for side in sides for run in side.runs])
    except UsageError as error:
        return error.message
    return ""
