"""The command `table findings`: two folders or two logs to the rows that differ."""

from __future__ import annotations

from typing import TYPE_CHECKING

from convert.errors import ExitStatus, UsageError
from convert.options import Reading
from convert.storage import is_folder, joined

if TYPE_CHECKING:
    from convert.cli.reports_asked import Output
    from convert.cli.table import Asked
    from convert.suite.model import Suite
    from convert.suite.reports import ReportFormat

# The options that mean for the comparison what they mean for `diff`.
_OF_DIFF = {*Reading.options()} | {
    *("source", "run", "strict", "globs", "config", "quiet", "output"),
    *("engine", "scheduler"),
}


def write_findings(asked: Asked) -> int:
    """Compare two folders or two logs, and write the rows; return the exit status."""
    from convert.cli.table_output import output_of, write_to
    from convert.tables.finding_rows import rows

    _check(asked)
    suite = _suite(asked)
    if suite is None:
        return ExitStatus.TROUBLE
    with output_of(asked) as output:
        write_to(output, rows(suite), asked)
        output.is_wanted = True
    # A table that lacks the findings of a case is no whole table.
    is_whole = not any(case.fate == "trouble" for case in suite.cases)
    return ExitStatus.CONVERTED if is_whole else ExitStatus.TROUBLE


def _check(asked: Asked) -> None:
    """Raise UsageError for a command line that cannot be meant."""
    if len(asked.logs) != 2 or asked.command.files_from is not None:
        raise UsageError(
            "table findings takes two folders or two logs, the baseline and the"
            " candidate; see runconv table --help"
        )
    if asked.command.resume:
        raise UsageError("--resume is for the rows of logs; leave it out")
    if asked.folder:
        file = joined(asked.folder, "findings.parquet")
        raise UsageError(f"findings go into one file; name it, as in -o {file}")


def _suite(asked: Asked) -> Suite | None:
    """Return what differs; None if a log cannot be read, which has been printed."""
    from convert.cli import diff

    of_diff = diff.Asked(asked.given.only(_OF_DIFF))
    of_diff.logs = asked.logs
    # For `diff`, it is about the report; the rows are written all the same.
    of_diff.named.pop("quiet", None)
    if any(map(is_folder, asked.logs)):
        from convert.cli.diff_folders import check_folders, compared_folders

        def outputs_of(logs: list[str]) -> list[Output[ReportFormat]]:
            _refuse(asked, logs)
            return []

        check_folders(asked.logs)
        return compared_folders(of_diff, outputs_of)[0]
    from convert.cli.logs import check_logs
    from convert.suite.pair import suite_of_pair
    from convert.tables.finding_rows import look_of

    check_logs(asked.logs)
    _refuse(asked, asked.logs)
    _, settings = diff.settings_of(of_diff)
    compared = diff.compare_logs(of_diff, settings)
    if compared is None:
        return None
    a, b = of_diff.logs
    return suite_of_pair(compared, (a, b), look_of(a, b), {})


def _refuse(asked: Asked, logs: list[str]) -> None:
    """Raise UsageError if the output is one of the logs."""
    from convert.cli.paths import refuse_input

    path = asked.command.output
    if path in (None, "-"):
        refuse_input(1, "standard output", logs)
    else:
        refuse_input(path or "", path or "", logs)
