"""The calls that failed and that only the candidate made.

Calls are paired by their places, so that the baseline may have failed in the same.
"""

from __future__ import annotations

from collections.abc import Iterator

from convert.diff.changes import Finding, RunComparison
from convert.diff.compared_call import ComparedCall
from convert.diff.reports.about import few
from convert.diff.reports.appearance import label
from convert.diff.reports.html.listed import Listed, number_of
from convert.diff.reports.html.printed import printed_by
from convert.diff.reports.html.rows import anchor_of, lines_in_words
from convert.diff.reports.html.unresolved import Places
from convert.wording.numbers import numbered
from convert.wording.sanitise import truncate

_LONGEST = 200
_MOST_NUMBERS = 3


def new_failures(run: RunComparison, places: Places, prefix: str) -> list[Listed]:
    """Return the calls, those first in which the baseline did not fail."""
    earlier = _failed_in_baseline(run, places)
    found = [
        (finding, finding.comparison.call)
        for finding in run.findings
        if finding.is_new_failure and finding.comparison
    ]
    # Sorting keeps the order of those that are alike in this.
    found.sort(key=lambda each: each[1].retry_key in earlier)
    fates = _fates_in_candidate(run, places)
    return [
        _listed(finding, call, prefix, list(_notes(call, earlier, fates)))
        for finding, call in found
    ]


def _failed_in_baseline(run: RunComparison, places: Places) -> dict[bytes, list[str]]:
    """Return the numbers of the calls that failed in the baseline, by what they do."""
    numbers: dict[bytes, list[str]] = {}
    for failure in run.a.failures if run.a else ():
        if place := places.get(id(failure.call)):
            numbers.setdefault(failure.call.retry_key, []).append(place.number)
    return numbers


def _fates_in_candidate(run: RunComparison, places: Places) -> dict[int, str]:
    """Return what became later of the failures of the candidate, by their identity."""
    fates = {}
    for failure in run.b.failures if run.b else ():
        later = failure.resolved_by
        fate = "never passed later in B"
        if later is not None:
            place = places.get(id(later))
            fate = f"passed later in B: call {place.number}" if place else ""
        fates[id(failure.call)] = fate
    return fates


def _notes(
    call: ComparedCall, earlier: dict[bytes, list[str]], fates: dict[int, str]
) -> Iterator[str]:
    """Yield where the baseline failed in the same, and what became of it later."""
    if numbers := earlier.get(call.retry_key):
        first = numbered("call", numbers[:_MOST_NUMBERS], len(numbers))
        yield f"also fails in A: {first}"
    if fate := fates.get(id(call)):
        yield fate


def _listed(
    finding: Finding, call: ComparedCall, prefix: str, notes: list[str]
) -> Listed:
    return Listed(
        anchor=anchor_of(finding, prefix),
        number=number_of(finding),
        words=truncate(label(call), _LONGEST),
        ends=few(call.outcome),
        fate="worse",
        why=printed_by(call).why if not call.action_line else "",
        note="; ".join(notes),
        where=lines_in_words(None, call.line),
    )
