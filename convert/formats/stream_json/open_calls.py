"""A tool call while it is open: its lines, and what they say when somebody asks."""

from __future__ import annotations

from typing import Any

from msgspec import Struct

from convert.errors import ignore
from convert.formats.stream_json.calls import Frame, read_frame
from convert.formats.stream_json.wire import Line, Wire, milliseconds
from convert.model import Outcome, ToolCall

# How many lines are kept as they are.
_MOST_LINES = 64


class OpenCall(Struct):
    """A call that has started: its place in the run, and its first line.

    `later` are its other lines with their numbers, `frames` is what has been read of
    all of them, `step` the model's call that those tell which are not kept.
    """

    number: int
    is_repeated: bool
    line: int
    started: Line
    later: list[tuple[int, Line]] | None = None
    frames: list[Frame] | None = None
    step: str = ""

    @property
    def last(self) -> tuple[int, Line]:
        """The last line with its number."""
        return self.later[-1] if self.later else (self.line, self.started)

    @property
    def is_long(self) -> bool:
        """Whether more lines are kept than are needed."""
        return self.later is not None and len(self.later) > _MOST_LINES

    def add(self, number: int, line: Line) -> None:
        """Add a line."""
        self.later = self.later or []
        self.later.append((number, line))

    def fold(self, wire: Wire, are_read: bool) -> None:
        """Keep of many lines what they say: memory must not grow with them."""
        self.step = self._step()
        self.frames = [_merged(self.earlier(wire, are_read))]
        self.later = [self.last]

    def earlier(self, wire: Wire, are_read: bool) -> list[Frame]:
        """What the lines say, but for the last one; `are_read` if `frames` holds it."""
        known = self.frames or []
        if are_read:
            return known
        lines = [(self.line, self.started), *(self.later or ())]
        # So late, nothing is said of what is odd in them.
        first, *others = [
            read_frame(line.tool_call or {}, wire, number, ignore)
            for number, line in lines[:-1]
        ] or [Frame()]
        return [first, *known, *others]

    def call(
        self, run: int, line: int, frame: Frame, outcome: Outcome | None
    ) -> ToolCall:
        """The call as `frame` tells it, which line number `line` says; no details."""
        return ToolCall(
            run=run,
            line=line,
            number=self.number,
            id=self.started.call_id,
            kind=frame.kind,
            name=frame.name,
            outcome=outcome,
            arm=frame.arm,
            is_new_file=frame.is_new_file,
            is_repeated=self.is_repeated,
            started_line=self.line,
        )

    def add_details(
        self, call: ToolCall, frames: list[Frame], asked: dict[str, Any] | None
    ) -> None:
        """Add what is long and what all frames say together.

        The later word counts; `asked` are the arguments of a query, which count least.
        """
        frame, last = _merged(frames), frames[-1]
        call.kind, call.name, call.parent = frame.kind, frame.name, frame.parent
        call.arguments = frame.arguments
        if asked:
            call.arguments = asked | (frame.arguments or {})
        call.step = self._step()
        call.started_ms = milliseconds(self.started.timestamp_ms)
        call.duration_ms = last.duration_ms
        if self.later and call.outcome is not None and call.duration_ms is None:
            _, line = self.last
            call.duration_ms = _between(call.started_ms, line.timestamp_ms)
        call.output = last.output
        call.steps = last.steps

    def _step(self) -> str:
        """The model's call that asked for this one, by the first line that tells."""
        step = self.step or self.started.model_call_id
        for _, line in self.later or ():
            step = step or line.model_call_id
        return step


def _between(started: int | None, stamp: float | None) -> int | None:
    """Milliseconds from the start of a call to a stamp on the same clock."""
    ended = milliseconds(stamp)
    if started is None or ended is None or ended < started:
        return None
    return ended - started


def _merged(frames: list[Frame]) -> Frame:
    """What several frames say of a call that is short; the later word counts."""
    if len(frames) == 1:
        return frames[0]
    merged = Frame()
    for frame in frames:
        merged.kind = frame.kind or merged.kind
        merged.name = frame.name or merged.name
        merged.parent = frame.parent or merged.parent
        if frame.arguments and merged.arguments:
            merged.arguments = merged.arguments | frame.arguments
        elif frame.arguments or merged.arguments is None:
            merged.arguments = frame.arguments
    return merged
