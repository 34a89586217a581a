"""Keys by which findings of several pairs of runs are the same."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from convert.diff import Comparison
from convert.diff.call_comparison import CallComparison, Row
from convert.diff.changes import Finding

# Joins the keys of two calls that changed places.
_BOTH = b"\0"


class Key(NamedTuple):
    """The identity of a finding, whichever runs show it."""

    category: str
    severity: str
    subject: bytes | str
    """The tool and the subject of the call, or the path of the file."""

    was: str | None
    now: str | None


def keys_in(comparison: Comparison) -> frozenset[Key]:
    """Return the keys of all findings of two logs."""
    return frozenset(
        key for finding in comparison.findings for key in keys_of(finding, comparison)
    )


def keys_of(finding: Finding, comparison: Comparison) -> list[Key]:
    """Return what a finding is about; the more there is, the more it has to share.

    Which calls make a changed pair, and which of two that changed places is said to be
    moved, depends on the other calls of both runs. So the first counts as one call less
    and one more, and the second as the two calls.
    """
    pair = finding.comparison
    if pair is not None and pair.a is not None and pair.b is not None:
        subjects = pair.a.subject_key, pair.b.subject_key
        if finding.category == "args" and subjects[0] != subjects[1]:
            return [
                Key(category, finding.severity, subject, None, None)
                for category, subject in zip(
                    ("removed", "added"), subjects, strict=True
                )
            ]
        if finding.category == "moved":
            both = [_BOTH.join(sorted(each)) for each in _crossed(pair, comparison)]
            if both:
                return [Key("moved", finding.severity, key, None, None) for key in both]
    return [_key_of(finding)]


def _key_of(finding: Finding) -> Key:
    subject: bytes | str = ""
    if finding.comparison is not None:
        subject = finding.comparison.call.subject_key
    elif finding.file is not None:
        subject = finding.file.path
    # The count of a limit or a batch differs from pair to pair.
    has_values = finding.limit is None and finding.category != "parallelism"
    values = (finding.from_, finding.to) if has_values else (finding.limit, None)
    return Key(finding.category, finding.severity, subject, *values)


def _crossed(
    moved: CallComparison, comparison: Comparison
) -> Iterator[tuple[bytes, bytes]]:
    """Yield a moved call with each that it stands before in one run only."""
    assert moved.a is not None
    assert moved.b is not None
    for other in _beside(moved, [row for run in comparison.runs for row in run.rows]):
        if other.a is None or other.b is None or other is moved:
            continue
        is_before = moved.a.number < other.a.number
        if is_before != (moved.b.number < other.b.number):
            yield moved.b.subject_key, other.b.subject_key


def _beside(moved: CallComparison, rows: list[Row]) -> list[CallComparison]:
    """Return the calls that were made by the same agent as a moved one."""
    calls = [row.comparison for row in rows]
    if any(call is moved for call in calls):
        return calls
    return [found for call in calls for found in _beside(moved, call.rows)]
