"""Calls by parent: the calls of a subagent become steps of the call that started it.

    Ran subagent          2
      Read file           2.1
      Ran subagent        2.2
        Read file         2.2.1
    Edited file           3

Some logs record them as steps already, some as calls that name their parent, and some
in both ways. All outputs for people take the events from here, so that the run's own
calls are numbered without gaps, and a call has the same number everywhere.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterable, Iterator

from msgspec.structs import replace

from convert.model.events import UNFINISHED, Event, ToolCall
from convert.model.run import updated
from convert.tools import PLAIN

# Calls nested deeper than this become siblings.
_MOST_NESTED = 50
# How many calls that may have started others are known after they ended.
_MOST_ENDED = 10_000


class CallsByParent:
    """Folds the calls of one run into those of the run itself.

    Memory grows with the calls that subagents have open, and with the run's own calls
    after the first of a subagent.
    """

    def __init__(self) -> None:
        # The calls inside each call that has not ended, by its id and their numbers.
        self._inside: dict[str, dict[int, ToolCall]] = {}
        self._parents: dict[str, str] = {}
        # Calls are announced, which a reader does if a target asks for it.
        self._has_starts = False
        # The open calls by their ids, and those of the run itself by their numbers.
        self._open_ids: Counter[str] = Counter()
        self._open: set[int] = set()
        # Calls that ended before one inside them.
        self._waiting: dict[str, ToolCall] = {}
        # The places of calls that have ended, by their ids, and how many are inside.
        self._ended: dict[str, tuple[int, ...]] = {}
        self._sizes: dict[tuple[int, ...], int] = {}
        self._late: dict[int, tuple[int, ...]] = {}
        # The ids of the steps that logs record.
        self._steps: set[str] = set()
        # The numbers of the run's own calls after the first of a subagent.
        self._first_inside: int | None = None
        self._numbers: dict[int, int] = {}
        self._count = 0
        # The events after a call that never ended, until the run ends.
        self._tail: list[ToolCall] | None = None

    def add(self, call: ToolCall) -> Iterable[ToolCall]:
        """Return the calls that a call completes, or an event that says more of it."""
        if call.is_repeated:
            return self._repeated(call)
        if call.outcome is None:
            return self._begun(call)
        if not call.parent and call.kind in PLAIN and self._first_inside is None:
            # Nearly all calls: nothing can be inside.
            if self._has_starts:
                self._open.discard(call.number)
                self._forget_open(call.id)
            self._count = max(self._count, call.number)
            return (call,) if self._tail is None else self._held(call)
        return self._finished(call)

    def rest(self) -> Iterator[ToolCall]:
        """Yield the calls that have waited for the end of the run."""
        for call in [*self._waiting.values()]:
            if self._waiting.pop(call.id, None) is not None:
                yield from self._finished(call, waits=False)
        tail, self._tail = self._tail or [], None
        for call in tail:
            yield self._numbered(self._with_steps(call))
        # Their parents are not in the log.
        for family in [*self._inside.values()]:
            for call in family.values():
                if call.id not in self._steps:
                    yield self._numbered(self._ended_anyhow(call))
        self._inside.clear()

    def _begun(self, call: ToolCall) -> Iterable[ToolCall]:
        """Note that a call is open; return it if it is of the run itself."""
        self._has_starts = True
        if call.parent:
            if call.id in self._steps:
                self._renumber_from(call.number)
                return ()
            if self._is_inside(call):
                self._nest(call)
                return ()
            if place := self._place_of_late(call):
                return (replace(call, around=place[:-1], number=place[-1]),)
        self._open_ids[call.id] += 1
        self._open.add(call.number)
        return (self._numbered(call),)

    def _finished(self, call: ToolCall, *, waits: bool = True) -> Iterator[ToolCall]:
        """Yield a call that has ended, with the calls that it completes."""
        is_begun = call.number in self._open
        family = self._inside.get(call.parent) if call.parent else None
        if family is not None and call.number in family:
            yield from self._finished_inside(call, waits=waits)
            return
        if call.parent and not is_begun:
            if call.id and call.id in self._steps:
                return
            if not self._has_starts and self._is_inside(call):
                self._nest(call)
                yield from self._finished_inside(call, waits=waits)
                return
            if place := self._place_of_late(call):
                self._late.pop(call.number, None)
                yield replace(call, around=place[:-1], number=place[-1])
                return
        if waits and self._has_open_inside(call):
            self._waiting[call.id] = call
            return
        self._open.discard(call.number)
        self._forget_open(call.id)
        # The calls inside one that never ended may come later.
        begins_tail = not self._has_starts and call.kind not in PLAIN
        if self._tail is not None or (begins_tail and call.outcome == UNFINISHED):
            yield from self._held(call)
            return
        yield self._numbered(self._with_steps(call))

    def _finished_inside(
        self, call: ToolCall, *, waits: bool = True
    ) -> Iterator[ToolCall]:
        """Keep a call inside another one; yield that if it has waited for this one."""
        if waits and self._has_open_inside(call):
            self._waiting[call.id] = call
            return
        self._forget_open(call.id)
        self._inside[call.parent][call.number] = self._with_steps(call)
        around = self._waiting.get(call.parent)
        if around is not None and not self._has_open_inside(around):
            del self._waiting[call.parent]
            yield from self._finished(around)

    def _is_inside(self, call: ToolCall) -> bool:
        """Return True if the call that made this one has not ended."""
        parent = call.parent
        may_be_open = (
            self._open_ids.get(parent)
            if self._has_starts
            else parent not in self._ended
        )
        if not may_be_open:
            return False
        for _ in range(_MOST_NESTED):
            if parent == call.id:
                return False
            if parent not in self._parents:
                return True
            parent = self._parents[parent]
        return False

    def _nest(self, call: ToolCall) -> None:
        """Put a call that begins inside the one that made it."""
        self._renumber_from(call.number)
        self._inside.setdefault(call.parent, {})[call.number] = call
        if call.id:
            self._parents[call.id] = call.parent
            if call.outcome is None:
                self._open_ids[call.id] += 1

    def _has_open_inside(self, call: ToolCall) -> bool:
        """Return True if a call inside another one is known to be open."""
        family = self._inside.get(call.id) if call.id else None
        return family is not None and any(
            inner.outcome is None for inner in family.values()
        )

    def _forget_open(self, id: str) -> None:
        left = self._open_ids.get(id, 0) - 1
        if left > 0:
            self._open_ids[id] = left
        else:
            self._open_ids.pop(id, None)

    def _held(self, call: ToolCall) -> Iterable[ToolCall]:
        self._tail = self._tail or []
        self._tail.append(call)
        return ()

    def _ended_anyhow(self, call: ToolCall) -> ToolCall:
        if call.outcome is None:
            call = replace(call, outcome=UNFINISHED)
        return self._with_steps(call)

    def _with_steps(self, call: ToolCall) -> ToolCall:
        """Return a call with the calls inside it as steps."""
        if call.steps:
            self._note_steps(call)
        family = self._inside.pop(call.id, None) if call.id else None
        if not family:
            return call
        children = [self._ended_anyhow(family[number]) for number in sorted(family)]
        for child in children:
            self._parents.pop(child.id, None)
            _bound(child, call)
        return replace(call, steps=_merged(call.steps or [], children))

    def _note_steps(self, call: ToolCall) -> None:
        """Keep the ids of recorded steps, which may come as calls as well."""
        for step in call.calls:
            if step.id and not step.parent:
                self._steps.add(step.id)
            self._note_steps(step)

    def _renumber_from(self, number: int) -> None:
        """Count the calls of the run itself from one of a subagent on."""
        if self._first_inside is None:
            self._first_inside = number
            self._count = max(self._count, number - 1)

    def _numbered(self, call: ToolCall) -> ToolCall:
        """Return a call of the run itself under the number that it has there."""
        number = call.number
        first = self._first_inside
        if first is None or number < first:
            self._count = max(self._count, number)
        else:
            if (own := self._numbers.get(number)) is None:
                self._count += 1
                own = self._numbers[number] = self._count
            if own != number:
                call = replace(call, number=own)
        if call.outcome is not None and call.id and call.kind not in PLAIN:
            self._note_places(call, (call.number,))
        return call

    def _note_places(self, call: ToolCall, place: tuple[int, ...]) -> None:
        """Note where a call that has ended is, and those inside it."""
        if call.id:
            self._ended[call.id] = place
            if len(self._ended) > 2 * _MOST_ENDED:
                kept = itertools.islice(self._ended.items(), _MOST_ENDED, None)
                self._ended = dict(kept)
        if inside := call.calls:
            self._sizes[place] = inside[-1].number
        for step in inside:
            self._note_places(step, (*place, step.number))

    def _place_of_late(self, call: ToolCall) -> tuple[int, ...]:
        """Return the place of a call inside one that has ended; () for any other."""
        if call.number in self._late:
            return self._late[call.number]
        around = self._ended.get(call.parent)
        if around is None or call.parent == call.id:
            return ()
        self._renumber_from(call.number)
        number = self._sizes[around] = self._sizes.get(around, 0) + 1
        place = self._late[call.number] = (*around, number)
        if call.id:
            self._ended[call.id] = place
        return place

    def _repeated(self, frame: ToolCall) -> Iterable[ToolCall]:
        """Return an event that says more of a call; one that waits takes it in."""
        family = self._inside.get(frame.parent) if frame.parent else None
        if family is not None and frame.number in family:
            family[frame.number] = updated(family[frame.number], frame)
            return ()
        place = self._ended.get(frame.id) if frame.parent and frame.id else None
        if place is not None and len(place) > 1:
            return (replace(frame, around=place[:-1], number=place[-1]),)
        number = self._numbers.get(frame.number, frame.number)
        return (frame if number == frame.number else replace(frame, number=number),)


def _bound(child: ToolCall, around: ToolCall) -> None:
    """Let a call take no longer than since the one around it began."""
    if child.longest_ms is None or child.ended_ms is None:
        return
    if around.ended_ms is not None and around.duration_ms is not None:
        since = child.ended_ms - (around.ended_ms - around.duration_ms)
        child.longest_ms = min(child.longest_ms, max(since, 0))


def _merged(steps: list[Event], children: list[ToolCall]) -> list[Event]:
    """Return the steps of a call with the calls inside it, numbered from 1.

    A call takes the place of the step that it is. The others go by their lines.
    """
    by_id = {child.id: child for child in children if child.id}
    merged = _linked(steps, by_id)
    is_linked = len(by_id) < sum(1 for child in children if child.id)
    rest = [child for child in children if not child.id or child.id in by_id]
    if is_linked or rest:
        merged = _by_line(merged, rest)
    numbered: list[Event] = []
    number = 0
    for step in _shallow(merged):
        if isinstance(step, ToolCall):
            number += 1
            if step.number != number:
                step = replace(step, number=number)
        numbered.append(step)
    return numbered


def _linked(steps: list[Event], by_id: dict[str, ToolCall]) -> list[Event]:
    """Return steps with the calls that they are; these are taken from `by_id`."""
    linked: list[Event] = []
    for step in steps:
        if isinstance(step, ToolCall):
            if step.id and step.id in by_id:
                step = by_id.pop(step.id)
            elif step.steps:
                step = replace(step, steps=_linked(step.steps, by_id))
        linked.append(step)
    return linked


def _by_line(steps: list[Event], calls: list[ToolCall]) -> list[Event]:
    """Return steps with calls among them, each before the first one of a later line."""
    merged: list[Event] = []
    waiting = iter(calls)
    following = next(waiting, None)
    for place, step in enumerate(steps):
        while following is not None and _comes_before(following, step, place):
            merged.append(following)
            following = next(waiting, None)
        merged.append(step)
    if following is not None:
        merged += [following, *waiting]
    return merged


def _comes_before(call: ToolCall, step: Event, place: int) -> bool:
    if call.texts_before is not None:
        return call.texts_before <= place
    return call.started_line <= step.line


def _shallow(steps: list[Event]) -> Iterator[Event]:
    """Yield steps; those that are nested too deeply become siblings."""
    for step in steps:
        if isinstance(step, ToolCall) and step.steps and _depth(step) >= _MOST_NESTED:
            yield replace(step, steps=[])
            yield from step.steps
        else:
            yield step


def _depth(call: ToolCall) -> int:
    """Return how deep calls are nested in one: 0 if there is none inside."""
    return 1 + max(map(_depth, call.calls), default=-1)
