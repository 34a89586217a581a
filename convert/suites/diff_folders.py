"""The command `diff` of two folders: their logs to a suite and an exit status."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from convert.cli.diff import settings_of, sources_of
from convert.cli.folders import check_engine
from convert.cli.messages import use_colours
from convert.cli.report_options import check_together
from convert.cli.reports import paths_of, root_of_repository, write_outputs
from convert.cli.settings import settings_in_file, with_settings
from convert.cli.settings_file import SUITE
from convert.cli.terminal import width
from convert.diff.reports.options import ReportOptions
from convert.errors import UsageError
from convert.options.settings import GROWTH_LIMITS, SuiteSettings
from convert.source.places import is_folder, state_of
from convert.suites.reports import REPORTS, report
from convert.suites.suite_command import Wanted, status_of, suite_of
from convert.wording.escapes import spelled
from convert.wording.urls import base_name, joined, shown

if TYPE_CHECKING:
    from convert.cli.diff import Request
    from convert.cli.reports import Output
    from convert.diff.reports.options import ReportLine
    from convert.options.settings import Settings
    from convert.reports.formats import ReportFormat
    from convert.suites.suite_command import OutputsOf
    from convert.suites.suite_result import Suite


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
) -> tuple[Suite, list[Output[ReportFormat]], str]:
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


def _outputs(asked: Request, logs: list[str]) -> list[Output[ReportFormat]]:
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


def _write(
    suite: Suite, outputs: list[Output[ReportFormat]], found: str, asked: Request
) -> None:

    def make(name: str, options: ReportOptions) -> Iterator[ReportLine]:
        return report(name)(suite, options)

    write_outputs(outputs, make, _report_options(asked, found), asked.command)
