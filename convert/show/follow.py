"""A log that grows: lines as they come, and the calls that are open now."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterable

from convert.facts.run_figures import place_named
from convert.facts.subagents import CallsByParent
from convert.model.events import (
    End,
    EndOfLog,
    Event,
    Incident,
    Segment,
    Start,
    ToolCall,
)
from convert.options.conversion import Options
from convert.pages.entries import CallRow, Entry, call_row
from convert.pages.picture_builder import PictureBuilder
from convert.pages.run_picture import agent_of, failed_in_words, title_of_run
from convert.pages.timeline_layout import clock, moment
from convert.show.calls import CallLines, cells_uncut, open_call_line
from convert.show.prose import prose_lines
from convert.show.run import (
    chapter_heading,
    entry_lines,
    head_lines,
    rule,
    verdict_lines,
)
from convert.show.text import INDENT, Text, at_both_ends, styled, visible, wrapped
from convert.transcript.incidents import incident_line
from convert.wording.escapes import strip_controls
from convert.wording.numbers import count

_MOST_OPEN = 4
_MOST_OUTPUT = 3
_SPINNER = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"
_TURNS_A_SECOND = 5
# In minutes; a call, or the agent's reasoning, seldom takes longer.
_LONG_SILENCE = 10


class FollowedLog:
    """Folds the events of a log into lines; some may be of runs that overlap.

    Times of arrival are in seconds, on any clock; each width is that of the moment.
    If it `is_cut`, longer lines of calls are cut; words are always wrapped.
    """

    def __init__(self, options: Options, name: str, *, is_cut: bool = True) -> None:
        self._options = options
        self._name = name
        self._is_cut = is_cut
        self._runs: dict[int, _FollowedRun] = {}
        # The run whose lines came last.
        self._last = 0

    @property
    def is_complete(self) -> bool:
        """A run has begun, and none goes on."""
        return bool(self._last) and not self._runs

    def add(self, event: Event, cells: int, at: float) -> list[Text]:
        """Return the lines of an event that arrived at a time."""
        if isinstance(event, EndOfLog):
            return []
        run = self._runs.get(event.run)
        if run is None:
            run = _FollowedRun(event.run, self._options, self._name, at, self._is_cut)
            self._runs[event.run] = run
        lines = run.add(event, cells, at)
        if isinstance(event, End):
            del self._runs[event.run]
        if lines and event.run != self._last:
            is_first = not self._last
            self._last = event.run
            return lines if is_first else [Text(), rule(event.run, cells), *lines]
        return lines

    def area(self, cells: int, now: float, silence: str = "") -> list[Text]:
        """Return the calls that are open, and a line on the run as it is now.

        The line ends in the `silence` of the log, if it has been silent for long.
        """
        spinner = _SPINNER[int(now * _TURNS_A_SECOND) % len(_SPINNER)]
        if self._runs:
            return [*self._runs.values()][-1].area(cells, now, spinner, silence)
        return [] if self._last else [Text(f"{spinner} no run has begun")]


class _FollowedRun:
    """Folds the events of one run into lines."""

    def __init__(
        self, number: int, options: Options, name: str, at: float, is_cut: bool
    ) -> None:
        self._picture = PictureBuilder(number, options)
        self._by_parent = CallsByParent()
        self._name = name
        self._is_cut = is_cut
        self._calls = CallLines(_MOST_OUTPUT)
        self._has_head = False
        self._has_words = False
        self._open: dict[int, CallRow] = {}
        # The same by their ids, and how many calls began inside each, by its number.
        self._open_ids: dict[str, CallRow] = {}
        self._inside: Counter[str] = Counter()
        # How many files differ; None if that has to be counted again.
        self._files: int | None = 0
        # A moment of the run in milliseconds, and when it was.
        self._anchor = 0, at
        # The latest moment that was shown.
        self._latest = 0
        # When the last call ended.
        self._idle_since = 0

    def add(self, event: Event, cells: int, at: float) -> list[Text]:
        """Return the lines of an event that arrived at a time."""
        grouped: Iterable[Event] = [event]
        if isinstance(event, ToolCall):
            grouped = calls = [*self._by_parent.add(event)]
            if not event.is_repeated:
                self._note(event, calls, at)
        elif isinstance(event, End):
            grouped = [*self._by_parent.rest(), event]
        entries = [self._picture.add(each) for each in grouped]
        if isinstance(event, Start):
            return []
        lines = [
            line
            for entry in entries
            if entry is not None
            for line in self._entry_lines(entry, cells)
        ]
        return self._with_head([*lines, *self._between_calls(event, cells)], cells)

    def _entry_lines(self, entry: Entry, cells: int) -> list[Text]:
        """Return the lines of a call, of reasoning, or of a remark."""
        if not isinstance(entry, CallRow):
            return entry_lines(entry, cells)
        if not self._is_cut:
            widest = [cells_uncut(row, _MOST_OUTPUT) for row in entry.with_inside]
            cells = max([cells, *widest])
        return [*self._calls.of(entry, cells)]

    def _between_calls(self, event: Event, cells: int) -> list[Text]:
        """Return the lines of an event that is not about a call."""
        match event:
            case Segment():
                words = strip_controls(event.text).strip()
                self._has_words = self._has_words or bool(words)
                return [Text(), *chapter_heading([words], cells)] if words else []
            case Incident():
                line = "".join(words.text for words in incident_line(event))
                return wrapped(visible(line, "yellow"), cells, Text(INDENT))
            case End():
                run = self._picture.picture(event)
                # A summary has an answer and no other words.
                answer = "" if self._has_words else run.answer
                words_at_end = [Text(), *prose_lines(answer, cells)] if answer else []
                return [*words_at_end, Text(), *verdict_lines(run, cells)]
        return []

    def _with_head(self, lines: list[Text], cells: int) -> list[Text]:
        """Put the name of the run above its first lines."""
        if self._has_head:
            return lines
        self._has_head = True
        start = self._picture.start
        title = title_of_run(self._picture.title, self._name, start)
        named = "" if title == self._name else self._name
        facts = [agent_of(start), start.model, named]
        head = head_lines(title, facts, cells)
        gap = [Text()] if head and lines and lines[0] else []
        return [*head, *gap, *lines]

    def _note(self, call: ToolCall, grouped: list[ToolCall], at: float) -> None:
        """Note which calls are open, and the time in the run."""
        started = call.since_start_ms
        if call.outcome is None:
            number = self._number_of_open(call, grouped)
            if not number:
                return
            row = call_row(call, number, self._picture.start.directory, None)
            if started is None:
                row.started = self._now(at)
            else:
                self._anchor = max(started, self._anchor[0]), at
            self._open[call.number] = row
            if call.id:
                self._open_ids[call.id] = row
            return
        if call.number in self._open:
            ended = self._open.pop(call.number)
            self._inside.pop(ended.number, None)
            if self._open_ids.get(call.id) is ended:
                del self._open_ids[call.id]
        if started is not None and call.duration_ms is not None:
            self._anchor = max(started + call.duration_ms, self._anchor[0]), at
        elif call.ended_since_start_ms is not None:
            self._anchor = max(call.ended_since_start_ms, self._now(at)), at
        self._idle_since = self._now(at)
        self._files = None

    def _number_of_open(self, call: ToolCall, grouped: list[ToolCall]) -> str:
        """Return the future number of a call; "" for one that is shown already."""
        if grouped:
            return ".".join(map(str, (*grouped[0].around, grouped[0].number)))
        around = self._open_ids.get(call.parent)
        if around is None:
            return ""
        self._inside[around.number] += 1
        return f"{around.number}.{self._inside[around.number]}"

    def _now(self, at: float) -> int:
        """Return how long the run has taken at a time, in milliseconds."""
        known, when = self._anchor
        return known + max(round(1000 * (at - when)), 0)

    def area(self, cells: int, now: float, spinner: str, silence: str) -> list[Text]:
        """Return the calls that are open, and a line on the run as it is now."""
        # The stamps of a log may lag the clock by which the time was estimated.
        time = self._latest = max(self._now(now), self._latest)
        first = itertools.islice(self._open.values(), _MOST_OPEN)
        lines = [
            open_call_line(row, cells, _seconds(time - (row.started or 0)))
            for row in sorted(first, key=lambda row: place_named(row.number))
        ]
        status = Text(f"{spinner} {self._figures(time)}")
        status = at_both_ends(status, Text(silence or self._doing(time)), cells)
        gap = " " * (cells - status.cells)
        return [*lines, styled(f"{status.plain}{gap}", "reverse")]

    def _figures(self, time: int) -> str:
        figures = self._picture.figures.figures
        if self._files is None:
            changes = self._picture.figures.changed_files.net
            self._files = sum(change.status != "same" for change in changes)
        failed = failed_in_words(figures) or "none failed"
        calls = f"{count(figures.calls or 0, 'call')}, {failed}"
        return f"{calls} · {moment(time)} · {count(self._files, 'file')} changed"

    def _doing(self, time: int) -> str:
        """Return how long calls have been open, or how long the agent has worked."""
        if not self._open:
            return f"agent {_seconds(time - self._idle_since)}"
        longest = _seconds(time - min(row.started or 0 for row in self._open.values()))
        several = f"{len(self._open)} " if len(self._open) > 1 else ""
        return f"{several}open {longest}"


def silence_in_words(seconds: float) -> str:
    """Return how long a log has had no new line; "" if that is less than 10 minutes."""
    minutes = int(seconds) // 60
    if minutes < _LONG_SILENCE:
        return ""
    long = f"{minutes} min" if minutes < 60 else f"{minutes // 60:,} h"
    return f"no new line for {long}"


def _seconds(milliseconds: int) -> str:
    """Write how long something takes so far: `5 s`, `2:05`."""
    seconds = max(milliseconds, 0) // 1000
    return f"{seconds} s" if seconds < 60 else clock(1000 * seconds)
