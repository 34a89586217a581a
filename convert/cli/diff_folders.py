"""The command `diff` of two folders: their logs to a suite and an exit status."""

from __future__ import annotations

import functools
import os
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from convert.cli.case_comparison import (
    Compared,
    Comparison,
    Grouped,
    Prompted,
    compare,
    died,
    prompt_of,
    redacted_prompt_of,
)
from convert.errors import ExitStatus, UsageError
from convert.storage import base_name, is_folder, joined, shown, state_of

if TYPE_CHECKING:
    from convert.cli.diff import Asked
    from convert.cli.engines import Engine
    from convert.cli.reports_asked import Output
    from convert.diff.reports.appearance import Look, ReportLine
    from convert.options.settings import Settings
    from convert.options.suite import SuiteSettings
    from convert.suite.case_results import Comparing
    from convert.suite.cases import Case
    from convert.suite.folders import Folder
    from convert.suite.reports import ReportFormat
    from convert.suite.suite import Suite

# How many cases are named whose limits cannot be checked.
_NAMED = 3
# So many comparisons of a case take seconds, and grow with the square of its runs.
_MANY = 2_000


# Returns the reports to write of logs with these paths.
OutputsOf = Callable[[list[str]], "list[Output[ReportFormat]]"]


def compare_folders(asked: Asked) -> int:
    """Compare two folders and print the report; return the exit status."""
    from convert.cli.engines import check
    from convert.cli.messages import use_colours

    command = asked.command
    use_colours(command.color)
    check(command.engine, command.scheduler)
    check_folders(asked.logs)
    if command.goldens:
        raise UsageError(
            "--or is for two logs; name further goldens of a case in a folder as in"
            " case.2.json beside case.json"
        )
    _check_report(asked)
    suite, outputs, found = compared_folders(asked, functools.partial(_outputs, asked))
    _write(suite, outputs, found, asked)
    return _status(suite, asked)


def compared_folders(
    asked: Asked, outputs_of: OutputsOf
) -> tuple[Suite, list[Output[ReportFormat]], str]:
    """Compare two folders, and say what there is to tell about their logs.

    Returns the suite, the reports to write of it, and the path of the settings found.
    """
    from convert.cli.conflicts import check_together
    from convert.cli.diff import settings_of, sources_of
    from convert.cli.engines import opened

    command = asked.command
    found, settings = settings_of(asked)
    settings, limits = _suite_settings(asked, settings)
    check_together(asked.named, settings)
    sources = sources_of(command)
    folders, written = _folders(asked)
    outputs = outputs_of([path for folder in folders for path in folder.logs])
    how = _how(asked, settings, limits, outputs)
    directories = (command.directory_a or "", command.directory_b or "")
    comparison = Comparison(
        how, asked.reading, sources, command.run, command.strict, directories
    )
    with opened(command.engine, command.scheduler) as engine:
        cases = _cases(folders, comparison, limits, engine)
        if not command.quiet:
            _say_many(cases)
        compared = _compared(comparison, cases, asked, engine)
    _say_failures(compared)
    suite = _suite(compared, folders, limits, how)
    if not command.quiet:
        _say_rest(suite, compared, folders, written)
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


def _check_report(asked: Asked) -> None:
    """Raise UsageError for a report that is of two logs alone, such as a page."""
    from convert.diff.reports import REPORTS as OF_LOGS
    from convert.suite.reports import REPORTS

    suffix = os.path.splitext(base_name(asked.command.output or ""))[1].lower()
    for name, row in OF_LOGS.items():
        is_named = suffix in row.suffixes if asked.format is None else False
        if name not in REPORTS and (is_named or asked.format == name):
            raise UsageError(
                f"{name} shows two logs; name a log in each folder, or choose another"
                f" --format: {', '.join(REPORTS)}"
            )


def _outputs(asked: Asked, logs: list[str]) -> list[Output[ReportFormat]]:
    """Return the reports to write."""
    from convert.cli.reports_asked import outputs_of
    from convert.suite.reports import REPORTS

    return outputs_of(asked.command, asked.format, REPORTS, logs)


def _suite_settings(asked: Asked, settings: Settings) -> tuple[Settings, SuiteSettings]:
    """Return the settings of pairs and of the suite, with those of a file for both."""
    from convert.cli.settings import SUITE, settings_in_file, with_settings
    from convert.options.suite import GROWTH_LIMITS, SuiteSettings

    file = settings_in_file(asked.command.config, SUITE)
    of_logs = {
        name: file.values.pop(name) for name in GROWTH_LIMITS if name in file.values
    }
    named = {name: asked.settings[name] for name in of_logs if name in asked.settings}
    limits = SuiteSettings(**with_settings(asked.suite, file))
    return settings.replace(**of_logs | named), limits


def _folders(asked: Asked) -> tuple[tuple[Folder, Folder], list[str]]:
    """Return both folders with the files that `--glob` chooses.

    The reports that are to be written anew are left out, and returned as well.
    """
    from convert.cli.folders import say_unused
    from convert.cli.own_reports import without_outputs
    from convert.cli.reports_asked import paths_of
    from convert.source.globs import Globs
    from convert.suite.folders import folder_of

    globs = Globs(asked.command.globs)
    one, other = asked.logs
    a, b = folder_of(one, other, globs), folder_of(other, one, globs)
    if not asked.command.quiet:
        say_unused(globs)
    (a, b), written = without_outputs((a, b), paths_of(asked.command))
    return (a, b), written


def _cases(
    folders: tuple[Folder, Folder],
    comparison: Comparison,
    limits: SuiteSettings,
    engine: Engine,
) -> list[Case]:
    """Return the cases that the logs of both folders make."""
    from convert.suite.pairing import cases_of
    from convert.suite.prompts import Group, Prompts

    a, b = folders
    sources = dict.fromkeys(a.logs, comparison.sources[0])
    sources |= dict.fromkeys(b.logs, comparison.sources[1])

    def of(paths: list[str]) -> dict[str, str | None]:
        jobs = [Prompted(path, sources[path]) for path in paths]
        found = engine.results_of(functools.partial(prompt_of, comparison), jobs, None)
        return dict(zip(paths, found, strict=True))

    def redacted(groups: list[Group]) -> list[str | None]:
        jobs = [
            Grouped(group, tuple(sources[path] for path in group)) for group in groups
        ]
        work = functools.partial(redacted_prompt_of, comparison)
        return [*engine.results_of(work, jobs, None)]

    prompts = Prompts(of, redacted if comparison.reading.redact else None)
    return cases_of(a, b, limits.pair_by, limits.repeat, prompts)


def _how(
    asked: Asked,
    settings: Settings,
    limits: SuiteSettings,
    outputs: list[Output[ReportFormat]],
) -> Comparing:
    """Return how cases are compared, with the reports that are needed of each."""
    from convert.suite.blocks import rooms_for
    from convert.suite.case_results import Comparing

    look = _look(asked, "")
    rooms = rooms_for([output.row for output in outputs], look.is_full)
    a, b = asked.logs
    return Comparing(settings, look, rooms, (a, b), limits.loss_p, limits.min_success)


def _look(asked: Asked, found: str) -> Look:
    from convert.cli.reports_asked import root_of_repository
    from convert.cli.terminal import width
    from convert.diff.reports.appearance import Look
    from convert.wording.paths import spelled

    command = asked.command
    a, b = asked.logs
    return Look(
        a=spelled(command.name_a or a),
        b=spelled(command.name_b or b),
        is_full=command.full,
        is_verbose=command.verbose,
        width=command.width or width(),
        name=command.name,
        settings_source=found,
        root=root_of_repository(),
    )


def _say_many(cases: list[Case]) -> None:
    """Print which case takes long, because it has many repeated runs."""
    from convert.cli.messages import say
    from convert.wording.numbers import count

    many = [case for case in cases if case.comparisons >= _MANY]
    if not many:
        return
    most = max(many, key=lambda case: case.comparisons)
    more = f", and {count(len(many) - 1, 'more case')} alike" if len(many) > 1 else ""
    say(
        f"notice: case {most.name}: {len(most.a):,} against {len(most.b):,} runs are"
        f" {most.comparisons:,} comparisons{more}; for fewer, choose logs with --glob",
        None,
    )


def _compared(
    comparison: Comparison, cases: list[Case], asked: Asked, engine: Engine
) -> list[Compared]:
    """Compare all cases on the engine."""
    from convert.cli.progress import progress_of

    paths = [path for case in cases for path in case.paths]
    times = 2 if asked.reading.redact else 1
    is_wanted = not asked.command.quiet
    work = functools.partial(compare, comparison)
    with progress_of(paths, times=times, is_wanted=is_wanted) as progress:
        results = [*engine.results_of(work, cases, None, progress)]
    return [
        died(case) if result is None else result
        for case, result in zip(cases, results, strict=True)
    ]


def _suite(
    compared: list[Compared],
    folders: tuple[Folder, Folder],
    limits: SuiteSettings,
    how: Comparing,
) -> Suite:
    from convert.suite.collecting import suite_of
    from convert.suite.pairing import check_found

    suite = suite_of([each.outcome for each in compared], how, limits)
    check_found(suite, folders, _others(compared), limits.pair_by)
    return suite


def _others(compared: list[Compared]) -> list[str]:
    """Return the files that are no logs."""
    return [path for each in compared for path in each.outcome.others]


def _say_failures(compared: list[Compared]) -> None:
    from convert.cli.messages import say

    troubles = [each.outcome.trouble for each in compared if not each.has_died]
    # A folder that cannot be read may hide the logs of many cases.
    for message in dict.fromkeys(filter(None, troubles)):
        say(message)


def _say_rest(
    suite: Suite,
    compared: list[Compared],
    folders: tuple[Folder, Folder],
    written: list[str],
) -> None:
    """Print what there is to tell about logs, and which files are left out."""
    from convert.cli.closing import left_out_in
    from convert.cli.messages import say
    from convert.cli.sums import say_sums
    from convert.wording.numbers import count

    links = [link for folder in folders for link in folder.links]
    specials = [special for folder in folders for special in folder.specials]
    out = left_out_in(_others(compared), links, specials, written)
    if inside := sum(folder.left_out for folder in folders):
        out += f"; {count(inside, 'file')} of the folder inside left out of the other"
    say_sums((each for case in compared for each in case.told), "not compared")
    _say_unchecked(suite)
    repeated = sum(case.repeated is not None for case in suite.cases)
    by_runs = f", {repeated:,} by repeated runs" if repeated else ""
    say(f"{count(len(suite.cases), 'case')} compared{by_runs}{out}", None)


def _say_unchecked(suite: Suite) -> None:
    """Print the limits that cannot be checked, since logs lack the figures."""
    from convert.cli.messages import say
    from convert.wording.numbers import count

    cases: dict[str, list[str]] = {}
    for case in suite.cases:
        for option in case.unchecked:
            cases.setdefault(option, []).append(case.name)
    for option, names in cases.items():
        more = f" and {len(names) - _NAMED:,} more" if len(names) > _NAMED else ""
        say(
            f"{option} not checked in {count(len(names), 'case')}, whose logs do not"
            f" record the figure: {', '.join(names[:_NAMED])}{more}",
            "yellow",
        )


def _write(
    suite: Suite, outputs: list[Output[ReportFormat]], found: str, asked: Asked
) -> None:
    from convert.cli.written_reports import write_outputs
    from convert.suite.reports import report

    def make(name: str, look: Look) -> Iterator[ReportLine]:
        return report(name)(suite, look)

    write_outputs(outputs, make, _look(asked, found), asked.command)


def _status(suite: Suite, asked: Asked) -> int:
    if suite.has_trouble:
        return ExitStatus.TROUBLE
    is_failure = suite.is_different and not asked.command.exit_zero
    return ExitStatus.DIFFERENT if is_failure else ExitStatus.SAME
