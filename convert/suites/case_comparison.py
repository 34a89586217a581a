"""The comparison of one case, from its logs to its result; two logs are one."""

from __future__ import annotations

import contextlib
import functools
import itertools
from collections.abc import Callable, Iterator, Sequence

from msgspec import Struct
from msgspec.structs import replace

from convert.cli.logs import bytes_of
from convert.cli.messages import LogNotes
from convert.diff import Comparison, compare_as_named, highest_of
from convert.diff.approved.goldens import nearest
from convert.diff.checked_settings import check_names, without_growth, without_limits
from convert.diff.reports import ReportLine, ReportOptions
from convert.diff.reports.finding_lines import finding_facts
from convert.diff.reports.marks_and_labels import agents_in_words
from convert.diff.reports.verdict import verdict, verdict_and_reason
from convert.errors import EMPTY_LOG, InputError, UsageError
from convert.facts.figures import unlike_tokens
from convert.options.conversion import Reading
from convert.options.settings import SEVERITIES, Settings, Severity, SuiteSettings
from convert.pipeline import Log
from convert.suites.behaviour.changes import behaviour_of
from convert.suites.case_logs import (
    CaseLog,
    CaseLogs,
    LogError,
    Read,
    are_goldens_of,
    as_run,
    expect_logs,
    read_all,
    refuse_broken,
    require_of_each,
    runs_to_show,
    side_of,
    traits_of_runs,
)
from convert.suites.case_result import CaseResult, CaseSide, Fate
from convert.suites.grouping import Case
from convert.suites.reports import Room, block, report, rooms_for
from convert.suites.suite_result import Suite, Verdict, Word
from convert.suites.verdict.judging import add_limits
from convert.wording.numbers import in_words
from convert.wording.paths import spelled, stem_of

# Called with the path of a log, and then as `Warn`.
WarnOf = Callable[[str, int | None, str, str], None]


class Comparing(Struct, frozen=True, kw_only=True):
    """How the logs of cases are read and compared, the same for each of them."""

    folders: tuple[str, ...]
    """The paths of the versions, in their order."""

    names: tuple[str, ...]
    """The names of the versions, which replace those of folders in reports."""

    sources: tuple[str, ...]
    """The formats of the logs of each version."""

    directories: tuple[str, ...]
    """The directories of the runs of each version, for logs that record none."""

    run: int | None
    """The run of each log that is compared; None for all."""

    is_strict: bool
    reading: Reading
    settings: Settings
    suite: SuiteSettings

    options: ReportOptions
    """How reports look; the names are those of the first and the last version."""

    rooms: dict[str, Room] = {}
    """The reports of a pair that are wanted, and how many there is room for."""

    path_option: str = "--pair-by path"
    """The option that makes each path a case, for a note."""

    fails_on_findings: bool = False
    """`--fail-on` is given, so that findings decide besides the verdict."""

    warn: WarnOf | None = None
    """Takes the warnings of a caller in Python, which prints nothing."""

    @contextlib.contextmanager
    def opened(self, path: str) -> Iterator[Log]:
        """Yield a log for the block, as a command opens it unless Python does."""
        if self.warn is not None:
            yield path
            return
        with contextlib.closing(bytes_of(path)) as pieces:
            yield pieces

    def name_of(self, log: str, version: int) -> str:
        """Return the name of a log in reports: its path, below that of its folder."""
        log, folder = spelled(log), spelled(self.folders[version])
        name = self.names[version]
        if name == folder or not log.startswith(folder):
            return log
        return f"{name.rstrip('/')}/{log.removeprefix(folder).lstrip('/')}"


class CaseOutcome(Struct):
    """The result of comparing a case, with the messages about its files."""

    result: CaseResult | None
    """The result; None if none of the files is a log."""

    others: tuple[str, ...] = ()
    """The files that are no logs."""

    failures: tuple[str, ...] = ()
    """The messages about logs that cannot be read, or not be compared."""

    is_compared: bool = False
    """Logs were compared."""

    misnamed: str = ""
    """The message about a name in settings that no log of the case knows."""

    notes: list[tuple[str, LogNotes]] = []
    """The warnings and notices about logs, by their paths."""

    has_died: bool = False
    """The process that compared it has died, which has been printed."""


# The message about a file in place of a log.
_BROKEN = (
    "no log of an agent; it counts as a run that broke off, unless --from names its"
    " format"
)


def compare_case(case: Case, read: Read, how: Comparing) -> CaseOutcome:
    """Compare the logs of a case; those that cannot be read are counted and named."""
    if case.trouble:
        return in_trouble(case, [LogError("", case.trouble)])
    try:
        sides, settings = read_all(case.sides, read, how.settings)
    except LogError as error:
        return in_trouble(case, [error])
    for side in sides if case.is_repeated else ():
        require_of_each(side, settings)
    expect_logs(sides)
    is_golden = are_goldens_of(sides[0])
    if is_golden or not any(side.logs for side in sides):
        refuse_broken(sides)
    others = tuple(path for side in sides for path in side.others)
    failures = [failure for side in sides for failure in side.failures]
    failures += () if case.is_repeated else _too_many(sides[is_golden:])
    if not any(side.logs or side.failures for side in sides):
        return CaseOutcome(None, others)
    lacks = any(side.failures and not side.logs for side in sides)
    if failures and (lacks or is_golden or not case.is_repeated):
        return in_trouble(case, failures, others, sides)
    try:
        outcome = _compared_sides(case, sides, replace(how, settings=settings))
    except LogError as error:
        return in_trouble(case, [*failures, error], others, sides)
    messages = (failure.message for failure in failures)
    outcome.others, outcome.failures = others, (*messages, *outcome.failures)
    return outcome


def in_trouble(
    case: Case,
    failures: Sequence[LogError],
    others: tuple[str, ...] = (),
    sides: Sequence[CaseLogs] = (),
) -> CaseOutcome:
    """Return the outcome of a case that cannot be compared.

    `sides` are its logs, if they could be read.
    """
    unread = [len(side.failures) for side in sides] or [0 for _ in case.sides]
    is_golden = bool(sides) and are_goldens_of(sides[0])
    messages = tuple(dict.fromkeys(failure.message for failure in failures))
    result = CaseResult(
        name=case.name,
        fate="trouble",
        is_golden=is_golden,
        by_findings=is_golden,
        reason="; ".join(messages),
        troubled_log=failures[0].log,
        sides=tuple(
            CaseSide(logs=tuple(map(spelled, logs)), unread=number)
            for logs, number in zip(case.sides, unread, strict=True)
        ),
    )
    return CaseOutcome(result, others, messages)


def _compared_sides(
    case: Case, sides: Sequence[CaseLogs], how: Comparing
) -> CaseOutcome:
    """Compare the logs of a case that can be read; raises InputError."""
    broken = tuple(
        f"{log}: {_BROKEN}"
        for side in sides
        for log, message in side.broken.items()
        if message != EMPTY_LOG
    )
    first, last = sides[0], sides[-1]
    if first.logs and last.logs:
        compare = _with_goldens if are_goldens_of(first) else _with_logs
        misnamed = _misnamed(sides, how.settings)
        result = compare(case, sides, how)
        return CaseOutcome(result, (), broken, is_compared=True, misnamed=misnamed)
    return CaseOutcome(_without_pair(case, sides, how), (), broken)


def _too_many(sides: Sequence[CaseLogs]) -> Iterator[LogError]:
    """Yield that a case has too many logs that are no repeated runs."""
    for side in sides:
        paths = [*(log.path for log in side.logs), *side.broken]
        if len(paths) > 1:
            words = "logs of one case; remove or rename all but one"
            yield LogError(paths[0], f"{' and '.join(paths)}: {words}")


def _without_pair(case: Case, sides: Sequence[CaseLogs], how: Comparing) -> CaseResult:
    """Return the result of a case without a log in the first or the last version.

    Its logs there are missing, or broken.
    """
    first, last = sides[0], sides[-1]
    is_broken = all(side.logs or side.broken for side in (first, last))
    is_golden = are_goldens_of(first)
    fate: Fate = "new" if last.logs else "missing"
    severity: Severity = "minor" if fate == "new" else "critical"
    versions = [at for at, side in enumerate(sides) if side.logs]
    place = in_words([how.names[at] for at in versions])
    log = next((log for side in sides for log in side.logs), None)
    if log and case.name not in log.path:
        place = f"{place}: {how.name_of(log.path, versions[0])}"
    reason = f"only in {place}"
    if is_broken:
        fate, severity = "different", "critical"
        broken = [side.broken and not side.logs for side in sides]
        names = in_words([*itertools.compress(how.names, broken)])
        reason = f"no log of {names} holds a run"
    result = CaseResult(
        name=case.name,
        fate=fate,
        severity=severity,
        is_different=_is_severe(severity, how.settings),
        is_golden=is_golden,
        by_findings=how.fails_on_findings or is_golden,
        verdict=f"{fate} ({severity})",
        reason=reason,
        sides=tuple(map(side_of, sides)),
    )
    if is_broken:
        candidates = [log.side for log in last.logs]
        add_limits(result, candidates, how.settings, how.suite.min_success)
    return result


def _with_logs(case: Case, sides: Sequence[CaseLogs], how: Comparing) -> CaseResult:
    """Compare the runs of a case, and those of each version nearest the middle."""
    traited = traits_of_runs(sides, how.settings)
    shown = runs_to_show(sides, traited)
    a, b = sides[0].logs[shown[0]], sides[-1].logs[shown[-1]]
    comparison = _compared(a, b, without_limits(how.settings))
    result = result_of_pair(case.name, comparison, tuple(map(side_of, sides, shown)))
    runs = [[*each.values()] for each in traited]
    result.behaviour = behaviour_of(runs[0], runs[-1])
    if len(sides) > 2:
        result.steps = tuple(behaviour_of(*each) for each in itertools.pairwise(runs))
    if result.is_repeated:
        _judge_changes(result, how.settings)
    result.by_findings = how.fails_on_findings
    figures = [run.figures for run in comparison.runs]
    result.has_unlike_tokens = any(unlike_tokens(*each) for each in figures)
    candidates = [log.side for log in sides[-1].logs]
    add_limits(result, candidates, how.settings, how.suite.min_success)
    _add_reports(result, comparison, how)
    return result


def _with_goldens(case: Case, sides: Sequence[CaseLogs], how: Comparing) -> CaseResult:
    """Compare each run with the golden that it matches, or that is the nearest.

    The run that differs most is shown.
    """
    goldens, settings = sides[0].logs, without_growth(how.settings)
    found = []
    for at, run in enumerate(sides[-1].logs):
        compared = {each.path: _compared(each, run, settings) for each in goldens}
        best = nearest(compared)
        golden = next(to for to, each in enumerate(goldens) if each.path == best)
        found.append((compared[best], golden, at))
    comparison, golden, at = max(
        found, key=lambda each: (SEVERITIES.index(each[0].severity), -each[2])
    )
    shown = [golden, *(0 for _ in sides[1:-1]), at]
    result = result_of_pair(case.name, comparison, tuple(map(side_of, sides, shown)))
    result.is_golden = result.by_findings = True
    if result.is_different and len(goldens) > 1:
        result.reason += f"; matches none of {len(goldens):,} goldens"
    if len(found) > 1:
        differing = sum(each.is_different for each, _, _ in found)
        result.reason += f"; {differing:,} of {len(found):,} runs differ"
    add_limits(result, (), how.settings, how.suite.min_success)
    _add_reports(result, comparison, how)
    return result


def _compared(a: CaseLog, b: CaseLog, settings: Settings) -> Comparison:
    """Compare one log with one log; raises InputError, which names both."""
    try:
        return compare_as_named(a.side, b.side, settings)
    except InputError as error:
        raise LogError(a.path, f"{a.path}, {b.path}: {error.message}") from error


def _judge_changes(result: CaseResult, settings: Settings) -> None:
    """Let the steady changes of repeated runs say how the case turned out."""
    steady = (change for change in result.changes if change.is_steady)
    result.severity = highest_of(change.severity for change in steady)
    result.is_different = _is_severe(result.severity, settings)
    result.fate = "different" if result.is_different else "passes"
    if result.severity in ("none", "info"):
        result.fate = "same"


def _is_severe(severity: Severity, settings: Settings) -> bool:
    return SEVERITIES.index(severity) >= SEVERITIES.index(settings.fail_on)


def _add_reports(result: CaseResult, comparison: Comparison, how: Comparing) -> None:
    """Add the findings, and the reports of the pair that there is room for."""
    options = how.options
    if result.standing == "same" and result.fate == "same" and not options.is_verbose:
        return
    a, b = how.name_of(result.a.log, 0), how.name_of(result.b.log, -1)
    named = ReportOptions(
        a,
        b,
        is_full=options.is_full,
        is_verbose=options.is_verbose,
        width=options.width,
    )
    result.findings = finding_facts(comparison, named)
    for name, room in how.rooms.items():
        # Findings that pass need no details, and a table shows only those that decide.
        decides = result.is_different if result.by_findings else name != "table"
        if (decides or options.is_full or options.is_verbose) and room.has(result.rank):
            result.blocks[name] = block(name, comparison, named)


def _misnamed(sides: Sequence[CaseLogs], settings: Settings) -> str:
    """Return the message about a name in settings; "" if the logs know all names."""
    runs = [run for side in sides for log in side.logs for run in log.side.runs]
    try:
        check_names(settings, runs)
    except UsageError as error:
        return error.message
    return ""


def result_of_pair(
    name: str, compared: Comparison, sides: tuple[CaseSide, ...]
) -> CaseResult:
    """Return the result of a case by the comparison of two runs, without findings."""
    named, reason = verdict_and_reason(compared)
    return CaseResult(
        name=name,
        fate=verdict(compared),
        severity=compared.severity,
        is_different=compared.is_different,
        verdict=named,
        reason=reason,
        sides=sides,
        agents=agents_in_words(compared.agents) if compared.agents else "",
        counts=compared.counts if compared.level == "calls" else None,
        not_compared=tuple(compared.not_compared),
    )


def report_of_pair(
    name: str, compared: Comparison, options: ReportOptions
) -> Iterator[ReportLine]:
    """Return the lines of a report of a suite, about two logs."""
    rooms = rooms_for([name], is_full=True)
    suite = suite_of_pair(compared, options.logs, options, rooms)
    return report(name)(suite, options)


def suite_of_pair(
    compared: Comparison,
    logs: tuple[str, str],
    options: ReportOptions,
    rooms: dict[str, Room],
) -> Suite:
    """Return a suite whose case is named for the baseline, which stays the same."""
    a, b = logs
    named = b if a == "-" else a
    name = stem_of(named.replace("\\", "/").rpartition("/")[2])
    runs = map(as_run, map(spelled, logs), compared.last_runs, compared.figures)
    sides = tuple(CaseSide(logs=(run.log,), runs=(run,)) for run in runs)
    case = result_of_pair(spelled(name), compared, sides)
    case.is_golden = case.by_findings = True
    if case.fate != "same" or options.is_verbose:
        case.findings = finding_facts(compared, options)
    if case.is_different or options.is_verbose:
        case.blocks = {each: block(each, compared, options) for each in rooms}
    word: Word = "different" if case.is_different else "no worse"
    return Suite(
        names=(options.a, options.b),
        cases=[case],
        settings=compared.settings,
        verdict=Verdict(word=word),
        headline=case.headline,
    )


junit = functools.partial(report_of_pair, "junit")
github = functools.partial(report_of_pair, "github")
gitlab = functools.partial(report_of_pair, "gitlab")
