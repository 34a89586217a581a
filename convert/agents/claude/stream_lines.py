"""The lines of Claude Code's stream as structs, and the facts of a `result`."""

from __future__ import annotations

import functools
from collections import OrderedDict
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Any

import msgspec
from msgspec import Struct

from convert.agents.claude.blocks import (
    Message,
    Scalar,
    Usage,
    details_for,
    message_for,
)
from convert.agents.tools import NativeCall, call_of
from convert.model.cost import recorded_cost, total_cost
from convert.model.needs import CallDetail, Needs
from convert.source.ndjson import Decoding, narrow

# Lines that say nothing about the agent's work: hooks, limits, progress, questions of
# a program that drives it.
KNOWN = frozenset(
    {
        *("rate_limit_event", "tool_progress", "tool_use_summary", "auth_status"),
        *("control_request", "control_response", "control_cancel_request"),
        *("keep_alive", "prompt_suggestion"),
    }
)
KNOWN_SYSTEM = frozenset(
    {
        *("thinking_tokens", "hook_started", "hook_progress", "hook_response"),
        *("status", "compact_boundary", "session_state_changed"),
        *("task_started", "task_progress", "task_updated", "task_notification"),
        *("files_persisted", "local_command_output", "elicitation_complete"),
    }
)
PARTIAL = "stream_event"


class Delta(Struct, gc=False):
    """A piece of a text or of a thought."""

    text: str | None = ""
    thinking: str | None = ""


class Piece(Struct, gc=False):
    """An event of the model's interface."""

    type: str | None = ""
    delta: Delta | Scalar = None


class ModelUsage(Struct, gc=False):
    """The cost of one model since the process began."""

    costUSD: int | float | None = None


class Line(Struct, gc=False):
    """One line, with every member that some target reads.

    Those of most lines come first, in the order of the agent: msgspec looks for each
    after the one before it.
    """

    type: str
    subtype: str | None = ""
    message: Message | str | None = None
    event: Piece | Scalar = None
    parent_tool_use_id: str | None = None
    session_id: str | None = ""
    uuid: str | None = ""
    timestamp: str | int | float | None = None
    tool_use_result: Any = None
    isSynthetic: bool | None = None
    isMeta: bool | None = None
    cwd: str | None = ""
    model: str | None = ""
    permissionMode: str | None = ""
    permission_mode: str | None = ""
    claude_code_version: str | None = ""
    qwen_code_version: str | None = ""
    is_error: bool | int | str | None = None
    duration_ms: int | float | None = None
    result: Any = None
    num_turns: int | float | None = None
    total_cost_usd: int | float | None = None
    usage: Usage | Scalar = None
    modelUsage: dict[str, ModelUsage | Scalar] | Scalar = None
    permission_denials: Any = None
    errors: Any = None
    api_error_status: Any = None
    terminal_reason: Any = None
    attempt: Any = None
    max_retries: Any = None
    retry_delay_ms: Any = None
    error_status: Any = None
    error: Any = None


def decoding_for(needs: Needs) -> Decoding[Line]:
    """Return how lines are decoded for the needs of a target."""
    line = _line(needs)
    return Decoding(
        line,
        msgspec.json.Decoder(line),
        _significant_with_pieces if _has_pieces(needs) else _significant,
        own_member="session_id",
        has_values=needs.calls >= CallDetail.ARGUMENTS,
    )


def _has_pieces(needs: Needs) -> bool:
    return needs.text or needs.thinking


@functools.cache
def _line(needs: Needs) -> Any:
    unread = set()
    if not _has_pieces(needs):
        unread.add("event")
    if not needs.figures:
        unread |= {"usage", "duration_ms"}
        unread |= {"num_turns", "total_cost_usd", "modelUsage"}
    if not (needs.text or needs.figures or needs.calls == CallDetail.EVERYTHING):
        unread.add("timestamp")
    if not (needs.text or needs.calls):
        unread.add("tool_use_result")
    types = {
        "message": message_for(needs) | str | None,
        "tool_use_result": details_for(needs),
    }
    return narrow(Line, unread, types)


def _significant(lines: list[Line]) -> Sequence[int]:
    return [
        index
        for index, line in enumerate(lines)
        if line.type != PARTIAL
        and line.type not in KNOWN
        and line.subtype not in KNOWN_SYSTEM
    ]


def _significant_with_pieces(lines: list[Line]) -> Sequence[int]:
    return [
        index
        for index, line in enumerate(lines)
        if line.type not in KNOWN and line.subtype not in KNOWN_SYSTEM
    ]


def has_failed(line: Line) -> bool:
    """Return True if a result says that its run failed.

    Runs that an error of the model's interface ended are a `success` with `is_error`;
    those that reached their limit of turns were no errors in builds of 2025.
    """
    flag = line.is_error
    is_set = flag.lower() == "true" if isinstance(flag, str) else bool(flag)
    return is_set or (line.subtype or "").startswith("error")


def text_of(line: Line) -> str | None:
    """Return the text of a result; None if it records none."""
    if not isinstance(line.result, str) or (not line.result and has_failed(line)):
        return None
    return line.result


def reason_of(line: Line) -> str:
    """Return why a run failed: the errors, the text, else the subtype.

    "" if it did not fail. The text of a run that was stopped is its last text.
    """
    if not has_failed(line):
        return ""
    recorded = line.errors if isinstance(line.errors, list) else []
    errors = [error.strip() for error in recorded if isinstance(error, str)]
    if any(errors):
        return "; ".join(filter(None, errors))
    subtype = line.subtype or ""
    if not subtype.startswith("error") and (text := text_of(line)):
        return text.strip()
    return subtype


def cost_of(line: Line, costs: ProcessCosts) -> Decimal | None:
    """Return the cost of a run, whose result has the sums of its process so far."""
    usage = line.modelUsage if isinstance(line.modelUsage, dict) else {}
    by_model = {
        model: cost
        for model, used in usage.items()
        if isinstance(used, ModelUsage)
        and (cost := recorded_cost(used.costUSD)) is not None
    }
    total = recorded_cost(line.total_cost_usd)
    return costs.of_run(line.session_id or "", total, by_model)


def refused_calls(line: Line) -> Iterator[tuple[str, NativeCall]]:
    """Yield the ids of the calls that a result says were refused, and the calls."""
    denials = line.permission_denials
    for denial in denials if isinstance(denials, list) else ():
        match denial:
            case {"tool_use_id": str(id), **rest}:
                name, given = rest.get("tool_name"), rest.get("tool_input")
                arguments = given if isinstance(given, dict) else None
                yield id, call_of(name if isinstance(name, str) else "", arguments)


# It is a decimal number, so that sums and differences have no binary fractions.
# How many sessions are remembered: memory must not grow with the log.
_MOST_SESSIONS = 1000


class _Sums(Struct, frozen=True):
    """The cost of a process so far, in total and by model."""

    total: Decimal
    by_model: Mapping[str, Decimal]


class ProcessCosts:
    """The costs of single runs, from sums that go on over the runs of a process.

    A new session begins again, and so does a sum that is smaller than the one before.
    """

    def __init__(self) -> None:
        self._last: OrderedDict[str, _Sums] = OrderedDict()

    def of_run(
        self, session: str, total: Decimal | None, by_model: Mapping[str, Decimal]
    ) -> Decimal | None:
        """Return the cost of a run that ends with these sums.

        Without a total, it is that of all models. None if neither is recorded.
        """
        if total is None:
            total = total_cost(by_model.values())
        if total is None:
            return None
        sums = _Sums(total, by_model)
        before = self._replace(session, sums)
        if before is None or _begins_again(before, sums):
            return total
        return total - before.total

    def so_far(self, session: str, cost: Decimal) -> Decimal:
        """Return the sum of a process with a run of this cost, to be written."""
        before = self._last.get(session)
        total = cost + before.total if before else cost
        self._replace(session, _Sums(total, {}))
        return total

    def _replace(self, session: str, sums: _Sums) -> _Sums | None:
        """Keep the sums of a session; return those before."""
        before = self._last.pop(session, None)
        self._last[session] = sums
        if len(self._last) > _MOST_SESSIONS:
            self._last.popitem(last=False)
        return before


def _begins_again(before: _Sums, sums: _Sums) -> bool:
    """Return True if sums are of another process than those before them.

    One of them is smaller, or lacks a model.
    """
    if sums.total < before.total:
        return True
    return bool(sums.by_model) and any(
        sums.by_model.get(model, -1) < cost for model, cost in before.by_model.items()
    )
