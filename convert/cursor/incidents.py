"""The incidents of a run: lost connections, retries, errors, and why a run failed.

Their lines are few, so they are decoded a second time, with all their members; the
struct of a line (`wire`) would grow for nothing. The agent writes some messages to
standard error and exits with 1, so that a log taken with `2>&1` may hold nothing else.
"""

from __future__ import annotations

import re
from typing import Any

from convert.cursor.runs import OpenRun
from convert.cursor.wire import STANDARD_ERROR, SYSTEM_INCIDENTS, WireEvent
from convert.errors import Warn
from convert.facts.run_reasons import names_in, set_reason_kind
from convert.model.events import End, Event, Incident, IncidentKind
from convert.source.ndjson import members_of
from convert.wording import compiled
from convert.wording.escapes import repair_surrogates, strip_controls

LONGEST = 4096
"""A longer text is no such message, in characters."""

# The codes of the protocol between the agent and its server.
_CODE = (
    r"\[(?:canceled|unknown|invalid_argument|deadline_exceeded|not_found"
    r"|already_exists|permission_denied|resource_exhausted|failed_precondition"
    r"|aborted|out_of_range|unimplemented|internal|unavailable|data_loss"
    r"|unauthenticated)\]"
)
# Messages of one line. The build shortens names of errors: `T: [internal] …`.
_LINES = (
    r"Warning: The provided API key is invalid\b.*",
    r"Failed to claim persistent session for chat .+",
    r"Connection failed repeatedly\.?",
    r"Aborting operation\.\.\.",
    r"(?:[A-Z]\w*)?Error: .+",
    rf"[A-Za-z_$][\w$]*: {_CODE} .+",
    r"(?:[A-Za-z_$][\w$]{0,2}: )?You(?:'ve| have) (?:hit|reached) (?:your|the) "
    r"(?:[\w-]+ ){0,4}limit\b.*",
)
# Messages that may be longer: a question with its answers, a list of models.
_WHOLE = (
    r"Workspace Trust Required\b.*--trust\b.*",
    r"Cannot use this model: .*",
)
# The marks before a message: those of a runner, and a sign.
_MARKS = (
    r"\s*(?:\d{4}-\d\d-\d\dT[\d:.,]+(?:Z|[+-]\d\d:?\d\d)?\s+)?"
    r"(?:std(?:out|err)\s*[:=]\s*)?"
    "(?:⚠\ufe0f?\\s*)?(?:Error: (?=[A-Z]\\w+Error: ))?"
)
_WHOLE_TEXT, _LINE = (f"{_MARKS}({'|'.join(each)})" for each in (_WHOLE, _LINES))
# `T: …` might be anything, were it not between events. Other letters are those of
# package managers and loggers: `W: Failed to fetch …`.
AMONG_EVENTS = f"{_MARKS}({'|'.join(_LINES)}|T: .+)"
"""The pattern of the messages that may occur between events."""


def is_failure_message(text: str) -> bool:
    """Return True if a text is nothing but messages about a run that failed."""
    return bool(failure_messages(text))


def failure_messages(text: str) -> list[str]:
    """Return the messages of a text that holds nothing else; none for any other."""
    if len(text) > LONGEST:
        return []
    text = strip_controls(text).strip()
    if whole := compiled(_WHOLE_TEXT, re.DOTALL).fullmatch(text):
        return [whole[1]]
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    messages = [_message_in(line, _LINE) for line in lines]
    return messages if all(messages) else []


def message_among_events(line: str) -> str:
    """Return the message that a line between events is; "" if it is none."""
    if len(line) > LONGEST:
        return ""
    return _message_in(strip_controls(line).strip(), AMONG_EVENTS)


def _message_in(text: str, pattern: str) -> str:
    """Return the message of a text, without the marks before it; "" if it is none."""
    match = compiled(pattern).fullmatch(text)
    return match[1] if match else ""


_KINDS: dict[tuple[str, str], IncidentKind] = {
    ("connection", "reconnecting"): "reconnecting",
    ("connection", "reconnected"): "reconnected",
    # With any other subtype.
    ("connection", ""): "connection",
    ("retry", ""): "retry",
    **{("system", subtype): kind for subtype, kind in SYSTEM_INCIDENTS.items()},
}
# Members with the words of a line, the plainest first; an object may hold one of them.
_MESSAGES = ("message", "error", "errorMessage", "reason", "text", "detail", "summary")
_NOT_DETAILS = {
    "type",
    "subtype",
    "session_id",
    "timestamp_ms",
    "attempt",
    "endpoint_url",
    "is_resume",
    "checkpoint_turn_count",
}


def read_incident(
    run: OpenRun, line: WireEvent, number: int, raw: bytes, warn: Warn
) -> list[Event]:
    """Return the incident of a line; one before its run waits for the start."""
    if line.type == STANDARD_ERROR:
        is_read = "skipped" if run.has_ended else "read as a message of the agent"
        warn(number, "not JSON", is_read)
    elif run.has_ended:
        # It belongs to nothing.
        name = f"{line.type}/{line.subtype}".rstrip("/")
        warn(number, f"{name} after the end of its run", "ignored")
    if run.has_ended:
        return []
    incident = _incident(run.number, line, number, members_of(raw))
    run.note(incident)
    if run.has_started:
        return [incident]
    run.hold(incident)
    return []


def reason_of_result(raw: bytes) -> str:
    """Return the reason in the result of a failed run: an error, or a text of one line.

    A longer text is the assistant's, unless it is a failure message. So is the text of
    a result that records a success as well.
    """
    members = members_of(raw)
    text = members.get("result")
    if reason := _message({"error": members.get("error")}):
        return reason
    if members.get("is_error") is False:
        subtype = members.get("subtype")
        return subtype if isinstance(subtype, str) and subtype != "error" else ""
    if not isinstance(text, str):
        return ""
    text = repair_surrogates(text.strip())
    is_reason = len(text.splitlines()) == 1 or is_failure_message(text)
    return text if is_reason else ""


def with_kind(end: End, incident: Incident | None) -> End:
    """Name the reason of a run that did not succeed; return its end."""
    if incident is None:
        return set_reason_kind(end)
    is_known = end.state == "error" or end.interrupted
    names = names_in(incident.details) if is_known else ()
    return set_reason_kind(end, names, incident.message if end.interrupted else None)


def _incident(
    run: int, line: WireEvent, number: int, members: dict[str, Any]
) -> Incident:
    kind = _KINDS.get((line.type, line.subtype)) or _KINDS.get((line.type, ""))
    endpoint = members.get("endpoint_url")
    is_resume = members.get("is_resume")
    message = _message(members)
    details = {
        name: value
        for name, value in members.items()
        if name not in _NOT_DETAILS and not (message and name in _MESSAGES)
    }
    return Incident(
        run=run,
        line=number,
        kind=kind or "error",
        message=message,
        status=repair_surrogates(line.subtype),
        attempt=_count(members.get("attempt")),
        endpoint=repair_surrogates(endpoint) if isinstance(endpoint, str) else "",
        is_resume=is_resume if isinstance(is_resume, bool) else None,
        checkpoint_turn=_count(members.get("checkpoint_turn_count")),
        details=details,
    )


def _message(members: dict[str, Any], depth: int = 0) -> str:
    """Return the words of a line, which may be in an object of it."""
    for name in _MESSAGES:
        value = members.get(name)
        if isinstance(value, dict) and depth < 3:
            value = _message(value, depth + 1)
        if isinstance(value, str) and value.strip():
            return repair_surrogates(value.strip())
    return ""


def _count(value: Any) -> int | None:
    return value if type(value) is int and 0 <= value < 1 << 53 else None
