"""How a report of many runs looks: its width, its colours, its links."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Literal

from msgspec import Struct

from convert.stats.summary import Fate, RunSummary
from convert.wording.colours import Colour

# A colour of the terminal, or how strong a text is.
Style = Literal[""] | Colour
Paint = Callable[[str, Style], str]


class Look(Struct, frozen=True, kw_only=True):
    """How a report looks."""

    width: int = 100
    """The columns of the table."""

    is_full: bool = False
    """Every row is shown."""

    paint: Paint = lambda text, style: text
    """Colours a text."""

    has_blocks: bool = True
    """Blocks and other signs than those of ASCII can be shown."""

    pages: Mapping[str, str] = {}
    """The pages of logs by their names, as addresses relative to the report."""

    def link_of(self, run: RunSummary) -> str:
        """Return the address of a run's page, relative to the report; "" for none."""
        page = self.pages.get(run.log, "")
        return f"{page}#r{run.number}-run" if page and run.of_runs > 1 else page


STYLES: Mapping[Fate, Style] = {
    "success": "blue",
    "unresolved": "cyan",
    "error": "red",
    "cut": "yellow",
    "stopped": "dim",
    "unknown": "dim",
}
