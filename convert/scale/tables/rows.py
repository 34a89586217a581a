"""The rows of the tables `runs`, `calls` and `files`.

A run has its rows when it ends. A row of `calls` is made as soon as its call ends; that
of a subagent's call waits for the call that started the subagent.
"""

from __future__ import annotations

import datetime
from collections.abc import Callable, Iterable, Iterator
from operator import attrgetter
from typing import Any, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from convert.errors import Warn
from convert.facts import by_parent
from convert.facts.failed_calls import FAILED, exit_code_of, judge
from convert.facts.repeats import FileCalls, path_of
from convert.model.events import (
    UNFINISHED,
    CallDetail,
    End,
    Event,
    Needs,
    Start,
    Tokens,
    ToolCall,
)
from convert.model.json_lines import json_text
from convert.scale.stats.metrics import METRIC
from convert.scale.stats.summary import NEEDS, RunSummary, summaries
from convert.scale.tables.schema import (
    CallRow,
    FileRow,
    FindingRow,
    RunRow,
    every_column,
)
from convert.tools.subjects import readable_subject, subject_of
from convert.tools.table import full_name, short_name, tool_of
from convert.wording.escapes import show_controls
from convert.wording.paths import place_of, spelled

R = TypeVar("R", RunRow, CallRow, FileRow, FindingRow)

_BEYOND = 1 << 63
_EPOCH = datetime.datetime(1970, 1, 1, tzinfo=datetime.UTC)


class Wanted(Struct, frozen=True):
    """A table that is wanted, with the columns that options add."""

    table: str
    options: frozenset[str] = frozenset()

    @property
    def needs(self) -> Needs:
        """The parts of a log that the table is made of."""
        return _MAKERS[self.table][0]

    def rows(self, events: Iterable[Event], log: str, warn: Warn) -> Iterator[Any]:
        """Yield the rows of a log; `log` is its name in them."""
        make = _MAKERS[self.table][1]
        return fitting(make(events, log, self.options), self.table, warn)


def fitting(rows: Iterable[R], table: str, warn: Warn) -> Iterator[R]:
    """Yield rows; a number that needs more than 64 bits becomes an empty cell."""
    names = [each.column for each in every_column(table) if each.type == "integer"]
    values = attrgetter(*names)
    for row in rows:
        beyond = [
            name
            for name, number in zip(names, values(row), strict=True)
            if number is not None and not -_BEYOND <= number < _BEYOND
        ]
        for name in beyond:
            warn(None, f"{name} needs more than 64 bits", "left empty")
        yield replace(row, **dict.fromkeys(beyond)) if beyond else row


def text(value: str) -> str | None:
    """Return a text with signs for its control characters; None for an empty one."""
    if not value.isprintable():
        value = show_controls(value)
    return value or None


def log_name(path: str) -> str:
    """Return the path of a log as rows name it."""
    return "<stdin>" if path == "-" else spelled(path)


def run_id(log: str, run: int) -> str:
    """Return the id of a run, by which rows of several tables are joined."""
    return f"{log}#{run}"


def call_id(run: str, place: Iterable[int | str]) -> str:
    """Return the id of a call of the run with an id: `…/5.2` is a step of call 5."""
    return f"{run}/{'.'.join(map(str, place))}"


def moment(milliseconds: int | None) -> datetime.datetime | None:
    """Return a time; None if it is not recorded or is not in the years 1 to 9999."""
    if milliseconds is None:
        return None
    try:
        return _EPOCH + datetime.timedelta(milliseconds=milliseconds)
    except OverflowError:
        return None


def run_rows(
    events: Iterable[Event], log: str, options: frozenset[str] = frozenset()
) -> Iterator[RunRow]:
    """Yield a row for each run of a log."""
    return (_run_row(run, log) for run in summaries(events))


def _run_row(run: RunSummary, log: str) -> RunRow:
    figures, spent = run.figures, run.spent
    tokens = figures.tokens or Tokens()
    return RunRow(
        **_shared_columns(run, log),
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


def file_rows(
    events: Iterable[Event], log: str, options: frozenset[str] = frozenset()
) -> Iterator[FileRow]:
    """Yield a row for each file of each run of a log."""
    for run in summaries(events):
        shared = _shared_columns(run, log)
        paths = {place_of(path, run.directory).key: path for path in run.files}
        changes = {
            paths.get(place_of(change.path, run.directory).key, change.path): change
            for change in run.figures.file_changes or ()
        }
        # Some edits are in calls that are not about one file.
        for path in dict.fromkeys([*run.files, *changes]):
            calls, change = run.files.get(path, FileCalls()), changes.get(path)
            if name := text(path):
                yield FileRow(
                    **shared,
                    path=name,
                    reads=calls.reads,
                    edits=calls.edits,
                    failed_edits=calls.failed_edits,
                    first_call=calls.first,
                    last_call=calls.last,
                    change=(change.status or "edited") if change else None,
                    lines_added=change.added if change else None,
                    lines_removed=change.removed if change else None,
                )


def _shared_columns(run: RunSummary, log: str) -> dict[str, Any]:
    """Return the columns of `RowOfRun`."""
    return {
        "log": log,
        "run": run.number,
        "run_id": run_id(log, run.number),
        "agent": text(run.agent),
        "agent_version": text(run.agent_version),
        "model": text(run.model),
        "session": text(run.session),
    }


def call_rows(
    events: Iterable[Event], log: str, options: frozenset[str] = frozenset()
) -> Iterator[CallRow]:
    """Yield a row for each call of a log; `options` add columns, as `--outputs`."""
    runs: dict[int, _Run] = {}
    for event in by_parent(events):
        match event:
            case Start():
                runs[event.run] = _Run(event, log, options)
            case ToolCall(is_repeated=True):
                # A row has the first outcome of its call; `runs` counts the last.
                continue
            case ToolCall():
                yield from runs[event.run].rows(event)
            case End():
                runs.pop(event.run, None)


class _Run:
    """The rows of one run."""

    def __init__(self, start: Start, log: str, options: frozenset[str]) -> None:
        self._directory = start.directory
        self._began = start.started_ms
        self._has_arguments = "--arguments" in options
        self._has_output = "--outputs" in options
        self._id = run_id(log, start.run)
        agent = "" if start.level == "text" else start.agent
        self._shared = _shared_columns(
            RunSummary(
                number=start.run,
                agent=agent,
                agent_version=start.agent_version,
                model=start.model,
                session=start.session,
            ),
            log,
        )
        # The paths of the files by the keys of their places.
        self._paths: dict[str, str] = {}

    def rows(self, call: ToolCall) -> Iterator[CallRow]:
        """Yield the rows of a call that has ended: its own, and those of its steps."""
        if call.outcome is not None:
            yield self._row(call, call.place, call.around)
            yield from self._steps(call, call.place)

    def _steps(self, call: ToolCall, around: tuple[int, ...]) -> Iterator[CallRow]:
        for step in call.steps or ():
            if isinstance(step, ToolCall):
                place = (*around, step.number)
                yield self._row(step, place, around, call.id)
                yield from self._steps(step, place)

    def _row(
        self,
        call: ToolCall,
        place: tuple[int, ...],
        around: tuple[int, ...],
        parent: str = "",
    ) -> CallRow:
        outcome = call.outcome or UNFINISHED
        subject = subject_of(call.kind, call.arguments or {}, self._directory)
        subject = readable_subject(call.kind, subject, self._directory)
        found = judge(call)
        return CallRow(
            **self._shared,
            call_id=call_id(self._id, place),
            call=place[0],
            step=place[-1] if len(place) > 1 else None,
            parent_call_id=call_id(self._id, around) if around else None,
            line=call.started_line or None,
            ended_line=None if outcome.status == "unfinished" else call.line or None,
            id=text(call.id),
            parent_id=text(call.parent or parent),
            response_id=text(call.response_id),
            tool=short_name(full_name(call)),
            native=text(call.native),
            activity=tool_of(call.kind).lane,
            subject=text(subject.line or call.about),
            path=text(self._path_of(call)),
            outcome=outcome.status,
            is_failure=found.failure in FAILED,
            exit_code=exit_code_of(call),
            signal=text(outcome.signal),
            error=text(outcome.arm),
            message=text(outcome.message),
            started=moment(call.started_ms),
            since_start_ms=self._since_start(call),
            duration_ms=call.duration_ms,
            ended=moment(_ended(call)),
            longest_ms=call.longest_ms,
            arguments=_json(call.arguments) if self._has_arguments else None,
            output=_json(call.output) if self._has_output else None,
        )

    def _path_of(self, call: ToolCall) -> str:
        """Return the path of the file of a call as in the table `files`."""
        path = path_of(call, self._directory)
        if not path:
            return ""
        return self._paths.setdefault(place_of(path, self._directory).key, path)

    def _since_start(self, call: ToolCall) -> int | None:
        """Return the difference of the times, below 0 if the clock was set back."""
        if call.started_ms is None or self._began is None:
            return call.since_start_ms
        return call.started_ms - self._began


def _json(value: Any) -> str | None:
    return None if value is None else json_text(value)


def _ended(call: ToolCall) -> int | None:
    """Return when a call ended, in milliseconds; None if it is not recorded."""
    if call.started_ms is None or call.duration_ms is None:
        return call.ended_ms
    return call.started_ms + call.duration_ms


# The parts of a log that each table is made of, and the function that makes its rows.
_MAKERS: dict[str, tuple[Needs, Callable[..., Iterator[Any]]]] = {
    "runs": (NEEDS, run_rows),
    "calls": (Needs(calls=CallDetail.EVERYTHING, figures=True), call_rows),
    "files": (NEEDS, file_rows),
}
OF_LOGS = tuple(_MAKERS)
"""The tables that are made of any number of logs."""
