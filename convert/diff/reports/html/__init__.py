"""html: a page to look at, in one file that needs nothing else.

comparison -> pages of pairs -> templates -> lines

page          what the page says of two logs, and of each pair of runs
sentence      the verdict, in one sentence
facts         the figures of both runs, side by side
listed        the findings that stand above the rows
new_failures  the failures among the calls that B alone made
rows          the calls side by side
printed       what failed calls printed
marked        what changed inside a call, with marks
joined        the picture of both runs
files         the files in the end
unresolved    the failures of both runs that stay
answers       the final texts, side by side

The templates and the style are beside those of the page of a run, in `formats/html`,
whose frame, policy and escaping this page shares.
"""

from __future__ import annotations

from collections.abc import Iterator

from convert.diff.comparison import Comparison
from convert.diff.reports.appearance import Look, ReportLine
from convert.diff.reports.html.page import page_of
from convert.formats.html.environment import environment, stylesheet


def report(compared: Comparison, look: Look) -> Iterator[ReportLine]:
    """Yield the page of a comparison; it shows logs that are the same, too."""
    template = environment().get_template("comparison.html.j2")
    page = page_of(compared, look)
    sheet = stylesheet("style.css", "comparison.css")
    text = template.render(page=page, title=page.title, sheet=sheet)
    for line in text.removesuffix("\n").split("\n"):
        yield ReportLine(line)
