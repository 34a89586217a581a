"""Comparing versions: folders of runs, case by case.

    from convert.suite import compare_folders, report

    suite = compare_folders("monday", "tuesday")
    print(suite.verdict.word, suite.verdict.success)
    print(report(suite), end="")

folders -> cases -> results of cases -> verdict -> report

folders         the logs of each version
grouping        which of them are runs of one case; prompts: the prompts of logs,
                log_groups: paths that are alike, case_names: the names of cases
comparing       the logs of a case to its result; case_logs: its files,
                findings: the differences of two runs, blocks: the report of them
goldens         several goldens of a case, any of which a run may match;
                golden_files: whether a run may replace one, and what it lacks
traits          how the behaviour of a case changed, by what its runs do
run_traits      the traits of one run; actions: its calls, as words need them,
                made_values: marks for the values that it made, environment: for
                those of the day and the machine,
                trait_pool: the runs that have each trait
changes_in_words  changes as sentences and themes; actions_in_words: their parts,
                case_sentences: the sentence about a case
chance          exact tests of successes; permutations: of figures and behaviour
limits          how much cases may use, and how many runs must succeed
judging         the results of all cases to the verdict
sentences       the verdict in words
model           the results that all of these share, small enough for thousands of cases
folder_comparison  for callers in Python
pair            two logs as a suite of one case
reports         what is printed

A case is one task, a run is one attempt at it, and a version is a folder of runs. Two
tests decide whether a version is worse, for all cases together; cases explain, and do
not decide. Comparing prints nothing, and printing compares nothing.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from convert.errors import UsageError
from convert.options.suite import SuiteSettings

if TYPE_CHECKING:
    from convert.options import Reading
    from convert.options.settings import Settings
    from convert.suite.folder_comparison import WarnOf
    from convert.suite.model import Suite

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
    from convert.options import Reading
    from convert.options.settings import Settings
    from convert.storage import forget, local_path
    from convert.suite.folder_comparison import Asked, compare
    from convert.suite.folders import names_of
    from convert.wording.paths import spelled

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
    shown = [*map(spelled, names)] if names else names_of(paths)
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
    from convert.diff.reports.appearance import Look
    from convert.options.option_set import invalid_value
    from convert.suite import reports
    from convert.wording.sanitise import repair_surrogates

    known = reports.REPORTS if len(suite.names) == 2 else {}
    known = {**known, **reports.OF_VERSIONS}
    if format not in known:
        advice = f"choose from {', '.join(known)}"
        raise invalid_value("format", format, advice)
    look = Look(
        suite.a, suite.b, is_full=full, is_verbose=verbose, width=width, name=name
    )
    lines = reports.report(format)(suite, look)
    return "".join(f"{repair_surrogates(line.text)}\n" for line in lines)
