"""html: the page of a suite, in one file that needs nothing else.

suite -> page -> template -> lines

The template and the style are in `convert/pages/templates`; this page shares the frame,
the policy and the escaping of the other pages.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator

from convert.diff.reports import ReportLine, ReportOptions
from convert.facts.figures import rate
from convert.facts.verdict import Tone
from convert.model.events import ReasonKind
from convert.pages.environment import environment, stylesheet
from convert.suites.case_result import CaseResult
from convert.suites.reports.page_cases import MISSING, OUTCOMES, CaseRows, Row, is_shown
from convert.suites.reports.phrases import WORDS, CaseWord, word_of
from convert.suites.suite_result import Suite, Word
from convert.suites.verdict.sentences import (
    REASONS,
    excluded_words,
    notes,
    percent,
    terms,
    verdict_and_figures,
)
from convert.wording.escapes import safe_line, truncate
from convert.wording.numbers import count, in_words

_LONGEST_NAME = 80
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
    """Return how much the verdict should worry: red for worse, amber for different."""
    if suite.has_trouble or (suite.is_different and not suite.is_red):
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
        interval = ""
        if success:
            low, high = round(100 * success.low), round(100 * success.high)
            interval = f"{low} to {high} %"
        yield {
            "name": safe_line(name),
            "success": success,
            "percent": percent(success.share) if success else MISSING,
            "of": f"{success.hits:,} of {success.of:,}" if success else "",
            "interval": interval,
            "clean": percent(clean / counted) if counted else MISSING,
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
