"""The values that two runs have made, paired one to one, and their names in reports."""

from __future__ import annotations

import itertools
import marshal
from collections.abc import Iterable
from typing import Any

from convert.diff.calls.aligned_call import AlignedCall, Marked
from convert.diff.calls.outputs import digest, strings_in
from convert.diff.calls.recorded_call import RecordedCall
from convert.diff.calls.trajectory import ComparedRun, ValuePlace
from convert.diff.noise_values import (
    PairedValue,
    Value,
    with_strings,
)
from convert.diff.seen_values import ValuesOfRun, is_in, values_of


# A run has made a value if an output showed it before the run used it, if it is an id
# of the run itself, or a time while it ran. A value that the prompt or the other run
# knows was chosen. Only calls without an equal partner are searched.
class RunMade:
    """The values that two runs have made; marks them in the keys of their calls.

    With `is_raw`, no value is noise.
    """

    def __init__(self, a: ComparedRun, b: ComparedRun, is_raw: bool) -> None:
        self.a, self.b = values_of(a), values_of(b)
        self._is_raw = is_raw
        self._known: dict[tuple[bool, Value], bool] = {}

    @property
    def has_two_sets_of_marks(self) -> bool:
        """Both runs were approved, so that one mark may mean two values."""
        return self.a.has_marks and self.b.has_marks

    def mark_of(self, one: Value, other: Value) -> str:
        """Return the mark that replaces one of two values; "" without any."""
        marks = ((self.a, one), (self.b, other))
        return next((value.text for side, value in marks if side.has_marks), "")

    def mark(self) -> None:
        """Replace run-made values by marks in the keys of calls."""
        if self._is_raw:
            return
        for own, other in ((self.a, self.b), (self.b, self.a)):
            partners = {call.keys.form.key for call in other.run.all_calls}
            for call in own.run.all_calls:
                if call.keys.form.key not in partners:
                    self._mark(call, own)

    @property
    def is_exhausted(self) -> bool:
        """There was too much to search in a run."""
        return self.a.is_exhausted or self.b.is_exhausted

    def marked(self, text: str, side: ValuesOfRun) -> tuple[str, list[Value]]:
        """Return a text with marks for values that a run has made, and these values."""
        values: list[Value] = []
        if self._is_raw:
            return text, values

        def mark(value: Value) -> str | None:
            if not self._is_made(value, side):
                return None
            values.append(value)
            return f"<{value.shape}>"

        return side.replaced(text, mark), values

    def marked_value(self, value: Any, side: ValuesOfRun) -> tuple[Any, list[Value]]:
        """Return a value of JSON with marks in its strings, and their values."""
        values: list[Value] = []

        def mark(text: str) -> str:
            marked, found = self.marked(text, side)
            values.extend(found)
            return marked

        return with_strings(value, mark), values

    def _mark(self, call: AlignedCall, side: ValuesOfRun) -> None:
        found = itertools.chain.from_iterable(
            side.values_in(text) for _, text in strings_in(call.keys.form.kept)
        )
        if not any(self._is_made(value, side) for value in found):
            return
        arguments, values = self.marked_value(call.arguments, side)
        origins = [origin_of(value, side.place(value)) for value in values]
        marked = marshal.dumps(arguments, 2)
        call.mark(Marked(tuple(values), marked, digest(origins) if origins else b""))

    def _is_made(self, value: Value, side: ValuesOfRun) -> bool:
        key = (side is self.a, value)
        if key not in self._known:
            other = self.b if side is self.a else self.a
            # No other run can hold a value that only a mark names.
            is_known = not side.has_marks and other.holds(value)
            # Both may have been there on that day.
            is_known = is_known and not side.has_asked_for(value)
            self._known[key] = side.has_made(value) and not is_known
        return self._known[key]


def origin_of(value: Value, place: ValuePlace | None) -> tuple[str, ...]:
    """Return a key that is equal in two values that come from the same place."""
    if place is None:
        return (value.shape,)
    return (value.shape, place.call.tool, place.context, str(place.ordinal))


class ValuePairs:
    """The values of two runs that belong together."""

    def __init__(
        self, run_made: RunMade, calls: Iterable[tuple[RecordedCall, RecordedCall]]
    ) -> None:
        self._run_made = run_made
        # By the identity of a call of either run.
        self._partners: dict[int, RecordedCall] = {}
        for one, other in calls:
            self._partners |= {id(one): other, id(other): one}
        self._forward: dict[Value, Value] = {}
        self._backward: dict[Value, Value] = {}
        # The names of values that belong together, for either run.
        self._names: tuple[dict[Value, str], dict[Value, str]] = ({}, {})

    @property
    def pairs(self) -> list[PairedValue]:
        """The values that differ and belong together, in the order they were found."""
        return [
            PairedValue(one.shape, one.text, other.text)
            for one, other in self._forward.items()
            if one != other
        ]

    def admit(self, ones: list[Value], others: list[Value]) -> bool:
        """Pair the values of two texts in their order; False if one breaks a pair."""
        if len(ones) != len(others):
            return False
        known: dict[Value, Value] = {}
        back: dict[Value, Value] = {}
        for one, other in zip(ones, others, strict=True):
            if (
                self._forward.get(one, other) != other
                or self._backward.get(other, one) != one
                or known.setdefault(one, other) != other
                or back.setdefault(other, one) != one
                or (one not in self._forward and not self._may_be_paired(one, other))
            ):
                return False
        for one, other in known.items():
            self._pair(one, other)
        return True

    def _pair(self, one: Value, other: Value) -> None:
        if one not in self._forward and one != other:
            name = self._run_made.mark_of(one, other)
            name = name or f"<{one.shape} {len(self._names[0]) + 1}>"
            self._names[0][one] = self._names[1][other] = name
        self._forward[one] = other
        self._backward[other] = one

    def admit_texts(self, one: str, other: str) -> None:
        """Pair the values of two texts that are equal but for them."""
        made = self._run_made
        text, values = made.marked(one, made.a)
        other_text, other_values = made.marked(other, made.b)
        if text == other_text:
            self.admit(values, other_values)

    def admit_members(self, one: dict[str, Any], other: dict[str, Any]) -> None:
        """Pair the values of arguments that are equal but for them."""
        made = self._run_made
        for name in sorted(one.keys() & other.keys()):
            value, values = made.marked_value(one[name], made.a)
            other_value, other_values = made.marked_value(other[name], made.b)
            if values and digest(value) == digest(other_value):
                self.admit(values, other_values)

    def admit_by_place(self, ones: list[Value], others: list[Value]) -> None:
        """Pair the values of two calls that outputs of partners show at one place."""
        a, b = self._run_made.a, self._run_made.b
        for one in ones:
            text = self._counterpart(one, a, b) or ""
            found = [value for value in others if is_in(value, text)]
            self.admit([one], found[:1])

    def named_arguments(self, call: AlignedCall, is_baseline: bool) -> dict[str, Any]:
        """Return the arguments of a call with the names of paired values."""
        if not any(self._names):
            return call.arguments
        named: dict[str, Any] = with_strings(
            call.arguments, lambda text: self.named(text, is_baseline)
        )
        return named

    def named(self, text: str, is_baseline: bool) -> str:
        """Return a text with the same name for both values of each pair."""
        names = self._names[not is_baseline]
        made = self._run_made
        if not is_baseline and made.has_two_sets_of_marks:
            return made.b.replaced(text, self._apart)
        side = made.a if is_baseline else made.b
        return side.replaced(text, names.get) if names else text

    def _apart(self, value: Value) -> str:
        """Return a name for a mark of the candidate that the baseline has as well."""
        if self._backward.get(value) == value or self._is_unpaired_twin(value):
            return value.text
        return self._names[1].get(value) or f"{value.text[:-1]} of B>"

    def _is_unpaired_twin(self, value: Value) -> bool:
        """Return True for a mark that means the same in two trajectories.

        Calls that are equal mark for mark pair no values.
        """
        if value in self._forward or value in self._backward:
            return False
        a, b = self._run_made.a, self._run_made.b
        is_shared = a.has_made(value) and b.has_made(value)
        return is_shared and not self._is_from_elsewhere(a.place(value), b.place(value))

    def _may_be_paired(self, one: Value, other: Value) -> bool:
        """Return True if two values come from calls that are partners.

        A shape proves nothing: a name that looks like a made one may be any name.
        """
        a, b = self._run_made.a, self._run_made.b
        if self._run_made.has_two_sets_of_marks:
            return not self._is_from_elsewhere(a.place(one), b.place(other))
        found = (
            (self._counterpart(one, a, b), other),
            (self._counterpart(other, b, a), one),
        )
        if any(text and not is_in(value, text) for text, value in found):
            return False
        kinds = {a.origin_without_call(one), b.origin_without_call(other)} - {"any"}
        if not kinds or (len(kinds) == 1 and None not in kinds):
            return True
        return self._is_shown(one, other, a, b) or self._is_shown(other, one, b, a)

    def _is_shown(
        self, value: Value, found: Value, own: ValuesOfRun, other: ValuesOfRun
    ) -> bool:
        """Return True if the partner of the call that showed a value shows another."""
        origin = own.origin(value)
        partner = self._partners.get(id(origin)) if origin else None
        return partner is not None and other.shows(partner, found)

    def _is_from_elsewhere(
        self, one: ValuePlace | None, other: ValuePlace | None
    ) -> bool:
        """Return True if two values of trajectories do not come from one place.

        The rest of their outputs is not known, so they may be two items of a list.
        """
        if one is None or other is None:
            return one is not other
        partner = self._partners.get(id(one.call))
        return partner is not other.call or not _is_alike(one, other)

    def _counterpart(
        self, value: Value, own: ValuesOfRun, other: ValuesOfRun
    ) -> str | None:
        """Return the value at the same place in the output of the partner."""
        place = own.place(value)
        partner = self._partners.get(id(place.call)) if place else None
        if place is None or partner is None:
            return None
        places = other.places(partner, value.shape).items()
        return next((text for text, each in places if _is_alike(place, each)), None)


def _is_alike(one: ValuePlace, other: ValuePlace) -> bool:
    return (one.context, one.ordinal) == (other.context, other.ordinal)
