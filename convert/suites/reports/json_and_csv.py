"""json: for scripts, on one line. csv: a row for each case in each version.

`suite.schema.json` in the folder above describes the members of the object. Members may
be added; the others keep their names and meanings while `schema` is 2. In csv, a fact
that is not recorded is an empty cell, and so is everything of a missing case.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from typing import Any

import msgspec

from convert.diff.comparison import highest_of
from convert.diff.reports import ReportLine, ReportOptions
from convert.diff.reports.json_report import as_line, settings_of
from convert.reports import csv_line, harmless
from convert.suites.case_result import (
    STANDINGS,
    Behaviour,
    CaseResult,
    CaseSide,
    FigureName,
)
from convert.suites.reports.phrases import overall, word_of
from convert.suites.suite_result import Success, Suite, Verdict
from convert.suites.verdict.sentences import notes, sentence

_SCHEMA = 2
# The members of findings that `what` and `call` say, or that tables have as columns.
_ELSEWHERE = frozenset(
    ("about", "notes", "was", "now", "run_a", "run_b", "call_a", "call_b", "path")
)


def json_report(suite: Suite, options: ReportOptions) -> Iterator[ReportLine]:
    """Yield the whole suite as one object."""
    since = suite.worse_since
    are_across = {bool(case.agents) for case in suite.cases if case.counts}
    whole = {
        "schema": _SCHEMA,
        "sentence": sentence(suite),
        "notes": notes(suite),
        "exit": suite.status,
        "versions": [*suite.names],
        **_verdict(suite.verdict),
        "verdict": overall(suite),
        "steps": [
            {"from": suite.names[at], "to": suite.names[at + 1], **_verdict(step)}
            for at, step in enumerate(suite.steps)
        ],
        "worse_since": None if since is None else suite.names[since],
        "severity": highest_of(case.severity for case in suite.cases),
        "counts": dict.fromkeys(STANDINGS, 0)
        | Counter(case.standing for case in suite.cases),
        "cases": [_case(case) for case in suite.cases],
        "limits": msgspec.to_builtins(suite.limits),
        "settings": {
            **settings_of(suite.settings, options, are_across),
            "suite": suite.suite_settings.as_dict(),
        },
    }
    yield ReportLine(as_line(whole))


def _verdict(verdict: Verdict) -> dict[str, Any]:
    """Return the verdict on one version against another, with all its tests."""
    clean = _success(verdict.clean)
    behaviour = {
        "p": verdict.behaviour_p,
        "cases": verdict.behaviour_cases,
        "theme": verdict.theme,
        "theme_cases": verdict.theme_cases,
    }
    excluded = verdict.excluded
    return {
        "verdict": verdict.word,
        "no_worse": verdict.is_no_worse,
        "success": _success(verdict.success),
        "clean": clean and {**clean, "corrected": verdict.clean_corrected},
        "figures": [
            {name: _number(value) for name, value in msgspec.to_builtins(each).items()}
            for each in verdict.figures
        ],
        "behaviour": None if verdict.behaviour_p is None else behaviour,
        "excluded": {**msgspec.to_builtins(excluded), "differs": excluded.differs},
        "compared": {"cases": verdict.cases, "runs": [*verdict.runs]},
        "runs_needed": verdict.runs_needed,
    }


def _success(success: Success | None) -> dict[str, Any] | None:
    if success is None:
        return None
    made: dict[str, Any] = msgspec.to_builtins(success)
    return {**made, "difference": success.difference, "p": success.p}


def _number(value: Any) -> Any:
    """Return a value as JSON has it, which knows no infinite number."""
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _case(case: CaseResult) -> dict[str, Any]:
    return {
        "name": case.name,
        "standing": case.standing,
        "word": word_of(case),
        "sentence": case.sentence,
        "fate": case.fate,
        "message": case.headline,
        "severity": case.severity,
        "different": case.is_different,
        "by_findings": case.by_findings,
        "golden": case.is_golden,
        "decides": case.is_failure,
        "may_fail": case.may_fail,
        "change": case.change,
        "sides": [_side(side) for side in case.sides],
        "behaviour": _behaviour(case.behaviour, case.is_listed),
        "counts": _counts(case),
        "findings": _findings(case),
        "limits": msgspec.to_builtins(case.limits),
        "unchecked": case.unchecked,
        **({"agents": case.agents} if case.agents else {}),
    }


def _side(side: CaseSide) -> dict[str, Any] | None:
    """Return the runs of a case in one version; None where it is missing."""
    if not side.logs:
        return None
    return {
        "logs": [*side.logs],
        "log": side.log,
        "succeeded": side.succeeded,
        "clean": side.clean,
        "counted": side.counted,
        "unread": side.unread,
        "runs": msgspec.to_builtins(side.runs),
    }


def _behaviour(behaviour: Behaviour | None, is_listed: bool) -> dict[str, Any] | None:
    if behaviour is None:
        return None
    changes = [
        {**msgspec.to_builtins(change), "steadiness": change.steadiness}
        for change in behaviour.changes
    ]
    found = {"p": behaviour.p, "changes": changes, "more": behaviour.more}
    return {**found, "listed": is_listed}


def _findings(case: CaseResult) -> list[dict[str, Any]]:
    """Return the findings about the two runs that are shown, with what they have."""
    return [
        {
            "what": finding.what,
            **{
                name: value
                for name, value in msgspec.to_builtins(finding).items()
                if value not in (None, "", False) and name not in _ELSEWHERE
            },
        }
        for finding in case.findings
    ]


def _counts(case: CaseResult) -> dict[str, int] | None:
    if case.counts is None:
        return None
    sums = {"a": case.counts.a, "b": case.counts.b}
    return {**sums, **msgspec.to_builtins(case.counts)}


_COUNTS = ("succeeded", "clean", "counted", "cut", "excluded", "unknown", "unread")
_FIGURES: tuple[FigureName, ...] = ("calls", "duration_ms", "tokens", "cost_usd")
COLUMNS = ("case", "version", *_COUNTS, *_FIGURES)


def csv_report(suite: Suite, options: ReportOptions) -> Iterator[ReportLine]:
    """Yield a head and the rows, case by case in the order of their names."""
    yield ReportLine(csv_line(COLUMNS))
    for case in sorted(suite.cases, key=lambda case: case.name):
        for name, side in zip(suite.names, case.sides, strict=True):
            cells = _cells_of(side) if side.logs else [""] * (len(COLUMNS) - 2)
            yield ReportLine(csv_line([harmless(case.name), harmless(name), *cells]))


def _cells_of(side: CaseSide) -> list[int | float | str]:
    """Return how many runs ended how, and the medians of their figures."""
    outcomes = [run.outcome for run in side.runs]
    counts: list[int | float | str] = [
        side.succeeded,
        side.clean,
        side.counted,
        sum(run.is_cut for run in side.runs),
        outcomes.count("excluded"),
        outcomes.count("unknown"),
        side.unread,
    ]
    medians = [side.median(figure) for figure in _FIGURES]
    return counts + ["" if each is None else each for each in medians]
