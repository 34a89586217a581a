"""The commands `diff` of two folders and `matrix` of several.

The folders of versions are compared on an engine, and messages are printed.
"""

from __future__ import annotations

import functools
import itertools
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from msgspec import Struct
from msgspec.structs import replace

from convert.cli.commands import parse
from convert.cli.destination import identity_of, print_text
from convert.cli.diff import settings_of, sources_of
from convert.cli.folders import (
    check_engine,
    is_log,
    is_same_place,
    may_be_there,
    say_unused,
)
from convert.cli.messages import say, use_colours
from convert.cli.report_options import check_together
from convert.cli.reports import (
    Output,
    paths_of,
    report_for,
    root_of_repository,
    write_outputs,
    write_report,
)
from convert.cli.settings import of_comparison, settings_in_file, with_settings
from convert.cli.settings_file import SUITE
from convert.cli.terminal import width
from convert.cli.totals import left_out_in, say_sums
from convert.diff.reports import ReportOptions
from convert.errors import ExitStatus, UsageError
from convert.options import Reading
from convert.options.settings import GROWTH_LIMITS, Settings, SuiteSettings
from convert.pipeline import find_reader, is_detected
from convert.scale import engines
from convert.scale.engines import opened, progress_on, results_of
from convert.source.places import Globs, is_folder, state_of
from convert.suites.case_comparison import Comparing
from convert.suites.commands import MatrixOptions
from convert.suites.grouping.logs import folder_of, version_names
from convert.suites.reports import OF_VERSIONS, REPORTS, report, rooms_for
from convert.suites.run_pages import is_page_of, write_pages
from convert.suites.versions import (
    Compared,
    Comparison,
    OfPrompt,
    cases_in,
    compare,
    died,
    judged_suite,
)
from convert.wording.escapes import spelled
from convert.wording.numbers import count
from convert.wording.urls import base_name, joined, shown, stem_of

if TYPE_CHECKING:
    from convert.cli.diff import Request
    from convert.diff.reports import ReportLine
    from convert.suites.grouping.logs import Folder
    from convert.suites.suite_result import Suite

# How many messages about logs are printed.
_MOST_FAILURES = 10
# How many cases are named whose limits cannot be checked.
_NAMED = 3

# Returns the reports to write of logs with these paths.
OutputsOf = Callable[[list[str]], "list[Output]"]


class Command(engines.Command, Protocol):
    """The options that the commands on versions share."""

    @property
    def globs(self) -> tuple[str, ...]:
        """The globs that choose among the files."""

    @property
    def run(self) -> int | None:
        """The run of each log."""

    @property
    def strict(self) -> bool:
        """The first warning makes a log one that cannot be read."""


class Wanted(Struct, frozen=True):
    """The comparison that a command line asks for."""

    folders: Sequence[str]
    """The paths of the versions, in their order."""

    command: Command
    options: ReportOptions
    names: tuple[str, ...]
    """The names of the versions in reports."""

    sources: tuple[str, ...]
    """The formats of the logs of each version."""

    directories: tuple[str, ...]
    """The directories of the runs of each version, for logs that record none."""

    reading: Reading
    settings: Settings
    suite: SuiteSettings
    fails_on_findings: bool
    """`--fail-on` is given, so that findings decide besides the verdict."""

    written: Sequence[str | None]
    """The files that reports may be written to."""

    outputs_of: OutputsOf


def suite_of(wanted: Wanted) -> tuple[Suite, list[Output]]:
    """Compare the versions, and print the messages about their logs.

    Returns the suite, and the reports to write of it.
    """
    command = wanted.command
    folders, written = _folders(wanted)
    outputs = wanted.outputs_of([path for folder in folders for path in folder.logs])
    comparison = Comparison(
        _how(wanted, outputs),
        wanted.reading,
        wanted.sources,
        command.run,
        command.strict,
        wanted.directories,
    )
    work = functools.partial(compare, comparison)
    with opened(command) as engine:

        def do(
            work: Callable[[OfPrompt], str | None], jobs: Sequence[OfPrompt]
        ) -> Iterator[str | None]:
            return results_of(engine, work, jobs, lambda _: None)

        grouped = cases_in(folders, comparison, wanted.suite, do)
        with progress_on(grouped.cases, command, wanted.reading) as progress:
            compared = [*results_of(engine, work, grouped.cases, died, progress)]
    _say_failures(compared)
    outcomes = [each.outcome for each in compared]
    suite = judged_suite(outcomes, comparison.how, wanted.suite, folders, grouped)
    suite.is_strict = command.strict
    if not command.quiet:
        _say_rest(suite, compared, folders, written)
    for output in outputs:
        if output.name == "html" and output.path is not None:
            write_pages(suite, output.path, comparison, folders, command)
    return suite, outputs


def status_of(suite: Suite, *, exit_zero: bool = False) -> int:
    """Return the exit status of a command; `exit_zero` turns 1 into 0."""
    passes = exit_zero and suite.status == ExitStatus.DIFFERENT
    return ExitStatus.SAME if passes else suite.status


def _folders(wanted: Wanted) -> tuple[list[Folder], list[str]]:
    """Return the folders with the files that `--glob` chooses.

    The reports that are to be written anew are skipped, and returned as well.
    """
    globs = Globs(wanted.command.globs)
    paths = wanted.folders
    # A folder inside the other counts for its own side only.
    others = [*reversed(paths)] if len(paths) == 2 else [""] * len(paths)
    folders = [
        folder_of(path, other, globs) for path, other in zip(paths, others, strict=True)
    ]
    if not wanted.command.quiet:
        say_unused(globs)
    return without_outputs(folders, wanted.written)


def _how(wanted: Wanted, outputs: list[Output]) -> Comparing:
    """Return how cases are compared, with the reports that are needed of each."""
    options = wanted.options
    return Comparing(
        settings=wanted.settings,
        options=options,
        names=wanted.names,
        folders=tuple(wanted.folders),
        rooms=rooms_for([output.name for output in outputs], options.is_full),
        fails_on_findings=wanted.fails_on_findings,
        min_success=wanted.suite.min_success,
    )


def _say_failures(compared: list[Compared]) -> None:
    """Print the messages about logs that cannot be read or compared."""
    failures = [
        message
        for each in compared
        if not each.has_died
        for message in each.outcome.failures
    ]
    # A folder that cannot be read may hide the logs of many cases.
    messages = [*dict.fromkeys(failures)]
    for message in messages[:_MOST_FAILURES]:
        say(message)
    if (more := len(messages) - _MOST_FAILURES) > 0:
        say(f"… and {count(more, 'more log')}")


def _say_rest(
    suite: Suite,
    compared: list[Compared],
    folders: Sequence[Folder],
    written: list[str],
) -> None:
    """Print the messages about logs, and which files are skipped."""
    links = [link for folder in folders for link in folder.links]
    specials = [special for folder in folders for special in folder.specials]
    others = [path for each in compared for path in each.outcome.others]
    out = left_out_in(others, links, specials, written)
    if inside := sum(folder.left_out for folder in folders):
        out += f"; {count(inside, 'file')} of the folder inside skipped in the other"
    say_sums((each for case in compared for each in case.told), "not compared")
    _say_unchecked(suite)
    runs = sum(len(side.runs) for case in suite.cases for side in case.sides)
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
        if not (_has_other(log, folder, folders) or is_log(log))
    ]
    return [folder.without(left_out) for folder in folders], left_out


def _has_other(log: str, folder: Folder, folders: Iterable[Folder]) -> bool:
    """Tell if another folder has a file of the same path, but for the suffix."""
    stem = stem_of(folder.logs[log])
    others = (each for each in folders if each is not folder)
    return any(stem == stem_of(path) for each in others for path in each.logs.values())


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
    suite, outputs, found = compared_folders(asked, functools.partial(_outputs, asked))
    _write(suite, outputs, found, asked)
    return status_of(suite, exit_zero=command.exit_zero)


def compared_folders(
    asked: Request, outputs_of: OutputsOf
) -> tuple[Suite, list[Output], str]:
    """Compare two folders, and print the messages about their logs.

    Returns the suite, the reports to write of it, and the path of the settings found.
    """
    command = asked.command
    found, settings = settings_of(asked)
    settings, suite_settings = with_suite_settings(
        settings, asked.settings, asked.suite, command.config
    )
    check_together(asked.named, settings)
    options = _report_options(asked, "")
    wanted = Wanted(
        folders=asked.logs,
        command=command,
        options=options,
        names=(options.a, options.b),
        sources=sources_of(command),
        directories=(command.directory_a or "", command.directory_b or ""),
        reading=asked.reading,
        settings=settings,
        suite=suite_settings,
        fails_on_findings="fail_on" in asked.settings,
        written=paths_of(command),
        outputs_of=outputs_of,
    )
    suite, outputs = suite_of(wanted)
    return suite, outputs, found


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


def with_suite_settings(
    settings: Settings,
    named: Mapping[str, object],
    named_of_suite: Mapping[str, Any],
    config: str | None,
) -> tuple[Settings, SuiteSettings]:
    """Return the settings of pairs and of the suite, with those of a file for both.

    Those that a command line names win.
    """
    file = settings_in_file(config, SUITE)
    of_logs = {
        name: file.values.pop(name) for name in GROWTH_LIMITS if name in file.values
    }
    of_logs |= {name: named[name] for name in of_logs if name in named}
    suite = SuiteSettings(**with_settings({**named_of_suite}, file))
    return settings.replace(**of_logs), suite


def _outputs(asked: Request, logs: list[str]) -> list[Output]:
    """Return the reports to write."""
    from convert.cli.reports import outputs_of

    return outputs_of(asked.command, asked.format, REPORTS, logs)


def _report_options(asked: Request, found: str) -> ReportOptions:
    command = asked.command
    a, b = asked.logs
    return ReportOptions(
        a=spelled(command.name_a or a),
        b=spelled(command.name_b or b),
        is_full=command.full,
        is_verbose=command.verbose,
        width=command.width or width(),
        name=command.name,
        settings_source=found,
        root=root_of_repository(),
    )


def _write(suite: Suite, outputs: list[Output], found: str, asked: Request) -> None:

    def make(name: str, options: ReportOptions) -> Iterator[ReportLine]:
        return report(name)(suite, options)

    write_outputs(outputs, make, _report_options(asked, found), asked.command)


_FEWEST = 2


class MatrixRequest:
    """The request that a command line makes."""

    def __init__(self, arguments: list[str]) -> None:
        given = parse("matrix", arguments)
        self.folders = given.logs
        self.command = given.of(MatrixOptions)
        self.reading = given.values(Reading)


def matrix(arguments: list[str]) -> int:
    """Run the command with these words; return the exit status."""
    asked = MatrixRequest(arguments)
    if asked.command.help:
        from convert.cli.help import help_of

        print_text(help_of("matrix"))
        return ExitStatus.CONVERTED
    return _run_matrix(asked)


def _run_matrix(asked: MatrixRequest) -> int:
    """Compare the versions and print the report; return the exit status.

    A matrix reports and does not gate: it is 0 also where the last version is worse.
    """
    command = asked.command
    use_colours(command.color)
    check_engine(command.engine, command.scheduler)
    _check_folders(asked.folders)
    if not is_detected(command.source):
        find_reader(command.source, "--from")
    wanted = _wanted(asked)
    suite, outputs = suite_of(wanted)
    # It means the same, and this command has no other option for it.
    suite.grouping = suite.grouping.replace("--pair-by path", "--no-repeat")
    for output in outputs:
        options = replace(wanted.options, path=output.path or "")
        lines = [*report(output.name)(suite, options)]
        write_report(lines, output.row, output.path, command.color)
    return status_of(suite, exit_zero=True)


def _check_folders(folders: list[str]) -> None:
    """Raise UsageError for anything but several folders."""
    if len(folders) < _FEWEST:
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
                f"{one} lies in {other}; name folders that do not hold one another"
            )


def _wanted(asked: MatrixRequest) -> Wanted:
    command = asked.command
    settings, reading, _ = of_comparison(asked.reading, command.config)
    repeat = {} if command.repeat is None else {"repeat": command.repeat}
    settings, suite = with_suite_settings(settings, {}, repeat, command.config)
    names = version_names(asked.folders)
    return Wanted(
        folders=asked.folders,
        command=command,
        options=ReportOptions(
            a=names[0],
            b=names[-1],
            is_full=command.full,
            width=command.width or width(),
        ),
        names=names,
        sources=tuple(command.source for _ in asked.folders),
        directories=tuple("" for _ in asked.folders),
        reading=reading,
        settings=settings,
        suite=suite,
        fails_on_findings=False,
        written=[command.output],
        outputs_of=lambda logs: _outputs_of_matrix(asked, logs),
    )


def _outputs_of_matrix(asked: MatrixRequest, logs: list[str]) -> list[Output]:
    command = asked.command
    row = report_for(command.output, command.format, OF_VERSIONS, logs, "matrix.md")
    return [Output(row, command.output, "-o")]
