"""From the comparison of a case to its result, as reports need it."""

from __future__ import annotations

from msgspec import Struct

from convert.diff import Comparison, Side, compare_as_named
from convert.diff.reports.appearance import Look, agents_in_words
from convert.diff.reports.verdict import headline, verdict
from convert.errors import InputError
from convert.facts.figures import total, unlike_tokens
from convert.model.events import State
from convert.options.settings import SEVERITIES, Settings, Severity
from convert.suite.blocks import Room, block
from convert.suite.case_logs import CaseLog, CaseLogs
from convert.suite.cases import Case
from convert.suite.findings import findings_of
from convert.suite.limits import add_limits, without_growth
from convert.suite.repeated_pairs import RepeatedRun
from convert.suite.results import CaseResult, CaseSide, Fate
from convert.suite.suite import rank
from convert.wording.paths import spelled


class Comparing(Struct, frozen=True):
    """How cases are compared, the same for each of them."""

    settings: Settings

    look: Look
    """How reports look; the names are those of both folders."""

    rooms: dict[str, Room]
    """The reports of a pair that are wanted, and how many there is room for."""

    folders: tuple[str, str] = ("", "")
    """The paths of both folders, which their names replace in those of logs."""

    loss_p: float = 0.05
    """The p below which a loss of successes counts."""

    min_success: float | None = None
    """The least share of repeated runs that succeed; None for no limit."""

    def name_of(self, log: str, side: int) -> str:
        """Return the name of a log in reports: its path, below that of its folder."""
        log, folder = spelled(log), spelled(self.folders[side])
        name = (self.look.a, self.look.b)[side]
        if name == folder or not log.startswith(folder):
            return log
        return f"{name.rstrip('/')}/{log.removeprefix(folder).lstrip('/')}"


def in_trouble(case: Case, message: str) -> CaseResult:
    """Return the result of a case that cannot be compared."""
    a, b = (CaseSide(logs=tuple(map(spelled, logs))) for logs in (case.a, case.b))
    return CaseResult(name=case.name, fate="trouble", headline=message, a=a, b=b)


def of_lone_side(case: Case, a: CaseLogs, b: CaseLogs, how: Comparing) -> CaseResult:
    """Return the result of a case that only one side has."""
    fate: Fate = "missing" if a.logs else "new"
    severity: Severity = "critical" if a.logs else "minor"
    least = SEVERITIES.index(how.settings.fail_on)
    return CaseResult(
        name=case.name,
        fate=fate,
        severity=severity,
        is_different=SEVERITIES.index(severity) >= least,
        headline=f"{fate} ({severity}): only in {_place(case, a.logs, b.logs, how)}",
        a=_side(a.logs),
        b=_side(b.logs),
    )


def _place(case: Case, a: list[CaseLog], b: list[CaseLog], how: Comparing) -> str:
    """Return the side that a case is on, and the log if its name does not tell."""
    side = 0 if a else 1
    folder = (how.look.a, how.look.b)[side]
    path = (a or b)[0].path
    return folder if case.name in path else f"{folder}: {how.name_of(path, side)}"


def of_pair(case: Case, a: CaseLog, b: CaseLog, how: Comparing) -> CaseResult:
    """Compare one log with one log; raises InputError, which names both."""
    try:
        comparison = compare_as_named(a.side, b.side, without_growth(how.settings))
    except InputError as error:
        raise InputError(f"{a.path}, {b.path}: {error.message}") from error
    result = result_of(case, comparison, _side([a]), _side([b]))
    _add_limits(result, comparison, how)
    add_blocks(result, comparison, _look_of(result, how), how.rooms)
    return result


def result_of(
    case: Case, comparison: Comparison, a: CaseSide, b: CaseSide
) -> CaseResult:
    """Return the result of a case that has been compared, without its findings."""
    return CaseResult(
        name=case.name,
        fate=verdict(comparison),
        severity=comparison.severity,
        is_different=comparison.is_different,
        headline=headline(comparison),
        a=a,
        b=b,
        agents=agents_in_words(comparison.agents) if comparison.agents else "",
        counts=comparison.counts if comparison.level == "calls" else None,
        not_compared=tuple(comparison.not_compared),
    )


def of_repeated(
    case: Case, a: list[CaseLog], b: list[CaseLog], how: Comparing
) -> CaseResult:
    """Compare repeated runs; raises InputError, which names two of the logs."""
    from convert.suite.repeated_runs import compare_repeated
    from convert.suite.reports.repeated_words import headline as repeated_headline

    ones, others = (
        {how.name_of(log.path, side): log for log in logs}
        for side, logs in enumerate((a, b))
    )
    runs = [
        [RepeatedRun(name, log.side) for name, log in named.items()]
        for named in (ones, others)
    ]
    settings = without_growth(how.settings)
    compared = compare_repeated(runs[0], runs[1], settings, how.look, how.loss_p)
    repeated = compared.repeated
    sides = _side(a, ones[repeated.a.medoid]), _side(b, others[repeated.b.medoid])
    result = result_of(case, compared.comparison, *sides)
    result.fate, result.severity = compared.fate, compared.severity
    result.is_different = compared.is_different
    result.findings, result.repeated = compared.findings, repeated
    result.headline = repeated_headline(result, how.settings)
    _add_limits(result, compared.comparison, how)
    _add_reports(result, compared.comparison, _look_of(result, how), how.rooms)
    return result


def _add_limits(result: CaseResult, comparison: Comparison, how: Comparing) -> None:
    is_unlike = any(unlike_tokens(*run.figures) for run in comparison.runs)
    settings, min_success = how.settings, how.min_success
    add_limits(result, settings, min_success, has_unlike_tokens=is_unlike)


def _side(logs: list[CaseLog], shown: CaseLog | None = None) -> CaseSide:
    """Return the logs of one side, with the figures of the one that is shown."""
    if not logs:
        return CaseSide()
    log = shown or logs[0]
    figures = total(run.figures for run in log.side.runs)
    return CaseSide(
        logs=tuple(each.path for each in logs),
        log=log.path,
        state=_state(log.side),
        reason_kind=log.side.runs[-1].run.reason_kind if log.side.runs else "",
        calls=figures.calls,
        duration_ms=figures.duration_ms,
        tokens=figures.exact_tokens,
        cost_usd=None if figures.cost_usd is None else float(figures.cost_usd),
    )


def _state(side: Side) -> State | None:
    return side.runs[-1].run.state if side.runs else None


def add_blocks(
    result: CaseResult, comparison: Comparison, look: Look, rooms: dict[str, Room]
) -> None:
    """Add the findings, and the reports as far as there is room for them."""
    if result.fate != "same" or look.is_verbose:
        result.findings = findings_of(comparison, look)
    _add_reports(result, comparison, look, rooms)


def _add_reports(
    result: CaseResult, comparison: Comparison, look: Look, rooms: dict[str, Room]
) -> None:
    if not (result.is_different or look.is_verbose):
        return
    for name, room in rooms.items():
        if room.has(rank(result)):
            result.blocks[name] = block(name, comparison, look)


def _look_of(result: CaseResult, how: Comparing) -> Look:
    """Return how the reports of a case look: they name its logs."""
    look = how.look
    a, b = how.name_of(result.a.log, 0), how.name_of(result.b.log, 1)
    return Look(a, b, look.is_full, look.is_verbose, look.width)
