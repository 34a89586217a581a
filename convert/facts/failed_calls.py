"""Calls that failed: by outcome, meaning of the status, and printed text.

Every output distinguishes these classes:

failed      the call ended with an error, and its status is no answer such as that of
            `grep`; or it is `hidden`
hidden      the call ended well although tests that it ran failed, as in `pytest | tail`
rejected    a person, a rule or a hook refused the call; people read `refused`

A call that never ended is `unfinished`, which is none of them. In every output, the
number of failed calls is that of the first class, which includes the hidden ones.

Most refusals are the rules of the house at work, and the run does without. One stays
unresolved in two cases:

- The refused call was to change a file that the run changed in another call or that its
  answer names, and no later call changed that file.
- The refused call was a check such as a test runner, the run changed files, and no
  check passed after its last change.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from typing import Any, Generic, Literal, TypeVar

from msgspec import Struct

from convert.facts.changed_files import NetChanges
from convert.facts.counted_tests import CountedTests, counted_tests
from convert.facts.edits import EDITING
from convert.model.events import UNFINISHED, ToolCall
from convert.tools.shell import answer_in, attempt_of, only_looks, program_of
from convert.tools.subjects import subject_of
from convert.tools.table import full_name, short_name
from convert.wording.escapes import one_line
from convert.wording.paths import readable_path

COMMAND = "shell"
# The lines of test runners hold one of these if something failed.
_FAILED = ("fail", "Fail", "FAIL", "error", "Error", "unexpected", "cancelled")


FailureClass = Literal["failed", "hidden", "rejected", "unfinished"]
# The failed calls, whose number is the same in every output.
FAILED: tuple[FailureClass, ...] = ("failed", "hidden")


class Judged(Struct, frozen=True):
    """The judgement on a call: its class, its answer and its tests."""

    failure: FailureClass | None
    """Its class; None if it ended well, or if its status is an answer."""

    answer: str = ""
    """The meaning of its status as an answer, such as `no match`; else empty."""

    counted: CountedTests | None = None
    """The tests that it ran, as its output counts them; None if it counts none."""


GOOD = Judged(None)


def judge(call: ToolCall) -> Judged:
    """Judge how a call ended."""
    outcome = call.outcome or UNFINISHED
    match outcome.status:
        case "ok":
            return _good(call) if call.kind == COMMAND else GOOD
        case "rejected" | "unfinished":
            return Judged(outcome.status)
    if not (command := command_of(call)):
        return Judged("failed")
    # Only this status can be an answer.
    if outcome.exit_code == 1 and not outcome.signal:
        if (errors := _member(call, "stderr")) is None:
            # Some logs have both streams in one: if that is blank, so are the errors.
            errors = _member(call, "interleavedOutput")
        has_errors = errors is None or bool(errors.strip())
        if answer := answer_in(command, has_errors=has_errors):
            return Judged(None, answer)
    return Judged("failed", counted=counted_tests(printed_text(call)))


def command_of(call: ToolCall) -> str:
    """Return the command that a call ran in a terminal; empty for any other."""
    command = (call.arguments or {}).get("command") if call.kind == COMMAND else None
    return command if isinstance(command, str) else ""


def printed_text(call: ToolCall) -> str:
    """Return the text that a command printed; empty if that is not recorded."""
    both = _member(call, "interleavedOutput")
    return both or (_member(call, "stdout") or "") + (_member(call, "stderr") or "")


def _good(call: ToolCall) -> Judged:
    """Judge a command that ended well: it may hide tests that failed."""
    command = command_of(call)
    text = printed_text(call) if command else ""
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


def exit_code_of(call: ToolCall) -> int | None:
    """Return the exit code of a call; None for any other call, or if none is recorded.

    An outcome names a code other than 0, and only the output records a 0.
    """
    if call.outcome is not None and call.outcome.exit_code is not None:
        return call.outcome.exit_code
    code = call.output.get("exitCode") if isinstance(call.output, dict) else None
    return code if type(code) is int else None


# The number of a call in its run, or those of the calls around it and then its own.
Place = tuple[int, ...]

# Each command of a check holds one of these; hardly any other one does.
MAY_CHECK = (
    *("test", "check", "lint", "vet", "clippy", "mypy", "tsc", "jest", "mocha"),
    *("spec", "phpunit", "tox", "nox", "pyright", "flake8", "verify"),
)
# Further commands are kept only if they are checks, and the first one that is.
_MOST_COMMANDS = 50
# A subagent shows its changes itself.
_CHANGING = EDITING - {"task"}


Command = TypeVar("Command")


class Checks(Generic[Command]):
    """Folds the changes and commands of one run into the checks of its changes.

    Their places are numbers in their order, such as those of events.
    """

    def __init__(self) -> None:
        # Where the last change ended, and the step of the agent that made it.
        self._last: tuple[float, str] | None = None
        self._passed: list[tuple[Command, float, str]] = []

    def add_change(self, ended: float, step: str) -> None:
        """Add a change to a file."""
        if self._last is None or ended >= self._last[0]:
            self._last = ended, step
            self._passed = [each for each in self._passed if each[1] >= ended]

    def add_passed(self, command: Command, started: float, step: str) -> None:
        """Add a command that ended well."""
        self._passed.append((command, started, step))

    @property
    def has_changes(self) -> bool:
        """The run has changed a file."""
        return self._last is not None

    @property
    def passed(self) -> list[Command]:
        """The commands that passed after the last change; none without a change."""
        return [
            command
            for command, started, step in self._passed
            if self.is_after(started, step)
        ]

    def is_after(self, started: float, step: str) -> bool:
        """Return True if a call came after the last change, and not in one step."""
        if self._last is None:
            return False
        ended, last_step = self._last
        return started >= ended and not (step and step == last_step)


# A command that ended well, and True if its output counts passed tests and none that
# failed.
_Command = tuple[str, bool]


class _Refused(Struct, frozen=True):
    """The parts of a refused call on which something may depend."""

    about: str
    """The command, or else the subject of the call or its tool."""

    paths: tuple[str, ...] = ()
    """The files that it was to change."""

    is_command: bool = False


class Refusals:
    """Folds the calls of one run into the refusals on which something depends.

    Keeps those, and the last commands that may be checks. The moments of calls are
    numbers in their order.
    """

    def __init__(self, directory: str = "") -> None:
        self._directory = directory
        self._checks: Checks[_Command] = Checks()
        self._refused: dict[Place, _Refused] = {}

    def __iter__(self) -> Iterator[Place]:
        """Iterate over the places of the refused calls."""
        return iter(self._refused)

    def __contains__(self, place: Place) -> bool:
        """Return True if the call at a place was refused."""
        return place in self._refused

    @property
    def has_changes(self) -> bool:
        """A refused call was to change a file, so that the answer may name it."""
        return any(refused.paths for refused in self._refused.values())

    def forget(self, place: Place) -> None:
        """Forget how a call ended first."""
        self._refused.pop(place, None)

    def add_refused(self, place: Place, call: ToolCall) -> None:
        """Add a call that was refused."""
        subject = subject_of(call.kind, call.arguments or {})
        about = command_of(call) or subject.line or call.about
        self._refused[place] = _Refused(
            about or short_name(full_name(call)),
            tuple(subject.paths) if call.kind in _CHANGING else (),
            bool(command_of(call)),
        )

    def name_at(self, place: Place) -> str:
        """Name a refused call in a few words: `git push`, or a path."""
        refused = self._refused[place]
        if refused.is_command:
            return program_of(refused.about) or one_line(refused.about)
        return readable_path(one_line(refused.about), self._directory)

    def add_change(self, ended: int, step: str) -> None:
        """Add a change of a file, which ended at a moment in a step of the agent."""
        self._checks.add_change(ended, step)

    def add_command(self, call: ToolCall, judgement: Judged, began: int) -> None:
        """Add a command that ended well, and that began at a moment.

        It may check the last change unless it began before, or in the same step.
        """
        if not self._checks.is_after(began, call.response_id):
            return
        counted = judgement.counted
        has_passed = bool(counted and counted.passed and not counted.has_failures)
        command = command_of(call)
        if not (has_passed or _may_check(command)):
            return
        kept = (command, has_passed)
        passed = self._checks.passed
        if len(passed) < _MOST_COMMANDS or (
            _is_passed_check(kept) and not any(map(_is_passed_check, passed))
        ):
            self._checks.add_passed(kept, began, call.response_id)

    def depended_on(self, changes: NetChanges, answer: str) -> set[Place]:
        """Return the refused calls on which something depends.

        The caller knows if a later call did the same.
        """
        return {
            place
            for place, refused in self._refused.items()
            if self._needs_change(place, refused, changes, answer)
            or (refused.is_command and self._needs_check(refused.about))
        }

    def _needs_change(
        self, place: Place, refused: _Refused, changes: NetChanges, answer: str
    ) -> bool:
        """Return True if the run or its answer relies on a change that was refused."""
        for path in refused.paths:
            last = changes.last_call(path)
            if last <= place and (last or _is_named(path, answer, self._directory)):
                return True
        return False

    def _needs_check(self, command: str) -> bool:
        """Return True if a command is a check, and nothing else checked the changes."""
        if not _may_check(command) or not attempt_of(command).is_check:
            return False
        return self._checks.has_changes and not any(
            map(_is_passed_check, self._checks.passed)
        )


def _may_check(command: str) -> bool:
    # Compiling a pattern takes longer than looking at the commands of a run.
    return any(word in command for word in MAY_CHECK)


def _is_passed_check(kept: _Command) -> bool:
    command, has_passed = kept
    if has_passed:
        return not only_looks(command)
    return any(each.verifies for each in attempt_of(command).passed)


def _is_named(path: str, answer: str, directory: str) -> bool:
    """Return True if an answer names a file, by its path or only by its name."""
    if not answer:
        return False
    shown = readable_path(path, directory).replace("\\", "/")
    either = "|".join(map(re.escape, (shown, posixpath.basename(shown))))
    return re.search(rf"(?<![\w-])(?:{either})(?![\w-])", answer) is not None
