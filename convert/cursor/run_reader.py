"""Lines of stream-json to events: how each line changes its run."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING

from convert.cursor import AGENT, END_NOT_RECORDED
from convert.cursor.call_reader import CallReader
from convert.cursor.messages import (
    BOUNDARIES,
    has_unread,
    images_in,
    is_delta,
    is_foreign,
    unread_blocks,
)
from convert.cursor.runs import MOST_OPEN, SUBSTANCE, Clocks, OpenRun, Runs, begins_run
from convert.cursor.wire import (
    STANDARD_ERROR,
    SYSTEM_INCIDENTS,
    Wire,
    WireEvent,
    delta_texts,
    has_failed,
    milliseconds,
    text_of,
    texts_of,
    tokens_of,
)
from convert.errors import NoEventsError, Warn, ignore
from convert.model.events import (
    End,
    EndOfLog,
    Event,
    Incident,
    Needs,
    Prompt,
    Recorded,
    Result,
    Start,
)
from convert.source.ndjson import EventBlock, members_of
from convert.wording import compiled
from convert.wording.escapes import repair_surrogates

if TYPE_CHECKING:
    from convert.source.look_alikes import UnknownTypes

# The tool of a call: its key is the first member of this form on the line.
_TOOL = rb'"(\w+)ToolCall"\s*:'
# Lines after which an incident was not the end.
_GOING_ON = SUBSTANCE - {"result"}
# The types of lines with which Claude Code begins a run.
_CLAUDES = ("system", "assistant", "user")
# The id of a model's response: that of its request, a number and four characters.
_RESPONSE = r"([\w-]{8,100})-\d{1,9}-[a-z0-9]{4}"


ReadLine = Callable[["RunReader", OpenRun, WireEvent, int], list[Event]]
"""Reads a line of a run, with its number, and returns its events."""

Readers = Mapping[str, ReadLine | None]
"""The reader of the lines of each type; None if they only count for their run."""


class RunReader:
    """The runs of a log while it is read: blocks go in, events come out."""

    def __init__(self, needs: Needs, wire: Wire, readers: Readers, warn: Warn) -> None:
        self._needs = needs
        self._warn = warn
        self._runs = Runs()
        self._current = self._runs.current
        self._unknown: UnknownTypes | None = None
        self._block: EventBlock[WireEvent] = EventBlock([], [], 0, [])
        self._is_raw = needs.raw
        self._has_texts = needs.text or needs.thinking
        self._calls = CallReader(needs, wire, warn)
        self._index = 0
        # The number of the last line of the block before.
        self._last_number = 0
        self._clocks = Clocks()
        self._readers = readers

    def events(self, blocks: Iterable[EventBlock[WireEvent]]) -> Iterator[Event]:
        """Yield the events of the lines, then the ends of the runs and of the log."""
        has_lines = False
        for block in blocks:
            if self._block.events:
                self._last_number = self._block.numbers[-1]
            self._block = block
            if self._block.events:
                has_lines = True
                yield from self._read_block()
        last = self._block.last
        if not has_lines:
            raise NoEventsError("no events; is this a log of the agent?")
        if not self._runs.count:
            # All lines are of types that begin no run: then they are one.
            yield from self._start(self._current, WireEvent(""), last)
        for run in list(self._runs.open.values()):
            yield from self._end(run, last)
        yield EndOfLog(
            run=0, line=last, unknown=self._unknown.counts if self._unknown else {}
        )

    def _read_block(self) -> Iterator[Event]:
        """Read the significant lines of a block one by one.

        The others are taken together while they certainly belong to one run and, if
        texts are read, its lines certainly have timestamps.
        """
        begin = 0
        self._clocks.next_block()
        for index in self._block.significant:
            if begin < index and (events := self._read_between(begin, index)):
                yield from events
            begin = index + 1
            if events := self._read_line(index):
                yield from events
        if begin < len(self._block.events):
            yield from self._read_between(begin, len(self._block.events))
        self._note_times(len(self._block.events))

    def _note_times(self, end: int) -> None:
        """Note the timestamps of the open runs, up to an event of the block."""
        self._clocks.note(self._block, end, self._runs)

    def _read_between(self, begin: int, end: int) -> list[Event]:
        """Read lines that are not significant; they are of one session."""
        events: list[Event] = []
        while begin < end:
            run = self._current
            if (
                run.is_under_way
                and (run.is_stamped or not self._needs.text)
                and run.session == self._block.events[begin].session_id
            ):
                if run.disturbance is not None:
                    run.forget_incidents()
                return [*events, *self._pass_over(run, begin, end)]
            events += self._read_line(begin)
            begin += 1
        return events

    def _pass_over(self, run: OpenRun, begin: int, end: int) -> list[Event]:
        """Read lines that only add deltas to the open segment."""
        if run.is_foreign:
            self._count_foreign(begin, end)
        events: list[Event] = []
        if self._needs.text:
            deltas = delta_texts(self._block.events[begin:end])
            if deltas is None or not all(deltas):
                deltas = self._odd_texts(begin, end)
            events = run.texts.close_thought(self._block.numbers[begin])
            run.texts.segment.add(deltas)
        return [self._recorded(run, begin, end)] if self._is_raw else events

    def _odd_texts(self, begin: int, end: int) -> list[str]:
        """Return the texts of messages that may have several parts, or unread ones."""
        lines = self._block.events[begin:end]
        for index, line in enumerate(lines, begin):
            if line.message is not None:
                self._count_unread(line, index)
        return [text_of(line.message) for line in lines if line.type == "assistant"]

    def _count_unread(self, line: WireEvent, index: int) -> None:
        """Count the blocks of a message that are not read."""
        if has_unread(line):
            self._count_unknown(*unread_blocks(self._block.line(index)))

    def _count_foreign(self, begin: int, end: int) -> None:
        """Count the blocks that are not read in messages that are not decoded."""
        for index in range(begin, end):
            line = self._block.events[index]
            if line.message is None and line.type in ("assistant", "user"):
                self._count_unknown(*unread_blocks(self._block.line(index)))

    def _read_line(self, index: int) -> list[Event]:
        """Read one line."""
        line = self._block.events[index]
        number = self._block.numbers[index]
        run = self._current
        self._index = index
        events = None
        if (
            not run.is_under_way
            or line.session_id != run.session
            or line.type == "system"
        ):
            events = self._enter(line, number)
            run = self._current
        if line.timestamp_ms is not None and (
            not run.is_stamped or run.first_ms is None
        ):
            run.is_stamped = True
            if run.is_under_way and milliseconds(line.timestamp_ms) is not None:
                # The times of calls count from here.
                self._note_times(index + 1)
        if run.disturbance is not None and line.type in _GOING_ON:
            run.forget_incidents()
        if self._is_raw and line.type != STANDARD_ERROR:
            events = [*(events or ()), self._recorded(run, index, index + 1)]
        if self._has_texts and line.type in BOUNDARIES and run.texts.are_open:
            closed = run.texts.close(number)
            events = [*events, *closed] if events else closed
        if line.message is not None:
            self._count_unread(line, index)
        elif run.is_foreign:
            self._count_foreign(index, index + 1)
        try:
            read = self._readers[line.type]
        except KeyError:
            self._count_unknown(line.type)
            return events or []
        if read is None:
            return events or []
        found = read(self, run, line, number)
        return [*events, *found] if events else found

    def _count_unknown(self, *names: str) -> None:
        # Few logs have such events.
        from convert.source.look_alikes import UnknownTypes

        self._unknown = self._unknown or UnknownTypes()
        self._unknown.update(names)

    def _recorded(self, run: OpenRun, begin: int, end: int) -> Recorded:
        raw = self._block.recorded(begin, end)
        return Recorded(run=run.number, line=self._block.numbers[begin], raw=raw)

    def _enter(self, line: WireEvent, number: int) -> list[Event]:
        """Make the run of a line the current one, which may end one and begin one."""
        if begins_run(line):
            # From then on its session may be that of another run.
            self._note_times(self._index)
        ended = self._runs.enter(line)
        self._current = self._runs.current
        if not self._current.has_started and line.type in _CLAUDES:
            self._current.is_foreign = is_foreign(self._block.line(self._index))
        events = self._end(ended, self._line_before(number)) if ended else []
        if begins_run(line) and not self._current.has_started:
            events += self._start(self._current, line, number)
        return events

    def _start(self, run: OpenRun, line: WireEvent, number: int) -> list[Event]:
        self._note_times(self._index)
        silent = self._runs.start(run)
        events = self._end(silent, self._line_before(number)) if silent else []
        if silent:
            at_once = f"more than {MOST_OPEN:,} runs at once"
            self._warn(number, at_once, "the one silent for longest ends here")
        start = Start(
            run=run.number,
            line=number,
            session=repair_surrogates(run.session),
            directory=line.cwd,
            model=line.model,
            permission_mode=line.permissionMode,
            agent=AGENT,
        )
        return [*events, start, *self._incidents_before(run, number)]

    def _incidents_before(self, run: OpenRun, number: int) -> list[Incident]:
        """Return the incidents before a run that starts."""
        held = run.release()
        earlier = held[0].earlier if held else 0
        if earlier and not self._is_raw:
            reason = f"{len(held) + earlier:,} incidents before the run"
            self._warn(number, reason, f"the first {earlier:,} dropped")
        return held

    def _line_before(self, number: int) -> int:
        """Return the line before an event; its own if it holds another before it."""
        numbers = self._block.numbers
        before = numbers[self._index - 1] if self._index else self._last_number
        return max(number - 1, before)

    def _end(self, run: OpenRun, number: int) -> list[Event]:
        """End a run that has no result; an error that nothing follows is the reason."""
        self._note_times(self._index)
        end = _end_of(run, number, "")
        end.span_ms = run.span_ms
        if run.has_failed:
            end.state, end.reason = "error", "; ".join(run.errors)
        else:
            is_open = any(call.answer is None for call in run.open_calls())
            end.state = "unfinished" if is_open else "cut"
            if run.disturbance and run.disturbance.kind in ("reconnecting", "retry"):
                end.interrupted = run.disturbance.kind
        events = self._finish(run, number)
        end.ends_in_call = run.texts.end_in_call
        # Most runs have a result.
        from convert.cursor.incidents import with_kind

        return [*events, with_kind(end, run.disturbance)]

    def _finish(self, run: OpenRun, number: int) -> list[Event]:
        """Close the open parts of a run."""
        events = run.texts.close(number)
        events += self._calls.unfinished(run, number)
        self._runs.end(run)
        return events

    def read_system(self, run: OpenRun, line: WireEvent, number: int) -> list[Event]:
        """Read a `system` line: the beginning of a run, an incident, or an end."""
        if line.subtype in SYSTEM_INCIDENTS:
            return self.read_incident(run, line, number)
        if line.subtype == END_NOT_RECORDED and run.is_under_way:
            self._note_times(self._index + 1)
            return [*self._finish(run, number), _end_of(run, number, "")]
        if line.subtype != "init":
            self._count_unknown(f"system/{line.subtype}")
        return []

    def read_prompt(self, run: OpenRun, line: WireEvent, number: int) -> list[Event]:
        """Read a request of the user, with its pictures."""
        texts = texts_of(line.message)
        prompt = Prompt(
            run=run.number, line=number, text=repair_surrogates("".join(texts))
        )
        if not all(texts):
            prompt.images = images_in(self._block.raw(self._index))
        return [prompt]

    def read_text(self, run: OpenRun, line: WireEvent, number: int) -> list[Event]:
        """Read a text of the assistant: a delta, or a flush that closes the segment."""
        text = text_of(line.message)
        events = run.texts.close_thought(number)
        if is_delta(line, run.is_stamped):
            run.texts.segment.add([text])
            return events
        return [*events, *run.texts.flush(number, text)]

    def read_thought(self, run: OpenRun, line: WireEvent, number: int) -> list[Event]:
        """Read a part of a block of reasoning."""
        if run.has_ended:
            return []
        stamp = milliseconds(line.timestamp_ms)
        begin = run.first_ms
        since = None if stamp is None or begin is None else stamp - begin
        return run.texts.think(number, line.text, since, line.subtype == "completed")

    def read_pause(self, run: OpenRun, line: WireEvent, number: int) -> list[Event]:
        """Read a lost connection, which may follow a recap of the segment."""
        return [*run.texts.recap(number), *self.read_incident(run, line, number)]

    def read_incident(self, run: OpenRun, line: WireEvent, number: int) -> list[Event]:
        """Read an incident; if bytes are written, it only counts for the run."""
        from convert.cursor.incidents import read_incident

        warn = ignore if self._is_raw else self._warn
        events = read_incident(run, line, number, self._block.raw(self._index), warn)
        if self._is_raw and line.type == STANDARD_ERROR:
            self._warn(number, "not JSON", "skipped")
        return [] if self._is_raw else events

    def read_call(self, run: OpenRun, line: WireEvent, number: int) -> list[Event]:
        """Read a line of a tool call."""
        if not self._needs.calls:
            self._note_call(run, line)
            return []
        return self._calls.read(run, line, number)

    def _note_call(self, run: OpenRun, line: WireEvent) -> None:
        """Note the tool of a call that begins, if calls are not read."""
        if line.call_id in run.noted and line.subtype != "started":
            run.noted.discard(line.call_id)
            return
        if line.subtype == "started":
            run.noted.add(line.call_id)
        found = re.search(_TOOL, self._block.raw(self._index))
        run.texts.tools_at_end.add(found[1].decode() if found else "")

    def read_query(self, run: OpenRun, line: WireEvent, number: int) -> list[Event]:
        """Read a query, or the answer to one."""
        if run.has_ended:
            return []
        if not self._needs.calls:
            if line.subtype == "request":
                run.texts.tools_at_end.add("")
            return []
        members = members_of(self._block.raw(self._index))
        if line.subtype == "request":
            return self._calls.read_query(run, line, members, number)
        self._calls.read_answer(run, members, number)
        return []

    def read_result(self, run: OpenRun, line: WireEvent, number: int) -> list[Event]:
        """Read the result, which ends the run."""
        self._note_times(self._index + 1)
        events = self._finish(run, number)
        is_error = has_failed(line)
        if self._needs.result or self._needs.text:
            result = Result(
                run=run.number,
                line=number,
                raw=self._raw(number) if self._needs.result else b"",
                text=None if line.result is None else repair_surrogates(line.result),
                is_error=is_error,
                duration_ms=milliseconds(line.duration_ms),
                tokens=tokens_of(line.usage),
            )
            if line.cost_usd is not None:
                # The agent itself records no cost.
                from convert.model.run import recorded_cost

                result.cost_usd = recorded_cost(line.cost_usd)
            events.append(result)
        end = _end_of(run, number, line.request_id)
        if line.subtype or line.is_error is not None:
            end.state = "success"
        if is_error:
            from convert.cursor.incidents import reason_of_result, with_kind

            end.state = "error"
            end.reason = reason_of_result(self._block.raw(self._index))
            end.reason = end.reason or "; ".join(run.errors)
            said = repair_surrogates(line.result or "")
            if end.reason == said.strip():
                last = run.texts.last_of(said)
                end.last_words = "" if last == end.reason else last
            with_kind(end, run.disturbance)
        return [*events, end]

    def _raw(self, number: int) -> bytes:
        """Return the bytes of the event that is read, in valid UTF-8."""
        raw = self._block.raw(self._index)
        valid = raw.decode(errors="replace").encode()
        if valid != raw:
            self._warn(number, "invalid UTF-8", "replaced")
        return valid


def _end_of(run: OpenRun, line: int, request_id: str) -> End:
    """Return the end of a run; without a result, a response holds the request's id."""
    if run.response_id and not request_id:
        made = compiled(_RESPONSE).fullmatch(run.response_id)
        request_id = made[1] if made else ""
    return End(
        run=run.number,
        line=line,
        state=None,
        started_ms=run.first_ms,
        ended_ms=run.last_ms,
        request_id=request_id,
        ends_in_call=run.texts.end_in_call,
    )
