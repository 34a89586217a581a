"""The command `diff` of two folders: their logs to a suite and an exit status."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from convert.errors import UsageError
from convert.storage import base_name, is_folder, joined, shown, state_of

if TYPE_CHECKING:
    from convert.cli.diff import Asked
    from convert.cli.reports_asked import Output
    from convert.cli.suites import OutputsOf
    from convert.diff.reports.appearance import Look, ReportLine
    from convert.options.settings import Settings
    from convert.options.suite import SuiteSettings
    from convert.suite.model import Suite
    from convert.suite.reports import ReportFormat


def compare_folders(asked: Asked) -> int:
    """Compare two folders and print the report; return the exit status."""
    from convert.cli.engines import check
    from convert.cli.messages import use_colours
    from convert.cli.suites import status_of

    command = asked.command
    use_colours(command.color)
    check(command.engine, command.scheduler)
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
    asked: Asked, outputs_of: OutputsOf
) -> tuple[Suite, list[Output[ReportFormat]], str]:
    """Compare two folders, and print the messages about their logs.

    Returns the suite, the reports to write of it, and the path of the settings found.
    """
    from convert.cli.conflicts import check_together
    from convert.cli.diff import settings_of, sources_of
    from convert.cli.reports_asked import paths_of
    from convert.cli.suites import Wanted, suite_of

    command = asked.command
    found, settings = settings_of(asked)
    settings, suite_settings = with_suite_settings(
        settings, asked.settings, asked.suite, command.config
    )
    check_together(asked.named, settings)
    look = _look(asked, "")
    wanted = Wanted(
        folders=asked.logs,
        command=command,
        look=look,
        names=(look.a, look.b),
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
    from convert.cli.settings import SUITE, settings_in_file, with_settings
    from convert.options.suite import GROWTH_LIMITS, SuiteSettings

    file = settings_in_file(config, SUITE)
    of_logs = {
        name: file.values.pop(name) for name in GROWTH_LIMITS if name in file.values
    }
    of_logs |= {name: named[name] for name in of_logs if name in named}
    suite = SuiteSettings(**with_settings({**named_of_suite}, file))
    return settings.replace(**of_logs), suite


def _outputs(asked: Asked, logs: list[str]) -> list[Output[ReportFormat]]:
    """Return the reports to write."""
    from convert.cli.reports_asked import outputs_of
    from convert.suite.reports import REPORTS

    return outputs_of(asked.command, asked.format, REPORTS, logs)


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


def _write(
    suite: Suite, outputs: list[Output[ReportFormat]], found: str, asked: Asked
) -> None:
    from convert.cli.written_reports import write_outputs
    from convert.suite.reports import report

    def make(name: str, look: Look) -> Iterator[ReportLine]:
        return report(name)(suite, look)

    write_outputs(outputs, make, _look(asked, found), asked.command)
