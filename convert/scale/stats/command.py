"""The command `stats`: many logs, counted on an engine, to a report."""

from __future__ import annotations

import functools
import os
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

from msgspec import Struct

from convert.cli.commands import Given
from convert.cli.destination import (
    escape_for_display,
    escape_for_runner,
    is_coloured,
    is_folder,
    named_by_suffix,
    refuse_output,
    shows_blocks,
    standard_output,
    width,
)
from convert.cli.folders import check_engine, named_logs, pages_in, without_own
from convert.cli.logs import FAILED, LogResult, Named, NamedLog, OpenLog, name_of
from convert.cli.messages import LogNotes, failure_in_words, say, use_colours
from convert.cli.output_files import exit_on_signals, named_output, write_whole
from convert.cli.progress import end
from convert.cli.settings import reading_with_settings
from convert.errors import OutputError, UsageError
from convert.model.events import EVERYTHING, Event
from convert.options.conversion import Options, Reading
from convert.pipeline import check_source
from convert.scale.commands import StatsOptions
from convert.scale.engines.run_jobs import (
    LogReading,
    reading_of,
    result_of,
    run_jobs,
    say_notes,
)
from convert.scale.stats.reports import DEFAULT_REPORT, REPORTS, Look, report
from convert.scale.stats.statistics import Broken, Statistics, statistics_of
from convert.scale.stats.summary import NEEDS, Folds, of_log
from convert.wording.escapes import repair_surrogates
from convert.wording.paths import (
    base_name,
    is_url,
    joined,
    named,
    shared_folder,
    shown,
    stem_of,
)

_INDEX = "index.html"


def main(given: Given) -> int:
    """Count every log and print the report; return the worst exit status."""
    command = given.of(StatsOptions)
    if not given.logs and command.files_from is None and os.isatty(0):
        raise UsageError("stats takes logs; see runconv stats --help")
    use_colours(command.color)
    report_name = _report_of(command)
    if command.output == "":
        raise UsageError("--output needs a path")
    folder = command.output if command.output and is_folder(command.output) else ""
    found, jobs = _jobs(given.logs, command, folder)
    reading = reading_with_settings(given.values(Reading), "stats", command.config)
    how = reading_of(command, reading, len(jobs), "not counted")
    died = Counted([], FAILED, "the worker process died")
    work = functools.partial(count, how)
    counted = [*run_jobs(work, jobs, lambda _: died, command, reading, folder)]
    results = [each.result for each in counted]
    say_notes(how, found.paths, (each.notes for each in counted))
    pairs = [*zip(jobs, counted, strict=True)]
    statistics = statistics_of(
        (run for each in counted for run in each.runs),
        command.by,
        sum(result.is_log for result in results),
        [Broken(name_of(job.log.path), each.why) for job, each in pairs if each.why],
    )
    pages = {
        job.name: _address(job.page, folder) for job, each in pairs if each.has_page
    }
    _write(statistics, report_name, pages, folder, command)
    return end(found, results, command.quiet, "counted")


def _report_of(command: StatsOptions) -> str:
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


class Job(Struct, frozen=True):
    """A log to be counted."""

    log: NamedLog
    name: str
    """The name of the log in reports."""

    page: str = ""
    """The path of the page that it becomes; "" for none."""

    index: str = ""
    """The address of the page of all runs, relative to its page."""

    @property
    def paths(self) -> tuple[str, ...]:
        """The path of the log."""
        return self.log.paths


def _jobs(
    logs: list[str], command: StatsOptions, folder: str
) -> tuple[Named, list[Job]]:
    """Return the logs, and the job of each, with its page in a folder."""
    check_source(command.source)
    found = without_own(named_logs(logs, command, folder), command.output)
    check_engine(command.engine, command.scheduler, found.paths)
    names = names_of(found.paths)
    if folder:
        pages = pages_in(found.paths, names, folder, _INDEX)
    else:
        pages = [""] * len(names)
        refuse_output(command.output, found.paths)
    if command.output is not None:
        exit_on_signals()
    index = joined(folder, _INDEX)
    return found, [
        Job(log, name, page, _address(index, os.path.dirname(page)) if page else "")
        for log, name, page in zip(found.logs, names, pages, strict=True)
    ]


def _address(page: str, folder: str) -> str:
    """Return the address of a page, relative to the folder."""
    from urllib.parse import quote

    if is_url(page):
        page, folder = page.partition("://")[2], folder.partition("://")[2]
    path = os.path.relpath(page, folder).replace(os.sep, "/")
    return quote(os.fsencode(path))


def _write(
    statistics: Statistics,
    name: str,
    pages: dict[str, str],
    folder: str,
    command: StatsOptions,
) -> None:
    """Write the report to its file or to standard output."""
    path = joined(folder, _INDEX) if folder else command.output
    row = REPORTS[name]
    is_file = path not in (None, "-")
    look = Look(
        width=command.width or width(),
        is_full=command.full,
        is_coloured=row.is_coloured and not is_file and is_coloured(command.color, 1),
        has_blocks=is_file or shows_blocks(),
        pages=pages,
    )
    if path and is_file:
        opened = named_output(path, follows_link=not folder, shown_as=row.shown_as)
    else:
        # Texts of logs in a table are escaped. Escaping again would show the colours.
        escape = escape_for_runner if row.is_coloured else escape_for_display
        opened = standard_output(escape(row.shown_as, 1))
    with opened as output:
        for line in report(name)(statistics, look):
            output.write(f"{repair_surrogates(line)}\n".encode())
        output.is_wanted = True


class Counted(Struct):
    """The runs of a log, and how the reading ended."""

    runs: list[Any]
    result: LogResult
    why: str = ""
    """The reason why the log cannot be read to its end; "" if it can."""

    has_page: bool = False
    notes: LogNotes | None = None
    """The warnings and notices about it; None if there were none."""


def count(how: LogReading, job: Job) -> Counted:
    """Count one log; one that fails does not stop the others."""
    try:
        return _counted(how, job)
    except Exception as error:
        why = failure_in_words(error)
        is_output = isinstance(error, OutputError)
        say(why if is_output else f"{name_of(job.log.path)}: {why}")
        return Counted([], FAILED, why)


def _counted(how: LogReading, job: Job) -> Counted:
    """Read a log once, for its figures and for its page."""
    folds = Folds()
    with how.opened(job.log) as opened:
        events = how.events(opened, job.log, EVERYTHING if job.page else NEEDS)
        if job.page:
            _write_page(_folded(events, folds), opened, job)
        else:
            for event in events:
                folds.add(event)
    runs = of_log(folds.take(), shown(job.log.path), job.name)
    has_page = bool(job.page) and opened.error is None
    counted = Counted(runs, result_of(opened), has_page=has_page)
    if opened.is_log:
        counted.why = "" if opened.error is None else opened.error.message
        counted.notes = opened.messages.notes
    return counted


def _folded(events: Iterable[Event], folds: Folds) -> Iterator[Event]:
    """Yield the events of a log, and add each to the folds."""
    for event in events:
        folds.add(event)
        yield event


def _write_page(events: Iterable[Event], opened: OpenLog, job: Job) -> None:
    """Write the page of a log."""
    from convert.pages.run_page import write

    folder, slash, _ = job.name.rpartition("/")
    options = Options(
        log_name=f"{folder}{slash}{base_name(job.log.path)}", index=job.index
    )
    write_whole(job.page, write(events, options, opened.messages.warn))


def names_of(logs: list[str]) -> list[str]:
    """Return a short name for each log: its path in the folder that all share.

    Suffixes are dropped, unless two logs would have one name.
    """
    shared = _folder_of_all([log for log in logs if log != "-"])
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


def _folder_of_all(paths: list[str]) -> str:
    """Return the folder that all paths share; "" if they share none."""
    if any(map(is_url, paths)):
        return shared_folder(paths)
    try:
        folders = [os.path.dirname(os.path.abspath(path)) for path in paths]
        return os.path.commonpath(folders)
    except ValueError:
        # There is no path, or they are on several drives.
        return ""


def _name_in(log: str, shared: str) -> str:
    if is_url(log):
        return named(log).removeprefix(shared)
    inside = os.path.relpath(os.path.abspath(log), shared) if shared else log
    return inside.replace(os.sep, "/")
