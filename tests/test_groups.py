"""Logs are grouped only by their sizes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from convert.scale import groups_of
from convert.scale.tables import parts as groups

SIZES = st.lists(st.integers(0, 90_000_000), max_size=40)


@given(SIZES)
def test_each_log_is_in_one_group_in_its_order(sizes: list[int]) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(groups, "size_of", lambda path: sizes[int(path)])
        found = list(groups_of([str(number) for number in range(len(sizes))]))

    assert [index for group in found for index in group] == [*range(len(sizes))]
    for group in found:
        held = sum(sizes[index] for index in group)
        assert group
        assert held <= 64_000_000 or len(group) == 1


def test_a_group_has_so_many_logs_at_most(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(groups, "size_of", lambda path: 10)

    assert [len(group) for group in groups_of(["a"] * 1001)] == [500, 500, 1]
