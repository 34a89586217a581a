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
from typing import TYPE_CHECKING

from msgspec import Struct

from convert.facts.edits import EDITING, are_changes, edits_of
from convert.facts.judged import COMMAND, Judged, command_of
from convert.facts.net_changes import NetChanges
from convert.model.events import ToolCall
from convert.tools.commands import attempt_of, only_looks, program_of
from convert.tools.names import full_name, shown_name
from convert.tools.subjects import subject_of
from convert.wording.compiled import compiled
from convert.wording.paths import shown_path
from convert.wording.sanitise import one_line

if TYPE_CHECKING:
    from convert.facts.checks import Checks

# The number of a call in its run, or those of the calls around it and then its own.
Place = tuple[int, ...]

# Each command of a check holds one of these; hardly any other one does.
MAY_CHECK = (
    r"test|check|lint|vet|clippy|mypy|tsc|jest|mocha|spec|phpunit|tox|nox|pyright"
    r"|flake8|verify"
)
# Further commands are kept only if they are checks, and the first one that is.
_MOST_COMMANDS = 50
# How many calls wait to be looked at: changes keep their contents.
_MOST_RECENT = 12
# A subagent shows its changes itself.
_CHANGING = EDITING - {"task"}


class _Refused(Struct, frozen=True):
    """A refused call, as far as something may depend on it."""

    about: str
    """The command, else what the call is about, or its tool."""

    paths: tuple[str, ...] = ()
    """The files that it was to change."""

    is_command: bool = False


class _Command(Struct, frozen=True):
    """A command that ended well."""

    text: str
    has_passed: bool
    """Its output counts tests that passed, and none that failed."""


class Refusals:
    """Folds the calls of one run into the refusals on which something depends.

    Keeps those, and the last commands that may be checks. The moments of calls are
    numbers that say what comes first.
    """

    def __init__(self, directory: str = "") -> None:
        self._directory = directory
        # The last calls that ended well: commands with the moments at which they began,
        # and changes of files with those at which they ended.
        self._recent: list[tuple[_Command | ToolCall, int, str]] = []
        self._checks: Checks[_Command] | None = None
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
            counted = judgement.counted
            has_passed = bool(counted and counted.passed and not counted.has_failures)
            command = _Command(command_of(call), has_passed)
            self._recent.append((command, began, call.response_id))
        elif call.kind in _CHANGING:
            self._recent.append((call, ended, call.response_id))
        else:
            return
        if len(self._recent) > _MOST_RECENT:
            self._read_recent()

    def _read_recent(self) -> Checks[_Command]:
        """Return the commands after the last change, with those of the last calls.

        Most runs have no refusals, so nobody asks what their calls changed; and of many
        changes, the last one counts.
        """
        recent, self._recent = self._recent, []
        checks = self._checks
        if checks is None:
            from convert.facts.checks import Checks

            checks = self._checks = Checks()
        commands: list[tuple[_Command, int, str]] = []
        for made, moment, step in reversed(recent):
            if isinstance(made, _Command):
                commands.append((made, moment, step))
            elif are_changes(edits_of(made)):
                checks.add_change(moment, step)
                break
        for command, began, step in reversed(commands):
            if checks.is_after(began, step) and self._may_check(command, checks):
                checks.add_passed(command, began, step)
        return checks

    def _may_check(self, command: _Command, checks: Checks[_Command]) -> bool:
        """Return True if a command may be a check, and none is known to be one."""
        if not (command.has_passed or compiled(MAY_CHECK).search(command.text)):
            return False
        if len(checks.passed) < _MOST_COMMANDS:
            return True
        is_checked = any(map(_is_passed_check, checks.passed))
        return not is_checked and _is_passed_check(command)

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
        if not compiled(MAY_CHECK).search(command) or not attempt_of(command).is_check:
            return False
        checks = self._read_recent()
        return checks.has_changes and not any(map(_is_passed_check, checks.passed))


def _is_passed_check(command: _Command) -> bool:
    if command.has_passed:
        return not only_looks(command.text)
    return attempt_of(command.text).has_passed_check


def _is_named(path: str, answer: str, directory: str) -> bool:
    """Return True if an answer names a file, by its path or by its name alone."""
    if not answer:
        return False
    shown = shown_path(path, directory).replace("\\", "/")
    names = (shown, posixpath.basename(shown))
    return any(
        re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", answer) for name in names
    )
