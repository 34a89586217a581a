"""Comparing repeated runs two by two: how far apart they are, and what they show."""

from __future__ import annotations

import itertools
import statistics
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from msgspec import Struct

from convert.diff import Comparison, Side, compare_as_named
from convert.diff.call_comparison import comparisons
from convert.diff.compared_call import ComparedCall
from convert.errors import InputError
from convert.options.settings import Settings
from convert.suite.repeated import Distances, Flaps
from convert.suite.repeated_keys import Key, keys_in


class RepeatedRun(NamedTuple):
    """One of the repeated runs of a case."""

    log: str
    """The path of its log."""

    side: Side


class Pairs(Struct):
    """All pairs of some runs with others, by their places."""

    distances: dict[tuple[int, int], float] = {}
    keys: dict[tuple[int, int], frozenset[Key]] = {}
    same_paths: set[tuple[int, int]] = set()
    """The pairs that made the same calls in the same order."""

    def spread(self) -> Distances | None:
        """Return how far the runs of all pairs are apart; None without a pair."""
        found = [*self.distances.values()]
        if not found:
            return None
        return Distances(len(found), statistics.median(found), max(found))


def compare_runs(a: RepeatedRun, b: RepeatedRun, settings: Settings) -> Comparison:
    """Compare two runs; an error names their logs."""
    try:
        return compare_as_named(a.side, b.side, settings)
    except InputError as error:
        raise InputError(f"{a.log}, {b.log}: {error.message}") from error


def pairs_within(runs: Sequence[RepeatedRun], settings: Settings) -> Pairs:
    """Compare every two runs of one side, in both directions."""
    pairs = Pairs()
    for at, to in itertools.combinations(range(len(runs)), 2):
        _add(pairs, (at, to), compare_runs(runs[at], runs[to], settings))
        # A limit for growth, or a call that is judged by its result, has a direction.
        back = compare_runs(runs[to], runs[at], settings)
        pairs.keys[at, to] |= keys_in(back)
    return pairs


def pairs_apart(runs: Sequence[RepeatedRun], settings: Settings) -> Pairs:
    """Compare every two runs of one side only for how far they are apart."""
    pairs = Pairs()
    for at, to in itertools.combinations(range(len(runs)), 2):
        _add_distance(pairs, (at, to), compare_runs(runs[at], runs[to], settings))
    return pairs


def pairs_across(
    a: Sequence[RepeatedRun], b: Sequence[RepeatedRun], settings: Settings
) -> Pairs:
    """Compare every run of the baseline with every run of the candidate."""
    pairs = Pairs()
    for at, to in itertools.product(range(len(a)), range(len(b))):
        _add(pairs, (at, to), compare_runs(a[at], b[to], settings))
    return pairs


def flaps_of(within: Pairs, across: Pairs) -> dict[Key, Flaps]:
    """Return in how many pairs each finding occurs that a pair across shows."""
    inside = Counter(itertools.chain.from_iterable(within.keys.values()))
    outside = Counter(itertools.chain.from_iterable(across.keys.values()))
    sizes = len(within.keys), len(across.keys)
    return {
        key: Flaps(inside[key], sizes[0], number, sizes[1])
        for key, number in outside.items()
    }


def medoid(pairs: Pairs, runs: Sequence[RepeatedRun]) -> int:
    """Return the run with the least mean distance from the others.

    If there are several, it is the first that ended as most runs did. Runs are in the
    order of their names.
    """
    sums = [0.0] * len(runs)
    states = [run.side.runs[-1].run.state if run.side.runs else None for run in runs]
    alike = Counter(states)
    for places, distance in pairs.distances.items():
        for place in places:
            sums[place] += distance
    # Sums of the same distances may differ in their last digits.
    return min(
        range(len(runs)),
        key=lambda place: (round(sums[place], 9), -alike[states[place]]),
    )


def most_common_path(pairs: Pairs, size: int) -> list[int]:
    """Return the largest group of runs that made the same calls; the first of some."""
    groups: list[list[int]] = []
    for place in range(size):
        for group in groups:
            if (group[0], place) in pairs.same_paths:
                group.append(place)
                break
        else:
            groups.append([place])
    return max(groups, key=len)


def _add(pairs: Pairs, places: tuple[int, int], comparison: Comparison) -> None:
    _add_distance(pairs, places, comparison)
    pairs.keys[places] = keys_in(comparison)


def _add_distance(
    pairs: Pairs, places: tuple[int, int], comparison: Comparison
) -> None:
    pairs.distances[places] = distance(comparison)
    if has_same_path(comparison):
        pairs.same_paths.add(places)


def distance(comparison: Comparison) -> float:
    """Return 1 less the share of equal calls; without calls, of equal words."""
    if comparison.level == "calls":
        counts = comparison.counts
        calls = counts.a + counts.b
        return 1 - 2 * counts.same / calls if calls else 0.0
    texts = [run.text for run in comparison.runs if run.text]
    if not texts:
        return float(comparison.severity not in ("none", "info"))
    return 1 - min(1.0 if text.is_equal else text.similarity for text in texts)


def has_same_path(comparison: Comparison) -> bool:
    """Tell if both logs made calls of the same tools about the same, in one order."""
    if comparison.level != "calls":
        return False
    return all(
        run.a is not None and run.b is not None for run in comparison.runs
    ) and all(
        a is not None and b is not None and a.subject_key == b.subject_key
        for a, b in _calls(comparison)
    )


def _calls(
    comparison: Comparison,
) -> Iterator[tuple[ComparedCall | None, ComparedCall | None]]:
    """Yield the calls of both logs side by side; a moved one stands alone."""
    for run in comparison.runs:
        for pair, _ in comparisons(run.rows):
            yield pair.a, None if pair.is_moved else pair.b
