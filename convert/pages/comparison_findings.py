"""The lists of findings, of new failures and of unresolved failures."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from types import SimpleNamespace

from msgspec import Struct

from convert.diff.alignment.rows import Fate
from convert.diff.calls.aligned_call import AlignedCall
from convert.diff.calls.recorded_call import RecordedCall
from convert.diff.calls.trajectory import FailedCall
from convert.diff.comparison import (
    Comparison,
    Finding,
    RunComparison,
    by_severity,
    run_of,
)
from convert.diff.reports import ReportOptions
from convert.diff.reports.finding_lines import finding_line, reasons
from convert.diff.reports.marks_and_labels import (
    NO_STATE,
    ended,
    label,
    label_of,
    place_of,
)
from convert.diff.reports.verdict import reported, waived_in_words
from convert.options.settings import SEVERITIES
from convert.pages.comparison_calls import (
    PlaceOfRow,
    anchor_of,
    has_output_of_failure,
    printed_by,
)
from convert.pages.comparison_changes import lines_in_words
from convert.pages.entries import first_and_rest, times_in_words
from convert.wording.escapes import truncate
from convert.wording.numbers import numbered

# No row shows these; the others are in rows, or in the parts on files and answers.
_WITHOUT_ROW = (
    *("verification", "tests", "claim", "level"),
    *("duration", "usage", "calls", "errors"),
)
_LONGEST = 200
# More of them are folded.
MOST_LISTED = 12
# The name of one finding, for categories that are named in the plural.
_SINGULAR = {"runs": "run", "files": "file", "calls": "call", "errors": "error"}

Places = dict[int, PlaceOfRow]


class Listed(Struct, frozen=True, kw_only=True):
    """A finding in a list."""

    anchor: str
    """The id of its row; empty without one."""

    number: str
    """The numbers of the call in both runs; empty for a finding of whole runs."""

    words: str
    ends: str = ""
    """How the call or the run ended in both logs; empty for any other finding."""

    fate: Fate = "alike"
    """How these compare."""

    why: str = ""
    """The last line printed by a call that failed in the candidate."""

    note: str = ""
    where: str = ""
    """The lines in both logs."""


def severities(compared: Comparison) -> list[tuple[str, str]]:
    """Return the number of findings of each category, by severity."""
    found: dict[str, Counter[str]] = {}
    for finding in by_severity(compared.findings):
        if finding.severity != "info":
            found.setdefault(finding.severity, Counter())[finding.category] += 1
    return [
        (
            severity,
            ", ".join(
                f"{number:,} {_SINGULAR.get(name, name) if number == 1 else name}"
                for name, number in sorted(categories.items())
            ),
        )
        for severity, categories in found.items()
    ]


def critical(compared: Comparison, options: ReportOptions, prefix: str) -> list[Listed]:
    """Return the critical findings, the calls by their position."""
    return [
        _ended(finding, compared, options, prefix)
        for finding in reported(compared, options)
        if finding.severity == SEVERITIES[-1]
    ]


def other_findings(
    compared: Comparison, options: ReportOptions, prefix: str
) -> list[Listed]:
    """Return the other findings that no row shows."""
    return [
        _other(finding, compared, options, prefix)
        for finding in reported(compared, options)
        if finding.category in _WITHOUT_ROW and finding.severity != "info"
    ]


def without_weight(compared: Comparison) -> str:
    """Return the categories without weight, and the findings that options let pass."""
    findings = compared.findings
    names = {each.category for each in findings if each.severity == "info"}
    waived = {each.category for each in findings if each.waived}
    parts = [", ".join(sorted(names - waived)), waived_in_words(findings)]
    return "; ".join(filter(None, parts))


def _ended(
    finding: Finding, compared: Comparison, options: ReportOptions, prefix: str
) -> Listed:
    if finding.category not in ("outcome", "status"):
        return _other(finding, compared, options, prefix)
    was, now = (ended(end or NO_STATE) for end in (finding.from_, finding.to))
    comparison = finding.comparison
    words, note = "the run", reasons(run_of(finding, compared))
    if comparison is not None:
        words, note = truncate(label_of(comparison), _LONGEST), ""
    return Listed(
        anchor=anchor_of(finding, prefix),
        number=number_of(finding),
        words=words,
        ends=f"{was} → {now}",
        fate=_fate(finding),
        why=_why(comparison.b) if comparison else "",
        note=note,
        where=lines_in_words(*finding.lines),
    )


def _other(
    finding: Finding, compared: Comparison, options: ReportOptions, prefix: str
) -> Listed:
    line = finding_line(finding, compared, options)
    return Listed(
        anchor=anchor_of(finding, prefix),
        number=number_of(finding),
        words=f"{finding.category}: {line.fitted(_LONGEST)}",
        note=line.note,
        where=lines_in_words(*finding.lines),
    )


def _why(call: AlignedCall | None) -> str:
    """Return the last line printed by a failed call; empty for any other call."""
    if call is None or not has_output_of_failure(call):
        return ""
    return str(printed_by(call.recorded).why)


def _fate(finding: Finding) -> Fate:
    """Return how a call or a run ended, compared with the baseline."""
    if finding.comparison is not None:
        return finding.comparison.fate
    if finding.better:
        return "better"
    return "worse" if finding.from_ == "success" else "otherwise"


def number_of(finding: Finding) -> str:
    """Return the numbers of a call in both runs; empty for whole runs."""
    if finding.comparison is None:
        return ""
    return place_of(finding).replace("->", "→")


def new_failures(run: RunComparison, places: Places, prefix: str) -> list[Listed]:
    """Return the failed calls that only the candidate made.

    Those that the baseline did not fail elsewhere come first.
    """
    earlier = _failed_in_baseline(run, places)
    found = [
        (finding, finding.comparison.call)
        for finding in run.findings
        if finding.is_new_failure and finding.comparison
    ]
    # Sorting is stable.
    found.sort(key=lambda each: each[1].keys.retry in earlier)
    failures = run.b.failures if run.b else ()
    resolved = {id(failure.call): failure.resolved_by for failure in failures}
    return [
        Listed(
            anchor=anchor_of(finding, prefix),
            number=number_of(finding),
            words=truncate(label(call), _LONGEST),
            ends=ended(call.recorded.outcome),
            fate="worse",
            why=_why(call),
            note="; ".join(_notes_on_new(call, earlier, resolved, places)),
            where=lines_in_words(None, call.recorded.line),
        )
        for finding, call in found
    ]


def _failed_in_baseline(run: RunComparison, places: Places) -> dict[bytes, list[str]]:
    """Return the numbers of the calls that failed in the baseline, by their keys."""
    numbers: dict[bytes, list[str]] = {}
    calls = run.sides[0].aligned if run.sides[0] else {}
    for failure in run.a.failures if run.a else ():
        if place := places.get(id(failure.call)):
            key = calls[id(failure.call)].keys.retry
            numbers.setdefault(key, []).append(place.number)
    return numbers


def _notes_on_new(
    call: AlignedCall,
    earlier: dict[bytes, list[str]],
    resolved: dict[int, RecordedCall | None],
    places: Places,
) -> Iterator[str]:
    """Yield the calls of the baseline that failed alike, and the later fate."""
    if numbers := earlier.get(call.keys.retry):
        yield f"also fails in A: {numbered('call', numbers[:3], len(numbers))}"
    later = resolved.get(id(call.recorded))
    if later is not None:
        if place := places.get(id(later)):
            yield f"passed later in B: call {place.number}"
    elif id(call.recorded) in resolved:
        yield "never passed later in B"


def unresolved_of(run: RunComparison, places: Places) -> list[SimpleNamespace]:
    """Return the unresolved failures of both runs; nothing if neither has any.

    `places` are the rows of calls, by the identity of these. Failures that are the same
    appear once, the last one first; `groups` are the first ones, and the folded rest.
    """
    sides = []
    for name, side in zip("AB", run.sides, strict=True):
        if side is None or side.recorded.figures.unresolved is None:
            continue
        failures = [each for each in side.recorded.failures if not each.resolved_by]
        same: dict[tuple[str, str], list[FailedCall]] = {}
        for each in reversed(failures):
            ending = each.hidden or ended(each.call.outcome)
            key = label(side.aligned[id(each.call)]), ending
            same.setdefault(key, []).append(each)
        listed = [_unresolved(group, name, *key, places) for key, group in same.items()]
        groups = first_and_rest(listed, MOST_LISTED)
        sides.append(SimpleNamespace(name=name, total=len(failures), groups=groups))
    return sides if any(side.total for side in sides) else []


def _unresolved(
    failures: list[FailedCall], name: str, words: str, ending: str, places: Places
) -> Listed:
    """Return failures that are the same as one; the last comes first."""
    call = failures[0].call
    place = places.get(id(call), PlaceOfRow("", str(call.number)))
    known = (places.get(id(each.call)) for each in reversed(failures))
    numbers = [each.number for each in known if each]
    line_a, line_b = (call.line, None) if name == "A" else (None, call.line)
    return Listed(
        anchor=place.anchor,
        number=place.number,
        words=truncate(words, _LONGEST),
        ends=ending,
        fate="worse",
        why=printed_by(call, failures[0].hidden).why,
        note=times_in_words(numbers, len(failures)),
        where=lines_in_words(line_a, line_b),
    )
