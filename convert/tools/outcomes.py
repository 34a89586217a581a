"""How a tool call ended, on one line."""

from __future__ import annotations

from convert.model import Outcome
from convert.wording.sanitise import one_line


def outcome_note(outcome: Outcome) -> str:
    """Return an outcome other than ok with its reason: `exit 1`, `error: …`."""
    if outcome.exit_code is not None:
        return f"exit {outcome.exit_code}"
    reason = one_line(outcome.message)
    if outcome.status == "error":
        reason = reason or one_line(outcome.arm)
    return f"{outcome.status}: {reason}" if reason else outcome.status


def outcome_name(outcome: Outcome) -> str:
    """Return an outcome without its message: `ok`, `error(1)`, `error(timeout)`.

    Two outcomes are equal when their names are.
    """
    if outcome.exit_code is not None:
        return f"error({outcome.exit_code})"
    if outcome.status == "error" and outcome.arm not in ("", "failure"):
        return f"error({one_line(outcome.arm)})"
    return outcome.status
