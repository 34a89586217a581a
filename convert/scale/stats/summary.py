"""One run in figures, small enough to hold those of thousands: a fold over events."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from convert.facts.changed_files import file_changes_in
from convert.facts.failed_calls import COMMAND, FAILED, Place, command_of
from convert.facts.figures import Figures, run_length
from convert.facts.repeats import FileCalls, ReadAndEdited, SameCalls
from convert.facts.run_figures import RunFigures
from convert.facts.run_reasons import OUTSIDE, reason_in_words
from convert.facts.subagents import CallsByParent
from convert.facts.time_spent import (
    Span,
    TimedCall,
    TimeSpent,
    clock_of,
    joined_spans,
    moments_of,
    span_of,
    time_spent,
)
from convert.facts.verdict import title_of, verdict
from convert.model.events import (
    UNFINISHED,
    CallDetail,
    End,
    EndOfLog,
    Event,
    Needs,
    Outcome,
    Prompt,
    ReasonKind,
    Start,
    State,
    ToolCall,
)
from convert.tools.table import full_name, short_name, tool_of
from convert.wording.escapes import one_line, strip_controls, truncate

# In characters.
_LONGEST_COMMAND = 200
# A strip has so many places; spans in one of them become one mark.
_PLACES = 300


class Strip(Struct, frozen=True, kw_only=True):
    """When calls of a run were open, in milliseconds since its start."""

    edits: list[Span] = []
    commands: list[Span] = []
    failed: list[Span] = []
    """Failed calls, of any kind."""


def strip_of(calls: Sequence[tuple[TimedCall, bool]], length: int | None) -> Strip:
    """Return the strip of a run from its calls and whether each failed.

    Nothing is on it if a call has no time.
    """
    if not (length and clock_of([call for call, _ in calls])):
        return Strip()
    spans = [
        (call.lane, has_failed, span_of(call, length)) for call, has_failed in calls
    ]
    well = [(lane, span) for lane, has_failed, span in spans if not has_failed]
    return Strip(
        edits=_marks((span for lane, span in well if lane == "edit"), length),
        commands=_marks((span for lane, span in well if lane == "run"), length),
        failed=_marks((span for _, has_failed, span in spans if has_failed), length),
    )


def _marks(spans: Iterable[Span], length: int) -> list[Span]:
    """Return spans with those joined that are in one place or in the next one."""
    place = max(length // _PLACES, 1)
    wide = joined_spans((begin, max(end, begin + place)) for begin, end in spans)
    return [(begin, min(end, length)) for begin, end in wide]


MOST_SLOW = 5
"""How many of the slowest commands are kept."""

# The figures are folded from this.
NEEDS = Needs(result=True, text=True, calls=CallDetail.EVERYTHING, figures=True)

# The outcome of a run. A quota, the network or authentication stopped a run that is
# `stopped`, which says nothing about the agent; an `unknown` outcome is not recorded.
Fate = Literal["success", "unresolved", "error", "cut", "stopped", "unknown"]
FATES: tuple[Fate, ...] = (
    *("success", "unresolved", "error", "cut"),
    *("stopped", "unknown"),
)


class ToolCalls(Struct, kw_only=True):
    """The calls of one tool."""

    tool: str
    """The name of the tool."""

    calls: int = 0
    failed: int = 0
    """The failed calls, as the figures count them."""

    rejected: int = 0
    """The refused calls."""

    times: list[int] = []
    """The durations of calls that are recorded, in milliseconds."""


class RunSummary(Struct, kw_only=True):
    """The figures of one run; None if the log does not record a figure."""

    path: str = ""
    """The path of the log, as the user named it."""

    log: str = ""
    """The short name of the log, as reports for people show it."""

    number: int
    """The number of the run in its log."""

    of_runs: int = 1
    """How many runs the log holds."""

    title: str = ""
    """The first line of the prompt; empty without a prompt."""

    agent: str = ""
    """The name of the agent; "" for a text, which any agent may have written."""

    agent_version: str = ""
    model: str = ""
    session: str = ""
    directory: str = ""
    """The directory in which the agent worked."""

    started_ms: int | None = None
    """When it began, in milliseconds since 1970."""

    state: State | None = None
    reason: str = ""
    """The reason why it ended without success, as `text` says it."""

    reason_kind: ReasonKind = ""
    """The kind of that reason."""

    fate: Fate = "unknown"
    sentence: str = ""
    """The verdict on it."""

    figures: Figures = Figures()
    length: int | None = None
    """How long it took, in milliseconds."""

    spent: TimeSpent = TimeSpent()
    repeats: int | None = None
    """The number of calls that repeat an earlier call."""

    tools: list[ToolCalls] = []
    files: dict[str, FileCalls] = {}
    """The files that it read or edited, by their paths."""

    slowest: list[tuple[int, str]] = []
    """The commands that took longest, after their times in milliseconds."""

    strip: Strip = Strip()
    """Its picture of one line."""

    @property
    def is_clean(self) -> bool | None:
        """It succeeded, and nothing stays unresolved.

        None if its end or its failures are not recorded, or if it was stopped.
        """
        if self.fate in ("stopped", "unknown") or self.figures.unresolved is None:
            return None
        return self.fate == "success"

    @property
    def name(self) -> str:
        """The name of the log, with the number of the run if it holds several."""
        return f"{self.log} #{self.number}" if self.of_runs > 1 else self.log


def of_log(runs: list[RunSummary], path: str, log: str) -> list[RunSummary]:
    """Return the runs of one log, with its path and its short name."""
    for run in runs:
        run.path, run.log, run.of_runs = path, log, len(runs)
    return runs


def summaries(events: Iterable[Event]) -> Iterator[RunSummary]:
    """Yield the figures of each run when it ends."""
    folds = Folds()
    for event in events:
        folds.add(event)
        if isinstance(event, End):
            yield from folds.take()


class Folds:
    """Folds the events of a log into the figures of its runs."""

    def __init__(self) -> None:
        self._open: dict[int, _Fold] = {}
        self._ended: list[RunSummary] = []

    def add(self, event: Event) -> None:
        """Add an event of any run."""
        if isinstance(event, EndOfLog):
            return
        fold = self._open.get(event.run)
        if fold is None:
            fold = self._open[event.run] = _Fold(event.run)
        fold.add(event)
        if isinstance(event, End):
            self._ended.append(self._open.pop(event.run).summary(event))

    def take(self) -> list[RunSummary]:
        """Return the runs that have ended since the last time."""
        ended, self._ended = self._ended, []
        return ended


class _Fold:
    """Folds the events of one run into its figures."""

    def __init__(self, number: int) -> None:
        self._start = Start(run=number, line=1)
        self._figures = RunFigures()
        self._same = SameCalls()
        self._files = ReadAndEdited()
        self._by_parent = CallsByParent()
        self._timed: dict[tuple[int, ...], tuple[TimedCall, bool]] = {}
        self._times: dict[str, list[int]] = {}
        self._slowest: list[tuple[int, str]] = []
        self._prompts: list[str] = []

    def add(self, event: Event) -> None:
        """Add an event of the run."""
        match event:
            case ToolCall():
                for call in self._by_parent.add(event):
                    self._add_call(call)
                return
            case End():
                for call in self._by_parent.rest():
                    self._add_call(call)
            case Start():
                self._start = event
                self._files = ReadAndEdited(event.directory)
            case Prompt() if not self._prompts:
                text = strip_controls(event.text).strip()
                self._prompts += [text] if text else []
        self._figures.add(event)

    def _add_call(self, call: ToolCall) -> None:
        # The last line about a call has its outcome.
        self._figures.add(call)
        if call.outcome is not None and not call.is_repeated:
            self._files.add(call)
            self._add_times(call, call.place, call.outcome)

    def _add_times(self, call: ToolCall, place: Place, outcome: Outcome) -> None:
        """Add how long a call took, and those inside it that are calls in the log."""
        self._same.add(call, place)
        is_open = outcome.status == "unfinished"
        timed = TimedCall(tool_of(call.kind).lane, *moments_of(call), is_open)
        if (timed.started, timed.ended) != (None, None) or len(place) == 1:
            failure, _ = self._figures.class_and_hidden(place)
            self._timed[place] = timed, failure in FAILED
        if call.duration_ms is not None and outcome.status != "unfinished":
            self._times.setdefault(full_name(call), []).append(call.duration_ms)
            if call.kind == COMMAND:
                self._add_command(call, call.duration_ms)
        for step in call.steps or ():
            if isinstance(step, ToolCall) and step.parent:
                self._add_times(step, (*place, step.number), step.outcome or UNFINISHED)

    def _add_command(self, call: ToolCall, took: int) -> None:
        """Keep a command if few have taken longer."""
        is_full = len(self._slowest) == MOST_SLOW
        if is_full and took <= self._slowest[-1][0]:
            return
        if not command_of(call):
            return
        command = truncate(strip_controls(one_line(command_of(call))), _LONGEST_COMMAND)
        self._slowest.append((took, command))
        self._slowest.sort(key=lambda each: -each[0])
        del self._slowest[MOST_SLOW:]

    def summary(self, end: End) -> RunSummary:
        """Return the figures of the run, which has ended."""
        figures = self._with_changes()
        length = run_length(end, figures.duration_ms)
        timed = [self._timed[number] for number in sorted(self._timed)]
        calls = [call for call, _ in timed]
        has_arguments = figures.unresolved is not None
        reason = strip_controls(reason_in_words(end))
        return RunSummary(
            number=end.run,
            title=title_of(self._prompts),
            agent="" if self._start.level == "text" else self._start.agent,
            agent_version=self._start.agent_version,
            model=self._start.model,
            session=self._start.session,
            directory=self._start.directory,
            started_ms=end.started_ms,
            state=end.state,
            reason=reason,
            reason_kind=end.reason_kind,
            fate=_fate(end, figures),
            sentence=verdict(end, self._figures, reason).sentence,
            figures=figures,
            length=length,
            spent=time_spent(calls, length),
            repeats=self._same.repeats if has_arguments else None,
            tools=[] if figures.calls is None else self._tools(),
            files=self._files.files,
            slowest=self._slowest,
            strip=strip_of(timed, length),
        )

    def _with_changes(self) -> Figures:
        """Return the figures, with the retries and the files that differ in the end."""
        figures = self._figures.figures
        if figures.unresolved is None:
            return figures
        changes = file_changes_in(self._figures.changed_files.net)
        return replace(figures, retries=self._same.retries, file_changes=changes)

    def _tools(self) -> list[ToolCalls]:
        """Return the calls of each tool, those of subagents included."""
        tools: dict[str, ToolCalls] = {}
        failed = self._figures.failed_by_tool
        for (name, status), calls in self._figures.outcomes_by_tool.items():
            tool = tools.get(name)
            if tool is None:
                times = self._times.get(name, [])
                tool = tools[name] = ToolCalls(
                    tool=short_name(name), times=times, failed=failed[name]
                )
            tool.calls += calls
            tool.rejected += calls if status == "rejected" else 0
        return [*tools.values()]


def _fate(end: End, figures: Figures) -> Fate:
    if end.reason_kind in OUTSIDE:
        return "stopped"
    match end.state:
        case None:
            return "unknown"
        case "success":
            return "unresolved" if figures.unresolved else "success"
        case "error":
            return "error"
        case _:
            return "cut"
