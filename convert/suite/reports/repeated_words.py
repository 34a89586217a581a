"""Words that every report has in common on repeated runs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from decimal import Decimal

from convert.diff.reports.appearance import shown
from convert.facts.run_reasons import OUTSIDE
from convert.model.cost import dollars, recorded_cost
from convert.model.events import ReasonKind
from convert.options.settings import SEVERITIES, Settings, Severity
from convert.stats.quantiles import Rate
from convert.suite.repeated import (
    Measure,
    Path,
    Repeated,
    RepeatedSide,
    Sample,
    Success,
    Test,
)
from convert.suite.results import CaseFinding, CaseResult, CaseSide
from convert.wording.numbers import count, duration, in_words

MISSING = "not recorded"
_HEADINGS = {
    "calls": "calls",
    "duration_ms": "duration",
    "tokens": "tokens",
    "cost_usd": "cost",
}
# How many logs are named that were cut.
_MOST_NAMED = 3


def headline(result: CaseResult, settings: Settings) -> str:
    """Return the verdict on a case in one line, with its reasons."""
    repeated = result.repeated
    assert repeated is not None
    sides = (repeated.a, repeated.b)
    left = [*cut_words([repeated]), *stopped_words(*([each] for each in sides))]
    runs = ", ".join([against(repeated), *left])
    if result.fate == "same":
        parts = [f"same: {runs}, nothing new and steady"]
    else:
        passes = f"--fail-on {settings.fail_on}"
        why = result.severity if result.is_different else passes
        parts = [f"{result.fate} ({why}): {runs}: {_reasons(result)}"]
    parts += [
        f"{_HEADINGS[measure.name]} {_medians(measure)} is significant"
        for measure in repeated.measures
        if measure.test and measure.test.is_significant
    ]
    if unsure := _unsure(result, repeated):
        parts.append(f"{count(unsure, 'finding')} may be chance")
    return "; ".join(parts)


def rows(repeated: Repeated) -> Iterator[tuple[str, str]]:
    """Yield what the runs of a case show: a heading and a line each."""
    yield "runs", _runs(repeated)
    yield "success", success_words(repeated.success)
    if words := _all_of(repeated.success):
        yield "all of k", words
    for measure in repeated.measures:
        if measure.a or measure.b:
            yield _HEADINGS[measure.name], _measure(measure)
    yield "noise", _noise(repeated)
    if repeated.a.path and repeated.b.path:
        yield "path", _paths(repeated, repeated.a.path, repeated.b.path)
    yield "chance", _chance(repeated)


def against(repeated: Repeated) -> str:
    """Return how many runs there are: `5 against 4 runs`."""
    return f"{repeated.a.runs:,} against {count(repeated.b.runs, 'run')}"


def cut_words(cases: Sequence[Repeated]) -> Iterator[str]:
    """Yield how many runs of either side were cut: `4 of 5 runs of B cut`."""
    for name in ("A", "B"):
        sides = [case.a if name == "A" else case.b for case in cases]
        if cut := sum(len(side.cut) for side in sides):
            runs = count(sum(side.runs for side in sides), "run")
            yield f"{cut:,} of {runs} of {name} cut"


def stopped_words(*sides: Sequence[RepeatedSide | CaseSide]) -> Iterator[str]:
    """Yield how many runs of either side were stopped: `1 of 5 runs of B stopped`.

    The reason follows in brackets: `(quota)`.
    """
    for name, runs in zip("AB", sides, strict=True):
        kinds = Counter(kind for side in runs for kind in _stopped_by(side))
        if not kinds:
            continue
        of = sum(side.runs if isinstance(side, RepeatedSide) else 1 for side in runs)
        counts = [f"{number:,} {kind}" for kind, number in sorted(kinds.items())]
        listed = ", ".join(counts if len(kinds) > 1 else kinds)
        yield f"{kinds.total():,} of {count(of, 'run')} of {name} stopped ({listed})"


def _stopped_by(side: RepeatedSide | CaseSide) -> list[ReasonKind]:
    if isinstance(side, RepeatedSide):
        return [*side.stopped.values()]
    return [side.reason_kind] if side.reason_kind in OUTSIDE else []


def told_of_runs(repeated: Repeated) -> Iterator[str]:
    """Yield what there is to tell about the runs of a case, even if it is the same."""
    if not repeated.is_even:
        yield against(repeated)
    yield from cut_words([repeated])
    yield from stopped_words([repeated.a], [repeated.b])
    yield from cut_lines(repeated)


def cut_lines(repeated: Repeated) -> Iterator[str]:
    """Yield which runs of either side were cut or stopped, and what became of them."""
    for name, side in (("A", repeated.a), ("B", repeated.b)):
        lost = len(side.cut) + len(side.stopped)
        rest = "" if lost < side.runs else ", compared, since no other run is left"
        if side.cut:
            fate = rest or ", not compared"
            yield f"cut in {name}: {_named(side.cut)}{fate}, counted as failed"
        if side.stopped:
            logs = [f"{log} ({by})" for log, by in side.stopped.items()]
            yield f"stopped in {name}: {_named(logs)}{rest or ', left out'}"


def flaps_words(finding: CaseFinding) -> str:
    """Return in how many pairs a finding occurs; "" for one pair of runs."""
    if finding.flaps is None:
        return ""
    if finding.flaps.decides:
        return f"new and steady: {finding.flaps}"
    return f"{'seldom' if finding.flaps.is_new else 'flaps'}: {finding.flaps}"


def success_words(success: Success) -> str:
    """Return how many runs succeeded on each side, and what that tells."""
    words = f"{_rate(success.a)} -> {_rate(success.b)}"
    if success.test is None:
        return words
    fate = "loss" if success.is_loss else "gain"
    verdict = f": a significant {fate}" if success.test.is_significant else ""
    return f"{words}; {_p(success.test)}{verdict}"


def p_words(p: float) -> str:
    """Write a p: `0.029`, or `below 0.001`."""
    return f"{p:.3f}" if p >= 0.001 else "below 0.001"


def _reasons(result: CaseResult) -> str:
    """Return what decides: `2 critical, 1 major: status, removed`."""
    deciding = [each for each in result.findings if each.severity != "info"]
    numbers = Counter(each.severity for each in deciding)
    order: list[Severity] = [each for each in reversed(SEVERITIES) if numbers[each]]
    listed = ", ".join(f"{numbers[each]:,} {each}" for each in order)
    return f"{listed}: {', '.join(dict.fromkeys(each.category for each in deciding))}"


def _unsure(result: CaseResult, repeated: Repeated) -> int:
    """Return how many findings do not decide, because they may be chance."""
    flaps = [each.flaps for each in result.findings if each.flaps]
    return repeated.others + sum(not each.decides for each in flaps)


def _runs(repeated: Repeated) -> str:
    return "; ".join([against(repeated), *cut_lines(repeated)])


def _named(logs: Sequence[str]) -> str:
    """Name the first of some logs, and count the others."""
    named = [*map(shown, logs[:_MOST_NAMED])]
    if len(logs) > _MOST_NAMED:
        named.append(f"{len(logs) - _MOST_NAMED:,} more")
    return in_words(named)


def _rate(rate: Rate | None) -> str:
    if rate is None:
        return MISSING
    low, high = round(100 * rate.low), round(100 * rate.high)
    return f"{rate.hits:,} of {rate.of:,} ({low}–{high} %)"


def _all_of(success: Success) -> str:
    """Return the chance that several tries all succeed."""
    return ", ".join(
        f"{tries} tries {_percent(a)} -> {_percent(b)}"
        for tries, a, b in success.all_of
    )


def _percent(share: float) -> str:
    return f"{round(100 * share)} %"


def _measure(measure: Measure) -> str:
    words = " -> ".join(_sample(measure, side) for side in (measure.a, measure.b))
    if measure.test is None:
        return words
    verdict = ": significant" if measure.test.is_significant else ""
    return f"{words}; {_p(measure.test)}{verdict}"


def _medians(measure: Measure) -> str:
    samples = (measure.a, measure.b)
    return " -> ".join(_figure(measure, each.median) for each in samples if each)


def _sample(measure: Measure, sample: Sample | None) -> str:
    if sample is None:
        return MISSING
    numbers = (sample.median, sample.least, sample.most)
    median, least, most = (_figure(measure, number) for number in numbers)
    if sample.least == sample.most:
        return median
    return f"median {median} ({least} to {most})"


def _figure(measure: Measure, number: int | float) -> str:
    if measure.name == "cost_usd":
        return dollars(recorded_cost(number) or Decimal())
    return duration(round(number)) if measure.name == "duration_ms" else f"{number:,}"


def _p(test: Test) -> str:
    return f"p {p_words(test.p)}, {p_words(test.corrected)} corrected"


def _noise(repeated: Repeated) -> str:
    """Return how far runs are apart, within the baseline and across."""
    within, across = repeated.within, repeated.across
    words = f"across median {_percent(across.median)}, most {_percent(across.most)}"
    if within is None:
        return f"unknown with one run of A; {words}"
    inside = f"median {_percent(within.median)}, most {_percent(within.most)}"
    return f"within A {inside}; {words}"


def _paths(repeated: Repeated, a: Path, b: Path) -> str:
    """Return the sequence of calls that most runs have, on either side."""
    if repeated.is_same_path:
        return f"{_share(a, 'A')} and {_share(b, 'B')}: {_steps(a)}"
    return "; ".join(
        f"{_share(path, name)}: {_steps(path)}"
        if path.runs > 1 or path.of == 1
        else f"no two of {path.of:,} of {name} alike"
        for name, path in (("A", a), ("B", b))
    )


def _share(path: Path, name: str) -> str:
    return f"{path.runs:,} of {path.of:,} of {name}"


def _steps(path: Path) -> str:
    more = path.calls - len(path.steps)
    steps = [*path.steps, *([f"{more:,} more"] if more > 0 else [])]
    return ", ".join(steps) or "no calls"


def _chance(repeated: Repeated) -> str:
    """Return what so many runs can tell, or that they are too few."""
    if repeated.is_counted_only:
        return "counts only: below 4 against 4 runs, nothing is told from chance"
    words = f"p {p_words(repeated.least_p)} at best"
    if repeated.tests < 2:
        return words
    corrected = min(repeated.least_p * repeated.tests, 1.0)
    words = f"{words}, {p_words(corrected)} corrected for {repeated.tests} tests"
    if corrected >= repeated.max_p:
        return f"{words}: too few runs to tell"
    return words
