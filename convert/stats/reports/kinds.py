"""The kinds of calls as rows, and the agent itself, which takes the other time."""

from __future__ import annotations

from msgspec import Struct

from convert.stats.metrics import METRIC
from convert.stats.quantiles import Rate
from convert.stats.statistics import Statistics

_TIME = METRIC["time_ms"]


class KindRow(Struct, frozen=True):
    """A kind of call, or the agent."""

    words: str
    failures: Rate | None
    """How many calls failed; None for the agent."""

    time: int
    times: list[str]
    """In words: all together, the median, 90 % and the longest."""

    share: float
    """The share of the times of all rows, added up."""


def kind_rows(statistics: Statistics) -> list[KindRow]:
    """Return a row for each kind of call, and at the end one for the agent."""
    total = statistics.total
    agent = total.spread("agent_ms").total
    whole = sum(tool.times.total or 0 for tool in statistics.tools) + (agent or 0)
    rows = []
    for tool in statistics.tools:
        times, time = tool.times, tool.times.total or 0
        numbers = (times.total, times.median, times.p90, times.most)
        written = [_TIME.written(number) for number in numbers]
        share = time / whole if whole else 0.0
        rows.append(KindRow(tool.words, tool.failures, time, written, share))
    if rows and agent is not None:
        # Only the longest pauses of a run are kept, so they have no median.
        longest = _TIME.written(total.spread("pause_ms").most)
        written = [_TIME.written(agent), "", "", longest]
        share = agent / whole if whole else 0.0
        rows.append(KindRow("agent", None, agent, written, share))
    return rows
