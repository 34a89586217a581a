"""A tool call as two members: what was called, and what came back."""

from __future__ import annotations

from typing import Any

from convert.agents.output_texts import text_of_output
from convert.agents.outputs import output_of_text
from convert.formats.atif.document import Call, CameBack, Reference, raw
from convert.formats.atif.facts import CallFacts, OutputFacts, extra_of
from convert.model.events import UNFINISHED, ToolCall
from convert.tools.reasons import reason_of

# A shorter text may stand twice.
_SHORTEST = 40


def call_in_document(call: ToolCall, id: str) -> Call:
    """Return a call under the id that it has in its document."""
    outcome = call.outcome or UNFINISHED
    name = call.name or call.native or call.kind or "unknown"
    facts = CallFacts(
        kind=call.kind,
        name=None if call.name == name else call.name,
        native=call.native,
        id=None if call.id == id else call.id,
        has_arguments=call.arguments is not None,
        status=outcome.status,
        exit_code=outcome.exit_code,
        signal=outcome.signal,
        error=outcome.arm,
        message=outcome.message,
        arm=call.arm,
        is_new_file=call.is_new_file,
        parent=call.parent,
        response_id=call.response_id,
        about=call.about,
        started_ms=call.started_ms,
        since_start_ms=call.since_start_ms,
        duration_ms=call.duration_ms,
        ended_ms=call.ended_ms,
        ended_since_start_ms=call.ended_since_start_ms,
        longest_ms=call.longest_ms,
        has_no_steps=call.steps == [],
    )
    return Call(id, name, raw(call.arguments or {}), extra_of(facts))


def came_back(call: ToolCall, id: str, subagent: str = "") -> CameBack | None:
    """Return what came back from a call; None if it did not end.

    `subagent` is the id of the trajectory of the subagent that it ran.
    """
    if call.outcome in (None, UNFINISHED) and call.output is None and not subagent:
        return None
    text = text_of_output(call)
    facts = _facts(call, text)
    if not text and call.outcome and call.outcome.status != "ok":
        text = call.outcome.message or reason_of(call.outcome)
    reference = [Reference(subagent)] if subagent else None
    return CameBack(id, raw(text), reference, extra_of(facts))


def _facts(call: ToolCall, text: str) -> OutputFacts:
    output: Any = call.output
    if output is None:
        return OutputFacts(has_output=False)
    if output == output_of_text(call.kind, text):
        return OutputFacts()
    if not isinstance(output, dict) or len(text) < _SHORTEST:
        return OutputFacts(raw(output))
    same = [name for name, value in output.items() if value == text]
    # Their places among the members are kept.
    return OutputFacts(raw(output | dict.fromkeys(same)), same or None)
