"""Whether a call failed: by its outcome, what its status means, and what it printed."""

from __future__ import annotations

from typing import Any

from msgspec import Struct

from convert.facts.counted_tests import CountedTests, counted_tests
from convert.model.events import UNFINISHED, ToolCall
from convert.tools.commands import answer_in, only_looks

COMMAND = "shell"
# The status that can be an answer.
_ANSWER = 1
# The lines of test runners hold one of these if something failed.
_FAILED = ("fail", "Fail", "FAIL", "error", "Error", "unexpected", "cancelled")


class Judged(Struct, frozen=True):
    """Whether a call failed."""

    has_failed: bool
    """It ended with an error, was rejected or never ended, and not with an answer."""

    answer: str = ""
    """The meaning of its status as an answer, such as `no match`; else empty."""

    counted: CountedTests | None = None
    """The tests that it ran; known of a command that failed, or that hides that."""

    is_hidden: bool = False
    """It ended well, although tests that it ran failed, as in `pytest | tail`."""


GOOD = Judged(False)


def judged(call: ToolCall) -> Judged:
    """Return whether a call failed."""
    outcome = call.outcome or UNFINISHED
    if outcome.status == "ok":
        counted = _hidden_failures(call) if call.kind == COMMAND else None
        return Judged(False, counted=counted, is_hidden=True) if counted else GOOD
    command = command_of(call)
    if not command or outcome.status != "error":
        return Judged(True)
    if outcome.exit_code == _ANSWER and not outcome.signal:
        errors = _member(call, "stderr")
        has_errors = errors is None or bool(errors.strip())
        if answer := answer_in(command, has_errors=has_errors):
            return Judged(False, answer)
    return Judged(True, counted=counted_tests(printed(call)))


def command_of(call: ToolCall) -> str:
    """Return the command that a call ran in a terminal; empty for any other."""
    command = (call.arguments or {}).get("command") if call.kind == COMMAND else None
    return command if isinstance(command, str) else ""


def printed(call: ToolCall) -> str:
    """Return what a command printed; empty if that is not recorded."""
    both = _member(call, "interleavedOutput")
    return both or f"{_member(call, 'stdout') or ''}{_member(call, 'stderr') or ''}"


def _hidden_failures(call: ToolCall) -> CountedTests | None:
    """Return the tests of a command that ended well, if some failed."""
    command = command_of(call)
    if not command:
        return None
    text = printed(call)
    counted = counted_tests(text)
    if counted is None or not counted.has_failures:
        return None
    if only_looks(command) or not any(word in text for word in _FAILED):
        return None
    return counted


def _member(call: ToolCall, name: str) -> str | None:
    output: Any = call.output
    value = output.get(name) if isinstance(output, dict) else None
    return value if isinstance(value, str) else None
