"""Diffs as edits of Cursor record them: the whole path stands after `a/` and `b/`.

`--- a//home/ada/shop/src/cart.py` tells that the path is absolute, so a comparison of
runs in two directories finds the directory in it.
"""

from __future__ import annotations

from convert.wording.hunks import hunks_of


def headers(path: str, is_new: bool = False) -> str:
    """Return the two lines that name a file above its hunks."""
    old = "/dev/null" if is_new else f"a/{path}"
    return f"--- {old}\n+++ b/{path}\n"


def unified_diff(before: str | None, after: str, path: str) -> str:
    """Diff two contents of a file; empty if they are equal, None for no file."""
    diff = "".join(map(str, hunks_of(before or "", after)))
    return diff and headers(path, before is None) + diff
