"""html: the page of a suite, in one file that needs nothing else.

suite -> page -> template -> lines

page      what the page says of the versions; cases: of each case
marks     a mark for each run, as SVG, and the same in words

The template and the style are next to those of the page of a run, in `formats/html`,
whose frame, policy and escaping this page shares.
"""

from __future__ import annotations

from collections.abc import Iterator

from convert.diff.reports.appearance import Look, ReportLine
from convert.formats.html.environment import environment, stylesheet
from convert.suite.model import Suite
from convert.suite.reports.html.page import page_of


def report(suite: Suite, look: Look) -> Iterator[ReportLine]:
    """Yield the page of a suite; it shows cases that are the same, too."""
    template = environment().get_template("suite.html.j2")
    page = page_of(suite, look)
    sheet = stylesheet("style.css", "suite.css")
    text = template.render(page=page, title=page.title, sheet=sheet)
    for line in text.removesuffix("\n").split("\n"):
        yield ReportLine(line)
