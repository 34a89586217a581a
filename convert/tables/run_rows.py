"""The table `runs`: a row for each run when it ends, with the figures of `stats`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from convert.model.events import Event, Tokens
from convert.stats.metrics import METRIC
from convert.stats.summary import NEEDS as NEEDS
from convert.stats.summary import RunSummary, summaries
from convert.tables.cells import moment, run_id, text
from convert.tables.rows import RunRow


def rows(
    events: Iterable[Event], log: str, options: frozenset[str] = frozenset()
) -> Iterator[RunRow]:
    """Yield a row for each run of a log."""
    for run in summaries(events):
        yield _row(run, log)


def _row(run: RunSummary, log: str) -> RunRow:
    figures, spent = run.figures, run.spent
    tokens = figures.tokens or Tokens()
    return RunRow(
        log=log,
        run=run.number,
        run_id=run_id(log, run.number),
        agent=text(run.agent),
        agent_version=text(run.agent_version),
        model=text(run.model),
        session=text(run.session),
        title=text(run.title),
        directory=text(run.directory),
        started=moment(run.started_ms),
        duration_ms=run.length,
        state=run.state,
        outcome=run.fate,
        reason=text(run.reason),
        reason_kind=run.reason_kind or None,
        is_clean=run.is_clean,
        verdict=text(run.sentence),
        calls=figures.calls,
        calls_failed=figures.failed,
        calls_hidden=figures.hidden,
        calls_rejected=figures.rejected,
        calls_unfinished=figures.unfinished,
        unresolved=figures.unresolved,
        retries=figures.retries,
        repeats=run.repeats,
        agent_ms=spent.agent,
        commands_ms=spent.commands,
        longest_pause_ms=METRIC["pause_ms"].value(run),
        parallel_ms=spent.in_parallel,
        calls_at_once=spent.at_once,
        tokens_input=tokens.input,
        tokens_output=tokens.output,
        tokens_output_is_final=None if tokens.output is None else not tokens.is_least,
        tokens_cache_read=tokens.cache_read,
        tokens_cache_write=tokens.cache_write,
        cost_usd=None if figures.cost_usd is None else float(figures.cost_usd),
        files_changed=METRIC["files"].value(run),
        lines_added=METRIC["lines_added"].value(run),
        lines_removed=METRIC["lines_removed"].value(run),
    )
