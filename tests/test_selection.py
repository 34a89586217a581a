"""The findings that a report shows when there is no room for all."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from convert.diff import Finding, by_severity, omitted, select
from convert.options import SEVERITIES

findings = st.lists(
    st.builds(Finding, st.just("args"), st.sampled_from(SEVERITIES[1:]), st.just(1))
)


@given(findings, st.integers(0, 12))
def test_no_finding_is_shown_before_a_skipped_one_that_is_more_severe(
    found: list[Finding], most: int
) -> None:
    selected = select(by_severity(found), id, lambda _: 1, most)

    shown = [SEVERITIES.index(finding.severity) for finding, _ in selected.shown]
    rest = [SEVERITIES.index(severity) for severity in selected.omitted]
    assert len(shown) == min(most, len(found))
    assert shown == sorted(shown, reverse=True)
    assert not shown or max(rest, default=0) <= min(shown)
    assert len(shown) + selected.omitted.total() == len(found)


@given(findings)
def test_findings_of_one_severity_keep_their_order(found: list[Finding]) -> None:
    ordered = by_severity(found)

    for severity in SEVERITIES:
        one, other = (
            [id(finding) for finding in findings if finding.severity == severity]
            for findings in (found, ordered)
        )
        assert one == other


def test_without_a_limit_everything_is_shown() -> None:
    found = [Finding("args", "minor", 1)] * 9

    selected = select(found, id, lambda _: 10**9, None)

    assert len(selected.shown) == 9
    assert omitted(selected) == ""


def test_skipped_findings_are_not_written() -> None:
    made = []
    found = [Finding("args", "minor", 1)] * 9

    select(found, made.append, lambda _: 3, 7)

    assert len(made) == 3


@pytest.mark.parametrize("sizes", [[3, 9, 1, 1]])
def test_what_is_shown_has_no_gaps(sizes: list[int]) -> None:
    """A small finding does not slip in after a large one that had no room."""
    found = [Finding("args", "major", run) for run in range(len(sizes))]

    selected = select(found, lambda finding: sizes[finding.run], int, 6)

    assert [size for _, size in selected.shown] == [3]
    assert selected.omitted == Counter(major=3)
    assert omitted(selected) == "… skipped: 3 major; --full for the rest"
