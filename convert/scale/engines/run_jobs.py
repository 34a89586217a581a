"""The results of jobs in their order, with messages, progress and deaths, once for all.

The docstring of the package describes jobs, work, sinks and engines.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Protocol

from msgspec import Struct

from convert.cli.commands import ManyLogs
from convert.cli.destination import shown_path
from convert.cli.logs import LogResult, NamedLog, OpenLog, name_of, open_log
from convert.cli.messages import LogNotes, kept_messages, print_messages, say
from convert.cli.progress import Progress, progress_of, say_sums
from convert.errors import ExitStatus
from convert.model.events import EndOfLog, Event, Needs
from convert.options.conversion import Reading
from convert.pipeline import events_of, only
from convert.scale.engines.jobs import (
    Done,
    Engine,
    J,
    Note,
    R,
    Window,
    Work,
    refuse_memory,
    size_of_job,
)
from convert.scale.engines.local import Local

DIED = "the worker process died, possibly out of memory; read this log on its own"
"""The message about a log whose worker died."""


class Command(Protocol):
    """The options of a command that has many logs."""

    @property
    def engine(self) -> str:
        """The name of the engine that does the work."""

    @property
    def scheduler(self) -> str | None:
        """The address of a cluster."""

    @property
    def quiet(self) -> bool:
        """No progress is shown."""


def opened(
    command: Command, output: str = ""
) -> contextlib.AbstractContextManager[Engine]:
    """Return the engine of a command, with the cluster that it needs for the block.

    `output` is the folder that the work writes to; "" if it writes no files.
    """
    if command.engine != "dask":
        return contextlib.nullcontext(Local(output))
    refuse_memory([output])
    # Imported here: Dask is slow to load.
    from convert.scale.engines.dask import on_dask

    return on_dask(command.scheduler, output)


def progress_on(
    jobs: Sequence[J], command: Command, reading: Reading
) -> contextlib.AbstractContextManager[Progress | None]:
    """Return the progress of jobs, whose logs are read twice to redact them."""
    paths = [path for job in jobs for path in job.paths]
    return progress_of(
        paths, times=2 if reading.redact else 1, is_wanted=not command.quiet
    )


def run_jobs(
    work: Work[J, R],
    jobs: Sequence[J],
    died: Callable[[J], R],
    command: Command,
    reading: Reading,
    output: str = "",
    noting: contextlib.AbstractContextManager[Note[J, R] | None] | None = None,
) -> Iterator[R]:
    """Do the jobs of a command on its engine; yield the results in their order.

    `noting` is the time in which a plan of `--resume` takes each that is done. If all
    are done already, neither that nor an engine begins.
    """
    if noting is not None and not jobs:
        return
    with (
        opened(command, output) as engine,
        noting or contextlib.nullcontext() as note,
        progress_on(jobs, command, reading) as progress,
    ):
        yield from results_of(engine, work, jobs, died, progress, note)


def results_of(
    engine: Engine,
    work: Work[J, R],
    jobs: Sequence[J],
    died: Callable[[J], R],
    progress: Progress | None = None,
    note: Note[J, R] | None = None,
) -> Iterator[R]:
    """Do all jobs; yield the results in their order.

    A message about a job is printed before its result is yielded. `note` is called as
    soon as a job is done, whatever the order, and not if its worker died: the result is
    then that of `died`.
    """
    window = Window([size_of_job(job) for job in jobs])
    waiting: dict[int, Done[R]] = {}
    read = 0
    with contextlib.closing(engine.done(work, jobs, window)) as arrivals:
        for number, job in enumerate(jobs):
            window.wanted = number
            while number not in waiting:
                if (arrived := next(arrivals)) is not None:
                    at, done = arrived
                    if done is None:
                        waiting[at] = died(jobs[at]), _message_of_death(jobs[at].paths)
                    else:
                        waiting[at] = done
                        if note:
                            note(jobs[at], done[0])
                if progress:
                    progress.look()
            result, lines = waiting.pop(number)
            print_messages(lines)
            read += window.sizes[number]
            if progress:
                progress.reach(read)
                progress.add_logs(len(job.paths))
            yield result


def _message_of_death(logs: Sequence[str]) -> list[bytes]:
    """Return the message about the logs of a job whose worker died."""
    names = ", ".join(shown_path(name_of(log)) for log in logs)
    with kept_messages() as lines:
        say(f"{names}: {DIED}")
    return lines


class LogReading(Struct, frozen=True):
    """How a command reads its logs, the same for each of them."""

    command: ManyLogs
    reading: Reading
    is_quiet: bool
    """Messages are not printed one by one."""

    fate: str
    """The fate of events of unknown types, as `not counted`."""

    def opened(
        self, log: NamedLog, flush: Callable[[], None] = lambda: None
    ) -> contextlib.AbstractContextManager[OpenLog]:
        """Open a log; an error while it is read is printed and ends the block."""
        return open_log(
            log.path,
            is_quiet=self.is_quiet,
            is_strict=self.command.strict,
            flush=flush,
            may_be_other=log.is_found,
        )

    def events(self, opened: OpenLog, log: NamedLog, needs: Needs) -> Iterator[Event]:
        """Yield the events of a log; print the counts when it ends."""
        command, messages = self.command, opened.messages
        reading = self.reading.replace(is_found=log.is_found)
        events = events_of(opened.pieces, command.source, needs, reading, messages.warn)
        for event in only(events, command.run):
            if isinstance(event, EndOfLog):
                messages.end(event, self.fate)
            yield event


def reading_of(command: ManyLogs, reading: Reading, logs: int, fate: str) -> LogReading:
    """Return how a command reads its logs; `logs` is their number.

    Thousands may have the same messages, so that those about several are summed.
    """
    return LogReading(command, reading, command.quiet or logs > 1, fate)


def result_of(opened: OpenLog) -> LogResult:
    """Return how the reading of a log ended."""
    error = opened.error
    return LogResult(
        error.exit_status if error else ExitStatus.CONVERTED,
        opened.messages.has_warned,
        opened.is_log,
    )


def say_notes(
    how: LogReading, paths: Iterable[str], notes: Iterable[LogNotes | None]
) -> None:
    """Print the sums of the messages about logs, unless each was printed."""
    if how.is_quiet and not how.command.quiet:
        pairs = zip(paths, notes, strict=True)
        say_sums(((path, each) for path, each in pairs if each is not None), how.fate)
