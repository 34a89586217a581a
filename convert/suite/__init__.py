"""Comparing folders of runs: the cases of a baseline and of a candidate.

folders -> cases -> results of cases -> suite -> report

folders         the logs of both sides
pairing         the cases that they make; cases: by path or prompt, prompts: of logs
comparing       the logs of a case to its outcome; case_logs: its files,
                case_results: its result, findings: what differs in it,
                blocks: the report of it, as far as there is room
goldens         several goldens of a case, any of which a run may match;
                golden_files: whether a run may replace one, and what it lacks
limits          how much cases may use, and how many runs must succeed
medians         the figure of several runs
chance          how easily chance alone makes such a difference
repeated        what repeated runs of a case show, in figures
repeated_runs   comparing them: what is steady, and what may be chance; repeated_pairs:
                two by two, repeated_keys: which findings are the same,
                repeated_findings: those that are listed,
                repeated_figures: how they ended and what they used,
                repeated_limits: what one of them may use
results         what a comparison found out about a case, small enough for thousands
suite           all results, the worst first, and the verdict on them; collecting: made
                from the outcomes, folder_comparison: for callers in Python
matrix          several versions side by side
pair            two logs as a suite of one case
reports         what is printed

A case is one task. Where it has several runs on each side, these are repeated runs, and
chance decides how much a difference between them says.

Comparing prints nothing, and printing compares nothing.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import TYPE_CHECKING

from convert.options.suite import SuiteSettings

if TYPE_CHECKING:
    from convert.options import Reading
    from convert.options.settings import Settings
    from convert.suite.folder_comparison import WarnOf
    from convert.suite.suite import Suite

__all__ = ["SuiteSettings", "compare_folders", "report"]


def compare_folders(
    a: str | os.PathLike[str],
    b: str | os.PathLike[str],
    format: str = "auto",
    *,
    globs: tuple[str, ...] = (),
    run: int | None = None,
    settings: Settings | None = None,
    suite: SuiteSettings | None = None,
    reading: Reading | None = None,
    reports: Iterable[str] = ("table", "unified", "markdown"),
    warn: WarnOf | None = None,
) -> Suite:
    """Compare the logs of two folders case by case; `a` is the baseline.

    `globs` choose among the files, as `--glob` does, and `suite` holds the limits of
    the suite. `reports` are those that `report` is to make: the others lack what
    differs inside the cases. `warn` is called with the path of a log, and then as that
    of `convert.read`. The other arguments are those of `convert.compare`. A log that
    cannot be read makes its case trouble. Raises InputError for a folder without logs,
    and for two folders without any pair.
    """
    from convert.options import Reading
    from convert.options.settings import Settings
    from convert.storage import forget, local_path
    from convert.suite.folder_comparison import Asked, compare

    forget()
    asked = Asked(
        format,
        run,
        Settings.or_default(settings),
        SuiteSettings.or_default(suite),
        Reading.or_default(reading),
        warn or (lambda path, line, reason, action: None),
    )
    folders = local_path(os.fspath(a)), local_path(os.fspath(b))
    return compare(*folders, globs, reports, asked)


def report(
    suite: Suite,
    format: str = "table",
    *,
    full: bool = False,
    verbose: bool = False,
    width: int = 100,
    name: str = "default",
) -> str:
    """Return the comparison of two folders as text; see `convert.report`.

    Raises UsageError for a value that one of the arguments cannot have.
    """
    from convert.diff.reports.appearance import Look
    from convert.options.option_set import invalid_value
    from convert.suite import reports
    from convert.wording.sanitise import repair_surrogates

    if format not in reports.REPORTS:
        advice = f"choose from {', '.join(reports.REPORTS)}"
        raise invalid_value("format", format, advice)
    look = Look(
        suite.a, suite.b, is_full=full, is_verbose=verbose, width=width, name=name
    )
    lines = reports.report(format)(suite, look)
    return "".join(f"{repair_surrogates(line.text)}\n" for line in lines)
