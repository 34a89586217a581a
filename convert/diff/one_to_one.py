"""Finding the pairs of calls that break the pairing of run-made values."""

from __future__ import annotations

from collections.abc import Iterator

from convert.diff.call_comparison import CallComparison, Row
from convert.diff.compared_call import ComparedCall
from convert.diff.run_made import RunMade
from convert.diff.value_pairs import ValuePairs


def pair_values(rows: list[Row], run_made: RunMade) -> ValuePairs:
    """Pair the values of equal calls; calls that break a pair become changed."""
    pairs = ValuePairs(run_made, paired_calls(rows))
    comparisons = list(_in_order(rows))
    for comparison in comparisons:
        a, b = comparison.a, comparison.b
        if not a or not b or comparison.has_other_arguments:
            continue
        if not pairs.admit(a.values, b.values):
            comparison.has_other_arguments = comparison.is_changed = True
    for comparison in comparisons:
        a, b = comparison.a, comparison.b
        if a and b and comparison.has_other_arguments:
            comparison.value_pairs = pairs
            if a.made_values and b.made_values:
                pairs.admit_members(a.arguments, b.arguments)
    return pairs


def paired_calls(rows: list[Row]) -> Iterator[tuple[ComparedCall, ComparedCall]]:
    """Yield all pairs of calls, each followed by those made inside."""
    for side, comparison in rows:
        if side != "b" and comparison.a and comparison.b:
            yield comparison.a, comparison.b
            yield from paired_calls(comparison.rows)


def _in_order(rows: list[Row]) -> Iterator[CallComparison]:
    """Yield the pairs with values, in an order that does not depend on the baseline."""
    paired = {id(row.comparison): row.comparison for row in rows}
    found = [one for one in paired.values() if _may_have_values(one)]
    for comparison in sorted(found, key=_rank):
        yield comparison
        yield from _in_order(comparison.rows)


def _may_have_values(comparison: CallComparison) -> bool:
    """Return True for a pair whose values count, or the values of calls inside it."""
    a, b = comparison.a, comparison.b
    if a is None or b is None:
        return False
    if comparison.has_other_arguments or comparison.rows:
        return True
    return bool(a.made_values or b.made_values or a.system_values or b.system_values)


def _rank(comparison: CallComparison) -> tuple[int, int, list[bytes]]:
    a, b = comparison.a, comparison.b
    assert a is not None
    assert b is not None
    places = sorted((a.number, b.number))
    return places[0], places[1], sorted((a.origin_key, b.origin_key))
