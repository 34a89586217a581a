"""The messages that the agent prints instead of a log when it cannot run.

It writes them to standard error and exits with 1, so that a log taken with `2>&1` holds
nothing else.
"""

from __future__ import annotations

import re

from convert.wording.compiled import compiled
from convert.wording.sanitise import strip_controls

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
# Messages of one line that might be anything, were they not between events. Other
# letters are those of package managers and loggers: `W: Failed to fetch …`.
_AMONG_EVENTS = (*_LINES, r"T: .+")
# Messages that may be longer: a question with its answers, a list of models.
_WHOLE = (
    r"Workspace Trust Required\b.*--trust\b.*",
    r"Cannot use this model: .*",
)
# The marks in front of a message: what a runner writes, and a sign.
_MARKS = (
    r"\s*(?:\d{4}-\d\d-\d\dT[\d:.,]+(?:Z|[+-]\d\d:?\d\d)?\s+)?"
    r"(?:std(?:out|err)\s*[:=]\s*)?"
    "(?:⚠\ufe0f?\\s*)?(?:Error: (?=[A-Z]\\w+Error: ))?"
)
_WHOLE_TEXT, _LINE = (f"{_MARKS}({'|'.join(each)})" for each in (_WHOLE, _LINES))
AMONG_EVENTS = f"{_MARKS}({'|'.join(_AMONG_EVENTS)})"
"""The pattern of the messages that may stand between events."""


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
    """Return a text without what stands in front of its message; "" if it is none."""
    match = compiled(pattern).fullmatch(text)
    return match[1] if match else ""
