"""Comparing versions from Python: folders of runs, case by case.

    from convert.suite import compare_folders, report

    suite = compare_folders("monday", "tuesday")
    print(suite.verdict.word, suite.verdict.success)
    print(report(suite), end="")

The work is done in `convert.suites`. Comparing prints nothing, and printing compares
nothing.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence

from convert.diff.reports import ReportOptions
from convert.errors import InputError, UsageError
from convert.options.conversion import Reading
from convert.options.option_set import invalid_value
from convert.options.settings import Settings, SuiteSettings
from convert.source.globs import Globs
from convert.source.places import forget, is_folder
from convert.suites.case_comparison import Comparing, WarnOf
from convert.suites.logs import folders_of, version_names
from convert.suites.reports import OF_VERSIONS, REPORTS, rooms_for
from convert.suites.reports import report as report_of
from convert.suites.suite_result import Suite
from convert.suites.versions import cases_in, compared, judged_suite
from convert.wording.escapes import repair_surrogates
from convert.wording.paths import local_path, spelled

__all__ = ["SuiteSettings", "compare_folders", "compare_versions", "report"]

_Path = str | os.PathLike[str]
_FEWEST = 2


def compare_folders(
    a: _Path,
    b: _Path,
    format: str = "auto",
    *,
    globs: tuple[str, ...] = (),
    run: int | None = None,
    settings: Settings | None = None,
    suite: SuiteSettings | None = None,
    reading: Reading | None = None,
    reports: Iterable[str] = ("table", "unified", "markdown"),
    by_findings: bool = False,
    warn: WarnOf | None = None,
) -> Suite:
    """Compare the logs of two folders case by case; `a` is the baseline.

    `globs` choose among the files, as `--glob` does, and `suite` holds the limits of
    the suite. `reports` are those that `report` is to make: the others lack the reports
    of single cases. With `by_findings`, findings decide as with `--fail-on`. `warn` is
    called with the path of a log, and then as that of `convert.read`. The other
    arguments are those of `convert.compare`. Logs that cannot be read are counted in
    the sides of their cases. Raises InputError for a folder without logs, and for two
    folders without any pair.
    """
    made = compare_versions(
        [a, b],
        format,
        globs=globs,
        run=run,
        settings=settings,
        suite=suite,
        reading=reading,
        reports=reports,
        by_findings=by_findings,
        names=[os.fspath(a), os.fspath(b)],
        warn=warn,
    )
    made.can_fail = True
    return made


def compare_versions(
    folders: Sequence[_Path],
    format: str = "auto",
    *,
    globs: tuple[str, ...] = (),
    run: int | None = None,
    settings: Settings | None = None,
    suite: SuiteSettings | None = None,
    reading: Reading | None = None,
    reports: Iterable[str] = ("table", "markdown"),
    by_findings: bool = False,
    names: Sequence[str] | None = None,
    warn: WarnOf | None = None,
) -> Suite:
    """Compare the folders of two versions or more, in their order.

    `names` are those of the versions in reports; by default, the last parts of the
    paths. The other arguments are those of `compare_folders`.
    """
    if isinstance(folders, str | bytes | os.PathLike):
        raise TypeError("folders are several paths, as in ['v1', 'v2']")
    if len(folders) < _FEWEST:
        raise UsageError("a comparison takes the folders of two versions or more")
    forget()
    paths = [local_path(os.fspath(folder)) for folder in folders]
    for path in paths:
        if not is_folder(path):
            raise InputError(f"{path!r} is no folder; check the path")
    found = folders_of(paths, Globs(globs))
    shown = tuple(map(spelled, names)) if names else version_names(paths)
    how = Comparing(
        folders=tuple(paths),
        names=shown,
        sources=(format,) * len(paths),
        directories=("",) * len(paths),
        run=run,
        is_strict=False,
        reading=Reading.or_default(reading),
        settings=Settings.or_default(settings),
        suite=SuiteSettings.or_default(suite),
        options=ReportOptions(shown[0], shown[-1]),
        rooms=rooms_for(reports),
        fails_on_findings=by_findings,
        warn=warn or (lambda path, line, reason, action: None),
    )
    grouped = cases_in(found, how, map)
    outcomes = [compared(how, case) for case in grouped.cases]
    return judged_suite(outcomes, how, found, grouped)


def report(
    suite: Suite,
    format: str = "table",
    *,
    full: bool = False,
    verbose: bool = False,
    width: int = 100,
    name: str = "default",
) -> str:
    """Return the comparison of versions as text; see `convert.report`.

    Raises UsageError for a value that one of the arguments cannot have.
    """
    known = {**(REPORTS if len(suite.names) == 2 else {}), **OF_VERSIONS}
    if format not in known:
        raise invalid_value("format", format, f"choose from {', '.join(known)}")
    options = ReportOptions(
        suite.a, suite.b, is_full=full, is_verbose=verbose, width=width, name=name
    )
    lines = report_of(format)(suite, options)
    return "".join(f"{repair_surrogates(line.text)}\n" for line in lines)
