"""The words that the reports of a suite share."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from convert.diff.comparison import highest_of
from convert.diff.reports.appearance import LineStyle, arrow, shown
from convert.options.settings import SEVERITIES
from convert.suite.results import CaseResult
from convert.suite.suite import Suite
from convert.wording.numbers import count

ORDER = ("trouble", "missing", *reversed(SEVERITIES), "passes", "new", "same")
_STYLES: dict[str, LineStyle] = {
    "trouble": "removed",
    "missing": "removed",
    "new": "added",
    "passes": "",
    "same": "",
}


def headline(suite: Suite) -> str:
    """Return the verdict in one line: `different (major): 9 cases: 1 major, 8 same`.

    Trouble is named as well as a difference.
    """
    total = count(len(suite.cases), "case")
    if {*suite.fates} == {"same"}:
        return f"same: {total}, {count(calls_in(suite), 'call')}"
    words = [*filter(None, ["trouble" if suite.has_trouble else "", _verdict(suite)])]
    return f"{', '.join(words)}: {total}: {in_numbers(suite.cases)}"


def calls_in(suite: Suite) -> int:
    """Return the number of calls of the candidate."""
    return sum(case.b.calls or 0 for case in suite.cases)


def _verdict(suite: Suite) -> str:
    severity = highest_of(case.severity for case in suite.cases)
    if suite.is_different:
        return f"different ({severity})"
    if severity in ("none", "info"):
        return "" if suite.has_trouble else "same"
    return f"passes (--fail-on {suite.settings.fail_on})"


def verdict_of(case: CaseResult) -> str:
    """Return how a case turned out in a word; of a difference, how severe it is."""
    return case.severity if case.fate == "different" else case.fate


def in_numbers(cases: Iterable[CaseResult]) -> str:
    """Return how many cases turned out how: `1 trouble, 2 major, 30 same`."""
    counts = Counter(map(verdict_of, cases))
    return ", ".join(f"{counts[word]:,} {word}" for word in ORDER if counts[word])


def told(suite: Suite, is_verbose: bool) -> list[CaseResult]:
    """Return the cases that a report lists: those that are not the same."""
    return [case for case in suite.cases if is_verbose or case.fate != "same"]


def style_of(case: CaseResult) -> LineStyle:
    """Return the style of the line about a case."""
    return _STYLES.get(case.fate, "changed")


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
    return shown(case.headline.partition("): ")[2] or case.headline)


def left_out(suite: Suite) -> str:
    """Return how many cases that differ are without details; "" for none."""
    cases = [case for case in suite.cases if case.is_different and case.counts]
    others = [case for case in cases if not case.blocks]
    if not any(case.blocks for case in suite.cases) or not others:
        return ""
    return f"… details left out: {in_numbers(others)}; --full for the rest"
