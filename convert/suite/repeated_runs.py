"""Comparing the repeated runs of a case: what differs steadily, and what by chance."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from convert.diff import Comparison, Side
from convert.diff.reports.appearance import Look, label
from convert.options.settings import SEVERITIES, Settings, Severity
from convert.suite.chance import FEWEST, least_p
from convert.suite.repeated import (
    Path,
    Repeated,
    RepeatedSide,
    Success,
)
from convert.suite.repeated_figures import figures_of, is_cut, stopped_by
from convert.suite.repeated_findings import (
    findings_with,
    of_others,
    rank,
    unlisted,
)
from convert.suite.repeated_limits import limits_exceeded, without_limits
from convert.suite.repeated_pairs import (
    RepeatedRun,
    compare_runs,
    flaps_of,
    medoid,
    most_common_path,
    pairs_across,
    pairs_apart,
    pairs_within,
)
from convert.suite.reports.repeated_words import success_words
from convert.suite.results import CaseFinding, Fate
from convert.wording.columns import fitted

# The p below which a loss counts, unless another is given.
MAX_P = 0.05
# How many steps of a path are named, and how many columns of each.
_MOST_STEPS = 12
_LONGEST_STEP = 60


class RepeatedComparison(Struct, kw_only=True):
    """The comparison of the repeated runs of a case."""

    repeated: Repeated
    comparison: Comparison
    """The comparison of the medoids, which reports of the case show."""

    findings: list[CaseFinding]
    """Findings that are new and steady, then those for information only.

    Both have the most severe first.
    """

    @property
    def deciding(self) -> list[CaseFinding]:
        """Those that decide: what is new and steady, and a loss of successes."""
        return [
            each for each in self.findings if each.flaps is None or each.flaps.decides
        ]

    @property
    def severity(self) -> Severity:
        """The highest severity of all findings."""
        severities = (finding.severity for finding in self.findings)
        return max(severities, key=SEVERITIES.index, default="none")

    @property
    def is_different(self) -> bool:
        """A finding that decides is at least as severe as `--fail-on` asks for."""
        least = SEVERITIES.index(self.comparison.settings.fail_on)
        return any(
            not finding.waived and SEVERITIES.index(finding.severity) >= least
            for finding in self.deciding
        )

    @property
    def fate(self) -> Fate:
        """How the case turned out."""
        if self.is_different:
            return "different"
        return "same" if self.severity in ("none", "info") else "passes"


def compare_repeated(
    a: Sequence[RepeatedRun],
    b: Sequence[RepeatedRun],
    settings: Settings,
    look: Look,
    max_p: float = MAX_P,
) -> RepeatedComparison:
    """Compare the runs of a case, of which either side has at least one.

    Raises InputError where two logs do not record what the settings require.
    """
    a, b = (sorted(runs, key=lambda run: run.log) for runs in (a, b))
    ones, others = _used(a), _used(b)
    # A command that judges answers is asked for the medoids only.
    quick = without_limits(settings.replace(answer_cmd=None))
    within, apart = pairs_within(ones, quick), pairs_apart(others, quick)
    across = pairs_across(ones, others, quick)
    at, to = medoid(within, ones), medoid(apart, others)
    paths = most_common_path(within, len(ones)), most_common_path(apart, len(others))
    sides = _side(a, ones, at, paths[0]), _side(b, others, to, paths[1])
    repeated = _repeated(ones, others, (_counted(a), _counted(b)), sides, max_p)
    repeated.within = within.spread()
    repeated.across = across.spread() or repeated.across
    repeated.is_same_path = (paths[0][0], paths[1][0]) in across.same_paths
    flaps, keys = flaps_of(within, across), across.keys[at, to]
    repeated.others = unlisted(flaps, keys)
    findings = [*of_others(ones, others, across, keys, flaps, quick, look)]
    exceeded = limits_exceeded(b, settings.replace(answer_cmd=None))
    # The last comparison, because each one marks the calls of its runs anew.
    comparison = compare_runs(ones[at], others[to], settings)
    findings += findings_with(comparison, keys, flaps, look)
    loss = _loss(repeated.success, settings)
    return RepeatedComparison(
        repeated=repeated,
        comparison=comparison,
        findings=[*loss, *sorted([*findings, *exceeded], key=rank)],
    )


def _repeated(
    a: Sequence[RepeatedRun],
    b: Sequence[RepeatedRun],
    counted: tuple[list[Side], list[Side]],
    sides: tuple[RepeatedSide, RepeatedSide],
    max_p: float,
) -> Repeated:
    """Return the figures of the runs that are compared, without those of pairs."""
    success, measures, tests = figures_of(
        [run.side for run in a], [run.side for run in b], counted, max_p
    )
    # Runs that break off count as failures, and their figures are not tested.
    are_tested = any(measure.test for measure in measures)
    tested = (a, b) if are_tested else counted
    return Repeated(
        a=sides[0],
        b=sides[1],
        success=success,
        measures=measures,
        is_counted_only=min(map(len, counted)) < FEWEST,
        tests=tests,
        least_p=least_p(*map(len, tested)),
        max_p=max_p,
    )


def _used(runs: Sequence[RepeatedRun]) -> list[RepeatedRun]:
    """Return the runs that came to an end, whose calls are compared; all if none did.

    One that breaks off early has few calls.
    """
    whole = [run for run in runs if not (is_cut(run.side) or stopped_by(run.side))]
    return whole or [*runs]


def _counted(runs: Sequence[RepeatedRun]) -> list[Side]:
    """Return the runs that are a success or a failure of the agent."""
    return [run.side for run in runs if not stopped_by(run.side)]


def _side(
    runs: Sequence[RepeatedRun],
    used: Sequence[RepeatedRun],
    middle: int,
    path: list[int],
) -> RepeatedSide:
    return RepeatedSide(
        runs=len(runs),
        cut=tuple(run.log for run in runs if is_cut(run.side)),
        stopped={run.log: by for run in runs if (by := stopped_by(run.side))},
        medoid=used[middle].log,
        path=_path(used[path[0]], len(path), len(used)),
    )


def _path(run: RepeatedRun, runs: int, of: int) -> Path | None:
    if run.side.level != "calls":
        return None
    calls = [call for each in run.side.runs for call in each.calls]
    steps = [fitted(label(call), _LONGEST_STEP) for call in calls[:_MOST_STEPS]]
    return Path(runs=runs, of=of, steps=tuple(steps), calls=len(calls))


def _loss(success: Success, settings: Settings) -> list[CaseFinding]:
    """Return the finding that the candidate succeeds less often, if that is told."""
    if not success.is_loss:
        return []
    waived = ""
    if "status" in settings.ignore:
        waived = "--ignore status"
    elif "status" not in settings.judged:
        waived = f"--judge {','.join(settings.judge)}"
    return [
        CaseFinding(
            category="status",
            severity="info" if waived else "critical",
            what=success_words(success),
            waived=waived,
        )
    ]
