"""The table `calls`: a row for each call of a run when it ends, and for each step.

A row is made as soon as its call ends; that of a subagent's call waits for the call
that started the subagent.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from convert.facts import by_parent
from convert.facts.failed_calls import exit_code_of, judge
from convert.facts.repeats import path_of
from convert.model.events import UNFINISHED, End, Event, Start, ToolCall
from convert.model.json_lines import json_text
from convert.model.needs import CallDetail, Needs
from convert.scale.tables.cells import call_id, moment, run_id, text
from convert.scale.tables.schema import CallRow
from convert.tools.names import full_name, short_name
from convert.tools.subjects import readable_subject, subject_of
from convert.tools.table import tool_of
from convert.wording.paths import place_of

NEEDS = Needs(calls=CallDetail.EVERYTHING, figures=True)


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
                # A row is written when its call ends; `runs` counts how it ended last.
                continue
            case ToolCall():
                run = runs.get(event.run)
                if run is None:
                    start = Start(run=event.run, line=event.line)
                    run = runs[event.run] = _Run(start, log, options)
                yield from run.rows(event)
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
        self._log = log
        self._run = start.run
        self._agent = None if start.level == "text" else text(start.agent)
        self._version = text(start.agent_version)
        self._model = text(start.model)
        self._session = text(start.session)
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
            log=self._log,
            run=self._run,
            run_id=self._id,
            agent=self._agent,
            agent_version=self._version,
            model=self._model,
            session=self._session,
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
            is_failure=found.is_failed,
            exit_code=exit_code_of(call),
            signal=text(outcome.signal),
            error=text(outcome.arm),
            message=text(outcome.message),
            started=moment(call.started_ms),
            since_start_ms=self._since_start(call),
            duration_ms=call.duration_ms,
            ended=moment(_ended(call)),
            longest_ms=call.longest_ms,
            arguments=self._arguments(call),
            output=self._output(call),
        )

    def _path_of(self, call: ToolCall) -> str:
        """Return the path of the file of a call as the table `files` has it."""
        path = path_of(call, self._directory)
        if not path:
            return ""
        key = place_of(path, self._directory).key
        return self._paths.setdefault(key, path)

    def _since_start(self, call: ToolCall) -> int | None:
        """Return the difference of the times, below 0 if the clock was set back."""
        if call.started_ms is None or self._began is None:
            return call.since_start_ms
        return call.started_ms - self._began

    def _arguments(self, call: ToolCall) -> str | None:
        if not self._has_arguments or call.arguments is None:
            return None
        return json_text(call.arguments)

    def _output(self, call: ToolCall) -> str | None:
        if not self._has_output or call.output is None:
            return None
        return json_text(call.output)


def _ended(call: ToolCall) -> int | None:
    """Return when a call ended, in milliseconds, as far as the log says."""
    if call.started_ms is None or call.duration_ms is None:
        return call.ended_ms
    return call.started_ms + call.duration_ms
