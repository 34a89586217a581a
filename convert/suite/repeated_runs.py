"""Comparing the repeated runs of a case: what differs steadily, and what by chance."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import Struct
from msgspec.structs import replace

from convert.diff import Comparison
from convert.diff.reports.appearance import Look, label
from convert.diff.reports.selection import by_severity
from convert.options.settings import SEVERITIES, Settings, Severity
from convert.suite.chance import FEWEST, least_p
from convert.suite.findings import findings_of
from convert.suite.repeated import (
    Distances,
    Flaps,
    Path,
    Repeated,
    RepeatedSide,
    Success,
)
from convert.suite.repeated_figures import figures_of, is_cut
from convert.suite.repeated_pairs import (
    Key,
    Pairs,
    RepeatedRun,
    compare_runs,
    flaps_of,
    key_of,
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
    """What is new and steady, then what is for information only.

    Both have the most severe first.
    """

    deciding: list[CaseFinding]
    """Those that decide: what is new and steady, and a loss of successes."""

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
    quick = settings.replace(answer_cmd=None)
    within, apart = pairs_within(ones, quick), pairs_apart(others, quick)
    across = pairs_across(ones, others, quick)
    at, to = medoid(within, len(ones)), medoid(apart, len(others))
    listing = _Listing(ones, others, settings, look, flaps_of(within, across))
    paths = most_common_path(within, len(ones)), most_common_path(apart, len(others))
    success, measures, tests = figures_of(
        [run.side for run in ones], [run.side for run in others], max_p
    )
    findings = listing.findings(across, (at, to))
    loss = _loss(success, settings)
    comparison = compare_runs(ones[at], others[to], settings)
    repeated = Repeated(
        a=_side(a, ones, at, paths[0]),
        b=_side(b, others, to, paths[1]),
        success=success,
        measures=measures,
        within=within.spread(),
        across=across.spread() or Distances(0, 0.0, 0.0),
        is_same_path=(paths[0][0], paths[1][0]) in across.same_paths,
        others=listing.others,
        is_counted_only=min(len(ones), len(others)) < FEWEST,
        tests=tests,
        least_p=least_p(len(ones), len(others)),
        max_p=max_p,
    )
    deciding = [
        *loss,
        *(each for each in findings if each.flaps and each.flaps.decides),
    ]
    return RepeatedComparison(
        repeated=repeated,
        comparison=comparison,
        findings=[*loss, *findings],
        deciding=deciding,
    )


def _used(runs: Sequence[RepeatedRun]) -> list[RepeatedRun]:
    """Return the runs that came to an end; all where none did.

    Cut runs say more of the machine than of the agent.
    """
    return [run for run in runs if not is_cut(run.side)] or [*runs]


def _side(
    runs: Sequence[RepeatedRun],
    used: Sequence[RepeatedRun],
    middle: int,
    path: list[int],
) -> RepeatedSide:
    return RepeatedSide(
        runs=len(runs),
        cut=tuple(run.log for run in runs if is_cut(run.side)),
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


class _Listing:
    """Lists the findings of a case: those of the medoids, and all that decide."""

    def __init__(
        self,
        a: list[RepeatedRun],
        b: list[RepeatedRun],
        settings: Settings,
        look: Look,
        flaps: dict[Key, Flaps],
    ) -> None:
        self._a, self._b = a, b
        self._settings = settings
        self._look = look
        self._flaps = flaps
        self.others = 0

    def findings(self, across: Pairs, middle: tuple[int, int]) -> list[CaseFinding]:
        """Return the findings of the medoids, and those that decide of other pairs."""
        wanted = {
            key
            for key, flaps in self._flaps.items()
            if flaps.decides or key in across.keys[middle]
        }
        matter = {key for key in self._flaps if key.severity != "info"}
        self.others = len(matter - wanted)
        found: list[CaseFinding] = []
        for places in [middle, *across.keys]:
            if here := wanted & across.keys[places]:
                made = self._of_pair(places, here)
                found += made if places == middle else map(_without_place, made)
                wanted -= here
        return sorted(found, key=_rank)

    def _of_pair(
        self, places: tuple[int, int], keys: set[Key]
    ) -> Iterator[CaseFinding]:
        """Yield those findings of two runs that are wanted."""
        at, to = places
        comparison = compare_runs(self._a[at], self._b[to], self._settings)
        listed = findings_of(comparison, self._look)
        ordered = by_severity(comparison.findings)
        for finding, made in zip(ordered, listed, strict=True):
            key = key_of(finding)
            if key not in keys:
                continue
            flaps = self._flaps[key]
            severity = made.severity if flaps.decides else "info"
            yield replace(made, flaps=flaps, severity=severity)


def _without_place(finding: CaseFinding) -> CaseFinding:
    """Return a finding that the medoids do not show without its lines in other logs."""
    return replace(finding, call="", line_a=None, line_b=None)


def _rank(finding: CaseFinding) -> tuple[int, bool, int]:
    """Return what orders findings: those that decide, then the more severe ones."""
    decides = finding.flaps is not None and finding.flaps.decides
    across = finding.flaps.across if finding.flaps else 0
    return -SEVERITIES.index(finding.severity), not decides, -across
