"""The colours of a report."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from convert.diff.reports.appearance import LineStyle, ReportLine

Paint = Callable[["ReportLine"], str]

_FORCED = ("CLICOLOR_FORCE", "FORCE_COLOR")
# The colours of `git diff`.
_CODES: Mapping[LineStyle, str] = {
    "removed": "31",
    "added": "32",
    "changed": "33",
    "moved": "36",
    "head": "1",
}


def painter(choice: str, is_plain: bool) -> Paint:
    """Return the function that colours a line; `is_plain` for what programs read.

    For `auto`, NO_COLOR, CLICOLOR_FORCE and FORCE_COLOR decide in this order, and
    without them, whether standard output is a terminal.
    """
    is_coloured = choice == "always" or (choice == "auto" and _is_wanted())
    return _coloured if is_coloured and not is_plain else lambda line: line.text


def _is_wanted() -> bool:
    setting = os.environ.get
    if setting("NO_COLOR"):
        return False
    if any(setting(name, "0") not in ("", "0") for name in _FORCED):
        return True
    return os.isatty(1) and setting("TERM") != "dumb"


def _coloured(line: ReportLine) -> str:
    code = _CODES.get(line.style)
    return f"\x1b[{code}m{line.text}\x1b[0m" if code and line.text else line.text
