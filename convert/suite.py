"""Comparing versions from Python: folders of runs, case by case.

    from convert.suite import compare_folders, report

    suite = compare_folders("monday", "tuesday")
    print(suite.verdict.word, suite.verdict.success)
    print(report(suite), end="")

The work is done in `convert.suites`. Comparing prints nothing, and printing compares
nothing.
"""

from __future__ import annotations

import functools
import os
from collections.abc import Callable, Iterable, Mapping, Sequence

from msgspec import Struct

from convert.diff import Side, read_side
from convert.diff.reports.options import Look
from convert.errors import InputError, RunconvError, UsageError
from convert.options import Reading
from convert.options.option_set import invalid_value
from convert.options.settings import Settings, SuiteSettings
from convert.pipeline import with_known
from convert.source.folders import Globs
from convert.source.places import forget, is_folder
from convert.suites.case_comparison import CaseOutcome, Comparing, compare_case
from convert.suites.case_reports import rooms_for
from convert.suites.grouping import Case, cases_of
from convert.suites.judging import judged_suite
from convert.suites.logs import (
    Folder,
    Prompts,
    SamePrompt,
    first_prompt,
    folder_of,
    redacted_prompt,
    version_names,
)
from convert.suites.reports import OF_VERSIONS, REPORTS
from convert.suites.reports import report as report_of
from convert.suites.suite_result import Suite
from convert.wording.escapes import repair_surrogates, spelled
from convert.wording.urls import local_path

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
    return compare_versions(
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
    asked = Asked(
        format,
        run,
        Settings.or_default(settings),
        SuiteSettings.or_default(suite),
        Reading.or_default(reading),
        warn or (lambda path, line, reason, action: None),
        by_findings,
    )
    paths = [local_path(os.fspath(folder)) for folder in folders]
    shown = [*map(spelled, names)] if names else version_names(paths)
    return compare(paths, shown, globs, reports, asked)


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
    known = REPORTS if len(suite.names) == 2 else {}
    known = {**known, **OF_VERSIONS}
    if format not in known:
        advice = f"choose from {', '.join(known)}"
        raise invalid_value("format", format, advice)
    look = Look(
        suite.a, suite.b, is_full=full, is_verbose=verbose, width=width, name=name
    )
    lines = report_of(format)(suite, look)
    return "".join(f"{repair_surrogates(line.text)}\n" for line in lines)


# Called with the path of a log, and then as `Warn`.
WarnOf = Callable[[str, int | None, str, str], None]


class Asked(Struct, frozen=True):
    """How the logs of all folders are read and compared."""

    format: str
    run: int | None
    settings: Settings
    suite: SuiteSettings
    reading: Reading
    warn: WarnOf
    fails_on_findings: bool = False


def compare(
    paths: Sequence[str],
    names: Sequence[str],
    globs: tuple[str, ...],
    reports: Iterable[str],
    asked: Asked,
) -> Suite:
    """Compare the folders of two versions or more."""
    chosen = Globs(globs)
    folders = [_folder(path, paths, chosen) for path in paths]
    suite = asked.suite
    how = Comparing(
        settings=asked.settings,
        look=Look(names[0], names[-1]),
        names=tuple(names),
        folders=tuple(paths),
        rooms=rooms_for(reports),
        fails_on_findings=asked.fails_on_findings,
        min_success=suite.min_success,
    )
    grouped = cases_of(folders, suite.pair_by, suite.repeat, _prompts(asked))
    outcomes = [_compared(case, how, asked) for case in grouped.cases]
    return judged_suite(outcomes, how, suite, folders, grouped)


def _folder(path: str, paths: Sequence[str], globs: Globs) -> Folder:
    if not is_folder(path):
        raise InputError(f"{path!r} is no folder; check the path")
    # A folder inside the other counts for its own side only.
    others = [other for other in paths if other != path]
    return folder_of(path, others[0] if len(paths) == 2 and others else "", globs)


def _prompts(asked: Asked) -> Prompts:
    def of(paths: list[str]) -> Mapping[str, str | None]:
        return {path: _prompt(path, asked) for path in paths}

    def redacted(groups: list[SamePrompt]) -> list[str | None]:
        return [_redacted_prompt(group, asked) for group in groups]

    return Prompts(of, redacted if asked.reading.redact else None)


def _prompt(path: str, asked: Asked) -> str | None:
    """Return the prompt of a log; None if it cannot be read, which shows later."""
    reading = asked.reading.replace(is_found=True)
    try:
        return first_prompt(path, asked.format, reading, asked.settings)
    except RunconvError:
        return None


def _redacted_prompt(group: SamePrompt, asked: Asked) -> str | None:
    """Return the prompt of some logs as it is shown; None if one cannot be read."""
    logs = [(functools.partial(str, path), asked.format) for path in group]
    reading = asked.reading.replace(is_found=True)
    try:
        return redacted_prompt(logs, reading, asked.settings)
    except RunconvError:
        return None


def _compared(case: Case, how: Comparing, asked: Asked) -> CaseOutcome:
    reading = asked.reading.replace(is_found=True)
    for path in case.paths if reading.redact else ():
        reading = with_known(path, asked.format, reading)

    def read(path: str, settings: Settings) -> Side:
        def warn(line: int | None, reason: str, action: str) -> None:
            asked.warn(path, line, reason, action)

        return read_side(path, asked.format, asked.run, reading, settings, warn)

    return compare_case(case, read, how)
