"""The table `findings`: a row for each difference of a candidate.

It joins two wings, so it is above both: `suites` compares, and `scale` writes the rows.
A case that cannot be compared has one row, too, so that none is missing.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from msgspec.structs import replace

from convert.diff.reports import ReportOptions
from convert.errors import ExitStatus, UsageError
from convert.options.conversion import Reading
from convert.scale.tables.rows import call_id, log_name, run_id, text
from convert.scale.tables.schema import FindingRow
from convert.source.places import is_folder
from convert.suites.case_result import CaseFinding, CaseResult, Change
from convert.suites.suite_result import Suite
from convert.wording.paths import joined, spelled

if TYPE_CHECKING:
    from convert.cli.reports import Output
    from convert.scale.tables.command import Request

# The options with the same meaning as in `diff`.
_OF_DIFF = {*Reading.options()} | {
    *("source", "run", "strict", "globs", "config", "quiet", "output"),
    *("engine", "scheduler"),
}


def write_findings(request: Request) -> int:
    """Compare two folders or two logs, and write the rows; return the exit status."""
    from convert.scale.tables.command import output_of, write_to

    _check(request)
    suite = _suite(request)
    if suite is None:
        return ExitStatus.TROUBLE
    with output_of(request) as output:
        write_to(output, rows(suite), request.columns, request)
        output.is_wanted = True
    # A table without the findings of some case is not complete.
    is_whole = not any(case.fate == "trouble" for case in suite.cases)
    return ExitStatus.CONVERTED if is_whole else ExitStatus.TROUBLE


def _check(request: Request) -> None:
    """Raise UsageError for a command line that makes no sense."""
    if len(request.logs) != 2 or request.command.files_from is not None:
        raise UsageError(
            "table findings takes two folders or two logs, the baseline and the"
            " candidate; see runconv table --help"
        )
    if request.command.resume:
        raise UsageError("--resume is for the rows of logs; leave it out")
    if request.folder:
        raise UsageError(
            "findings go into one file; name it, as in -o"
            f" {joined(request.folder, 'findings.parquet')}"
        )


def _suite(request: Request) -> Suite | None:
    """Return the comparison; None if a log cannot be read, which is printed."""
    from convert.cli import diff
    from convert.cli.destination import refuse_output

    of_diff = diff.Request(request.given.only(_OF_DIFF))
    of_diff.logs = request.logs
    # In `diff`, it is about the report; here, the rows are written anyway.
    of_diff.named.pop("quiet", None)
    if any(map(is_folder, request.logs)):
        from convert.suites.diff_and_matrix import check_folders, compared_folders

        def outputs_of(logs: list[str]) -> list[Output]:
            refuse_output(request.command.output, logs)
            return []

        check_folders(request.logs)
        return compared_folders(of_diff, outputs_of)[0]
    from convert.cli.logs import check_logs
    from convert.suites.case_comparison import suite_of_pair

    check_logs(request.logs)
    refuse_output(request.command.output, request.logs)
    _, settings = diff.settings_of(of_diff)
    compared = diff.compare_logs(of_diff, settings)
    if compared is None:
        return None
    a, b = of_diff.logs
    return suite_of_pair(compared, (a, b), options_of(a, b), {})


def rows(suite: Suite) -> Iterator[FindingRow]:
    """Yield a row for each finding, those of the worst case first.

    Repeated runs have a row for each change that some of them show.
    """
    for case in suite.cases:
        # One that was not compared has a row of its own.
        if case.fate in ("missing", "new", "trouble"):
            yield _row_of_case(case)
        if case.behaviour is not None:
            yield from (_row_of_change(each, case) for each in case.behaviour.changes)
            continue
        for finding in case.findings:
            yield _row(finding, case)


def options_of(a: str, b: str) -> ReportOptions:
    """Return how findings are put into words."""
    return ReportOptions(spelled(a), spelled(b))


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
    """Return the logs of both sides that findings are about; None for a missing one."""
    a, b = (side.log or next(iter(side.logs), "") for side in (case.a, case.b))
    return (log_name(a) if a else None, log_name(b) if b else None)


def _run_id(log: str | None, run: int | None) -> str | None:
    return None if log is None or run is None else run_id(log, run)


def _own(call: str) -> int | None:
    """Return the number of a call of the run itself: 5 for its step `5.2`."""
    return int(call.partition(".")[0]) if call else None


def _call_id(run: str | None, call: str) -> str | None:
    return None if run is None or not call else call_id(run, [call])
