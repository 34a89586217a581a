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
    for line in "\n".join(_document(suite, options)).split("\n"):
        yield ReportLine(line)


def _document(suite: Suite, options: ReportOptions) -> Iterator[str]:
    named = options.name != "default"
    name = {"name": f"{_NAME} {options.name}" if named else _NAME}
    tests = [*_tests(suite)]
    outcomes = Counter(test.outcome for test in tests)
    numbers = {"tests": str(len(tests)), "failures": str(outcomes["failure"])}
    numbers["errors"] = str(outcomes["error"])
    yield '<?xml version="1.0" encoding="UTF-8"?>'
    yield f"<testsuites{_attributes(name | numbers)}>"
    skipped = {"skipped": str(outcomes["skipped"])}
    yield f"<testsuite{_attributes(name | numbers | skipped)}>"
    yield from _properties(suite, options)
    for test in tests:
        yield from _testcase(test)
    yield "</testsuite>"
    yield "</testsuites>"


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
    path = case.name.rstrip("/")
    folder = path.rpartition("/")[0]
    package = ".".join(filter(None, [_PACKAGE, *folder.split("/")]))
    name = case.name[len(folder) :].lstrip("/")
    run = case.b.run
    time_ms = run.duration_ms if run else None
    if case.fate == "trouble":
        stops = case.is_failure or suite.has_trouble
        outcome: _Ending = "error" if stops else "skipped"
        body = "\n".join([case.headline, *_lines(case)])
        return _Test(package, name, outcome, body, "trouble", case.headline, time_ms)
    body = "\n".join(_lines(case)) or _message(case)
    if case.is_failure:
        # The severity of the findings, or which other reason there is to fail.
        decides = case.by_findings and case.is_different
        kind, message = word_of(case) if decides else "limit", _message(case)
        return _Test(package, name, "failure", body, kind, message, time_ms)
    if case.may_fail and (case.limits or (case.by_findings and case.is_different)):
        message = _message(case)
        return _Test(package, name, "skipped", body, "may fail", message, time_ms)
    lines = [_message(case), *([] if case.by_findings else _runs(case))]
    return _Test(package, name, "system-out", "\n".join(lines), time_ms=time_ms)


def _testcase(test: _Test) -> Iterator[str]:
    attributes = {"classname": test.package, "name": test.name}
    if test.time_ms is not None:
        attributes["time"] = f"{test.time_ms / 1000:.3f}"
    yield f"<testcase{_attributes(attributes)}>"
    if test.outcome == "system-out":
        yield f"<system-out>{_text(test.body)}</system-out>"
    else:
        stated = _attributes({"type": test.kind, "message": test.message})
        yield f"<{test.outcome}{stated}>{_text(test.body)}</{test.outcome}>"
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
    if case.by_findings or case.fate in ("missing", "new") or not case.sentence:
        return "; ".join(filter(None, [case.headline, *limits_of(case.limits)]))
    return "; ".join([sentence_of(case), *limits_of(case.limits)])


def _lines(case: CaseResult) -> list[str]:
    """Return the limits, what the runs show, and the unified report of a case.

    Without such a report, it has the findings instead.
    """
    lines = [f"limit: {limit}" for limit in limits_of(case.limits)]
    lines += _runs(case)
    block = case.block("unified")
    lines += [block.rstrip("\n")] if block else map(finding_words, case.findings)
    return lines


def _runs(case: CaseResult) -> list[str]:
    """Return what all runs of a case show; nothing for one run in each version."""
    if not case.is_repeated:
        return []
    lines = [f"{heading}: {words}" for heading, words in rows_of(case)]
    return [*lines, *changes_of(case, is_full=False)]


def _attributes(values: dict[str, str]) -> str:
    """Return attributes for a tag, each after a blank."""
    return "".join(f" {name}={quoteattr(_safe(v))}" for name, v in values.items())


def _text(text: str) -> str:
    """Return text between tags; a CDATA section cannot begin or end in it."""
    return escape(_safe(text))


def _safe(text: str) -> str:
    """Make characters visible that XML forbids or that hide others."""
    return escape_controls(repair_surrogates(text))
