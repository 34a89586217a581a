"""How a tool call ended, on one line."""

from __future__ import annotations

import re
from typing import get_args

from convert.model.events import Outcome, OutcomeStatus
from convert.tools.reasons import EXIT, STATUSES, reason_of
from convert.wording.compiled import compiled
from convert.wording.sanitise import one_line

# `PreToolUse:Bash hook error: [pwsh -File guard.ps1]: ` before what the hook says.
_HOOK = (
    r"\w+(?::\S+)? hook (?:blocking )?error(?: from command)?: "
    r"(?:\[.*?\]|\".*?\"): (?=\S)"
)


def outcome_note(outcome: Outcome, language: str = "en") -> str:
    """Return an outcome other than ok with its reason: `exit 1`, `error: …`."""
    if outcome.exit_code is not None and not outcome.signal:
        text: str = getattr(EXIT, language)
        return text.format(outcome.exit_code)
    reason = without_plumbing(reason_of(outcome, language))
    word = STATUSES.get(outcome.status)
    status: str = getattr(word, language) if word else outcome.status
    return f"{status}: {reason}" if reason else status


def without_plumbing(reason: str) -> str:
    """Return a reason without the name and the command of the hook that gives it."""
    if " hook " not in reason:
        return reason
    lead = compiled(_HOOK).match(reason)
    return reason[lead.end() :] if lead else reason


def shown_status(status: OutcomeStatus) -> str:
    """Return what people read for a status: `refused` for `rejected`."""
    return "refused" if status == "rejected" else status


def outcome_called(name: str, message: str = "") -> Outcome:
    """Return an outcome by its name; raises ValueError for what is none."""
    for status in get_args(OutcomeStatus):
        if name == status:
            return Outcome(status, message=message)
    match = re.fullmatch(r"error\((.*)\)", name, re.DOTALL)
    if match is None:
        raise ValueError(f"{name} is no outcome")
    if re.fullmatch(r"-?[0-9]{1,10}", match[1]):
        return Outcome("error", exit_code=int(match[1]))
    if re.fullmatch(r"SIG[A-Z0-9+-]+", match[1]):
        return Outcome("error", signal=match[1], message=message)
    return Outcome("error", arm=match[1], message=message)


def outcome_name(outcome: Outcome) -> str:
    """Return an outcome without its message: `ok`, `error(1)`, `error(timeout)`.

    Two outcomes are equal when their names are.
    """
    if outcome.exit_code is not None:
        return f"error({outcome.exit_code})"
    if outcome.signal:
        return f"error({one_line(outcome.signal)})"
    if outcome.status == "error" and outcome.arm not in ("", "failure"):
        return f"error({one_line(outcome.arm)})"
    return outcome.status
