"""Finding out which values of two runs were made by the runs, and not chosen.

A run has made a value if an output showed it before the run used it, if it is an id of
the run itself, or a time while it ran. A value that the prompt or the other run knows
was chosen. Only calls without an equal partner are looked at.
"""

from __future__ import annotations

import datetime
import functools
import itertools
from collections.abc import Callable, Iterator
from operator import itemgetter
from typing import Any

from convert.diff.approved_values import ApprovedValues
from convert.diff.compared_call import ComparedCall
from convert.diff.outputs import strings_in
from convert.diff.seen_texts import Texts, whole
from convert.diff.trajectory import Trajectory
from convert.diff.value_places import Place, places_in
from convert.diff.values import Shape, Value, ids_in, places_of, replaced

_HOUR_MS = 3_600_000
_DAY_MS = 24 * _HOUR_MS


class Seen:
    """The texts that a run has seen and used, to ask where a value comes from."""

    has_marks = False
    """Values stand in its texts themselves."""

    def __init__(self, run: Trajectory) -> None:
        self.run = run
        calls = list(run.all_calls)
        self._arguments = Texts(
            [(call, call.arguments_kept) for call in sorted(calls, key=_start)]
        )
        self._outputs = Texts(
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
        return is_near and whole(value).search(self._prompts) is not None

    def values_in(self, text: str) -> Iterator[Value]:
        """Yield the values in a text of the run."""
        return (value for value, _, _ in places_of(text))

    def replaced(self, text: str, change: Callable[[Value], str | None]) -> str:
        """Return a text of the run with other texts for its values; None leaves one."""
        return replaced(text, change)

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
            texts = (
                (name, self.run.normaliser.spelled(text))
                for name, text in strings_in(call.output_kept or b"")
            )
            self._places[key] = dict(places_in(call, shape, texts))
        return self._places[key]

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


def _milliseconds(text: str) -> int | None:
    """Return a time in milliseconds since 1970; None if there is no such time."""
    try:
        moment = datetime.datetime.fromisoformat(text.replace(",", "."))
    except ValueError:
        return None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=datetime.UTC)
    return int(moment.timestamp() * 1000)


# The values of a run as they are known: by its log, or as it was approved.
Known = Seen | ApprovedValues


def _known(run: Trajectory) -> Known:
    return Seen(run) if run.made is None else ApprovedValues(run, run.made)


class RunMade:
    """The values that two runs have made; marks them in the keys of their calls.

    With `is_raw`, no value is noise.
    """

    def __init__(self, a: Trajectory, b: Trajectory, is_raw: bool) -> None:
        self.a, self.b = _known(a), _known(b)
        self._is_raw = is_raw
        self._known: dict[tuple[bool, Value], bool] = {}

    @property
    def has_two_sets_of_marks(self) -> bool:
        """Both runs were approved, so that one mark may mean two values."""
        return self.a.has_marks and self.b.has_marks

    def mark_of(self, one: Value, other: Value) -> str:
        """Return the mark that stands for one of two values; "" without any."""
        marks = ((self.a, one), (self.b, other))
        return next((value.text for side, value in marks if side.has_marks), "")

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

    def marked(self, text: str, side: Known) -> tuple[str, list[Value]]:
        """Return a text with marks for what a run has made, and these values."""
        values: list[Value] = []
        if self._is_raw:
            return text, values

        def mark(value: Value) -> str | None:
            if not self._is_made(value, side):
                return None
            values.append(value)
            return f"<{value.shape}>"

        return side.replaced(text, mark), values

    def marked_value(self, value: Any, side: Known) -> tuple[Any, list[Value]]:
        """Return a value of JSON with marks in its strings, and what they stand for."""
        values: list[Value] = []

        def mark(text: str) -> str:
            marked, found = self.marked(text, side)
            values.extend(found)
            return marked

        return with_strings(value, mark), values

    def _mark(self, call: ComparedCall, side: Known) -> None:
        found = itertools.chain.from_iterable(
            side.values_in(text) for _, text in strings_in(call.arguments_kept)
        )
        if not any(self._is_made(value, side) for value in found):
            return
        arguments, values = self.marked_value(call.arguments, side)
        origins = [_origin(side, value) for value in values]
        call.set_values(values, arguments, origins)

    def _is_made(self, value: Value, side: Known) -> bool:
        key = (side is self.a, value)
        if key not in self._known:
            other = self.b if side is self.a else self.a
            # Nobody else can hold what only a mark stands for.
            is_known = not side.has_marks and other.holds(value)
            is_made = side.has_made(value) and not is_known
            self._known[key] = is_made
        return self._known[key]


def _origin(side: Known, value: Value) -> tuple[str, ...]:
    """Return what two values have in common that come from the same place."""
    place = side.place(value)
    if place is None:
        return (value.shape,)
    return (value.shape, place.call.tool, place.context, str(place.ordinal))


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
