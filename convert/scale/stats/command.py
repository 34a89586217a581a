"""The command `stats`: many logs, counted on an engine, to a report."""

from __future__ import annotations

import functools
import os
from collections.abc import Callable
from typing import TYPE_CHECKING

from convert.cli.commands import parse
from convert.cli.destination import (
    is_folder,
    named_by_suffix,
    print_text,
    refuse_input,
    standard_output,
)
from convert.cli.folders import check_engine, named_logs, pages_in, without_own
from convert.cli.logs import name_of
from convert.cli.messages import use_colours
from convert.cli.output_files import exit_on_signals, named_output
from convert.cli.settings import reading_with_settings
from convert.cli.terminal import (
    escape_for_display,
    escape_for_runner,
    is_coloured,
    shows_blocks,
    width,
)
from convert.cli.totals import end
from convert.errors import ExitStatus, UsageError
from convert.options import Reading
from convert.pipeline import find_reader, is_detected
from convert.scale.commands import StatsOptions
from convert.scale.stats.counting import Job, count_all, names_of
from convert.scale.stats.reports import DEFAULT_REPORT, REPORTS, Look, report
from convert.scale.stats.statistics import Broken, statistics_of
from convert.wording.escapes import repair_surrogates
from convert.wording.styles import painted
from convert.wording.urls import is_url, joined

if TYPE_CHECKING:
    from convert.cli.destination import Destination
    from convert.cli.logs import Named
    from convert.reports.document import Style
    from convert.scale.stats.statistics import Statistics

_INDEX = "index.html"


class Request:
    """The request that a command line makes."""

    def __init__(self, arguments: list[str]) -> None:
        given = parse("stats", arguments)
        self.logs = given.logs
        self.command = given.of(StatsOptions)
        self._given = given.values(Reading)

    @functools.cached_property
    def reading(self) -> Reading:
        """How the logs are read: as the command line or a settings file says."""
        config = self.command.config
        return reading_with_settings(self._given, "stats", config)


def main(arguments: list[str]) -> int:
    """Run the command with these words; return the exit status."""
    asked = Request(arguments)
    if asked.command.help:
        from convert.cli.help import help_of

        print_text(help_of("stats"))
        return ExitStatus.CONVERTED
    is_nothing_named = not asked.logs and asked.command.files_from is None
    if is_nothing_named and os.isatty(0):
        raise UsageError("stats takes logs; see runconv stats --help")
    return _run(asked)


def _run(asked: Request) -> int:
    """Count every log and print the report; return the worst exit status."""
    command = asked.command
    use_colours(command.color)
    name, folder = _format(command), _folder(command)
    named, jobs = _jobs(asked, folder)
    counted = count_all(jobs, command, asked.reading, folder)
    pairs = [*zip(jobs, counted, strict=True)]
    logs = sum(each.result.is_log for each in counted)
    broken = [
        Broken(name_of(job.path), each.reason) for job, each in pairs if each.reason
    ]
    runs = (run for each in counted for run in each.runs)
    statistics = statistics_of(runs, command.by, logs, broken)
    pages = {
        job.name: _address(job.page, folder) for job, each in pairs if each.has_page
    }
    _write(statistics, name, pages, folder, command)
    return end(named, [each.result for each in counted], command.quiet, "counted")


def _folder(command: StatsOptions) -> str:
    """Return the folder that pages are written to; "" for none."""
    if command.output == "":
        raise UsageError("--output needs a path")
    return command.output if command.output and is_folder(command.output) else ""


def _jobs(asked: Request, folder: str) -> tuple[Named, list[Job]]:
    """Return the logs, with the pages that they become in a folder."""
    command = asked.command
    if not is_detected(command.source):
        find_reader(command.source, "--from")
    named = without_own(named_logs(asked.logs, command, folder), command.output)
    check_engine(command.engine, command.scheduler, named.paths)
    names = names_of(named.paths)
    pages = [""] * len(names)
    if folder:
        pages = pages_in(named.paths, names, folder, _INDEX)
    elif command.output not in (None, "-"):
        refuse_input(command.output or "", command.output or "", named.paths)
    else:
        refuse_input(1, "standard output", named.paths)
    if command.output is not None:
        exit_on_signals()
    index = joined(folder, _INDEX)
    return named, [
        Job(log, name, page, _address(index, os.path.dirname(page)) if page else "")
        for log, name, page in zip(named.logs, names, pages, strict=True)
    ]


def _address(page: str, folder: str) -> str:
    """Return the address of a page, relative to the folder."""
    from urllib.parse import quote

    if is_url(page):
        page, folder = page.partition("://")[2], folder.partition("://")[2]
    path = os.path.relpath(page, folder).replace(os.sep, "/")
    return quote(os.fsencode(path))


def _format(command: StatsOptions) -> str:
    """Return the report to write: named, by the suffix of the output, or the table."""
    path = command.output or ""
    if path and is_folder(path):
        if command.format not in (None, "html"):
            raise UsageError(
                f"a folder gets pages; write {command.format} to a file, as in -o"
                f" {joined(path, 'stats' + REPORTS[command.format].suffixes[0])}"
            )
        return "html"
    if command.format is not None:
        return command.format
    suffixes = {name: row.suffixes for name, row in REPORTS.items()}
    return named_by_suffix(path, suffixes, "report", "--format") or DEFAULT_REPORT


def _write(
    statistics: Statistics,
    name: str,
    pages: dict[str, str],
    folder: str,
    command: StatsOptions,
) -> None:
    """Write the report to where it is wanted."""
    path = joined(folder, _INDEX) if folder else command.output
    row = REPORTS[name]
    if path is None or path == "-":
        look = _look(command, pages, is_plain=not row.is_coloured, is_file=False)
        # Text of logs in a table is harmless, and escaping would show its colours.
        escape = escape_for_runner if row.is_coloured else escape_for_display
        with standard_output(escape(row.shown_as, 1)) as output:
            _print(statistics, name, look, output)
        return
    look = _look(command, pages, is_plain=True, is_file=True)
    show_on = functools.partial(escape_for_display, row.shown_as)
    with named_output(path, follows_link=not folder, show_on=show_on) as output:
        _print(statistics, name, look, output)
        output.is_wanted = True


def _print(statistics: Statistics, name: str, look: Look, output: Destination) -> None:
    for line in report(name)(statistics, look):
        output.write(f"{repair_surrogates(line)}\n".encode())


def _look(
    command: StatsOptions, pages: dict[str, str], *, is_plain: bool, is_file: bool
) -> Look:
    return Look(
        width=command.width or width(),
        is_full=command.full,
        paint=style_painter(command.color, is_plain),
        has_blocks=is_file or shows_blocks(),
        pages=pages,
    )


def style_painter(choice: str, is_plain: bool) -> Callable[[str, Style], str]:
    """Return the function that colours a part of a line; likewise."""
    is_wanted = not is_plain and is_coloured(choice, 1)
    return _styled if is_wanted else lambda text, style: text


def _styled(text: str, style: Style) -> str:
    return painted(text, style) if style else text
