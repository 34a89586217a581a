"""The runs of a log that are open: which one a line belongs to, and their times.

A run begins at its `system/init`, or at the first line of its session if there is none.
It ends at its `result`, at the next init of its session, or at the end of the log. A
prompt, a text, a new call or a result after the end begins another run. Other lines
(`connection`, unknown types) begin none: they belong to the latest run of their
session, or of all, or to the first one that follows.

Most targets do not decode timestamps, which takes three hundredths of reading deltas.
So only the first line of a run and the last line of each block are searched for one.
"""

from __future__ import annotations

import functools
import itertools
from collections import OrderedDict, deque
from collections.abc import Iterable, Iterator
from typing import Any

import msgspec

from convert.cursor.messages import OpenTexts
from convert.cursor.open_calls import MOST_COMPARED, EndedCall, OpenCall
from convert.cursor.wire import Stamped, WireEvent, is_init, milliseconds
from convert.model.events import Incident
from convert.source.lines import REFUSED
from convert.source.ndjson import EventBlock, members_of

# The types that a run consists of; any other line begins none.
SUBSTANCE = frozenset({"user", "assistant", "thinking", "tool_call", "result"})
# How many ended calls of a run, and ended runs of a log, are remembered.
_REMEMBERED = 1000
# How many runs may be open at once: memory must not grow with the log.
MOST_OPEN = 10_000
# How many incidents before a run are kept.
_MOST_HELD = 100
# How many errors are the reason why a run failed.
_MOST_ERRORS = 5


class OpenRun:
    """A run and its open parts."""

    def __init__(self, number: int, session: str) -> None:
        self.number = number
        self.session = session
        self.has_started = False
        self.has_ended = False
        # Started and not ended.
        self.is_under_way = False
        # Begun by a line of another agent, whose calls are blocks in messages.
        self.is_foreign = False
        # A line has had a timestamp.
        self.is_stamped = False
        # The id of the last response of the model that made a call.
        self.response_id = ""
        self.texts = OpenTexts(number)
        self.call_count = 0
        # The ids of open calls, where calls are not read.
        self.noted: set[str] = set()
        # The open calls by id: the latest that has it, which leads to those before.
        self.calls: dict[str, OpenCall] = {}
        # The open calls without an id, by number. The first ones are read often, which
        # takes a dictionary longer with each one that was removed.
        self.unnamed: OrderedDict[int, OpenCall] = OrderedDict()
        # The calls that ended last, by id.
        self.ended: dict[str, EndedCall] = {}
        # The arguments that an interaction query names, by the id of the call.
        self.queried_arguments: dict[str, dict[str, Any]] = {}
        # The calls that a query without an answer asks about, by the id of the query.
        self.queries: dict[Any, OpenCall] = {}
        # The calls with a query and its answer, and no other line.
        self.answered: list[OpenCall] = []
        # Those before the run, until it starts: the last ones, and how many.
        self._held: deque[Incident] = deque(maxlen=_MOST_HELD)
        self._held_count = 0
        # The errors, and the last incident, since the last line of the agent.
        self.errors: list[str] = []
        self.has_failed = False
        self.disturbance: Incident | None = None
        # The first and the last timestamp that were found in its lines.
        self.first_ms: int | None = None
        self.last_ms: int | None = None

    def hold(self, incident: Incident) -> None:
        """Keep an incident before the run, which has not started."""
        self._held.append(incident)
        self._held_count += 1

    def release(self) -> list[Incident]:
        """Return the incidents before the run; the first counts dropped ones."""
        held = list(self._held)
        if held:
            held[0].earlier = self._held_count - len(held)
        self._held.clear()
        return held

    def note(self, incident: Incident) -> None:
        """Keep an incident, which may be the reason why the run ends."""
        self.disturbance = incident
        if incident.kind == "error":
            self.has_failed = True
            if incident.message and incident.message not in self.errors:
                self.errors = [*self.errors, incident.message][-_MOST_ERRORS:]

    def forget_incidents(self) -> None:
        """Forget incidents, since the agent continued after them."""
        self.has_failed = False
        self.disturbance = None
        self.errors = []

    @property
    def span_ms(self) -> int | None:
        """The milliseconds between the first and the last timestamp."""
        if self.first_ms is None or self.last_ms is None:
            return None
        return max(self.last_ms - self.first_ms, 0)

    def open_calls(self) -> list[OpenCall]:
        """Return the calls that are open, in the order in which they started."""
        named = (call for latest in self.calls.values() for call in latest.with_id())
        return sorted([*self.unnamed.values(), *named], key=lambda call: call.number)

    def first_unnamed(self) -> list[OpenCall]:
        """Return the first open calls without an id, as many as are compared."""
        return list(itertools.islice(self.unnamed.values(), MOST_COMPARED))

    def latest_calls(self) -> Iterator[OpenCall]:
        """Yield the open calls, the latest of each id, the last ones first."""
        yield from reversed(self.calls.values())
        yield from reversed(self.unnamed.values())

    def begin_call(self, line: WireEvent, number: int, call_id: str) -> OpenCall:
        """Begin a call with its first line, even if another call has its id."""
        self.call_count += 1
        opened = OpenCall(call_id, self.call_count, False, number, line)
        if call_id and call_id not in self.calls:
            self.calls[call_id] = opened
        else:
            self._add(opened)
        return opened

    def name(self, opened: OpenCall, call_id: str) -> None:
        """Give an open call the id that a later line has."""
        del self.unnamed[opened.number]
        opened.id = call_id
        self._add(opened)

    def _add(self, opened: OpenCall) -> None:
        if not opened.id:
            self.unnamed[opened.number] = opened
            return
        opened.previous = self.calls.get(opened.id)
        if opened.previous is not None:
            opened.is_contested = opened.previous.is_contested = True
        self.calls[opened.id] = opened

    def end_call(self, opened: OpenCall, kind: str, response_id: str) -> None:
        """Forget an open call, except for the facts that identify its further lines.

        A repeated line comes soon, so that only the calls that ended last are kept:
        memory must not grow with the log. They are dropped many at a time, because
        finding the oldest entry of a dictionary takes longer with each one removed.
        """
        call_id = opened.id
        if self.queried_arguments:
            self.queried_arguments.pop(call_id, None)
        if not call_id:
            self.unnamed.pop(opened.number, None)
            return
        if opened.is_contested:
            self._remove(opened)
        else:
            self.calls.pop(call_id, None)
        self.ended[call_id] = EndedCall(
            opened.number, kind, response_id, opened.is_only_query
        )
        if len(self.ended) > 2 * _REMEMBERED:
            self.ended = dict(itertools.islice(self.ended.items(), _REMEMBERED, None))

    def _remove(self, opened: OpenCall) -> None:
        """Remove a call from those that are open with its id, if it is one of them."""
        latest = self.calls.get(opened.id)
        if latest is not opened:
            for call in latest.with_id() if latest else ():
                if call.previous is opened:
                    call.previous = opened.previous
                    return
        elif opened.previous is None:
            del self.calls[opened.id]
        else:
            self.calls[opened.id] = opened.previous

    def end(self) -> None:
        """Drop the open parts; nothing is added to the run from now on."""
        for kept in (self.calls, self.unnamed, self.ended, self.queries):
            kept.clear()
        self.queried_arguments.clear()
        self.answered.clear()
        self.has_ended = True
        self.is_under_way = False


class Runs:
    """The runs of a log; `current` is the one that the last line belongs to."""

    def __init__(self) -> None:
        self.count = 0
        self.current = OpenRun(1, "")
        # By number; the one with the latest line is last.
        self.open: OrderedDict[int, OpenRun] = OrderedDict()
        self._latest: dict[str, OpenRun] = {}
        self._ended: deque[OpenRun] = deque()

    def enter(self, line: WireEvent) -> OpenRun | None:
        """Make the run of a line the current one; return the run that the line ends.

        The current run has to be started (`start`) if it has not and `begins_run`.
        """
        begins = begins_run(line)
        run = self.current
        if line.session_id:
            run = self._latest.get(line.session_id, run)
            if run is not self.current and run.is_under_way:
                self.open.move_to_end(run.number)
        is_other = bool(line.session_id) and line.session_id != run.session
        if is_other and not run.session and not run.has_ended:
            # A run without a session takes the first one that it meets; lines before
            # the first run belong to it, whatever their session.
            is_other = False
            if begins or run.has_started:
                run.session = line.session_id
                self._latest[run.session] = run
        if not begins:
            self.current = run
            return None
        ended = None
        # A line after the end of a run may be a late part of it.
        is_late = line.type == "thinking" or (
            line.type == "tool_call" and line.subtype != "started"
        )
        if (
            is_other
            or (is_init(line) and run.has_started)
            or (run.has_ended and not is_late)
        ):
            ended = None if run.has_ended or is_other else run
            run = OpenRun(self.count + 1, line.session_id)
        self.current = self._latest[run.session] = run
        return ended

    def open_of(self, session: str) -> OpenRun | None:
        """Return the run of a session that is under way; None if there is none."""
        run = self._latest.get(session)
        return run if run is not None and run.is_under_way else None

    def start(self, run: OpenRun) -> OpenRun | None:
        """Count a run that begins; return one that has to end because many are open.

        It is the one that has been silent for longest.
        """
        run.has_started = run.is_under_way = True
        self.count += 1
        self.open[run.number] = run
        return next(iter(self.open.values())) if len(self.open) > MOST_OPEN else None

    def end(self, run: OpenRun) -> None:
        """End a run, and remember the last sessions only.

        Memory must not grow with the log; a late line of an older session begins
        another run.
        """
        run.end()
        del self.open[run.number]
        self._ended.append(run)
        if len(self._ended) > _REMEMBERED:
            old = self._ended.popleft()
            if self._latest.get(old.session) is old:
                del self._latest[old.session]


def begins_run(line: WireEvent) -> bool:
    """Return True if a line begins a run unless it belongs to one."""
    return line.type in SUBSTANCE or is_init(line)


_NAME = b'"timestamp_ms":'
# As the agent writes it, the last member of a line.
_LONGEST_END = 40


class Clocks:
    """Notes the first and the last timestamp of each run, block by block."""

    def __init__(self) -> None:
        # The event of the block up to which lines have been searched.
        self._at = 0
        # Some line of the block may have a timestamp; None until that is checked.
        self._has_stamps: bool | None = None

    def note(self, block: EventBlock[WireEvent], end: int, runs: Runs) -> None:
        """Note the timestamps of a block before `end`, from the last call on.

        To be called before a run begins or ends, so that the same runs are open at all
        of them, and before a fact is needed that depends on the start of the run.
        """
        end = min(end, len(block.events))
        begin, self._at = self._at, max(self._at, end)
        if begin >= end or not runs.open:
            return
        if end == len(block.events) and len(runs.open) == 1 and _note_end(block, runs):
            return
        if self._has_stamps is None:
            # Logs of 2025 have none.
            self._has_stamps = not block.block or _NAME[:-1] in block.block
        if not self._has_stamps:
            return
        if len(runs.open) > 1:
            _note_each(block, begin, end, runs)
            return
        run = next(iter(runs.open.values()))
        if run.first_ms is None:
            run.first_ms = _first(block, range(begin, end), run)
        last = _first(block, reversed(range(begin, end)), run)
        run.last_ms = run.last_ms if last is None else last

    def next_block(self) -> None:
        """Begin with the first event of another block."""
        self._at = 0
        self._has_stamps = None


def _note_end(block: EventBlock[WireEvent], runs: Runs) -> bool:
    """Note the timestamp at the end of a block; False if more must be searched."""
    run = next(iter(runs.open.values()))
    if run.first_ms is None or block.events[-1].session_id != run.session:
        return False
    stamp = _written_last(block.block)
    if stamp is not None:
        run.last_ms = stamp
    return stamp is not None


def _first(
    block: EventBlock[WireEvent], indices: Iterable[int], run: OpenRun
) -> int | None:
    """Return the first timestamp of some lines that may be of a run."""
    for index in indices:
        if block.events[index].session_id not in ("", run.session):
            continue
        if (stamp := _stamp(block.line(index))) is not None:
            return stamp
    return None


def _note_each(block: EventBlock[WireEvent], begin: int, end: int, runs: Runs) -> None:
    """Note the timestamp of each line, if several runs are open."""
    for index in range(begin, end):
        run = runs.open_of(block.events[index].session_id)
        if run is not None and (stamp := _stamp(block.line(index))) is not None:
            run.first_ms = stamp if run.first_ms is None else run.first_ms
            run.last_ms = stamp


def _stamp(line: bytes) -> int | None:
    if (stamp := _written_last(line)) is not None:
        return stamp
    try:
        return milliseconds(_stamped().decode(line).timestamp_ms)
    except REFUSED:
        # Half an emoji in another member, or another type.
        found = members_of(line).get("timestamp_ms")
        return milliseconds(found) if type(found) in (int, float) else None


def _written_last(text: bytes) -> int | None:
    """Return the timestamp with which a line ends, as the agent writes it."""
    _, name, end = text[-_LONGEST_END:].rstrip().rpartition(_NAME)
    if name and end[-1:] == b"}" and (digits := end[:-1].strip()).isdigit():
        return milliseconds(int(digits))
    return None


@functools.cache
def _stamped() -> msgspec.json.Decoder[Stamped]:
    return msgspec.json.Decoder(Stamped)
