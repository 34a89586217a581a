"""The command `matrix`: the folders of several versions to one report."""

from __future__ import annotations

import itertools
import os

from msgspec.structs import replace

from convert.cli.commands import parse
from convert.cli.destination import identity_of, print_text
from convert.cli.folders import check_engine
from convert.cli.messages import use_colours
from convert.cli.reports import Output, report_for, write_report
from convert.cli.settings import of_comparison
from convert.cli.terminal import width
from convert.diff.reports import ReportOptions
from convert.errors import ExitStatus, UsageError
from convert.options import Reading
from convert.pipeline import find_reader, is_detected
from convert.source.places import is_folder, state_of
from convert.suites.commands import MatrixOptions
from convert.suites.logs import version_names
from convert.suites.reports import OF_VERSIONS, report
from convert.suites.suite_command import (
    Wanted,
    status_of,
    suite_of,
    with_suite_settings,
)
from convert.wording.urls import shown

_FEWEST = 2


class Request:
    """The request that a command line makes."""

    def __init__(self, arguments: list[str]) -> None:
        given = parse("matrix", arguments)
        self.folders = given.logs
        self.command = given.of(MatrixOptions)
        self.reading = given.values(Reading)


def main(arguments: list[str]) -> int:
    """Run the command with these words; return the exit status."""
    asked = Request(arguments)
    if asked.command.help:
        from convert.cli.help import help_of

        print_text(help_of("matrix"))
        return ExitStatus.CONVERTED
    return _run(asked)


def _run(asked: Request) -> int:
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


def _wanted(asked: Request) -> Wanted:
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
        outputs_of=lambda logs: _outputs(asked, logs),
    )


def _outputs(asked: Request, logs: list[str]) -> list[Output]:
    command = asked.command
    row = report_for(command.output, command.format, OF_VERSIONS, logs, "matrix.md")
    return [Output(row, command.output, "-o")]
