"""junit: the verdict and each case as tests, for every CI.

The test `verdict` fails where the verdict on all cases decides. A case fails only if it
decides by itself, and else it passes or is skipped, with a remark where one is due.

No member names the folders or a clock, so that CI finds a case again in the next build.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Literal, NamedTuple
from xml.sax.saxutils import escape, quoteattr

from convert.diff.comparison import Counts
from convert.diff.reports import ReportLine, ReportOptions
from convert.suites.case_result import STANDINGS, CaseResult
from convert.suites.reports.phrases import (
    changes_of,
    finding_words,
    limits_of,
    rows_of,
    sentence_of,
    word_of,
)
from convert.suites.suite_result import Suite
from convert.suites.verdict.sentences import agents_of, notes, sentence
from convert.wording.escapes import escape_controls, repair_surrogates

_NAME = "runconv diff"
_PACKAGE = "runconv"


def report(suite: Suite, options: ReportOptions) -> Iterator[ReportLine]:
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
    """Yield what was compared, the cases by standing, and the calls in each state."""
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
    """Return the limits, what the runs show, and the unified report of a case.

    Without such a report, it has the findings instead.
    """
    block = case.block("unified").rstrip("\n")
    return [
        *(f"limit: {limit}" for limit in limits_of(case.limits)),
        *_runs(case),
        *([block] if block else map(finding_words, case.findings)),
    ]


def _runs(case: CaseResult) -> list[str]:
    """Return what all runs of a case show; nothing for one run in each version."""
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
