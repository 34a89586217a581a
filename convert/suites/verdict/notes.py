"""The facts about a suite that a reader needs besides the sentence, a line each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from convert.suites.case_result import SUCCEEDED
from convert.suites.suite_result import LEVEL, Suite
from convert.suites.verdict.sentences import (
    MOST_NAMED,
    behaviour,
    excluded_line,
    first_of,
    rates,
)
from convert.wording.escapes import safe_line
from convert.wording.numbers import count
from convert.wording.paths import base_name, stem_of


def notes(suite: Suite, *, has_excluded: bool = True) -> list[str]:
    """Return the facts that a reader needs besides the sentence, a line each.

    Without `has_excluded`, the one about excluded runs is not among them.
    """
    verdict, excluded = suite.verdict, suite.verdict.excluded
    lines = [suite.grouping, *_together(suite)]
    p = verdict.behaviour_p
    if verdict.word != "different" and p is not None and p <= LEVEL:
        lines.append(behaviour(verdict))
    if has_excluded and (excluded.a or excluded.b) and not excluded.differs:
        lines.append(excluded_line(excluded))
    lines += [
        *_cut(suite),
        *_refused(suite),
        *_unknown(suite),
        *_unread(suite),
        *_one_sided(suite),
    ]
    lines += [*agents_of(suite), *_not_compared(suite), *_steps(suite)]
    return [safe_line(line) for line in lines if line]


def _together(suite: Suite) -> Iterator[str]:
    """Yield why findings do not decide on a case in which fewer runs succeed.

    They would if each of its logs were a case.
    """
    if suite.suite_settings.pair_by != "auto" or suite.suite_settings.repeat:
        return
    for case in suite.cases:
        is_of_several = case.by_findings and case.is_repeated and not case.is_golden
        if is_of_several and case.standing == "fell" and not case.is_different:
            runs = first_of([stem_of(base_name(log)) for log in case.b.logs])
            yield (
                f"{runs} are runs of one case, and --fail-on {suite.settings.fail_on}"
                " looks for changes in 4 of 5 of them; --pair-by path compares them"
                " one by one"
            )
            return


def agents_of(suite: Suite) -> Iterator[str]:
    """Yield which agents are compared, where they differ, and in how many cases."""
    agents = Counter(case.agents for case in suite.cases if case.agents)
    named = agents.most_common(MOST_NAMED)
    for words, cases in named:
        is_all = cases == len(suite.cases)
        yield words if is_all else f"{words} in {count(cases, 'case')}"
    if rest := agents.total() - sum(cases for _, cases in named):
        yield f"other agents in {count(rest, 'case')}"


def _cut(suite: Suite) -> Iterator[str]:
    """Yield how many runs of each version broke off."""
    for at, name in enumerate(suite.names):
        runs = [run for case in suite.cases for run in case.sides[at].runs]
        if logs := [safe_line(run.log) for run in runs if run.is_cut]:
            yield (
                f"{len(logs):,} of {count(len(runs), 'run')} of {safe_line(name)}"
                f" broke off and {'counts' if len(logs) == 1 else 'count'} as failed:"
                f" {first_of(logs)}"
            )


def _refused(suite: Suite) -> Iterator[str]:
    """Yield how many runs of each version succeeded and did nothing: look at them."""
    for at, name in enumerate(suite.names):
        runs = [run for case in suite.cases for run in case.sides[at].runs]
        succeeded = [run for run in runs if run.outcome in SUCCEEDED]
        if logs := [safe_line(run.log) for run in succeeded if run.is_refused]:
            counts = "counts" if len(logs) == 1 else "count"
            yield (
                f"{len(logs):,} of {count(len(runs), 'run')} of {safe_line(name)}"
                f" {counts} as succeeded though all calls were refused:"
                f" {first_of(logs)}"
            )


def _unknown(suite: Suite) -> Iterator[str]:
    """Yield how many runs do not record how they ended."""
    runs = [run for case in suite.cases for run in case.runs]
    if unknown := sum(run.outcome == "unknown" for run in runs):
        verb, they = ("does", "it") if unknown == 1 else ("do", "they")
        yield (
            f"{unknown:,} of {count(len(runs), 'run')} {verb} not record how {they}"
            " ended and count in no rate"
        )


def _unread(suite: Suite) -> Iterator[str]:
    """Yield how many logs cannot be read, and which cases have nothing else."""
    if unread := sum(side.unread for side in suite.sides):
        verb = "counts" if unread == 1 else "count"
        yield f"{count(unread, 'log')} cannot be read and {verb} in no rate"
    if troubled := _names(suite, "trouble"):
        cases = count(len(troubled), "case")
        yield f"{cases} could not be compared: {first_of(troubled)}"


def _one_sided(suite: Suite) -> Iterator[str]:
    """Yield the cases that the first or the last version lacks."""
    places = {"missing": f"only in {suite.a}", "new": f"only in {suite.b}"}
    if len(suite.names) > 2:
        places = {"missing": f"not in {suite.b}", "new": f"not in {suite.a}"}
    for fate, place in places.items():
        if names := _names(suite, fate):
            cases = count(len(names), "case is", "cases are")
            yield f"{cases} {safe_line(place)}: {first_of(names)}"


def _names(suite: Suite, fate: str) -> list[str]:
    """Return the names of the cases that turned out so."""
    return [safe_line(case.name) for case in suite.cases if case.fate == fate]


def _not_compared(suite: Suite) -> Iterator[str]:
    """Yield the parts that logs do not record, and in how many cases."""
    cases = Counter(part for case in suite.cases for part in case.not_compared)
    parts = [
        part if number == len(suite.cases) else f"{part} in {count(number, 'case')}"
        for part, number in sorted(cases.items())
    ]
    if parts:
        yield f"not compared: {', '.join(parts)}"


def _steps(suite: Suite) -> Iterator[str]:
    """Yield each version that is worse or better than the one before it."""
    for at, step in enumerate(suite.steps, 1):
        if step.word in ("worse", "better", "different") and step.success:
            before, after = (safe_line(suite.names[each]) for each in (at - 1, at))
            yield f"{before} → {after}: {step.word}: success {rates(step.success)}"
