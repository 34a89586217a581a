"""markdown: for a comment or the summary of a job."""

from __future__ import annotations

from collections.abc import Iterator

from convert.reports.markdown import aligned_table
from convert.scale.stats.reports import (
    RATES_NOTE,
    Look,
    broken_words,
    figures_of,
    groups_of,
    headline,
    kinds_of,
    rates,
    runs_of,
    subject_of,
)
from convert.scale.stats.statistics import Statistics
from convert.wording import markdown as escape

_MOST_ROWS = 25
_OF_GROUPS = ("calls", "time_ms", "tokens_out")
_OF_RUNS = ("calls", "failed", "unresolved", "time_ms", "tokens_out")


def report(statistics: Statistics, look: Look) -> Iterator[str]:
    """Yield the sentence and the tables."""
    yield from "\n\n".join(_blocks(statistics, look)).split("\n")


def _blocks(statistics: Statistics, look: Look) -> Iterator[str]:
    yield f"**{escape.text(headline(statistics))}**"
    if words := rates(statistics.total):
        yield f"{words}."
    yield escape.without_links(subject_of(statistics))
    if broken := broken_words(statistics):
        yield escape.without_links(broken)
    if not statistics.runs:
        return
    total = statistics.total
    most = None if look.is_full else _MOST_ROWS
    yield from aligned_table(figures_of(total))
    yield from aligned_table(kinds_of(statistics), most)
    for by, groups in statistics.groups.items():
        table = groups_of(by, groups, total.metrics(_OF_GROUPS))
        yield from aligned_table(table, most)
    yield from aligned_table(runs_of(statistics, total.metrics(_OF_RUNS)), most)
    yield f"Medians are those of runs; {RATES_NOTE}."
