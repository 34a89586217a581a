"""Facts that runconv keeps in the members `extra`, so that a run reads back as it was.

Other programs that look for how a call ended find it here as well: the schema of the
format has no member for it.
"""

from __future__ import annotations

from typing import Any, Literal, TypeVar

import msgspec
from msgspec import Raw

from convert.agents import raw_values
from convert.formats.atif.document import NONE, Member, raw
from convert.model.events import (
    IncidentKind,
    Level,
    OutcomeStatus,
    ReasonKind,
    State,
    Tokens,
)
from convert.source.ndjson import REFUSED

T = TypeVar("T", bound=Member)


# In milliseconds since 1970, in the year 5138.
_BEYOND_BELIEF = 10**14


class Timed(Member):
    """Members with times, of which those beyond belief are left out."""

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
    """The call ran a subagent of which no step is recorded."""


class OutputFacts(Member):
    """Facts of what came back that the format has no member for."""

    output: Raw = NONE
    """The members of the output; those of the kind for a text if there are none."""

    text_members: list[str] | None = None
    """The members that hold the content, and are null in the output."""

    has_output: bool = True
    """False if no output is recorded."""


class PictureFacts(Member):
    """A picture beside a request."""

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


def extra_of_run(facts: RunFacts) -> Raw:
    """Return the `extra` of a document."""
    return raw(_OfRun(facts))


def extra_of_step(facts: StepFacts) -> Raw:
    """Return the `extra` of a step; none if there is nothing to keep."""
    return NONE if facts == StepFacts() else raw(_OfStep(facts))


def extra_of(facts: CallFacts | OutputFacts) -> Raw:
    """Return the `extra` of a call or of what came back; none if it is empty."""
    return NONE if facts == type(facts)() else raw(facts)


def facts_of_run(extra: Raw) -> RunFacts | None:
    """Return what runconv kept of a run; None if another program wrote it."""
    found = found_in(extra, _OfRun)
    return found.runconv if found else None


def facts_of_step(extra: Raw) -> StepFacts:
    """Return what runconv kept of a step."""
    found = found_in(extra, _OfStep)
    return (found and found.runconv) or StepFacts()


def found_in(extra: Raw, kind: type[T]) -> T | None:
    """Return what an `extra` holds; None if it is not there, or of another form."""
    if extra is NONE:
        return None
    try:
        return msgspec.json.decode(extra, type=kind)
    except REFUSED:
        return None


def value_of(member: Raw) -> Any:
    """Return the value of a member; None if it is not there."""
    return None if member is NONE else raw_values.value_of(member)
