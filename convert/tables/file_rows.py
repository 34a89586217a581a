"""The table `files`: a row for each file that a run read or changed, when it ends."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from convert.facts.figures import FileChange
from convert.facts.read_and_edited import FileCalls
from convert.model.events import Event
from convert.stats.summary import NEEDS as NEEDS
from convert.stats.summary import RunSummary, summaries
from convert.tables.cells import run_id, text
from convert.tables.rows import FileRow
from convert.wording.paths import place_of

_EDITED = "edited"


def rows(
    events: Iterable[Event], log: str, options: frozenset[str] = frozenset()
) -> Iterator[FileRow]:
    """Yield a row for each file of each run of a log."""
    for run in summaries(events):
        changes = _changes_by_path(run)
        # Some edits are in calls that are not about one file.
        for path in dict.fromkeys([*run.files, *changes]):
            if name := text(path):
                calls = run.files.get(path, FileCalls())
                yield _row(run, log, name, calls, changes.get(path))


def _changes_by_path(run: RunSummary) -> dict[str, FileChange]:
    """Return the changes by the paths of the calls about these files."""
    paths = {place_of(path, run.directory).key: path for path in run.files}
    return {
        paths.get(place_of(change.path, run.directory).key, change.path): change
        for change in run.figures.file_changes or ()
    }


def _row(
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
