"""The figures of repeated runs on two sides, and how sure a difference of them is."""

from __future__ import annotations

from collections.abc import Sequence

from convert.diff import Side
from convert.facts.figures import Figures, total
from convert.facts.run_reasons import OUTSIDE
from convert.model.cost import cost_of_fractions, fractions_of, json_number
from convert.model.events import ReasonKind
from convert.stats.quantiles import rate
from convert.suite.chance import (
    FEWEST,
    fisher,
    holm,
    least_fisher,
    pass_all,
    permutation,
)
from convert.suite.medians import median_of
from convert.suite.repeated import Measure, Sample, Success, Test

_MEASURES = ("calls", "duration_ms", "tokens")
_TRIES = (2, 4, 8, 16)


def figures_of(
    a: Sequence[Side],
    b: Sequence[Side],
    counted: tuple[Sequence[Side], Sequence[Side]],
    max_p: float,
) -> tuple[Success, list[Measure], int]:
    """Return the successes and the other figures of the runs of two sides.

    `counted` are the runs that count as successes or failures. The last number is that
    of the tests, which Holm's correction counts.
    """
    hits = _hits(counted[0]), _hits(counted[1])
    success = Success(a=rate(*hits[0]), b=rate(*hits[1]), all_of=_all_of(*hits))
    values = {name: (_values(a, name), _values(b, name)) for name in _MEASURES}
    measures = [
        Measure(name=name, a=_sample(ones), b=_sample(others))
        for name, (ones, others) in values.items()
    ]
    measures += _costs(a, b)
    found = [_success_p(*hits, max_p), *(_p(*each) for each in values.values())]
    tests = _tests(found, max_p)
    success.test = tests[0]
    # A cost follows the tokens: a test of its own would only make those less sure.
    for measure, test in zip(measures[: len(_MEASURES)], tests[1:], strict=True):
        measure.test = test
    return success, measures, sum(p is not None for p in found)


def is_cut(side: Side) -> bool:
    """Tell if a log breaks off before its last run came to an end, and not why."""
    is_open = bool(side.runs) and side.runs[-1].run.state in ("cut", "unfinished")
    return is_open and not stopped_by(side)


def stopped_by(side: Side) -> ReasonKind:
    """Return what stopped the last run of a log; "" if that is the agent's matter."""
    kind = side.runs[-1].run.reason_kind if side.runs else ""
    return kind if kind in OUTSIDE else ""


def _hits(sides: Sequence[Side]) -> tuple[int, int]:
    """Return how many runs succeeded, among those whose end is recorded.

    A log that breaks off is that of a failure.
    """
    states = [side.runs[-1].run.state for side in sides if side.runs]
    return states.count("success"), len(states) - states.count(None)


def _all_of(a: tuple[int, int], b: tuple[int, int]) -> list[tuple[int, float, float]]:
    return [
        (tries, pass_all(*a, tries), pass_all(*b, tries))
        for tries in _TRIES
        if tries <= min(a[1], b[1])
    ]


def _values(sides: Sequence[Side], name: str) -> list[int]:
    """Return a figure of those runs that record it."""
    found = (_value(total(run.figures for run in side.runs), name) for side in sides)
    return [value for value in found if value is not None]


def _costs(a: Sequence[Side], b: Sequence[Side]) -> list[Measure]:
    """Return the costs of both sides in US dollars; nothing if no run records one."""
    sides = [
        _sample(
            [
                fractions_of(cost)
                for side in sides
                if (cost := total(run.figures for run in side.runs).cost_usd)
                is not None
            ]
        )
        for sides in (a, b)
    ]
    if sides == [None, None]:
        return []
    one, other = map(_in_dollars, sides)
    return [Measure(name="cost_usd", a=one, b=other)]


def _in_dollars(sample: Sample | None) -> Sample | None:
    if sample is None:
        return None
    numbers = (sample.median, sample.least, sample.most)
    plain = [json_number(cost_of_fractions(round(number))) for number in numbers]
    return Sample(sample.recorded, *plain)


def _value(figures: Figures, name: str) -> int | None:
    match name:
        case "calls":
            return figures.calls
        case "duration_ms":
            return figures.duration_ms
    return figures.exact_tokens


def _sample(values: list[int]) -> Sample | None:
    median = median_of(values)
    if median is None:
        return None
    return Sample(len(values), median, min(values), max(values))


def _success_p(a: tuple[int, int], b: tuple[int, int], max_p: float) -> float | None:
    """Return the p of a difference of successes; None where none can be significant.

    A test whose sums alone keep its p above the limit tells nothing, and would only
    make the correction of the others larger.
    """
    if min(a[1], b[1]) < FEWEST:
        return None
    least = least_fisher(a[0] + b[0], a[1], b[1])
    return fisher(a, b) if least < max_p else None


def _p(a: list[int], b: list[int]) -> float | None:
    """Return the p of a difference of means; None where all values are the same."""
    if min(len(a), len(b)) < FEWEST or len({*a, *b}) == 1:
        return None
    return permutation(a, b)


def _tests(found: list[float | None], max_p: float) -> list[Test | None]:
    corrected = iter(holm([p for p in found if p is not None]))
    tests: list[Test | None] = []
    for p in found:
        if p is None:
            tests.append(None)
            continue
        after = next(corrected)
        tests.append(Test(p, after, after < max_p))
    return tests
