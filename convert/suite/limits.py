"""The limits of a suite: how much its cases may use, and how many runs must succeed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from convert.diff.limits import GROWTH, Growth
from convert.facts.run_reasons import OUTSIDE
from convert.options.settings import Settings
from convert.suite.results import CaseLimit, CaseResult
from convert.wording.numbers import count, duration

_Figure = int | float | None


def without_growth(settings: Settings) -> Settings:
    """Return the settings of pairs, without those that are limits of the suite."""
    return settings.replace(**{row.ratio: None for row in GROWTH})


def add_limits(
    result: CaseResult,
    settings: Settings,
    min_success: float | None,
    *,
    has_unlike_tokens: bool = False,
) -> None:
    """Add the limits that a case exceeds, and those that its logs leave open.

    Tokens of unlike kinds have no ratio.
    """
    for row in GROWTH:
        ratio: float | None = getattr(settings, row.ratio)
        if ratio is None:
            continue
        was, now = _figures(result, row)
        option = f"{_flag(row.ratio)} {ratio:g}"
        is_unlike = row.figure == "used_tokens" and has_unlike_tokens
        if was is None or now is None or is_unlike:
            result.unchecked.append(option)
        elif now > getattr(settings, row.floor) and now > ratio * was:
            result.limits.append(
                CaseLimit(option=option, what=_growth(row, result, was, now))
            )
    if min_success is not None and result.repeated:
        rate = result.repeated.success.b
        option = f"--min-success {min_success:g}"
        if rate is None:
            result.unchecked.append(option)
        elif rate.share < min_success:
            what = f"{rate.hits:,} of {count(rate.of, 'run')} succeeded"
            result.limits.append(CaseLimit(option=option, what=what))


def limits_of_all(
    cases: Iterable[CaseResult], min_success: float | None
) -> Iterator[CaseLimit]:
    """Yield the limits that all cases together exceed."""
    if min_success is None:
        return
    hits, of = 0, 0
    for case in cases:
        succeeded, ended = _successes(case)
        hits, of = hits + succeeded, of + ended
    if of and hits < min_success * of:
        option = f"--min-success {min_success:g}"
        what = f"{hits:,} of {count(of, 'run')} succeeded"
        yield CaseLimit(option=option, what=what)


def _successes(case: CaseResult) -> tuple[int, int]:
    """Return how many runs of the candidate succeeded, of those that were not stopped.

    A log that breaks off for no such reason is that of a failure.
    """
    if case.repeated:
        rate = case.repeated.success.b
        return (rate.hits, rate.of) if rate else (0, 0)
    if case.b.reason_kind in OUTSIDE:
        return 0, 0
    return int(case.b.state == "success"), int(case.b.state is not None)


def _figures(result: CaseResult, row: Growth) -> tuple[_Figure, _Figure]:
    """Return a figure of both sides, of repeated runs the median."""
    if result.repeated is None:
        name = "tokens" if row.figure == "used_tokens" else row.figure
        return getattr(result.a, name), getattr(result.b, name)
    for measure in result.repeated.measures:
        if measure.name in (row.figure, row.what):
            a, b = measure.a, measure.b
            return a.median if a else None, b.median if b else None
    return None, None


def _growth(row: Growth, result: CaseResult, was: int | float, now: int | float) -> str:
    """Return how a figure has grown: `calls 4 -> 9 (x2.25)`."""
    is_time = row.figure == "duration_ms"
    old, new = (
        duration(round(each)) if is_time else f"{each:,}" for each in (was, now)
    )
    times = f" (x{now / was:.2f})" if was else ""
    median = "median of " if result.repeated else ""
    return f"{median}{row.what} {old} -> {new}{times}"


def _flag(name: str) -> str:
    return f"--{name.replace('_', '-')}"
