"""Which calls may have changed files that their log does not name: a fold."""

from __future__ import annotations

from msgspec import Struct

from convert.facts.edits import EDITING, edits_of
from convert.model.events import ToolCall
from convert.tools.table import acts, tool_of
from convert.wording.numbers import numbered

# How an edit ends that may have changed its file.
_DONE = ("ok", "unfinished")
# More or longer commands are not examined: one of them may have changed something.
_MOST_COMMANDS = 100
_LONGEST_COMMAND = 1000
_MOST_NUMBERS = 3


class Suspects(Struct, frozen=True):
    """The calls that may have changed files that the log does not name."""

    numbers: list[str]
    """The numbers of the first ones; `5.2` is a step of call 5."""

    total: int
    """How many there are."""

    are_commands: bool
    """All of them are commands."""

    @property
    def words(self) -> str:
        """Name the calls: `commands 2 and 5`."""
        noun = "command" if self.are_commands else "call"
        return numbered(noun, self.numbers, self.total)


class _Calls(Struct):
    """Calls that are alike: the numbers of the first ones, and how many there are."""

    first: list[str] = []
    total: int = 0

    def add(self, number: str) -> None:
        """Add the number of a call."""
        self.total += 1
        if len(self.first) < _MOST_NUMBERS:
            self.first.append(number)


class UnnamedChanges:
    """Keeps the commands of one run until somebody asks; many runs change named files.

    To examine commands takes a parser, which takes longer to load than a short log.
    """

    def __init__(self) -> None:
        self._by_command: dict[str, _Calls] = {}
        self._unexamined = _Calls()
        self._others = _Calls()

    def add(self, call: ToolCall, names_files: bool, around: str = "") -> None:
        """Add a call that has ended; `names_files` if it names what it changed.

        `around` are the numbers of the subagents that made it.
        """
        outcome = call.outcome
        if outcome is None or outcome.status == "rejected":
            return
        effect = tool_of(call.kind).effect
        if effect == "command":
            command = (call.arguments or {}).get("command")
            self._calls_of(command).add(f"{around}{call.number}")
        elif call.steps is not None:
            for step in call.steps:
                if isinstance(step, ToolCall):
                    named = step.kind in EDITING and bool(edits_of(step))
                    self.add(step, named, f"{around}{call.number}.")
        elif (
            outcome.status in _DONE and not names_files
            if call.kind in EDITING
            else effect == "acts on files"
        ):
            self._others.add(f"{around}{call.number}")

    def _calls_of(self, command: object) -> _Calls:
        """Return the calls that ran a command, or all of which none is examined."""
        known = self._by_command
        if not isinstance(command, str) or len(command) > _LONGEST_COMMAND:
            return self._unexamined
        if command not in known:
            if len(known) == _MOST_COMMANDS:
                return self._unexamined
            known[command] = _Calls()
        return known[command]

    def suspects(self) -> Suspects | None:
        """Return the calls that may have changed other files; None if none may."""
        commands = [
            calls
            for command, calls in self._by_command.items()
            if acts("shell", {"command": command})
        ]
        found = [self._others, self._unexamined, *commands]
        total = sum(calls.total for calls in found)
        if not total:
            return None
        numbers = sorted((n for calls in found for n in calls.first), key=_place)
        return Suspects(numbers[:_MOST_NUMBERS], total, not self._others.total)


def _place(number: str) -> list[int]:
    return [int(part) for part in number.split(".")]


def may_write(call: ToolCall) -> bool:
    """Return True for a command that may have changed files, which no log records."""
    is_command = tool_of(call.kind).effect == "command"
    is_run = call.outcome is not None and call.outcome.status != "rejected"
    return is_command and is_run and acts(call.kind, call.arguments or {})
