"""The colours of a report."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from convert.cli.terminal import is_coloured

if TYPE_CHECKING:
    from convert.diff.reports.appearance import LineStyle, ReportLine

Paint = Callable[["ReportLine"], str]

# The colours of `git diff`.
_CODES: Mapping[LineStyle, str] = {
    "removed": "31",
    "added": "32",
    "changed": "33",
    "moved": "36",
    "head": "1",
}


def painter(choice: str, is_plain: bool) -> Paint:
    """Return the function that colours a line; `is_plain` for what programs read."""
    is_wanted = not is_plain and is_coloured(choice, 1)
    return _coloured if is_wanted else lambda line: line.text


def _coloured(line: ReportLine) -> str:
    code = _CODES.get(line.style)
    return f"\x1b[{code}m{line.text}\x1b[0m" if code and line.text else line.text
