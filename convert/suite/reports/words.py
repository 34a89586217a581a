"""The words that the reports of a suite share."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from convert.diff.comparison import highest_of
from convert.diff.reports.appearance import LineStyle, arrow, shown
from convert.suite.repeated import RepeatedSide
from convert.suite.reports.repeated_words import (
    against,
    cut_lines,
    cut_words,
    flaps_words,
    stopped_words,
)
from convert.suite.results import WORDS, CaseFinding, CaseResult, CaseSide
from convert.suite.suite import Suite
from convert.wording.numbers import count

_STYLES: dict[str, LineStyle] = {
    "trouble": "removed",
    "missing": "removed",
    "new": "added",
    "passes": "",
    "same": "",
}


# The pairs of agents, with their versions, that a verdict names.
_MOST_AGENTS = 3


def headline(suite: Suite) -> str:
    """Return the verdict in one line: `different (major): 9 cases: 1 major, 8 same`.

    Trouble is named as well as a difference, and so are runs that do not count.
    """
    repeated = [case.repeated for case in suite.cases if case.repeated]
    left = [*cut_words(repeated), *_stopped(suite)]
    more = [*_not_compared(suite), *left, *_uneven(suite)]
    return "; ".join([_headline(suite), *agents_of(suite), *more])


def _stopped(suite: Suite) -> Iterator[str]:
    """Yield how many runs of either side were stopped, those of all cases together."""
    one = [case.repeated.a if case.repeated else case.a for case in suite.cases]
    other = [case.repeated.b if case.repeated else case.b for case in suite.cases]
    yield from stopped_words(
        *([side for side in each if _has_run(side)] for each in (one, other))
    )


def _has_run(side: RepeatedSide | CaseSide) -> bool:
    return isinstance(side, RepeatedSide) or bool(side.logs)


def agents_of(suite: Suite) -> Iterator[str]:
    """Yield which agents are compared, where they differ, and in how many cases."""
    agents = Counter(case.agents for case in suite.cases if case.agents)
    for words, cases in agents.most_common(_MOST_AGENTS):
        is_all = cases == len(suite.cases)
        yield words if is_all else f"{words} in {count(cases, 'case')}"
    if rest := agents.total() - sum(n for _, n in agents.most_common(_MOST_AGENTS)):
        yield f"other agents in {count(rest, 'case')}"


def _not_compared(suite: Suite) -> Iterator[str]:
    """Yield the parts that logs do not record, and in how many cases."""
    cases = Counter(part for case in suite.cases for part in case.not_compared)
    parts = [
        part if number == len(suite.cases) else f"{part} in {count(number, 'case')}"
        for part, number in sorted(cases.items())
    ]
    if parts:
        yield f"not compared: {', '.join(parts)}"


def _uneven(suite: Suite) -> Iterator[str]:
    """Yield that cases have not as many runs on both sides."""
    cases = [case for case in suite.cases if case.repeated]
    uneven = [case for case in cases if case.repeated and not case.repeated.is_even]
    if len(cases) == len(uneven) == 1 and (repeated := uneven[0].repeated):
        yield against(repeated)
    elif uneven:
        yield f"unequal numbers of runs in {count(len(uneven), 'case')}"


def _headline(suite: Suite) -> str:
    total = count(len(suite.cases), "case")
    if suite.is_same:
        return f"same: {total}, {count(calls_in(suite), 'call')}"
    words = [*filter(None, ["trouble" if suite.has_trouble else "", _verdict(suite)])]
    return f"{', '.join(words)}: {total}: {in_numbers(suite.cases)}"


def calls_in(suite: Suite) -> int:
    """Return the number of calls of the candidate."""
    return sum(case.b.calls or 0 for case in suite.cases)


def _verdict(suite: Suite) -> str:
    deciding = [case for case in suite.cases if case.is_different and case.is_failure]
    reasons: list[str] = []
    if deciding:
        reasons.append(highest_of(case.severity for case in deciding))
    if suite.exceeds_limit:
        reasons.append("limits")
    if reasons:
        return f"different ({', '.join(reasons)})"
    if any(case.may_fail and _would_fail(case) for case in suite.cases):
        return "passes (--may-fail)"
    if {*suite.fates} <= {"same", "trouble"}:
        return "" if suite.has_trouble else "same"
    return f"passes (--fail-on {suite.settings.fail_on})"


def _would_fail(case: CaseResult) -> bool:
    return case.is_different or bool(case.limits)


def in_numbers(cases: Iterable[CaseResult]) -> str:
    """Return how many cases turned out how: `1 trouble, 2 major, 30 same`."""
    counts = Counter(case.word for case in cases)
    return ", ".join(f"{counts[word]:,} {word}" for word in WORDS if counts[word])


def told(suite: Suite, is_verbose: bool) -> list[CaseResult]:
    """Return the cases that a report lists: those that are not just the same."""
    return [case for case in suite.cases if is_verbose or case.is_told]


def style_of(case: CaseResult) -> LineStyle:
    """Return the style of the line about a case."""
    return _STYLES.get(case.word, "changed")


def calls_of(case: CaseResult) -> str:
    """Return the numbers of calls of both sides: `4`, or `4 -> 3`; "" for none."""
    numbers = [
        "-" if side.calls is None else f"{side.calls:,}" for side in (case.a, case.b)
    ]
    return "" if numbers == ["-", "-"] else arrow(*numbers)


def reason_of(case: CaseResult) -> str:
    """Return why a case turned out as it did, without the word for that."""
    if case.fate == "trouble":
        return shown(case.headline)
    reason = shown(case.headline.partition("): ")[2] or case.headline)
    return f"{reason}; may fail" if case.may_fail and _would_fail(case) else reason


def limit_lines(suite: Suite) -> Iterator[tuple[str, str, str]]:
    """Yield each limit that is exceeded: the case, the option and what was measured."""
    for limit in suite.limits:
        yield "all cases", limit.option, limit.what
    for case in suite.cases:
        for limit in case.limits:
            yield shown(case.name), limit.option, limit.what


def runs_left_out(suite: Suite, block: str) -> Iterator[tuple[str, str]]:
    """Yield each case with runs that do not count, and these.

    Those are left out whose report tells it.
    """
    for case in suite.cases:
        if case.repeated and block not in case.blocks:
            for line in cut_lines(case.repeated):
                yield shown(case.name), line


def finding_words(finding: CaseFinding) -> str:
    """Return a finding of repeated runs on one line, with how often it occurs."""
    call = f"call {finding.call}" if finding.call else ""
    words = [finding.severity, finding.category, call, finding.what]
    if flaps := flaps_words(finding):
        words.append(f"({flaps})")
    return "  ".join(filter(None, words))


def left_out(suite: Suite, block: str) -> str:
    """Return how many cases that differ are without a report; "" for none."""
    cases = [case for case in suite.cases if case.is_different and case.counts]
    others = [case for case in cases if block not in case.blocks]
    if not others or len(others) == len(cases):
        return ""
    return f"… details left out: {in_numbers(others)}; --full for the rest"
