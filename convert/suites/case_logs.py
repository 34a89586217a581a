"""The logs of a case as runs: how each counts, and which one reports show."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from msgspec import Struct

from convert.diff import Side, settings_for, unrecorded
from convert.errors import EMPTY_LOG, InputError, NotALogError, RunconvError
from convert.facts.figures import Figures, total_figures
from convert.facts.run_reasons import OUTSIDE, reason_in_words
from convert.model.run import Run
from convert.options.settings import Settings
from convert.suites.behaviour.changes import compare_across, middle
from convert.suites.behaviour.traits import TraitedRun, traits_of
from convert.suites.case_result import SUCCEEDED, CaseRun, CaseSide, Outcome
from convert.suites.logs import masked
from convert.wording.escapes import truncate
from convert.wording.paths import may_be_log, spelled, stem_of

_LONGEST_REASON = 200

# Reads a log by its path, with the rules of the settings; raises RunconvError for one
# that cannot be read.
Read = Callable[[str, Settings], Side]


class CaseLog(Struct, frozen=True):
    """A log that has been read."""

    path: str
    """Its path, as reports spell it."""

    side: Side
    run: CaseRun


class LogError(InputError):
    """A log of a case cannot be read or compared; `log` is its path."""

    def __init__(self, log: str, message: str) -> None:
        super().__init__(message)
        self.log = log


class CaseLogs(Struct):
    """The files of one side of a case."""

    logs: list[CaseLog] = []

    others: list[str] = []
    """The files that are no logs."""

    failures: list[LogError] = []
    """The logs that cannot be read."""

    broken: dict[str, str] = {}
    """The files in place of logs, and the reason why each is none.

    A version that crashes at once leaves them, empty or with a message.
    """


def read_all(
    sides: Sequence[tuple[str, ...]], read: Read, settings: Settings
) -> tuple[list[CaseLogs], Settings]:
    """Read the logs of each version, and return them with the settings for the case.

    A trajectory brings settings of its own, which hold for the logs next to it as well.
    Raises InputError for settings that it cannot honour.
    """
    found: list[CaseLogs] = []
    for paths in sides:
        logs = _read_side(paths, read, settings)
        theirs = _brought(logs, settings)
        if theirs != settings and found:
            # Those before it were read without these settings.
            return read_all(sides, read, theirs)
        settings = theirs
        found.append(logs)
    return found, settings


def _brought(found: CaseLogs, settings: Settings) -> Settings:
    for log in found.logs:
        try:
            settings = settings_for(log.side, settings)
        except InputError as error:
            raise LogError(log.path, f"{log.path}: {error.message}") from error
    return settings


def _read_side(paths: tuple[str, ...], read: Read, settings: Settings) -> CaseLogs:
    found = CaseLogs()
    for path in paths:
        name = spelled(path)
        try:
            side = read(path, settings)
            found.logs.append(CaseLog(name, side, run_of(name, side)))
        except RunconvError as error:
            is_empty = isinstance(error, InputError) and error.message == EMPTY_LOG
            # The name of an empty file shows if it is one of a log.
            if isinstance(error, NotALogError) or (is_empty and not may_be_log(path)):
                found.others.append(path)
            elif is_empty:
                found.broken[name] = EMPTY_LOG
            else:
                at = f"{name}:{error.line}" if error.line else name
                found.failures.append(LogError(name, f"{at}: {error.message}"))
    return found


def require_of_each(found: CaseLogs, settings: Settings) -> None:
    """Count logs as failures that lack a part which the settings require.

    Two logs are checked when they are compared. Repeated runs are not all compared, and
    one that lacks something must not hide among the others.
    """
    logs, found.logs = found.logs, []
    for log in logs:
        if reason := unrecorded(log.side, settings):
            found.failures.append(LogError(log.path, f"{log.path}: {reason}"))
        else:
            found.logs.append(log)


def refuse_broken(sides: Sequence[CaseLogs]) -> None:
    """Count files in place of logs as logs that cannot be read."""
    for side in sides:
        side.failures += [
            LogError(log, f"{log}: {message}") for log, message in side.broken.items()
        ]
        side.broken.clear()


def expect_logs(sides: Sequence[CaseLogs]) -> None:
    """Count files as broken logs if they have the names of logs of the case.

    Otherwise, a run that crashes with a message would pass for none, and its case for
    one that is missing.
    """
    logs = [log.path for side in sides for log in side.logs]
    if not logs:
        return
    names = {*map(_name_of, logs)}
    advice = "repair or remove it, or name its format"
    for side in sides:
        for path in filter(may_be_log, [*side.others]):
            if not side.logs or _name_of(path) in names:
                side.others.remove(path)
                message = f"no log of an agent, as {logs[0]} is; {advice}"
                side.broken[spelled(path)] = message


def _name_of(path: str) -> tuple[tuple[str, ...], str]:
    """Return the name of a file without numbers, and its suffixes."""
    stem = stem_of(path)
    return masked(stem.replace("\\", "/").rpartition("/")[2]), path.removeprefix(stem)


def run_of(log: str, side: Side) -> CaseRun:
    """Return a log as one run: its last run says how it ended, figures are sums."""
    last = side.runs[-1].run if side.runs else None
    return as_run(log, last, total_figures(run.figures for run in side.runs))


def as_run(log: str, last: Run | None, figures: Figures) -> CaseRun:
    """Return a log as one run, by its last run and the sums of its figures."""
    return CaseRun(
        log=log,
        outcome=_outcome_of(last, figures.unresolved),
        state=last.state if last else None,
        reason_kind=last.reason_kind if last else "",
        reason=_reason_of(last) if last else "",
        is_refused=figures.are_all_refused,
        calls=figures.calls,
        duration_ms=figures.duration_ms,
        tokens=figures.exact_tokens,
        cost_usd=None if figures.cost_usd is None else float(figures.cost_usd),
    )


def _reason_of(run: Run) -> str:
    """Return the reason that the log records, on one line."""
    words = reason_in_words(run) if run.state == "error" or run.reason else ""
    return truncate(words, _LONGEST_REASON)


def _outcome_of(run: Run | None, unresolved: int | None) -> Outcome:
    """Return how the last run of a log counts; None is a log without a run.

    `unresolved` is the number of its failures that stay unresolved, if that is known.
    """
    if run is None or run.state is None:
        return "unknown"
    if run.state == "success":
        return "clean" if unresolved == 0 else "success"
    return "excluded" if run.reason_kind in OUTSIDE else "failed"


def are_goldens_of(side: CaseLogs) -> bool:
    """Return True if all logs of one side are approved runs."""
    logs = side.logs
    return bool(logs) and all(log.side.made_with is not None for log in logs)


def traits_of_runs(
    sides: Sequence[CaseLogs], settings: Settings
) -> list[dict[int, TraitedRun]]:
    """Return the runs of each version that came to an end, by their places.

    There is none where a version has a lone run.
    """
    repeated = [[*enumerate(side.logs)] if side.logs[1:] else [] for side in sides]
    logs = [log.side for each in repeated for _, log in each]
    runs = iter(compare_across(logs, settings) or [[]] * len(logs))
    return [
        {
            at: traits_of(log.path, log.side, settings, of_log)
            for (at, log), of_log in zip(each, runs, strict=False)
            if log.run.has_ended
        }
        for each in repeated
    ]


def runs_to_show(
    sides: Sequence[CaseLogs], traited: Sequence[dict[int, TraitedRun]]
) -> list[int]:
    """Return the place of the run of each version that explains the case best.

    If fewer runs succeed than before, it is one that succeeded before and one that
    fails now, and the other way round if more do; otherwise one that ended as most
    did. Among these, it is the run nearest the middle of its version.
    """
    rates = [*map(_rate, sides)]
    change = rates[-1] - rates[0]
    shown = []
    for at, (side, runs) in enumerate(zip(sides, traited, strict=True)):
        wants_success = rates[at] > 0.5
        if change and at in (0, len(sides) - 1):
            wants_success = (change < 0) == (at == 0)
        succeeded = {place: side.logs[place].run.outcome in SUCCEEDED for place in runs}
        places = [place for place in runs if succeeded[place] == wants_success]
        places = places or [*runs]
        shown.append(places[middle([runs[at] for at in places])] if places else 0)
    return shown


def _rate(side: CaseLogs) -> float:
    """Return the share of runs that succeeded, of those that count."""
    outcomes = [log.run.outcome for log in side.logs]
    counted = [each for each in outcomes if each not in ("excluded", "unknown")]
    if not counted:
        return 1.0
    succeeded = sum(each in SUCCEEDED for each in counted)
    return succeeded / (len(counted) + len(side.broken))


def side_of(side: CaseLogs, shown: int = 0) -> CaseSide:
    """Return the logs of a version as its side of a result."""
    broken = [CaseRun(log=log, outcome="failed", state="cut") for log in side.broken]
    return CaseSide(
        logs=(*(log.path for log in side.logs), *side.broken),
        runs=(*(log.run for log in side.logs), *broken),
        shown=shown,
        unread=len(side.failures),
    )
