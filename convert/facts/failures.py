"""Which calls of a run failed, and which of them were made good later: a fold."""

from __future__ import annotations

from convert.model.events import UNFINISHED, ToolCall
from convert.tools.commands import without_directory
from convert.tools.names import full_name
from convert.tools.subjects import subject_of

# The number of a call in its run, or those of the calls around it and then its own.
Place = tuple[int, ...]
# The tool of a call, and the words and paths that it is about.
_Target = tuple[str, tuple[str, ...]]


class Failures:
    """Folds the calls of one run into those that failed, and what resolved them.

    A call failed if it ended with an error, was rejected or never ended. A later call
    of the same tool about the same thing resolves it if that one ends well. Keeps the
    calls that failed, and those that ended well while an earlier one is open.
    """

    def __init__(self, directory: str = "") -> None:
        self._directory = directory
        self._targets: dict[Place, _Target] = {}
        self._unresolved: dict[_Target, list[Place]] = {}
        self._resolved_by: dict[Place, Place] = {}
        self._open: set[Place] = set()
        # The last call about each thing that ended well.
        self._passed: dict[_Target, Place] = {}

    def begin(self, place: Place) -> None:
        """Note that a call is open."""
        self._open.add(place)

    def end(self, place: Place, call: ToolCall) -> None:
        """Add a call that has ended, or that ends again in another way."""
        self._open.discard(place)
        if place in self._targets:
            self._forget(place)
        has_failed = (call.outcome or UNFINISHED).status != "ok"
        if has_failed or self._unresolved or self._open:
            target = _target(call, self._directory)
            if has_failed:
                self._add_failure(place, target)
            else:
                self._add_success(place, target)
        if not self._open:
            self._passed.clear()

    @property
    def unresolved(self) -> list[Place]:
        """The calls that failed and that nothing resolved, in their order."""
        return sorted(place for places in self._unresolved.values() for place in places)

    @property
    def resolutions(self) -> dict[Place, Place]:
        """The first call that resolved each other failed one."""
        return self._resolved_by

    def _add_failure(self, place: Place, target: _Target) -> None:
        self._targets[place] = target
        later = self._passed.get(target)
        if later is not None and later > place:
            self._resolved_by[place] = later
        else:
            self._unresolved.setdefault(target, []).append(place)

    def _add_success(self, place: Place, target: _Target) -> None:
        last = self._passed.get(target)
        if self._open and (last is None or last < place):
            self._passed[target] = place
        failed = self._unresolved.pop(target, [])
        later = [each for each in failed if each > place]
        if later:
            self._unresolved[target] = later
        for each in failed:
            if each < place:
                self._resolved_by[each] = place

    def _forget(self, place: Place) -> None:
        """Forget that a call failed."""
        target = self._targets.pop(place)
        self._resolved_by.pop(place, None)
        others = [each for each in self._unresolved.pop(target, []) if each != place]
        if others:
            self._unresolved[target] = others


def _target(call: ToolCall, directory: str) -> _Target:
    """Return what makes a call a second try of another one."""
    name = full_name(call)
    if call.arguments is None:
        return name, (call.about,)
    subject = subject_of(call.kind, call.arguments, directory)
    words = [without_directory(word, directory) for word in subject.words]
    return name, (*words, *subject.paths)
