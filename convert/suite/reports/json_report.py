"""json: for scripts. One object on one line, the same bytes for the same suite.

`suite.schema.json` in the folder above describes its members. Members may be added;
the others keep their names and meanings while `schema` is 1.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from convert.diff.comparison import highest_of
from convert.diff.reports.appearance import Look, ReportLine
from convert.diff.reports.json_report import as_line, settings_of
from convert.errors import ExitStatus
from convert.suite.results import FATES, IN_TABLES, CaseResult, CaseSide
from convert.suite.suite import Suite

_SCHEMA = 1


def report(suite: Suite, look: Look) -> Iterator[ReportLine]:
    """Yield the whole suite as one object."""
    whole = {
        "schema": _SCHEMA,
        "verdict": _verdict(suite),
        "exit": _exit(suite),
        "severity": highest_of(case.severity for case in suite.cases),
        "names": [look.a, look.b],
        "counts": dict.fromkeys(FATES, 0) | suite.fates,
        "cases": [_case(case) for case in suite.cases],
        "limits": msgspec.to_builtins(suite.limits),
        "settings": _settings(suite, look),
    }
    yield ReportLine(as_line(whole))


def _verdict(suite: Suite) -> str:
    if suite.has_trouble:
        return "trouble"
    if suite.is_different:
        return "different"
    return "same" if suite.is_same else "passes"


def _exit(suite: Suite) -> int:
    if suite.has_trouble:
        return ExitStatus.TROUBLE
    return ExitStatus.DIFFERENT if suite.is_different else ExitStatus.SAME


def _case(case: CaseResult) -> dict[str, Any]:
    findings = [
        {
            name: value
            for name, value in each.items()
            if value not in (None, "", False) and name not in IN_TABLES
        }
        for each in map(msgspec.to_builtins, case.findings)
    ]
    return {
        "name": case.name,
        "verdict": case.fate,
        "severity": case.severity,
        "different": case.is_different,
        "message": case.headline,
        "a": _side(case.a),
        "b": _side(case.b),
        "counts": _counts(case),
        "findings": findings,
        "limits": msgspec.to_builtins(case.limits),
        "unchecked": case.unchecked,
        "may_fail": case.may_fail,
        "repeated": msgspec.to_builtins(case.repeated),
        **({"agents": case.agents} if case.agents else {}),
    }


def _side(side: CaseSide) -> dict[str, Any] | None:
    return msgspec.to_builtins(side) if side.logs else None


def _counts(case: CaseResult) -> dict[str, int] | None:
    if case.counts is None:
        return None
    sums = {"a": case.counts.a, "b": case.counts.b}
    return {**sums, **msgspec.to_builtins(case.counts)}


def _settings(suite: Suite, look: Look) -> dict[str, Any]:
    are_across = {bool(case.agents) for case in suite.cases if case.counts}
    settings = settings_of(suite.settings, look, are_across)
    return {**settings, "suite": suite.suite_settings.as_dict()}
