"""Pairs of calls, the rows that hold them, and the place where two runs diverge."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal, NamedTuple

from msgspec import Struct

from convert.diff.calls.aligned_call import AlignedCall
from convert.diff.calls.outputs import ComparedOutput
from convert.diff.calls.recorded_call import Order, ends_of
from convert.diff.noise import Hits
from convert.diff.run_made_values import RunMade, ValuePairs


class Place(Struct, frozen=True, omit_defaults=True):
    """A place where two runs diverge or meet again."""

    run: int
    """The number of the pair of runs, from 1."""

    a: int
    """The number of the call in the baseline, from 1; one past the end if none."""

    b: int
    """The number of the call in the candidate, from 1; one past the end if none."""

    line_a: int | None
    """The line where the call of the baseline starts; None past the end."""

    line_b: int | None
    """The line where the call of the candidate starts; None past the end."""

    steps: tuple[tuple[int, int], ...] = ()
    """The calls inside these that are not the same, outermost first, if they are."""

    @property
    def names(self) -> tuple[str, str]:
        """The numbers of the calls in both runs, as `3`, or as `1.2` inside of 1."""
        a, b = (
            ".".join(str(numbers[side]) for numbers in ((self.a, self.b), *self.steps))
            for side in (0, 1)
        )
        return a, b


# A line of either log; None where a log has none.
Lines = tuple[int | None, int | None]
# How a call of the candidate ended, compared with that of the baseline.
Fate = Literal["alike", "better", "worse", "otherwise"]


class CallComparison(Struct):
    """The comparison of a pair of calls, or one call without a partner."""

    a: AlignedCall | None
    """The call of the baseline; None for an added call."""

    b: AlignedCall | None
    """The call of the candidate; None for a removed call."""

    is_moved: bool = False
    """The two calls are at different places, and the difference counts."""

    has_other_tool: bool = False
    """The tools have different names, and the arguments are equal."""

    has_other_arguments: bool = False
    """The arguments differ."""

    is_respelled: bool = False
    """The arguments differ only in the spelling of a command."""

    has_other_outcome: bool = False
    """The outcomes differ."""

    is_changed: bool = False
    """The pair differs in something that counts as a change."""

    outputs: tuple[ComparedOutput, ComparedOutput] | None = None
    """The outputs of an otherwise equal pair if they differ, else None."""

    output_hits: tuple[Hits, Hits] | None = None
    """The hits of rules in outputs that count and are equal only by rules."""

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
            return (
                self.a.arguments if self.a else {},
                self.b.arguments if self.b else {},
            )
        return (
            pairs.named_arguments(self.a, is_baseline=True),
            pairs.named_arguments(self.b, is_baseline=False),
        )

    @property
    def has_other_effect(self) -> bool:
        """The calls are edits, and both logs record that they changed other things."""
        effects = [call and call.keys.forms.effect for call in (self.a, self.b)]
        return self.has_other_arguments and None not in effects

    @property
    def fate(self) -> Fate:
        """How the pair ended; better is a success where the baseline failed.

        A command that changes the world, such as a push, is never better.
        """
        if self.a is None or self.b is None or not self.has_other_outcome:
            return "alike"
        if (
            self.a.recorded.outcome.startswith("error")
            and self.b.recorded.outcome == "ok"
        ):
            is_push = self.b.recorded.only_changes_the_world
            return "otherwise" if is_push else "better"
        return "worse" if self.a.recorded.outcome == "ok" else "otherwise"

    @property
    def call(self) -> AlignedCall:
        """The call of the candidate, else that of the baseline."""
        call = self.b or self.a
        assert call is not None
        return call

    @property
    def calls(self) -> list[AlignedCall]:
        """The calls of the comparison, that of the baseline first."""
        return [call for call in (self.a, self.b) if call]

    @property
    def numbers(self) -> tuple[int, int]:
        """The numbers of the calls in their runs; 0 where a run does not make it."""
        return (
            self.a.recorded.number if self.a else 0,
            self.b.recorded.number if self.b else 0,
        )

    @property
    def lines(self) -> Lines:
        """The lines where the call starts in both logs; None where it is not made."""
        return (
            self.a.recorded.line if self.a else None,
            self.b.recorded.line if self.b else None,
        )

    @property
    def ended_lines(self) -> Lines:
        """The lines where it ends, which record its effects."""
        return (
            self.a.recorded.ended_line if self.a else None,
            self.b.recorded.ended_line if self.b else None,
        )

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
    """Yield all comparisons of calls, each with the calls around it.

    A moved pair comes once, at the place of the baseline.
    """
    for side, comparison in rows:
        if side == "b" and comparison.is_moved:
            continue
        yield comparison, inside
        if comparison.rows:
            yield from comparisons(comparison.rows, (*inside, comparison.numbers))


def pair_values(rows: list[Row], run_made: RunMade) -> ValuePairs:
    """Pair the values of equal calls; calls that break a pair become changed."""
    calls = [(pair.a, pair.b) for pair in pairs_in(rows)]
    pairs = ValuePairs(
        run_made, [(a.recorded, b.recorded) for a, b in calls if a and b]
    )
    comparisons = list(_in_order(rows))
    for comparison in comparisons:
        a, b = comparison.a, comparison.b
        if not a or not b or comparison.has_other_arguments:
            continue
        if not pairs.admit(a.values, b.values):
            comparison.has_other_arguments = comparison.is_changed = True
    for comparison in comparisons:
        a, b = comparison.a, comparison.b
        if a and b and comparison.is_respelled:
            comparison.is_respelled = pairs.admit(a.values, b.values)
    for comparison in comparisons:
        a, b = comparison.a, comparison.b
        if a and b and comparison.has_other_arguments:
            comparison.value_pairs = pairs
            if a.values and b.values:
                pairs.admit_members(a.arguments, b.arguments)
                pairs.admit_by_place(a.values, b.values)
    return pairs


def pairs_in(rows: list[Row]) -> Iterator[CallComparison]:
    """Yield the pairs of calls, each followed by those made inside."""
    return (pair for pair, _ in comparisons(rows) if pair.is_paired)


def _in_order(rows: list[Row]) -> Iterator[CallComparison]:
    """Yield the pairs with values, in an order that does not depend on the baseline."""
    paired = {id(row.comparison): row.comparison for row in rows}
    found = [
        one
        for one in paired.values()
        if one.is_paired
        and (one.has_other_arguments or one.rows or any(c.values for c in one.calls))
    ]
    for comparison in sorted(found, key=_rank):
        yield comparison
        yield from _in_order(comparison.rows)


def _rank(pair: CallComparison) -> tuple[list[int], list[bytes]]:
    return sorted(pair.numbers), sorted(call.keys.origin for call in pair.calls)


class Divergence(NamedTuple):
    """The first calls of two runs, or of two subagents, that are not the same."""

    first: int
    """The number of the first call that is not the same, nor in the same batch."""

    places: tuple[int, int]
    """The numbers of the calls in the baseline and the candidate."""

    lines: Lines
    """The lines where these calls start; None past the end."""


def divergence(
    rows: list[Row], a: list[AlignedCall], b: list[AlignedCall], order: Order
) -> list[Divergence]:
    """Return where two lists of calls diverge first; nothing if they do not.

    If two calls that diverge are equal themselves, the place inside them is next.
    """
    first = _first(rows, len(a), len(b))
    if first is None:
        return []
    pairs = {id(call): row.comparison for row in rows for call in row.comparison.calls}
    at, to = (_place_in_batch(calls, first, pairs, order) for calls in (a, b))
    inner: list[Divergence] = []
    pair = pairs[id(a[at - 1])] if at <= len(a) else None
    is_pair = pair and pair.b and to <= len(b) and pair.b is b[to - 1]
    if pair and pair.a and pair.b and is_pair and not pair.is_changed:
        inner = divergence(pair.rows, pair.a.children, pair.b.children, order)
    return [Divergence(first, (at, to), _lines(a, b, at, to)), *inner]


def _first(rows: list[Row], a: int, b: int) -> int | None:
    """Return the number of the first call of A at which the runs diverge, from 1.

    The calls of A before it are paired with exactly as many of B, equal and in place;
    a batch may have another order.
    """
    partner = dict(pair.numbers for _, pair in rows if pair.is_same)
    same = farthest = 0
    for number in range(1, min(a, b) + 1):
        if number not in partner:
            break
        farthest = max(farthest, partner[number])
        if farthest == number:
            same = number
    return None if same == a == b else same + 1


def _place_in_batch(
    calls: list[AlignedCall],
    first: int,
    pairs: dict[int, CallComparison],
    order: Order,
) -> int:
    """Return the number of the first call of a batch that is not the same.

    A batch diverges from its first call on, which may be the same in both runs.
    """
    if first > len(calls) or not pairs[id(calls[first - 1])].is_same:
        return first
    end = ends_of([call.recorded for call in calls], order)[first - 1]
    batch = calls[first - 1 : end]
    others = (call.recorded.number for call in batch if not pairs[id(call)].is_same)
    return next(others, first)


def place_of_divergence(run: int, diverged: list[Divergence]) -> Place:
    """Return where two runs diverge, down to the calls of subagents."""
    places, *steps = (each.places for each in diverged)
    return Place(run, *places, *diverged[-1].lines, steps=tuple(steps))


def resync(
    run: int, rows: list[Row], a: list[AlignedCall], b: list[AlignedCall], first: int
) -> Place | None:
    """Return the next pair from a number on that is equal and in place.

    If several are as near, the choice does not depend on which run is the baseline.
    """
    one, other = ([call.keys.exact for call in calls] for calls in (a, b))
    later = [
        (pair.numbers, pair.call.keys.exact)
        for _, pair in rows
        if pair.is_same and pair.numbers[0] >= first
    ]
    if not later:
        return None
    (at, to), _ = min(
        later,
        key=lambda pair: (
            sum(pair[0]),
            abs(pair[0][0] - pair[0][1]),
            pair[1],
            pair[0][one > other],
        ),
    )
    return Place(run, at, to, *_lines(a, b, at, to))


def _lines(a: list[AlignedCall], b: list[AlignedCall], at: int, to: int) -> Lines:
    return (
        a[at - 1].recorded.line if at <= len(a) else None,
        b[to - 1].recorded.line if to <= len(b) else None,
    )
