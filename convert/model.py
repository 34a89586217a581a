"""The events of a log and the runs they make.

Readers yield events in the order of the log, writers consume them. A run is a fold over
its events (`collect`); a writer that does not need whole runs does not fold.
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


IncidentKind = Literal[
    "error", "reconnecting", "reconnected", "connection", "retry", "task", "stopped"
]


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

    blocks: bool = False
    """The blocks of messages that are not read, which are counted.

    Asked for where the user names the format, since the log may be another agent's.
    With `text`, they are counted anyway.
    """

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
    """How a tool call ended."""

    status: Literal["ok", "error", "rejected", "unfinished"]
    """How it ended, in a word.

    `rejected` means that a person or a policy refused the call, `unfinished` that the
    run ended before the call.
    """

    exit_code: int | None = None
    """The exit code of a command; None if it is 0 or not recorded."""

    arm: str = ""
    """The kind of error as the log names it, such as `timeout`; "" if it does not."""

    message: str = ""
    """The reason of an error or a rejection; "" if none is recorded."""

    signal: str = ""
    """The signal that ended a command, such as `SIGTERM`; "" if none did."""


OK = Outcome("ok")
UNFINISHED = Outcome("unfinished")


class Event(Struct, kw_only=True):
    """One thing that happened."""

    run: int
    """The number of its run in the log, from 1; 0 for a step of a subagent."""

    line: int
    """The number of its line in the log, from 1."""


class Recorded(Event):
    """Events of a run as the log records them."""

    raw: bytes
    """The bytes of the events, each on a line with its line feed."""


class Start(Event):
    """A run begins. A field is "" if the log does not record it."""

    session: str = ""
    """The id of the session; runs that were resumed share one."""

    directory: str = ""
    """The directory in which the agent worked."""

    model: str = ""
    """The name of the model, as the log shows it."""

    permission_mode: str = ""
    """How the agent asked for permission, such as `default`."""

    agent: str = ""
    """The name of the tool that wrote the log, for titles."""

    level: Level = "calls"
    """How much of a run the format records."""


class Image(Struct, frozen=True):
    """A picture that the user added to a request."""

    media_type: str
    """The type, such as `image/png`; "" if the log does not record it."""

    size: int | None
    """The number of bytes; None if the log does not hold them."""


class Prompt(Event):
    """The user's request."""

    text: str
    """The text of the request, in Markdown."""

    images: list[Image] = []
    """The pictures beside the text."""


class Thinking(Event):
    """One block of reasoning."""

    text: str
    """The text of the block."""


class Segment(Event):
    """The assistant's text between two boundaries."""

    text: str
    """The text, without what the log repeats."""

    is_halved: bool = False
    """True if the last line repeated all before it and was dropped as a repetition.

    Only the recorded result can tell if the assistant wrote the text twice.
    """


class ToolCall(Event):
    """One use of a tool, when it ends and, if `Needs` asks for it, when it starts."""

    number: int
    """The number of the call in its run, from 1, in the order of their starts."""

    id: str
    """The id of the call; "" if the log records none."""

    kind: str
    """The kind of tool, such as `shell`: a key of `tools.table.TOOLS`, or any other."""

    name: str = ""
    """The name of the tool, if its kind has tools of many names."""

    arguments: dict[str, Any] | None = None
    """The arguments; None if they are not recorded or not needed."""

    outcome: Outcome | None = None
    """How the call ended; None while it is open."""

    arm: str = ""
    """The outcome as the log names it, such as `success` or `stillRunning`."""

    output: Any = None
    """The members of the outcome and of what is beside it in the log.

    None if they are not recorded or not needed.
    """

    steps: list[Event] | None = None
    """The text and the calls of a subagent; None for any other call."""

    is_new_file: bool = False
    """True if an edit created its file."""

    is_repeated: bool = False
    """True for a further event of a call that has ended already."""

    parent: str = ""
    """The id of the call that made this one; "" for a call of the run itself."""

    response_id: str = ""
    """The id of the model's response that made the call, which parallel calls share."""

    started_line: int = 0
    """The number of the line where the call starts."""

    about: str = ""
    """The target of the call, if a format records that instead of arguments."""

    started_ms: int | None = None
    """When the call started, in milliseconds on the clock of the log's lines.

    None if the log does not record it.
    """

    since_start_ms: int | None = None
    """How long after the first timestamp of its run the call started."""

    duration_ms: int | None = None
    """How long the call took, in milliseconds; None if the log does not record it."""


class Tokens(Struct, frozen=True):
    """The tokens that a run used; a field is None if the log does not record it."""

    input: int | None = None
    """Input tokens that were not read from a cache."""

    output: int | None = None
    """Output tokens."""

    cache_read: int | None = None
    """Input tokens that were read from a cache."""

    cache_write: int | None = None
    """Input tokens that were written to a cache."""


class Result(Event):
    """How a run ended, as the log records it."""

    raw: bytes = b""
    """The JSON of the event; empty if it is not needed, or of another form."""

    text: str | None = None
    """The text of the run; None if the log records none."""

    is_error: bool = False
    """True if the run failed."""

    duration_ms: int | None = None
    """How long the run took, in milliseconds; None if the log does not record it."""

    tokens: Tokens | None = None
    """The tokens that the run used; None if the log does not record them."""


class Incident(Event):
    """What disturbed a run apart from its calls, or made it stop."""

    kind: IncidentKind
    """What happened: `stopped` is a command in the background that was ended."""

    message: str = ""
    """The words of the log on it; "" if there are none."""

    status: str = ""
    """How the log names what happened, such as `starting`; "" if it does not."""

    attempt: int | None = None
    """The number of the attempt; None if it is not recorded."""

    endpoint: str = ""
    """The address that was tried; "" if it is not recorded."""

    is_resume: bool | None = None
    """A retry goes on where the run was; None if it is not recorded."""

    checkpoint_turn: int | None = None
    """The number of turns that a retry keeps; None if it is not recorded."""

    details: dict[str, Any] = {}
    """What else the log records of it."""

    earlier: int = 0
    """How many incidents before it, in front of the run, are left out."""


class End(Event):
    """A run ends."""

    state: State | None
    """How the run ended; None if the format does not record it."""

    reason: str = ""
    """The reason why the run failed; "" if the log does not say."""

    interrupted: Literal["", "reconnecting", "retry"] = ""
    """What the agent was doing about its connection when a run was cut off."""

    span_ms: int | None = None
    """The milliseconds between the first timestamp of the run and the last.

    None if the run has a result, or its log no timestamps.
    """
    started_ms: int | None = None
    """The first timestamp of the run's lines; None if they have none."""

    ended_ms: int | None = None
    """The last timestamp of the run's lines; None if they have none."""

    request_id: str = ""
    """The id of the request that the agent made; "" if the log does not record it."""


class EndOfLog(Event):
    """The log ends. Its `line` is the number of lines, its `run` is 0."""

    unknown: dict[str, int] = {}
    """How many events there were of each type that is not known.

    Of more than 1000 types, the others are counted together, under `other types`.
    """

    redacted: dict[str, int] | None = None
    """How many secrets of each kind were replaced; None if none were looked for."""


class CallPlace(Struct, frozen=True):
    """The place of a tool call among the events of its run, counted from 1."""

    started: int
    """The event that recorded the call first."""

    ended: int
    """The event that ended it, or that recorded it first if it is open."""


class Run(Struct, kw_only=True):
    """One execution of the agent, from prompt to final result."""

    number: int
    """The number of the run in its log, from 1."""

    level: Level = "calls"
    """How much of a run the format of the log records."""

    session: str = ""
    """The id of the session; runs that were resumed share one. "" if not recorded."""

    directory: str = ""
    """The directory in which the agent worked; "" if not recorded."""

    model: str = ""
    """The name of the model, as the log shows it; "" if not recorded."""

    prompts: list[str] = []
    """The user's requests."""

    segments: list[Segment] = []
    """The assistant's text, cut at tool calls and interaction queries."""

    thinking: list[str] = []
    """The blocks of reasoning."""

    calls: list[ToolCall] = []
    """The tool calls, in the order in which they started."""

    call_places: list[CallPlace] = []
    """The place of each call among the events, which shows calls made in parallel."""

    event_count: int = 0
    """The number of events folded so far."""

    result: Result | None = None
    """How the run says it ended; None if the log records no result."""

    incidents: list[Incident] = []
    """What disturbed the run apart from its calls, in order."""

    state: State | None = None
    """How the run ended; None if the format does not record it."""

    reason: str = ""
    """The reason why the run failed; "" if the log does not say."""

    interrupted: Literal["", "reconnecting", "retry"] = ""
    """What the agent was doing about its connection when the run was cut off."""

    span_ms: int | None = None
    """The milliseconds from the first timestamp to the last.

    None if the run has a result, or its log no timestamps.
    """

    first_line: int = 0
    """The number of the first line of the run, from 1."""

    last_line: int = 0
    """The number of the last line of the run, from 1."""

    def to_dict(self) -> dict[str, Any]:
        """Return the run as plain values, for json.dumps and the like.

        The members are the fields, and `text` and `answer`; those of calls, segments
        and the result are their fields. `call_places`, `event_count` and `result.raw`
        are left out. A step of a subagent names its kind in `event`.
        """
        return _plain(self) | {"text": self.text, "answer": self.answer}

    @property
    def text(self) -> str | None:
        """The whole text of the assistant: as recorded, else the segments joined."""
        if self.result is not None and self.result.text is not None:
            return self.result.text
        return "".join(self.texts) if self.segments else None

    @property
    def answer(self) -> str | None:
        """The final message: the last segment that is not blank, else the text."""
        said = (text for text in reversed(self.texts) if text.strip())
        return next(said, self.text)

    @property
    def texts(self) -> list[str]:
        """The text of each segment; the recorded result decides on halved ones."""
        texts = [segment.text for segment in self.segments]
        recorded = self.result.text if self.result else None
        if recorded is None or "".join(texts) == recorded:
            return texts
        return _restore(self.segments, recorded) or texts


_LEFT_OUT = {"call_places", "event_count", "raw"}


def _plain(value: Struct) -> dict[str, Any]:
    """Return the fields of a struct; what a tool recorded is plain already."""
    members: dict[str, Any] = {}
    for name in value.__struct_fields__:
        if name in _LEFT_OUT:
            continue
        member = getattr(value, name)
        if isinstance(member, Struct):
            member = _plain(member)
        elif name in ("segments", "calls", "incidents"):
            member = [_plain(item) for item in member]
        elif name == "steps" and member is not None:
            member = [{"event": type(item).__name__} | _plain(item) for item in member]
        members[name] = member
    return members


def collect(events: Iterable[Event]) -> Iterator[Run]:
    """Fold a stream of events into runs, each yielded when it ends."""
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
    run.first_line = run.first_line or event.line
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
        case Incident():
            run.incidents.append(event)
        case End():
            run.state = event.state
            run.reason = event.reason
            run.interrupted = event.interrupted
            run.span_ms = event.span_ms


def _place(run: Run, call: ToolCall) -> None:
    """Put a call where it started; a later frame updates the earlier one."""
    at = run.event_count
    if call.number > len(run.calls):
        run.calls.append(call)
        run.call_places.append(CallPlace(at, at))
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


_MOST_OFFSETS = 1000
# How many offsets a segment may add to those that are followed, on average.
_MOST_FOLLOWED = 20
_Reading = tuple[str, "_Reading"] | None


def _restore(segments: list[Segment], recorded: str) -> list[str] | None:
    """Return the texts of segments, some of the halved ones doubled, as recorded.

    Follows every offset that the text may have reached. Returns None if no choice makes
    the recorded text, or if there are too many such offsets, at once or in sum.
    """
    if not any(segment.is_halved for segment in segments):
        return None
    reached: dict[int, _Reading] = {0: None}
    followed = -_MOST_OFFSETS
    for segment in segments:
        readings = [segment.text, segment.text * 2][: 1 + segment.is_halved]
        reached = {
            offset + len(text): (text, before)
            for offset, before in reached.items()
            for text in readings
            if recorded.startswith(text, offset)
        }
        followed += len(reached) - _MOST_FOLLOWED
        if len(reached) > _MOST_OFFSETS or followed > 0:
            return None
    reading = reached.get(len(recorded))
    texts = []
    while reading is not None:
        text, reading = reading
        texts.append(text)
    return texts[::-1] or None
