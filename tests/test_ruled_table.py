"""Tables with a rule are laid out as tabulate lays them out."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tabulate import tabulate
from wcwidth import wcswidth, wcwidth

from convert.reports import Cell, Grid
from convert.wording import NARROW
from convert.wording.escapes import safe_line

CELLS = st.text(max_size=8).map(safe_line)
WIDE = st.sampled_from(["", "値", "e\u0301", "👩‍🚀", "-1", " 1.50", "x  "])
TABLES = st.integers(1, 5).flatmap(
    lambda width: st.lists(
        st.lists(CELLS | WIDE, min_size=width, max_size=width), min_size=2, max_size=6
    )
)


@given(TABLES)
def test_a_ruled_table_is_laid_out_as_tabulate_does(
    table: list[list[str]],
) -> None:
    heads, *rows = table

    grid = Grid(100, is_ruled=True)
    for head, *cells in zip(*table, strict=True):
        grid.add(Cell(head), [Cell(cell.strip()) for cell in cells], is_text=True)

    expected = tabulate(rows, heads, "simple", disable_numparse=True)
    assert [*grid.texts()] == expected.split("\n")


@pytest.mark.seldom
def test_narrow_characters_take_a_column_each() -> None:
    characters = "".join(map(chr, range(0x110000)))
    narrow = "".join(re.findall(NARROW, characters))

    assert {wcwidth(each) for each in narrow} == {1}
    assert wcswidth(narrow) == len(narrow)
    assert {*"…–→−×·─█"} <= {*narrow}
