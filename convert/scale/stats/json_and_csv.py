"""json: one object on one line, for scripts. csv: one row a run.

`stats.schema.json` in this folder describes the members of the object. Members may be
added; the others keep their names and meanings while `schema` is 1. In csv, a fact that
is not recorded is an empty cell.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import msgspec

from convert.facts.rates_and_spreads import Rate
from convert.facts.run_reasons import KINDS
from convert.reports import csv_line
from convert.scale.stats.metrics import METRICS, Metric
from convert.scale.stats.reports import Look
from convert.scale.stats.statistics import Group, Statistics, ToolTotal
from convert.scale.stats.summary import FATES, RunSummary
from convert.wording.escapes import harmless_cell, repair_surrogates
from convert.wording.numbers import utc


def json_report(statistics: Statistics, look: Look) -> Iterator[str]:
    """Yield everything as one object."""
    whole = {
        "schema": 1,
        "logs": statistics.logs,
        "broken": msgspec.to_builtins(statistics.broken),
        "total": _group(statistics.total),
        "groups": [
            {"by": by, "name": group.name, **_group(group)}
            for by, groups in statistics.groups.items()
            for group in groups
        ],
        "tools": [_tool(tool) for tool in statistics.tools],
        "files": msgspec.to_builtins(statistics.files),
        "runs": [_run(run, look) for run in statistics.runs],
    }
    yield repair_surrogates(
        json.dumps(whole, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    )


def _group(group: Group) -> dict[str, Any]:
    fates = group.fates
    return {
        "runs": len(group.runs),
        "outcomes": {fate: fates.get(fate, 0) for fate in FATES},
        "reasons": {kind: group.reasons.get(kind, 0) for kind in KINDS},
        "success": _rate(group.success),
        "clean": _rate(group.clean),
        "failures": _rate(group.failures),
        "figures": {metric.name: _spread(group, metric) for metric in METRICS},
        "lower_bounds": _lower_bounds(group.runs),
    }


def _lower_bounds(runs: list[RunSummary]) -> list[str]:
    """Return the figures that are lower bounds in one of the runs."""
    return [row.name for row in METRICS if any(map(row.is_least, runs))]


def _spread(group: Group, metric: Metric) -> dict[str, Any]:
    members = msgspec.to_builtins(group.spread(metric.name))
    return {
        name: value if name == "recorded" else metric.plain(value)
        for name, value in members.items()
    }


def _rate(rate: Rate | None) -> dict[str, Any] | None:
    if rate is None:
        return None
    return {
        "hits": rate.hits,
        "of": rate.of,
        "share": round(rate.share, 6),
        "low": round(rate.low, 6),
        "high": round(rate.high, 6),
    }


def _tool(tool: ToolTotal) -> dict[str, Any]:
    return {
        "tool": tool.tool,
        "runs": tool.runs,
        "calls": tool.failures.of,
        "failures": _rate(tool.failures),
        "rejected": tool.rejected,
        "times_ms": msgspec.to_builtins(tool.times),
    }


def _run(run: RunSummary, look: Look) -> dict[str, Any]:
    pauses = run.spent.pauses
    return {
        "log": run.path,
        "name": run.name,
        "run": run.number,
        "title": run.title or None,
        "agent": run.agent or None,
        "model": run.model or None,
        "session": run.session or None,
        "started_ms": run.started_ms,
        "state": run.state,
        "outcome": run.fate,
        "reason": run.reason or None,
        "reason_kind": run.reason_kind or None,
        "verdict": run.sentence,
        "figures": {metric.name: metric.plain(metric.value(run)) for metric in METRICS},
        "lower_bounds": _lower_bounds([run]),
        "pauses_ms": None if pauses is None else [list(span) for span in pauses],
        "tools": {
            tool.tool: {
                "calls": tool.calls,
                "failed": tool.failed,
                "rejected": tool.rejected,
                "time_ms": sum(tool.times) if tool.times else None,
            }
            for tool in run.tools
        },
        "page": look.link_of(run) or None,
    }


COLUMNS = (
    *("log", "run", "outcome", "state", "agent", "model", "session", "started"),
    "title",
    *(metric.name for metric in METRICS),
    *("lower_bounds", "reason", "reason_kind"),
)


def csv_report(statistics: Statistics, look: Look) -> Iterator[str]:
    """Yield a head and a row for each run."""
    yield csv_line(COLUMNS)
    for run in statistics.runs:
        cells = [
            *(harmless_cell(run.path), run.number, run.fate, run.state or ""),
            *map(harmless_cell, (run.agent, run.model, run.session)),
            "" if run.started_ms is None else utc(run.started_ms),
            harmless_cell(run.title),
            *(metric.plain(metric.value(run)) for metric in METRICS),
            " ".join(_lower_bounds([run])),
            *(harmless_cell(run.reason), run.reason_kind),
        ]
        yield csv_line(cells)
