"""One line for each finding: how severe, which kind, what, and where in both logs."""

from __future__ import annotations

from msgspec import Struct

from convert.diff.changes import Finding
from convert.diff.comparison import Comparison
from convert.diff.reports.about import about, few
from convert.diff.reports.appearance import (
    LineStyle,
    Look,
    arrow,
    lines_of,
    lone_ending,
    place_of,
    shown,
    where,
)
from convert.diff.reports.file_words import file_words
from convert.diff.reports.glimpses import Glimpse
from convert.diff.reports.selection import run_of
from convert.diff.verification import EARLIER, GONE, PASSED
from convert.wording.columns import columns, fitted

_STYLES: dict[str, LineStyle] = {
    "removed": "removed",
    "added": "added",
    "moved": "moved",
}
# The fate of a check that passed after the last change of the other run.
_LOST = {EARLIER: "run only before it", GONE: "not run after it"}


class FindingLine(Struct, frozen=True):
    """A finding in a few words."""

    severity: str
    """How much it matters."""

    category: str
    """The kind of difference."""

    call: str
    """`call` and its numbers in both runs; empty for a difference of whole runs."""

    what: Glimpse
    """The call, file or values that it is about, as many columns of them as asked."""

    said: str
    """The difference in our own words; empty if `what` or the note shows it."""

    note: str
    """How a call ended, or what lets the finding pass; not to be cut."""

    where: str
    """The lines in both logs, in brackets; empty if no line shows the difference."""

    style: LineStyle
    """The kind of line, which decides its colour."""

    def fitted(self, most: int) -> str:
        """Return what differs in so many columns; our own words have precedence."""
        said = f": {self.said}" if self.said else ""
        what = self.what(max(most - columns(said), most // 2))
        return fitted(f"{what}{said}" if what else self.said, most)


def finding_line(finding: Finding, compared: Comparison, look: Look) -> FindingLine:
    """Return a finding in a few words."""
    run = run_of(finding, compared)
    what, said = about(finding, compared)
    call = ""
    if finding.comparison is not None:
        call = f"call {place_of(finding.comparison, finding.inside)}"
    if len(compared.runs) > 1:
        call = f"run {finding.run} {call}".rstrip()
    style: LineStyle = ""
    if finding.severity != "info":
        style = _STYLES.get(finding.category, "changed")
    return FindingLine(
        finding.severity,
        finding.category,
        call,
        what,
        said,
        _note(finding),
        where(look, *lines_of(finding, run)),
        style,
    )


def _note(finding: Finding) -> str:
    """Return how a call ended in either run, and what lets a finding pass."""
    comparison = finding.comparison
    notes = []
    if finding.category == "verification":
        notes.append(_fate(finding))
    elif finding.file is not None:
        notes.append(file_words(finding.file))
    elif comparison and not comparison.is_paired:
        notes.append(lone_ending(comparison))
    elif comparison and finding.category != "tool" and finding.to is not None:
        notes.append(arrow(few(finding.from_ or ""), few(finding.to)))
    if finding.better:
        notes.append("(better)")
    if finding.waived:
        notes.append(f"(waived: {shown(finding.waived)})")
    return "  ".join(filter(None, notes))


def _fate(finding: Finding) -> str:
    """Return what became of a check in both runs, the better one first."""
    sides = [("A", finding.from_ or ""), ("B", finding.to or "")]
    if finding.to == PASSED:
        sides.reverse()
    (one, fate), (other, other_fate) = sides
    fate, other_fate = map(few, (fate, other_fate))
    if fate == PASSED:
        return f"{fate} in {one}, {_LOST.get(other_fate, other_fate)} in {other}"
    return f"run {fate} in {one}, {other_fate} in {other}"
