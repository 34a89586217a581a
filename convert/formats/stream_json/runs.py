"""Lines of stream-json to events: which run a line belongs to, and what it adds.

A run begins at its `system/init`, or at the first line of its session where there is
none, and ends at its `result`, at the next init of its session, or at the end of the
log. A prompt, a text, a new call or a result behind the end begins another run. Lines
that say nothing of what the agent does (`connection`, types nobody knows) begin none:
they belong to the latest run of their session, or of all, or to the first to come.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from msgspec.structs import replace

from convert.display import mended
from convert.errors import InputError, Warn
from convert.formats.stream_json.calls import Frame, read_frame
from convert.formats.stream_json.decode import Lines
from convert.formats.stream_json.segments import OpenSegment
from convert.formats.stream_json.wire import Line, Usage, Wire, is_init, text_of
from convert.model import (
    OK,
    UNFINISHED,
    End,
    EndOfLog,
    Event,
    Needs,
    Outcome,
    Prompt,
    Result,
    Segment,
    Start,
    Thinking,
    Tokens,
    ToolCall,
)

# What a run consists of; a `connection` or an event nobody knows begins none.
_SUBSTANCE = {"user", "assistant", "thinking", "tool_call", "result"}
# How many ended calls of a run, and ended runs of a log, are told from new ones.
_REMEMBERED = 4096
_SYSTEM = {"init", "task_notification", "background_shell_timeout"}


class _Run:
    """A run and what its lines have left open."""

    def __init__(self, number: int, session: str) -> None:
        self.number = number
        self.session = session
        self.has_started = False
        self.has_ended = False
        self.is_stamped = False
        self.segment = OpenSegment()
        self.thoughts: list[str] = []
        self.call_count = 0
        # The open calls by id, or by number where a call has none.
        self.calls: dict[str | int, ToolCall] = {}
        # The numbers of the calls that ended last, by id.
        self.ended: dict[str, int] = {}
        # The arguments that an interaction query names, by the id of the call.
        self.asked: dict[str, dict[str, Any]] = {}

    @property
    def is_under_way(self) -> bool:
        return self.has_started and not self.has_ended

    def end_call(self, call: ToolCall) -> None:
        """Remember a call that has ended by its number alone, and not for ever.

        A repeated frame stands near the first; memory must not grow with the log.
        """
        self.calls.pop(call.id or -call.number, None)
        self.asked.pop(call.id, None)
        if call.id:
            self.ended[call.id] = call.number
            if len(self.ended) > _REMEMBERED:
                del self.ended[next(iter(self.ended))]


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
        self._lines = Lines([], [], 0)
        # None: a line of this type only counts as one of its run.
        self._handlers: dict[str, _Handler | None] = {
            "system": self._read_system,
            "user": self._read_prompt if needs.text else None,
            "assistant": self._read_text if needs.text else None,
            "thinking": self._read_thought if needs.thinking else None,
            "tool_call": self._read_call,
            "interaction_query": self._read_query,
            "connection": self._read_break if needs.text else None,
            "retry": self._read_break if needs.text else None,
            "result": self._read_result,
        }

    def events(self, blocks: Iterable[Lines]) -> Iterator[Event]:
        """Give what the lines say, then the ends of the runs and of the log."""
        handlers = self._handlers
        needs = self._needs
        run = self._current
        last = 0
        has_lines = False
        for self._lines in blocks:
            numbers = self._lines.numbers
            for index, line in enumerate(self._lines.events):
                if (
                    not run.is_under_way
                    or line.session_id != run.session
                    or line.type == "system"
                ):
                    yield from self._enter(line, numbers[index])
                    run = self._current
                if line.timestamp_ms is not None:
                    run.is_stamped = True
                if needs.raw:
                    raw = self._lines.raw(index)
                    yield Event(run=run.number, line=numbers[index], raw=raw)
                handler = handlers.get(line.type, self._read_unknown)
                if handler is not None:
                    yield from handler(run, line, index)
            last = self._lines.last
            has_lines = has_lines or bool(self._lines.events)
        if not has_lines:
            raise InputError("no event in it; is this a log of the agent?")
        if not self._count:
            # Nothing but lines that begin no run: then they are one.
            yield self._start(run, Line(""), last)
        for run in list(self._open.values()):
            yield from self._end(run, last)
        yield EndOfLog(run=0, line=last, unknown=dict(self._unknown))

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
        run.has_started = True
        self._count += 1
        self._open[run.number] = run
        return Start(
            run=run.number,
            line=number,
            session=mended(run.session),
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
        for call in run.calls.values():
            if self._needs.calls:
                _add(call, Frame(), run.asked.get(call.id))
                yield replace(call, line=number, outcome=UNFINISHED)
        for kept in (run.calls, run.ended, run.asked):
            kept.clear()
        run.has_ended = True
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

    def _close_text(self, run: _Run, number: int) -> Iterator[Event]:
        """End the segment and the block of reasoning that are open at a boundary."""
        yield from self._close_thought(run, number)
        if text := run.segment.recap():
            yield _segment(run, number, text, is_halved=True)
        elif text := run.segment.close():
            yield _segment(run, number, text)

    def _close_thought(self, run: _Run, number: int) -> Iterable[Event]:
        """End the block of reasoning that is open, if one is."""
        if not run.thoughts:
            return ()
        text = mended("".join(run.thoughts))
        run.thoughts.clear()
        return [Thinking(run=run.number, line=number, text=text)] if text else ()

    def _read_system(self, run: _Run, line: Line, index: int) -> Iterable[Event]:
        if line.subtype not in _SYSTEM:
            self._unknown[f"system/{line.subtype}"] += 1
        return ()

    def _read_unknown(self, run: _Run, line: Line, index: int) -> Iterable[Event]:
        self._unknown[line.type] += 1
        return ()

    def _read_prompt(self, run: _Run, line: Line, index: int) -> Iterator[Event]:
        number = self._lines.numbers[index]
        yield from self._close_text(run, number)
        yield Prompt(run=run.number, line=number, text=mended(text_of(line.message)))

    def _read_text(self, run: _Run, line: Line, index: int) -> Iterable[Event]:
        number = self._lines.numbers[index]
        text = text_of(line.message)
        thought = self._close_thought(run, number)
        # Logs of 2025 have no stamps at all; later a line without one is a flush.
        is_stamped = line.timestamp_ms is not None or not run.is_stamped
        if is_stamped and not line.model_call_id:
            run.segment.add(text)
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

    def _read_query(self, run: _Run, line: Line, index: int) -> Iterator[Event]:
        if run.has_ended:
            return
        yield from self._close_text(run, self._lines.numbers[index])
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

    def _read_call(self, run: _Run, line: Line, index: int) -> Iterator[Event]:
        number = self._lines.numbers[index]
        if run.has_ended:
            if self._needs.calls:
                what = "tool call goes on behind the end of its run, ignored"
                self._warn(number, what)
            return
        yield from self._close_text(run, number)
        known = run.calls.get(line.call_id)
        if known is not None:
            call = replace(known, line=number)
        else:
            ended = run.ended.get(line.call_id)
            run.call_count += ended is None
            call = ToolCall(
                run=run.number,
                line=number,
                number=ended or run.call_count,
                id=line.call_id,
                kind="",
                step=line.model_call_id,
                started_line=number,
                started_ms=_milliseconds(line.timestamp_ms),
                is_repeated=ended is not None,
            )
        call.step = call.step or line.model_call_id
        frame = read_frame(line.tool_call or {}, self._wire, number, self._warn)
        asked = run.asked.get(call.id)
        _add(call, frame, asked)
        is_last = line.subtype in ("completed", "failed") or (
            not line.subtype and frame.outcome is not None
        )
        if is_last:
            call.outcome = frame.outcome or OK
            if line.subtype == "failed" and call.outcome == OK:
                call.outcome = Outcome("error")
            if known is not None and call.duration_ms is None:
                call.duration_ms = _between(call.started_ms, line.timestamp_ms)
            run.end_call(call)
        elif not call.is_repeated:
            run.calls[call.id or -call.number] = call
        if self._needs.calls and (is_last or known is None):
            yield call

    def _read_result(self, run: _Run, line: Line, index: int) -> Iterator[Event]:
        number = self._lines.numbers[index]
        yield from self._finish(run, number)
        # The flag wins over the subtype; without either, nothing says it failed.
        is_error = line.is_error
        if is_error is None:
            is_error = line.subtype not in ("success", "")
        if self._needs.result or self._needs.text:
            raw = self._raw(index) if self._needs.result else b""
            text = None if line.result is None else mended(line.result)
            yield Result(
                run=run.number,
                line=number,
                raw=raw,
                text=text,
                is_error=is_error,
                duration_ms=_milliseconds(line.duration_ms),
                tokens=_tokens(line.usage),
            )
        yield End(run=run.number, line=number, state="error" if is_error else "success")

    def _raw(self, index: int) -> bytes:
        """The bytes of an event to be shown whole, in valid UTF-8."""
        raw = self._lines.raw(index)
        valid = raw.decode(errors="replace").encode()
        if valid != raw:
            self._warn(self._lines.numbers[index], "invalid UTF-8, replaced")
        return valid


def _begins_another(line: Line) -> bool:
    """Whether a line behind the end of a run is no late part of that run."""
    if line.type == "tool_call":
        return line.subtype == "started"
    return line.type in ("user", "assistant", "result")


def _milliseconds(value: float | None) -> int | None:
    """A time as a whole number; None for one that no clock shows."""
    return round(value) if value is not None and 0 <= value < 1e15 else None


def _between(started: int | None, stamp: float | None) -> int | None:
    """Milliseconds from the start of a call to a stamp on the same clock."""
    ended = _milliseconds(stamp)
    if started is None or ended is None or ended < started:
        return None
    return ended - started


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
    return Segment(run=run.number, line=line, text=mended(text), is_halved=is_halved)


def _add(call: ToolCall, frame: Frame, asked: dict[str, Any] | None) -> None:
    """Add what a frame says to a call; the later word counts, a query's the least."""
    call.kind = frame.kind or call.kind
    call.name = frame.name or call.name
    call.parent = frame.parent or call.parent
    call.arm = frame.arm
    call.output = frame.output
    call.steps = frame.steps
    call.duration_ms = frame.duration_ms
    call.is_new_file = frame.is_new_file
    said = [words for words in (asked, call.arguments, frame.arguments) if words]
    if said:
        call.arguments = {name: word for words in said for name, word in words.items()}
    elif frame.arguments is not None:
        call.arguments = frame.arguments
