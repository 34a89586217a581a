"""Finding out which values of two runs were made by the runs, and not chosen.

A run has made a value if an output showed it before the run used it, if it is an id of
the run itself, or a time while it ran. A value that the prompt or the other run knows
was chosen. Only calls without an equal partner are looked at.
"""

from __future__ import annotations

import datetime
import functools
import itertools
import re
from collections.abc import Callable, Iterator
from operator import itemgetter
from typing import Any, NamedTuple

from convert.diff.compared_call import ComparedCall
from convert.diff.outputs import strings_in
from convert.diff.trajectory import Trajectory
from convert.diff.values import Shape, Value, ids_in, places_of, replaced
from convert.wording.compiled import compiled

# The number of bytes that are searched for values of one run, which takes seconds.
_MOST_SEARCHED = 4_000_000_000
# From this number of values on, an index is faster than a search for each.
_SEARCHES = 20
# A hash may be shown whole and used by its beginning.
_SHORT_HASHES = range(7, 13)
# The characters around a value that tell it from others in an output.
_AROUND = 40
_HOUR_MS = 3_600_000
_DAY_MS = 24 * _HOUR_MS
_WITH_DIGITS = r"[\w-]*[0-9][\w-]*"


class Place(NamedTuple):
    """The place of a value in the output that showed it first."""

    call: ComparedCall
    """The call that returned the output."""

    context: tuple[str, str, str]
    """The name of the member, and what is before and after the value."""

    ordinal: int
    """How many other values of the shape have the same context before it."""


class Seen:
    """What a run has seen and used, to ask where a value comes from."""

    def __init__(self, run: Trajectory) -> None:
        self.run = run
        calls = list(run.all_calls)
        self._arguments = _Texts(
            [(call, call.arguments_kept) for call in sorted(calls, key=_start)]
        )
        self._outputs = _Texts(
            [
                (call, call.output_kept)
                for call in sorted(calls, key=_end)
                if call.output_kept
            ]
        )
        self._prompts = "\n".join(run.run.prompts)
        self._places: dict[tuple[int, Shape], dict[str, Place]] = {}

    @functools.cached_property
    def _own_ids(self) -> set[str]:
        return ids_in(self.run.own_ids)

    @property
    def is_exhausted(self) -> bool:
        """There was too much to search, so that some values were taken as chosen."""
        return self._arguments.is_exhausted or self._outputs.is_exhausted

    def has_made(self, value: Value) -> bool:
        """Return True if the run has made a value before it used it."""
        if self._is_asked_for(value):
            return False
        if value.text in self._own_ids or self._is_time_of_run(value):
            return True
        origin = self.origin(value)
        used = self._arguments.first(value)
        return origin is not None and (used is None or origin.ends < used.starts)

    def holds(self, value: Value) -> bool:
        """Return True if the run was asked for a value, has used it or has seen it."""
        if self._is_asked_for(value):
            return True
        is_used = self._arguments.first(value) is not None
        return is_used or self.origin(value) is not None

    def _is_asked_for(self, value: Value) -> bool:
        """Return True if a prompt holds a value."""
        is_near = value.text in self._prompts
        return is_near and _whole(value).search(self._prompts) is not None

    def origin(self, value: Value) -> ComparedCall | None:
        """Return the first call whose output shows a value."""
        return self._outputs.first(value)

    def place(self, value: Value) -> Place | None:
        """Return the place of a value in the first output that shows it."""
        origin = self.origin(value)
        return self.places(origin, value.shape).get(value.text) if origin else None

    def places(self, call: ComparedCall, shape: Shape) -> dict[str, Place]:
        """Return the places of all values of a shape in the output of a call."""
        key = (id(call), shape)
        if key not in self._places:
            self._places[key] = dict(self._found(call, shape))
        return self._places[key]

    def _found(self, call: ComparedCall, shape: Shape) -> Iterator[tuple[str, Place]]:
        """Yield each value of a shape in the output of a call, where it comes first."""
        found: set[str] = set()
        counts: dict[tuple[str, str, str], int] = {}
        for name, text in strings_in(call.output_kept or b""):
            text = self.run.normaliser.spelled(text)
            for value, begin, end in places_of(text):
                if value.shape != shape or value.text in found:
                    continue
                found.add(value.text)
                before, after = text[max(begin - _AROUND, 0) : begin], text[end:]
                context = (name, _masked(before), _masked(after[:_AROUND]))
                ordinal = counts.get(context, 0)
                counts[context] = ordinal + 1
                yield value.text, Place(call, context, ordinal)

    def _is_time_of_run(self, value: Value) -> bool:
        """Return True for a time from the first event to an hour after the last one.

        A time without a zone is in UTC. A date is that of a day of the run.
        """
        clock = self.run.clock
        if value.shape != "time" or clock is None:
            return False
        moment = _milliseconds(value.text)
        length = _DAY_MS if len(value.text) <= len("2026-01-31") else 1000
        begin, end = clock[0], clock[1] + _HOUR_MS
        return moment is not None and moment + length > begin and moment <= end


def _start(call: ComparedCall) -> float:
    return call.starts


def _end(call: ComparedCall) -> float:
    return call.ends


class _Texts:
    """The marshalled outputs or arguments of calls, in the order of a run."""

    def __init__(self, kept: list[tuple[ComparedCall, bytes]]) -> None:
        self._kept = kept
        self._remaining = _MOST_SEARCHED
        self._known: dict[Value, ComparedCall | None] = {}

    @property
    def is_exhausted(self) -> bool:
        """There was too much to search."""
        return self._remaining <= 0

    def first(self, value: Value) -> ComparedCall | None:
        """Return the first call whose texts hold a value."""
        if value not in self._known:
            is_many = len(self._known) > _SEARCHES
            is_indexed = is_many and value.shape in ("id", "time", "hash")
            find = self._index.get if is_indexed else self._found
            self._known[value] = find(value)
        return self._known[value]

    def _found(self, value: Value) -> ComparedCall | None:
        needle = value.text.encode("utf-8", "surrogatepass")
        for call, kept in self._kept:
            self._remaining -= len(kept)
            if self._remaining <= 0:
                return None
            if needle in kept and any(
                _whole(value).search(text) for _, text in strings_in(kept)
            ):
                return call
        return None

    @functools.cached_property
    def _index(self) -> dict[Value, ComparedCall]:
        """The first call that holds each value of a shape that is known anywhere."""
        index: dict[Value, ComparedCall] = {}
        for call, kept in self._kept:
            for _, text in strings_in(kept):
                for value, _, _ in places_of(text):
                    for spelled in _spellings(value):
                        index.setdefault(spelled, call)
        return index


def _spellings(value: Value) -> Iterator[Value]:
    """Yield a value, and the parts of it by which it may be used."""
    yield value
    if value.shape == "id":
        for part in re.split("[-_]", value.text):
            yield Value("id", part)
    if value.shape == "hash":
        for length in _SHORT_HASHES:
            yield Value("hash", value.text[:length])


@functools.lru_cache(1000)
def _whole(value: Value) -> re.Pattern[str]:
    """Return a pattern for a value on its own; a hash may be the start of a longer."""
    end = r"(?![A-Zg-z])" if value.shape == "hash" else r"(?![0-9A-Za-z])"
    return re.compile(rf"(?<![0-9A-Za-z]){re.escape(value.text)}{end}")


def _masked(text: str) -> str:
    return compiled(_WITH_DIGITS).sub("#", text)


def _milliseconds(text: str) -> int | None:
    """Return a time in milliseconds since 1970; None if there is no such time."""
    try:
        moment = datetime.datetime.fromisoformat(text.replace(",", "."))
    except ValueError:
        return None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=datetime.UTC)
    return int(moment.timestamp() * 1000)


class RunMade:
    """The values that two runs have made; marks them in the keys of their calls.

    With `is_raw`, no value is noise.
    """

    def __init__(self, a: Trajectory, b: Trajectory, is_raw: bool) -> None:
        self.a, self.b = Seen(a), Seen(b)
        self._is_raw = is_raw
        self._known: dict[tuple[bool, Value], bool] = {}

    def mark(self) -> None:
        """Give the calls keys in which run-made values are marks."""
        if self._is_raw:
            return
        for own, other in ((self.a, self.b), (self.b, self.a)):
            partners = {call.spelled_key for call in other.run.all_calls}
            for call in own.run.all_calls:
                if call.made_values:
                    # Another comparison has marked the call.
                    call.set_values([], None)
                if call.spelled_key not in partners:
                    self._mark(call, own)

    @property
    def is_exhausted(self) -> bool:
        """There was too much to search in a run."""
        return self.a.is_exhausted or self.b.is_exhausted

    def marked(self, text: str, side: Seen) -> tuple[str, list[Value]]:
        """Return a text with marks for what a run has made, and these values."""
        values: list[Value] = []
        if self._is_raw:
            return text, values

        def mark(value: Value) -> str | None:
            if not self._is_made(value, side):
                return None
            values.append(value)
            return f"<{value.shape}>"

        return replaced(text, mark), values

    def marked_value(self, value: Any, side: Seen) -> tuple[Any, list[Value]]:
        """Return a value of JSON with marks in its strings, and what they stand for."""
        values: list[Value] = []

        def mark(text: str) -> str:
            marked, found = self.marked(text, side)
            values.extend(found)
            return marked

        return with_strings(value, mark), values

    def _mark(self, call: ComparedCall, side: Seen) -> None:
        found = itertools.chain.from_iterable(
            places_of(text) for _, text in strings_in(call.arguments_kept)
        )
        if not any(self._is_made(value, side) for value, _, _ in found):
            return
        arguments, values = self.marked_value(call.arguments, side)
        origins = [_origin(side, value) for value in values]
        call.set_values(values, arguments, origins)

    def _is_made(self, value: Value, side: Seen) -> bool:
        key = (side is self.a, value)
        if key not in self._known:
            other = self.b if side is self.a else self.a
            is_made = side.has_made(value) and not other.holds(value)
            self._known[key] = is_made
        return self._known[key]


def _origin(side: Seen, value: Value) -> tuple[str, ...]:
    """Return what two values have in common that come from the same place."""
    place = side.place(value)
    if place is None:
        return (value.shape,)
    return (value.shape, place.call.tool, *place.context, str(place.ordinal))


def with_strings(value: Any, change: Callable[[str], str]) -> Any:
    """Return a value with another text for each string in it, names included.

    If that makes two names of members equal, the names stay.
    """
    match value:
        case str():
            return change(value)
        case dict():
            names = [change(name) for name in value]
            if len(set(names)) < len(names):
                names = list(value)
            values = [with_strings(inner, change) for inner in value.values()]
            return dict(sorted(zip(names, values, strict=True), key=itemgetter(0)))
        case list():
            return [with_strings(inner, change) for inner in value]
    return value
