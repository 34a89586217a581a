"""The events of a log: readers yield them in its order, writers consume them."""

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
    """The format records the outputs of calls, which show resolved failures.

    It makes no difference below the level `calls`.
    """


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
    """The pictures next to the text."""


class Thinking(Event):
    """One block of reasoning."""

    text: str
    """The text of the block."""

    started_ms: int | None = None
    """When it began, in milliseconds since the first timestamp of the run.

    None if the log does not record it.
    """

    ended_ms: int | None = None
    """When it was complete, likewise."""


class Segment(Event):
    """The assistant's text between two boundaries."""

    text: str
    """The text, without repetitions of the log."""

    is_halved: bool = False
    """True if the last line repeated all before it and was dropped as a repetition.

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
    """The members of the outcome, and those next to it in the log.

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

    around: tuple[int, ...] = ()
    """The numbers of the calls around it, once calls are grouped by their parents.

    `number` counts within the innermost of them. It is empty for a call of the run
    itself, and for a step, which is in the call around it.
    """

    response_id: str = ""
    """The id of the model's response that made the call, which parallel calls share."""

    started_line: int = 0
    """The number of the line where the call starts."""

    texts_before: int | None = None
    """How many texts of its subagent come before the call; None if lines show that."""

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
    def shown_number(self) -> str:
        """The same as people read it: `2.1` is the first call inside call 2."""
        return ".".join(map(str, self.place)) if self.around else str(self.number)


class Tokens(Struct, frozen=True, omit_defaults=True):
    """The tokens that a run used; a field is None if the log does not record it."""

    input: int | None = None
    """Input tokens that were neither read from a cache nor written to one."""

    output: int | None = None
    """Output tokens."""

    cache_read: int | None = None
    """Input tokens that were read from a cache."""

    cache_write: int | None = None
    """Input tokens that were written to a cache; None where `input` holds them."""

    final: int | None = None
    """The number of responses whose output is final; None if that of all is."""

    responses: int | None = None
    """The number of all responses; None if the output of all is final."""

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
    """How long the run took, in milliseconds; None if the log does not record it.

    From the first timestamp to the last where the log says nothing else.
    """

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
    """The log's name for it, such as `starting`; "" if it has none."""

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

    call_lines: list[int]
    """The lines of its calls, each followed by those of the calls inside it."""

    file_lines: list[int]
    """The lines of its files."""


class End(Event):
    """A run ends."""

    state: State | None
    """How the run ended; None if the format does not record it."""

    reason: str = ""
    """The reason why the run failed; "" if the log does not say."""

    reason_kind: ReasonKind = ""
    """The kind of that reason, or of the reason why the run was cut off."""

    interrupted: Literal["", "reconnecting", "retry"] = ""
    """The agent was reconnecting or retrying when the run was cut; "" if neither."""

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

    ends_in_call: bool = False
    """No text follows the last call, so the text before that is no final message.

    Where the log records how the run ended, a call by which the agent keeps its books,
    such as that of the to-do list, does not count: the message may be in front of it.
    """


class EndOfLog(Event):
    """The log ends. Its `line` is the number of lines, its `run` is 0."""

    unknown: dict[str, int] = {}
    """How many events there were of each type that is not known.

    Types after the first 1000 are counted together, under `other types`.
    """

    redacted: dict[str, int] | None = None
    """How many secrets of each kind were replaced; None without a search."""
