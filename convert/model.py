"""The events of a log and the runs they make.

Readers give a stream of events in the order of the log, writers take it. A run is a
fold over it (`collect`); a writer that does not need a whole run does not fold.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from enum import IntEnum
from typing import Any, Literal

from msgspec import Struct
from msgspec.structs import replace

State = Literal["success", "error", "cut", "unfinished"]
# How much of a run its format records: tool calls, the final result, or text alone.
Level = Literal["calls", "result", "text"]


class CallDetail(IntEnum):
    """How much of each tool call a writer reads; each level includes those before."""

    NONE = 0
    """No calls."""

    OUTCOMES = 1
    """Kind and name of a call, and how it ended."""

    ARGUMENTS = 2
    """Its arguments as well."""

    EVERYTHING = 3
    """Its output and its times as well, and an event when it starts."""


class Needs(Struct, frozen=True):
    """The parts of a log that a writer reads; a reader may leave the rest undecoded."""

    raw: bool = False
    """The bytes of every event (`Recorded`), and nothing else."""

    result: bool = False
    """How each run ended, with the bytes of the event that records it."""

    text: bool = False
    """Prompts and the assistant's text."""

    thinking: bool = False
    """The reasoning."""

    calls: CallDetail = CallDetail.NONE
    """The tool calls."""

    figures: bool = False
    """How long a run took, the tokens it used, its model and its directory."""


EVERYTHING = Needs(
    result=True,
    text=True,
    thinking=True,
    calls=CallDetail.EVERYTHING,
    figures=True,
)


class Outcome(Struct, frozen=True):
    """How a tool call ended.

    `exit_code` is set when a command ended with another code than 0, `arm` when the
    log names the kind of error (`timeout`), `message` when it gives a reason.
    """

    status: Literal["ok", "error", "rejected", "unfinished"]
    exit_code: int | None = None
    arm: str = ""
    message: str = ""


OK = Outcome("ok")
UNFINISHED = Outcome("unfinished")


class Event(Struct, kw_only=True):
    """One thing that happened: the number of its run and of its line, both from 1."""

    run: int
    line: int


class Recorded(Event):
    """Events of a run as the log records them, one a line, each with its line feed."""

    raw: bytes


class Start(Event):
    """A run begins. An empty string stands for what the log does not record.

    `agent` is the name of the tool that wrote the log, for titles. `level` says how
    much of a run the format records.
    """

    session: str = ""
    directory: str = ""
    model: str = ""
    agent: str = ""
    level: Level = "calls"


class Prompt(Event):
    """The user's request."""

    text: str


class Thinking(Event):
    """One block of reasoning."""

    text: str


class Segment(Event):
    """The assistant's text between two boundaries, without what the log repeats.

    `is_halved` says that the last line repeated all before it and was taken for a
    recap; only the recorded result can tell whether the text stood there twice.
    """

    text: str
    is_halved: bool = False


class ToolCall(Event):
    """One use of a tool, given when it ends and, if that is asked for, when it starts.

    `number` counts the calls of a run from 1, in the order in which they started.
    `outcome` is None as long as the call is open, `arm` is what the log calls it
    (`success`, `stillRunning`). `arguments` and `output` are None where nothing is
    recorded or nobody asked; `output` holds the members of the arm and of what stands
    beside it. `steps` is what a subagent said and did, None for other calls.
    `is_repeated` marks a further frame of a call that has already ended. `about` is
    what the call is about where a format records that instead of arguments. Times are
    in milliseconds, None where the log does not tell: `started_ms` is on the clock of
    the log's lines.
    """

    number: int
    id: str
    kind: str
    name: str = ""
    arguments: dict[str, Any] | None = None
    outcome: Outcome | None = None
    arm: str = ""
    output: Any = None
    steps: list[Event] | None = None
    is_new_file: bool = False
    is_repeated: bool = False
    parent: str = ""
    step: str = ""
    started_line: int = 0
    about: str = ""
    started_ms: int | None = None
    duration_ms: int | None = None


class Tokens(Struct, frozen=True):
    """How many tokens a run used; None where the log does not tell."""

    input: int | None = None
    output: int | None = None
    cache_read: int | None = None
    cache_write: int | None = None


class Result(Event):
    """How the run says it ended; `text` is None where the log records none.

    `raw` holds the event's own JSON where a writer builds on it.
    """

    raw: bytes = b""
    text: str | None = None
    is_error: bool = False
    duration_ms: int | None = None
    tokens: Tokens | None = None


class End(Event):
    """A run ends. `state` is None where the format does not record it."""

    state: State | None


class EndOfLog(Event):
    """The log ends: its number of lines, and how often each unknown type came.

    `redacted` says how many secrets of which kind were replaced, None if nobody looked.
    """

    unknown: dict[str, int] = {}
    redacted: dict[str, int] | None = None


class CallPlace(Struct, frozen=True):
    """The place of a tool call among the events of its run, counted from 1."""

    started: int
    """The event that recorded the call first."""

    ended: int
    """The event that ended it, or that recorded it first if it is open."""

    segments_before: int
    """The number of segments before the call started."""


class Run(Struct, kw_only=True):
    """One execution of the agent, from prompt to final result.

    `event_count` counts the events folded so far; `call_places` tells for each call
    where it stands among them, so that calls made in parallel can be recognised.
    """

    number: int
    level: Level = "calls"
    session: str = ""
    directory: str = ""
    model: str = ""
    prompts: list[str] = []
    segments: list[Segment] = []
    thinking: list[str] = []
    calls: list[ToolCall] = []
    call_places: list[CallPlace] = []
    event_count: int = 0
    result: Result | None = None
    state: State | None = None
    last_line: int = 0

    def to_dict(self) -> dict[str, Any]:
        """Return the run as plain values, for json.dumps and the like.

        The members are the fields, and `text` and `answer`; those of calls, segments
        and the result are their fields. `result.raw` is left out. A step of a subagent
        says in `event` what it is.
        """
        return _plain(self) | {"text": self.text, "answer": self.answer}

    @property
    def text(self) -> str | None:
        """All the assistant said: as recorded, else the segments joined."""
        if self.result is not None and self.result.text is not None:
            return self.result.text
        return "".join(self.texts) if self.segments else None

    @property
    def answer(self) -> str | None:
        """The final message: the last segment, else the recorded result."""
        return self.texts[-1] if self.segments else self.text

    @property
    def texts(self) -> list[str]:
        """The text of each segment; the recorded result settles what was halved."""
        texts = [segment.text for segment in self.segments]
        recorded = self.result.text if self.result else None
        if recorded is None or "".join(texts) == recorded:
            return texts
        return _restore(self.segments, recorded) or texts


def _plain(value: Struct) -> dict[str, Any]:
    """Return the fields of a struct; what a tool recorded is plain already."""
    members: dict[str, Any] = {}
    for name in value.__struct_fields__:
        member = getattr(value, name)
        if isinstance(member, Struct):
            member = _plain(member)
        elif name in ("segments", "calls", "call_places"):
            member = [_plain(item) for item in member]
        elif name == "steps" and member is not None:
            member = [{"event": type(item).__name__} | _plain(item) for item in member]
        if name != "raw":
            members[name] = member
    return members


def collect(events: Iterable[Event]) -> Iterator[Run]:
    """Fold a stream of events into runs, each given when it ends."""
    runs: dict[int, Run] = {}
    for event in events:
        if isinstance(event, EndOfLog):
            continue
        run = runs.setdefault(event.run, Run(number=event.run))
        fold(run, event)
        if isinstance(event, End):
            yield runs.pop(event.run)


def fold(run: Run, event: Event) -> None:
    """Add an event to its run."""
    run.last_line = event.line
    run.event_count += 1
    match event:
        case Start():
            run.session = event.session
            run.directory = event.directory
            run.model = event.model
            run.level = event.level
        case Prompt():
            run.prompts.append(event.text)
        case Thinking():
            run.thinking.append(event.text)
        case Segment():
            run.segments.append(event)
        case ToolCall():
            _place(run, event)
        case Result():
            run.result = event
        case End():
            run.state = event.state


def _place(run: Run, call: ToolCall) -> None:
    """Put a call where it started; a later frame updates the earlier one."""
    at = run.event_count
    if call.number > len(run.calls):
        run.calls.append(call)
        run.call_places.append(CallPlace(at, at, len(run.segments)))
        return
    index = call.number - 1
    if call.is_repeated:
        run.calls[index] = _updated(run.calls[index], call)
    else:
        run.calls[index] = call
        run.call_places[index] = replace(run.call_places[index], ended=at)


def _updated(call: ToolCall, frame: ToolCall) -> ToolCall:
    """Return a call that has ended with what a further frame says of it."""
    arguments = {**(call.arguments or {}), **(frame.arguments or {})}
    outcome = frame.outcome or call.outcome
    updated = replace(call, arguments=arguments or None, outcome=outcome)
    if frame.output is not None:
        updated.output, updated.steps = frame.output, frame.steps
        updated.arm = frame.arm
    return updated


_MOST_PLACES = 1000
_Reading = tuple[str, "_Reading"] | None


def _restore(segments: list[Segment], recorded: str) -> list[str] | None:
    """Find which halved segments stood there twice, if that gives the recorded text.

    Follows every place that the text may have reached; None if nothing fits, or if
    there are too many such places to tell.
    """
    if not any(segment.is_halved for segment in segments):
        return None
    reached: dict[int, _Reading] = {0: None}
    for segment in segments:
        readings = [segment.text, segment.text * 2][: 1 + segment.is_halved]
        reached = {
            position + len(text): (text, before)
            for position, before in reached.items()
            for text in readings
            if recorded.startswith(text, position)
        }
        if len(reached) > _MOST_PLACES:
            return None
    reading = reached.get(len(recorded))
    texts = []
    while reading is not None:
        text, reading = reading
        texts.append(text)
    return texts[::-1] or None
