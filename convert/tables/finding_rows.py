"""The table `findings`: a row for each difference between a baseline and a candidate.

A case that cannot be compared has one row, too, so that none is missing.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from convert.diff.reports.appearance import Look
from convert.errors import UsageError, Warn
from convert.options import Reading
from convert.options.settings import Settings
from convert.storage import is_folder, shown
from convert.suite.model import CaseFinding, CaseResult, Change, Suite
from convert.tables.cells import call_id, log_name, run_id, text
from convert.tables.rows import FindingRow
from convert.wording.paths import spelled

# How a case turned out that has a row of its own.
_NOT_COMPARED = ("missing", "new", "trouble")


def rows(suite: Suite) -> Iterator[FindingRow]:
    """Yield a row for each finding, those of the worst case first.

    Repeated runs have a row for each change that some of them show.
    """
    for case in suite.cases:
        if case.fate in _NOT_COMPARED:
            yield _row_of_case(case)
        if case.behaviour is not None:
            yield from (_row_of_change(each, case) for each in case.behaviour.changes)
            continue
        for finding in case.findings:
            yield _row(finding, case)


def rows_of(
    a: str,
    b: str,
    format: str,
    run: int | None,
    settings: Settings | None,
    reading: Reading | None,
    warn: Warn,
) -> Iterator[FindingRow]:
    """Compare two folders or two logs, and yield a row for each finding."""
    if is_folder(a) != is_folder(b):
        names = f"{shown(a)!r} and {shown(b)!r}"
        raise UsageError(f"one of {names} is a folder; name two, or two logs")
    if not is_folder(a):
        from convert.diff import compare
        from convert.suite.pair import suite_of_pair

        compared = compare(
            a, b, format, run=run, settings=settings, reading=reading, warn=warn
        )
        yield from rows(suite_of_pair(compared, (a, b), look_of(a, b), {}))
        return
    from convert.suite import compare_folders

    yield from rows(
        compare_folders(
            a,
            b,
            format,
            run=run,
            settings=settings,
            reading=reading,
            reports=(),
            warn=lambda path, line, reason, action: warn(line, reason, action),
        )
    )


def look_of(a: str, b: str) -> Look:
    """Return how findings are put into words."""
    return Look(spelled(a), spelled(b))


def _row_of_case(case: CaseResult) -> FindingRow:
    log_a, log_b = _logs(case)
    return FindingRow(
        case=case.name,
        log_a=log_a,
        log_b=log_b,
        run_a=None,
        run_b=None,
        run_id_a=None,
        run_id_b=None,
        category=case.fate,
        severity=None if case.severity == "none" else case.severity,
        finding=text(case.headline) or case.fate,
        call_a=None,
        call_b=None,
        call_id_a=None,
        call_id_b=None,
        path=None,
        line_a=None,
        line_b=None,
        is_better=False,
        waived=None,
        runs_a=None,
        runs_b=None,
    )


def _row_of_change(change: Change, case: CaseResult) -> FindingRow:
    is_of_b = change.log in case.b.logs
    row = _row_of_case(case)
    return replace(
        row,
        log_a=None if is_of_b else log_name(change.log),
        log_b=log_name(change.log) if is_of_b else None,
        category=change.category,
        severity=change.severity,
        finding=text(change.what) or change.category,
        line_a=None if is_of_b else change.line,
        line_b=change.line if is_of_b else None,
        runs_a=change.a,
        runs_b=change.b,
    )


def _row(finding: CaseFinding, case: CaseResult) -> FindingRow:
    log_a, log_b = _logs(case)
    run_a, run_b = _run_id(log_a, finding.run_a), _run_id(log_b, finding.run_b)
    return FindingRow(
        case=case.name,
        log_a=log_a,
        log_b=log_b,
        run_a=finding.run_a,
        run_b=finding.run_b,
        run_id_a=run_a,
        run_id_b=run_b,
        category=finding.category,
        severity=finding.severity,
        finding=text(finding.what) or finding.category,
        call_a=_own(finding.call_a),
        call_b=_own(finding.call_b),
        call_id_a=_call_id(run_a, finding.call_a),
        call_id_b=_call_id(run_b, finding.call_b),
        path=text(finding.path),
        line_a=finding.line_a,
        line_b=finding.line_b,
        is_better=finding.better,
        waived=text(finding.waived),
        runs_a=None,
        runs_b=None,
    )


def _logs(case: CaseResult) -> tuple[str | None, str | None]:
    """Return the logs that findings are about; that of a lone side, or in trouble."""
    a, b = (side.log or next(iter(side.logs), "") for side in (case.a, case.b))
    return (log_name(a) if a else None, log_name(b) if b else None)


def _run_id(log: str | None, run: int | None) -> str | None:
    return None if log is None or run is None else run_id(log, run)


def _own(call: str) -> int | None:
    """Return the number of a call of the run itself: 5 for its step `5.2`."""
    return int(call.partition(".")[0]) if call else None


def _call_id(run: str | None, call: str) -> str | None:
    return None if run is None or not call else call_id(run, [call])
