"""The commands `diff` of two folders and `matrix` of several.

The folders of versions are compared on an engine, and messages are printed.
"""

from __future__ import annotations

import functools
import itertools
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Protocol

from msgspec.structs import replace

from convert.cli.commands import Given
from convert.cli.destination import identity_of, width
from convert.cli.diff import Request, settings_of, sources_of
from convert.cli.folders import (
    check_engine,
    is_log,
    is_same_place,
    may_be_there,
    say_unused,
)
from convert.cli.messages import say, use_colours
from convert.cli.progress import left_out_in, say_sums
from convert.cli.report_options import check_together
from convert.cli.reports import (
    Output,
    outputs_of,
    paths_of,
    report_for,
    root_of_repository,
    write_outputs,
    write_report,
)
from convert.cli.settings import SUITE, of_comparison, settings_in_file, with_settings
from convert.diff.reports import ReportLine, ReportOptions
from convert.errors import ExitStatus, UsageError
from convert.options.conversion import Reading
from convert.options.settings import GROWTH_LIMITS, Settings, SuiteSettings
from convert.pipeline import check_source
from convert.scale.engines import run_jobs
from convert.scale.engines.run_jobs import opened, progress_on, results_of
from convert.source.globs import Globs
from convert.source.places import is_folder, state_of
from convert.suites.case_comparison import CaseOutcome, Comparing
from convert.suites.commands import MatrixOptions
from convert.suites.logs import Folder, folders_of, version_names
from convert.suites.reports import OF_VERSIONS, REPORTS, report, rooms_for
from convert.suites.run_pages import is_page_of, pages_of, write_pages
from convert.suites.suite_result import Suite
from convert.suites.versions import OfPrompt, cases_in, compare, died, judged_suite
from convert.wording.numbers import count
from convert.wording.paths import base_name, joined, shown, spelled, stem_of

# How many messages about logs are printed.
_MOST_FAILURES = 10
# How many cases are named whose limits cannot be checked.
_NAMED = 3

# Returns the reports to write of logs with these paths.
OutputsOf = Callable[[list[str]], list[Output]]


class Command(run_jobs.Command, Protocol):
    """The options that the commands on versions share."""

    @property
    def globs(self) -> tuple[str, ...]:
        """The globs that choose among the files."""


def compare_folders(asked: Request) -> int:
    """Compare two folders and print the report; return the exit status."""
    command = asked.command
    use_colours(command.color)
    check_engine(command.engine, command.scheduler)
    check_folders(asked.logs)
    if command.goldens:
        raise UsageError(
            "--or is for two logs; name further goldens of a case in a folder as in"
            " case.2.json next to case.json"
        )
    choose = functools.partial(outputs_of, command, asked.format, REPORTS)
    suite, outputs, options = compared_folders(asked, choose)

    def make(name: str, options: ReportOptions) -> Iterator[ReportLine]:
        return report(name)(suite, options)

    write_outputs(outputs, make, options, command)
    _say_pages(suite, command)
    return _status_of(suite, exit_zero=command.exit_zero)


def compared_folders(
    asked: Request, choose: OutputsOf
) -> tuple[Suite, list[Output], ReportOptions]:
    """Compare two folders, and print the messages about their logs.

    Returns the suite, the reports to write of it, and how they look.
    """
    command = asked.command
    found, settings = settings_of(asked)
    settings, suite_settings = _with_suite_settings(
        settings, asked.settings, asked.suite, command.config
    )
    check_together(asked.named, settings)
    a, b = (
        spelled(name or folder)
        for name, folder in zip(
            (command.name_a, command.name_b), asked.logs, strict=True
        )
    )
    options = ReportOptions(
        a=a,
        b=b,
        is_full=command.full,
        is_brief=command.brief,
        is_verbose=command.verbose,
        width=command.width or width(),
        name=command.name,
        settings_source=found,
        root=root_of_repository(),
    )
    how = Comparing(
        folders=tuple(asked.logs),
        names=(a, b),
        sources=sources_of(command),
        directories=(command.directory_a or "", command.directory_b or ""),
        run=command.run,
        is_strict=command.strict,
        reading=asked.reading,
        settings=settings,
        suite=suite_settings,
        options=options,
        fails_on_findings="fail_on" in asked.settings,
    )
    suite, outputs = _compared(how, command, paths_of(command), choose)
    suite.can_fail = not command.exit_zero
    return suite, outputs, options


def check_folders(paths: list[str]) -> None:
    """Raise UsageError for a folder and a log."""
    if all(map(is_folder, paths)):
        return
    folder, log = sorted(paths, key=is_folder, reverse=True)
    if log != "-" and state_of(log) is None:
        raise UsageError(f"{shown(log)}: no such file or folder; check the path")
    inside = joined(folder, base_name(log) if log != "-" else "NAME")
    raise UsageError(
        f"{folder} is a folder and {'<stdin>' if log == '-' else log} is not; compare"
        f" two folders, or name a log in it, as in {inside}"
    )


def matrix(given: Given) -> int:
    """Run the command `matrix` with these words; return the exit status.

    A matrix reports and does not gate: it is 0 also where the last version is worse.
    """
    folders, command = given.logs, given.of(MatrixOptions)
    use_colours(command.color)
    check_engine(command.engine, command.scheduler)
    _check_versions(folders)
    check_source(command.source)
    settings, reading, _ = of_comparison(given.values(Reading), command.config)
    repeat = {} if command.repeat is None else {"repeat": command.repeat}
    settings, suite_settings = _with_suite_settings(
        settings, {}, repeat, command.config
    )
    names = version_names(folders)
    options = ReportOptions(
        names[0], names[-1], is_full=command.full, width=command.width or width()
    )
    how = Comparing(
        folders=tuple(folders),
        names=names,
        sources=(command.source,) * len(folders),
        directories=("",) * len(folders),
        run=command.run,
        is_strict=command.strict,
        reading=reading,
        settings=settings,
        suite=suite_settings,
        options=options,
        path_option="--no-repeat",
    )

    def choose(logs: list[str]) -> list[Output]:
        path = command.output
        row = report_for(path, command.format, OF_VERSIONS, logs, "matrix.md")
        return [Output(row, path, "-o")]

    suite, outputs = _compared(how, command, [command.output], choose)
    for output in outputs:
        lines = [*report(output.name)(suite, replace(options, path=output.path or ""))]
        write_report(lines, output.row, output.path, command.color)
    _say_pages(suite, command)
    return _status_of(suite, exit_zero=True)


def _check_versions(folders: list[str]) -> None:
    """Raise UsageError for anything but several folders."""
    if len(folders) < 2:
        raise UsageError(
            "matrix takes the folders of several versions, in their order;"
            " see runconv matrix --help"
        )
    for folder in folders:
        if not is_folder(folder):
            what = "is no folder" if state_of(folder) is None else "is a log"
            advice = "name a folder for each version"
            raise UsageError(f"{shown(folder)} {what}; {advice}")
    for one, other in itertools.permutations(folders, 2):
        inside, outside = identity_of(one), identity_of(other)
        if inside == outside:
            raise UsageError(f"{other} is named twice; name each version once")
        if inside.startswith(os.path.join(outside, "")):
            raise UsageError(
                f"{one} is inside {other}; name folders that do not contain one another"
            )


def _with_suite_settings(
    settings: Settings,
    named: Mapping[str, object],
    named_of_suite: Mapping[str, Any],
    config: str | None,
) -> tuple[Settings, SuiteSettings]:
    """Return the settings of pairs and of the suite, completed from a file.

    The settings of the command line win.
    """
    file = settings_in_file(config, SUITE)
    of_logs = {
        name: file.values.pop(name) for name in GROWTH_LIMITS if name in file.values
    }
    of_logs |= {name: named[name] for name in of_logs if name in named}
    suite = SuiteSettings(**with_settings({**named_of_suite}, file))
    return settings.replace(**of_logs), suite


def _compared(
    how: Comparing,
    command: Command,
    written: Sequence[str | None],
    choose: OutputsOf,
) -> tuple[Suite, list[Output]]:
    """Compare the versions, and print the messages about their logs.

    `written` are the files that reports may be written to. Returns the suite, and the
    reports to write of it.
    """
    globs = Globs(command.globs)
    folders = folders_of(how.folders, globs)
    if not command.quiet:
        say_unused(globs)
    folders, rewritten = without_outputs(folders, written)
    outputs = choose([path for folder in folders for path in folder.logs])
    rooms = rooms_for([each.name for each in outputs], how.options.is_full)
    how = replace(how, rooms=rooms)
    work = functools.partial(compare, how)
    with opened(command) as engine:

        def do(
            work: Callable[[OfPrompt], str | None], jobs: Sequence[OfPrompt]
        ) -> Iterator[str | None]:
            return results_of(engine, work, jobs, lambda _: None)

        grouped = cases_in(folders, how, do)
        with progress_on(grouped.cases, command, how.reading) as progress:
            outcomes = [*results_of(engine, work, grouped.cases, died, progress)]
    _say_failures(outcomes)
    suite = judged_suite(outcomes, how, folders, grouped)
    suite.is_strict = how.is_strict
    if not command.quiet:
        _say_rest(suite, outcomes, folders, rewritten)
    for output in outputs:
        if output.name == "html" and output.path is not None:
            write_pages(suite, output.path, how, folders, command)
    return suite, outputs


def _status_of(suite: Suite, *, exit_zero: bool) -> int:
    """Return the exit status of a command; `exit_zero` turns 1 into 0."""
    passes = exit_zero and suite.status == ExitStatus.DIFFERENT
    return ExitStatus.SAME if passes else suite.status


def _say_failures(outcomes: list[CaseOutcome]) -> None:
    """Print the messages about logs that cannot be read or compared."""
    # A folder that cannot be read may hide the logs of many cases.
    found = (each.failures for each in outcomes if not each.has_died)
    messages = [*dict.fromkeys(itertools.chain.from_iterable(found))]
    for message in messages[:_MOST_FAILURES]:
        say(message)
    if (more := len(messages) - _MOST_FAILURES) > 0:
        say(f"… and {count(more, 'more log')}")


def _say_rest(
    suite: Suite,
    outcomes: list[CaseOutcome],
    folders: Sequence[Folder],
    written: list[str],
) -> None:
    """Print the messages about logs, and which files are skipped."""
    links = [link for folder in folders for link in folder.links]
    specials = [special for folder in folders for special in folder.specials]
    others = [path for each in outcomes for path in each.others]
    out = left_out_in(others, links, specials, written)
    if inside := sum(folder.in_other for folder in folders):
        out += f"; {count(inside, 'file')} of the folder inside skipped in the other"
    say_sums((notes for each in outcomes for notes in each.notes), "not compared")
    _say_unchecked(suite)
    runs = sum(len(side.runs) for side in suite.sides)
    say(f"{count(len(suite.cases), 'case')}, {count(runs, 'run')} compared{out}", None)


def _say_unchecked(suite: Suite) -> None:
    """Print the limits that cannot be checked, since logs lack the figures."""
    cases: dict[str, list[str]] = {}
    for case in suite.cases:
        for option in case.unchecked:
            cases.setdefault(option, []).append(case.name)
    for option, names in cases.items():
        more = f" and {len(names) - _NAMED:,} more" if len(names) > _NAMED else ""
        say(
            f"{option} not checked in {count(len(names), 'case')} without the figure:"
            f" {', '.join(names[:_NAMED])}{more}",
            "yellow",
        )


def _say_pages(suite: Suite, command: Command) -> None:
    """Print that a page has links to others next to it, without which they are dead."""
    for path, pages in suite.pages.items():
        if pages and not command.quiet:
            say(f"{path} links to {pages_of(path)}/; keep them together", None)


def without_outputs(
    folders: Iterable[Folder], outputs: Iterable[str | None]
) -> tuple[list[Folder], list[str]]:
    """Return folders without the files that are written anew, and these.

    The pages next to the page of a suite are among these. A log stays, and so does a
    file in place of one that another folder has: neither may be written to.
    """
    folders = [*folders]
    paths = [path for path in outputs if path and may_be_there(path)]
    found = {}
    for folder in folders:
        for log in folder.logs if paths else ():
            if any(is_same_place(log, path) or is_page_of(log, path) for path in paths):
                found[log] = folder
    left_out = [
        log
        for log, folder in found.items()
        if stem_of(folder.logs[log]) not in _stems(folders, folder) and not is_log(log)
    ]
    return [folder.without(left_out) for folder in folders], left_out


def _stems(folders: list[Folder], folder: Folder) -> set[str]:
    """Return the paths of all files in other folders, but for their suffixes."""
    others = (each for each in folders if each is not folder)
    return {stem_of(path) for each in others for path in each.logs.values()}
