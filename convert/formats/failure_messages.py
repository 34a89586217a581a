"""The messages that the agent prints instead of a log when it cannot run.

It writes them to standard error and exits with 1, so that a log taken with `2>&1` holds
nothing else.
"""

from __future__ import annotations

import re

from convert.wording.sanitise import strip_controls

LONGEST = 4096
"""A longer text is no such message, in characters."""

# Messages of one line.
_LINES = (
    r"Error: Authentication required\b.*",
    r"Warning: The provided API key is invalid\b.*",
    r"Failed to claim persistent session for chat .+",
    r"Connection failed repeatedly\.?",
    r"Aborting operation\.\.\.",
    r"ActionRequiredError: .+",
    r"RetriableError: .+",
)
# Messages that may be longer: a question with its answers, a list of models.
_WHOLE = (
    r"Workspace Trust Required\b.*--trust\b.*",
    r"Cannot use this model: .*",
)
# What stands in front of a message.
_MARKS = r"\s*(?:⚠\s*)?(?:Error: (?=[A-Z]\w+Error: ))?"


def is_failure_message(text: str) -> bool:
    """Return True if a text is nothing but messages about a run that failed."""
    if len(text) > LONGEST:
        return False
    text = strip_controls(text).strip()
    if any(_matches(pattern, text, re.DOTALL) for pattern in _WHOLE):
        return True
    lines = [line for line in text.splitlines() if line.strip()]
    return bool(lines) and all(map(_is_message, lines))


def _is_message(line: str) -> bool:
    return any(_matches(pattern, line.rstrip(), 0) for pattern in _LINES)


def _matches(pattern: str, text: str, flags: int) -> bool:
    return re.fullmatch(_MARKS + pattern, text, flags) is not None
