"""How the outcome of a tool call is written in one line."""

from __future__ import annotations

from convert.model import Outcome
from convert.wording.sanitise import one_line


def outcome_note(outcome: Outcome) -> str:
    """An outcome other than ok as text shows it: `exit 1`, `error: …`, `rejected`."""
    if outcome.exit_code is not None:
        return f"exit {outcome.exit_code}"
    reason = one_line(outcome.message)
    if outcome.status == "error":
        reason = reason or one_line(outcome.arm)
    return f"{outcome.status}: {reason}" if reason else outcome.status


def outcome_name(outcome: Outcome) -> str:
    """An outcome without its message: `ok`, `error(1)`, `error(timeout)`, `rejected`.

    Two outcomes are the same when they have one name.
    """
    if outcome.exit_code is not None:
        return f"error({outcome.exit_code})"
    if outcome.status == "error" and outcome.arm not in ("", "failure"):
        return f"error({one_line(outcome.arm)})"
    return outcome.status
