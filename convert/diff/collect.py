"""Folding the events of runs into trajectories."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator
from typing import Any

from msgspec.structs import replace

from convert.diff.calls.arguments import ArgumentRules
from convert.diff.calls.outputs import (
    digest,
    kept_output,
    printed_in,
    processes_in,
)
from convert.diff.calls.recorded_call import (
    NEVER,
    Forms,
    RecordedCall,
    command_in,
    effect_form,
    fragment_form,
    nest,
)
from convert.diff.calls.trajectory import (
    Trajectory,
    retries_of,
    set_failures,
)
from convert.diff.noise import Normaliser
from convert.facts.edits import EDITING, FileEdit, are_changes, edits_of
from convert.facts.figures import run_length
from convert.facts.run_figures import RunFigures, figures_of_run
from convert.facts.subagents import CallsByParent
from convert.model.events import (
    UNFINISHED,
    End,
    EndOfLog,
    Event,
    Outcome,
    Start,
    ToolCall,
)
from convert.model.run import Run, fold
from convert.options.settings import Settings
from convert.tools.phrases_and_outcomes import outcome_name
from convert.tools.table import full_name, tool_of
from convert.wording import compiled


def collect(events: Iterable[Event], settings: Settings) -> Iterator[Trajectory]:
    """Fold events into trajectories, each yielded when its run ends.

    Calls are not kept as events, so that their outputs take less memory.
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
    calls = _Calls(settings, run.directory)
    ended = sorted(
        zip(run.calls, run.call_places, strict=True), key=lambda c: c[1].ended
    )
    for call, place in ended:
        calls.add(call, place.started, place.ended)
    return calls.trajectory(run, figures_of_run(run))


class _TrajectoryBuilder:
    """Folds the events of one run into its trajectory."""

    def __init__(self, event: Event, settings: Settings) -> None:
        directory = event.directory if isinstance(event, Start) else ""
        self._calls = _Calls(settings, directory)
        self._run = Run(number=event.run)
        self._figures = RunFigures()
        self._by_parent = CallsByParent()
        self._count = 0
        # The places where the open calls started, by their numbers.
        self._starts: dict[int, int] = {}
        # The call that started last.
        self._last_number = 0

    def add(self, event: Event) -> None:
        """Add the next event of the run."""
        self._count += 1
        if not isinstance(event, ToolCall):
            for call in self._by_parent.rest() if isinstance(event, End) else ():
                self._figures.add(call)
            self._figures.add(event)
            fold(self._run, event)
            return
        for call in self._by_parent.add(event):
            self._figures.add(call)
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
        return self._calls.trajectory(self._run, self._figures)


# A command that prints the real path of its folder, perhaps after the other name of it.
_ASKS = (
    r"\s*(?P<first>pwd\s*(?:&&|;|\n)\s*)?"
    r"(?:pwd\s+-P|realpath\s+\.|readlink\s+-f\s+\.)\s*(?:&&|;|\n|$)"
)
_MOVES = r"\b(?:cd|pushd|popd)\b"


class _Calls:
    """The calls of one run that have ended, with the rules of the settings."""

    def __init__(self, settings: Settings, directory: str) -> None:
        self._settings = settings
        self._string_rules = Normaliser(settings, directory)
        self._rules = ArgumentRules(settings, self._string_rules)
        self._ended: list[RecordedCall] = []
        # By the number of the call in its run.
        self._calls: dict[int, RecordedCall] = {}
        self._parents: dict[int, str] = {}
        self._ids: dict[str, int] = {}
        self._own_ids: set[str] = set()
        # A command may have changed to another folder, in which later ones run.
        self._has_moved = False
        # The time at which the first call started and the last one ended.
        self._clock: tuple[int, int] | None = None

    def add(self, call: ToolCall, started: int, ended: int) -> None:
        """Add a call that has ended, with its places among the events of the run."""
        recorded = self._recorded(call, started, ended)
        if call.kind == "shell":
            self._learn_directory(recorded, call.output)
        self._calls[call.number] = recorded
        self._ended.append(recorded)
        if call.id:
            self._ids[call.id] = call.number
        if call.parent:
            self._parents[call.number] = call.parent
        self._own_ids.update((call.id, call.response_id), processes_in(call.output))
        if call.started_ms is not None:
            begin, end = self._clock or (call.started_ms, call.started_ms)
            ended_ms = call.started_ms + (call.duration_ms or 0)
            self._clock = min(begin, call.started_ms), max(end, ended_ms)

    def _learn_directory(self, recorded: RecordedCall, output: Any) -> None:
        """Take the real path of the directory from a command that asks for it."""
        command = recorded.recorded_command
        # The pattern takes long to compile, and few commands need it.
        if any(word in command for word in ("pwd", "realpath", "readlink")):
            arguments = recorded.arguments
            match = compiled(_ASKS).match(command_in(arguments))
            if match and "workingDirectory" not in arguments and not self._has_moved:
                lines = [*printed_in(output).split("\n"), ""]
                self._string_rules.directories.add_real(lines[bool(match["first"])])
        self._has_moved |= compiled(_MOVES).search(command) is not None

    def update(self, call: ToolCall) -> None:
        """Add the facts of a repeated event to a call that has ended."""
        recorded = self._calls[call.number]
        if call.outcome is not None:
            recorded.outcome = outcome_name(call.outcome)
        if call.output is not None:
            recorded.output_kept = kept_output(call, self._string_rules)
            recorded.children = self._steps(call, recorded.starts)
        if call.arguments and recorded.event:
            shown = _subject_arguments(call.kind, call.arguments)
            recorded.event.arguments = (recorded.event.arguments or {}) | shown
        self._set_arguments(recorded, call)

    def trajectory(self, run: Run, folded: RunFigures) -> Trajectory:
        """Return the trajectory of the run."""
        calls = nest(self._calls, self._ids, self._parents)
        if run.approved is not None:
            # Most comparisons are of two logs.
            from convert.diff.approved.reading import trajectory

            return trajectory(run, run.approved, self._settings, calls)
        failures = set_failures(calls, folded)
        figures = folded.figures
        if run.level == "calls":
            how = self._settings.args_for(is_across=False)
            figures = replace(figures, retries=retries_of(calls, how))
        return Trajectory(
            run=run,
            level=run.level,
            normaliser=self._string_rules,
            figures=figures,
            net_changes=folded.changed_files.net,
            calls=calls,
            ended=self._ended,
            failures=failures if run.level == "calls" else [],
            own_ids={run.session, *self._own_ids},
            clock=self._clock_of(run),
            length=run_length(run, figures.duration_ms),
            found_arguments=self._rules.found,
        )

    def _clock_of(self, run: Run) -> tuple[int, int] | None:
        """Return the times of the first and the last event of the run."""
        duration = run.result.duration_ms if run.result else None
        if self._clock is None or duration is None:
            return self._clock
        begin, end = self._clock
        return min(begin, end - duration), max(end, begin + duration)

    def _recorded(self, call: ToolCall, started: float, ended: float) -> RecordedCall:
        """Return a call that has ended, with those inside it."""
        outcome = call.outcome or UNFINISHED
        recorded = RecordedCall(
            line=call.started_line,
            ended_line=call.line,
            tool=full_name(call),
            kind=call.kind,
            outcome=outcome_name(outcome),
            starts=started,
            ends=NEVER if outcome == UNFINISHED else ended,
            step=call.response_id,
            output_kept=kept_output(call, self._string_rules),
            event=_for_action_line(call, outcome),
            id=call.id,
            children=self._steps(call, started),
        )
        self._set_arguments(recorded, call)
        return recorded

    def _steps(self, call: ToolCall, started: float) -> list[RecordedCall]:
        """Return the calls of a subagent, one after the other inside their parent."""
        if not call.steps:
            return []
        calls = [step for step in call.steps if isinstance(step, ToolCall)]
        between = 1 / (2 * len(calls) + 1)
        begins = (started + (2 * place + 1) * between for place in itertools.count())
        return [
            self._recorded(step, begin, begin + between)
            for step, begin in zip(calls, begins, strict=False)
        ]

    def _set_arguments(self, recorded: RecordedCall, call: ToolCall) -> None:
        """Set the arguments of a call, added to those of earlier events."""
        arguments, earlier = call.arguments or {}, recorded.forms
        known = earlier.fragment or earlier.usual
        passed = fragment_form(
            recorded, arguments, self._rules, known if known.kept else None
        )
        steering = self._rules.steering(recorded.kind, recorded.names, arguments)
        steering_key = digest(sorted(steering)) if steering else earlier.steering_key
        effect = None
        if recorded.outcome == "ok":
            edits = _edits(recorded, call)
            recorded.changes_files |= are_changes(edits)
            effect = effect_form(recorded, arguments, self._rules, edits)
            effect = effect or earlier.effect
        else:
            recorded.changes_files = False
        recorded.forms = Forms(
            effect or passed, effect, passed if effect else None, steering_key
        )


def _edits(recorded: RecordedCall, call: ToolCall) -> list[FileEdit]:
    """Return the changes of a call; those of a subagent are calls of its own.

    Arguments that only an earlier event records count as well.
    """
    if call.kind not in EDITING or call.steps is not None:
        return []
    known = recorded.event.arguments if recorded.event else None
    if known and not known.keys() <= (call.arguments or {}).keys():
        call = replace(call, arguments=known | (call.arguments or {}))
    return edits_of(call)


def _for_action_line(call: ToolCall, outcome: Outcome) -> ToolCall:
    """Return a call with no more than its action line shows, and its times."""
    arguments = call.arguments
    return ToolCall(
        run=call.run,
        line=call.line,
        number=call.number,
        id="",
        kind=call.kind,
        name=call.name,
        arguments=arguments and _subject_arguments(call.kind, arguments),
        outcome=outcome,
        is_new_file=call.is_new_file,
        about=call.about,
        since_start_ms=call.since_start_ms,
        duration_ms=call.duration_ms,
        ended_since_start_ms=call.ended_since_start_ms,
        longest_ms=call.longest_ms,
    )


def _subject_arguments(kind: str, arguments: dict[str, Any]) -> dict[str, Any]:
    """Return the arguments that name the subject of a call of a kind."""
    subject = tool_of(kind).subject
    names = subject.words + subject.paths if subject else ()
    return {name: arguments[name] for name in names if name in arguments}
