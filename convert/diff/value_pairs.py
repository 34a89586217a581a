"""Pairing the values that two runs have made, one to one.

A value of the baseline always belongs to the same value of the candidate. A pair of
calls that breaks this is changed, even if its calls are equal but for such values.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from convert.diff.compared_call import ComparedCall
from convert.diff.outputs import digest
from convert.diff.run_made import Place, RunMade, Seen, with_strings
from convert.diff.values import PairedValue, Value, replaced


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
        self._forward |= known
        self._backward |= back
        return True

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
        for name in one.keys() & other.keys():
            value, values = made.marked_value(one[name], made.a)
            other_value, other_values = made.marked_value(other[name], made.b)
            if values and digest(value) == digest(other_value):
                self.admit(values, other_values)

    def named_arguments(self, call: ComparedCall, is_baseline: bool) -> dict[str, Any]:
        """Return the arguments of a call with the names of paired values."""
        named: dict[str, Any] = with_strings(
            call.arguments, lambda text: self.named(text, is_baseline)
        )
        return named

    def named(self, text: str, is_baseline: bool) -> str:
        """Return a text with the same name for both values of each pair."""
        partners = self._forward if is_baseline else self._backward
        numbers = {value: at for at, value in enumerate(self._forward, 1)}

        def name(value: Value) -> str | None:
            partner = partners.get(value)
            if partner is None or partner == value:
                return None
            return f"<{value.shape} {numbers[value if is_baseline else partner]}>"

        return replaced(text, name)

    def _is_contradicted(self, one: Value, other: Value) -> bool:
        """Return True if the outputs show another partner for one of two values."""
        a, b = self._run_made.a, self._run_made.b
        return self._counterpart(one, a, b) not in (
            None,
            other.text,
        ) or self._counterpart(other, b, a) not in (None, one.text)

    def _counterpart(self, value: Value, own: Seen, other: Seen) -> str | None:
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
