"""The comparison of two calls, and the rows in which reports show them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal, NamedTuple

from msgspec import Struct

from convert.diff.compared_call import ComparedCall
from convert.diff.equal_by_rules import Hits
from convert.diff.outputs import ComparedOutput
from convert.diff.value_pairs import ValuePairs

# How a call of the candidate ended, seen from that of the baseline.
Fate = Literal["alike", "better", "worse", "otherwise"]


class CallComparison(Struct):
    """The comparison of a pair of calls, or one call without a partner."""

    a: ComparedCall | None
    """The call of the baseline; None for an added call."""

    b: ComparedCall | None
    """The call of the candidate; None for a removed call."""

    is_moved: bool = False
    """The two calls stand at different places, and the difference counts."""

    has_other_tool: bool = False
    """The tools have different names, and the arguments are equal."""

    has_other_arguments: bool = False
    """The arguments differ."""

    has_other_outcome: bool = False
    """The outcomes differ."""

    is_changed: bool = False
    """The pair differs in something that counts as a change."""

    outputs: tuple[ComparedOutput, ComparedOutput] | None = None
    """The outputs of an otherwise equal pair if they differ, else None."""

    output_hits: tuple[Hits, Hits] | None = None
    """The changes by rules in outputs that count and are equal by rules alone."""

    rows: list[Row] = []
    """The comparison of the calls made inside the pair."""

    value_pairs: ValuePairs | None = None
    """The values of both runs that belong together, if the arguments differ."""

    @property
    def arguments(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """The arguments of both calls, with one name for values that belong together.

        A call that is missing has none.
        """
        pairs = self.value_pairs
        if pairs is None or self.a is None or self.b is None:
            a, b = (call.shown_arguments if call else {} for call in (self.a, self.b))
            return a, b
        return (
            pairs.named_arguments(self.a, is_baseline=True),
            pairs.named_arguments(self.b, is_baseline=False),
        )

    @property
    def has_other_effect(self) -> bool:
        """The calls are edits that changed other things, as far as that is recorded."""
        effects = [call and call.effect for call in (self.a, self.b)]
        return self.has_other_arguments and None not in effects

    @property
    def fate(self) -> Fate:
        """How the pair ended; better is a success where the baseline failed."""
        if self.a is None or self.b is None or not self.has_other_outcome:
            return "alike"
        if self.a.outcome.startswith("error") and self.b.outcome == "ok":
            return "better"
        return "worse" if self.a.outcome == "ok" else "otherwise"

    @property
    def has_other_output(self) -> bool:
        """The outputs of an otherwise equal pair differ."""
        return self.outputs is not None

    @property
    def call(self) -> ComparedCall:
        """The call of the candidate, else that of the baseline."""
        call = self.b or self.a
        assert call is not None
        return call

    @property
    def is_paired(self) -> bool:
        """Both runs made the call."""
        return self.a is not None and self.b is not None

    @property
    def is_in_place(self) -> bool:
        """Both runs made the call, at the same place or where order does not matter."""
        return self.is_paired and not self.is_moved

    @property
    def is_same(self) -> bool:
        """The calls are equal and in place, and so are all calls inside them."""
        return (
            self.is_in_place
            and not self.is_changed
            and all(row.comparison.is_same for row in self.rows)
        )


class Row(NamedTuple):
    """One row of a comparison: a pair in place, or one side of any other calls.

    A moved pair has two rows, one on each side.
    """

    side: Literal["both", "a", "b"]
    """The sides of the report that the row is on."""

    comparison: CallComparison
    """The calls of the row."""


# The calls around a call, outermost first: their numbers in both runs.
Inside = tuple[tuple[int, int], ...]


def comparisons(
    rows: list[Row], inside: Inside = ()
) -> Iterator[tuple[CallComparison, Inside]]:
    """Yield all comparisons of calls, each with the calls around it."""
    for _, comparison in rows:
        yield comparison, inside
        if comparison.rows and comparison.a and comparison.b:
            place = (comparison.a.number, comparison.b.number)
            yield from comparisons(comparison.rows, (*inside, place))
