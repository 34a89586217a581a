"""The block of a report below one finding: the call or the text, and its details."""

from __future__ import annotations

from typing import NamedTuple

from convert.diff.changes import Finding
from convert.diff.comparison import Comparison
from convert.diff.details import Detail, details_of
from convert.diff.reports.appearance import (
    Look,
    label_of,
    lines_of,
    lone_ending,
    mark_of,
    place_of,
    where,
)
from convert.diff.reports.detail_lines import result_change
from convert.diff.reports.selection import run_of
from convert.wording.sanitise import truncate

# The details of a call hold a longer command as a whole.
_LONGEST = 100


class Block(NamedTuple):
    """The details of one call or of a final text."""

    run: int
    """The number of the pair of runs, from 1."""

    mark: str
    """The kind of difference, as in the table of calls."""

    name: str
    """The number of the call, or `result`."""

    call: str
    """The call and what it is about; empty for a text."""

    ending: str
    """How a call without a partner ended, in brackets; empty for all others."""

    where: str
    """The lines in both logs, in brackets; empty if no line shows the difference."""

    details: list[Detail]
    """The differences, or what a call without a partner did."""


def block_of(finding: Finding, compared: Comparison, look: Look) -> Block:
    """Return the block of a finding that has details."""
    run = run_of(finding, compared)
    lines = where(look, *lines_of(finding, run))
    comparison = finding.comparison
    if comparison is None:
        change = result_change(run)
        details: list[Detail] = [] if change is None else [change]
        return Block(finding.run, "~", "result", "", "", lines, details)
    name = f"call {place_of(comparison, finding.inside)}"
    called = label_of(comparison)
    if not look.is_full:
        called = truncate(called, _LONGEST)
    return Block(
        finding.run,
        mark_of(comparison),
        name,
        called,
        lone_ending(comparison),
        lines,
        details_of(comparison, compared.settings),
    )
