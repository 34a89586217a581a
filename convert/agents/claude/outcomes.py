"""How a call of Claude Code ended, by the text of its result.

A result says that it failed, and its text why. The texts were collected from logs of
2.0.28 to 2.1.238; whether a refusal was one is sure only from the end of a run, which
lists those calls.
"""

from __future__ import annotations

from typing import Any

from convert.model.events import OK, Outcome
from convert.wording.compiled import compiled

# `Exit code 1` stands alone if the command printed nothing.
_EXIT = r"(?:Error: )?Exit code (\d{1,9})(?:\r?\n|$)"
_TAGGED = r"(?s)<tool_use_error>(.*)</tool_use_error>"
_INTERRUPTED = "[Request interrupted by user"
_REFUSED = (
    r"The user doesn't want to (?:proceed|take this action)"
    r"|This command requires approval"
    r"|This (?:Bash|PowerShell) command contains"
    r"|PreToolUse:\S+ hook (?:error|stopped|blocked)"
    r"|Command (?:contains|invokes|spawns)\b"
    r"|Contains simple_expansion"
    r"|Claude requested permissions"
    r"|Permission (?:to use|for) .{1,200}? (?:has been|was) denied"
)
# The words for a refusal without a reason, and for one with it, as written here.
_DENIED = r"(?s)Permission to use \S{1,200} has been denied(?:\.|: (.*))"


def outcome_of_text(kind: str, text: str, is_error: bool) -> Outcome:
    """Return how a call of a kind ended, by the text of its result."""
    if not is_error:
        return OK
    if tagged := compiled(_TAGGED).fullmatch(text.strip()):
        return Outcome("error", message=tagged[1].strip())
    plain = text.removeprefix("Error: ")
    if plain.startswith(_INTERRUPTED):
        return Outcome("rejected", arm="interrupted", message=plain)
    if denied := compiled(_DENIED).fullmatch(plain):
        return Outcome("rejected", message=denied[1] or "")
    if compiled(_REFUSED).match(plain):
        return Outcome("rejected", message=plain)
    if kind == "shell" and (code := exit_code_of(text)):
        return Outcome("error", exit_code=code[0])
    return Outcome("error", message=text)


def outcome_of_details(
    kind: str, interrupted: Any, exit_code: Any, status: Any
) -> Outcome:
    """Return how a call ended by the object of its tool, if its result is no error."""
    if kind == "shell" and interrupted is True:
        return Outcome("error", message="interrupted")
    if kind == "await":
        if type(exit_code) is int and exit_code:
            return Outcome("error", exit_code=exit_code)
        if status == "failed":
            return Outcome("error", message="failed")
    return OK


def says_failure(kind: str, text: str) -> bool:
    """Return True if a text is one that only a call which failed returns."""
    plain = text.removeprefix("Error: ")
    return (
        compiled(_TAGGED).fullmatch(text.strip()) is not None
        or plain.startswith(_INTERRUPTED)
        or compiled(_REFUSED).match(plain) is not None
        or (kind == "shell" and exit_code_of(text) is not None)
    )


def exit_code_of(text: str) -> tuple[int, str] | None:
    """Return the exit code that a text begins with, and what the command printed."""
    found = compiled(_EXIT).match(text)
    if found is None:
        return None
    # A command that failed has another code than 0.
    return (int(found[1]), text[found.end() :]) if int(found[1]) else None
