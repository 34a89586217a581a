"""The numbers of tests that passed and failed, from the last lines of test runners."""

from __future__ import annotations

import functools
import itertools
import re
from collections import Counter
from collections.abc import Iterable
from typing import Literal

from msgspec import Struct

from convert.wording import compiled
from convert.wording.escapes import strip_controls
from convert.wording.numbers import count


class CountedTests(Struct, frozen=True):
    """The tests that a command ran, by how they ended."""

    passed: int | None = 0
    """The number that passed; None if the lines count only the others."""

    failed: int = 0
    """The number that failed."""

    skipped: int = 0
    """The number that were not run, or are expected to fail."""

    errors: int = 0
    """The number of tests or files of tests that could not be run."""

    unit: Literal["tests", "packages"] = "tests"
    """The unit of the count; `go test` without `-v` names only packages."""

    @property
    def has_failures(self) -> bool:
        """Some tests failed, or could not be run."""
        return bool(self.failed or self.errors)

    @property
    def failures(self) -> str:
        """The tests that failed or could not be run, in words: `3 failed, 1 error`."""
        failed = f"{self.failed:,} failed" if self.failed else ""
        if self.failed and self.unit == "packages":
            failed = f"{count(self.failed, 'package')} failed"
        errors = count(self.errors, "error") if self.errors else ""
        return ", ".join(filter(None, (failed, errors)))


class _Runner(Struct, frozen=True):
    """The lines in which a test runner counts, without white space around them.

    Each counts in numbers and words, in the one order or in the other.
    """

    hints: tuple[str, ...]
    """One of these is in each of its outputs; most outputs hold none."""

    lines: str
    """The lines."""

    pairs: Literal["2 passed", "passed: 2", "both"] = "2 passed"
    """The order of the numbers and the words."""

    needs: str = ""
    """A pattern that one of the lines has, where others could be of any program."""

    is_hint_in_line: bool = True
    """Each of the lines has a hint; else it may be anywhere in the output."""

    has_total: bool = True
    """Each of the lines has the number of all tests, or of those that passed."""


_NUMBER = r"(?P<count>\d{1,9})"
_TIME = r"[\d.]+ ?[mµ]?s"
_PYTEST = (
    r"\d+ (?:(?:subtests )?(?:passed|failed|skipped)|deselected|xfailed|xpassed"
    r"|errors?|warnings?|rerun)"
)
_UNITTEST = (
    r"(?:failures|errors|skipped|expected failures|unexpected successes)=\d+(?:, )?"
)
_JEST = r"(?:Test Suites|Tests): +(?:\d+ [a-z]+, )*\d+ total"
_VITEST = r"(?:Test Files|Tests) +(?:no tests|\d+ [a-z]+(?: \| \d+ [a-z]+)* \(\d+\))"
_LISTED = "passing|failing|pending|pass|fail|skip|todo|passed|failed|skipped|flaky"
_DENO = r"(?: \| \d+ [a-z]+(?: [a-z]+)?(?: \(\d+ steps?\))?)+"

RUNNERS = {
    "pytest": _Runner(
        (" in ",),
        rf"(?:=+ )?(?:no tests ran|{_PYTEST}(?:, {_PYTEST})*) in {_TIME}"
        r"(?: \([\w:, ]+\))?(?: =+)?",
    ),
    "unittest": _Runner(
        ("Ran ", "FAILED (", "OK ("),
        rf"Ran \d+ tests? in {_TIME}|(?:OK|FAILED) \((?:{_UNITTEST})+\)",
        "passed: 2",
        has_total=False,
    ),
    "jest": _Runner((" total",), _JEST),
    "vitest": _Runner(
        ("Tests  ", "Test Files  "),
        rf"{_VITEST}|Errors  +\d+ errors?",
        is_hint_in_line=False,
    ),
    "mocha, bun and playwright": _Runner(
        (" pass", " fail", " skip"),
        rf"\d+ (?:{_LISTED}|interrupted|did not run)(?: \({_TIME}\))?",
        needs=r"\)$|pass$",
        is_hint_in_line=False,
    ),
    "node": _Runner(
        ("# ", "\u2139 "),
        r"(?:#|\u2139) (?:pass|fail|cancelled|skipped|todo) \d+",
        "passed: 2",
    ),
    "deno": _Runner((" | ",), rf"(?:ok|FAILED){_DENO} \({_TIME}\)"),
    "ctest": _Runner(
        (" out of ",), r"\d+% tests passed, \d+ tests? failed out of \d+", "both"
    ),
    "cargo": _Runner(
        ("test result: ",), r"test result: (?:ok|FAILED)\. \d+ passed; .*"
    ),
    "nextest": _Runner((" run: ",), rf"Summary \[ *{_TIME}\] .* tests? run: \d+ .*"),
    "rspec": _Runner((" example",), r"\d+ examples?, \d+ failures?(?:, .*)?"),
    "exunit": _Runner(
        (" failure",), r"(?:\d+ doctests?, )?\d+ tests?, \d+ failures?(?:, \d+ [a-z]+)*"
    ),
    "minitest": _Runner(
        (" assertions, ",),
        r"\d+ (?:runs|tests), \d+ assertions, \d+ failures, \d+ errors, \d+ skips",
    ),
    "phpunit, if all passed": _Runner(("OK (",), r"OK \(\d+ tests?, \d+ assertions?\)"),
    "phpunit": _Runner(
        ("Assertions: ",),
        r"Tests: \d+, Assertions: \d+(?:, [A-Z][A-Za-z ]+: \d+)*\.",
        "passed: 2",
    ),
    "pest": _Runner(
        (" assertion",), r"Tests: +(?:\d+ [a-z]+, )*\d+ [a-z]+ \(\d+ assertions?\)"
    ),
    "maven": _Runner(
        ("Tests run: ",),
        r"(?:\[\w+\] +)?Tests run: \d+, Failures: \d+, Errors: \d+, Skipped: \d+",
        "passed: 2",
    ),
    "gradle": _Runner(
        (" completed, ",), r"\d+ tests? completed, \d+ failed(?:, \d+ skipped)?"
    ),
    "dotnet": _Runner(
        ("! ", "Test summary: "),
        r"(?:Passed|Failed|Skipped)! +- Failed: +\d+, .*"
        r"|Test summary: total: \d+, failed: \d+, .*",
        "passed: 2",
    ),
}
"""The lines as the manuals and the sources of the runners have them."""

# Each of these lines, and those of `go test`, begins in one of these ways. Hardly any
# other line of an output does, and comparing each beginning takes a twentieth of the
# time of looking for each hint and for the lines of the runners that have one. The set
# of first characters saves a third of that, and the letters that begin most lines of
# code save a fifth of the rest.
_BEGINNINGS = (
    r"\n(?![A-DG-MQU-Za-mp-su-z])[ \t]*+(?=[\d=#\u2139\[?nROFTEotSP-])"
    r"(?:[\d=#\u2139\[?]|no tests|Ran |OK|FAIL|Test|Errors|ok|test|Summary|Passed"
    r"|Failed|Skipped|--- )[^\n]*"
)
_HINTS = [
    (hint, runner.is_hint_in_line, name)
    for name, runner in RUNNERS.items()
    for hint in runner.hints
]
_WORDS = {
    "passed": ("passed", "pass", "passing", "xpassed", "flaky", "succeeded"),
    "failed": (
        *("failed", "fail", "failing", "failures", "failure", "cancelled"),
        *("interrupted", "timed out", "unexpected successes"),
        *("test failed", "tests failed"),
    ),
    "skipped": (
        *("skipped", "skips", "skip", "ignored", "pending", "todo", "xfailed"),
        *("expected failures", "did not run", "excluded", "incomplete"),
    ),
    "errors": ("errors", "error", "invalid"),
    "outside": ("error occurred", "errors occurred"),
    "tests": (
        *("total", "tests run", "tests", "test", "doctests", "doctest", "examples"),
        *("example", "runs", "ran", "out of"),
    ),
}
_MEANINGS = {word: meaning for meaning, words in _WORDS.items() for word in words}
# Their lines count files; some may have failed before any test.
_OF_FILES = ("Test Suites", "Test Files")

_GO = (
    r"(?m)^(?:--- (?P<test>PASS|FAIL|SKIP): \S+ \([\d.]+s\)"
    r"|(?P<package>ok|FAIL)[ \t]+\S+[ \t]+"
    r"(?:[\d.]+s|\(cached\)|\[\w+ (?P<broken>failed)\])(?P<rest>.*))"
)
_GO_WITHOUT_TESTS = r"(?m)^\?[ \t]+\S+[ \t]+\[no test files\]$"


def counted_tests(output: str) -> CountedTests | None:
    """Return the tests that a command ran, by its output; None if that counts none.

    Several runners, and several runs of one, are added up.
    """
    text = strip_controls(output)
    if not (candidates := "".join(compiled(_BEGINNINGS).findall(f"\n{text}"))):
        return None
    counts = []
    names = {
        name: None
        for hint, is_in_line, name in _HINTS
        if hint in (candidates if is_in_line else text)
    }
    for name in names:
        runner = RUNNERS[name]
        lines = _lines(name).findall(candidates)
        if lines and any(re.search(runner.needs, line) for line in lines):
            counts.append(_counted(runner, lines))
    return _total(counts) if counts else _counted_by_go(text)


@functools.cache
def _lines(name: str) -> re.Pattern[str]:
    return re.compile(rf"^[ \t]*({RUNNERS[name].lines})[ \t]*$", re.MULTILINE)


@functools.cache
def _pairs(order: str) -> list[re.Pattern[str]]:
    # The longest first: `tests run` before `tests`.
    words = "|".join(sorted(_MEANINGS, key=len, reverse=True))
    patterns = {
        "2 passed": rf"(?<!\d){_NUMBER} (?P<word>{words})\b",
        "passed: 2": rf"\b(?P<word>(?i:{words}))(?:[:=] *| +){_NUMBER}(?!\d)",
    }
    return [
        re.compile(pattern)
        for name, pattern in patterns.items()
        if order in (name, "both")
    ]


def _counted(runner: _Runner, lines: Iterable[str]) -> CountedTests:
    """Return the counts in the lines of a runner."""
    found: Counter[str] = Counter()
    for line in lines:
        of = "files " if line.startswith(_OF_FILES) else ""
        pairs = (pattern.finditer(line) for pattern in _pairs(runner.pairs))
        for pair in itertools.chain.from_iterable(pairs):
            found[of + _MEANINGS[pair["word"].lower()]] += int(pair["count"])
    failed, skipped, errors = found["failed"], found["skipped"], found["errors"]
    passed: int | None = found["passed"]
    if "tests" in found and "passed" not in found:
        passed = max(found["tests"] - failed - skipped - errors, 0)
    elif not runner.has_total:
        passed = None
    if not failed:
        errors = max(errors, found["files failed"])
    return CountedTests(passed, failed, skipped, errors + found["outside"])


def _total(counts: list[CountedTests]) -> CountedTests:
    passed = [each.passed for each in counts]
    known = [number for number in passed if number is not None]
    return CountedTests(
        sum(known) if len(known) == len(passed) else None,
        sum(each.failed for each in counts),
        sum(each.skipped for each in counts),
        sum(each.errors for each in counts),
    )


def _counted_by_go(text: str) -> CountedTests | None:
    """Return the counts of `go test`: a line a test with `-v`, or a line a package."""
    if not any(mark in text for mark in ("ok ", "FAIL\t", "FAIL ", "--- ", "?")):
        return None
    lines = [*compiled(_GO).finditer(text)]
    if not lines:
        has_none = compiled(_GO_WITHOUT_TESTS).search(text)
        return CountedTests(unit="packages") if has_none else None
    errors = sum(line["broken"] is not None for line in lines)
    if "=== RUN" in text:
        ends = Counter(line["test"] for line in lines)
        return CountedTests(ends["PASS"], ends["FAIL"], ends["SKIP"], errors)
    packages = Counter(
        line["package"]
        for line in lines
        if "[no tests to run]" not in (line["rest"] or "")
    )
    failed = packages["FAIL"] - errors
    return CountedTests(packages["ok"], failed, 0, errors, "packages")
