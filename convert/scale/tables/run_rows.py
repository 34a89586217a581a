"""The tables `runs` and `files`: rows of a run when it ends."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from convert.facts.figures import FileChange
from convert.facts.repeats import FileCalls
from convert.model.events import Event, Tokens
from convert.scale.stats.metrics import METRIC
from convert.scale.stats.summary import NEEDS as NEEDS
from convert.scale.stats.summary import RunSummary, summaries
from convert.scale.tables.cells import moment, run_id, text
from convert.scale.tables.schema import FileRow, RunRow
from convert.wording.paths import place_of


def run_rows(
    events: Iterable[Event], log: str, options: frozenset[str] = frozenset()
) -> Iterator[RunRow]:
    """Yield a row for each run of a log."""
    for run in summaries(events):
        yield _run_row(run, log)


def _run_row(run: RunSummary, log: str) -> RunRow:
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


_EDITED = "edited"


def file_rows(
    events: Iterable[Event], log: str, options: frozenset[str] = frozenset()
) -> Iterator[FileRow]:
    """Yield a row for each file of each run of a log."""
    for run in summaries(events):
        changes = _changes_by_path(run)
        # Some edits are in calls that are not about one file.
        for path in dict.fromkeys([*run.files, *changes]):
            if name := text(path):
                calls = run.files.get(path, FileCalls())
                yield _file_row(run, log, name, calls, changes.get(path))


def _changes_by_path(run: RunSummary) -> dict[str, FileChange]:
    """Return the changes by the paths of the calls about these files."""
    paths = {place_of(path, run.directory).key: path for path in run.files}
    return {
        paths.get(place_of(change.path, run.directory).key, change.path): change
        for change in run.figures.file_changes or ()
    }


def _file_row(
    run: RunSummary, log: str, path: str, calls: FileCalls, change: FileChange | None
) -> FileRow:
    return FileRow(
        log=log,
        run=run.number,
        run_id=run_id(log, run.number),
        agent=text(run.agent),
        agent_version=text(run.agent_version),
        model=text(run.model),
        session=text(run.session),
        path=path,
        reads=calls.reads,
        edits=calls.edits,
        failed_edits=calls.failed_edits,
        first_call=calls.first,
        last_call=calls.last,
        change=(change.status or _EDITED) if change else None,
        lines_added=change.added if change else None,
        lines_removed=change.removed if change else None,
    )
