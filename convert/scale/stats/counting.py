"""The counting of one log: its figures, its page, its messages and its result."""

from __future__ import annotations

import functools
import os
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from convert.cli.failures import failure_in_words
from convert.cli.logs import FAILED, LogResult, NamedLog, name_of
from convert.cli.messages import say
from convert.cli.output_files import named_output
from convert.errors import OutputError
from convert.model.needs import EVERYTHING
from convert.options import Options, Reading
from convert.scale.engines import run_jobs
from convert.scale.log_reading import LogReading, reading_of, result_of, say_notes
from convert.scale.stats.summary import NEEDS, Folds, named
from convert.wording.urls import base_name, is_url, shared_folder, shown, stem_of
from convert.wording.urls import named as named_url

if TYPE_CHECKING:
    from convert.cli.logs import OpenLog
    from convert.cli.messages import Told
    from convert.model.events import Event
    from convert.scale.commands import StatsOptions


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
