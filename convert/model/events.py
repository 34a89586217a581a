"""The events of a log, and the parts of them that a writer asks for.

Readers yield events in the order of the log, writers consume them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from msgspec import Struct

from convert.model import Level as Level
from convert.model import ReasonKind as ReasonKind
from convert.model import State as State

if TYPE_CHECKING:
    from decimal import Decimal

    from convert.model.approved import ApprovedRun, ApprovedSettings

OutcomeStatus = Literal["ok", "error", "rejected", "unfinished"]
IncidentKind = Literal[
    "error",
    "warning",
    "reconnecting",
    "reconnected",
    "connection",
    "retry",
    "task",
    "stopped",
]


class Outcome(Struct, frozen=True):
    """How a tool call ended."""

    status: OutcomeStatus
    """`rejected`: a person or a policy refused; `unfinished`: the run ended first."""

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
    """The agent's mode of permissions, such as `default`."""

    agent: str = ""
    """The name of the agent that wrote the log, such as `Cursor`."""

    agent_version: str = ""
    """The version of the agent."""

    started_ms: int | None = None
    """The first timestamp of the run's lines; None unless it is known by then."""

    level: Level = "calls"
    """How much of a run the format records."""

    has_outputs: bool = True
    """The format records the outputs of calls, which show resolved failures."""


class Image(Struct, frozen=True):
    """A picture that the user added to a request."""

    media_type: str
    """The type, such as `image/png`; "" if the log does not record it."""

    size: int | None
    """The number of bytes; None if the log does not hold them."""


class Prompt(Event):
    """The user's request."""

    text: str

    images: list[Image] = []
    """The pictures next to the text."""


class Thinking(Event):
    """One block of reasoning."""

    text: str

    started_ms: int | None = None
    """When it began, in ms since the first timestamp of the run; None if unknown."""

    ended_ms: int | None = None
    """When it was complete, likewise."""


class Segment(Event):
    """The assistant's text between two boundaries."""

    text: str
    """The text, without repetitions of the log."""

    is_halved: bool = False
    """True if its last line was dropped as a repetition of all before it.

    Only the recorded result shows if the assistant wrote the text twice.
    """


class ToolCall(Event):
    """One use of a tool, when it ends and, if `Needs` asks for it, when it starts."""

    number: int
    """The number of the call in its run, from 1, in the order of their starts."""

    id: str
    """The id of the call; "" if the log records none."""

    kind: str
    """The kind of tool, such as `shell`: a row of `tools.table`, or any other."""

    name: str = ""
    """The name of the tool, if its kind has tools of many names."""

    native: str = ""
    """The agent's own name for the tool, such as `Bash`; "" if there is no other."""

    arguments: dict[str, Any] | None = None
    """The arguments; None if they are not recorded or not needed."""

    outcome: Outcome | None = None
    """How the call ended; None while it is open."""

    arm: str = ""
    """The outcome as the log names it, such as `success` or `stillRunning`."""

    output: Any = None
    """The members of the outcome, and those next to it; None if not recorded."""

    steps: list[Event] | None = None
    """The text and the calls of a subagent; None for any other call."""

    is_new_file: bool = False
    """True if an edit created its file."""

    is_repeated: bool = False
    """True for a further event of a call that has ended already."""

    parent: str = ""
    """The id of the call that made this one; "" for a call of the run itself."""

    around: tuple[int, ...] = ()
    """The numbers of the calls around it, if grouped; `number` is in the innermost."""

    response_id: str = ""
    """The id of the model's response that made the call, which parallel calls share."""

    started_line: int = 0
    """The number of the line where the call starts."""

    texts_before: int | None = None
    """How many texts of its subagent come before the call; None if lines show that."""

    about: str = ""
    """The target of the call, if a format records that instead of arguments."""

    started_ms: int | None = None
    """When the call started, in ms on the clock of the log's lines; None if unknown."""

    since_start_ms: int | None = None
    """How long after the first timestamp of its run the call started."""

    duration_ms: int | None = None
    """How long the call took, in milliseconds; None if the log does not record it."""

    ended_ms: int | None = None
    """When it ended, in milliseconds, if the log records that and not the start."""

    ended_since_start_ms: int | None = None
    """How long after the first timestamp of its run that was."""

    longest_ms: int | None = None
    """How long it took at most, if `duration_ms` is not known: since the end before."""

    @property
    def place(self) -> tuple[int, ...]:
        """Its number, after those of the calls around it."""
        return (*self.around, self.number)

    @property
    def calls(self) -> list[ToolCall]:
        """The calls among its steps."""
        return [step for step in self.steps or () if isinstance(step, ToolCall)]

    @property
    def shown_number(self) -> str:
        """The same as people read it: `2.1` is the first call inside call 2."""
        return ".".join(map(str, self.place)) if self.around else str(self.number)


class Tokens(Struct, frozen=True, omit_defaults=True):
    """The tokens that a run used; a field is None if the log does not record it."""

    input: int | None = None
    """Input tokens that were neither read from a cache nor written to one."""

    output: int | None = None
    cache_read: int | None = None
    """Input tokens that were read from a cache."""

    cache_write: int | None = None
    """Input tokens that were written to a cache; None where `input` holds them."""

    final: int | None = None
    """The number of responses whose output is final; None if that of all is."""

    responses: int | None = None
    """The number of all responses; None likewise."""

    @property
    def is_least(self) -> bool:
        """True if `output` is a lower bound: some responses may have used more."""
        return self.responses is not None

    @property
    def fresh(self) -> int | None:
        """Input tokens that were not read from a cache, but may be written to one."""
        if self.input is None or self.cache_write is None:
            return self.input
        return self.input + self.cache_write


class Result(Event):
    """How a run ended, as the log records it."""

    raw: bytes = b""
    """The JSON of the event; empty if it is not needed, or of another form."""

    text: str | None = None
    """The text of the run; None if the log records none."""

    is_error: bool = False
    """True if the run failed."""

    duration_ms: int | None = None
    """How long the run took, in ms, else the time between its timestamps."""

    tokens: Tokens | None = None
    """The tokens that the run used; None if the log does not record them."""

    turns: int | None = None
    """The number of its turns, as the log counts them; None if it does not."""

    cost_usd: Decimal | None = None
    """The cost of the run in US dollars; None if the log does not record it."""

    cost_by: str = ""
    """Who reports the cost, such as `Claude Code`; "" if the log does not say."""


class Incident(Event):
    """A disturbance of a run apart from its calls, or a reason why it stopped."""

    kind: IncidentKind
    """The kind: `stopped` is a command in the background that was ended."""

    message: str = ""
    """The words of the log on it; "" if there are none."""

    status: str = ""
    """The log's name for it, such as `starting`."""

    attempt: int | None = None
    """The number of the attempt; None if it is not recorded."""

    endpoint: str = ""
    """The address that was tried; "" if it is not recorded."""

    is_resume: bool | None = None
    """A retry goes on where the run was; None if it is not recorded."""

    checkpoint_turn: int | None = None
    """The number of turns that a retry keeps; None if it is not recorded."""

    details: dict[str, Any] = {}
    """All else that the log records of it."""

    earlier: int = 0
    """How many incidents before it, in front of the run, were dropped."""


class Approved(Event):
    """A run of a log that is a trajectory already; its other events hold less."""

    approved: ApprovedRun
    """The run as it was approved."""

    settings: ApprovedSettings
    """The settings that it was made with."""

    file_lines: list[int]
    """The lines of its files."""


class End(Event):
    """A run ends."""

    state: State | None
    """How the run ended; None if the format does not record it."""

    reason: str = ""
    """The reason why the run failed; "" if the log does not say."""

    last_words: str = ""
    """The last message of a run whose reason is all of its messages joined.

    It is the reason for people. "" for another reason, and if texts are not read.
    """

    reason_kind: ReasonKind = ""
    """The kind of that reason, or of the reason why the run was cut off."""

    interrupted: Literal["", "reconnecting", "retry"] = ""
    """The agent was reconnecting or retrying when the run was cut; "" if neither."""

    span_ms: int | None = None
    """The milliseconds between its timestamps; None for a run with a result."""

    started_ms: int | None = None
    """The first timestamp of the run's lines; None if they have none."""

    ended_ms: int | None = None
    """The last timestamp of the run's lines; None if they have none."""

    request_id: str = ""
    """The id of the request that the agent made; "" if the log does not record it."""

    ends_in_call: bool = False
    """No text follows the last call, so the text before it is no final message.

    If the log records how the run ended, calls of the to-do list and the like do not
    count: the message may precede them.
    """


class Turn(Event):
    """A turn of a run that may have several begins or is over; the run may be, too.

    Only who runs the agent asks for it (`Needs.turns`); no writer gets one.
    """

    is_over: bool
    """False if the turn begins."""


class EndOfLog(Event):
    """The log ends. Its `line` is the number of lines, its `run` is 0."""

    unknown: dict[str, int] = {}
    """How many events each unknown type has; from 1000 types on, `other types`."""

    redacted: dict[str, int] | None = None
    """How many secrets of each kind were replaced; None without a search."""

    build: tuple[str, str, str] | None = None
    """The format, the agent and its version, if the log names a version."""

    stderr_lines: int = 0
    """How many lines of standard error `runconv run` has written to the log."""


class CallDetail:
    """How much of a call a writer reads: numbers, which are faster than an enum."""

    NONE = 0
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

    unrecorded_text: bool = False
    """The assistant's text of each run whose result does not record it.

    If it is missing, a log is read again for it; a pipe is read with `text` at once.
    """

    last_words: bool = False
    """The last words of a failed run in its `End`; the reader may add its texts."""

    thinking: bool = False
    """The reasoning."""

    calls: int = CallDetail.NONE
    """The tool calls: a `CallDetail`."""

    blocks: bool = False
    """The unread blocks of messages, which are counted; with texts, they always are.

    Asked for where the user names the format, since the log may be another agent's.
    """

    figures: bool = False
    """How long a run took, the tokens it used, its model and its directory."""

    approved: bool = False
    """The runs of a trajectory as they were approved, next to their events."""

    turns: bool = False
    """A `Turn` where the end of a turn may be that of the run, at once."""


EVERYTHING = Needs(
    result=True,
    text=True,
    thinking=True,
    calls=CallDetail.EVERYTHING,
    figures=True,
    approved=True,
)
