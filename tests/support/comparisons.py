"""Comparisons by the Python interface, and how those of both directions agree."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import convert
from convert.diff import Comparison
from convert.options import Settings


def compare(a: bytes, b: bytes, **knobs: Any) -> Comparison:
    return convert.compare([a], [b], settings=Settings(**knobs))


def compared_or_none(a: Path, b: Path) -> Comparison | None:
    try:
        return compare(a.read_bytes(), b.read_bytes())
    except convert.RunconvError:
        return None


def counts(compared: Comparison) -> tuple[int, int, int, int, int]:
    found = compared.counts
    return found.same, found.changed, found.moved, found.removed, found.added


def mirrored(found: tuple[int, ...]) -> tuple[int, ...]:
    same, changed, moved, removed, added = found
    return same, changed, moved, added, removed


def assert_mirrored(there: Comparison, back: Comparison) -> None:
    assert there.is_different == back.is_different
    assert there.severity == back.severity
    assert there.level == back.level
    assert there.not_compared == back.not_compared
    assert counts(there) == mirrored(counts(back))
    assert there.states == back.states[::-1]
    swap = {"removed": "added", "added": "removed"}
    assert sorted(finding.category for finding in there.findings) == sorted(
        swap.get(finding.category, finding.category) for finding in back.findings
    )
    for one, other in zip(there.runs, back.runs, strict=True):
        first, second = one.first_divergence, other.first_divergence
        assert (first and first.names) == (second and second.names[::-1])
        met, back_met = one.resync, other.resync
        assert (met and (met.a, met.b)) == (back_met and (back_met.b, back_met.a))
