"""The members of a document, for writing and for reading.

Values whose form differs stay bytes until they are needed.
"""

from __future__ import annotations

from typing import Any

import msgspec
from msgspec import Raw, Struct
from msgspec.structs import replace

from convert.formats.json_lines import json_bytes
from convert.wording.sanitise import repair_surrogates

VERSION = "ATIF-v1.7"
# Stands for a member that is not there.
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


class CameBack(Member):
    """The result of a call."""

    source_call_id: str | None = None
    content: Raw = NONE
    """A text, or a list of parts."""

    subagent_trajectory_ref: list[Reference] | Reference | None = None
    extra: Raw = NONE


class Observation(Member):
    """The results in a step."""

    results: list[CameBack] | None = None


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
    return Raw(bytes_of(value))


def bytes_of(value: object) -> bytes:
    """Return a value as JSON on one line, without halves of emoji."""
    try:
        return json_bytes(value)
    except UnicodeEncodeError:
        return json_bytes(_repaired(value))


def _repaired(value: Any) -> Any:
    """Return objects of this module with whole characters."""
    match value:
        case str():
            return repair_surrogates(value)
        case list():
            return [_repaired(item) for item in value]
        case Struct():
            names = value.__struct_fields__
            fields = {name: _repaired(getattr(value, name)) for name in names}
            return replace(value, **fields)
    return value
