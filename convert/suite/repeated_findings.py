"""The findings of repeated runs: those of the medoids, and all that decide."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet

from msgspec.structs import replace

from convert.diff import Comparison
from convert.diff.reports.appearance import Look
from convert.diff.reports.selection import by_severity
from convert.options.settings import SEVERITIES, Settings
from convert.suite.findings import findings_of
from convert.suite.repeated import Flaps
from convert.suite.repeated_keys import Key, keys_of
from convert.suite.repeated_pairs import Pairs, RepeatedRun, compare_runs
from convert.suite.results import CaseFinding

AllFlaps = dict[Key, Flaps]


def findings_with(
    comparison: Comparison, keys: AbstractSet[Key], flaps: AllFlaps, look: Look
) -> Iterator[CaseFinding]:
    """Yield the findings of two runs that have one of these keys.

    One that does not decide becomes information.
    """
    is_judged = comparison.settings.answer_cmd is not None
    ordered = by_severity(comparison.findings)
    for finding, made in zip(ordered, findings_of(comparison, look), strict=True):
        found = [key for key in keys_of(finding, comparison) if key in keys]
        if is_judged and finding.is_about_text:
            # The command may have made it more or less severe than it was.
            found = [key for key in keys if key.category == finding.category]
        if found:
            least = min((flaps[key] for key in found), key=_doubt)
            severity = made.severity if least.decides else "info"
            yield replace(made, flaps=least, severity=severity)


def of_others(
    a: Sequence[RepeatedRun],
    b: Sequence[RepeatedRun],
    across: Pairs,
    medoids: AbstractSet[Key],
    flaps: AllFlaps,
    settings: Settings,
    look: Look,
) -> Iterator[CaseFinding]:
    """Yield the findings that decide and that the medoids do not show.

    Each is that of the first two runs that show it. Its lines are left out, because
    they are not in the logs that the report of the case is about.
    """
    wanted = {key for key, each in flaps.items() if each.decides} - medoids
    for (at, to), keys in across.keys.items():
        if here := wanted & keys:
            comparison = compare_runs(a[at], b[to], settings)
            for finding in findings_with(comparison, here, flaps, look):
                yield replace(finding, call="", line_a=None, line_b=None)
            wanted -= here


def unlisted(flaps: AllFlaps, medoids: AbstractSet[Key]) -> int:
    """Return how many findings that would matter are not listed: they are chance."""
    return sum(
        key.severity != "info" and not each.decides and key not in medoids
        for key, each in flaps.items()
    )


def rank(finding: CaseFinding) -> tuple[int, bool, int]:
    """Return what orders findings: the more severe ones, then those that decide."""
    decides = finding.flaps is None or finding.flaps.decides
    across = finding.flaps.across if finding.flaps else 0
    return -SEVERITIES.index(finding.severity), not decides, -across


def _doubt(flaps: Flaps) -> tuple[bool, int, int]:
    """Return what orders how often findings occur: those that decide first."""
    return not flaps.decides, flaps.within, -flaps.across
