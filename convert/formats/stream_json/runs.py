"""Lines of stream-json to events: which run a line belongs to, and what it adds.

A run begins at its `system/init`, or at the first line of its session where there is
none, and ends at its `result`, at the next init of its session, or at the end of the
log. A prompt, a text, a new call or a result behind the end begins another run. Lines
that say nothing of what the agent does (`connection`, types nobody knows) begin none:
they belong to the latest run of their session, or of all, or to the first to come.
"""

from __future__ import annotations

import itertools
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from convert.errors import InputError, Warn
from convert.formats.stream_json.calls import Frame, read_frame
from convert.formats.stream_json.decode import Lines
from convert.formats.stream_json.open_calls import OpenCall
from convert.formats.stream_json.segments import OpenSegment
from convert.formats.stream_json.wire import (
    Line,
    Usage,
    Wire,
    is_init,
    milliseconds,
    text_of,
)
from convert.model import (
    OK,
    UNFINISHED,
    CallDetail,
    End,
    EndOfLog,
    Event,
    Needs,
    Outcome,
    Prompt,
    Recorded,
    Result,
    Segment,
    Start,
    Thinking,
    Tokens,
    ToolCall,
)
from convert.wording.sanitise import repair_surrogates

# What a run consists of; a `connection` or an event nobody knows begins none.
_SUBSTANCE = {"user", "assistant", "thinking", "tool_call", "result"}
# How many ended calls of a run, and ended runs of a log, are told from new ones.
_REMEMBERED = 1000
# Of a call; a line without a subtype is its last one if it holds a result.
_LAST = {"completed", "failed"}
_SYSTEM = {"init", "task_notification", "background_shell_timeout"}


class _Run:
    """A run and what its lines have left open."""

    def __init__(self, number: int, session: str) -> None:
        self.number = number
        self.session = session
        self.has_started = False
        self.has_ended = False
        # Between these two.
        self.is_under_way = False
        self.is_stamped = False
        self.segment = OpenSegment()
        self.thoughts: list[str] = []
        self.call_count = 0
        # The open calls by id, or by number where a call has none.
        self.calls: dict[str | int, OpenCall] = {}
        # The numbers of the calls that ended last, by id.
        self.ended: dict[str, int] = {}
        # The arguments that an interaction query names, by the id of the call.
        self.asked: dict[str, dict[str, Any]] = {}

    def forget(self) -> None:
        """Remember the calls that ended last, and no others.

        A repeated frame stands near the first; memory must not grow with the log. One
        by one, each would be looked for behind all that have gone.
        """
        self.ended = dict(itertools.islice(self.ended.items(), _REMEMBERED, None))


class Runs:
    """The runs of a log while it is read: lines go in, events come out."""

    def __init__(self, needs: Needs, wire: Wire, warn: Warn) -> None:
        self._needs = needs
        self._wire = wire
        self._warn = warn
        self._latest: dict[str, _Run] = {}
        self._open: dict[int, _Run] = {}
        self._ended: deque[_Run] = deque()
        self._current = _Run(1, "")
        self._count = 0
        self._unknown: Counter[str] = Counter()
        self._lines = Lines([], [], 0, [])
        # Of other types that are known, a line only counts as one of its run.
        self._handlers: dict[str, _Handler | None] = {
            **dict.fromkeys(wire.unread),
            "system": self._read_system,
            "result": self._read_result,
        }
        if needs.text:
            self._handlers |= {
                "user": self._read_prompt,
                "assistant": self._read_text,
                "tool_call": self._read_boundary,
                "connection": self._read_break,
                "retry": self._read_break,
            }
        if needs.thinking:
            self._handlers["thinking"] = self._read_thought
        if needs.calls:
            self._handlers["tool_call"] = self._read_call
        if needs.text or needs.calls >= CallDetail.ARGUMENTS:
            self._handlers["interaction_query"] = self._read_query
        self._has_starts = needs.calls == CallDetail.EVERYTHING
        self._has_details = wire.has_details
        self._is_bare = bool(needs.calls) and not (self._has_details or needs.text)

    def events(self, blocks: Iterable[Lines]) -> Iterator[Event]:
        """Give what the lines say, then the ends of the runs and of the log."""
        has_lines = False
        for self._lines in blocks:
            if self._lines.events:
                has_lines = True
                yield from self._read_block()
        last = self._lines.last
        if not has_lines:
            raise InputError("no events; is this a log of the agent?")
        if not self._count:
            # Nothing but lines that begin no run: then they are one.
            yield self._start(self._current, Line(""), last)
        for run in list(self._open.values()):
            yield from self._end(run, last)
        yield EndOfLog(run=0, line=last, unknown=dict(self._unknown))

    def _read_block(self) -> Iterator[Event]:
        """Read the lines of a block, those alone that may change more than a text.

        The others are taken together as long as it is clear which run they belong to
        and, where texts are read, that its lines have stamps.
        """
        lines, numbers = self._lines.events, self._lines.numbers
        begin = 0
        for index in self._lines.telling:
            if begin < index:
                yield from self._read_between(begin, index)
            begin = index + 1
            events = None
            if self._is_bare:
                events = self._read_plain_call(lines[index], numbers[index])
            elif not self._needs.calls and self._is_silent(lines[index]):
                continue
            yield from self._read_line(index) if events is None else events
        if begin < len(lines):
            yield from self._read_between(begin, len(lines))

    def _read_between(self, begin: int, end: int) -> Iterator[Event]:
        """Read lines that are not telling."""
        session = self._lines.session
        while begin < end:
            run = self._current
            if (
                run.is_under_way
                and run.session == session
                and (run.is_stamped or not self._needs.text)
            ):
                yield from self._pass_over(run, begin, end)
                return
            yield from self._read_line(begin)
            begin += 1

    def _read_plain_call(self, line: Line, number: int) -> Iterable[Event] | None:
        """Read the first or the last line of a call, as nearly all lines of calls are.

        None for any other, which takes `_read_line`. This takes a third of its time,
        and of a log of long outputs all that Python does takes half.
        """
        run = self._current
        call_id = line.call_id
        if (
            line.type != "tool_call"
            or not (call_id and run.is_under_way)
            or line.session_id != run.session
        ):
            return None
        opened = run.calls.get(call_id)
        if line.subtype == "started":
            if opened is not None or call_id in run.ended:
                return None
            run.call_count += 1
            run.calls[call_id] = OpenCall(run.call_count, False, number, line)
            return ()
        if opened is None or line.subtype != "completed" or not line.tool_call:
            return None
        frame = read_frame(line.tool_call, self._wire, number, self._warn)
        if not frame.name:
            return None
        del run.calls[call_id]
        run.ended[call_id] = opened.number
        if len(run.ended) > 2 * _REMEMBERED:
            run.forget()
        return (opened.call(run.number, number, frame, frame.outcome or OK),)

    def _is_silent(self, line: Line) -> bool:
        """Whether a line of a call ends no segment, since none is open.

        That is asked where nobody asks for calls; to read the line takes twice as long.
        """
        run = self._current
        return (
            line.type == "tool_call"
            and run.is_under_way
            and run.is_stamped
            and line.session_id == run.session
            and not (run.segment.deltas or run.thoughts or self._needs.raw)
        )

    def _read_line(self, index: int) -> Iterable[Event]:
        """Read a line alone."""
        line = self._lines.events[index]
        run = self._current
        events: list[Event] = []
        if (
            not run.is_under_way
            or line.session_id != run.session
            or line.type == "system"
        ):
            events += self._enter(line, self._lines.numbers[index])
            run = self._current
        if line.timestamp_ms is not None:
            run.is_stamped = True
        if self._needs.raw:
            events.append(self._recorded(run, index, index + 1))
        handler = self._handlers.get(line.type, self._read_unknown)
        if handler is None:
            return events
        said = handler(run, line, index)
        return [*events, *said] if events else said

    def _pass_over(self, run: _Run, begin: int, end: int) -> Iterable[Event]:
        """Take lines that change nothing, but for the text that they add to a run."""
        if self._needs.raw:
            return [self._recorded(run, begin, end)]
        if self._needs.text:
            deltas = _said(self._lines.events[begin:end])
            thought = self._close_thought(run, self._lines.numbers[begin])
            run.segment.add(deltas)
            return thought
        return ()

    def _recorded(self, run: _Run, begin: int, end: int) -> Recorded:
        raw = self._lines.recorded(begin, end)
        return Recorded(run=run.number, line=self._lines.numbers[begin], raw=raw)

    def _enter(self, line: Line, number: int) -> Iterator[Event]:
        """Make the run of a line the current one; it may be the first of its run."""
        is_first = is_init(line)
        begins = is_first or line.type in _SUBSTANCE
        run = self._current
        if line.session_id:
            run = self._latest.get(line.session_id, run)
        is_other = bool(line.session_id) and line.session_id != run.session
        if is_other and not run.session and not run.has_ended:
            # A run without a session takes the first that it meets; what stands in
            # front of the first run belongs to it, of whatever session it is.
            is_other = False
            if begins or run.has_started:
                run.session = line.session_id
                self._latest[run.session] = run
        if not begins:
            self._current = run
            return
        if (
            is_other
            or (is_first and run.has_started)
            or (run.has_ended and _begins_another(line))
        ):
            if not run.has_ended and not is_other:
                yield from self._end(run, number - 1)
            run = _Run(self._count + 1, line.session_id)
        self._current = self._latest[run.session] = run
        if not run.has_started:
            yield self._start(run, line, number)

    def _start(self, run: _Run, line: Line, number: int) -> Start:
        run.has_started = run.is_under_way = True
        self._count += 1
        self._open[run.number] = run
        return Start(
            run=run.number,
            line=number,
            session=repair_surrogates(run.session),
            directory=line.cwd,
            model=line.model,
        )

    def _end(self, run: _Run, number: int) -> Iterator[Event]:
        """End a run that has no result."""
        is_open = bool(run.calls)
        yield from self._finish(run, number)
        yield End(run=run.number, line=number, state="unfinished" if is_open else "cut")

    def _finish(self, run: _Run, number: int) -> Iterator[Event]:
        """Close what a run has left open; nothing is added to it any more."""
        yield from self._close_text(run, number)
        for opened in run.calls.values():
            opened.add(number, Line("tool_call"))
            yield self._call(run, opened, Frame(), UNFINISHED)
        for kept in (run.calls, run.ended, run.asked):
            kept.clear()
        run.has_ended = True
        run.is_under_way = False
        del self._open[run.number]
        self._forget(run)

    def _forget(self, run: _Run) -> None:
        """Keep the ends of the last sessions only: memory must not grow with the log.

        A late line of an older session begins another run.
        """
        self._ended.append(run)
        if len(self._ended) > _REMEMBERED:
            old = self._ended.popleft()
            if self._latest.get(old.session) is old:
                del self._latest[old.session]

    def _close_text(self, run: _Run, number: int) -> list[Event]:
        """End the segment and the block of reasoning that are open at a boundary."""
        if not (run.segment.deltas or run.thoughts):
            return []
        closed = [*self._close_thought(run, number)]
        if text := run.segment.recap():
            closed.append(_segment(run, number, text, is_halved=True))
        elif text := run.segment.close():
            closed.append(_segment(run, number, text))
        return closed

    def _close_thought(self, run: _Run, number: int) -> Iterable[Event]:
        """End the block of reasoning that is open, if one is."""
        if not run.thoughts:
            return ()
        text = repair_surrogates("".join(run.thoughts))
        run.thoughts.clear()
        return [Thinking(run=run.number, line=number, text=text)] if text else ()

    def _read_system(self, run: _Run, line: Line, index: int) -> Iterable[Event]:
        if line.subtype not in _SYSTEM:
            self._unknown[f"system/{line.subtype}"] += 1
        return ()

    def _read_unknown(self, run: _Run, line: Line, index: int) -> Iterable[Event]:
        self._unknown[line.type] += 1
        return ()

    def _read_prompt(self, run: _Run, line: Line, index: int) -> Iterable[Event]:
        number = self._lines.numbers[index]
        text = repair_surrogates(text_of(line.message))
        prompt = Prompt(run=run.number, line=number, text=text)
        return [*self._close_text(run, number), prompt]

    def _read_text(self, run: _Run, line: Line, index: int) -> Iterable[Event]:
        number = self._lines.numbers[index]
        text = text_of(line.message)
        thought = self._close_thought(run, number)
        # Logs of 2025 have no stamps at all; later a line without one is a flush.
        is_stamped = line.timestamp_ms is not None or not run.is_stamped
        if is_stamped and not line.model_call_id:
            run.segment.add([text])
            return thought
        texts = run.segment.flush(text)
        said = [_segment(run, number, closed) for closed in texts if closed]
        return [*thought, *said]

    def _read_thought(self, run: _Run, line: Line, index: int) -> Iterable[Event]:
        if run.has_ended:
            return ()
        if line.subtype != "completed":
            run.thoughts.append(line.text)
            return ()
        run.thoughts = run.thoughts or [line.text]
        return self._close_thought(run, self._lines.numbers[index])

    def _read_break(self, run: _Run, line: Line, index: int) -> Iterator[Event]:
        """A lost connection ends no segment, but a recap may stand in front of it."""
        if text := run.segment.recap():
            yield _segment(run, self._lines.numbers[index], text, is_halved=True)

    def _read_query(self, run: _Run, line: Line, index: int) -> Iterable[Event]:
        if run.has_ended:
            return ()
        self._note_arguments(run, line)
        return self._close_text(run, self._lines.numbers[index])

    def _note_arguments(self, run: _Run, line: Line) -> None:
        """Keep the arguments that a query names for the call that it asks about."""
        if line.subtype != "request":
            return
        for body in (line.query or {}).values():
            if isinstance(body, dict):
                arguments = body.get("args", body)
                call_id = body.get("toolCallId")
                if isinstance(arguments, dict):
                    call_id = arguments.get("toolCallId", call_id)
                    if isinstance(call_id, str):
                        run.asked[call_id] = arguments

    def _read_boundary(self, run: _Run, line: Line, index: int) -> Iterable[Event]:
        """A call that nobody asks for ends a segment all the same."""
        return self._close_text(run, self._lines.numbers[index])

    def _read_call(self, run: _Run, line: Line, index: int) -> Iterable[Event]:
        number = self._lines.numbers[index]
        if run.has_ended:
            reason = "tool call continues after the end of its run"
            self._warn(number, reason, "ignored")
            return ()
        said = self._close_text(run, number) if self._needs.text else []
        opened = run.calls.get(line.call_id)
        is_new = opened is None
        if opened is None:
            opened = self._begin_call(run, line, number)
        else:
            opened.add(number, line)
            if opened.is_long:
                opened.fold(self._wire, self._has_starts)
        is_last = line.subtype in _LAST
        if is_last or not line.subtype or self._has_starts:
            frame = read_frame(line.tool_call or {}, self._wire, number, self._warn)
            if is_last or not (line.subtype or frame.outcome is None):
                said.append(self._end_call(run, opened, frame))
            elif self._has_starts:
                if is_new:
                    said.append(self._call(run, opened, frame, None))
                opened.frames = [*(opened.frames or ()), frame]
        return said

    def _begin_call(self, run: _Run, line: Line, number: int) -> OpenCall:
        """Begin a call of which no line is known; one that has ended may come again."""
        ended = run.ended.get(line.call_id)
        if ended is not None:
            return OpenCall(ended, True, number, line)
        run.call_count += 1
        opened = OpenCall(run.call_count, False, number, line)
        run.calls[line.call_id or -run.call_count] = opened
        return opened

    def _end_call(self, run: _Run, opened: OpenCall, frame: Frame) -> ToolCall:
        """End a call whose last line is read."""
        _, line = opened.last
        outcome = frame.outcome or OK
        if line.subtype == "failed" and outcome == OK:
            outcome = Outcome("error")
        call = self._call(run, opened, frame, outcome)
        run.asked.pop(line.call_id, None)
        if line.call_id:
            run.calls.pop(line.call_id, None)
            run.ended[line.call_id] = opened.number
            if len(run.ended) > 2 * _REMEMBERED:
                run.forget()
        else:
            del run.calls[-opened.number]
        return call

    def _call(
        self, run: _Run, opened: OpenCall, frame: Frame, outcome: Outcome | None
    ) -> ToolCall:
        """A call as its lines tell it; `frame` is what the last one says."""
        number, _ = opened.last
        call = opened.call(run.number, number, frame, outcome)
        if self._has_details or not frame.name:
            earlier = opened.earlier(self._wire, self._has_starts)
            opened.add_details(call, [*earlier, frame], run.asked.get(call.id))
        return call

    def _read_result(self, run: _Run, line: Line, index: int) -> Iterator[Event]:
        number = self._lines.numbers[index]
        yield from self._finish(run, number)
        # The flag wins over the subtype; without either, nothing says it failed.
        is_error = line.is_error
        if is_error is None:
            is_error = line.subtype not in ("success", "")
        if self._needs.result or self._needs.text:
            raw = self._raw(index) if self._needs.result else b""
            text = None if line.result is None else repair_surrogates(line.result)
            yield Result(
                run=run.number,
                line=number,
                raw=raw,
                text=text,
                is_error=is_error,
                duration_ms=milliseconds(line.duration_ms),
                tokens=_tokens(line.usage),
            )
        yield End(run=run.number, line=number, state="error" if is_error else "success")

    def _raw(self, index: int) -> bytes:
        """The bytes of an event to be shown whole, in valid UTF-8."""
        raw = self._lines.raw(index)
        valid = raw.decode(errors="replace").encode()
        if valid != raw:
            self._warn(self._lines.numbers[index], "invalid UTF-8", "replaced")
        return valid


def _begins_another(line: Line) -> bool:
    """Whether a line behind the end of a run is no late part of that run."""
    if line.type == "tool_call":
        return line.subtype == "started"
    return line.type in ("user", "assistant", "result")


def _tokens(usage: Usage | None) -> Tokens | None:
    if usage is None:
        return None
    return Tokens(
        _count(usage.inputTokens),
        _count(usage.outputTokens),
        _count(usage.cacheReadTokens),
        _count(usage.cacheWriteTokens),
    )


def _count(value: int | None) -> int | None:
    """A number of tokens; None for one that nobody has used."""
    return value if value is not None and 0 <= value < 1e15 else None


_Handler = Callable[[_Run, Line, int], Iterable[Event]]


def _segment(run: _Run, line: int, text: str, is_halved: bool = False) -> Segment:
    return Segment(
        run=run.number, line=line, text=repair_surrogates(text), is_halved=is_halved
    )


def _said(lines: list[Any]) -> list[str]:
    """The texts of the messages of the assistant.

    As a rule a message has one part. That is not asked of each: it takes longer to ask.
    """
    try:
        return [
            part.text
            for line in lines
            if line.type == "assistant"
            for [part] in [line.message.content]
        ]
    except (AttributeError, ValueError):
        return [text_of(line.message) for line in lines if line.type == "assistant"]
