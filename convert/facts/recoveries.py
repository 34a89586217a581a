"""The failed calls of a run, and the later calls that recover them: a fold.

A call that ended well recovers a failed one if they share a key. Most calls have one,
their tool and their subject. Commands have more: they may be called in other ways
(`uv run pytest -q` for `pytest`), and a check of everything contains one of a part.
"""

from __future__ import annotations

import functools
import posixpath
import re
from collections import Counter
from collections.abc import Collection, Hashable, Iterator
from typing import TYPE_CHECKING

from msgspec.structs import replace

from convert.facts.counted_tests import CountedTests, counted_tests
from convert.facts.failed_calls import (
    COMMAND,
    GOOD,
    FailureClass,
    Judged,
    Place,
    Refusals,
    command_of,
    judge,
    printed_text,
)
from convert.model.events import ToolCall
from convert.tools.shell import attempt_of, only_looks
from convert.tools.subjects import subject_of, without_directory
from convert.tools.table import full_name
from convert.wording import compiled
from convert.wording.paths import place_of, readable_path

if TYPE_CHECKING:
    from convert.tools.shell.attempts import Attempt

# From more programs on, it takes longer to look for their names in each command than to
# take it apart.
_MOST_NAMES = 50
# How many calls that ended well wait unexamined: commands keep their outputs.
_MOST_UNREAD = 8


class Recoveries:
    """Folds the calls of one run into those that failed and those that recovered them.

    Each call with a class of `FailureClass` counts as failed, refused and unfinished
    ones too. A later call that tries the same recovers it if that one ends well. Keeps
    these calls, and those that ended well while an earlier one is open.
    """

    def __init__(self, directory: str = "") -> None:
        self._directory = directory
        # The keys of each unresolved call, and the unresolved calls of each key.
        self._wanted: dict[Place, tuple[list[Key], set[str]]] = {}
        self._names: Counter[str] = Counter()
        self._waiting: dict[Key, dict[Place, None]] = {}
        self._resolved_by: dict[Place, Place] = {}
        self.classes: dict[Place, FailureClass] = {}
        """The class of each call that went wrong."""

        # The open calls, with the moments at which they began: how many calls had
        # begun or ended by then.
        self._open: dict[Place, int] = {}
        self._moment = 0
        # The last call with each key that ended well while another is open, and calls
        # whose keys nobody has asked for: only a failure does.
        self._passed: dict[Key, Place] = {}
        self._unread: list[tuple[Place, ToolCall]] = []
        self.refusals = Refusals(directory)
        self.answers: dict[Place, str] = {}
        """The calls whose status is an answer, and its meaning."""

        self.hidden: dict[Place, str] = {}
        """The calls that ended well although tests failed, and how many did."""

    def begin(self, place: Place) -> None:
        """Note that a call is open."""
        self._moment += 1
        self._open[place] = self._moment

    def end(self, place: Place, call: ToolCall, has_changed: bool = False) -> None:
        """Add a call that has ended, or that ends again in another way.

        `has_changed` says that it changed a file.
        """
        self._moment += 1
        began = self._open.pop(place, self._moment)
        if self._wanted or self._resolved_by or self.answers or self.hidden:
            self._forget(place)
        judgement = judge(call)
        if judgement is not GOOD:
            self._note_answer(place, judgement)
        if judgement.failure is not None:
            self.classes[place] = judgement.failure
            self._add_failure(place, call, judgement)
            if not self._open:
                self._forget_passed()
            return
        if has_changed:
            self.refusals.add_change(self._moment, call.response_id)
        elif call.kind == COMMAND:
            self.refusals.add_command(call, judgement, began)
        if self._wanted:
            is_any = self._open or len(self._names) > _MOST_NAMES
            names = None if is_any else self._names.keys()
            self._add_success(place, keys_of_success(call, self._directory, names))
        elif self._open:
            if call.kind != COMMAND:
                call = replace(call, output=None, steps=None)
            self._unread.append((place, call))
            if len(self._unread) > _MOST_UNREAD:
                self._read_successes()
        if not self._open and (self._passed or self._unread):
            self._forget_passed()

    def _forget_passed(self) -> None:
        """Forget the calls that ended well, as no earlier one is open."""
        self._passed.clear()
        self._unread.clear()

    @property
    def unresolved(self) -> list[Place]:
        """The failed calls that no later one recovered, in their order."""
        return sorted(self._wanted)

    @property
    def resolutions(self) -> dict[Place, Place]:
        """The first call that recovered each other failed one."""
        return self._resolved_by

    def _note_answer(self, place: Place, judgement: Judged) -> None:
        """Note the answer that a status gives, or the failures that it hides."""
        if judgement.answer:
            self.answers[place] = judgement.answer
        if judgement.failure == "hidden" and judgement.counted:
            self.hidden[place] = judgement.counted.failures

    def _add_failure(self, place: Place, call: ToolCall, judgement: Judged) -> None:
        if judgement.failure == "rejected":
            self.refusals.add_refused(place, call)
        self._read_successes()
        keys, names = keys_of_failure(call, judgement, self._directory)
        later = [
            passed for key in keys if (passed := self._passed.get(key, ())) > place
        ]
        if later:
            self._resolved_by[place] = min(later)
            return
        self._wanted[place] = keys, names
        self._names.update(names)
        for key in keys:
            self._waiting.setdefault(key, {})[place] = None

    def _read_successes(self) -> None:
        """Note the keys of the calls that ended well while nothing had failed."""
        for place, call in self._unread:
            self._note_passed(place, keys_of_success(call, self._directory, None))
        self._unread.clear()

    def _note_passed(self, place: Place, keys: list[Key]) -> None:
        for key in keys:
            self._passed[key] = max(self._passed.get(key, place), place)

    def _add_success(self, place: Place, keys: list[Key]) -> None:
        if self._open:
            self._note_passed(place, keys)
        for key in keys:
            for failed in [*self._waiting.get(key, ())]:
                if failed < place:
                    self._drop(failed)
                    self._resolved_by[failed] = place

    def _forget(self, place: Place) -> None:
        """Forget how a call ended first."""
        self._drop(place)
        self._resolved_by.pop(place, None)
        self.answers.pop(place, None)
        self.hidden.pop(place, None)
        self.classes.pop(place, None)
        self.refusals.forget(place)

    def _drop(self, place: Place) -> None:
        """Take a call from those that are unresolved."""
        if (needed := self._wanted.pop(place, None)) is None:
            return
        keys, names = needed
        self._names -= Counter(names)
        for key in keys:
            waiting = self._waiting.get(key, {})
            waiting.pop(place, None)
            if not waiting:
                self._waiting.pop(key, None)


Key = Hashable

# npm and pnpm print the command of a script: `> app@1.0.0 test`, then `> jest`.
_SCRIPT = r"^> \S+@\S+ .+\n> (?P<npm>.+)$|^\$ (?P<yarn>\S.*)$"
_SCRIPTED = ("npm", "yarn", "bun")
_COUNTED = "counted"
_ANYWHERE = "anywhere"


def keys_of_failure(
    call: ToolCall, judgement: Judged, directory: str
) -> tuple[list[Key], set[str]]:
    """Return the keys that link a failed call to the later call that recovers it.

    They come with words: each command that has other keys than its own text holds one.
    """
    exact = target_of(call, directory)
    if not (command := command_of(call)):
        return [exact], set()
    names: set[str] = set()
    # Only a call whose tests all passed recovers one that hides its failures.
    keys: list[Key] = [(_COUNTED, exact) if judgement.failure == "hidden" else exact]
    ran = _total(judgement.counted)
    for attempt, at in _attempts(call, command, directory):
        tried = {*attempt.attempts}
        if ran is not None and attempt.checks:
            tried = {*attempt.checks}
        names |= {each.program.partition(" ")[0].rpartition("/")[2] for each in tried}
        if len(tried) > 1:
            keys.append((frozenset(tried), at))
        for each in tried if len(tried) == 1 else ():
            keys += [key for wider in each.wider for key in _failed(wider, at, ran)]
    # Any command holds the empty name.
    return keys, names or {""}


def keys_of_success(
    call: ToolCall, directory: str, names: Collection[str] | None
) -> list[Key]:
    """Return the keys of a call that ended well.

    A command that holds none of the `names` has only that of its text, since taking a
    command apart takes longer than all else; None means any name. A command whose
    output counts no test that passed has no keys.
    """
    exact = target_of(call, directory)
    if not (command := command_of(call)):
        return [exact]
    keys: list[Key] = [exact]
    if names is not None and not any(name in command for name in (*names, *_SCRIPTED)):
        return keys
    counted = counted_tests(printed_text(call))
    if counted and counted.passed == 0 and not only_looks(command):
        # Its status is good since no test ran, so it proves nothing.
        return []
    have_passed = bool(counted and counted.passed and not counted.has_failures)
    if have_passed:
        keys.append((_COUNTED, exact))
    for attempt, at in _attempts(call, command, directory):
        passed = {*attempt.passed}
        tried = {*attempt.attempts}
        if have_passed:
            # A pipe hides the status of a check, but its output shows that it passed.
            passed |= {*attempt.checks} or (tried if len(tried) == 1 else set())
        if len(tried) > 1 and tried <= passed:
            keys.append((frozenset(tried), at))
        for each in passed:
            keys += [(each, at), (each, _ANYWHERE), (each, _ANYWHERE, _total(counted))]
    return keys


def target_of(call: ToolCall, directory: str) -> Key:
    """Return the tool of a call, and the words and paths of its subject."""
    name = full_name(call)
    if call.arguments is None:
        return name, (call.about,)
    subject = subject_of(call.kind, call.arguments, directory)
    paths = [place_of(path, directory).key for path in subject.paths]
    if command_of(call):
        words = [without_directory(word, directory) for word in subject.words]
        return name, (*words, *paths), _folder(call, directory)
    if name in ("edit", "write") and paths:
        # Either recovers the other, on the same file.
        return "edit", tuple(paths)
    return name, (*subject.words, *paths)


def _failed(tried: Key, at: str, ran: int | None) -> Iterator[Key]:
    """Yield the keys of an attempt that failed in a folder.

    In the folder of the run, a check that ran no test may have been in the wrong one.
    One that ran some is the same elsewhere if that runs as many.
    """
    yield tried, at
    if at == ".":
        yield (tried, _ANYWHERE) if ran is None else (tried, _ANYWHERE, ran)


def _attempts(
    call: ToolCall, command: str, directory: str
) -> Iterator[tuple[Attempt, str]]:
    """Yield the attempts of a command and of a script that it prints, with a folder."""
    attempt = attempt_of(without_directory(command, directory))
    place = _joined(_folder(call, directory), attempt.place, directory)
    yield attempt, place
    if any(name in command for name in _SCRIPTED):
        script = compiled(_SCRIPT, re.MULTILINE).search(printed_text(call))
        if script is not None:
            yield attempt_of(script["npm"] or script["yarn"]), place


def _folder(call: ToolCall, directory: str) -> str:
    """Return the folder in which a command starts; `.` if the log does not say."""
    folder = (call.arguments or {}).get("workingDirectory")
    return _joined(".", folder if isinstance(folder, str) else "", directory)


@functools.lru_cache(maxsize=1024)
def _joined(place: str, folder: str, directory: str) -> str:
    return readable_path(posixpath.normpath(posixpath.join(place, folder)), directory)


def _total(counted: CountedTests | None) -> int | None:
    """Return how many tests ran; None if that is not known, or none did."""
    if counted is None or counted.passed is None:
        return None
    return counted.passed + counted.failed + counted.errors or None
