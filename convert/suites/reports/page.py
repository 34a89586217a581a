"""html: the page of a suite, in one file that needs nothing else.

The page shares the frame, the policy and the escaping of the other pages.
"""

from __future__ import annotations

import shlex
import sys
from collections import Counter
from collections.abc import Iterator
from typing import Any

from markupsafe import Markup, escape

from convert.diff.reports import ReportLine, ReportOptions
from convert.facts.rates_and_spreads import rate
from convert.facts.verdict import Tone
from convert.model import ReasonKind
from convert.pages.environment import environment, stylesheet
from convert.suites.case_result import (
    CasePages,
    CaseResult,
    CaseRun,
    CaseSide,
    FigureName,
    Standing,
)
from convert.suites.reports.phrases import (
    ALL_FIGURES,
    LONGEST_NAME,
    OUTCOMES,
    WORDS,
    CaseWord,
    figure_of,
    figure_words,
    interval_of,
    is_shown,
    names_of,
    outcomes_in_words,
    run_in_words,
    word_of,
)
from convert.suites.suite_result import Suite, Word
from convert.suites.verdict.notes import notes
from convert.suites.verdict.sentences import (
    REASONS,
    excluded_words,
    p_words,
    percent,
    terms,
    verdict_and_figures,
)
from convert.wording.escapes import escape_controls, safe_line, truncate
from convert.wording.numbers import count, in_words

_LONGEST, _LONGEST_NAME = 300, 80
# So many cases are shown with their details, and so many on paper.
_MOST_CASES, _ON_PAPER = 100, 40
_TONES: dict[Word, Tone] = {
    "worse": "bad",
    "different": "warning",
    "cannot tell": "unknown",
    "no worse": "good",
    "better": "good",
}


def report(suite: Suite, options: ReportOptions) -> Iterator[ReportLine]:
    """Yield the page of a suite; it shows cases that are the same, too."""
    template = environment().get_template("suites/reports/page.html.j2")
    word, figures = map(safe_line, verdict_and_figures(suite))
    listed = [case for case in suite.cases if is_shown(case)]
    most = sys.maxsize if options.is_full else _MOST_CASES
    rows = CaseRows(suite, options)
    names = [truncate(safe_line(name), _LONGEST_NAME) for name in suite.names]
    has_two = len(names) == 2
    versions = [*_versions(suite)]
    found = {run.outcome for case in suite.cases for run in case.runs}
    text = template.render(
        sheet=stylesheet("pages/templates/style.css", "suites/reports/page.css"),
        crumb=f"Comparison of {'two' if has_two else f'{len(names):,}'} versions",
        title=f"{names[-1]}{' against ' if has_two else ', compared with '}{names[0]}",
        tone=_tone(suite),
        word=f"{word}:" if word else "",
        sentence=figures,
        meaning=_meaning(suite),
        infrastructure=_infrastructure(suite),
        is_infrastructure=suite.verdict.excluded.differs,
        versions=versions,
        is_weighted=_is_weighted(suite, versions),
        has_clean="success" in found,
        outcomes=[each for each in OUTCOMES.items() if each[0] in found],
        # The note on excluded runs appears above the others.
        notes=notes(suite, has_excluded=False),
        terms=terms(suite) if options.is_full else [],
        names=names,
        cases=[rows.of(case, at) for at, case in enumerate(listed[:most])],
        folds=[*_folds(suite, rows, listed[most:])],
        total=len(suite.cases),
        has_rows=rows.has_rows,
        on_paper=_ON_PAPER,
    )
    yield from map(ReportLine, text.removesuffix("\n").split("\n"))


def _tone(suite: Suite) -> Tone:
    """Return how much the verdict should worry: red for worse, amber for different.

    Any other reason to fail is red as well.
    """
    if suite.has_trouble or (suite.is_different and not suite.is_against):
        return "bad"
    return _TONES[suite.verdict.word] if suite.is_judged else "good"


def _versions(suite: Suite) -> Iterator[Row]:
    """Yield a row for each version that is judged by its runs."""
    worse_since = suite.worse_since
    if worse_since is None and suite.verdict.word == "worse":
        worse_since = len(suite.names) - 1
    for at, name in enumerate(suite.names if suite.is_judged else ()):
        sides = [case.sides[at] for case in suite.cases if not case.is_golden]
        counted = sum(side.counted for side in sides)
        success = rate(sum(side.succeeded for side in sides), counted)
        clean = sum(side.clean for side in sides)
        kinds = _kinds(suite, at)
        yield {
            "name": safe_line(name),
            "success": success,
            "percent": percent(success.share) if success else _MISSING,
            "of": f"{success.hits:,} of {success.of:,}" if success else "",
            "interval": interval_of(success) if success else "",
            "clean": percent(clean / counted) if counted else _MISSING,
            "excluded": f"{kinds.total():,}: {_excluded(kinds)}" if kinds else "",
            "is_worse": worse_since is not None and at >= worse_since,
            "is_first_worse": at == suite.worse_since and len(suite.names) > 2,
        }


def _folds(
    suite: Suite, rows: CaseRows, more: list[CaseResult]
) -> Iterator[tuple[str, list[Row], str]]:
    """Yield the cases without room, and those without a proven difference.

    A fold has one claim, which holds for each of its cases, their rows, and which of
    their words are shown.
    """
    if more:
        yield count(len(more), "more case"), [rows.of(case) for case in more], "word"
    by_word: dict[CaseWord, list[CaseResult]] = {}
    for case in suite.cases:
        if not is_shown(case):
            by_word.setdefault(word_of(case), []).append(case)
    for word, cases in sorted(by_word.items(), key=lambda each: WORDS.index(each[0])):
        words = f"{_claim(suite, word, cases)}{_with_excluded(word, cases)}"
        shows = "" if word == "same" else "sentence"
        yield words, [rows.of(case) for case in cases], shows


def _claim(suite: Suite, word: CaseWord, cases: list[CaseResult]) -> str:
    """Return a claim that holds for all cases of a word, with their number."""
    is_one, number = len(cases) == 1, count(len(cases), "case")
    match word:
        case "unsure":
            if not any(case.change is None for case in cases):
                number += f" {'succeeds' if is_one else 'succeed'} as before;"
            else:
                number += ":"
            runs = f"{'its' if is_one else 'their'} runs behave in another way"
            return f"{number} {runs}, perhaps by chance"
        case "excluded":
            return f"{number} cannot be compared: all runs of a version are excluded"
        case "same":
            same = f"{number} {'is' if is_one else 'are'} the same"
            versions = f" in {safe_line(suite.a)} and {safe_line(suite.b)}"
            return same if len(suite.names) == 2 else same + versions
    return f"{number} {'differs' if is_one else 'differ'} less than --fail-on asks for"


def _with_excluded(word: CaseWord, cases: list[CaseResult]) -> str:
    """Return how many of some cases lack runs that were excluded."""
    number = sum(any(side.reasons for side in case.sides) for case in cases)
    if word == "excluded" or not number:
        return ""
    of = f"{number:,} of them " if number < len(cases) else "all of them "
    words = f"{of if len(cases) > 1 else ''}with excluded runs"
    return f", {words}" if word == "same" else f" ({words})"


def _kinds(suite: Suite, at: int) -> Counter[ReasonKind]:
    """Return how many runs of a version were excluded for which kind of reason."""
    sides = (case.sides[at] for case in suite.cases if not case.is_golden)
    return sum((side.reasons for side in sides), Counter())


def _excluded(kinds: Counter[ReasonKind]) -> str:
    """Return why runs were excluded, with numbers where there are several reasons."""
    return excluded_words(kinds) if len(kinds) > 1 else REASONS[next(iter(kinds))]


def _meaning(suite: Suite) -> str:
    """Return the verdict in words for a reader who sees it for the first time."""
    if not suite.is_judged or suite.verdict.success is None:
        return ""
    settings = suite.suite_settings
    margin = max(settings.margin, settings.max_loss)
    if suite.verdict.word == "different" and suite.verdict.is_no_worse:
        return "Success is as good as before; the runs behave in another way."
    return _MEANINGS[suite.verdict.word].format(margin=f"{margin:g}")


_MEANINGS: dict[Word, str] = {
    "worse": "Fewer runs succeed than before, and chance seldom makes such a loss.",
    "different": "The runs behave in another way; a loss of success is not proven.",
    "cannot tell": "The runs are too few to prove a loss of success, or to rule it"
    " out.",
    "no worse": "A loss of success of more than {margin} points is ruled out.",
    "better": "More runs succeed than before, and chance seldom makes such a gain.",
}


def _infrastructure(suite: Suite) -> str:
    """Name the runs that the network or the like ended."""
    if not suite.is_judged:
        return ""
    words = [
        f"{count(kinds.total(), 'run')} of {safe_line(name)} ({_excluded(kinds)})"
        for at, name in enumerate(suite.names)
        if (kinds := _kinds(suite, at))
    ]
    if not words:
        return "No run was ended by a usage limit, the network or authentication."
    # More or fewer runs were excluded than chance explains.
    shift, excluded = "", suite.verdict.excluded
    if excluded.differs:
        before = sum(excluded.a.values()) / max(excluded.of_a, 1)
        shift = "More runs were excluded than before: look at the service first. "
        if sum(excluded.b.values()) / max(excluded.of_b, 1) < before:
            shift = "Fewer runs were excluded than before. "
    return f"{shift}Excluded from every rate: {in_words(words)}."


def _is_weighted(suite: Suite, versions: list[Row]) -> bool:
    """Return True if the sentence has other rates than the rows of the versions."""
    success = suite.verdict.success
    if success is None or not versions:
        return False
    said = [percent(success.a), percent(success.b)]
    return said != [versions[0]["percent"], versions[-1]["percent"]]


_MISSING = "–"
# The versions that are rows of each case; more of them are next to one another.
_MOST_ROWS = 3
# The changes and the differences that a case shows: the first cases, and the others.
_MOST, _FIRST, _MOST_OF_OTHERS = 5, 20, 2
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
_TONES_OF_CASES: dict[Standing, str] = {
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
        self._most = min(most, _BESIDE)
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
        names = self._suite.names
        ends = (names[0], case.a), (names[-1], case.b)
        runs = [run_in_words(name, side) for name, side in ends]
        return {
            "name": safe_line(case.name),
            "tone": self._tone(case),
            "word": words[case.standing],
            "sentence": safe_line(case.headline if case.fate == "trouble" else said),
            "sides": [*self._sides(case)],
            "compared": " and ".join(runs) if all(runs) else "",
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
        return "bad" if is_bad else _TONES_OF_CASES.get(case.standing, "")

    def _sides(self, case: CaseResult) -> Iterator[Row]:
        calls = [side.median("calls") for side in case.sides]
        times = [side.median("duration_ms") for side in case.sides]
        for at, (name, side) in enumerate(
            zip(self._suite.names, case.sides, strict=True)
        ):
            of = f"{side.succeeded:,} of {side.counted:,}"
            yield {
                "name": truncate(safe_line(name), LONGEST_NAME),
                "marks": marks(side, self._most),
                "score": of if side.counted else _MISSING if side.logs else "no runs",
                "words": outcomes_in_words(side),
                "calls": _bar("calls", calls[at], calls),
                "time": _bar("duration_ms", times[at], times),
            }

    def _figures(self, case: CaseResult) -> Iterator[list[str]]:
        """Yield the figures of each version: the medians of the runs that ended."""
        for name, side in zip(self._suite.names, case.sides, strict=True):
            figures = (figure_of(side, figure) for figure in ALL_FIGURES)
            words = (outcomes_in_words(side), *figures)
            yield [safe_line(name), *(each or _MISSING for each in words)]

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
    figures: dict[FigureName, str] = {"calls": "calls", "duration_ms": "time"}
    parts = []
    for figure, what in figures.items():
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


# In pixels, a mark with its gap; and how many are next to one another.
_MARK, _BESIDE = 14, 16


def marks(side: CaseSide, most: int) -> Markup:
    """Return the marks of the runs of a case, those that went well first.

    `most` is the largest number of marks next to one another on the page, which makes
    the pictures of all cases equally wide.
    """
    order = [*OUTCOMES]
    runs = sorted(side.runs, key=lambda run: order.index(run.outcome))
    rows = max(-(-len(runs) // _BESIDE), 1)
    size = f'width="{_MARK * max(min(most, _BESIDE), 1)}" height="{_MARK * rows}"'
    names = dict(zip((run.log for run in side.runs), names_of(side), strict=True))
    drawn = "".join(_mark(run, names[run.log], at) for at, run in enumerate(runs))
    return Markup(f'<svg class="marks" {size} aria-hidden="true">{drawn}</svg>')


def _mark(run: CaseRun, name: str, at: int) -> str:
    x, y = at % _BESIDE * _MARK, at // _BESIDE * _MARK
    down = f' y="{y}"' if y else ""
    words = OUTCOMES[run.outcome]
    if run.outcome == "excluded":
        words = f"{words}, {REASONS.get(run.reason_kind, run.reason_kind)}"
    elif run.is_cut:
        words = f"{words}, broke off"
    hover = escape(escape_controls(f"{name}: {words}"))
    return f'<use href="#run-{run.outcome}" x="{x}"{down}><title>{hover}</title></use>'
