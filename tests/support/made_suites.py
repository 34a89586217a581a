"""Suites made up for reports, without logs."""

from __future__ import annotations

from typing import Any, get_args

from hypothesis import strategies as st
from msgspec.structs import replace

from convert.diff import Counts, ReportLine
from convert.options import Settings, SuiteSettings
from convert.suites import (
    Behaviour,
    CaseFinding,
    CaseLimit,
    CaseResult,
    CaseRun,
    CaseSide,
    Change,
    Fate,
    Outcome,
    Success,
    Suite,
    Verdict,
    Word,
)
from support.hostile import texts

FINDING = CaseFinding(
    category="args",
    severity="major",
    about="shell pytest -q: command",
    call="3 -> 4",
    line_a=7,
    line_b=10,
    started_a=7,
    started_b=9,
)
CHANGE = Change(
    category="moved",
    severity="major",
    what="shell pytest -q: after edit src/tax.py",
    sentence="Tests used to run before the edit; now they run after it.",
    theme="run the tests after the edit now",
    a=0,
    of_a=4,
    b=4,
    of_b=4,
    p=0.029,
    log="runs/tax/2.ndjson",
    line=8,
)
LIMIT = CaseLimit(option="--max-calls-ratio 1.5", what="calls 4 -> 9")


def side(*logs: str, outcome: Outcome = "clean", **figures: Any) -> CaseSide:
    """Return a run for each of some logs."""
    runs = tuple(CaseRun(log=log, outcome=outcome, **figures) for log in logs)
    return CaseSide(logs=logs, runs=runs)


def sides(name: str, outcomes: str, **figures: Any) -> CaseSide:
    """Return the runs of a case: `+` succeeded, `-` failed, `x` was excluded.

    A log of `/` breaks off.
    """
    made = []
    for at, sign in enumerate(outcomes, 1):
        log = f"{name}/{at}.ndjson"
        if sign == "x":
            run = CaseRun(
                log=log, outcome="excluded", state="error", reason_kind="quota"
            )
        elif sign == "/":
            run = CaseRun(log=log, outcome="failed", state="cut", calls=1)
        else:
            outcome: Outcome = "clean" if sign == "+" else "failed"
            run = CaseRun(log=log, outcome=outcome, **figures)
        made.append(run)
    return CaseSide(logs=tuple(run.log for run in made), runs=tuple(made))


def case(name: str, a: str, b: str, **more: Any) -> CaseResult:
    """Return a case of repeated runs; see `sides`."""
    return CaseResult(
        **{
            "name": name,
            "sides": (sides(f"golden/{name}", a), sides(f"runs/{name}", b)),
            "fate": "same",
            **more,
        }
    )


def changed(name: str, **more: Any) -> CaseResult:
    """Return a case whose runs behave in another way."""
    behaviour = Behaviour(p=0.029, distribution=((0.029, 0.029), (1.0, 1.0)))
    behaviour = Behaviour(
        p=behaviour.p, distribution=behaviour.distribution, changes=(CHANGE,), more=2
    )
    said = f"4 of 4 succeeded before and after. {CHANGE.sentence}"
    stated = {"behaviour": behaviour, "is_listed": True, "sentence": said, **more}
    return case(name, "++++", "++++", **stated)


def different(name: str, *findings: CaseFinding, **more: Any) -> CaseResult:
    """Return an approved case that differs by one finding."""
    found = [*findings] or [FINDING]
    return CaseResult(
        **{
            "name": name,
            "fate": "different",
            "severity": found[0].severity,
            "is_different": True,
            "is_golden": True,
            "by_findings": True,
            "verdict": "different (major)",
            "reason": "1 major: args",
            "sides": (
                side(f"golden/{name}.ndjson"),
                side(f"runs/{name}.ndjson", duration_ms=12_345),
            ),
            "findings": found,
            **more,
        }
    )


def approved(*cases: CaseResult, **more: Any) -> Suite:
    """Return a suite of approved cases, the worst first: their findings decide."""
    return Suite(
        **{
            "names": ("golden", "runs"),
            "cases": sorted(cases, key=lambda case: case.rank),
            "settings": Settings(fail_on="major"),
            "verdict": Verdict(word="no worse"),
            **more,
        }
    )


def judged(word: Word, *cases: CaseResult, **more: Any) -> Suite:
    """Return a suite of logs whose verdict is this word."""
    gain = {"worse": -0.34, "better": 0.06}.get(word, -0.05)
    success = Success(
        a=0.93,
        b=0.93 + gain,
        runs_a=200,
        runs_b=200,
        cases=50,
        low=gain - 0.06,
        high=gain + 0.07,
        p_worse=0.00002,
        p_better=1.0,
    )
    verdict = Verdict(
        word=word,
        success=success,
        cases=50,
        runs_a=(4, 4),
        runs_b=(4, 4),
        runs_needed=8,
    )
    settings = {name: more.pop(name) for name in [*more] if name in _OF_SUITES}
    return approved(
        *cases,
        **{"verdict": verdict, "suite_settings": SuiteSettings(**settings), **more},
    )


_OF_SUITES = {*SuiteSettings.options()}


def every_fate() -> Suite:
    """Return a suite of approved cases, one of each fate."""
    golden = {"is_golden": True, "by_findings": True}
    return approved(
        CaseResult(
            name="same",
            fate="same",
            reason="same: 3 calls, success, result same",
            sides=(
                side("golden/same.ndjson"),
                side("runs/same.ndjson", duration_ms=800),
            ),
            counts=Counts(same=3),
            **golden,
        ),
        CaseResult(
            name="deep/in/passes",
            fate="passes",
            severity="minor",
            verdict="passes (--fail-on major)",
            reason="1 minor: text",
            sides=(
                side("golden/deep/in/passes.ndjson"),
                side("runs/deep/in/passes.ndjson"),
            ),
            findings=[CaseFinding(category="text", severity="minor", about="result")],
            **golden,
        ),
        CaseResult(
            name="new",
            fate="new",
            severity="minor",
            reason="new: no log in the baseline",
            sides=(CaseSide(), side("runs/new.ndjson")),
            **golden,
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
            reason="missing: no log in the candidate",
            sides=(side("golden/gone.ndjson"), CaseSide()),
            **golden,
        ),
        CaseResult(
            name="torn",
            fate="trouble",
            reason="runs/torn.ndjson: the log is empty",
            sides=(side("golden/torn.ndjson"), CaseSide(logs=("runs/torn.ndjson",))),
            **golden,
        ),
        CaseResult(
            name="slow",
            fate="same",
            reason="same: 3 calls, success, result same",
            sides=(side("golden/slow.ndjson"), side("runs/slow.ndjson")),
            limits=[LIMIT],
            **golden,
        ),
    )


# No folder and no file has this character in its name.
_paths = texts.map(lambda text: text.replace("\0", ""))
_findings = st.builds(
    CaseFinding,
    category=st.sampled_from(["args", "text", "removed"]),
    severity=st.sampled_from(["critical", "major", "minor", "info"]),
    about=texts,
    notes=st.lists(texts, max_size=2).map(tuple),
    call=st.sampled_from(["", "3", "3 -> 4"]),
    line_a=st.sampled_from([None, 3]),
    line_b=st.sampled_from([None, 5]),
    better=st.booleans(),
    waived=st.sampled_from(["", "--ignore args"]),
)
_runs = st.builds(
    CaseRun,
    log=_paths,
    outcome=st.sampled_from(["clean", "success", "failed", "excluded", "unknown"]),
    state=st.sampled_from(["success", "error", "cut", None]),
    reason_kind=st.just("quota"),
    calls=st.sampled_from([None, 0, 9]),
    duration_ms=st.sampled_from([None, 0, 61_234_567]),
    cost_usd=st.sampled_from([None, 0.5]),
)
_sides = st.lists(_runs, max_size=3).map(
    lambda runs: CaseSide(logs=tuple(run.log for run in runs), runs=tuple(runs))
)
_changes = st.builds(
    lambda text, b: replace(CHANGE, what=text, sentence=text, log=text, b=b),
    texts,
    st.integers(0, 4),
)
_behaviours = st.none() | st.builds(
    Behaviour,
    p=st.just(0.1),
    distribution=st.just(((0.1, 0.1), (1.0, 1.0))),
    changes=st.lists(_changes, max_size=2).map(tuple),
    more=st.integers(0, 2),
)
_limits = st.builds(CaseLimit, option=texts, what=texts)


def _cases(number: int) -> st.SearchStrategy[CaseResult]:
    """Return cases of so many versions."""
    return st.builds(
        CaseResult,
        name=_paths,
        fate=st.sampled_from(get_args(Fate)),
        severity=st.sampled_from(["critical", "major", "minor", "none"]),
        is_different=st.booleans(),
        by_findings=st.booleans(),
        is_golden=st.booleans(),
        reason=texts,
        sentence=texts,
        sides=st.tuples(*[_sides] * number),
        behaviour=_behaviours,
        is_listed=st.booleans(),
        findings=st.lists(_findings, max_size=5),
        limits=st.lists(_limits, max_size=2),
        may_fail=st.booleans(),
        blocks=st.builds(
            lambda text: {name: [ReportLine(text)] * 3 for name in _BLOCKS}, texts
        ),
    )


_BLOCKS = ("unified", "table", "markdown")
_WORDS: list[Word] = ["worse", "different", "cannot tell", "no worse", "better"]


def hostile(number: int) -> st.SearchStrategy[Suite]:
    """Return suites of so many versions whose texts try to break out."""
    return st.builds(
        lambda names, cases, word, **more: judged(word, *cases, names=names, **more),
        names=st.tuples(*[_paths] * number),
        cases=st.lists(_cases(number), max_size=4),
        word=st.sampled_from(_WORDS),
        limits=st.lists(_limits, max_size=2),
        grouping=texts,
    )


hostile_suites = hostile(2)
hostile_matrices = hostile(3)
