"""Tables with a rule are laid out as tabulate lays them out."""

from __future__ import annotations

import re
from unicodedata import category

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from tabulate import tabulate
from wcwidth import wcswidth, wcwidth

from convert.reports import Cell, Grid
from convert.wording import NARROW
from convert.wording.escapes import safe_line
from convert.wording.styles_and_columns import columns

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


@pytest.mark.seldom
def test_characters_take_the_columns_that_wcwidth_knows() -> None:
    # The rest are rare Chinese characters, and places without a character.
    named = (each for each in map(chr, range(0xA0, 0x20000)) if category(each) != "Cn")

    others = {each for each in named if columns(each) != max(wcwidth(each), 0)}

    # Terminals disagree on halves of flags, hexagrams, colours of skin, fillers, signs
    # around Arabic numbers, and breaks.
    assert {*map(category, others)} <= {"So", "No", "Cf", "Sk", "Lo", "Zl", "Zp"}
    assert len(others) < 300


_BASES = "日👩🚀❤©1"
_SIGNS = "\u0301\u200d\ufe0f\U0001f3fd"


@given(st.text(_BASES + _SIGNS, max_size=12))
def test_joined_characters_take_the_columns_that_rich_knows(text: str) -> None:
    assert columns(text) == cell_len(text)
