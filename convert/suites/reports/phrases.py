"""Cases and their runs in words that several reports share.

The words for the verdict on all cases are in `convert.suites.verdict.sentences`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from decimal import Decimal
from typing import Literal

from convert.diff.reports import LineStyle
from convert.facts.rates_and_spreads import Rate, rate
from convert.model.run import dollars, recorded_cost
from convert.options.settings import SEVERITIES, Severity
from convert.suites.case_result import (
    STANDINGS,
    SUCCEEDED,
    CaseFinding,
    CaseLimit,
    CaseResult,
    CaseRun,
    CaseSide,
    FigureName,
    Outcome,
    Standing,
)
from convert.suites.suite_result import Suite, Word
from convert.suites.verdict.case_sentences import change_of
from convert.suites.verdict.sentences import FIGURES, REASONS, first_of, p_words
from convert.wording.escapes import one_line, safe_line, truncate
from convert.wording.numbers import count, duration, in_words
from convert.wording.paths import stem_of

# A case in a word: how its runs compare, or its severity where findings decide. A case
# is `unsure` if most runs of one version do something that none of the other does, and
# chance may make that; it is `excluded` if all runs of a version are.
CaseWord = Literal[Standing, Severity, "passes", "unsure", "excluded"]
WORDS: tuple[CaseWord, ...] = (
    *STANDINGS[: STANDINGS.index("limit")],
    *reversed(SEVERITIES),
    *STANDINGS[STANDINGS.index("limit") : -1],
    *("unsure", "excluded", "passes", "same"),
)
# The verdict on all cases as scripts read it. Where only findings decide, it is one of
# the last four.
Overall = Literal[Word, "trouble", "passes", "same"]
# The cases that explain a verdict are of these standings.
_EXPLAINING: dict[Word, tuple[Standing, ...]] = {
    "worse": ("limit", "fell"),
    "different": ("limit",),
    "cannot tell": ("limit", "fell"),
    "no worse": ("limit", "fell"),
    "better": ("limit", "rose"),
}
MOST_EXPLAINING = 5
# The findings about two runs that are listed below a case.
_MOST_FINDINGS = 20
# The figures that have a column of their own; costs only if they are recorded.
COLUMNS: tuple[FigureName, ...] = ("calls", "duration_ms", "cost_usd")
ALL_FIGURES: tuple[FigureName, ...] = ("calls", "duration_ms", "tokens", "cost_usd")
MISSING = "missing"
_STYLES: dict[CaseWord, LineStyle] = {
    "trouble": "removed",
    "missing": "removed",
    "fell": "removed",
    "rose": "added",
    "new": "added",
    **dict.fromkeys(("unsure", "excluded", "passes", "same"), ""),
}
_STYLES_OF_VERDICTS: dict[Word, LineStyle] = {
    "worse": "removed",
    "different": "changed",
    "better": "added",
}


def overall(suite: Suite) -> Overall:
    """Return the verdict in a word."""
    if suite.has_trouble:
        return "trouble"
    if suite.is_judged and suite.cases:
        return suite.verdict.word
    if suite.is_different:
        return "different"
    return "same" if all(case.fate == "same" for case in suite.cases) else "passes"


def style_of_suite(suite: Suite) -> LineStyle:
    """Return the style of the sentence."""
    if suite.has_trouble:
        return "removed"
    style = _STYLES_OF_VERDICTS.get(suite.verdict.word, "") if suite.is_judged else ""
    return style if style == "removed" or not suite.is_different else "changed"


def cases_shown(suite: Suite, is_verbose: bool) -> list[CaseResult]:
    """Return the cases that a report lists: those that are not the same in all."""
    return [case for case in suite.cases if is_verbose or not _is_same(case)]


def _is_same(case: CaseResult) -> bool:
    """Return True for a case that is the same in all versions, and lacks no run."""
    rates = {side.succeeded / (side.counted or 1) for side in case.sides}
    return (
        word_of(case) == "same"
        and len(rates) == 1
        and all(side.logs and not side.unread for side in case.sides)
        and all(run.has_ended for run in case.runs)
    )


def explaining(suite: Suite) -> list[CaseResult]:
    """Return the cases that explain the verdict, the worst first.

    Where only findings decide, these are the explanation, and no cases are named.
    """
    standings = _EXPLAINING[suite.verdict.word]
    found = [
        case
        for case in suite.judged
        if case.standing in standings or (case.is_changed and not case.change)
    ]
    if found or suite.verdict.word != "different":
        return found
    # All cases together changed, and none of them clearly by itself.
    changed = (case for case in suite.judged if case.changes)
    return sorted(changed, key=lambda case: case.rank[2:])


def word_of(case: CaseResult) -> CaseWord:
    """Return how a case turned out in a word."""
    if case.by_findings and not case.limits:
        if case.fate == "different":
            return case.severity
        if case.fate == "passes" and case.standing in ("changed", "same"):
            return "passes"
    if case.standing in ("changed", "same"):
        # Something else ended each run of a version.
        sides = (side for side in case.sides if side.runs)
        if any(side.reasons.total() == len(side.runs) for side in sides):
            return "excluded"
        steady = (each for each in case.changes if each.is_steady)
        if case.standing == "same" and any(each.severity != "info" for each in steady):
            return "unsure"
    return case.standing


def style_of(case: CaseResult) -> LineStyle:
    """Return the style of the line about a case."""
    return _STYLES.get(word_of(case), "changed")


def in_numbers(cases: Iterable[CaseResult]) -> str:
    """Return how many cases turned out how: `1 missing, 2 fell, 30 same`."""
    counts = Counter(map(word_of, cases))
    return ", ".join(f"{counts[word]:,} {word}" for word in WORDS if counts[word])


def about(case: CaseResult) -> str:
    """Return how a case differs besides its figures, on one line."""
    words = change_of(case)
    if case.fate == "trouble":
        words = case.headline
    elif case.by_findings or case.fate in ("missing", "new"):
        words = case.reason
    parts = [safe_line(words), *limits_of(case.limits)]
    if case.may_fail and (case.limits or case.is_different):
        parts.append("may fail")
    return "; ".join(filter(None, parts))


def sentence_of(case: CaseResult) -> str:
    """Return the plain sentence about a case, else its comparison in one line."""
    return safe_line(case.sentence or case.reason)


def explanation(case: CaseResult) -> str:
    """Return the plain sentence about a case, after the limits that it exceeds."""
    limits = "; ".join(limits_of(case.limits))
    return " ".join(filter(None, [limits and f"{limits}.", sentence_of(case)]))


def limits_of(limits: list[CaseLimit]) -> list[str]:
    """Return the limits that are exceeded, each with its measurement."""
    return [safe_line(f"{limit.what} ({limit.option})") for limit in limits]


def success_of(side: CaseSide) -> str:
    """Return how many runs succeeded: `7/8, 1 cut`, `3/3, 1 excluded`, `missing`."""
    if not side.logs:
        return MISSING
    numbers = {
        "cut": side.cut,
        "excluded": side.reasons.total(),
        "unknown": sum(run.outcome == "unknown" for run in side.runs),
        "unreadable": side.unread,
    }
    parts = [f"{side.succeeded:,}/{side.counted:,}"] if side.counted else []
    parts += [f"{number:,} {what}" for what, number in numbers.items() if number]
    return ", ".join(parts) or "not compared"


def figure_of(side: CaseSide, figure: FigureName) -> str:
    """Return the median of a figure; "" if no run records it."""
    median = side.median(figure)
    return "" if median is None else figure_words(figure, median)


def figure_words(figure: FigureName, number: int | float) -> str:
    """Write a figure of a run: `1,204`, `2 min 5 s`, `$0.12`."""
    if figure == "cost_usd":
        return dollars(recorded_cost(number) or Decimal())
    return duration(round(number)) if figure == "duration_ms" else f"{number:,}"


def across(texts: Iterable[str]) -> str:
    """Return a text of each version, `4 → 9`; one if all are the same."""
    texts = [*texts]
    if len({*texts}) == 1:
        return texts[0]
    return " → ".join(text or "-" for text in texts)


def cells_across(case: CaseResult, figures: Iterable[FigureName]) -> Iterator[str]:
    """Yield successes and figures of a case, in all versions that differ in them."""
    yield across(map(success_of, case.sides))
    for figure in figures:
        yield across(figure_of(side, figure) for side in case.sides)


def has_costs(suite: Suite) -> bool:
    """Return True if one of the runs records its cost."""
    runs = (run for case in suite.cases for run in case.runs)
    return any(run.cost_usd is not None for run in runs)


def rows_of(case: CaseResult) -> Iterator[tuple[str, str]]:
    """Yield the figures of the runs of a case with intervals: a heading and a line."""
    yield "success", across(_rate(side.succeeded, side) for side in case.sides)
    if any(side.clean != side.succeeded for side in case.sides):
        yield "clean", across(_rate(side.clean, side) for side in case.sides)
    for figure, heading in FIGURES.items():
        if line := across(_sample(side, figure) for side in case.sides):
            yield heading, line
    if cut := [run for run in case.runs if run.is_cut]:
        yield "cut", _logs(cut)
    if excluded := [run for run in case.runs if run.outcome == "excluded"]:
        yield "excluded", _logs(excluded)


def changes_of(case: CaseResult, is_full: bool) -> Iterator[str]:
    """Yield the changes in the behaviour of a case, a line each, the surest first.

    A last line says that they may be chance, if they may.
    """
    for each in case.changes:
        # As in `… (4 of 4 → 0 of 4 runs)`.
        runs = f"{each.a:,} of {each.of_a:,} → {each.b:,} of {each.of_b:,} runs"
        if is_full:
            runs += f"; steadiness {each.steadiness:.2f}, {p_words(each.p)}"
        yield safe_line(f"{each.sentence} ({runs})")
    behaviour = case.behaviour if case.changes else None
    if behaviour and behaviour.more:
        yield f"… {count(behaviour.more, 'more change')}"
    if behaviour and is_full:
        yield f"all changes of the case together: {p_words(behaviour.p)}"
    if behaviour and not case.is_changed:
        yield "seen in these runs, and may be chance"


def findings_of(case: CaseResult, is_full: bool) -> Iterator[str]:
    """Yield the findings about the two runs that are shown, the most severe first."""
    findings = case.findings if is_full else case.findings[:_MOST_FINDINGS]
    yield from map(finding_words, findings)
    if len(findings) < len(case.findings):
        more = count(len(case.findings) - len(findings), "more finding")
        yield f"… {more}; --full for the rest"


def finding_words(finding: CaseFinding) -> str:
    """Return a finding about the two runs that are shown, on one line."""
    call = f"call {finding.call}: " if finding.call else ""
    return safe_line(f"{finding.severity} {finding.category}: {call}{finding.what}")


def runs_shown(case: CaseResult) -> str:
    """Return which two runs are compared; "" unless there are several."""
    if not case.is_repeated or not (case.a.log and case.b.log):
        return ""
    return f"compared: {safe_line(case.a.log)} with {safe_line(case.b.log)}"


def skipped_details(suite: Suite, block: str) -> str:
    """Return how many cases that differ are without a report; "" for none."""
    found = (case for case in suite.cases if case.by_findings and case.is_different)
    cases = [case for case in found if case.counts]
    others = [case for case in cases if block not in case.blocks]
    if not others or len(others) == len(cases):
        return ""
    return f"… details skipped: {in_numbers(others)}; --full for the rest"


def _rate(hits: int, side: CaseSide) -> str:
    """Return a share of the runs of a version, with its interval."""
    if not (made := rate(hits, side.counted)):
        return MISSING if not side.logs else "not recorded"
    return f"{hits:,} of {side.counted:,} ({interval_of(made)})"


def interval_of(made: Rate) -> str:
    """Return the interval of a rate: `42 to 58 %`."""
    return f"{round(100 * made.low)} to {round(100 * made.high)} %"


def _sample(side: CaseSide, figure: FigureName) -> str:
    """Return the median of a figure, and the least and the most of it."""
    words, values = figure_of(side, figure), side.values(figure)
    if len({*values}) < 2:
        return words
    bounds = " to ".join(figure_words(figure, of(values)) for of in (min, max))
    return f"median {words} ({bounds})"


def _logs(runs: list[CaseRun]) -> str:
    """Name the logs of some runs, with the reason why each was excluded."""
    reasons = (
        f" ({REASONS[run.reason_kind]})" if run.outcome == "excluded" else ""
        for run in runs
    )
    return first_of(
        [safe_line(run.log) + why for run, why in zip(runs, reasons, strict=True)]
    )


def is_shown(case: CaseResult) -> bool:
    """Return True if the page shows a case with its details, and not in a fold."""
    return case.standing != "same" and word_of(case) != "excluded"


def run_in_words(version: str, side: CaseSide) -> str:
    """Name the run of a version that reports show: `run-3 of v2 (failed)`."""
    if side.run is None:
        return ""
    name = names_of(side)[side.shown] if len(side.runs) > 1 else "run"
    version = truncate(safe_line(version), LONGEST_NAME)
    ended = "succeeded" if side.run.outcome in SUCCEEDED else OUTCOMES[side.run.outcome]
    ended = "broke off" if side.run.is_cut else ended
    return f"{safe_line(name)} of {version} ({ended})"


# The words for each outcome, in the order of the marks.
OUTCOMES: dict[Outcome, str] = {
    "clean": "clean",
    "success": "success",
    "unknown": "end not recorded",
    "failed": "failed",
    "excluded": "excluded",
}
# The longest name of a version and of a log, in characters.
LONGEST_NAME, _LONGEST_LOG = 60, 60


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
