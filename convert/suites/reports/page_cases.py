"""The cases of a suite on its page, with a mark for each run."""

from __future__ import annotations

import shlex
import sys
from collections import Counter
from collections.abc import Iterator
from typing import Any

from markupsafe import Markup, escape

from convert.diff.reports import ReportOptions
from convert.suites.case_result import (
    SUCCEEDED,
    CasePages,
    CaseResult,
    CaseRun,
    CaseSide,
    FigureName,
    Outcome,
    Standing,
)
from convert.suites.reports.phrases import ALL_FIGURES, figure_of, figure_words, word_of
from convert.suites.suite_result import Suite
from convert.suites.verdict.sentences import REASONS, p_words
from convert.wording.escapes import escape_controls, one_line, safe_line, truncate
from convert.wording.numbers import count, in_words
from convert.wording.urls import stem_of

MISSING = "–"
# The versions that are rows of each case; more of them are next to one another.
_MOST_ROWS = 3
# The changes and the differences that a case shows: the first cases, and the others.
_MOST, _FIRST, _MOST_OF_OTHERS = 5, 20, 2
_LONGEST, _LONGEST_NAME = 300, 60
_GROWTH: tuple[tuple[FigureName, str], ...] = (
    ("calls", "calls"),
    ("duration_ms", "time"),
)
_STANDINGS: dict[Standing, str] = {
    "trouble": "not compared",
    "missing": "not run any more",
    "limit": "over a limit",
    "fell": "fewer succeed",
    "changed": "behaves differently",
    "rose": "more succeed",
    "new": "new",
    "same": "same",
}
# Those of a case with one run in each version.
_OF_ONE: dict[Standing, str] = {"fell": "fails now", "rose": "succeeds now"}


_TONES: dict[Standing, str] = {
    **dict.fromkeys(("trouble", "limit"), "bad"),
    **dict.fromkeys(("fell", "changed", "missing"), "warn"),
    "rose": "good",
}

# The parts of a case by the names that the template has for them.
Row = dict[str, Any]


class CaseRows:
    """Makes the rows of the cases of one suite."""

    def __init__(self, suite: Suite, options: ReportOptions) -> None:
        self._suite, self._options = suite, options
        self._pages = suite.pages.get(options.path, {})
        # The marks of all cases are in columns of one width.
        most = max((len(side.runs) for side in suite.sides), default=1)
        self._most = min(most, BESIDE)
        self.has_rows = len(suite.names) <= _MOST_ROWS
        self._has_two = len(suite.names) == 2

    def of(self, case: CaseResult, at: int = _FIRST) -> Row:
        """Return the row of a case; the first ones, `at` 0 and on, have more room."""
        room = _MOST if at < _FIRST else _MOST_OF_OTHERS
        room = sys.maxsize if self._options.is_full else room
        changes, more = case.changes, case.behaviour.more if case.behaviour else 0
        pages = self._pages.get(case.name)
        words = _STANDINGS if case.is_repeated else _STANDINGS | _OF_ONE
        said = case.sentence or case.headline
        links = [*self._links(case, pages)] if pages else []
        return {
            "name": safe_line(case.name),
            "tone": self._tone(case),
            "word": words[case.standing],
            "sentence": safe_line(case.headline if case.fate == "trouble" else said),
            "sides": [*self._sides(case)],
            "compared": self._compared(case),
            "growth": "" if self.has_rows else _growth(case),
            "changes": [
                {
                    "words": truncate(safe_line(each.sentence or each.what), _LONGEST),
                    "a": f"{each.a:,} of {each.of_a:,}",
                    "b": f"{each.b:,} of {each.of_b:,}",
                    "p": p_words(each.p) if self._options.is_full else "",
                }
                for each in changes[:room]
            ],
            "more_changes": more + len(changes[room:]),
            "findings": [
                {
                    "severity": each.severity,
                    "category": each.category,
                    "words": truncate(safe_line(each.what), _LONGEST),
                    "note": safe_line(each.waived),
                }
                for each in case.findings[:room]
            ],
            "more_findings": len(case.findings[room:]),
            "limits": [
                safe_line(f"{limit.option}: {limit.what}") for limit in case.limits
            ],
            "figures": [*self._figures(case)],
            "links": links,
            "command": "" if pages else _command(case),
            "summary": _summary(len(changes) + more, len(case.findings), bool(links)),
        }

    def _tone(self, case: CaseResult) -> str:
        """Return its colour: red if it decides, or fell in a suite that is worse."""
        is_worse = self._suite.verdict.word == "worse" and case.standing == "fell"
        is_bad = case.is_failure or is_worse
        return "bad" if is_bad else _TONES.get(case.standing, "")

    def _sides(self, case: CaseResult) -> Iterator[Row]:
        calls = [side.median("calls") for side in case.sides]
        times = [side.median("duration_ms") for side in case.sides]
        for at, (name, side) in enumerate(
            zip(self._suite.names, case.sides, strict=True)
        ):
            of = f"{side.succeeded:,} of {side.counted:,}"
            yield {
                "name": truncate(safe_line(name), _LONGEST_NAME),
                "marks": marks(side, self._most),
                "score": of if side.counted else MISSING if side.logs else "no runs",
                "words": outcomes_in_words(side),
                "calls": _bar("calls", calls[at], calls),
                "time": _bar("duration_ms", times[at], times),
            }

    def _figures(self, case: CaseResult) -> Iterator[list[str]]:
        """Yield the figures of each version: the medians of the runs that ended."""
        for name, side in zip(self._suite.names, case.sides, strict=True):
            figures = (figure_of(side, figure) for figure in ALL_FIGURES)
            words = (outcomes_in_words(side), *figures)
            yield [safe_line(name), *(each or MISSING for each in words)]

    def _compared(self, case: CaseResult) -> str:
        """Name the runs of the first and the last version that reports show."""
        if not (case.a.run and case.b.run):
            return ""
        names = self._suite.names
        return f"{run_in_words(names[0], case.a)} and {run_in_words(names[-1], case.b)}"

    def _links(self, case: CaseResult, pages: CasePages) -> Iterator[tuple[str, str]]:
        """Yield the words and the addresses of links to pages of a case."""
        for name, side, address in zip(
            self._suite.names, case.sides, pages.sides, strict=True
        ):
            if address:
                yield run_in_words(name, side), address
        if pages.comparison:
            both = "both runs" if self._has_two else "the first and the last of them"
            yield f"{both} side by side", pages.comparison


def is_shown(case: CaseResult) -> bool:
    """Return True if the page shows a case with its details, and not in a fold."""
    return case.standing != "same" and word_of(case) != "excluded"


def run_in_words(version: str, side: CaseSide) -> str:
    """Name the run of a version that reports show: `run-3 of v2 (failed)`."""
    if side.run is None:
        return ""
    name = names_of(side)[side.shown] if len(side.runs) > 1 else "run"
    version = truncate(safe_line(version), _LONGEST_NAME)
    return f"{safe_line(name)} of {version} ({ending_of(side.run)})"


def _summary(changes: int, findings: int, has_links: bool) -> str:
    """Return the line that unfolds the details."""
    words = [count(changes, "change")] if changes else []
    words += [count(findings, "difference")] if findings else []
    return in_words([*words, "figures", *(["pages of its runs"] if has_links else [])])


def _bar(
    name: FigureName, number: int | float | None, numbers: list[int | float | None]
) -> tuple[str, float] | None:
    """Return a figure of a version, and the width of its bar in per cent."""
    if number is None:
        return None
    most = max(each for each in numbers if each is not None) or 1
    words = figure_words(name, number)
    noun = f" {'call' if number == 1 else 'calls'}" if name == "calls" else ""
    return f"{words}{noun}", 100 * number / most


def _growth(case: CaseResult) -> str:
    """Return calls and time of the first and the last version."""
    parts = []
    for figure, what in _GROWTH:
        words = [figure_of(side, figure) for side in (case.a, case.b)]
        if all(words):
            parts.append(f"{what} {' → '.join(dict.fromkeys(words))}")
    return ", ".join(parts)


def _command(case: CaseResult) -> str:
    """Return the command that makes the page of two runs; "" if there are none."""
    logs = [case.a.log, case.b.log]
    if not all(logs):
        return ""
    quoted = " ".join(shlex.quote(safe_line(log)) for log in logs)
    return f"runconv diff {quoted} -o diff.html"


# The words for each outcome, in the order of the marks.
OUTCOMES: dict[Outcome, str] = {
    "clean": "clean",
    "success": "success",
    "unknown": "end not recorded",
    "failed": "failed",
    "excluded": "excluded",
}
# In pixels, a mark with its gap; and how many are next to one another.
_MARK, BESIDE = 14, 16
_LONGEST_LOG = 60


def marks(side: CaseSide, most: int) -> Markup:
    """Return the marks of the runs of a case, those that went well first.

    `most` is the largest number of marks next to one another on the page, which makes
    the pictures of all cases equally wide.
    """
    order = [*OUTCOMES]
    runs = sorted(side.runs, key=lambda run: order.index(run.outcome))
    rows = max(-(-len(runs) // BESIDE), 1)
    size = f'width="{_MARK * max(min(most, BESIDE), 1)}" height="{_MARK * rows}"'
    names = dict(zip((run.log for run in side.runs), names_of(side), strict=True))
    drawn = "".join(_mark(run, names[run.log], at) for at, run in enumerate(runs))
    return Markup(f'<svg class="marks" {size} aria-hidden="true">{drawn}</svg>')


def outcomes_in_words(side: CaseSide) -> str:
    """Return how many runs turned out how: `3 clean, 1 success and 4 failed`."""
    counts = Counter(run.outcome for run in side.runs)
    reasons = ", ".join(
        REASONS.get(kind, kind) for kind, _ in side.reasons.most_common()
    )
    why = {"excluded": f" ({reasons})" if reasons else ""}
    words = [
        f"{counts[outcome]:,} {word}{why.get(outcome, '')}"
        for outcome, word in OUTCOMES.items()
        if counts[outcome]
    ]
    if side.unread:
        words.append(f"{side.unread:,} unreadable")
    return in_words(words)


def names_of(side: CaseSide) -> list[str]:
    """Return the shortest ends of the paths of its logs that distinguish the runs."""
    paths = [stem_of(run.log.replace("\\", "/")).split("/") for run in side.runs]
    names: list[str] = []
    for parts in range(1, max(map(len, paths), default=0) + 1):
        names = ["/".join(path[-parts:]) for path in paths]
        if len({*names}) == len(names):
            break
    return [truncate(one_line(name), _LONGEST_LOG) for name in names]


def ending_of(run: CaseRun) -> str:
    """Return how a run ended, in a word or two."""
    if run.is_cut:
        return "broke off"
    return "succeeded" if run.outcome in SUCCEEDED else OUTCOMES[run.outcome]


def _mark(run: CaseRun, name: str, at: int) -> str:
    x, y = at % BESIDE * _MARK, at // BESIDE * _MARK
    down = f' y="{y}"' if y else ""
    words = OUTCOMES[run.outcome]
    if run.outcome == "excluded":
        words = f"{words}, {REASONS.get(run.reason_kind, run.reason_kind)}"
    elif run.is_cut:
        words = f"{words}, broke off"
    hover = escape(escape_controls(f"{name}: {words}"))
    return f'<use href="#run-{run.outcome}" x="{x}"{down}><title>{hover}</title></use>'
