"""Refused calls of a run: on which of them something depends, and which are alike.

A person, a rule or a hook refuses a call. Most refusals are the rules of the house at
work, and the run does without. One stays unresolved in two cases:

- The refused call was to change a file that the run changed in another call or that its
  answer names, and no later call changed that file.
- The refused call was a check such as a test runner, the run changed files, and no
  check passed after its last change.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator

from msgspec import Struct

from convert.facts.checks import Checks, are_changes
from convert.facts.edits import EDITING, edits_of
from convert.facts.judged import COMMAND, Judged, command_of
from convert.facts.net_changes import NetChanges
from convert.model.events import ToolCall
from convert.tools.commands import attempt_of, only_looks, program_of
from convert.tools.names import full_name, shown_name
from convert.tools.subjects import subject_of
from convert.wording.compiled import compiled
from convert.wording.paths import shown_path
from convert.wording.sanitise import one_line

# The number of a call in its run, or those of the calls around it and then its own.
Place = tuple[int, ...]

# Each command of a check holds one of these; hardly any other one does.
MAY_CHECK = (
    r"test|check|lint|vet|clippy|mypy|tsc|jest|mocha|spec|phpunit|tox|nox|pyright"
    r"|flake8|verify"
)
# Further commands are kept only if they are checks, and the first one that is.
_MOST_COMMANDS = 50
# A subagent shows its changes itself.
_CHANGING = EDITING - {"task"}


class _Refused(Struct, frozen=True):
    """A refused call, as far as something may depend on it."""

    about: str
    """The command, else what the call is about, or its tool."""

    paths: tuple[str, ...] = ()
    """The files that it was to change."""

    is_command: bool = False


class _Passed(Struct, frozen=True):
    """A command that ended well and may be a check."""

    command: str
    has_passed: bool
    """Its output counts tests that passed, and none that failed."""


class Refusals:
    """Folds the calls of one run into the refusals on which something depends.

    Keeps those, and the last commands that may be checks. The moments of calls are
    numbers that say what comes first.
    """

    def __init__(self, directory: str = "") -> None:
        self._directory = directory
        self._checks: Checks[_Passed] = Checks()
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
            about or shown_name(full_name(call)),
            tuple(subject.paths) if call.kind in _CHANGING else (),
            bool(command_of(call)),
        )

    def name_at(self, place: Place) -> str:
        """Return what was refused, in a few words: `git push`, or a path."""
        refused = self._refused[place]
        if refused.is_command:
            return program_of(refused.about) or one_line(refused.about)
        return shown_path(one_line(refused.about), self._directory)

    def add_good(
        self, call: ToolCall, judgement: Judged, began: int, ended: int
    ) -> None:
        """Add a call that ended well, between two moments."""
        if call.kind == COMMAND:
            if self._checks.has_changes:
                self._add_command(call, judgement, began)
        elif call.kind in _CHANGING and are_changes(edits_of(call)):
            self._checks.add_change(ended, call.response_id)

    def _add_command(self, call: ToolCall, judgement: Judged, began: int) -> None:
        command = command_of(call)
        counted = judgement.counted
        has_passed = bool(counted and counted.passed and not counted.has_failures)
        if not (has_passed or compiled(MAY_CHECK).search(command)):
            return
        passed = _Passed(command, has_passed)
        is_room = len(self._checks.passed) < _MOST_COMMANDS
        if is_room or (not self._is_checked and _is_passed_check(passed)):
            self._checks.add_passed(passed, began, call.response_id)

    @property
    def _is_checked(self) -> bool:
        """A check passed after the last change to a file."""
        return any(map(_is_passed_check, self._checks.passed))

    def depended_on(self, changes: NetChanges, answer: str) -> set[Place]:
        """Return the refused calls on which something depends.

        Whether a later call made the same is for the caller to know.
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
        return (
            self._checks.has_changes
            and compiled(MAY_CHECK).search(command) is not None
            and attempt_of(command).is_check
            and not self._is_checked
        )


def _is_passed_check(passed: _Passed) -> bool:
    if passed.has_passed:
        return not only_looks(passed.command)
    return attempt_of(passed.command).has_passed_check


def _is_named(path: str, answer: str, directory: str) -> bool:
    """Return True if an answer names a file, by its path or by its name alone."""
    if not answer:
        return False
    shown = shown_path(path, directory).replace("\\", "/")
    names = (shown, posixpath.basename(shown))
    return any(
        re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", answer) for name in names
    )
