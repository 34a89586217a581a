"""The verdict on the last version, from the results of all cases.

Two tests decide, at 5 % together: success and behaviour, at 2.5 % each. Clean success
and all figures are tested too, and decide nothing. Limits decide in addition to the
verdict.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import get_args

from msgspec.structs import replace

from convert.diff import Side
from convert.diff.checked_settings import GROWTH, FigureLimits, Limit, exceeded_alone
from convert.diff.reports.finding_lines import limited
from convert.errors import UsageError
from convert.model.events import ReasonKind
from convert.options.settings import Settings, SuiteSettings
from convert.source.globs import Globs
from convert.suites.case_result import (
    Behaviour,
    CaseLimit,
    CaseResult,
    CaseSide,
    FigureName,
)
from convert.suites.suite_result import (
    LEVEL,
    Excluded,
    Figure,
    Success,
    Suite,
    Verdict,
    Word,
)
from convert.suites.verdict.behaviour_and_figure_tests import combined, figure_of
from convert.suites.verdict.case_sentences import sentence_of
from convert.suites.verdict.success_test import (
    Stratum,
    fisher,
    holm,
    listed,
    runs_needed,
    runs_needed_for,
    success_of,
)
from convert.wording.numbers import count, duration

# A loss in points is a sum of fractions, which is exact to here.
_ROUNDING = 1e-9


def judged(
    names: Sequence[str],
    results: Iterable[CaseResult],
    settings: Settings,
    suite_settings: SuiteSettings,
    grouping: str = "",
) -> Suite:
    """Return the suite of all cases, the worst first, with its verdict.

    Raises UsageError if a glob for cases that may fail matches none.
    """
    cases = [*results]
    _let_findings_decide(cases)
    if suite_settings.may_fail:
        _let_fail(cases, suite_settings.may_fail)
    # The cases whose behaviour changed, at a false discovery rate of 5 %.
    tested = [case for case in cases if case.behaviour]
    found = listed([case.behaviour.p for case in tested if case.behaviour])
    for case, is_listed in zip(tested, found, strict=True):
        case.is_listed = is_listed
    deciding = [case for case in cases if not case.may_fail]
    logs = [case for case in deciding if not case.is_golden]
    last = len(names) - 1
    verdict = _themed(_verdict(logs, (0, last), suite_settings), logs)
    for case in cases:
        case.sentence = sentence_of(case)
    # Two versions have no steps.
    pairs = pairwise(range(last + 1)) if last > 1 else ()
    steps = tuple(_verdict(logs, pair, suite_settings, tests=last) for pair in pairs)
    sides = [case.b for case in deciding]
    return Suite(
        names=tuple(names),
        cases=sorted(cases, key=lambda case: case.rank),
        settings=settings,
        suite_settings=suite_settings,
        verdict=verdict,
        steps=steps,
        worse_since=_worse_since(logs, steps) if verdict.word == "worse" else None,
        limits=[*_success_limit(sides, suite_settings.min_success)],
        grouping=grouping,
    )


def _let_findings_decide(cases: list[CaseResult]) -> None:
    """Let findings decide on all cases if each one that is compared has a golden.

    A new case, or one that cannot be compared, is then a finding as well.
    """
    lone = ("new", "missing", "trouble")
    logs = [case for case in cases if not case.is_golden and case.fate not in lone]
    if logs or not any(case.is_golden for case in cases):
        return
    for case in cases:
        case.is_golden = case.by_findings = True


def _let_fail(cases: list[CaseResult], globs: tuple[str, ...]) -> None:
    """Mark the cases that may fail."""
    chosen = Globs(globs, "--may-fail")
    for case in cases:
        case.may_fail = chosen.choose(case.name)
    for glob in chosen.unused:
        raise UsageError(f"--may-fail '{glob}' matches no case; see the names of cases")


def _verdict(
    cases: Sequence[CaseResult],
    versions: tuple[int, int],
    settings: SuiteSettings,
    tests: int = 1,
) -> Verdict:
    """Return the verdict on one version against another; `tests` share the level."""
    pairs = [(case.sides[versions[0]], case.sides[versions[1]]) for case in cases]
    both = [(a, b) for a, b in pairs if a.runs and b.runs]
    strata = [Stratum(a.succeeded, a.counted, b.succeeded, b.counted) for a, b in both]
    success = success_of(strata)
    behaviours = [each for case in cases if (each := _behaviour(case, versions))]
    parts = [(each.p, each.distribution) for each in behaviours]
    p = combined(parts) if parts else None
    margin = max(settings.margin, settings.max_loss) / 100
    is_no_worse = success is not None and success.low >= -margin
    word = _word(success, p, settings, LEVEL / tests, is_no_worse=is_no_worse)
    clean, corrected, figures = _others(cases, versions, both)
    # A loss that is certain and allowed needs no runs to be detected.
    is_certain = success is not None and success.p_worse_refined <= LEVEL
    is_open = word == "cannot tell" and not is_certain
    needed = runs_needed(strata) if is_open else None
    for_loss = runs_needed_for(success, strata) if is_open and success else None
    runs_a, runs_b = _runs(both)
    return Verdict(
        word=word,
        success=success,
        clean=clean,
        clean_corrected=corrected,
        is_no_worse=is_no_worse,
        figures=figures,
        behaviour_p=p,
        behaviour_cases=len(behaviours),
        excluded=_excluded(pairs),
        cases=len(both),
        runs_a=runs_a,
        runs_b=runs_b,
        runs_needed=needed,
        runs_needed_for_loss=for_loss,
    )


def _word(
    success: Success | None,
    behaviour: float | None,
    settings: SuiteSettings,
    level: float,
    *,
    is_no_worse: bool,
) -> Word:
    if success is not None:
        loss = -100 * success.difference
        if success.p_worse_refined <= level and loss > settings.max_loss + _ROUNDING:
            return "worse"
        if success.p_better_refined <= level:
            return "better"
    if behaviour is not None and behaviour <= level:
        return "different"
    return "no worse" if is_no_worse else "cannot tell"


def _behaviour(case: CaseResult, versions: tuple[int, int]) -> Behaviour | None:
    """Return how one version of a case behaves against another."""
    before, after = versions
    if (before, after) == (0, len(case.sides) - 1):
        return case.behaviour
    return case.steps[after - 1] if case.steps else None


def _others(
    cases: Sequence[CaseResult],
    versions: tuple[int, int],
    both: Sequence[tuple[CaseSide, CaseSide]],
) -> tuple[Success | None, float, tuple[Figure, ...]]:
    """Return clean success, its p after correction, and the figures of all runs."""
    has_clean = any(side.clean for pair in both for side in pair)
    strata = [Stratum(a.clean, a.counted, b.clean, b.counted) for a, b in both]
    clean = success_of(strata) if has_clean else None
    figures = [
        figure
        for name in get_args(FigureName)
        if (figure := figure_of(name, _values(cases, versions, name)))
    ]
    tests = [clean.p] if clean else []
    corrected = holm([*tests, *(figure.p for figure in figures)])
    found = tuple(
        replace(figure, corrected=p)
        for figure, p in zip(figures, corrected[len(tests) :], strict=True)
    )
    return clean, corrected[0] if clean else 1.0, found


def _values(
    cases: Sequence[CaseResult], versions: tuple[int, int], name: FigureName
) -> list[tuple[list[float], list[float]]]:
    """Return a figure of the runs of each case that came to an end."""
    found = []
    for case in cases:
        if name == "tokens" and case.has_unlike_tokens:
            continue
        a, b = (case.sides[at].values(name) for at in versions)
        if a and b:
            found.append((a, b))
    return found


def _excluded(pairs: Sequence[tuple[CaseSide, CaseSide]]) -> Excluded:
    reasons: list[Counter[ReasonKind]] = [Counter(), Counter()]
    runs = [0, 0]
    for pair in pairs:
        for at, side in enumerate(pair):
            reasons[at] += side.reasons
            runs[at] += len(side.runs)
    a, b = ({kind: each[kind] for kind in sorted(each)} for each in reasons)
    found = Excluded(a=a, b=b, of_a=runs[0], of_b=runs[1])
    if not ((a or b) and all(runs)):
        return found
    sums = (sum(a.values()), runs[0]), (sum(b.values()), runs[1])
    return replace(found, p=fisher(*sums))


def _runs(both: Sequence[tuple[CaseSide, CaseSide]]) -> list[tuple[int, int]]:
    """Return the least and the most runs of a case that count, in each version."""
    counting = [(a.counted, b.counted) for a, b in both if a.counted and b.counted]
    numbers = counting or [(len(a.runs), len(b.runs)) for a, b in both] or [(0, 0)]
    return [(min(each), max(each)) for each in zip(*numbers, strict=True)]


def _themed(verdict: Verdict, cases: Sequence[CaseResult]) -> Verdict:
    """Add the change that most of the cases have in common.

    It marks the cases that show it, if all together prove a change.
    """
    tested = [case for case in cases if case.behaviour]
    shown = [case for case in tested if case.is_listed] or tested
    themes: Counter[str] = Counter()
    for case in shown:
        themes.update(_themes(case))
    if not themes:
        return verdict
    theme = min(themes, key=lambda each: (-themes[each], each))
    showing = [case for case in tested if theme in _themes(case)]
    p = verdict.behaviour_p
    for case in showing if p is not None and p <= LEVEL and showing[1:] else ():
        case.has_theme = True
    return replace(verdict, theme=theme, theme_cases=len(showing))


def _themes(case: CaseResult) -> set[str]:
    """Return the themes of the steadiest changes of a case."""
    most = max((each.steadiness for each in case.changes), default=0.0)
    steadiest = (each for each in case.changes if each.steadiness == most)
    return {each.theme for each in steadiest if each.theme}


def _worse_since(cases: Sequence[CaseResult], steps: Sequence[Verdict]) -> int:
    """Return the version that first was worse, if the last one is.

    It is the first that is worse than the one before it, after the last that is better.
    Where no single step shows the fall, all versions from one on are compared with all
    before it; it is the one for which chance makes such a fall least easily.
    """
    words = [step.word for step in steps]
    begin = max((at for at, word in enumerate(words, 1) if word == "better"), default=0)
    if "worse" in words[begin:]:
        return words.index("worse", begin) + 1
    falls = {at: _fall(cases, at) for at in range(1, max(len(steps), 1) + 1)}
    return max(falls, key=lambda at: (round(falls[at], 9), -at))


def _fall(cases: Iterable[CaseResult], at: int) -> float:
    """Return by how many standard deviations fewer runs succeed than by chance.

    The runs of all versions before one are compared with those from it on.
    """
    missing, variance = 0.0, 0.0
    for case in cases:
        before, after = (
            (sum(side.succeeded for side in sides), sum(side.counted for side in sides))
            for sides in (case.sides[:at], case.sides[at:])
        )
        split = Stratum(*before, *after)
        if split.of_a and split.of_b:
            missing -= split.surplus
            variance += split.mixed_pairs * split.weight / split.of
    return missing / math.sqrt(variance) if variance else 0.0


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
        result.limits += _success_limit([result.b], min_success)
        if not result.b.counted:
            result.unchecked.append(f"--min-success {min_success:g}")


def _success_limit(
    sides: Sequence[CaseSide], min_success: float | None
) -> Iterator[CaseLimit]:
    """Yield that fewer runs succeed than have to, of all sides together."""
    hits = sum(side.succeeded for side in sides)
    of = sum(side.counted for side in sides)
    if min_success is not None and of and hits < min_success * of:
        what = f"{hits:,} of {count(of, 'run')} succeeded"
        yield CaseLimit(option=f"--min-success {min_success:g}", what=what)


def _add_growth(result: CaseResult, row: FigureLimits, settings: Settings) -> None:
    ratio: float | None = getattr(settings, row.ratio)
    if ratio is None:
        return
    name = _NAMES[row.figure]
    was, now = result.a.median(name), result.b.median(name)
    option = f"--{row.ratio.replace('_', '-')} {ratio:g}"
    # Tokens of unlike kinds have no ratio.
    if was is None or now is None or (name == "tokens" and result.has_unlike_tokens):
        result.unchecked.append(option)
    elif now > getattr(settings, row.floor) and now > ratio * was:
        what = _growth(row, result, was, now)
        result.limits.append(CaseLimit(option=option, what=what))


def _growth(
    row: FigureLimits, result: CaseResult, was: int | float, now: int | float
) -> str:
    """Return how a figure has grown: `calls 4 -> 9 (x2.25)`."""
    old, new = f"{was:,}", f"{now:,}"
    if row.figure == "duration_ms":
        old, new = duration(round(was)), duration(round(now))
    times = f" (x{now / was:.2f})" if was else ""
    median = "median of " if result.is_repeated else ""
    return f"{median}{row.what} {old} -> {new}{times}"


def _exceeded(runs: Sequence[Side], settings: Settings) -> Iterator[CaseLimit]:
    """Yield each limit that some of the candidate's runs exceed.

    A run that was cut counts too: it would have used still more.
    """
    found: dict[str, dict[int, Limit]] = {}
    for at, side in enumerate(runs):
        for run in side.runs:
            for limit in exceeded_alone(run.figures, settings):
                found.setdefault(limit.option, {})[at] = limit
    for option, limits in found.items():
        yield CaseLimit(option=option, what=_excess([*limits.values()], len(runs)))


def _excess(limits: list[Limit], runs: int) -> str:
    word, show = limited(limits[0].category, limits[0].option)
    figure = show(max(each.candidate or 0 for each in limits))
    if runs == 1:
        return f"{word} {figure}"
    up_to = "up to " if len(limits) > 1 else ""
    return f"{word} of {len(limits):,} of {count(runs, 'run')}: {up_to}{figure}"
