"""The failed calls of a run, and those of them that a later call recovered: a fold."""

from __future__ import annotations

from collections import Counter

from msgspec.structs import replace

from convert.facts.judged import COMMAND, GOOD, FailureClass, Judged, judged
from convert.facts.refusals import Place, Refusals
from convert.facts.second_tries import Key, Wanted, keys_of_success, wanted
from convert.model.events import ToolCall

# From more programs on, it takes longer to look for their names in each command than to
# take it apart.
_MOST_NAMES = 50
# How many calls that ended well wait to be looked at: commands keep their outputs.
_MOST_UNREAD = 8


class Failures:
    """Folds the calls of one run into those that failed, and what resolved them.

    Each call that is of one of the classes of `judged` is among them, refused and
    unfinished ones too. A later call that tries the same resolves it if that one ends
    well. Keeps these calls, and those that ended well while an earlier one is open.
    """

    def __init__(self, directory: str = "") -> None:
        self._directory = directory
        # Each unresolved call with what would make it good, and the other way round.
        self._wanted: dict[Place, Wanted] = {}
        self._names: Counter[str] = Counter()
        self._waiting: dict[Key, dict[Place, None]] = {}
        self._resolved_by: dict[Place, Place] = {}
        self.classes: dict[Place, FailureClass] = {}
        """How each of the calls went wrong."""

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
        """The calls whose status is an answer, and what it says."""

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
        judgement = judged(call)
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
        """The calls of these that nothing resolved, in their order."""
        return sorted(self._wanted)

    @property
    def resolutions(self) -> dict[Place, Place]:
        """The first call that resolved each other failed one."""
        return self._resolved_by

    def _note_answer(self, place: Place, judgement: Judged) -> None:
        """Note what a status says if it is an answer, or which failures it hides."""
        if judgement.answer:
            self.answers[place] = judgement.answer
        if judgement.failure == "hidden" and judgement.counted:
            self.hidden[place] = judgement.counted.failures

    def _add_failure(self, place: Place, call: ToolCall, judgement: Judged) -> None:
        if judgement.failure == "rejected":
            self.refusals.add_refused(place, call)
        self._read_successes()
        needed = wanted(call, judgement, self._directory)
        later = [
            passed
            for key in needed.keys
            if (passed := self._passed.get(key, ())) > place
        ]
        if later:
            self._resolved_by[place] = min(later)
            return
        self._wanted[place] = needed
        self._names.update(needed.names)
        for key in needed.keys:
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
        needed = self._wanted.pop(place, None)
        if needed is None:
            return
        self._names -= Counter(needed.names)
        for key in needed.keys:
            waiting = self._waiting.get(key, {})
            waiting.pop(place, None)
            if not waiting:
                self._waiting.pop(key, None)
