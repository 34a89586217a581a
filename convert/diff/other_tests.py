"""Commands that ran other tests in the two runs, as their outputs count them.

A test runner may exit with 0 although it skipped every test, and in a pipeline although
some failed. The last time of each command counts, if that is a pair of calls.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from convert.diff.call_comparison import CallComparison, Inside, comparisons
from convert.diff.changes import RunComparison
from convert.diff.compared_call import ComparedCall
from convert.diff.trajectory import Trajectory
from convert.facts.counted_tests import CountedTests


class OtherTests(Struct, frozen=True):
    """A command that ran other tests in the two runs."""

    comparison: CallComparison
    """The calls."""

    inside: Inside
    """The calls around them, outermost first: their numbers in both runs."""

    a: CountedTests
    """The tests that the baseline ran."""

    b: CountedTests
    """The tests that the candidate ran."""

    @property
    def is_better(self) -> bool:
        """The candidate passed at least as many tests, and no more of them failed."""
        return not _is_less(self.b, self.a)

    @property
    def is_severe(self) -> bool:
        """Only one run passed any test, or in only one of them tests failed."""
        has_passed, had_passed = self.b.passed != 0, self.a.passed != 0
        has_failed, had_failed = self.b.has_failures, self.a.has_failures
        return has_passed != had_passed or has_failed != had_failed


def other_tests(
    compared: RunComparison, a: Trajectory, b: Trajectory
) -> Iterator[OtherTests]:
    """Yield the commands that passed or failed other numbers of tests."""
    # A moved pair has two rows.
    pairs = {
        id(comparison): (comparison, inside)
        for comparison, inside in comparisons(compared.rows)
        if comparison.call.kind == "shell" and _may_count_others(comparison)
    }
    last = (_last(a), _last(b)) if pairs else ({}, {})
    for comparison, inside in pairs.values():
        if _is_last(comparison, *last) and comparison.call.acts:
            one, other = _counted(comparison.a), _counted(comparison.b)
            if one and other and one.unit == other.unit and _differ(one, other):
                yield OtherTests(comparison, inside, one, other)


def in_words(tests: CountedTests) -> str:
    """Return the numbers of tests in words: `0 passed, 43 skipped`."""
    counts = [
        (tests.passed, "passed"),
        (tests.failed or None, "failed"),
        (tests.skipped or None, "skipped"),
        (tests.errors or None, "with errors"),
    ]
    named = [f"{number:,} {how}" for number, how in counts if number is not None]
    return ", ".join(named) + (" (packages)" if tests.unit == "packages" else "")


def _may_count_others(pair: CallComparison) -> bool:
    """Return True if the outputs differ of equal calls, or if one is not recorded."""
    if pair.outputs or pair.a is None or pair.b is None:
        return pair.outputs is not None
    is_same = not (pair.is_changed or pair.has_other_tool)
    return is_same and bool(pair.a.recorded_tests or pair.b.recorded_tests)


def _counted(call: ComparedCall | None) -> CountedTests | None:
    return call.counted_tests if call else None


def _last(run: Trajectory) -> dict[bytes, ComparedCall]:
    """Return the call that made each command last."""
    calls = (call for call in run.all_calls if call.kind == "shell")
    return {_command(call): call for call in calls}


def _command(call: ComparedCall) -> bytes:
    """Return what is equal in two calls of one command, whatever else is compared."""
    if call.is_across and call.compared_by == "subject":
        return call.arguments_key
    return call.arguments_key if call.compared_by == "exact" else call.spelled_key


def _is_last(
    pair: CallComparison, a: dict[bytes, ComparedCall], b: dict[bytes, ComparedCall]
) -> bool:
    """Return True if both runs made the command of a pair for the last time."""
    if pair.a is None or pair.b is None or _command(pair.a) != _command(pair.b):
        return False
    return a[_command(pair.a)] is pair.a and b[_command(pair.b)] is pair.b


def _differ(one: CountedTests, other: CountedTests) -> bool:
    return _is_less(one, other) or _is_less(other, one)


def _is_less(one: CountedTests, other: CountedTests) -> bool:
    """Return True if fewer tests passed than in another run, or more failed."""
    if one.failed + one.errors > other.failed + other.errors:
        return True
    if one.passed is None or other.passed is None:
        return False
    return one.passed < other.passed
