"""A run as it is compared: its calls inside each other, its failures, its files."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TypeVar

from msgspec import Struct

from convert.diff.aligned_call import (
    EXACT,
    SHORT_KEY,
    AlignedCall,
    Manner,
    aligned,
    keys_of,
)
from convert.diff.batches import batches_of, ends_of
from convert.diff.noise import Value
from convert.diff.normalise import Normaliser
from convert.diff.recorded_call import RecordedCall
from convert.facts.changed_files import NetChange, NetStatus
from convert.facts.edits import Missing
from convert.facts.figures import Figures
from convert.facts.repeats import count_retries
from convert.facts.run_figures import RunFigures
from convert.model.events import Approved, Level
from convert.model.run import Run
from convert.options.settings import ArgumentsCount
from convert.wording.digests import blake2b


class Digest(Struct, frozen=True):
    """A content that is known by its digest."""

    text: str
    """The digest, in hexadecimal digits."""


KnownContent = Digest | Missing


class ApprovedChange(Struct, frozen=True):
    """The change of one file by an approved run."""

    path: str
    """The path after the rules for noise."""

    status: NetStatus
    """The difference between the contents."""

    before: KnownContent
    """The content before the first change."""

    after: KnownContent
    """The content after the last change."""

    effect: Digest | None
    """The change from one to the other; None if it is not recorded."""

    line: int
    """The line of the log that records the change."""

    @property
    def counts(self) -> None:
        """The numbers of lines added and removed are not recorded."""


def digest_of(text: str) -> Digest:
    """Return the digest of a content."""
    data = text.encode("utf-8", "surrogatepass")
    return Digest(blake2b(data, digest_size=8).hexdigest())


class ValuePlace(Struct, frozen=True):
    """The place of a value in the output that showed it first."""

    call: RecordedCall
    """The call that returned the output."""

    context: str
    """A digest of the name of the member, and of the texts around the value."""

    ordinal: int
    """How many other values of the shape have the same context before it."""


# Calls nested deeper than this become siblings of the innermost.
_MOST_NESTED_CALLS = 50


def nest(
    calls: dict[int, RecordedCall], ids: dict[str, int], parents: dict[int, str]
) -> list[RecordedCall]:
    """Put calls below their parents, number siblings from 1, and return the others.

    `calls` and `parents` go by the numbers of calls in their run, `ids` leads to those
    numbers. A call whose parent is unknown, or is inside the call itself, has none.
    """
    numbers = sorted(calls)
    known = {
        number: ids[parents[number]] for number in numbers if parents.get(number) in ids
    }
    outer = _outer(numbers, _without_cycles(known))
    own = []
    # A step may also be recorded as a call that names its parent. Without that, an id
    # in common means nothing: a subagent may count its calls from 0 as well.
    linked = {
        call_id: calls[number] for call_id, number in ids.items() if number in parents
    }
    taken: set[int] = set()
    for number in numbers:
        calls[number].children = _linked(calls[number].children, linked, taken)
    for number in numbers:
        if id(calls[number]) in taken:
            continue
        if number in outer:
            calls[outer[number]].children.append(calls[number])
        else:
            own.append(calls[number])
    _number(own)
    return own


def _linked(
    steps: list[RecordedCall], linked: dict[str, RecordedCall], taken: set[int]
) -> list[RecordedCall]:
    """Return steps, each of which that is also a call replaced by that, once."""
    found = []
    for step in steps:
        call = linked.get(step.id) if step.id else None
        if call is None:
            step.children = _linked(step.children, linked, taken)
            found.append(step)
        elif id(call) not in taken:
            taken.add(id(call))
            found.append(call)
    return found


def _number(siblings: list[RecordedCall]) -> None:
    """Number calls from 1, and those inside each of them."""
    waiting = [siblings]
    while waiting:
        for number, call in enumerate(waiting.pop(), 1):
            call.number = number
            if call.children:
                waiting.append(call.children)


def _without_cycles(parents: dict[int, int]) -> dict[int, int]:
    """Return the parents by number, without the last link of each cycle."""
    kept = dict(parents)
    known: set[int] = set()
    for number in parents:
        path = []
        while number in parents and number not in known:
            known.add(number)
            path.append(number)
            number = parents[number]
        if number in path:
            del kept[max(path[path.index(number) :])]
    return kept


def _outer(numbers: list[int], parents: dict[int, int]) -> dict[int, int]:
    """Return the call that each one is put below: its parent, or one above that."""
    outer: dict[int, int] = {}
    # For each call, the call that its own children are put below, and its depth.
    inside: dict[int, tuple[int, int]] = {}
    for number in numbers:
        path = [number]
        while path[-1] in parents and path[-1] not in inside:
            path.append(parents[path[-1]])
        for inner in reversed(path):
            if inner in inside:
                continue
            if inner not in parents:
                inside[inner] = inner, 0
                continue
            above, depth = inside[parents[inner]]
            outer[inner] = above
            inside[inner] = (
                (inner, depth + 1) if depth < _MOST_NESTED_CALLS else (above, depth)
            )
    return outer


class FailedCall(Struct, frozen=True):
    """A call that failed, or that ended well although tests that it ran failed."""

    call: RecordedCall
    """The call."""

    hidden: str
    """How many tests failed in one that ended well; empty for any other."""

    resolved_by: RecordedCall | None
    """The call that made it good; None if it stays unresolved."""


def set_failures(calls: list[RecordedCall], figures: RunFigures) -> None:
    """Set how each of the calls went wrong, and of the steps inside them."""
    if not (classes := figures.classes):
        return
    for number, call in _by_number(calls):
        call.failure = classes.get(number)


def failed_calls(
    calls: list[RecordedCall], figures: RunFigures
) -> Iterator[FailedCall]:
    """Yield the failures among calls and those inside them, in their order."""
    resolved = figures.resolutions
    numbers = {*figures.unresolved_numbers(), *resolved}
    if not numbers:
        return
    named = dict(_by_number(calls))
    hidden = figures.hidden
    for number in sorted(
        numbers & named.keys(), key=lambda name: [*map(int, name.split("."))]
    ):
        later = named.get(resolved.get(number, ""))
        yield FailedCall(named[number], hidden.get(number, ""), later)


def _by_number(
    calls: list[RecordedCall], above: str = ""
) -> Iterator[tuple[str, RecordedCall]]:
    """Yield calls and those inside them with their numbers: `5`, `5.2`."""
    for call in calls:
        number = f"{above}{call.number}"
        yield number, call
        yield from _by_number(call.children, f"{number}.")


class Trajectory(Struct):
    """A run as it is compared."""

    run: Run
    """The run itself; its own calls are not used, and are missing if a log was read."""

    level: Level
    """How much of the run its format records."""

    normaliser: Normaliser
    """The rules for the strings of this run."""

    figures: Figures
    """The figures of the run, without those of calls below the level `calls`."""

    net_changes: Iterable[NetChange | ApprovedChange]
    """The changes of the run to files in the end."""

    calls: list[RecordedCall] = []
    """The calls of the run itself, in the order in which they started."""

    ended: list[RecordedCall] = []
    """The calls of the run and those inside them, in the order in which they ended."""

    failures: list[FailedCall] = []
    """The failures, those of calls inside others included, in their order."""

    own_ids: set[str] = set()
    """The ids of the session, the calls and the processes, as they are recorded."""

    clock: tuple[int, int] | None = None
    """The times of the first and the last event in milliseconds since 1970.

    None if the log records no times.
    """

    has_named_directory: bool = False
    """The user named the directory of the run, and its log records none."""

    length: int | None = None
    """How long the run took, in milliseconds; None if the log does not record it."""

    found_arguments: set[str] = set()
    """The settings that name an argument of some call."""

    made: dict[Value, ValuePlace | None] | None = None
    """The values that marks replace, and where they were seen first.

    None for the trajectory of a log, whose texts have the values themselves.
    """

    system_marks: frozenset[str] = frozenset()
    """The marks in the paths of its files for values that the system made."""

    approved: Approved | None = None
    """The run as it was approved; None if a log was read."""

    @property
    def all_calls(self) -> Iterator[RecordedCall]:
        """The calls of the run and all calls inside them."""
        return with_inner(self.calls)

    @property
    def is_failure_message(self) -> bool:
        """The log is text that holds only a message that the agent could not run."""
        is_failed = self.level == "text" and self.run.state == "error"
        return is_failed and not self.calls and self.run.text is None


class ComparedRun(Struct):
    """A run in one comparison, with its calls as they are aligned."""

    recorded: Trajectory
    """The run."""

    rules: Normaliser
    """The rules for its strings, perhaps with the directory of another run."""

    calls: list[AlignedCall]
    """The calls of the run itself, in the order in which they started."""

    lent_directory: str = ""
    """The directory of another run, if paths of this one are relative to that."""

    marks: dict[Value, str] = {}
    """The numbered marks of values that the system made, where there are several."""

    @property
    def all_calls(self) -> Iterator[AlignedCall]:
        """The calls of the run and all calls inside them."""
        return with_inner(self.calls)

    @property
    def aligned(self) -> dict[int, AlignedCall]:
        """All calls, by the identity of the calls as they are recorded."""
        return {id(call.recorded): call for call in self.all_calls}


def compared_run(run: Trajectory, manner: Manner = EXACT) -> ComparedRun:
    """Return a run whose calls are compared in one manner."""
    return ComparedRun(run, run.normaliser, aligned(run.calls, manner))


_Call = TypeVar("_Call", RecordedCall, AlignedCall)


def with_inner(calls: list[_Call]) -> Iterator[_Call]:
    """Yield calls, each followed by those made inside."""
    for call in calls:
        yield call
        if call.children:
            yield from with_inner(call.children)


def retries_of(calls: list[RecordedCall], how: ArgumentsCount) -> int:
    """Count the retries among calls, and among those made inside each of them.

    `how` says how much of the arguments counts. Calls made at once have no order: one
    that ended well is a retry of one that failed.
    """
    tries = (
        (_retry_key(calls[place], how), calls[place].outcome == "ok")
        for batch in batches_of(ends_of(calls, "partial"))
        for place in sorted(batch, key=lambda place: calls[place].outcome == "ok")
    )
    own = count_retries(tries)
    return own + sum(retries_of(call.children, how) for call in calls)


def _retry_key(call: RecordedCall, how: ArgumentsCount) -> bytes:
    forms = call.forms
    if how == "exact":
        # The keys for anything else take much longer.
        return (forms.fragment or forms.usual).key[:SHORT_KEY]
    return keys_of(call, forms, forms.usual, Manner(how)).retry
