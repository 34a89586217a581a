"""The members of a document, for writing and for reading."""

from __future__ import annotations

from typing import Any, Literal, TypeVar

import msgspec
from msgspec import Raw, Struct

from convert.agents.lines import decoded
from convert.model.events import (
    Image,
    IncidentKind,
    Level,
    OutcomeStatus,
    ReasonKind,
    State,
    Tokens,
)
from convert.model.json_lines import json_bytes
from convert.source.lines import REFUSED
from convert.wording.escapes import repair_surrogates

# Values of several forms stay bytes until they are needed.
VERSION = "ATIF-v1.7"
# The value of a missing member.
NONE = Raw(b"")


class Member(Struct, omit_defaults=True):
    """An object; members that are not there have their defaults."""


class Agent(Member):
    """The agent that ran."""

    name: str = ""
    version: str = ""
    model_name: str | None = None
    extra: Raw = NONE


class Call(Member):
    """A tool call."""

    tool_call_id: str | None = None
    function_name: str = ""
    arguments: Raw = NONE
    extra: Raw = NONE


class Reference(Member):
    """The trajectory of a subagent, by its id."""

    trajectory_id: str | None = None
    session_id: str | None = None


class ObservationResult(Member):
    """The result of a call."""

    source_call_id: str | None = None
    content: Raw = NONE
    """A text, or a list of parts."""

    subagent_trajectory_ref: list[Reference] | Reference | None = None
    extra: Raw = NONE


class Observation(Member):
    """The results in a step."""

    results: list[ObservationResult] | None = None


class Metrics(Member):
    """The tokens of one response, and its cost."""

    prompt_tokens: int | float | None = None
    completion_tokens: int | float | None = None
    cached_tokens: int | float | None = None
    cost_usd: int | float | None = None


class Step(Member):
    """A request, a response with its calls, or an event of the system."""

    step_id: int | float | str | None = None
    source: str = ""
    timestamp: str | None = None
    model_name: str | None = None
    message: Raw = NONE
    """A text, or a list of parts."""

    reasoning_content: str | None = None
    tool_calls: list[Call] | None = None
    observation: Observation | None = None
    metrics: Metrics | None = None
    is_copied_context: bool | None = None
    extra: Raw = NONE

    @property
    def results(self) -> list[ObservationResult]:
        """The results that were observed in the step."""
        return (self.observation and self.observation.results) or []


class FinalMetrics(Member):
    """The tokens of the whole run, and its cost."""

    total_prompt_tokens: int | float | None = None
    total_completion_tokens: int | float | None = None
    total_cached_tokens: int | float | None = None
    total_cost_usd: int | float | None = None
    total_steps: int | float | None = None
    extra: Raw = NONE


class Document(Member):
    """A run; without its version, an object is no document."""

    schema_version: str
    session_id: str | None = None
    trajectory_id: str | None = None
    agent: Agent = msgspec.field(default_factory=Agent)
    steps: list[Step] | None = None
    final_metrics: FinalMetrics | None = None
    extra: Raw = NONE
    subagent_trajectories: list[Trajectory] | None = None


class Trajectory(Document):
    """The run of a subagent."""

    schema_version: str = ""


def raw(value: object) -> Raw:
    """Return a value as the bytes of a member."""
    return Raw(json_bytes(value))


def text_of(content: Raw) -> str:
    """Return the text of a content; its other parts are named in it by their types."""
    return text_of_value(member_value(content))


def text_of_value(value: Any) -> str:
    """Return the text of a content that has been decoded."""
    match value:
        case str():
            return repair_surrogates(value)
        case [*parts]:
            return repair_surrogates("\n".join(filter(None, map(_part, parts))))
    return ""


def prompt_of(content: Raw) -> tuple[str, list[Image]]:
    """Return the text of a request, and its pictures."""
    value = member_value(content)
    if not isinstance(value, list):
        return text_of_value(value), []
    texts, images = [], []
    for part in value:
        match part:
            case {"type": "image", "source": {"media_type": str(media_type)}}:
                images.append(Image(media_type, None))
            case {"type": "image"}:
                images.append(Image("", None))
            case _:
                texts.append(part)
    return text_of_value(texts), images


def _part(part: Any) -> str:
    match part:
        case {"text": str(text)} | str(text):
            return text
        case {"type": str(kind)}:
            return f"[{kind}]"
    return ""


# The names that Harbor has for them.
_NAMES = {
    "Cursor": "cursor-cli",
    "Claude Code": "claude-code",
    "Codex": "codex",
    "Qwen Code": "qwen-coder",
    "Gemini CLI": "gemini-cli",
    "GitHub Copilot": "copilot-cli",
}
_NAMES_FOR_PEOPLE = {name: shown for shown, name in _NAMES.items()}
# Other writers have this where nothing is recorded.
UNKNOWN = "unknown"


def name_in_document(agent: str) -> str:
    """Return the name of an agent in a document."""
    return _NAMES.get(agent, agent) or UNKNOWN


def name_for_people(name: str) -> str:
    """Return the name of an agent as it is shown; "" if none is recorded."""
    return "" if name == UNKNOWN else _NAMES_FOR_PEOPLE.get(name, name)


# The format has no member for the end of a call; other programs look in `extra` as
# well.
T = TypeVar("T", bound=Member)
# In milliseconds since 1970, in the year 5138.
_BEYOND_BELIEF = 10**14


class Timed(Member):
    """Members with times; times beyond belief are dropped."""

    def __post_init__(self) -> None:
        for name in self.__struct_fields__:
            if name.endswith("_ms"):
                time = getattr(self, name)
                if time is not None and not 0 <= time < _BEYOND_BELIEF:
                    setattr(self, name, None)


class CallFacts(Timed):
    """Facts of a call that the format has no member for; the names of `ToolCall`."""

    kind: str | None = None
    """The kind; None if another program wrote the call."""

    name: str | None = None
    """The name, where it is not that of the function."""

    native: str = ""

    id: str | None = None
    """The id, where the document needs another one."""

    has_arguments: bool = True
    """False if the arguments are not recorded."""

    status: OutcomeStatus | None = None
    exit_code: int | None = None
    signal: str = ""

    error: str = ""
    """The kind of error, such as `timeout`."""

    message: str = ""
    arm: str = ""
    is_new_file: bool = False
    parent: str = ""
    response_id: str = ""
    about: str = ""
    started_ms: int | None = None
    since_start_ms: int | None = None
    duration_ms: int | None = None
    ended_ms: int | None = None
    ended_since_start_ms: int | None = None
    longest_ms: int | None = None

    has_no_steps: bool = False
    """The call ran a subagent whose steps are not recorded."""


class OutputFacts(Member):
    """Facts of a result that the format has no member for."""

    output: Raw = NONE
    """The members of the output; those of the kind for a text if there are none."""

    text_members: list[str] | None = None
    """The members that hold the content, and are null in the output."""

    has_output: bool = True
    """False if no output is recorded."""


class PictureFacts(Member):
    """A picture in a request."""

    media_type: str = ""
    size: int | None = None


class IncidentFacts(Member):
    """Facts of an incident; the names of `Incident`, the message is the step's."""

    kind: IncidentKind
    status: str = ""
    attempt: int | None = None
    endpoint: str = ""
    is_resume: bool | None = None
    checkpoint_turn: int | None = None
    details: Raw = NONE
    earlier: int = 0


class StepFacts(Timed):
    """Facts of a step that the format has no member for."""

    thinking_started_ms: int | None = None
    """When the reasoning began, since the start of the run."""

    thinking_ended_ms: int | None = None
    is_halved: bool = False
    pictures: list[PictureFacts] | None = None

    order: list[int] | None = None
    """The numbers of calls in the run as they began and, negative, as they ended.

    None if the calls of the step all began before one ended, and ended in it.
    """

    incident: IncidentFacts | None = None

    is_result: bool = False
    """The message is the text of the result, and no segment."""

    is_filler: bool = False
    """The run has no step, and the format needs one."""


class ResultFacts(Timed):
    """How a run ended, as its log records it; the names of `Result`."""

    text: str | None = None

    is_all_text: bool = False
    """The text is that of all steps together."""

    is_error: bool = False
    duration_ms: int | None = None
    tokens: Tokens | None = None
    turns: int | None = None
    cost_by: str = ""


class RunFacts(Timed):
    """Facts of a run without a member in the format; the names of `Start` and `End`."""

    directory: str = ""
    permission_mode: str = ""
    level: Level = "calls"
    has_outputs: bool = True
    state: State | None = None
    reason: str = ""
    last_words: str = ""
    reason_kind: ReasonKind = ""
    interrupted: Literal["", "reconnecting", "retry"] = ""
    request_id: str = ""
    started_ms: int | None = None
    ended_ms: int | None = None
    span_ms: int | None = None
    result: ResultFacts | None = None


class _OfRun(Member):
    runconv: RunFacts | None = None


class _OfStep(Member):
    runconv: StepFacts | None = None


def extra_of(facts: StepFacts | CallFacts | OutputFacts) -> Raw:
    """Return the `extra` of a step, a call or a result; none if it would be empty."""
    if facts == type(facts)():
        return NONE
    return raw({"runconv": facts} if isinstance(facts, StepFacts) else facts)


def facts_of_run(extra: Raw) -> RunFacts | None:
    """Return the facts that runconv kept of a run; None if another program wrote it."""
    return (found_in(extra, _OfRun) or _OfRun()).runconv


def facts_of_step(extra: Raw) -> StepFacts:
    """Return the facts that runconv kept of a step."""
    return (found_in(extra, _OfStep) or _OfStep()).runconv or StepFacts()


def found_in(extra: Raw, kind: type[T]) -> T | None:
    """Return the facts in an `extra`; None if it is missing, or of another form."""
    if extra is NONE:
        return None
    try:
        return msgspec.json.decode(extra, type=kind)
    except REFUSED:
        return None


def member_value(member: Raw) -> Any:
    """Return the value of a member; None if it is not there."""
    return None if member is NONE else decoded(member)
