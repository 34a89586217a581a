"""html: the page of many runs, in one file that needs nothing else."""

from __future__ import annotations

from collections.abc import Iterator

from convert.stats.reports.look import Look
from convert.stats.statistics import Statistics


def report(statistics: Statistics, look: Look) -> Iterator[str]:
    """Yield the page."""
    from convert.formats.html.stats_page import stats_page

    yield stats_page(statistics, look).rstrip("\n")
