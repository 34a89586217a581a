"""Pairing the values that two runs have made, one to one.

A value of the baseline always belongs to the same value of the candidate. A pair of
calls that breaks this is changed, even if its calls are equal but for such values.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from convert.diff.compared_call import ComparedCall
from convert.diff.outputs import digest
from convert.diff.run_made import Known, RunMade, with_strings
from convert.diff.value_places import Place
from convert.diff.values import SYSTEM_SHAPES, PairedValue, Value


class ValuePairs:
    """The values of two runs that belong together."""

    def __init__(
        self, run_made: RunMade, calls: Iterable[tuple[ComparedCall, ComparedCall]]
    ) -> None:
        self._run_made = run_made
        # By the identity of a call of either run.
        self._partners: dict[int, ComparedCall] = {}
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
        pairs = list(zip(ones, others, strict=True))
        known: dict[Value, Value] = {}
        back: dict[Value, Value] = {}
        for one, other in pairs:
            if self._forward.get(one, known.setdefault(one, other)) != other:
                return False
            if self._backward.get(other, back.setdefault(other, one)) != one:
                return False
            if known[one] != other or back[other] != one:
                return False
            if one not in self._forward and self._is_contradicted(one, other):
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

    def named_arguments(self, call: ComparedCall, is_baseline: bool) -> dict[str, Any]:
        """Return the arguments of a call with the names of paired values."""
        if not any(self._names):
            return call.shown_arguments
        named: dict[str, Any] = with_strings(
            call.shown_arguments, lambda text: self.named(text, is_baseline)
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

    def _is_contradicted(self, one: Value, other: Value) -> bool:
        """Return True if the outputs show another partner for one of two values."""
        if one.shape in SYSTEM_SHAPES:
            return False
        a, b = self._run_made.a, self._run_made.b
        if self._run_made.has_two_sets_of_marks:
            return self._is_from_elsewhere(a.place(one), b.place(other))
        found = self._counterpart(one, a, b), self._counterpart(other, b, a)
        return found[0] not in (None, other.text) or found[1] not in (None, one.text)

    def _is_from_elsewhere(self, one: Place | None, other: Place | None) -> bool:
        """Return True if two values of trajectories do not come from one place.

        The rest of their outputs is not known, so that they may be two of a list.
        """
        if one is None or other is None:
            return one is not other
        partner = self._partners.get(id(one.call))
        return partner is not other.call or not _is_alike(one, other)

    def _counterpart(self, value: Value, own: Known, other: Known) -> str | None:
        """Return the value at the same place in the output of the partner."""
        place = own.place(value)
        partner = self._partners.get(id(place.call)) if place else None
        if place is None or partner is None:
            return None
        for text, there in other.places(partner, value.shape).items():
            if _is_alike(place, there):
                return text
        return None


def _is_alike(one: Place, other: Place) -> bool:
    return (one.context, one.ordinal) == (other.context, other.ordinal)
