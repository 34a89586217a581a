"""Whether a call failed: by its outcome, what its status means, and what it printed.

Three things are not the same, and every output tells them apart by these classes:

failed      the call ended with an error, and its status is no answer such as that of
            `grep`; or it is `hidden`
hidden      the call ended well although tests that it ran failed, as in `pytest | tail`
rejected    a person, a rule or a hook refused the call; people read `refused`

A call that never ended is `unfinished`, which is none of them. The number of failed
calls is that of the first class, with those that are hidden, in every output.
"""

from __future__ import annotations

from typing import Any, Literal

from msgspec import Struct

from convert.facts.counted_tests import CountedTests, counted_tests
from convert.model.events import UNFINISHED, ToolCall
from convert.tools.commands import answer_in, only_looks

COMMAND = "shell"
# The status that can be an answer.
_ANSWER = 1
# The lines of test runners hold one of these if something failed.
_FAILED = ("fail", "Fail", "FAIL", "error", "Error", "unexpected", "cancelled")


FailureClass = Literal["failed", "hidden", "rejected", "unfinished"]
# The failed calls, whose number is the same in every output.
FAILED: tuple[FailureClass, ...] = ("failed", "hidden")


class Judged(Struct, frozen=True):
    """Whether a call failed."""

    failure: FailureClass | None
    """How it went wrong; None if it ended well, or if its status is an answer."""

    answer: str = ""
    """The meaning of its status as an answer, such as `no match`; else empty."""

    counted: CountedTests | None = None
    """The tests that it ran, as its output counts them; None if it counts none."""

    @property
    def is_failed(self) -> bool:
        """It is one of the failed calls."""
        return self.failure in FAILED


GOOD = Judged(None)


def judged(call: ToolCall) -> Judged:
    """Return whether a call failed."""
    outcome = call.outcome or UNFINISHED
    match outcome.status:
        case "ok":
            return _good(call) if call.kind == COMMAND else GOOD
        case "rejected" | "unfinished":
            return Judged(outcome.status)
    if not (command := command_of(call)):
        return Judged("failed")
    if outcome.exit_code == _ANSWER and not outcome.signal:
        errors = _member(call, "stderr")
        if errors is None:
            # Some logs have both streams in one: if that is blank, so are the errors.
            errors = _member(call, "interleavedOutput")
        has_errors = errors is None or bool(errors.strip())
        if answer := answer_in(command, has_errors=has_errors):
            return Judged(None, answer)
    return Judged("failed", counted=counted_tests(printed(call)))


def command_of(call: ToolCall) -> str:
    """Return the command that a call ran in a terminal; empty for any other."""
    command = (call.arguments or {}).get("command") if call.kind == COMMAND else None
    return command if isinstance(command, str) else ""


def printed(call: ToolCall) -> str:
    """Return what a command printed; empty if that is not recorded."""
    both = _member(call, "interleavedOutput")
    return both or f"{_member(call, 'stdout') or ''}{_member(call, 'stderr') or ''}"


def _good(call: ToolCall) -> Judged:
    """Return whether a command that ended well hides tests that failed."""
    command = command_of(call)
    text = printed(call) if command else ""
    counted = counted_tests(text) if text else None
    if counted is None:
        return GOOD
    if not counted.has_failures:
        return Judged(None, counted=counted)
    if only_looks(command) or not any(word in text for word in _FAILED):
        return GOOD
    return Judged("hidden", counted=counted)


def _member(call: ToolCall, name: str) -> str | None:
    output: Any = call.output
    value = output.get(name) if isinstance(output, dict) else None
    return value if isinstance(value, str) else None
