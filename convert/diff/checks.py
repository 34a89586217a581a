"""The checks of the last changes of both runs to files, and the tests that they ran."""

from __future__ import annotations

import functools
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import accumulate
from typing import Literal

from convert.diff.alignment.rows import CallComparison, Inside, Row, comparisons
from convert.diff.calls.aligned_call import AlignedCall
from convert.diff.calls.trajectory import ComparedRun, with_inner
from convert.diff.comparison import Finding, RunComparison
from convert.facts.counted_tests import CountedTests
from convert.facts.failed_calls import Checks
from convert.options.settings import Settings, Severity
from convert.tools.shell import attempt_of

# A check is a command that acts, and does more than to record, move or send work. It is
# the same in both runs if it is one pair of calls, or if it runs the same program.
PASSED = "passed after the last change"
EARLIER = "run only before the last change"
PARALLEL = "run only in parallel with the last change"
GONE = "not run after the last change"
_UNKNOWN = "run after the last change, with an unknown result"


def verifications(
    compared: RunComparison, a: ComparedRun, b: ComparedRun, settings: Settings
) -> Iterator[Finding]:
    """Yield the checks that passed after the last change of one run only.

    A check that ran far fewer tests there than in the other run is one of `tests`.
    """
    has_order = settings.effective_order != "any"
    one, other = _Run(a), _Run(b)
    if not (one.has_changes and other.has_changes) or one.ended_like(other):
        return
    rows = {
        id(call): (comparison, inside)
        for comparison, inside in comparisons(compared.rows)
        for call in calls_of(comparison)
    }
    lost = [(*each, False) for each in one.lost_in(other, rows, has_order)]
    lost += [(*each, True) for each in other.lost_in(one, rows, has_order)]
    for check, fate, is_better in lost:
        comparison, inside = rows[id(check)]
        was, now = (fate, PASSED) if is_better else (PASSED, fate)
        yield Finding(
            "verification",
            "major",
            compared.number,
            comparison,
            was,
            now,
            better=is_better,
            inside=inside,
        )
    for check, wider in one.narrower_in(other):
        comparison, inside = rows[id(check)]
        tests, more = check.recorded.counted_tests, wider.recorded.counted_tests
        is_better = check is comparison.a
        counts = (tests, more) if is_better else (more, tests)
        was, now = (_in_words(each) for each in counts if each)
        yield Finding(
            "tests",
            "major",
            compared.number,
            comparison,
            was,
            now,
            better=is_better,
            inside=inside,
        )


def reordered_commands(
    rows: list[Row],
) -> dict[int, tuple[CallComparison, CallComparison]]:
    """Return each command that only one run made before a change which both made.

    The command and the change go by the identity of the moved pair, which is one of
    them. A check comes before a command such as a commit. A command that hands the
    work on, such as a push, is one whose order with a check decides as well.
    """
    pairs = list({id(row.comparison): row.comparison for row in rows}.values())
    changes = _Crossed([pair for pair in pairs if _is_change(pair)])
    commands: list[_Crossed] = []
    checks = handed_on = None
    found: dict[int, tuple[CallComparison, CallComparison]] = {}
    for pair in pairs:
        found |= reordered_commands(pair.rows)
        if not pair.is_moved:
            continue
        if _is_change(pair):
            commands = commands or [
                _Crossed([pair for pair in pairs if is_check(pair)]),
                _Crossed([pair for pair in pairs if _is_acting_command(pair)]),
            ]
            crossed = (each.by(pair) for each in commands)
            if command := next(filter(None, crossed), None):
                found[id(pair)] = command, pair
        elif _is_acting_command(pair) and (change := changes.by(pair)):
            found[id(pair)] = pair, change
        elif _hands_on(pair):
            checks = checks or _Crossed([each for each in pairs if is_check(each)])
            if check := checks.by(pair):
                found[id(pair)] = pair, check
        elif is_check(pair):
            handed_on = handed_on or _Crossed(
                [each for each in pairs if _hands_on(each)]
            )
            if command := handed_on.by(pair):
                found[id(pair)] = command, pair
    return found


def _is_change(pair: CallComparison) -> bool:
    return pair.is_paired and all(call.recorded.changes_files for call in pair.calls)


def is_check(pair: CallComparison) -> bool:
    """Return True for a pair of commands that can tell if the work is right."""
    return pair.is_paired and any(
        c.recorded.checked_by != "nothing" for c in pair.calls
    )


def _hands_on(pair: CallComparison) -> bool:
    return pair.is_paired and all(call.recorded.hands_on for call in pair.calls)


def _is_acting_command(pair: CallComparison) -> bool:
    is_command = all(call.recorded.kind == "shell" for call in pair.calls)
    return pair.is_paired and is_command and any(c.recorded.acts for c in pair.calls)


class _Crossed:
    """Pairs of calls, one of which may have another order with a further pair."""

    def __init__(self, pairs: list[CallComparison]) -> None:
        self._pairs = sorted(pairs, key=lambda pair: pair.numbers[0])
        self._places = [pair.numbers[0] for pair in self._pairs]
        numbers = [pair.numbers[1] for pair in self._pairs]
        # The latest partner up to each pair, and the earliest one from it on.
        self._latest = [*accumulate(numbers, max)]
        self._earliest = [*accumulate(reversed(numbers), min)][::-1]

    def by(self, pair: CallComparison) -> CallComparison | None:
        """Return a pair that has another order with this one; None if none."""
        at, to = pair.numbers
        before, after = bisect_left(self._places, at), bisect_right(self._places, at)
        found: list[CallComparison] = []
        if before and self._latest[before - 1] > to:
            found += self._pairs[:before]
        if after < len(self._pairs) and self._earliest[after] < to:
            found += self._pairs[after:]
        crossed = (other for other in found if _is_crossed(pair, other))
        return min(crossed, key=rank, default=None)


def rank(pair: CallComparison) -> tuple[list[int], str]:
    """Return the place of a pair, the same whichever run is the baseline."""
    return sorted(pair.numbers), pair.call.label


def _is_crossed(one: CallComparison, other: CallComparison) -> bool:
    """Return True if both runs made two pairs one after the other, in another order."""
    (at, to), (other_at, other_to) = one.numbers, other.numbers
    return (at - other_at) * (to - other_to) < 0 and not (
        _in_parallel(one.a, other.a) or _in_parallel(one.b, other.b)
    )


def _in_parallel(one: AlignedCall | None, other: AlignedCall | None) -> bool:
    """Return True if two calls of a run were made in one step, or at the same time."""
    if (
        one is None
        or other is None
        or (one.recorded.step and one.recorded.step == other.recorded.step)
    ):
        return True
    return (
        one.recorded.starts < other.recorded.ends
        and other.recorded.starts < one.recorded.ends
    )


def _result(call: AlignedCall) -> Literal["passed", "failed", "unknown", "none"]:
    """Return how a command ended as a check.

    Its output decides where it counts a failure, and where its status is that of
    another command, as in `pytest || true` and `pytest && git push`.
    """
    recorded = call.recorded
    if recorded.checked_by == "nothing":
        return "none"
    tests = recorded.counted_tests
    if recorded.outcome != "ok":
        has_passed = tests and tests.passed and not tests.has_failures
        is_elsewhere = has_passed and recorded.may_have_failed_elsewhere
        return "passed" if is_elsewhere else "failed"
    if tests and (tests.has_failures or tests.passed):
        return "failed" if tests.has_failures else "passed"
    return "passed" if recorded.checked_by == "status" else "unknown"


def _passed(call: AlignedCall) -> int:
    tests = call.recorded.counted_tests
    return (tests and tests.passed) or 0


def _is_small_part(one: AlignedCall, other: AlignedCall) -> bool:
    """Return True if a check ran far fewer tests than one that checks all it does."""
    tests, others = one.recorded.counted_tests, other.recorded.counted_tests
    if tests is None or others is None or tests.unit != others.unit:
        return False
    narrow, wide = (attempt_of(call.recorded.command) for call in (one, other))
    return _are_far_apart(tests, others) and any(
        wider in wide.checks for check in narrow.checks for wider in check.wider
    )


class _Run:
    """The commands of one run."""

    def __init__(self, run: ComparedRun) -> None:
        self._commands: list[AlignedCall] = []
        self._changes: list[AlignedCall] = []
        self._checks: Checks[AlignedCall] = Checks()
        for call in run.all_calls:
            if call.recorded.changes_files:
                self._changes.append(call)
                self._checks.add_change(call.recorded.ends, call.recorded.step)
            elif call.recorded.kind == "shell":
                self._commands.append(call)
                if call.recorded.outcome == "ok":
                    self._checks.add_passed(
                        call, call.recorded.starts, call.recorded.step
                    )
        self.has_changes = self._checks.has_changes
        self.ended_well = self._checks.passed

    @functools.cached_property
    def _passed(self) -> list[AlignedCall]:
        """The checks that passed after the last change."""
        return [call for call in self.ended_well if _result(call) == "passed"]

    def ended_like(self, other: _Run) -> bool:
        """Return True if equal commands ended alike after the last change of both runs.

        To find this out, no command is parsed.
        """

        def are_equal(key: Callable[[AlignedCall], tuple[object, ...]]) -> bool:
            return Counter(map(key, self.ended_well)) == Counter(
                map(key, other.ended_well)
            )

        # Most outputs are equal, and need not be searched for tests.
        return are_equal(
            lambda call: (call.keys.arguments, call.recorded.output_kept)
        ) or are_equal(lambda call: (call.keys.arguments, call.recorded.counted_tests))

    def lost_in(
        self,
        other: _Run,
        rows: dict[int, tuple[CallComparison, Inside]],
        has_order: bool,
    ) -> Iterator[tuple[AlignedCall, str]]:
        """Yield the last check of each program that did not pass in another run."""
        is_any_gone = False
        last = {check.keys.tool: check for check in self._passed}
        for check in last.values():
            if any(call.keys.tool == check.keys.tool for call in other._passed):
                continue
            there = other._made(check, rows[id(check)][0])
            fate = other._fate(there)
            if fate in (PASSED, _UNKNOWN) or (
                fate in (EARLIER, PARALLEL) and not has_order
            ):
                continue
            if there:
                yield check, fate
            elif not other._may_have_passed and not is_any_gone:
                # One check that is gone says enough.
                is_any_gone = True
                yield check, fate

    def narrower_in(self, other: _Run) -> Iterator[tuple[AlignedCall, AlignedCall]]:
        """Yield the checks of one run that are a small part of one of the other run.

        Of each program, the check with the most tests counts. Those of equal commands
        are compared one by one.
        """
        others = other._widest
        for tool, check in self._widest.items():
            if tool in others:
                fewer, more = sorted((check, others[tool]), key=_passed)
                if _spelling(fewer) != _spelling(more) and _is_small_part(fewer, more):
                    yield fewer, more

    @property
    def _widest(self) -> dict[bytes, AlignedCall]:
        """The check of each program that passed most tests after the last change."""
        counted = (call for call in self._passed if call.recorded.counted_tests)
        return {call.keys.tool: call for call in sorted(counted, key=_passed)}

    @property
    def _may_have_passed(self) -> bool:
        """A check passed after the last change, or it is not known if it did."""
        return any(
            _result(call) in ("passed", "unknown")
            for call in self._commands
            if self._is_after(call)
        )

    def _is_after(self, call: AlignedCall) -> bool:
        return self._checks.is_after(call.recorded.starts, call.recorded.step)

    def _made(
        self, check: AlignedCall, comparison: CallComparison
    ) -> list[AlignedCall]:
        """Return the calls of this run that are the check of the other one."""
        partners = (comparison.a, comparison.b)
        return [
            call
            for call in self._commands
            if (
                any(call is partner for partner in partners)
                or call.keys.tool == check.keys.tool
            )
            and _result(call) != "none"
        ]

    def _fate(self, made: list[AlignedCall]) -> str:
        """Return the fate of a check that this run made as these calls."""
        after = [call for call in made if self._is_after(call)]
        results = [_result(call) for call in after]
        if "passed" in results:
            return PASSED
        if "unknown" in results:
            return _UNKNOWN
        if after:
            tests = after[-1].recorded.counted_tests
            is_hidden = after[-1].recorded.outcome == "ok"
            return tests.failures if tests and is_hidden else after[-1].recorded.outcome
        last = max(self._changes, key=lambda change: change.recorded.ends)
        if any(_in_parallel(call, last) for call in made):
            return PARALLEL
        return EARLIER if made else GONE


def calls_of(comparison: CallComparison) -> Iterator[AlignedCall]:
    """Yield the calls of a comparison; of a lone subagent, also those inside it."""
    calls = comparison.calls
    return iter(calls) if comparison.is_paired else with_inner(calls)


# A test runner may exit with 0 although it skipped every test, and in a pipeline
# although some failed. The last time of each command counts, if that is a pair of
# calls.
def other_tests(
    compared: RunComparison, a: ComparedRun, b: ComparedRun
) -> Iterator[Finding]:
    """Yield the commands that passed or failed other numbers of tests."""
    pairs = [
        (comparison, inside)
        for comparison, inside in comparisons(compared.rows)
        if comparison.call.recorded.kind == "shell" and _may_count_others(comparison)
    ]
    # To spell all commands takes time.
    key = _spelling if any(pair.is_respelled for pair, _ in pairs) else _command
    last = (_last(a, key), _last(b, key)) if pairs else ({}, {})
    for comparison, inside in pairs:
        if _is_last(comparison, key, *last) and comparison.call.recorded.acts:
            one, other = (call.recorded.counted_tests for call in comparison.calls)
            if one is None or other is None or one.unit != other.unit:
                continue
            is_worse = _is_less(other, one)
            if is_worse or _is_less(one, other):
                yield Finding(
                    "tests",
                    _severity(one, other),
                    compared.number,
                    comparison,
                    _in_words(one),
                    _in_words(other),
                    better=not is_worse,
                    inside=inside,
                )


def _severity(one: CountedTests, other: CountedTests) -> Severity:
    """Return how severe it is that other numbers of tests passed or failed.

    It is minor if both runs have failures. A few tests more are no loss.
    """
    if other.has_failures != one.has_failures or _skips_most(one) != _skips_most(other):
        return "major"
    if _are_far_apart(one, other):
        return "major"
    return "minor" if one.has_failures else "info"


def _are_far_apart(one: CountedTests, other: CountedTests) -> bool:
    """Return True if one passed fewer tests by more than a tenth."""
    if one.passed is None or other.passed is None:
        return False
    return 10 * min(one.passed, other.passed) < 9 * max(one.passed, other.passed)


def _skips_most(tests: CountedTests) -> bool:
    """Return True if a check skips more tests than pass and fail."""
    return tests.skipped > (tests.passed or 0) + tests.failed + tests.errors


def _in_words(tests: CountedTests) -> str:
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
    """Return True if the outputs may differ of calls that are equal, or respelled."""
    if pair.outputs or pair.a is None or pair.b is None:
        return pair.outputs is not None
    if pair.is_respelled and not pair.has_other_outcome:
        return True
    is_same = not (pair.is_changed or pair.has_other_tool)
    return is_same and bool(pair.a.recorded.tests or pair.b.recorded.tests)


_Key = Callable[[AlignedCall], bytes]


def _last(run: ComparedRun, key: _Key) -> dict[bytes, AlignedCall]:
    """Return the call that made each command last."""
    calls = (call for call in run.all_calls if call.recorded.kind == "shell")
    return {key(call): call for call in calls}


def _command(call: AlignedCall) -> bytes:
    """Return a key that is equal in calls of one command, whatever else is compared."""
    return call.keys.arguments if _is_as_compared(call) else call.keys.form.key


def _spelling(call: AlignedCall) -> bytes:
    """Return a key that is equal in calls of one command, in whatever spelling."""
    return call.keys.spelling if _is_as_compared(call) else call.keys.form.key


def _is_as_compared(call: AlignedCall) -> bool:
    keys, how = call.keys, call.keys.manner.how
    return how == "exact" or (keys.manner.is_across and how == "subject")


def _is_last(
    pair: CallComparison,
    key: _Key,
    a: dict[bytes, AlignedCall],
    b: dict[bytes, AlignedCall],
) -> bool:
    """Return True if both runs made the command of a pair for the last time."""
    if pair.a is None or pair.b is None or key(pair.a) != key(pair.b):
        return False
    return a[key(pair.a)] is pair.a and b[key(pair.b)] is pair.b


def _is_less(one: CountedTests, other: CountedTests) -> bool:
    """Return True if fewer tests passed than in another run, or more failed."""
    if one.failed + one.errors > other.failed + other.errors:
        return True
    if _skips_most(one) and not _skips_most(other):
        return True
    if one.passed is None or other.passed is None:
        return False
    return one.passed < other.passed
