"""The runs of a log that `runconv run` has written, whose marks say how each try ended.

A try is one start of the agent, and read as a log of its own: a run that it leaves open
ends with it. Where the agent records no reason, that of the mark counts. A try without
any event is a run without one.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from msgspec.structs import replace

from convert.errors import NoEventsError, Warn
from convert.facts.run_reasons import ENDED_BY, kind_of
from convert.formats import (
    LOSSLESS,
    Reader,
    agents,
    candidates,
    format_named,
    formats,
    openings,
)
from convert.model.events import (
    Approved,
    End,
    EndOfLog,
    Event,
    Needs,
    Start,
    ToolCall,
    Turn,
)
from convert.options.conversion import Reading
from convert.source.marks import Marks, Try
from convert.source.reading import sniff

if TYPE_CHECKING:
    from convert.redact.redactor import Redactor


def reader_of_tries(reader: Reader, source: str, marks: Marks) -> Reader:
    """Return the reader of a log with marks; "" is a `source` that is not known yet."""

    def read(
        lines: Iterable[bytes], needs: Needs, reading: Reading, warn: Warn
    ) -> Iterator[Event]:
        name, own = source, reader
        if needs.turns and not name:
            # Who runs the agent ends it, and then the whole log shows its format.
            yield Turn(run=1, line=marks.lines, is_over=True)
            name, lines = sniff(lines, candidates(), openings(), agents)
            own = formats()[name or LOSSLESS].reader or reader
        row = formats().get(format_named(name))
        agent = row.agent if row else ""
        yield from MarkedLog(own, agent, marks, needs, reading, warn).events(lines)

    return replace(reader, read=read)


class MarkedLog:
    """A log with marks while it is read: its blocks go in, events come out.

    `agent` is the agent of a try without events.
    """

    def __init__(
        self,
        reader: Reader,
        agent: str,
        marks: Marks,
        needs: Needs,
        reading: Reading,
        warn: Warn,
    ) -> None:
        self._redactor: Redactor | None = None
        if reading.redact:
            from convert.redact.redactor import Known, Redactor

            # A secret of one try is one in the next.
            reading = reading.replace(known=reading.known or Known())
            self._redactor = Redactor(reading.redact_patterns, reading.known)
        self._reader, self._agent, self._marks = reader, agent, marks
        self._needs, self._reading, self._warn = needs, reading, warn
        # How many lines without marks, and how many runs, the tries before have.
        self._lines_before = self._runs_before = 0
        # The number of the last run.
        self._run = 0
        self._unknown: Counter[str] = Counter()
        self._build: tuple[str, str, str] | None = None
        # The warnings of the log as a whole.
        self._said: set[tuple[str, str]] = set()
        # The end of the last try; one without lines if it is not there.
        self._ended = Try()

    def events(self, blocks: Iterable[bytes]) -> Iterator[Event]:
        """Yield the events of all tries, then the end of the log."""
        blocks = iter(blocks)
        last = 0
        for block in blocks:
            if isinstance(block, Try):
                self._ended = block
                yield from self._without_events(block)
            elif not block:
                # As much is left of a line whose parts a container has marked.
                continue
            else:
                yield from self._of_try(itertools.chain([block], blocks))
            last = max(last, self._ended.last)
            self._lines_before += self._ended.lines
            self._runs_before = self._run
        yield EndOfLog(
            run=0,
            line=last,
            unknown=dict(self._unknown),
            redacted=dict(self._redactor.counts) if self._redactor else None,
            build=self._build,
            stderr_lines=self._marks.stderr_lines,
        )

    def _of_try(self, blocks: Iterator[bytes]) -> Iterator[Event]:
        """Yield the events of a try that has lines."""
        # The ends whose reason may be in the mark, which no event follows so far.
        held: list[End] = []
        lines = self._lines(blocks)
        opened: set[int] = set()
        events = self._reader.read(lines, self._needs, self._reading, self._warn_of)
        try:
            for event in events:
                if isinstance(event, EndOfLog):
                    self._unknown.update(event.unknown)
                    self._build = event.build or self._build
                    if self._redactor is not None:
                        self._redactor.counts.update(event.redacted or {})
                    continue
                self._place(event)
                if isinstance(event, Start):
                    opened.add(event.run)
                    self._agent = event.agent
                elif isinstance(event, End):
                    opened.discard(event.run)
                    if event.state != "success" and not event.reason:
                        held.append(event)
                        if self._needs.turns and not opened:
                            yield Turn(run=event.run, line=event.line, is_over=True)
                        continue
                yield from held
                held.clear()
                yield event
        except NoEventsError:
            # Then the try is a run without events.
            pass
        for _ in lines:
            pass
        ended = self._ended
        for end in held:
            yield self._with_reason(end, ended)
        for run in opened:
            yield self._end_without_events(run, ended)
        if self._run == self._runs_before and ended.is_marked:
            yield from self._without_events(ended)

    def _lines(self, blocks: Iterator[bytes]) -> Iterator[bytes]:
        """Yield the blocks of one try."""
        self._ended = Try()
        for block in blocks:
            if isinstance(block, Try):
                self._ended = block
                return
            yield block

    def _warn_of(self, number: int | None, reason: str, action: str) -> None:
        """Warn of a line with its number in the log, and of the log as a whole once."""
        if number is not None:
            self._warn(self._line(number), reason, action)
        elif (reason, action) not in self._said:
            self._said.add((reason, action))
            self._warn(None, reason, action)

    def _line(self, number: int) -> int:
        """Return the number in the log of a line of the try."""
        return self._marks.line(self._lines_before + number)

    def _place(self, event: Event) -> None:
        """Give an event of a try the numbers of its line and its run in the log."""
        event.line = self._line(event.line)
        if event.run:
            event.run += self._runs_before
            self._run = max(self._run, event.run)
        if isinstance(event, ToolCall):
            event.started_line = event.started_line and self._line(event.started_line)
            for step in event.steps or ():
                self._place(step)
        elif isinstance(event, Approved):
            event.file_lines = [*map(self._line, event.file_lines)]

    def _without_events(self, ended: Try) -> Iterator[Event]:
        """Yield the run that a try without events is."""
        self._run += 1
        yield Start(
            run=self._run,
            line=ended.first,
            agent=self._agent,
            level=self._reader.level,
        )
        yield self._end_without_events(self._run, ended)

    def _end_without_events(self, run: int, ended: Try) -> End:
        """Return the end of a run that its reader could not end."""
        return self._with_reason(End(run=run, line=ended.last, state="cut"), ended)

    def _with_reason(self, end: End, ended: Try) -> End:
        """Return the end of a run as the mark of its try says."""
        mark = ended.end
        is_cut = end.state in ("cut", "unfinished")
        reason = mark.reason if mark else _last_message(ended)
        if mark is not None and end.state is None:
            if mark.exit_code != 0:
                end.state, is_cut = "cut", True
            elif self._reader.level == "text":
                # Events that say nothing of their end may be those of another format.
                end.state = "success"
        if is_cut and (mark.exit_code if mark else reason):
            end.state, end.interrupted = "error", ""
        if end.state not in (None, "success"):
            end.reason = self._redactor.text(reason) if self._redactor else reason
            kind = kind_of(end.state, reason, is_online=not end.interrupted)
            if kind in ENDED_BY or end.reason_kind not in ENDED_BY:
                end.reason_kind = kind
        return end


def _last_message(ended: Try) -> str:
    """Return the last message on standard error that may be why a try broke off."""
    # Most logs have a mark that says so.
    from convert.cursor.incidents import failure_messages, message_among_events

    whole = failure_messages("\n".join(ended.last_errors))
    messages = whole or [*map(message_among_events, ended.last_errors)]
    return next(filter(None, reversed(messages)), "")
