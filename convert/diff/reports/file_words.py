"""The fates of files, and the commands that may have changed more, in words."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterator

from convert.diff.compared_call import ComparedCall
from convert.diff.net_files import NO_DIFFERENCE, Change, FileComparison, done_to
from convert.diff.reports.appearance import arrow, subject, times
from convert.facts.edits import UNRECORDED
from convert.wording.numbers import count
from convert.wording.sanitise import truncate

# The commands of both runs that may have changed files.
Commands = tuple[list[ComparedCall], list[ComparedCall]]
# The number of commands that are named.
_MOST_COMMANDS = 5
_LONGEST_COMMAND = 50


def file_words(file: FileComparison) -> str:
    """Return how the changes of a file compare: `changed only in A`."""
    if file.status == "same" and not is_recorded(file):
        return "changed alike, content not recorded"
    if file.status == "not recorded":
        return "content not recorded"
    if file.a is None or file.b is None:
        return f"{done_in_words(file.a or file.b)} only in {'A' if file.a else 'B'}"
    if file.status in ("deleted in A", "deleted in B"):
        return f"{done_in_words(file.a)} in A, {done_in_words(file.b)} in B"
    return file.status


def done_in_words(change: Change | None) -> str:
    """Return what a run did to a file: `created`, `changed` or `deleted`."""
    done = done_to(change)
    return "created" if done == "new" else done


def is_recorded(file: FileComparison) -> bool:
    """Return True if the logs record what a file holds in the end."""
    changes = (file.a, file.b)
    return not any(change and change.after is UNRECORDED for change in changes)


def in_order(files: list[FileComparison]) -> list[FileComparison]:
    """Return files in the order of a report: those that differ come first."""
    return sorted(
        files, key=lambda file: (file.status in NO_DIFFERENCE, file_words(file))
    )


def may_have_changed(commands: Commands, is_full: bool) -> str:
    """Say which commands may have changed files besides."""
    numbers = arrow(*(f"{len(calls):,}" for calls in commands))
    named = _named(commands, is_full)
    return f"commands that may have changed files: {numbers} ({named})"


def _named(commands: Commands, is_full: bool) -> str:
    """Name the commands that may have changed files; those that differ come first."""
    ones, others = _counted(commands)
    names = [*_differing(ones, others, is_full), *_shared(ones, others, is_full)]
    if is_full or len(names) <= _MOST_COMMANDS:
        return ", ".join(names)
    more = count(len(names) - _MOST_COMMANDS, "more command")
    return ", ".join([*names[:_MOST_COMMANDS], f"… {more}"])


def other_commands(commands: Commands) -> str:
    """Name the commands that may have changed files, and more often in one run."""
    return ", ".join(_differing(*_counted(commands)))


def _counted(commands: Commands) -> tuple[Counter[str], Counter[str]]:
    """Count the commands of both runs by their names, the same for equal ones."""
    names: dict[object, str] = {}
    for call in itertools.chain(*commands):
        names.setdefault(_key(call), subject(call))
    a, b = (Counter(names[_key(call)] for call in calls) for calls in commands)
    return a, b


def _key(call: ComparedCall) -> object:
    """Return what is equal in equal commands, whatever values the runs made."""
    return call.arguments_key if call.compared_by == "exact" else call.subject


def _differing(
    ones: Counter[str], others: Counter[str], is_full: bool = False
) -> Iterator[str]:
    """Yield the commands that the runs did not make as often: `make x2 -> x3`."""
    for command in dict.fromkeys([*ones, *others]):
        a, b, name = ones[command], others[command], _name(command, is_full)
        if not (a and b):
            yield f"{name}{times(a + b)} only in {'A' if a else 'B'}"
        elif a != b:
            yield f"{name} x{a:,} -> x{b:,}"


def _shared(ones: Counter[str], others: Counter[str], is_full: bool) -> Iterator[str]:
    """Yield the commands that both runs made as often."""
    for command, number in ones.items():
        if number == others[command]:
            yield f"{_name(command, is_full)}{times(number)}"


def _name(command: str, is_full: bool) -> str:
    return command if is_full else truncate(command, _LONGEST_COMMAND)
