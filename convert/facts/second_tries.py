"""By what a later call is known as one that makes a failed call good: their keys.

A call that ended well makes a failed one good if they share a key. Most calls have one,
their tool and what they are about. Commands have more: they may be called in other ways
(`uv run pytest -q` for `pytest`), and a check of everything contains one of a part.
"""

from __future__ import annotations

import functools
import posixpath
import re
from collections.abc import Collection, Hashable, Iterator
from typing import TYPE_CHECKING

from msgspec import Struct

from convert.facts.counted_tests import CountedTests, counted_tests
from convert.facts.judged import Judged, command_of, printed
from convert.model.events import ToolCall
from convert.tools.commands import attempt_of, only_looks, without_directory
from convert.tools.names import full_name
from convert.tools.subjects import subject_of
from convert.wording.compiled import compiled
from convert.wording.paths import place_of, shown_path

if TYPE_CHECKING:
    from convert.tools.commands.attempts import Attempt

Key = Hashable

# Either makes the other good, on the same file.
_CHANGES = {"edit", "write"}
# npm and pnpm print the command of a script: `> app@1.0.0 test`, then `> jest`.
_SCRIPT = r"^> \S+@\S+ .+\n> (?P<npm>.+)$|^\$ (?P<yarn>\S.*)$"
_SCRIPTED = ("npm", "yarn", "bun")
_COUNTED = "counted"
_ANYWHERE = "anywhere"


class Wanted(Struct, frozen=True):
    """A call that would make a failed one good."""

    keys: list[Key]
    """Its keys."""

    names: set[str]
    """Words of which one is in each command that has other keys than its own text."""


def wanted(call: ToolCall, judgement: Judged, directory: str) -> Wanted:
    """Return what would make a call good that failed."""
    exact = target_of(call, directory)
    command = command_of(call)
    if not command:
        return Wanted([exact], set())
    names: set[str] = set()
    # Only a call whose tests all passed makes one good that hides its failures.
    keys: list[Key] = [(_COUNTED, exact) if judgement.failure == "hidden" else exact]
    ran = _total(judgement.counted)
    for attempt, at in _attempts(call, command, directory):
        tried = {*attempt.tried}
        if ran is not None and attempt.checks:
            tried = {*attempt.checks}
        names |= {each.program.partition(" ")[0].rpartition("/")[2] for each in tried}
        if len(tried) > 1:
            keys.append((frozenset(tried), at))
        for each in tried if len(tried) == 1 else ():
            keys += [key for wider in each.wider for key in _failed(wider, at, ran)]
    # Any command holds the empty name.
    return Wanted(keys, names or {""})


def keys_of_success(
    call: ToolCall, directory: str, names: Collection[str] | None
) -> list[Key]:
    """Return the keys of a call that ended well.

    Those of a command that holds none of the `names` are left out, since to take a
    command apart takes longer than all else; None stands for any name. A command whose
    output counts no test that passed has none.
    """
    exact = target_of(call, directory)
    command = command_of(call)
    if not command:
        return [exact]
    keys: list[Key] = [exact]
    if names is not None and not any(name in command for name in (*names, *_SCRIPTED)):
        return keys
    counted = counted_tests(printed(call))
    if counted and counted.passed == 0 and not only_looks(command):
        # Its status is good since no test ran, so it proves nothing.
        return []
    have_passed = bool(counted and counted.passed and not counted.has_failures)
    if have_passed:
        keys.append((_COUNTED, exact))
    for attempt, at in _attempts(call, command, directory):
        passed = {*attempt.passed}
        tried = {*attempt.tried}
        if have_passed:
            # A pipe hides the status of a check, but its output tells that it passed.
            passed |= {*attempt.checks} or (tried if len(tried) == 1 else set())
        if len(tried) > 1 and tried <= passed:
            keys.append((frozenset(tried), at))
        for each in passed:
            keys += [(each, at), (each, _ANYWHERE), (each, _ANYWHERE, _total(counted))]
    return keys


def target_of(call: ToolCall, directory: str) -> Key:
    """Return the tool of a call, and the words and paths that it is about."""
    name = full_name(call)
    if call.arguments is None:
        return name, (call.about,)
    subject = subject_of(call.kind, call.arguments, directory)
    paths = [place_of(path, directory).key for path in subject.paths]
    if command_of(call):
        words = [without_directory(word, directory) for word in subject.words]
        return name, (*words, *paths), _folder(call, directory)
    if name in _CHANGES and paths:
        return "edit", tuple(paths)
    return name, (*subject.words, *paths)


def _failed(tried: Key, at: str, ran: int | None) -> Iterator[Key]:
    """Yield the keys of something that failed in a folder.

    In the folder of the run, a check that ran no test may have been in the wrong one.
    One that ran some is the same elsewhere if that runs as many.
    """
    yield tried, at
    if at == ".":
        yield (tried, _ANYWHERE) if ran is None else (tried, _ANYWHERE, ran)


def _attempts(
    call: ToolCall, command: str, directory: str
) -> Iterator[tuple[Attempt, str]]:
    """Yield what a command tries, and the script that it says it runs; and where."""
    attempt = attempt_of(without_directory(command, directory))
    place = _joined(_folder(call, directory), attempt.place, directory)
    yield attempt, place
    if any(name in command for name in _SCRIPTED):
        script = compiled(_SCRIPT, re.MULTILINE).search(printed(call))
        if script is not None:
            yield attempt_of(script["npm"] or script["yarn"]), place


def _folder(call: ToolCall, directory: str) -> str:
    """Return the folder in which a command starts, as far as that is recorded."""
    folder = (call.arguments or {}).get("workingDirectory")
    return _joined(".", folder if isinstance(folder, str) else "", directory)


@functools.lru_cache(maxsize=1024)
def _joined(place: str, folder: str, directory: str) -> str:
    joined = posixpath.normpath(posixpath.join(place, folder))
    return shown_path(joined, directory)


def _total(counted: CountedTests | None) -> int | None:
    """Return how many tests ran; None if that is not known, or none did."""
    if counted is None or counted.passed is None:
        return None
    return counted.passed + counted.failed + counted.errors or None
