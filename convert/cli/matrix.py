"""The command `matrix`: the folders of several versions to a table of cases."""

from __future__ import annotations

import functools
import itertools
import os
from typing import TYPE_CHECKING

from convert.cli.arguments import Parser
from convert.cli.commands import option_sets
from convert.cli.log_counting import Counted, Job, count_all
from convert.cli.report_options import MatrixOptions
from convert.cli.settings import reading_with_settings
from convert.errors import ExitStatus, UsageError
from convert.options import Reading
from convert.storage import is_folder, shown, state_of

if TYPE_CHECKING:
    from convert.cli.folders import Named, NamedLog
    from convert.diff.reports import ReportFormat
    from convert.suite.folders import Folder
    from convert.suite.matrix.cells import Matrix

_FEWEST = 2


class Asked:
    """The request that a command line makes."""

    def __init__(self, arguments: list[str]) -> None:
        given = Parser("runconv matrix", *option_sets("matrix")).given(arguments)
        self.folders = given.logs
        self.command = given.of(MatrixOptions)
        self._given = given.values(Reading)

    @functools.cached_property
    def reading(self) -> Reading:
        """How the logs are read: as the command line or a settings file says."""
        return reading_with_settings(self._given, "matrix", self.command.config)


def main(arguments: list[str]) -> int:
    """Run the command with these words; return the exit status."""
    asked = Asked(arguments)
    if asked.command.help:
        from convert.cli.destination import print_text
        from convert.cli.help import help_of

        print_text(help_of("matrix"))
        return ExitStatus.CONVERTED
    return _run(asked)


def _run(asked: Asked) -> int:
    """Count every log and print the report; return the worst exit status."""
    from convert.cli.closing import end
    from convert.cli.engines import check
    from convert.cli.messages import use_colours
    from convert.cli.own_reports import without_outputs
    from convert.cli.report_output import report_for
    from convert.pipeline import find_reader, is_detected
    from convert.suite.matrix.reports import REPORTS

    command = asked.command
    use_colours(command.color)
    check(command.engine, command.scheduler)
    _check_folders(asked.folders)
    if not is_detected(command.source):
        find_reader(command.source, "--from")
    versions, written = without_outputs(_versions(asked), [command.output])
    named = _together(versions, written)
    row = report_for(command.output, command.format, REPORTS, named.paths, "matrix.md")
    jobs = [Job(log, log.place) for log in named.logs]
    counted = count_all(jobs, command, asked.reading)
    matrix = _matrix(asked, versions, counted)
    if matrix.rows:
        _write(matrix, row, asked)
    results, where = [each.result for each in counted], "the folders and --glob"
    status = end(named, results, command.quiet, "counted", where)
    return max(status, _say_empty(asked.folders, matrix), _say_copies(matrix))


def _check_folders(folders: list[str]) -> None:
    """Raise UsageError for anything but several folders."""
    from convert.cli.paths import identity_of

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


def _versions(asked: Asked) -> list[Folder]:
    """Return the folders with the files that `--glob` chooses; say which fail."""
    from convert.cli.folders import say_unused
    from convert.cli.messages import say
    from convert.source.globs import Globs
    from convert.suite.folders import folder_of

    globs = Globs(asked.command.globs)
    versions = [folder_of(path, "", globs) for path in asked.folders]
    for version in versions:
        for message in version.failures.values():
            say(message)
    if not asked.command.quiet:
        say_unused(globs)
    return versions


def _together(versions: list[Folder], written: list[str]) -> Named:
    """Return the logs of all versions, and the reports that are left out."""
    from convert.cli.folders import Named

    return Named(
        [log for version in versions for log in _logs_of(version)],
        True,
        any(version.failures for version in versions),
        [link for version in versions for link in version.links],
        [special for version in versions for special in version.specials],
        reports=written,
    )


def _logs_of(version: Folder) -> list[NamedLog]:
    from convert.cli.folders import NamedLog

    return [NamedLog(path, inside, True) for path, inside in version.logs.items()]


def _matrix(asked: Asked, versions: list[Folder], counted: list[Counted]) -> Matrix:
    from convert.cli.logs import bytes_of
    from convert.suite.matrix import names_of
    from convert.suite.matrix.cells import matrix_of
    from convert.suite.matrix.tries import try_of
    from convert.suite.prompts import prompt_beneath

    def prompt(path: str) -> str:
        # The cases of logs do not depend on what is redacted.
        return prompt_beneath(bytes_of(path), asked.command.source, asked.reading)

    results = iter(counted)
    tries = []
    for version in versions:
        pairs = [(path, next(results)) for path in version.logs]
        tries.append(
            [
                try_of(path, version.logs[path], each.runs, each.reason, prompt(path))
                for path, each in pairs
                # A file that is no log at all is left out, and counted at the end.
                if each.result.is_log
            ]
        )
    unreadable = [version.failures.keys() for version in versions]
    names = names_of(asked.folders)
    return matrix_of(names, tries, asked.command.repeat, unreadable)


def _say_empty(folders: list[str], matrix: Matrix) -> int:
    """Say which versions have no log while others have some; return the status."""
    from convert.cli.display import shown_path
    from convert.cli.messages import say

    empty = [
        folder
        for at, folder in enumerate(folders)
        if matrix.rows and not any(row.cells[at] for row in matrix.rows)
    ]
    for folder in empty:
        say(f"{shown_path(folder)}: no logs found; check the folder and --glob")
    return ExitStatus.TROUBLE if empty else ExitStatus.CONVERTED


def _say_copies(matrix: Matrix) -> int:
    """Say which logs are of one case and no repeated runs; return the status."""
    from convert.cli.messages import say

    copies = [each for each in matrix.broken if each.is_copy]
    for each in copies:
        say(f"{each.log}: {each.broken}")
    return ExitStatus.TROUBLE if copies else ExitStatus.CONVERTED


def _write(matrix: Matrix, row: ReportFormat, asked: Asked) -> None:
    from convert.cli.report_output import write_report
    from convert.cli.terminal import width
    from convert.diff.reports.appearance import Look
    from convert.suite.matrix.reports import report

    command = asked.command
    look = Look(is_full=command.full, width=command.width or width())
    lines = [*report(row.name)(matrix, look)]
    write_report(lines, row, command.output, command.color)
