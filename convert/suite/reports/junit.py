"""junit: a test case for each case, as Jenkins, GitLab and many others read them.

No member names the folders or a clock, so that CI finds a case again in the next build.
"""

from __future__ import annotations

from collections.abc import Iterator
from xml.sax.saxutils import escape, quoteattr

from convert.diff.changes import Counts
from convert.diff.reports.appearance import Look, ReportLine
from convert.suite.reports.repeated_words import rows
from convert.suite.reports.words import agents_of, finding_words
from convert.suite.results import CaseLimit, CaseResult
from convert.suite.suite import Suite
from convert.wording.sanitise import escape_controls, repair_surrogates

_NAME = "runconv diff"
_PACKAGE = "runconv"


def report(suite: Suite, look: Look) -> Iterator[ReportLine]:
    """Yield a document with one suite of tests, the worst first."""
    for line in "\n".join(_document(suite, look)).split("\n"):
        yield ReportLine(line)


def _document(suite: Suite, look: Look) -> Iterator[str]:
    named = look.name != "default"
    name = {"name": f"{_NAME} {look.name}" if named else _NAME}
    numbers = _numbers(suite)
    yield '<?xml version="1.0" encoding="UTF-8"?>'
    yield f"<testsuites{_attributes(name | numbers)}>"
    skipped = sum(map(_is_skipped, suite.cases))
    yield f"<testsuite{_attributes(name | numbers | {'skipped': str(skipped)})}>"
    yield from _properties(suite, look)
    if suite.limits:
        yield from _all_cases(suite)
    for case in suite.cases:
        yield from _case(case)
    yield "</testsuite>"
    yield "</testsuites>"


def _numbers(suite: Suite) -> dict[str, str]:
    """Return how many tests there are, and how many of them fail."""
    errors = sum(case.fate == "trouble" for case in suite.cases)
    of_all = int(bool(suite.limits))
    failures = sum(case.is_failure for case in suite.cases) - errors + of_all
    numbers = {"tests": len(suite.cases) + of_all, "failures": failures}
    return {name: str(n) for name, n in (numbers | {"errors": errors}).items()}


def _is_skipped(case: CaseResult) -> bool:
    """Return True for a case that would fail, but may."""
    fails = case.is_different or bool(case.limits)
    return fails and not case.is_failure


def _properties(suite: Suite, look: Look) -> Iterator[str]:
    """Yield what was compared, the cases by fate, and the calls in each state."""
    counts = sum((case.counts for case in suite.cases if case.counts), Counts())
    agents = "; ".join(agents_of(suite))
    properties = {
        "baseline": look.a,
        "candidate": look.b,
        "fail-on": suite.settings.fail_on,
        **({"agents": agents} if agents else {}),
        **{f"cases.{fate}": str(number) for fate, number in suite.fates.items()},
        **{
            f"calls.{state}": str(getattr(counts, state))
            for state in Counts.__struct_fields__
        },
    }
    yield "<properties>"
    for name, value in properties.items():
        yield f"<property{_attributes({'name': name, 'value': value})}/>"
    yield "</properties>"


def _case(case: CaseResult) -> Iterator[str]:
    """Yield a test case, in the package of its folder."""
    # A slash at the end tells a folder of runs from a log of the same name.
    path = case.name.rstrip("/")
    folder = path.rpartition("/")[0]
    name = case.name[len(folder) :].lstrip("/")
    attributes = {
        "classname": ".".join(filter(None, [_PACKAGE, *folder.split("/")])),
        "name": name,
    }
    if case.b.duration_ms is not None:
        attributes["time"] = f"{case.b.duration_ms / 1000:.3f}"
    yield f"<testcase{_attributes(attributes)}>"
    if case.is_failure:
        tag = "error" if case.fate == "trouble" else "failure"
        yield _element(tag, _kind(case), _message(case), _body(case))
    elif _is_skipped(case):
        yield _element("skipped", "may fail", _message(case), _body(case))
    elif case.headline:
        text = "\n".join([case.headline, *_runs(case)])
        yield f"<system-out>{_text(text)}</system-out>"
    yield "</testcase>"


def _all_cases(suite: Suite) -> Iterator[str]:
    """Yield a test case for the limits that all cases together exceed."""
    limits = _limits(suite.limits)
    yield f"<testcase{_attributes({'classname': _PACKAGE, 'name': 'all cases'})}>"
    yield _element("failure", "limit", "; ".join(limits), "\n".join(limits))
    yield "</testcase>"


def _element(tag: str, kind: str, message: str, body: str) -> str:
    stated = {"type": kind, "message": message}
    return f"<{tag}{_attributes(stated)}>{_text(body)}</{tag}>"


def _kind(case: CaseResult) -> str:
    """Return the severity of what was found, or which other reason there is to fail."""
    if case.fate in ("trouble", "missing"):
        return case.fate
    return case.severity if case.is_different else "limit"


def _message(case: CaseResult) -> str:
    """Return the verdict in one line, with the limits that are exceeded."""
    return "; ".join(filter(None, [case.headline, *_limits(case.limits)]))


def _body(case: CaseResult) -> str:
    """Return the limits, what repeated runs show, and the unified report of a case.

    The findings stand in place of a report that there is none of.
    """
    lines = [case.headline] if case.fate == "trouble" else []
    lines += [f"limit: {limit}" for limit in _limits(case.limits)]
    lines += _runs(case)
    block = case.block("unified")
    if case.repeated or not block:
        lines += map(finding_words, case.findings)
    if block:
        lines.append(block.rstrip("\n"))
    return "\n".join(lines or [case.headline])


def _runs(case: CaseResult) -> list[str]:
    """Return what repeated runs show; nothing for one run on each side."""
    if case.repeated is None:
        return []
    return [f"{heading}: {words}" for heading, words in rows(case.repeated)]


def _limits(limits: list[CaseLimit]) -> list[str]:
    return [f"{limit.what} ({limit.option})" for limit in limits]


def _attributes(values: dict[str, str]) -> str:
    """Return attributes for a tag, each after a blank."""
    return "".join(f" {name}={quoteattr(_safe(v))}" for name, v in values.items())


def _text(text: str) -> str:
    """Return text between tags; a CDATA section cannot begin or end in it."""
    return escape(_safe(text))


def _safe(text: str) -> str:
    """Make characters visible that XML forbids or that hide others."""
    return escape_controls(repair_surrogates(text))
