"""From the results of all cases to the suite."""

from __future__ import annotations

from convert.errors import UsageError
from convert.options.suite import SuiteSettings
from convert.source.globs import Globs
from convert.suite.case_results import Comparing
from convert.suite.comparing import Outcome
from convert.suite.limits import limits_of_all
from convert.suite.results import CaseResult
from convert.suite.suite import Suite, worst_first


def suite_of(outcomes: list[Outcome], how: Comparing, limits: SuiteSettings) -> Suite:
    """Return the suite of all cases, with the reports that there is room for.

    Raises UsageError if no log of any case knows a name in the settings, or if a glob
    for cases that may fail matches none.
    """
    names = [each.misnamed for each in outcomes if each.is_compared]
    if names and all(names):
        raise UsageError(names[0])
    cases = worst_first([each.result for each in outcomes if each.result])
    _let_fail(cases, limits.may_fail)
    for name, room in how.rooms.items():
        with_block = [case for case in cases if name in case.blocks]
        for case in with_block[room.most :] if room.most is not None else ():
            del case.blocks[name]
    deciding = [case for case in cases if not case.may_fail]
    exceeded = [*limits_of_all(deciding, limits.min_success)]
    return Suite(how.look.a, how.look.b, cases, how.settings, limits, exceeded)


def _let_fail(cases: list[CaseResult], globs: tuple[str, ...]) -> None:
    """Mark the cases that may fail."""
    if not globs:
        return
    chosen = Globs(globs, "--may-fail")
    for case in cases:
        case.may_fail = chosen.choose(case.name)
    for glob in chosen.unused:
        raise UsageError(f"--may-fail '{glob}' matches no case; see the names of cases")
