"""The figures of a run, counted event by event: a fold."""

from __future__ import annotations

import itertools
from array import array
from collections import Counter
from collections.abc import Iterator

from msgspec import Struct
from msgspec.structs import replace

from convert.facts import by_parent
from convert.facts.changed_files import ChangedFiles
from convert.facts.edits import EDITING, are_changes, edits_of
from convert.facts.failed_calls import COMMAND, FailureClass, Place
from convert.facts.figures import Figures
from convert.facts.recoveries import Recoveries
from convert.model.events import (
    UNFINISHED,
    End,
    Event,
    Level,
    Result,
    Segment,
    Start,
    State,
    ToolCall,
)
from convert.model.run import Run
from convert.tools.table import full_name, short_name

# How the calls of a run ended, in the order of their codes; 0 is a call that is open.
_OUTCOMES = ("", "ok", "error", "rejected", "unfinished")
_CODES = {outcome: code for code, outcome in enumerate(_OUTCOMES)}


class RunFigures:
    """Folds the events of one run into its figures; the log may still be growing.

    Keeps five bytes for each call, so that a later frame of a call can correct how it
    ended, and the steps of subagents, the failures and the changed files.
    """

    def __init__(self) -> None:
        self._level: Level = "calls"
        self._has_outputs = True
        self._state: State | None = None
        self._result: Result | None = None
        self._outcomes = bytearray()
        # The calls of subagents by the numbers of the calls around them.
        self._inside: dict[Place, list[_Step]] = {}
        # The tools of the calls, as places in the names.
        self._tools = array("I")
        self._names: dict[str, int] = {}
        self._failures = Recoveries()
        self.changed_files = ChangedFiles()
        # The text after the last call, if it may name a file that was not changed.
        self._said: list[str] = []

    def add(self, event: Event) -> None:
        """Add an event."""
        match event:
            case ToolCall():
                self.add_call(event)
            case Start():
                self._level = event.level
                self._has_outputs = event.has_outputs
                self._failures = Recoveries(event.directory)
                self.changed_files = ChangedFiles(event.directory)
            case Segment() if self._failures.refusals.has_changes:
                self._said.append(event.text)
            case Result():
                self._result = event
            case End():
                self._state = event.state

    def add_call(self, call: ToolCall) -> None:
        """Add a call that starts or has ended."""
        # Asking for its place takes longer, and hardly any call has one around it.
        number, outcome = call.number, call.outcome
        place = call.place if call.around else (number,)
        if self._said:
            self._said.clear()
        if outcome is None:
            if not call.is_repeated:
                self._failures.begin(place)
            return
        outcomes, code = self._outcomes, _CODES[outcome.status]
        self.changed_files.add(call)
        if call.is_repeated and not (
            # A further frame of a call may say how it ended after all.
            call.around or call.output is not None or outcomes[number] != code
        ):
            return
        self._failures.end(place, call, self.changed_files.net.has_changed)
        if call.around:
            self._add_late(call)
            return
        missing = number + 1 - len(outcomes)
        if missing > 0:
            outcomes.extend(bytes(missing))
            self._tools.extend([0] * missing)
        outcomes[number] = code
        if not call.is_repeated:
            names = self._names
            self._tools[number] = names.setdefault(full_name(call), len(names))
        if call.steps is not None:
            self._inside[place] = list(self._add_steps(call, place))

    def _add_late(self, call: ToolCall) -> None:
        """Add a call of a subagent that comes after the call that started it."""
        place, status = call.place, (call.outcome or UNFINISHED).status
        step = _Step(place, status, full_name(call))
        if call.is_repeated:
            for steps in self._inside.values():
                steps[:] = [step if each.place == place else each for each in steps]
            return
        self._inside[place] = [step, *self._add_steps(call, place)]

    def _add_steps(self, call: ToolCall, around: Place) -> Iterator[_Step]:
        """Add the calls that the steps of a subagent record, and those inside them."""
        for step in call.calls:
            place = (*around, step.number)
            has_changed = step.kind in EDITING and are_changes(edits_of(step))
            self._failures.end(place, step, has_changed)
            yield _Step(place, (step.outcome or UNFINISHED).status, full_name(step))
            yield from self._add_steps(step, place)

    @property
    def figures(self) -> Figures:
        """The figures of the events so far."""
        result = self._result or Result(run=0, line=0)
        used = Figures(
            duration_ms=result.duration_ms,
            tokens=result.tokens,
            cost_usd=result.cost_usd,
            cost_by=result.cost_by,
        )
        inside = self._steps_inside()
        outcomes = self._outcomes + bytes(_CODES[step.status] for step in inside)
        calls = len(outcomes) - outcomes.count(0)
        # A text without action lines may be of an agent that prints none.
        is_silent = not calls and self._state is None
        if self._level == "result" or is_silent:
            return used
        tells_failures = self._level != "text" and self._has_outputs
        return replace(
            used,
            calls=calls,
            errors=outcomes.count(_CODES["error"]),
            rejected=outcomes.count(_CODES["rejected"]),
            unfinished=outcomes.count(_CODES["unfinished"]),
            unresolved=len(self._unresolved()) if tells_failures else None,
            answers=len(self.answers) if self._level != "text" else None,
            hidden=len(self.hidden) if tells_failures else None,
            tools=_by_shown_name(self.outcomes_by_tool),
        )

    @property
    def outcomes_by_tool(self) -> Counter[tuple[str, str]]:
        """The number of calls by the full name of their tool and how they ended."""
        names = [*self._names]
        pairs = Counter(zip(self._tools, self._outcomes, strict=True))
        counts = Counter(
            {
                (names[tool], _OUTCOMES[code]): calls
                for (tool, code), calls in pairs.items()
                if code
            }
        )
        counts.update((step.tool, step.status) for step in self._steps_inside())
        return counts

    @property
    def failed_by_tool(self) -> Counter[str]:
        """The number of failed calls by the full name of their tool."""
        names = [*self._names]
        inside = {step.place: step.tool for step in self._steps_inside()}
        return Counter(
            inside[place] if len(place) > 1 else names[self._tools[place[0]]]
            for place in map(place_named, self._failed_numbers())
        )

    @property
    def last_number(self) -> int:
        """The number of the last call of the run itself; 0 if it has none."""
        return max(len(self._outcomes) - 1, 0)

    def are_commands(self, status: str) -> bool:
        """Return True if all calls that ended so are commands."""
        tools = [tool for tool, end in self.outcomes_by_tool if end == status]
        return {*tools} == {COMMAND}

    def unresolved_numbers(self) -> Iterator[str]:
        """Yield the numbers of the calls that stay unresolved."""
        return map(_name, self._unresolved())

    @property
    def classes(self) -> dict[str, FailureClass]:
        """The numbers of the calls that went wrong, and how they did."""
        classes = self._failures.classes
        return {_name(place): classes[place] for place in classes}

    @property
    def unresolved_classes(self) -> Counter[FailureClass]:
        """The numbers of the calls that stay unresolved, by how they went wrong."""
        classes = self._failures.classes
        return Counter(classes[place] for place in self._unresolved())

    @property
    def resolutions(self) -> dict[str, str]:
        """The numbers of the other failed calls, and of those that recovered them."""
        return {
            _name(place): _name(later)
            for place, later in self._failures.resolutions.items()
        }

    @property
    def answers(self) -> dict[str, str]:
        """The numbers of calls whose status is an answer, and its meaning."""
        said = self._failures.answers
        return {_name(place): said[place] for place in sorted(said)}

    @property
    def hidden(self) -> dict[str, str]:
        """The numbers of calls that hide failed tests, and how many these are."""
        failed = self._failures.hidden
        return {_name(place): failed[place] for place in sorted(failed)}

    def class_and_hidden(self, place: Place) -> tuple[FailureClass | None, str]:
        """Return how a call went wrong, and how many failed tests it hides."""
        failures = self._failures
        return failures.classes.get(place), failures.hidden.get(place, "")

    @property
    def refused(self) -> dict[str, list[str]]:
        """The numbers of the refused calls, by their names in a few words."""
        refusals = self._failures.refusals
        named: dict[str, list[str]] = {}
        for place in sorted(refusals):
            named.setdefault(refusals.name_at(place), []).append(_name(place))
        return named

    def _unresolved(self) -> list[Place]:
        """Return the calls that stay unresolved, in their order."""
        refusals = self._failures.refusals
        answer = "".join(self._said)
        if not answer.strip() and self._result is not None:
            answer = self._result.text or ""
        depended = refusals.depended_on(self.changed_files.net, answer)
        return [
            place
            for place in self._failures.unresolved
            if place not in refusals or place in depended
        ]

    def numbers(self, status: str) -> Iterator[str]:
        """Yield the numbers of the calls that ended so; `5.2` is a step of call 5.

        `failed` are those that count as failed.
        """
        if status == "failed":
            return self._failed_numbers()
        inside = [step.place for step in self._steps_inside() if step.status == status]
        own = self._numbers_of_calls(_CODES[status])
        if not inside:
            return map(str, own)
        return map(_name, sorted([*((number,) for number in own), *inside]))

    def _failed_numbers(self) -> Iterator[str]:
        answers, hidden = self.answers, self.hidden
        errors = (each for each in self.numbers("error") if each not in answers)
        if not hidden:
            return errors
        return iter(sorted([*errors, *hidden], key=place_named))

    def _numbers_of_calls(self, code: int) -> Iterator[int]:
        number = self._outcomes.find(code)
        while number >= 0:
            yield number
            number = self._outcomes.find(code, number + 1)

    def _steps_inside(self) -> list[_Step]:
        """Return the calls of subagents."""
        return [*itertools.chain.from_iterable(self._inside.values())]


def _name(place: Place) -> str:
    """Write the number of a call: `5.2` is a step of call 5."""
    return ".".join(map(str, place))


def place_named(number: str) -> Place:
    """Return the place of a call by its number."""
    return tuple(map(int, number.split(".")))


class _Step(Struct, frozen=True):
    """The parts of a call of a subagent that figures need."""

    place: Place
    status: str
    tool: str


def _by_shown_name(outcomes: dict[tuple[str, str], int]) -> dict[str, int]:
    """Return the number of calls by the names that people know, in their order."""
    shown: Counter[str] = Counter()
    for (name, _), calls in outcomes.items():
        shown[short_name(name)] += calls
    return dict(sorted(shown.items()))


def figures_of_run(run: Run) -> RunFigures:
    """Fold a run that was read with everything."""
    start = Start(run=run.number, line=1, level=run.level, directory=run.directory)
    end = End(run=run.number, line=run.last_line, state=run.state)
    result = [run.result] if run.result else []
    said = [] if run.answer is None else [Segment(run=0, line=0, text=run.answer)]
    figures = RunFigures()
    for event in by_parent([start, *run.calls, *said, *result, end]):
        figures.add(event)
    return figures
