"""What is compared of a run: its tool calls, normalised, and how it ended.

A trajectory is a fold over the events of a run. What a call was given and gave is
kept as bytes, so that two long logs take no more memory than they do on disk.
"""

from __future__ import annotations

import marshal
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from convert.diff.arguments import ArgumentRules
from convert.diff.normalise import Normaliser
from convert.diff.outputs import digest, kept_output
from convert.facts.figures import Figures, RunFigures, without_calls
from convert.facts.retries import count_retries
from convert.model import (
    UNFINISHED,
    End,
    EndOfLog,
    Event,
    Level,
    Outcome,
    Run,
    Start,
    ToolCall,
    fold,
)
from convert.settings import Settings
from convert.tools.action_lines import action_line
from convert.tools.commands import program
from convert.tools.names import full_name, shown_name
from convert.tools.outcomes import outcome_name
from convert.tools.subjects import subject_of
from convert.tools.table import acts

# Where an open call ends: behind everything else.
_NEVER = 1 << 62
# Calls inside calls inside calls; those further in stand beside the innermost.
_DEEPEST = 50


class ActionLine(NamedTuple):
    """The line of text for a call that has ended, with what it is about and without."""

    detailed: str
    bare: str
    line: int
    tool: str
    acts: bool


class Keys(Struct, frozen=True):
    """What must be equal for two calls to be paired, from the strictest on.

    `exact` is the whole call with its outcome, `arguments` the call without it,
    `subject` what it is about, `tool` the tool, and of a command the program.
    """

    exact: bytes
    arguments: bytes
    subject: bytes
    tool: bytes


class ComparedCall(Struct):
    """A tool call as it is compared.

    `number` counts the calls of its trajectory from 1, `line` is where it started.
    `tool` is its name in full, `kind` that of the model. `starts` and `ends` count
    events; calls of one `step` were made at once. `children` are the calls that name
    it as their parent. `said` is the action line, where a text records nothing else.
    """

    line: int
    tool: str
    kind: str
    number: int = 0
    outcome: str = "ok"
    starts: int = 0
    ends: int = 0
    step: str = ""
    output_kept: bytes | None = None
    acts: bool = True
    arguments_kept: bytes = b""
    keys: Keys = Keys(b"", b"", b"", b"")
    children: list[ComparedCall] = []
    said: str = ""

    @property
    def arguments(self) -> dict[str, Any]:
        """The normalised arguments."""
        arguments: dict[str, Any] = marshal.loads(self.arguments_kept)
        return arguments

    @property
    def subject(self) -> str:
        """What the call is about, normalised, on one line."""
        return subject_of(self.kind, self.arguments).line

    @property
    def shown_tool(self) -> str:
        """The tool as people know it."""
        return shown_name(self.tool)

    @property
    def label(self) -> str:
        """The tool and what the call is about, on one line."""
        return self.said or f"{self.shown_tool} {self.subject}".rstrip()

    @property
    def names(self) -> set[str]:
        """The names by which a setting can mean the tool."""
        return {self.tool, self.tool.removeprefix("function:"), self.kind}


class Trajectory(Struct):
    """A run as it is compared.

    `run` holds all but the calls; `calls` are those of the run itself, and `final` is
    what was said behind the last of them, as segments. `ended` is what text says of
    the calls, in the order in which they ended. `figures` are without those of calls
    where the format does not record them.
    """

    level: Level
    run: Run
    normaliser: Normaliser
    calls: list[ComparedCall] = []
    final: list[str] = []
    ended: list[ActionLine] = []
    figures: Figures = Figures()

    @property
    def all_calls(self) -> Iterator[ComparedCall]:
        """The calls of the run, each followed by those made inside."""
        return _flat(self.calls)


def _flat(calls: list[ComparedCall]) -> Iterator[ComparedCall]:
    for call in calls:
        yield call
        yield from _flat(call.children)


def collect(
    events: Iterable[Event], level: Level, settings: Settings, hits: Counter[str]
) -> Iterator[Trajectory]:
    """Fold events into trajectories, each given when its run ends."""
    open_runs: dict[int, _Open] = {}
    for at, event in enumerate(events):
        if isinstance(event, EndOfLog):
            continue
        if event.run not in open_runs:
            open_runs[event.run] = _Open(event, settings, hits)
        run = open_runs[event.run]
        run.add(event, at)
        if isinstance(event, End):
            yield open_runs.pop(event.run).trajectory(level)


class _Open:
    """A run of which more is to come."""

    def __init__(self, event: Event, settings: Settings, hits: Counter[str]) -> None:
        directory = event.directory if isinstance(event, Start) else ""
        self._settings = settings
        self._normaliser = Normaliser(settings, directory, hits)
        self._rules = ArgumentRules(settings, self._normaliser)
        self._run = Run(number=event.run)
        # What is known of the calls, by their numbers, and where they started.
        self._calls: dict[int, ComparedCall] = {}
        self._starts: dict[int, int] = {}
        self._ids: dict[str, int] = {}
        self._parents: dict[int, str] = {}
        self._ended: list[ActionLine] = []
        self._said_before = 0
        self._figures = RunFigures()

    def add(self, event: Event, at: int) -> None:
        """Take an event that stands at a place in the log."""
        self._figures.add(event)
        if not isinstance(event, ToolCall):
            fold(self._run, event)
            return
        if event.number not in self._starts:
            self._starts[event.number] = at
            self._said_before = len(self._run.segments)
        if event.is_repeated:
            self._update(event)
        elif event.outcome is not None:
            self._end(event, event.outcome, at)

    def trajectory(self, level: Level) -> Trajectory:
        """The run when it has ended: its calls in the order in which they started."""
        calls = self._nested()
        figures = self._figures.figures
        if level == "calls":
            figures = replace(figures, retries=_retries(calls))
        else:
            figures = without_calls(figures)
        return Trajectory(
            level=level,
            run=self._run,
            normaliser=self._normaliser,
            calls=calls,
            final=self._run.texts[self._said_before :],
            ended=self._ended,
            figures=figures,
        )

    def _end(self, call: ToolCall, outcome: Outcome, at: int) -> None:
        ended = ComparedCall(
            line=call.started_line,
            tool=full_name(call),
            kind=call.kind,
            outcome=outcome_name(outcome),
            starts=self._starts[call.number],
            ends=_NEVER if outcome == UNFINISHED else at,
            step=call.step,
            output_kept=kept_output(call, self._normaliser),
        )
        self._calls[call.number] = ended
        self._set_arguments(ended, self._normalised(ended, call), call)
        if call.id:
            self._ids[call.id] = call.number
        if call.parent:
            self._parents[call.number] = call.parent
        self._ended.append(_action_line(call, self._run.directory))

    def _update(self, call: ToolCall) -> None:
        """Take a further frame of a call that has ended."""
        known = self._calls[call.number]
        if call.outcome is not None:
            known.outcome = outcome_name(call.outcome)
        if call.output is not None:
            known.output_kept = kept_output(call, self._normaliser)
        arguments = known.arguments | self._normalised(known, call)
        self._set_arguments(known, dict(sorted(arguments.items())), call)

    def _normalised(self, known: ComparedCall, call: ToolCall) -> dict[str, Any]:
        return self._rules.normalised(known.kind, known.names, call.arguments or {})

    def _set_arguments(
        self, call: ComparedCall, arguments: dict[str, Any], recorded: ToolCall
    ) -> None:
        call.arguments_kept = marshal.dumps(arguments, 2)
        # What a command does is told from what was run, not from placeholders.
        said = arguments | (recorded.arguments or {})
        call.acts = acts(call.kind, said)
        call.keys = _keys(call, arguments, said.get("command"), self._settings)

    def _nested(self) -> list[ComparedCall]:
        """Put calls below those that they name as their parents; number what is left.

        A call that names none of the run, or one inside itself, stands for itself.
        """
        numbers = sorted(self._calls)
        parents = {
            number: self._ids[self._parents[number]]
            for number in numbers
            if self._parents.get(number) in self._ids
        }
        outer = _outer(numbers, _without_cycles(parents))
        calls = [self._calls[number] for number in numbers]
        own = []
        for number, call in zip(numbers, calls, strict=True):
            if number in outer:
                self._calls[outer[number]].children.append(call)
            else:
                own.append(call)
        for siblings in [own, *(call.children for call in calls)]:
            for number, call in enumerate(siblings, 1):
                call.number = number
        return own


def _retries(calls: list[ComparedCall]) -> int:
    """Count the retries among calls, and among those made inside each of them."""
    own = count_retries((call.keys.arguments, call.outcome == "ok") for call in calls)
    return own + sum(_retries(call.children) for call in calls)


def _without_cycles(parents: dict[int, int]) -> dict[int, int]:
    """Parents by number; of those that lead back to where they began, all but one."""
    kept = dict(parents)
    known: set[int] = set()
    for number in parents:
        path = []
        while number in parents and number not in known:
            known.add(number)
            path.append(number)
            number = parents[number]
        if number in path:
            del kept[max(path[path.index(number) :])]
    return kept


def _outer(numbers: list[int], parents: dict[int, int]) -> dict[int, int]:
    """The call that each one is put below: its parent, or one above that."""
    outer: dict[int, int] = {}
    # What the calls inside a call are put below, and how deep that stands.
    inside: dict[int, tuple[int, int]] = {}
    for number in numbers:
        path = [number]
        while path[-1] in parents and path[-1] not in inside:
            path.append(parents[path[-1]])
        for inner in reversed(path):
            if inner in inside:
                continue
            if inner not in parents:
                inside[inner] = inner, 0
                continue
            above, depth = inside[parents[inner]]
            outer[inner] = above
            inside[inner] = (inner, depth + 1) if depth < _DEEPEST else (above, depth)
    return outer


def _action_line(call: ToolCall, directory: str) -> ActionLine:
    detailed, bare = (
        action_line(call, directory, has_subject=has_subject)
        for has_subject in (True, False)
    )
    arguments = call.arguments or {"command": call.about}
    return ActionLine(detailed, bare, call.line, call.kind, acts(call.kind, arguments))


def _keys(
    call: ComparedCall, arguments: dict[str, Any], command: Any, settings: Settings
) -> Keys:
    """The keys of a call; `--args` says how much of it counts."""
    tool = call.tool
    of_tool = tool
    if call.kind == "shell" and isinstance(command, str):
        of_tool = f"shell {program(command)}"
    about = subject_of(call.kind, arguments)
    subject = digest([tool, *about.words, *about.paths])
    match settings.args:
        case "exact":
            key = digest([tool, call.arguments_kept])
        case "subject":
            key = subject
        case "ignore":
            key = subject = digest([tool])
            of_tool = tool
    exact = key + call.outcome.encode(errors="replace")
    return Keys(exact, key, subject, digest([of_tool]))
