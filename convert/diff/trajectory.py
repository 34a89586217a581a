"""A run as it is compared: its tool calls, its texts, and how it ended."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from convert.diff.approved_files import ApprovedChange
from convert.diff.batches import batches_of, ends_of
from convert.diff.call_normaliser import CallNormaliser
from convert.diff.compared_call import ComparedCall
from convert.diff.failed_calls import FailedCall, failed_calls, set_failures
from convert.diff.nested_calls import nest
from convert.diff.normalise import Normaliser
from convert.diff.value_places import Place
from convert.diff.values import Value
from convert.facts.calls_by_parent import CallsByParent
from convert.facts.figures import Figures, RunFigures, run_figures_of
from convert.facts.net_changes import NetChange, NetChanges
from convert.facts.retries import count_retries
from convert.facts.run_length import run_length
from convert.model.events import Approved, End, EndOfLog, Event, Level, Start, ToolCall
from convert.model.run import Run, fold
from convert.options.settings import Settings
from convert.tools.every_tool import PROCESSES


class Trajectory(Struct):
    """A run as it is compared."""

    run: Run
    """The run itself; its own calls are not used, and are missing if a log was read."""

    level: Level
    """How much of the run its format records."""

    normaliser: Normaliser
    """The rules for the strings of this run."""

    figures: Figures
    """The figures of the run, without those of calls below the level `calls`."""

    net_changes: Iterable[NetChange | ApprovedChange]
    """The changes of the run to files in the end."""

    calls: list[ComparedCall] = []
    """The calls of the run itself, in the order in which they started."""

    ended: list[ComparedCall] = []
    """The calls of the run and those inside them, in the order in which they ended."""

    failures: list[FailedCall] = []
    """The failures, those of calls inside others included, in their order."""

    own_ids: set[str] = set()
    """The ids of the session, the calls and the processes, as they are recorded."""

    clock: tuple[int, int] | None = None
    """The times of the first and the last event in milliseconds since 1970.

    None if the log records no times.
    """

    has_named_directory: bool = False
    """The user named the directory of the run, and its log records none."""

    lent_directory: str = ""
    """The directory of another run, if paths of this one are relative to that."""

    length: int | None = None
    """How long the run took, in milliseconds; None if the log does not record it."""

    found_arguments: set[str] = set()
    """The settings that name an argument of some call."""

    made: dict[Value, Place | None] | None = None
    """The values for which marks stand, and where they were seen first.

    None for the trajectory of a log, whose values stand for themselves.
    """

    system_marks: frozenset[str] = frozenset()
    """The marks in the paths of its files for what the system made."""

    approved: Approved | None = None
    """The run as it was approved; None if a log was read."""

    marks: dict[Value, str] = {}
    """The numbered marks of what the system made, where there are several."""

    @property
    def all_calls(self) -> Iterator[ComparedCall]:
        """The calls of the run and all calls inside them."""
        return with_inner(self.calls)

    @property
    def is_failure_message(self) -> bool:
        """The log is text that holds only a message that the agent could not run."""
        is_failed = self.level == "text" and self.run.state == "error"
        return is_failed and not self.calls and self.run.text is None


def with_inner(calls: list[ComparedCall]) -> Iterator[ComparedCall]:
    """Yield calls, each followed by those made inside."""
    for call in calls:
        yield call
        if call.children:
            yield from with_inner(call.children)


def collect(events: Iterable[Event], settings: Settings) -> Iterator[Trajectory]:
    """Fold events into trajectories, each yielded when its run ends.

    Calls are not kept as events, so that their outputs may take less memory.
    """
    open_runs: dict[int, _TrajectoryBuilder] = {}
    for event in events:
        if isinstance(event, EndOfLog):
            continue
        if event.run not in open_runs:
            open_runs[event.run] = _TrajectoryBuilder(event, settings)
        open_runs[event.run].add(event)
        if isinstance(event, End):
            yield open_runs.pop(event.run).trajectory()


def trajectory_of(run: Run, settings: Settings) -> Trajectory:
    """Return the trajectory of a run that was read with everything."""
    if run.approved is not None:
        return _of_approved(run, run.approved, settings)
    calls = _Calls(CallNormaliser(settings, run.directory))
    ended = sorted(
        zip(run.calls, run.call_places, strict=True), key=lambda c: c[1].ended
    )
    for call, place in ended:
        calls.add(call, place.started, place.ended)
    figures = run_figures_of(run)
    length = run_length(run, figures.figures.duration_ms)
    return calls.trajectory(run, figures, figures.changed_files.net, length)


def _of_approved(run: Run, approved: Approved, settings: Settings) -> Trajectory:
    # Most comparisons are of two logs.
    from convert.diff.approved_run import trajectory

    return trajectory(run, approved, settings)


class _TrajectoryBuilder:
    """Folds the events of one run into its trajectory."""

    def __init__(self, event: Event, settings: Settings) -> None:
        directory = event.directory if isinstance(event, Start) else ""
        self._calls = _Calls(CallNormaliser(settings, directory))
        self._run = Run(number=event.run)
        self._figures = RunFigures()
        self._by_parent = CallsByParent()
        self._count = 0
        # The places where the open calls started, by their numbers.
        self._starts: dict[int, int] = {}
        # The call that started last.
        self._last_number = 0
        self._end: End | None = None
        self._settings = settings
        self._approved: Approved | None = None

    def add(self, event: Event) -> None:
        """Add the next event of the run."""
        self._count += 1
        if isinstance(event, ToolCall):
            for call in self._by_parent.add(event):
                self._figures.add(call)
        else:
            if isinstance(event, End):
                for call in self._by_parent.rest():
                    self._figures.add(call)
            self._figures.add(event)
        if isinstance(event, End):
            self._end = event
        elif isinstance(event, Approved):
            self._approved = event
        if not isinstance(event, ToolCall):
            fold(self._run, event)
            return
        if event.number > self._last_number:
            self._last_number = event.number
            self._starts[event.number] = self._count
        if event.is_repeated:
            self._calls.update(event)
        elif event.outcome is not None:
            started = self._starts.pop(event.number, self._count)
            self._calls.add(event, started, self._count)

    def trajectory(self) -> Trajectory:
        """Return the trajectory of the run, which has ended."""
        if self._approved is not None:
            return _of_approved(self._run, self._approved, self._settings)
        net_changes = self._figures.changed_files.net
        duration = self._figures.figures.duration_ms
        length = run_length(self._end, duration) if self._end else None
        return self._calls.trajectory(self._run, self._figures, net_changes, length)


class _Calls:
    """The calls of one run that have ended."""

    def __init__(self, normaliser: CallNormaliser) -> None:
        self._normaliser = normaliser
        self._ended: list[ComparedCall] = []
        # By the number of the call in its run.
        self._calls: dict[int, ComparedCall] = {}
        self._parents: dict[int, str] = {}
        self._ids: dict[str, int] = {}
        self._own_ids: set[str] = set()
        # The time at which the first call started and the last one ended.
        self._clock: tuple[int, int] | None = None

    def add(self, call: ToolCall, started: int, ended: int) -> None:
        """Add a call that has ended, with its places among the events of the run."""
        compared = self._normaliser.compared(call, started, ended)
        self._calls[call.number] = compared
        self._ended.append(compared)
        if call.id:
            self._ids[call.id] = call.number
        if call.parent:
            self._parents[call.number] = call.parent
        self._own_ids.add(call.id)
        self._own_ids.add(call.response_id)
        self._own_ids.update(_processes(call.output))
        if call.started_ms is not None:
            begin, end = self._clock or (call.started_ms, call.started_ms)
            ended_ms = call.started_ms + (call.duration_ms or 0)
            self._clock = min(begin, call.started_ms), max(end, ended_ms)

    def update(self, call: ToolCall) -> None:
        """Add what a repeated event records of a call that has ended."""
        self._normaliser.update(self._calls[call.number], call)

    def trajectory(
        self,
        run: Run,
        folded: RunFigures,
        net_changes: NetChanges,
        length: int | None,
    ) -> Trajectory:
        """Return the trajectory of the run."""
        calls = nest(self._calls, self._ids, self._parents)
        set_failures(calls, folded)
        failures = list(failed_calls(calls, folded))
        figures = folded.figures
        if run.level == "calls":
            figures = replace(figures, retries=retries_of(calls))
        return Trajectory(
            run=run,
            level=run.level,
            normaliser=self._normaliser.string_rules,
            figures=figures,
            net_changes=net_changes,
            calls=calls,
            ended=self._ended,
            failures=failures if run.level == "calls" else [],
            own_ids={run.session, *self._own_ids},
            clock=self._clock_of(run),
            length=length,
            found_arguments=self._normaliser.found_arguments,
        )

    def _clock_of(self, run: Run) -> tuple[int, int] | None:
        """Return the times of the first and the last event of the run."""
        duration = run.result.duration_ms if run.result else None
        if self._clock is None or duration is None:
            return self._clock
        begin, end = self._clock
        return min(begin, end - duration), max(end, begin + duration)


def _processes(output: Any) -> Iterator[str]:
    """Yield the numbers of the processes that a call started."""
    for name in PROCESSES if isinstance(output, dict) else ():
        if isinstance(output.get(name), int) and output[name]:
            yield str(output[name])


def retries_of(calls: list[ComparedCall]) -> int:
    """Count the retries among calls, and among those made inside each of them.

    Calls made at once have no order: one that ended well is a retry of one that failed.
    """
    tries = (
        (calls[place].retry_key, calls[place].outcome == "ok")
        for batch in batches_of(ends_of(calls, "partial"))
        for place in sorted(batch, key=lambda place: calls[place].outcome == "ok")
    )
    own = count_retries(tries)
    return own + sum(retries_of(call.children) for call in calls)
