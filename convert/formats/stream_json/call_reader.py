"""Lines of tool calls to calls: what each line adds to the open calls of its run."""

from __future__ import annotations

from convert.errors import Warn
from convert.formats.stream_json.open_calls import OpenCall
from convert.formats.stream_json.open_runs import OpenRun
from convert.formats.stream_json.tool_calls import Frame, read_frame
from convert.formats.stream_json.wire import Wire, WireEvent
from convert.model import (
    OK,
    UNFINISHED,
    CallDetail,
    Event,
    Needs,
    Outcome,
    ToolCall,
)

# The last line of a call; one without a subtype is the last if it holds a result.
_LAST = {"completed", "failed"}


class CallReader:
    """Reads the lines of tool calls."""

    def __init__(self, needs: Needs, wire: Wire, warn: Warn) -> None:
        self._wire = wire
        self._warn = warn
        self._has_starts = needs.calls == CallDetail.EVERYTHING

    def read(self, run: OpenRun, line: WireEvent, number: int) -> list[Event]:
        """Read a line of a call; return the call if it ends, or if its start counts."""
        if run.has_ended:
            self._warn(
                number, "tool call continues after the end of its run", "ignored"
            )
            return []
        is_last = line.subtype in _LAST
        known = run.calls.get(line.call_id)
        opened = known or run.begin_call(line, number)
        if known and not is_last:
            opened.add(line, self._wire, self._has_starts)
        if line.subtype and not (is_last or self._has_starts):
            return []
        frame = read_frame(line.tool_call or {}, self._wire, number, self._warn)
        if is_last or (not line.subtype and frame.outcome is not None):
            outcome = frame.outcome or OK
            if line.subtype == "failed" and outcome == OK:
                outcome = Outcome("error")
            call = self._call(run, opened, number, frame, outcome, line)
            run.end_call(opened, line.call_id)
            return [call]
        events: list[Event] = []
        if self._has_starts:
            if known is None:
                events.append(self._call(run, opened, number, frame, None, line))
            opened.frames = [*(opened.frames or ()), frame]
        return events

    def unfinished(self, run: OpenRun, number: int) -> list[Event]:
        """Return the calls that are open when their run ends."""
        return [
            self._call(run, opened, number, Frame(), UNFINISHED)
            for opened in run.calls.values()
        ]

    def _call(
        self,
        run: OpenRun,
        opened: OpenCall,
        number: int,
        frame: Frame,
        outcome: Outcome | None,
        last: WireEvent | None = None,
    ) -> ToolCall:
        """Return a call as its lines describe it.

        `frame` is what its last line says; `last` is None if the call never ended.
        """
        call = ToolCall(
            run=run.number,
            line=number,
            number=opened.number,
            id=opened.started.call_id,
            kind=frame.kind,
            name=frame.name,
            outcome=outcome,
            arm=frame.arm,
            is_new_file=frame.is_new_file,
            is_repeated=opened.is_repeated,
            started_line=opened.line,
        )
        if self._wire.has_arguments or not frame.name:
            earlier = opened.earlier(self._wire, self._has_starts, last)
            asked = run.asked.get(call.id)
            opened.add_details(call, [*earlier, frame], asked, last)
        return call
