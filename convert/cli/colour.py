"""The colours of a report."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from convert.cli.terminal import is_coloured
from convert.wording.colours import Colour, painted

if TYPE_CHECKING:
    from convert.diff.reports.appearance import LineStyle, ReportLine
    from convert.stats.reports.look import Style

Paint = Callable[["ReportLine"], str]

# The colours of `git diff`.
_COLOURS: Mapping[LineStyle, Colour] = {
    "removed": "red",
    "added": "green",
    "changed": "yellow",
    "moved": "cyan",
    "head": "bold",
}


def painter(choice: str, is_plain: bool) -> Paint:
    """Return the function that colours a line; `is_plain` for what programs read."""
    is_wanted = not is_plain and is_coloured(choice, 1)
    return _coloured if is_wanted else lambda line: line.text


def style_painter(choice: str, is_plain: bool) -> Callable[[str, Style], str]:
    """Return the function that colours a part of a line; likewise."""
    is_wanted = not is_plain and is_coloured(choice, 1)
    return _styled if is_wanted else lambda text, style: text


def _styled(text: str, style: Style) -> str:
    return painted(text, style) if style else text


def _coloured(line: ReportLine) -> str:
    colour = _COLOURS.get(line.style)
    return painted(line.text, colour) if colour else line.text
