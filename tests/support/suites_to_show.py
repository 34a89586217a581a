"""Suites made up for the page of a suite, with the figures of real ones."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable
from typing import Any

from convert.diff import ReportOptions
from convert.model import ReasonKind
from convert.options import Settings
from convert.suites import (
    Behaviour,
    CaseFinding,
    CaseResult,
    CaseRun,
    CaseSide,
    Change,
    Excluded,
    Figure,
    Outcome,
    Success,
    Suite,
    Verdict,
    Word,
    report,
)

AREAS = ("auth", "billing", "search", "import", "export", "mail", "api", "cli", "docs")
TASKS = (
    *(
        "fix-rounding",
        "add-retry",
        "rename-client",
        "flaky-webhook",
        "schema-migration",
    ),
    *(
        "csv-utf8",
        "paginate-invoices",
        "coupon-limits",
        "async-queue",
        "login-redirect",
    ),
    *("audit-order", "cache-headers"),
)
REASONS: dict[str, ReasonKind] = {"quota": "quota", "network": "network"}
MOVED = "Tests used to run before the edit; now they run after it."


def names_of(cases: int) -> list[str]:
    """Return the names of so many cases."""
    return [
        f"{AREAS[at % len(AREAS)]}/{TASKS[at // len(AREAS) % len(TASKS)]}"
        f"{at // 108 or ''}"
        for at in range(cases)
    ]


def run(log: str, outcome: Outcome, calls: int, seconds: float, **more: Any) -> CaseRun:
    """Return a run of a case."""
    return CaseRun(
        log=log,
        outcome=outcome,
        state="success" if outcome in ("clean", "success") else "error",
        calls=calls,
        duration_ms=round(1000 * seconds),
        tokens=1700 * calls,
        cost_usd=0.004 * calls,
        **more,
    )


def side(
    version: str,
    case: str,
    runs: int,
    rate: float,
    growth: float,
    excluded: Iterable[ReasonKind] = (),
) -> CaseSide:
    """Return the runs of a case in one version, which depend only on its names."""
    rng = random.Random(f"{version} {case}")
    base = random.Random(case).randint(9, 40)
    made = []
    for at in range(runs):
        log = f"{version}/{case}/{at + 1}.ndjson"
        outcome: Outcome = "failed"
        if rng.random() < rate:
            outcome = "clean" if rng.random() < 0.7 else "success"
        calls = round(base * growth * rng.uniform(0.8, 1.2))
        made.append(run(log, outcome, calls, calls * rng.uniform(2.5, 4.5)))
    for at, kind in enumerate(excluded):
        log = f"{version}/{case}/{at + 1}.ndjson"
        made[at] = CaseRun(log=log, outcome="excluded", state="error", reason_kind=kind)
    logs = tuple(each.log for each in made)
    return CaseSide(logs=logs, runs=tuple(made), shown=runs // 2)


def change(of: int, a: int, b: int, what: str, sentence: str) -> Change:
    """Return something that more runs of one version do."""
    return Change(
        category="moved",
        severity="major",
        what=what,
        sentence=sentence,
        theme="run the tests after the edit now",
        a=a,
        of_a=of,
        b=b,
        of_b=of,
        p=0.03,
    )


def case_of(name: str, *sides: CaseSide, **more: Any) -> CaseResult:
    """Return a case with a sentence on how its runs ended."""
    a, b = sides[0], sides[-1]
    if a.succeeded == b.succeeded and a.counted == b.counted:
        said = f"{a.succeeded} of {a.counted} succeeded before and after."
    else:
        said = (
            f"{a.succeeded} of {a.counted} succeeded before,"
            f" {b.succeeded} of {b.counted} now."
        )
    return CaseResult(
        **{
            "name": name,
            "sides": sides,
            "fate": "different",
            "severity": "major",
            "sentence": said,
            "findings": [
                CaseFinding(category="args", severity="major", about="shell pytest -q"),
                CaseFinding(category="text", severity="minor", about="result"),
            ],
            **more,
        }
    )


def changed(case: CaseResult) -> CaseResult:
    """Return the case with a change in how its runs behave, which is listed."""
    of = len(case.b.runs)
    changes = (
        change(of, 0, of, "shell pytest -q: after edit", MOVED),
        change(of, 1, of - 1, "read setup.cfg", "Most runs now read setup.cfg."),
    )
    case.behaviour = Behaviour(p=0.01, distribution=((0.01, 0.01), (1, 0.99)))
    case.behaviour = Behaviour(
        p=0.01, distribution=case.behaviour.distribution, changes=changes, more=3
    )
    case.is_listed = True
    case.sentence = f"{case.sentence} {MOVED}"
    return case


def suite_of(
    names: tuple[str, ...], cases: list[CaseResult], word: Word, **more: Any
) -> Suite:
    """Return a suite with this verdict, and rates counted over all runs."""
    for case in cases:
        if case.standing == "same":
            case.fate, case.findings = "same", []
    known = [case for case in cases if case.a.counted and case.b.counted]
    a, b = (
        sum(each(case).succeeded for case in known)
        / max(sum(each(case).counted for case in known), 1)
        for each in (lambda case: case.a, lambda case: case.b)
    )
    runs = [
        [len(side.runs) for side in sides]
        for sides in ([case.a for case in known], [case.b for case in known])
    ]
    success = Success(
        a=a,
        b=b,
        runs_a=sum(case.a.counted for case in known),
        runs_b=sum(case.b.counted for case in known),
        cases=len(known),
        low=b - a - 0.07,
        high=b - a + 0.07,
        p_worse=0.001,
        p_better=0.999,
    )
    verdict = Verdict(
        word=word,
        success=success,
        cases=len(known),
        runs_a=(min(runs[0], default=0), max(runs[0], default=0)),
        runs_b=(min(runs[1], default=0), max(runs[1], default=0)),
        **more,
    )
    cases.sort(key=lambda case: case.rank)
    return Suite(names=names, cases=cases, settings=Settings(), verdict=verdict)


def falling(cases: int = 50, runs: int = 4) -> Suite:
    """Return a suite whose candidate is worse."""
    found = []
    for at, name in enumerate(names_of(cases)):
        rate = 0.35 if at % 5 < 3 else 1
        case = case_of(
            name,
            side("baseline", name, runs, 0.97, 1),
            side("candidate", name, runs, rate, 1.15),
        )
        found.append(changed(case) if at % 6 == 0 else case)
    growth = Figure(
        name="calls", ratio=1.15, low=1.1, high=1.21, p=0, corrected=0, cases=cases
    )
    return suite_of(("baseline", "candidate"), found, "worse", figures=(growth,))


def too_few() -> Suite:
    """Return a suite whose verdict is "cannot tell"."""
    found = [
        case_of(
            name,
            side("main", name, 2, 0.9, 1),
            side("pull-512", name, 2, 0.85, 1),
        )
        for name in names_of(12)
    ]
    return suite_of(("main", "pull-512"), found, "cannot tell", runs_needed=8)


def versions(number: int, cases: int = 20, runs: int = 4) -> Suite:
    """Return a suite of several versions; the last ones are worse."""
    names = tuple(f"v{at + 1}" for at in range(number))
    broken = number * 2 // 3
    found = [
        case_of(
            name,
            *(
                side(version, name, runs, 0.55 if at >= broken else 0.95, 1)
                for at, version in enumerate(names)
            ),
        )
        for name in names_of(cases)
    ]
    suite = suite_of(names, found, "worse")
    suite.worse_since = broken
    return suite


def stopped() -> Suite:
    """Return a suite in which a quota and the network ended some runs."""
    found = []
    kinds: tuple[ReasonKind, ...] = ("quota", "quota", "network")
    for at, name in enumerate(names_of(25)):
        stops = kinds[: 1 + at % 3] if at % 4 == 0 else ()
        a = side("nightly-10-01", name, 4, 0.92, 1)
        b = side("nightly-10-02", name, 4, 0.92, 1, stops)
        found.append(case_of(name, a, b))
    counts: Counter[ReasonKind] = Counter(
        run.reason_kind for case in found for run in case.b.runs if run.reason_kind
    )
    excluded = Excluded(a={}, b=counts, of_a=100, of_b=100, p=0.0004)
    names = ("nightly-10-01", "nightly-10-02")
    return suite_of(names, found, "no worse", excluded=excluded, is_no_worse=True)


def behaving() -> Suite:
    """Return a suite whose runs succeed as before and behave in another way."""
    found = []
    for at, name in enumerate(names_of(10)):
        a, b = side("old", name, 5, 1, 1), side("new", name, 5, 1, 1.1)
        case = case_of(name, a, b)
        found.append(changed(case) if at < 8 else case)
    return suite_of(
        ("old", "new"),
        found,
        "different",
        is_no_worse=True,
        theme="run the tests after the edit now",
        theme_cases=8,
        behaviour_cases=10,
        behaviour_p=0.0001,
    )


def of_every_standing(text: str = "") -> Suite:
    """Return a suite with a case of each standing, and a text in each place."""
    names = (f"a{text}", f"b{text}")
    fallen = falling(6, 3)
    cases = [*fallen.cases]
    for case in cases:
        case.name, case.sentence = case.name + text, case.sentence + text
        case.findings = [
            CaseFinding(category="args", severity="critical", about=f"shell {text}")
        ]
    one = side(f"a{text}", f"x{text}", 1, 1, 1)
    cases += [
        CaseResult(
            name=f"torn{text}",
            sides=(CaseSide(logs=("a/torn.ndjson",), unread=1), one),
            fate="trouble",
            reason=f"a/torn.ndjson: the log is empty{text}",
        ),
        CaseResult(name=f"gone{text}", sides=(one, CaseSide()), fate="missing"),
        CaseResult(name=f"new{text}", sides=(CaseSide(), one), fate="new"),
    ]
    suite = suite_of(names, cases, "worse")
    suite.grouping = f"logs were grouped by their names{text}; see --pair-by"
    return suite


def page_of_suite(suite: Suite, options: ReportOptions | None = None) -> bytes:
    """Return the page of a suite."""
    lines = report("html")(suite, options or ReportOptions())
    return "".join(f"{line.text}\n" for line in lines).encode()
