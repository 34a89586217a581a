"""The command `stats`: many logs, counted on an engine, to a report."""

from __future__ import annotations

import functools
import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from convert.cli.commands import parse
from convert.cli.destination import (
    is_folder,
    named_by_suffix,
    print_text,
    refuse_input,
    standard_output,
)
from convert.cli.folders import check_engine, named_logs, pages_in, without_own
from convert.cli.logs import FAILED, LogResult, NamedLog, name_of
from convert.cli.messages import failure_in_words, say, use_colours
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
from convert.errors import ExitStatus, OutputError, UsageError
from convert.model.events import EVERYTHING
from convert.options import Options, Reading
from convert.pipeline import find_reader, is_detected
from convert.scale.commands import StatsOptions
from convert.scale.engines import LogReading, reading_of, result_of, run_jobs, say_notes
from convert.scale.stats.reports import DEFAULT_REPORT, REPORTS, Look, report
from convert.scale.stats.statistics import Broken, statistics_of
from convert.scale.stats.summary import NEEDS, Folds, named
from convert.wording.escapes import repair_surrogates
from convert.wording.styles import painted
from convert.wording.urls import (
    base_name,
    is_url,
    joined,
    shared_folder,
    shown,
    stem_of,
)
from convert.wording.urls import named as named_url

if TYPE_CHECKING:
    from convert.cli.destination import Destination
    from convert.cli.logs import Named, OpenLog
    from convert.cli.messages import Told
    from convert.model.events import Event
    from convert.reports import Style
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


class Job(Struct, frozen=True):
    """A log to be counted."""

    log: NamedLog
    name: str
    """The name by which reports call it."""

    page: str = ""
    """The path of the page that it becomes; "" for none."""

    index: str = ""
    """The address of the page of all runs, relative to its page."""

    @property
    def path(self) -> str:
        """The path of the log."""
        return self.log.path

    @property
    def paths(self) -> tuple[str, ...]:
        """The path of the log alone."""
        return self.log.paths


class Counted(Struct):
    """The runs of a log, and how the reading ended."""

    runs: list[Any]
    result: LogResult
    reason: str = ""
    """The reason why it cannot be read to its end; "" if it can."""

    has_page: bool = False
    told: Told | None = None
    """The warnings and notices about it; None if there were none."""


def count_all(
    jobs: list[Job], command: StatsOptions, reading: Reading, folder: str = ""
) -> list[Counted]:
    """Count all logs on the engine, and say what there is to tell about them.

    `folder` is where their pages are written to, if they are wanted.
    """
    how = reading_of(command, reading, len(jobs), "not counted")
    work = functools.partial(count, how)
    died = Counted([], FAILED, "the worker process died")
    counted = [*run_jobs(work, jobs, lambda _: died, command, reading, folder)]
    pairs = zip(jobs, counted, strict=True)
    say_notes(how, command, ((job.path, each.told) for job, each in pairs))
    return counted


def count(how: LogReading, job: Job) -> Counted:
    """Count one log; one that fails does not stop the others."""
    try:
        return _counted(how, job)
    except Exception as error:
        reason = failure_in_words(error)
        is_output = isinstance(error, OutputError)
        say(reason if is_output else f"{name_of(job.path)}: {reason}")
        return Counted([], FAILED, reason)


def _counted(how: LogReading, job: Job) -> Counted:
    """Read a log once, for its figures and for its page."""
    folds = Folds()
    with how.opened(job.log) as opened:
        needs = EVERYTHING if job.page else NEEDS
        events = how.events(opened, job.log, needs)
        if job.page:
            _write_page(_folded(events, folds), opened, job)
        else:
            for event in events:
                folds.add(event)
    counted = Counted(
        named(folds.take(), shown(job.path), job.name),
        result_of(opened),
        has_page=bool(job.page) and opened.error is None,
    )
    if opened.is_log:
        counted.reason = "" if opened.error is None else opened.error.message
        counted.told = opened.messages.told
    return counted


def _folded(events: Iterable[Event], folds: Folds) -> Iterator[Event]:
    """Yield the events of a log, which the folds take as they pass."""
    for event in events:
        folds.add(event)
        yield event


def _write_page(events: Iterable[Event], opened: OpenLog, job: Job) -> None:
    """Write the page of a log."""
    from convert.pages.run_page import write

    folder, slash, _ = job.name.rpartition("/")
    name = f"{folder}{slash}{base_name(job.path)}"
    options = Options(log_name=name, index=job.index)
    with named_output(job.page, follows_link=False, show_on=lambda _: None) as page:
        for piece in write(events, options, opened.messages.warn):
            page.write(piece)
        page.is_wanted = not page.is_empty


def names_of(logs: list[str]) -> list[str]:
    """Return a short name for each log: its path in the folder that all share.

    Suffixes are left out, unless two logs would have one name.
    """
    shared = folder_of_all([log for log in logs if log != "-"])
    names = ["<stdin>" if log == "-" else _name_in(log, shared) for log in logs]
    stems = [
        name if log == "-" else stem_of(name)
        for name, log in zip(names, logs, strict=True)
    ]
    times = Counter(stems)
    return [
        name if times[stem] > 1 else stem
        for name, stem in zip(names, stems, strict=True)
    ]


def folder_of_all(paths: list[str]) -> str:
    """Return the folder that all paths share; "" if they share none."""
    if any(map(is_url, paths)):
        return shared_folder(paths)
    try:
        whole = map(os.path.abspath, paths)
        return os.path.commonpath([os.path.dirname(path) for path in whole])
    except ValueError:
        # There is no path, or they are on several drives.
        return ""


def _name_in(log: str, shared: str) -> str:
    if is_url(log):
        return named_url(log).removeprefix(shared)
    inside = os.path.relpath(os.path.abspath(log), shared) if shared else log
    return inside.replace(os.sep, "/")
