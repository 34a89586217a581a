"""Two texts in the columns that there are for both."""

from __future__ import annotations

from convert.diff.reports.wordings import first_difference
from convert.wording.columns import columns, fitted

# The most characters shown before the place from which on two texts differ.
_BEFORE = 8


def shared(old: str, new: str, most: int) -> tuple[str, str]:
    """Return two texts in the columns for both; one uses what the other leaves.

    Long ones begin shortly before they begin to differ.
    """
    if columns(old) + columns(new) <= most:
        return old, new
    begin = first_difference(old, new) - min(_BEFORE, most // 6)
    if begin > 1:
        old, new = f"…{old[begin:]}", f"…{new[begin:]}"
    room, other_room = shares(columns(old), columns(new), most)
    return fitted(old, room), fitted(new, other_room)


def shares(one: int, other: int, most: int) -> tuple[int, int]:
    """Divide columns between two texts; one may use what the other leaves."""
    half = most // 2
    return min(one, max(half, most - other)), min(other, max(half, most - one))
