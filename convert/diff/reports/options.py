"""The options of a report, and the lines that it yields."""

from __future__ import annotations

from typing import Literal, NamedTuple

from msgspec import Struct

from convert.wording.escapes import safe_line

# The number of characters shown of a call or a text on a line without columns.
LONGEST = 1000
LineStyle = Literal["", "removed", "added", "changed", "moved", "head"]


class ReportLine(NamedTuple):
    """A line of a report."""

    text: str
    """The line, without a line feed."""

    style: LineStyle = ""
    """The kind of line, which decides its colour."""


class ReportOptions(Struct, frozen=True):
    """How a report looks."""

    a: str = "baseline"
    """The name of the baseline."""

    b: str = "candidate"
    """The name of the candidate."""

    is_full: bool = False
    """Nothing is folded or shortened."""

    is_verbose: bool = False
    """Equal logs are shown too, with the hits of the rules for noise."""

    width: int = 100
    """The width of the table, in columns."""

    name: str = "default"
    """The name that tells comments on one pull request apart."""

    most_bytes: int = 58_000
    """The room for a comment, of which GitHub takes 65,536 characters."""

    settings_source: str = ""
    """The file with settings that was found, not named; empty if there was none."""

    logs: tuple[str, str] = ("", "")
    """The paths of the logs, for reports of CI."""

    root: str = ""
    """The folder of the repository that holds the logs; empty for the current one."""

    path: str = ""
    """The file that the report is written to; empty for standard output."""

    links: tuple[tuple[str, str], ...] = ()
    """The links above a page, to pages next to it: their words and addresses."""


def settings_note(options: ReportOptions) -> str:
    """Return where settings came from that nobody named; nothing if from nowhere."""
    source = safe_line(options.settings_source)
    return f"settings from {source}" if source else ""
