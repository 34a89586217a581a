"""The verdict on a suite in words, which every report shows first.

sentence    the verdict with its figures, in one line
terms       the terms of statistics, for `--full` only
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from convert.diff import highest_of
from convert.model.events import ReasonKind
from convert.suites.case_result import CaseResult, FigureName
from convert.suites.suite_result import Excluded, Figure, Success, Suite, Verdict
from convert.wording.escapes import safe_line
from convert.wording.numbers import count, in_words

REASONS: dict[ReasonKind, str] = {
    "quota": "usage limit",
    "network": "network",
    "authentication": "authentication",
}
FIGURES: dict[FigureName, str] = {
    "calls": "calls",
    "tokens": "tokens",
    "cost_usd": "cost",
    "duration_ms": "time",
}
# How many cases, logs or pairs of agents a line names.
MOST_NAMED = 3
_ALL_CASES = "all cases"
# The p after correction below which a figure is part of the sentence.
_SURE = 0.05


def sentence(suite: Suite) -> str:
    """Return the verdict on the last version in one line.

    As in `worse: success 93 % → 59 % over 50 cases, 4 runs each (−34 points, 95 %
    interval −40 to −27)`. A reason to fail that is not the verdict comes first. Where
    only approved runs are compared, it says how many differ. For two logs, it is the
    verdict of their comparison.
    """
    return ": ".join(filter(None, verdict_and_figures(suite)))


def verdict_and_figures(suite: Suite) -> tuple[str, str]:
    """Return both parts of the sentence; it has one for two logs."""
    if suite.headline:
        return "", safe_line(suite.headline)
    if not suite.is_judged or not suite.cases:
        return _by_findings(suite)
    verdict = suite.verdict
    parts = [_success(suite)]
    if verdict.word == "different":
        parts.append(behaviour(verdict))
    if suite.has_same_logs and verdict.cases:
        parts.append("both versions hold the same logs, byte for byte")
    if suite.worse_since is not None and len(suite.names) > 2:
        parts.append(f"worse since {safe_line(suite.names[suite.worse_since])}")
    if verdict.word == "cannot tell" and verdict.success:
        parts.append(_needed(suite))
    parts += [_figure(each) for each in verdict.figures if each.corrected < _SURE]
    if verdict.excluded.differs:
        parts.append(excluded_line(verdict.excluded))
    parts += _missing(suite)
    is_less = verdict.word == "different" and verdict.is_no_worse
    word = "different, no worse" if is_less else verdict.word
    others = [*_decided_otherwise(suite)]
    if others and _comes_first(suite):
        parts = [*others, f"{word}: {parts[0]}", *parts[1:]]
        return "fails", safe_line("; ".join(filter(None, parts)))
    return word, safe_line("; ".join(filter(None, [*parts, *others, _passes(suite)])))


def terms(suite: Suite) -> list[str]:
    """Return the tests that were made, a line each, for readers of statistics."""
    verdict = suite.verdict
    lines = []
    if success := verdict.success:
        refined = success.p_worse_refined, success.p_better_refined
        lines.append(
            f"success: permutation within {count(success.cases, 'case')}, exact;"
            f" one-sided {p_words(success.p_worse)} of a loss,"
            f" {p_words(success.p_better)} of a gain; with equal sums ordered,"
            f" {' and '.join(map(p_words, refined))}, which decide at 0.025"
        )
    if verdict.behaviour_p is not None:
        listed = sum(case.is_listed for case in suite.cases)
        lines.append(
            "behaviour: permutation of the steadiest change in"
            f" {count(verdict.behaviour_cases, 'case')}, combined by Fisher's method;"
            f" {p_words(verdict.behaviour_p)}; decides at 0.025; {listed:,} listed at a"
            " false discovery rate of 5 %"
        )
    if clean := verdict.clean:
        lines.append(
            f"clean success: {rates(clean)} ({interval(clean)}); {p_words(clean.p)},"
            f" {p_words(verdict.clean_corrected)} after Holm's correction"
        )
    lines += [
        f"{_figure(each)}; {p_words(each.p)}, {p_words(each.corrected)} after Holm's"
        f" correction, in {count(each.cases, 'case')}"
        for each in verdict.figures
    ]
    if verdict.excluded.a or verdict.excluded.b:
        lines.append(f"excluded runs: {p_words(verdict.excluded.p)} by Fisher's test")
    return lines if suite.is_judged else []


def rates(success: Success) -> str:
    """Return both rates: `success 93 % → 59 %` without the first word."""
    return f"{percent(success.a)} → {percent(success.b)}"


def interval(success: Success) -> str:
    """Return a difference with its interval: `−34 points, 95 % interval −40 to −27`."""
    difference = points(shown_difference(success))
    unit = "point" if difference in ("+1", "−1") else "points"
    bounds = f"{points(success.low)} to {points(success.high)}"
    return f"{difference} {unit}, 95 % interval {bounds}"


def shown_difference(success: Success) -> float:
    """Return the difference that is shown: that of both shown rates, if it is close.

    So `61 % → 39 %` is a loss of 22 points, where 60.7 % → 39.4 % is one of 21.
    """
    shown = (_percent(success.b) - _percent(success.a)) / 100
    is_close = abs(shown - success.difference) < 0.01
    is_inside = is_close and success.low <= shown <= success.high
    return shown if is_inside else success.difference


def percent(share: float) -> str:
    """Return a share as `93 %`; only all and none are 100 % and 0 %."""
    return f"{_percent(share)} %"


def points(difference: float) -> str:
    """Return a difference of shares in points, as `−34`; a small one as `−0.4`."""
    number = 100 * difference
    digits = 0 if abs(number) >= 0.5 or abs(number) < 0.05 else 1
    text = f"{number:+.{digits}f}".replace("-", "−")
    return "0" if round(number, digits) == 0 else text


def _percent(share: float) -> int:
    rounded = round(100 * share)
    # Sums of fractions may be off by their last digit.
    is_some = 1e-9 < share < 1 - 1e-9
    return min(max(rounded, 1), 99) if is_some else rounded


def p_words(p: float) -> str:
    """Return a p: `p 0.029`, or `p below 0.001`."""
    return f"p {p:.3f}" if p >= 0.001 else "p below 0.001"


def times(number: float) -> str:
    """Return a ratio with three digits, as `1.18`."""
    if number == float("inf"):
        return "∞"
    return f"{number:.2f}" if number < 10 else f"{number:,.0f}"


def excluded_words(reasons: dict[ReasonKind, int]) -> str:
    """Return how many runs were excluded and why: `usage limit 7, network 2`."""
    ordered = sorted(reasons.items(), key=lambda each: (-each[1], each[0]))
    return ", ".join(f"{REASONS[kind]} {number:,}" for kind, number in ordered)


def excluded_line(excluded: Excluded) -> str:
    """Return how many runs of either version were excluded, and why."""
    b = sum(excluded.b.values())
    was = "was" if b == 1 else "were"
    why = f": {excluded_words(excluded.b)}" if b else ""
    before = excluded_words(excluded.a) or "0"
    if excluded.a and excluded.of_a != excluded.of_b:
        before += f" of {excluded.of_a:,}"
    runs = count(excluded.of_b, "candidate run")
    return f"{b:,} of {runs} {was} excluded{why} (baseline: {before})"


def limit_lines(
    suite: Suite, *, decides: bool = False
) -> Iterator[tuple[str, str, str]]:
    """Yield each limit that is exceeded: the case, the option and the measurement.

    With `decides`, those of cases that may fail are not among them.
    """
    for limit in suite.limits:
        yield _ALL_CASES, safe_line(limit.option), safe_line(limit.what)
    for case in suite.cases:
        for limit in () if decides and case.may_fail else case.limits:
            yield safe_line(case.name), safe_line(limit.option), safe_line(limit.what)


def first_of(names: Sequence[str], most: int = MOST_NAMED) -> str:
    """Name the first of some things, and count the others."""
    more = [f"{len(names) - most:,} more"] if names[most:] else []
    return in_words([*names[:most], *more])


def _success(suite: Suite) -> str:
    verdict, success = suite.verdict, suite.verdict.success
    if success is None:
        if not verdict.cases:
            return "no case has runs to compare in both versions"
        runs = f"({count(verdict.cases, 'case')}, {_runs(verdict)})"
        if verdict.excluded.leaves_nothing:
            return f"no case has runs in both versions that count {runs}"
        return f"no case records how its runs ended in both versions {runs}"
    versions = ""
    if len(suite.names) > 2:
        versions = f" from {safe_line(suite.a)} to {safe_line(suite.b)}"
    return (
        f"success {rates(success)}{versions} over {count(success.cases, 'case')},"
        f" {_runs(verdict)} ({interval(success)})"
    )


def _runs(verdict: Verdict) -> str:
    """Return the runs of a case: `4 runs each`, or `12 runs before and 34 now`."""
    a, b = verdict.runs_a, verdict.runs_b
    each = " each" if verdict.cases > 1 else ""
    if a == b:
        return f"{_to(*a)}{count(a[1], 'run')} each"
    return f"{_to(*a)}{count(a[1], 'run')}{each} before and {_to(*b)}{b[1]:,} now"


def _to(least: int, most: int) -> str:
    return "" if least == most else f"{least:,} to "


def behaviour(verdict: Verdict) -> str:
    """Return the change that most cases have in common."""
    cases = count(verdict.behaviour_cases, "case")
    if verdict.theme:
        return f"{verdict.theme_cases:,} of {cases} {verdict.theme}"
    return f"runs behave in another way over {cases}"


def _needed(suite: Suite) -> str:
    """Return how many runs each case needs to detect a loss of 10 points.

    A loss that these runs show has its own number. One that is certain and allowed may
    be larger than that.
    """
    verdict, most = suite.verdict, suite.suite_settings.max_loss
    if (needed := verdict.runs_needed) is not None:
        verb = "detect" if needed <= verdict.runs[0] else "would detect"
        words = f"{count(needed, 'run')} of each case {verb} a loss of 10 points"
        if (fewer := verdict.runs_needed_for_loss) and verdict.success:
            loss = points(-shown_difference(verdict.success)).removeprefix("+")
            words += f", and {fewer:,} one of {loss}"
        return words
    return f"the loss is within --max-loss {most:g}, and may be larger" if most else ""


# The share of successes below which a run of a suite is often said to have failed.
_USUAL = 0.9


def _passes(suite: Suite) -> str:
    """Return that the runs pass though they prove nothing, and how to make them fail.

    It is "" where they do not pass, or no option makes them fail.
    """
    verdict, success = suite.verdict, suite.verdict.success
    if not suite.can_fail or suite.status or verdict.word != "cannot tell":
        return ""
    options, why = ["--require-proof"], ""
    if success and success.b < success.a:
        why = ", since chance may make such a loss"
        sides = [case.b for case in suite.cases if not case.may_fail]
        of = sum(side.counted for side in sides)
        if success.a >= _USUAL > sum(side.succeeded for side in sides) / of:
            options.insert(0, f"--min-success {_USUAL:g}")
    return f"passes (exit status 0){why}; {' or '.join(options)} fails it"


def _figure(figure: Figure) -> str:
    bounds = f"{times(figure.low)} to {times(figure.high)}"
    return f"{FIGURES[figure.name]} ×{times(figure.ratio)} ({bounds})"


def _missing(suite: Suite) -> Iterator[str]:
    """Yield how many cases the last version lacks."""
    if missing := len(suite.missing):
        of = sum(case.fate not in ("new", "trouble") for case in suite.cases)
        verb = "has" if missing == 1 else "have"
        yield f"{missing:,} of {count(of, 'case')} {verb} no log in {suite.b}"


def _comes_first(suite: Suite) -> bool:
    """Return True if another reason to fail than the verdict comes before it."""
    return suite.can_fail and not suite.is_against


def _decided_otherwise(suite: Suite) -> Iterator[str]:
    """Yield the limits, findings and settings that decide besides the verdict."""
    if limits := [*limit_lines(suite, decides=True)]:
        name, option, what = limits[0]
        if name == _ALL_CASES:
            # Those of single cases with the same option are its parts.
            limits = [limits[0], *(each for each in limits if each[1] != option)]
        place = f"{name}: " if name != _ALL_CASES else ""
        more = f", and {count(len(limits) - 1, 'more limit')}" if limits[1:] else ""
        exceeded = "" if _comes_first(suite) else "limit exceeded: "
        yield f"{exceeded}{place}{what} ({option}){more}"
    deciding = [
        case
        for case in suite.cases
        if case.by_findings and case.is_different and not case.may_fail
    ]
    goldens = [case for case in deciding if case.is_golden]
    if goldens:
        of = sum(case.is_golden for case in suite.cases)
        worst = highest_of(case.severity for case in goldens)
        verb = "differs" if len(goldens) == 1 else "differ"
        yield f"{len(goldens):,} of {count(of, 'approved case')} {verb} ({worst})"
    if others := len(deciding) - len(goldens):
        have = count(others, "case has", "cases have")
        yield f"{have} findings of --fail-on {suite.settings.fail_on}"
    is_open = suite.verdict.word != "worse" and not suite.is_proven
    if suite.suite_settings.require_proof and is_open:
        yield "a loss is not ruled out (--require-proof)"


def _by_findings(suite: Suite) -> tuple[str, str]:
    """Return the verdict on approved runs: `different (major)`, `9 cases: 1 major`."""
    deciding = [case for case in suite.cases if case.is_failure and case.is_different]
    reasons = [highest_of(case.severity for case in deciding)] if deciding else []
    limits = ["limits"] if any(limit_lines(suite, decides=True)) else []
    word = _passing(suite)
    if reasons or limits:
        word = f"different ({', '.join([*reasons, *limits])})"
    if any(case.fate == "trouble" for case in suite.cases):
        word = f"trouble, {word}" if word != "same" else "trouble"
    total = count(len(suite.cases), "case")
    if word == "same":
        runs = (case.b.run for case in suite.cases)
        calls = sum(run.calls or 0 for run in runs if run)
        return word, f"{total}, {count(calls, 'call')}"
    counts: Counter[str] = Counter(map(_word_of, suite.cases))
    if [*counts] == ["passes"]:
        return word, f"{total} {_differ(counts.total())}"
    words = {each: each for each in _WORDS} | {"passes": _differ(counts["passes"])}
    numbers = (f"{counts[each]:,} {words[each]}" for each in _WORDS if counts[each])
    return word, f"{total}: {', '.join(numbers)}"


def _differ(cases: int) -> str:
    """Return that so many cases differ, but less than `--fail-on` asks for."""
    return f"{'differs' if cases == 1 else 'differ'} less"


# How cases turn out that the verdict is not about, in their order.
_WORDS = (
    *("trouble", "missing", "critical", "major", "minor", "info", "passes"),
    *("limit", "fell", "changed", "rose", "new", "same"),
)


def _word_of(case: CaseResult) -> str:
    """Return how a case turned out that the verdict is not about."""
    if not case.by_findings:
        return case.standing
    return case.severity if case.fate == "different" else case.fate


def _passing(suite: Suite) -> str:
    if any(case.may_fail and _word_of(case) != "same" for case in suite.cases):
        return "passes (--may-fail)"
    is_same = {case.fate for case in suite.cases} <= {"same", "trouble"}
    return "same" if is_same else f"passes (--fail-on {suite.settings.fail_on})"
