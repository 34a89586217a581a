"""Suites made up for reports, without logs."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from convert.diff.changes import Counts
from convert.diff.reports.appearance import ReportLine
from convert.options.settings import Settings
from convert.suite.results import CaseFinding, CaseLimit, CaseResult, CaseSide
from convert.suite.suite import Suite, worst_first
from support.hostile import texts

FINDING = CaseFinding(
    category="args",
    severity="major",
    what="shell pytest -q: command",
    call="3 -> 4",
    line_a=7,
    line_b=10,
    started_a=7,
    started_b=9,
)


def side(log: str, **figures: Any) -> CaseSide:
    return CaseSide(logs=(log,), log=log, **figures)


def different(name: str, *findings: CaseFinding, **more: Any) -> CaseResult:
    """Return a case that differs by findings, of which there is one by default."""
    found = [*findings] or [FINDING]
    return CaseResult(
        name=name,
        fate="different",
        severity=found[0].severity,
        is_different=True,
        headline="different (major): 1 major: args",
        a=side(f"golden/{name}.ndjson"),
        b=side(f"runs/{name}.ndjson", duration_ms=12_345),
        findings=found,
        **more,
    )


def every_fate() -> Suite:
    """Return a suite with a case of each fate."""
    same = CaseResult(
        name="same",
        fate="same",
        headline="same: 3 calls, success, result same",
        a=side("golden/same.ndjson"),
        b=side("runs/same.ndjson", duration_ms=800),
        counts=Counts(same=3),
    )
    cases = [
        same,
        CaseResult(
            name="deep/in/passes",
            fate="passes",
            severity="minor",
            headline="passes (--fail-on major): 1 minor: text",
            a=side("golden/deep/in/passes.ndjson"),
            b=side("runs/deep/in/passes.ndjson"),
            findings=[CaseFinding(category="text", severity="minor", what="result")],
        ),
        CaseResult(
            name="new",
            fate="new",
            severity="minor",
            headline="new: no log in the baseline",
            b=side("runs/new.ndjson"),
        ),
        different(
            "different",
            counts=Counts(same=2, changed=1),
            blocks={"unified": [ReportLine("--- a"), ReportLine("+++ b")]},
        ),
        CaseResult(
            name="gone",
            fate="missing",
            severity="critical",
            is_different=True,
            headline="missing: no log in the candidate",
            a=side("golden/gone.ndjson"),
        ),
        CaseResult(
            name="torn",
            fate="trouble",
            headline="runs/torn.ndjson: the log is empty",
            a=side("golden/torn.ndjson"),
            b=side("runs/torn.ndjson"),
        ),
        CaseResult(
            name="slow",
            fate="same",
            headline="same: 3 calls, success, result same",
            b=side("runs/slow.ndjson"),
            limits=[CaseLimit(option="--max-calls-ratio 1.5", what="calls 4 -> 9")],
        ),
    ]
    return Suite("golden", "runs", worst_first(cases), Settings(fail_on="major"))


# No folder and no file has this character in its name.
_paths = texts.map(lambda text: text.replace("\0", ""))
_findings = st.builds(
    CaseFinding,
    category=st.sampled_from(["args", "text", "removed"]),
    severity=st.sampled_from(["critical", "major", "minor", "info"]),
    what=texts,
    call=st.sampled_from(["", "3", "3 -> 4"]),
    line_a=st.sampled_from([None, 3]),
    line_b=st.sampled_from([None, 5]),
    better=st.booleans(),
    waived=st.sampled_from(["", "--ignore args"]),
)
_sides = st.builds(
    CaseSide, log=_paths, duration_ms=st.sampled_from([None, 0, 61_234_567])
)
_limits = st.builds(CaseLimit, option=texts, what=texts)
_cases = st.builds(
    CaseResult,
    name=_paths,
    fate=st.sampled_from(["trouble", "missing", "different", "passes", "new", "same"]),
    severity=st.sampled_from(["critical", "major", "minor", "none"]),
    is_different=st.booleans(),
    headline=texts,
    a=_sides,
    b=_sides,
    findings=st.lists(_findings, max_size=5),
    limits=st.lists(_limits, max_size=2),
    may_fail=st.booleans(),
    blocks=st.builds(lambda text: {"unified": [ReportLine(text)]}, texts),
)
hostile_suites = st.builds(
    Suite,
    a=_paths,
    b=_paths,
    cases=st.lists(_cases, max_size=4),
    settings=st.just(Settings()),
    limits=st.lists(_limits, max_size=2),
)
