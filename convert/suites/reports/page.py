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
from convert.facts.run_reasons import OUTSIDE
from convert.facts.verdict import Tone
from convert.model.events import ReasonKind
from convert.pages.environment import environment, stylesheet
from convert.suites.case_result import CaseResult, CaseSide, Outcome
from convert.suites.reports.page_cases import MISSING, OUTCOMES, CaseRows, Row, is_shown
from convert.suites.reports.phrases import WORDS, CaseWord, word_of
from convert.suites.suite_result import Suite, Word
from convert.suites.verdict.sentences import (
    REASONS,
    excluded_line,
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
    versions, outcomes = [*_versions(suite)], [*_outcomes(suite)]
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
        has_clean=any(outcome == "success" for outcome, _ in outcomes),
        outcomes=outcomes,
        notes=[*_notes(suite)],
        terms=terms(suite) if options.is_full else [],
        names=names,
        cases=[rows.of(case, at) for at, case in enumerate(listed[:most])],
        folds=[*_folds(suite, rows, listed[most:])],
        total=len(suite.cases),
        has_rows=rows.has_rows,
        on_paper=_ON_PAPER,
    )
    for line in text.removesuffix("\n").split("\n"):
        yield ReportLine(line)


def _tone(suite: Suite) -> Tone:
    """Return how much the verdict should worry: red for worse, amber for different."""
    if suite.has_trouble or (suite.is_different and not suite.is_red):
        return "bad"
    return _TONES[suite.verdict.word] if suite.is_judged else "good"


def _sides(suite: Suite, at: int) -> list[CaseSide]:
    return [case.sides[at] for case in suite.cases if not case.is_golden]


def _versions(suite: Suite) -> Iterator[Row]:
    """Yield a row for each version that is judged by its runs."""
    worse_since = suite.worse_since
    if worse_since is None and suite.verdict.word == "worse":
        worse_since = len(suite.names) - 1
    for at, name in enumerate(suite.names if suite.is_judged else ()):
        sides = _sides(suite, at)
        counted = sum(side.counted for side in sides)
        success = rate(sum(side.succeeded for side in sides), counted)
        clean = sum(side.clean for side in sides)
        kinds = _kinds(sides)
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
    """Yield the cases that have no room, and those that are the same for all we know.

    A fold has one claim, which holds for each of its cases, their rows, and which of
    their words are shown.
    """
    if more:
        words = count(len(more), "more case")
        yield words, [rows.of(case) for case in more], "word"
    by_word: dict[CaseWord, list[CaseResult]] = {}
    for case in suite.cases:
        if not is_shown(case):
            by_word.setdefault(word_of(case), []).append(case)
    for word, cases in sorted(by_word.items(), key=lambda each: WORDS.index(each[0])):
        words = f"{_claim(suite, word, cases)}{_with_excluded(word, cases)}"
        shows = "" if word == "same" else "sentence"
        yield words, [rows.of(case) for case in cases], shows


def _claim(suite: Suite, word: CaseWord, cases: list[CaseResult]) -> str:
    """Return what all cases of a word have in common, with their number."""
    is_one, number = len(cases) == 1, count(len(cases), "case")
    match word:
        case "unsure":
            runs = f"{'its' if is_one else 'their'} runs behave in another way"
            how = f"{'succeeds' if is_one else 'succeed'} as before"
            if any(case.change is None for case in cases):
                return f"{number}: {runs}, perhaps by chance"
            return f"{number} {how}; {runs}, perhaps by chance"
        case "excluded":
            return f"{number} cannot be compared: all runs of a version are excluded"
        case "same":
            same = f"{number} {'is' if is_one else 'are'} the same"
            if len(suite.names) == 2:
                return same
            return f"{same} in {safe_line(suite.a)} and {safe_line(suite.b)}"
    return f"{number} {'differs' if is_one else 'differ'} less than --fail-on asks for"


def _with_excluded(word: CaseWord, cases: list[CaseResult]) -> str:
    """Return how many of some cases lack runs that were excluded."""
    number = sum(
        any(run.outcome == "excluded" for side in case.sides for run in side.runs)
        for case in cases
    )
    if word == "excluded" or not number:
        return ""
    of = f"{number:,} of them " if number < len(cases) else "all of them "
    words = f"{of if len(cases) > 1 else ''}with excluded runs"
    return f", {words}" if word == "same" else f" ({words})"


def _kinds(sides: list[CaseSide]) -> Counter[ReasonKind]:
    """Return how many runs were excluded for which kind of reason."""
    return Counter(
        run.reason_kind
        for side in sides
        for run in side.runs
        if run.outcome == "excluded" and run.reason_kind in OUTSIDE
    )


def _excluded(kinds: Counter[ReasonKind]) -> str:
    """Return why runs were excluded, with numbers where there are several reasons."""
    if len(kinds) == 1:
        return "".join(REASONS[kind] for kind in kinds)
    return excluded_words(kinds)


def _meaning(suite: Suite) -> str:
    """Return the verdict in words for a reader who sees it for the first time."""
    if not suite.is_judged or suite.verdict.success is None:
        return ""
    match suite.verdict.word:
        case "worse":
            return (
                "Fewer runs succeed than before, and chance seldom makes such a loss."
            )
        case "better":
            return "More runs succeed than before, and chance seldom makes such a gain."
        case "no worse":
            settings = suite.suite_settings
            margin = max(settings.margin, settings.max_loss)
            return f"A loss of success of more than {margin:g} points is ruled out."
        case "cannot tell":
            return "The runs are too few to prove a loss of success, or to rule it out."
    if suite.verdict.is_no_worse:
        return "Success is as good as before; the runs behave in another way."
    return "The runs behave in another way; a loss of success is not proven."


def _infrastructure(suite: Suite) -> str:
    """Say which runs the network or the like ended; the reader draws the conclusion."""
    if not suite.is_judged:
        return ""
    found = [_kinds(_sides(suite, at)) for at in range(len(suite.names))]
    if not any(found):
        return "No run was ended by a usage limit, the network or authentication."
    words = [
        f"{count(kinds.total(), 'run')} of {safe_line(name)} ({_excluded(kinds)})"
        for name, kinds in zip(suite.names, found, strict=True)
        if kinds
    ]
    return f"{_shift(suite)}Excluded from every rate: {in_words(words)}."


def _shift(suite: Suite) -> str:
    """Say if more or fewer runs were excluded than chance explains."""
    excluded = suite.verdict.excluded
    if not excluded.differs:
        return ""
    before = sum(excluded.a.values()) / max(excluded.of_a, 1)
    if sum(excluded.b.values()) / max(excluded.of_b, 1) < before:
        return "Fewer runs were excluded than before. "
    return "More runs were excluded than before: look at the service first. "


def _notes(suite: Suite) -> Iterator[str]:
    """Yield the notes but for that on excluded runs, which appears above."""
    said = excluded_line(suite.verdict.excluded)
    for note in notes(suite):
        if note != said:
            yield safe_line(note)


def _is_weighted(suite: Suite, versions: list[Row]) -> bool:
    """Tell if the sentence has other rates than the rows of the versions."""
    success = suite.verdict.success
    if success is None or not versions:
        return False
    said = [percent(success.a), percent(success.b)]
    return said != [versions[0]["percent"], versions[-1]["percent"]]


def _outcomes(suite: Suite) -> Iterator[tuple[Outcome, str]]:
    """Yield the outcomes that some run has, with their words."""
    found = {
        run.outcome for case in suite.cases for side in case.sides for run in side.runs
    }
    for outcome, words in OUTCOMES.items():
        if outcome in found:
            yield outcome, words
