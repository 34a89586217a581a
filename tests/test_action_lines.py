"""Comparing runs by the action lines of a text."""

from __future__ import annotations

from hypothesis import given

import convert
from convert.diff import Comparison
from support.runs import Made, one_by_one, sequences, tell


def pairs(compared: Comparison) -> list[tuple[int, int]]:
    """The numbers of the lines that are paired, in both logs."""
    rows = [row.comparison for row in compared.runs[0].rows]
    return [
        (row.a.recorded.number, row.b.recorded.number)
        for row in rows
        if row.a and row.b
    ]


@given(sequences, sequences)
def test_lines_are_paired_alike_in_either_direction(
    one: list[Made], other: list[Made]
) -> None:
    log = tell(one_by_one(one))
    text = b"".join(convert.convert(tell(one_by_one(other)), "text")) or b"Done.\n"

    there, back = convert.compare(log, text), convert.compare(text, log)

    assert pairs(there) == [(a, b) for b, a in pairs(back)]


def test_of_several_longest_alignments_one_is_chosen_in_either_direction() -> None:
    read, edit = Made("read", "a.py"), Made("edit", "a.py")
    log = tell(one_by_one([read, edit]))
    text = b"Edited file\nRead file\n"

    there, back = convert.compare(log, text), convert.compare(text, log)

    assert len(pairs(there)) == 1
    assert pairs(there) == [(a, b) for b, a in pairs(back)]
