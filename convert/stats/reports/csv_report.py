"""csv: one row a run, for spreadsheets; what is not recorded is an empty cell."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator

from convert.stats.metrics import METRICS
from convert.stats.reports.look import Look
from convert.stats.reports.words import shown
from convert.stats.statistics import Statistics
from convert.stats.summary import RunSummary
from convert.wording.numbers import utc
from convert.wording.sanitise import repair_surrogates

_TEXTS = (
    *("log", "run", "outcome", "state", "agent", "model", "session", "started"),
    "title",
)
COLUMNS = (
    *_TEXTS,
    *(metric.name for metric in METRICS),
    *("lower_bounds", "reason", "reason_kind"),
)
# A spreadsheet takes a cell that begins so for a formula.
_FORMULA = ("=", "+", "-", "@")


def report(statistics: Statistics, look: Look) -> Iterator[str]:
    """Yield a head and a row for each run."""
    yield _line(COLUMNS)
    for run in statistics.runs:
        figures = [metric.plain(metric.value(run)) for metric in METRICS]
        bounds = " ".join(metric.name for metric in METRICS if metric.is_least(run))
        reason = harmless(run.reason)
        yield _line([*_texts(run), *figures, bounds, reason, run.reason_kind])


def _texts(run: RunSummary) -> Iterator[str | int]:
    yield harmless(run.path)
    yield run.number
    yield run.fate
    yield run.state or ""
    yield from map(harmless, (run.agent, run.model, run.session))
    yield "" if run.started_ms is None else utc(run.started_ms)
    yield harmless(run.title)


def harmless(text: str) -> str:
    """Return text of a log that no spreadsheet takes for a formula."""
    text = shown(repair_surrogates(text))
    return f"'{text}" if text.startswith(_FORMULA) else text


def _line(cells: object) -> str:
    line = io.StringIO()
    csv.writer(line, lineterminator="").writerow(cells)  # type: ignore[arg-type]
    return line.getvalue()
