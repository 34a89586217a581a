"""Reports for programs: json, csv, and junit for every CI.

json is one object on one line. `suite.schema.json` in the folder above describes its
members. Members may be added; the others keep their names and meanings while `schema`
is 2. csv has a row for each case in each version. A fact that is not recorded is an
empty cell, and so is everything of a missing case.

junit shows the verdict and each case as tests. The test `verdict` fails where the
verdict on all cases decides. A case fails only if it decides by itself, and else it
passes or is skipped, with a remark where one is due. No member names the folders or a
clock, so that CI finds a case again in the next build.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from typing import Any, Literal, NamedTuple
from xml.sax.saxutils import escape, quoteattr

import msgspec

from convert.diff import Counts, highest_of
from convert.diff.reports import ReportLine, ReportOptions
from convert.diff.reports.json_report import as_line, settings_of
from convert.reports import csv_line
from convert.suites.case_result import (
    STANDINGS,
    Behaviour,
    CaseResult,
    CaseSide,
)
from convert.suites.reports.phrases import (
    ALL_FIGURES,
    changes_of,
    finding_words,
    limits_of,
    overall,
    rows_of,
    sentence_of,
    word_of,
)
from convert.suites.suite_result import Success, Suite, Verdict
from convert.suites.verdict.notes import agents_of, notes
from convert.suites.verdict.sentences import sentence
from convert.wording.escapes import escape_controls, harmless_cell, repair_surrogates

# The members of findings that `what` and `call` repeat, or that are columns of tables.
_ELSEWHERE = frozenset(
    ("about", "notes", "was", "now", "run_a", "run_b", "call_a", "call_b", "path")
)


def json_report(suite: Suite, options: ReportOptions) -> Iterator[ReportLine]:
    """Yield the whole suite as one object."""
    since = suite.worse_since
    are_across = {bool(case.agents) for case in suite.cases if case.counts}
    whole = {
        "schema": 2,
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
        "runs_needed_for_loss": verdict.runs_needed_for_loss,
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
    """Return the findings about the two runs that are shown, without empty members."""
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


COLUMNS = (
    *("case", "version", "succeeded", "clean", "counted"),
    *("cut", "excluded", "unknown", "unread", *ALL_FIGURES),
)


def csv_report(suite: Suite, options: ReportOptions) -> Iterator[ReportLine]:
    """Yield a head and the rows, case by case in the order of their names."""
    yield ReportLine(csv_line(COLUMNS))
    for case in sorted(suite.cases, key=lambda case: case.name):
        for name, side in zip(suite.names, case.sides, strict=True):
            cells = _cells_of(side) if side.logs else [""] * (len(COLUMNS) - 2)
            yield ReportLine(
                csv_line([harmless_cell(case.name), harmless_cell(name), *cells])
            )


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
    medians = [side.median(figure) for figure in ALL_FIGURES]
    return counts + ["" if each is None else each for each in medians]


_NAME = "runconv diff"
_PACKAGE = "runconv"


def junit_report(suite: Suite, options: ReportOptions) -> Iterator[ReportLine]:
    """Yield a document with one suite of tests: the verdict, then the worst first."""
    yield from map(ReportLine, "\n".join(_document(suite, options)).split("\n"))


def _document(suite: Suite, options: ReportOptions) -> Iterator[str]:
    tests = [*_tests(suite)]
    outcomes = Counter(test.outcome for test in tests)
    numbers = {
        "name": f"{_NAME} {options.name}" if options.name != "default" else _NAME,
        "tests": str(len(tests)),
        "failures": str(outcomes["failure"]),
        "errors": str(outcomes["error"]),
    }
    skipped = {"skipped": str(outcomes["skipped"])}
    yield '<?xml version="1.0" encoding="UTF-8"?>'
    yield f"<testsuites{_attributes(numbers)}>"
    yield f"<testsuite{_attributes(numbers | skipped)}>"
    yield from _properties(suite, options)
    for test in tests:
        yield from _testcase(test)
    yield "</testsuite>\n</testsuites>"


_Ending = Literal["failure", "error", "skipped", "system-out"]


class _Test(NamedTuple):
    """A test of the report."""

    package: str
    name: str
    outcome: _Ending
    """How it ended; `system-out` of one that passes, which may say something."""

    body: str
    kind: str = ""
    message: str = ""
    time_ms: int | None = None


def _tests(suite: Suite) -> Iterator[_Test]:
    """Yield the verdict, where one decides, the limits of all cases, and each case."""
    if suite.is_judged:
        line = sentence(suite)
        body = "\n".join([line, *notes(suite)])
        kind = suite.verdict.word
        outcome: _Ending = "failure" if suite.is_red else "system-out"
        yield _Test(_PACKAGE, "verdict", outcome, body, kind, line)
    if suite.limits:
        limits = limits_of(suite.limits)
        message, body = "; ".join(limits), "\n".join(limits)
        yield _Test(_PACKAGE, "all cases", "failure", body, "limit", message)
    for case in suite.cases:
        yield _of_case(case, suite)


def _of_case(case: CaseResult, suite: Suite) -> _Test:
    """Return the test of a case, in the package of its folder.

    It fails only if the case decides by itself.
    """
    # A folder of runs has a slash at its end, unlike a log of the same name.
    folder = case.name.rstrip("/").rpartition("/")[0]
    package = ".".join(filter(None, [_PACKAGE, *folder.split("/")]))
    name = case.name[len(folder) :].lstrip("/")
    time_ms = case.b.run.duration_ms if case.b.run else None
    lines, message = _lines(case), _message(case)
    # The severity of the findings, or which other reason there is to fail.
    decides = case.by_findings and case.is_different
    kind: str = word_of(case) if decides else "limit"
    outcome: _Ending = "failure"
    if case.fate == "trouble":
        stops = case.is_failure or suite.has_trouble
        outcome, kind = "error" if stops else "skipped", "trouble"
        message, lines = case.headline, [case.headline, *lines]
    elif case.is_failure:
        lines = lines or [message]
    elif case.may_fail and (case.limits or decides):
        outcome, kind, lines = "skipped", "may fail", lines or [message]
    else:
        outcome, kind = "system-out", ""
        lines = [message, *([] if case.by_findings else _runs(case))]
    return _Test(package, name, outcome, "\n".join(lines), kind, message, time_ms)


def _testcase(test: _Test) -> Iterator[str]:
    attributes = {"classname": test.package, "name": test.name}
    if test.time_ms is not None:
        attributes["time"] = f"{test.time_ms / 1000:.3f}"
    yield f"<testcase{_attributes(attributes)}>"
    stated = _attributes({"type": test.kind, "message": test.message})
    stated = "" if test.outcome == "system-out" else stated
    # A CDATA section cannot begin or end in the text between tags.
    yield f"<{test.outcome}{stated}>{escape(_safe(test.body))}</{test.outcome}>"
    yield "</testcase>"


def _properties(suite: Suite, options: ReportOptions) -> Iterator[str]:
    """Yield both versions, the cases by standing, and the calls by state."""
    counts = sum((case.counts for case in suite.cases if case.counts), Counts())
    agents = "; ".join(agents_of(suite))
    standings = Counter(case.standing for case in suite.cases)
    properties = {
        "baseline": options.a,
        "candidate": options.b,
        "verdict": sentence(suite),
        "fail-on": suite.settings.fail_on,
        **({"agents": agents} if agents else {}),
        **{
            f"cases.{standing}": str(standings[standing])
            for standing in STANDINGS
            if standings[standing]
        },
        **{
            f"calls.{state}": str(getattr(counts, state))
            for state in Counts.__struct_fields__
        },
    }
    yield "<properties>"
    for name, value in properties.items():
        yield f"<property{_attributes({'name': name, 'value': value})}/>"
    yield "</properties>"


def _message(case: CaseResult) -> str:
    """Return the verdict on a case in one line, with the limits that are exceeded."""
    is_of_two = case.by_findings or case.fate in ("missing", "new")
    words = sentence_of(case) if case.sentence and not is_of_two else case.headline
    return "; ".join(filter(None, [words, *limits_of(case.limits)]))


def _lines(case: CaseResult) -> list[str]:
    """Return the limits, the figures and the unified report of a case.

    Without such a report, it has the findings instead.
    """
    block = [line.text for line in case.blocks.get("unified", ())]
    return [
        *(f"limit: {limit}" for limit in limits_of(case.limits)),
        *_runs(case),
        *(block or map(finding_words, case.findings)),
    ]


def _runs(case: CaseResult) -> list[str]:
    """Return the figures and changes of all runs; none for one run in each version."""
    if not case.is_repeated:
        return []
    lines = [f"{heading}: {words}" for heading, words in rows_of(case)]
    return [*lines, *changes_of(case, is_full=False)]


def _attributes(values: dict[str, str]) -> str:
    """Return attributes for a tag, each after a blank."""
    return "".join(f" {name}={quoteattr(_safe(v))}" for name, v in values.items())


def _safe(text: str) -> str:
    """Make characters visible that XML forbids or that hide others."""
    return escape_controls(repair_surrogates(text))
