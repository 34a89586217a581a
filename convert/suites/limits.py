"""The limits of a suite: for the use of its cases, and for success."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from convert.diff import Side
from convert.diff.reports.finding_lines import limited
from convert.diff.settings import GROWTH, Growth, Limit, exceeded_alone
from convert.options.settings import Settings
from convert.suites.case_result import CaseLimit, CaseResult, FigureName
from convert.wording.numbers import count, duration

# The figures of a run of a suite, by those of a run that limits are for.
_NAMES: dict[str, FigureName] = {
    "calls": "calls",
    "duration_ms": "duration_ms",
    "used_tokens": "tokens",
}


def add_limits(
    result: CaseResult,
    candidates: Sequence[Side],
    settings: Settings,
    min_success: float | None,
) -> None:
    """Add the limits that a case exceeds, and those that its logs leave open.

    `candidates` are the runs of the last version, each of which may exceed a limit for
    a single run. Without any, these limits are findings.
    """
    for row in GROWTH:
        _add_growth(result, row, settings)
    result.limits += _exceeded(candidates, settings)
    if min_success is not None and result.is_repeated:
        hits, of = result.b.succeeded, result.b.counted
        option = f"--min-success {min_success:g}"
        if not of:
            result.unchecked.append(option)
        elif hits < min_success * of:
            what = f"{hits:,} of {count(of, 'run')} succeeded"
            result.limits.append(CaseLimit(option=option, what=what))


def limits_of_all(
    cases: Iterable[CaseResult], min_success: float | None
) -> Iterator[CaseLimit]:
    """Yield the limits that all cases together exceed."""
    if min_success is None:
        return
    sides = [case.b for case in cases]
    hits, of = (
        sum(side.succeeded for side in sides),
        sum(side.counted for side in sides),
    )
    if of and hits < min_success * of:
        option = f"--min-success {min_success:g}"
        what = f"{hits:,} of {count(of, 'run')} succeeded"
        yield CaseLimit(option=option, what=what)


def _add_growth(result: CaseResult, row: Growth, settings: Settings) -> None:
    ratio: float | None = getattr(settings, row.ratio)
    if ratio is None:
        return
    name = _NAMES[row.figure]
    was, now = result.a.median(name), result.b.median(name)
    option = f"--{row.ratio.replace('_', '-')} {ratio:g}"
    # Tokens of unlike kinds have no ratio.
    is_unlike = name == "tokens" and result.has_unlike_tokens
    if was is None or now is None or is_unlike:
        result.unchecked.append(option)
    elif now > getattr(settings, row.floor) and now > ratio * was:
        what = _growth(row, result, was, now)
        result.limits.append(CaseLimit(option=option, what=what))


def _growth(row: Growth, result: CaseResult, was: int | float, now: int | float) -> str:
    """Return how a figure has grown: `calls 4 -> 9 (x2.25)`."""
    is_time = row.figure == "duration_ms"
    old, new = (
        duration(round(each)) if is_time else f"{each:,}" for each in (was, now)
    )
    times = f" (x{now / was:.2f})" if was else ""
    median = "median of " if result.is_repeated else ""
    return f"{median}{row.what} {old} -> {new}{times}"


def _exceeded(runs: Sequence[Side], settings: Settings) -> Iterator[CaseLimit]:
    """Yield each limit that some of the candidate's runs exceed.

    A run that was cut counts too: it would have used still more.
    """
    found: dict[str, list[Limit]] = {}
    for side in runs:
        exceeded = {
            limit.option: limit
            for run in side.runs
            for limit in exceeded_alone(run.figures, settings)
        }
        for option, limit in exceeded.items():
            found.setdefault(option, []).append(limit)
    for option, limits in found.items():
        yield CaseLimit(option=option, what=_excess(limits, len(runs)))


def _excess(limits: list[Limit], runs: int) -> str:
    word, show = limited(limits[0].category, limits[0].option)
    figure = show(max(each.candidate or 0 for each in limits))
    if runs == 1:
        return f"{word} {figure}"
    up_to = "up to " if len(limits) > 1 else ""
    return f"{word} of {len(limits):,} of {count(runs, 'run')}: {up_to}{figure}"
