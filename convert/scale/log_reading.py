"""The reading of one log for `stats` and `table`, and what there is to say about it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager

from msgspec import Struct

from convert.cli.logs import LogResult, NamedLog, OpenLog, open_log
from convert.cli.messages import Told
from convert.cli.options import ManyLogs
from convert.cli.totals import say_sums
from convert.errors import ExitStatus
from convert.model.events import EndOfLog, Event
from convert.model.needs import Needs
from convert.options import Reading
from convert.pipeline import events_of, only


class LogReading(Struct, frozen=True):
    """How a command reads its logs, the same for each of them."""

    source: str
    """The format of the logs."""

    run: int | None
    """The one run of a log that is wanted; None for all."""

    reading: Reading
    is_quiet: bool
    is_strict: bool
    fate: str
    """The fate of events of unknown types, as `not counted`."""

    def opened(
        self, log: NamedLog, flush: Callable[[], None] = lambda: None
    ) -> AbstractContextManager[OpenLog]:
        """Open a log; an error while it is read is printed and ends the block."""
        return open_log(
            log.path,
            is_quiet=self.is_quiet,
            is_strict=self.is_strict,
            flush=flush,
            may_be_other=log.is_found,
        )

    def events(self, opened: OpenLog, log: NamedLog, needs: Needs) -> Iterator[Event]:
        """Yield the events of a log; print the counts when it ends."""
        messages = opened.messages
        reading = self.reading.replace(is_found=log.is_found)
        events = events_of(opened.pieces, self.source, needs, reading, messages.warn)
        for event in only(events, self.run):
            if isinstance(event, EndOfLog):
                messages.end(event.line, event.unknown, self.fate, event.redacted)
            yield event


def reading_of(command: ManyLogs, reading: Reading, logs: int, fate: str) -> LogReading:
    """Return how a command reads so many logs.

    Thousands may have the same to tell, so that messages about several are summed.
    """
    is_quiet = command.quiet or logs > 1
    source, run, is_strict = command.source, command.run, command.strict
    return LogReading(source, run, reading, is_quiet, is_strict, fate)


def result_of(opened: OpenLog) -> LogResult:
    """Return how the reading of a log ended."""
    error = opened.error
    status = ExitStatus.CONVERTED if error is None else error.exit_status
    return LogResult(status, opened.messages.has_warned, opened.is_log)


def say_notes(
    how: LogReading, command: ManyLogs, told: Iterable[tuple[str, Told | None]]
) -> None:
    """Print the messages about logs, named by their paths, unless they are printed."""
    if how.is_quiet and not command.quiet:
        notes = ((path, each) for path, each in told if each is not None)
        say_sums(notes, how.fate)
