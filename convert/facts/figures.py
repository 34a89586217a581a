"""How long a run took, how many tokens it used, and how its calls ended."""

from __future__ import annotations

import itertools
from array import array
from collections import Counter
from collections.abc import Iterable, Iterator
from decimal import Decimal
from typing import Literal

from msgspec import Struct
from msgspec.structs import astuple, replace

from convert.facts import by_parent
from convert.facts.changed_files import ChangedFiles
from convert.facts.edits import EDITING, are_changes, edits_of
from convert.facts.failures import Failures
from convert.facts.judged import COMMAND, FailureClass
from convert.facts.net_changes import NetChanges
from convert.facts.refusals import Place
from convert.model.cost import total_cost
from convert.model.events import (
    UNFINISHED,
    End,
    Event,
    Level,
    Outcome,
    Result,
    Segment,
    Start,
    State,
    Tokens,
    ToolCall,
)
from convert.model.run import Run
from convert.tools.names import full_name, shown_name
from convert.wording.paths import shown_path
from convert.wording.sanitise import one_line

FileStatus = Literal["", "new", "deleted"]
# How the calls of a run ended, in the order of their codes; 0 is a call that is open.
_OUTCOMES = ("", "ok", "error", "rejected", "unfinished")
_CODES = {outcome: code for code, outcome in enumerate(_OUTCOMES)}


class FileChange(Struct, frozen=True):
    """One file that a run changed in the end, and by how much."""

    path: str
    """The path for people, relative to the directory of the run if inside."""

    added: int | None
    """The number of lines added; None if the log does not record it."""

    removed: int | None
    """The number of lines removed; None if the log does not record it."""

    status: FileStatus = ""
    """`new` if the run made the file, `deleted`, or empty if it was edited."""


class Figures(Struct, frozen=True):
    """The figures of a run, or of several; None marks what the log does not record."""

    duration_ms: int | None = None
    """How long the run took, in milliseconds, as its result says."""

    tokens: Tokens | None = None
    """How many tokens of each kind the run used, as its result says."""

    cost_usd: Decimal | None = None
    """The cost of the run in US dollars, as its log records it."""

    cost_by: str = ""
    """Who reports the cost, such as `Claude Code`; "" if the log does not say."""

    calls: int | None = None
    """The number of tool calls, those of subagents included.

    None for a summary, and for a text without a single action line.
    """

    errors: int | None = None
    """The number of calls that ended with an error; None if `calls` is.

    Some of their statuses may be `answers`.
    """

    rejected: int | None = None
    """The number of calls that were refused; None if `calls` is."""

    unfinished: int | None = None
    """The number of calls that never ended; None if `calls` is."""

    unresolved: int | None = None
    """The number of calls that went wrong and that no later call recovered.

    Of refused calls, only those count on which something depends. None if `calls` is,
    and for a text, which need not say what its calls are about.
    """

    answers: int | None = None
    """The number of errors that are answers, such as the status of `grep`.

    None if `calls` is, and for a text.
    """

    hidden: int | None = None
    """The number of calls that ended well although tests that they ran failed.

    None if `unresolved` is.
    """

    tools: dict[str, int] | None = None
    """The number of calls of each tool, by its name; None if `calls` is."""

    retries: int | None = None
    """The number of calls made again after they failed.

    None unless the caller counts them: only a comparison knows which calls are equal.
    """

    file_changes: list[FileChange] | None = None
    """The changed files, in the order of their first change.

    None unless the caller adds them with `file_changes_in`, which takes time.
    """

    @property
    def used_tokens(self) -> int | None:
        """The number of input and output tokens, without those read from a cache."""
        if self.tokens is None:
            return None
        return _total((self.tokens.fresh, self.tokens.output))

    @property
    def exact_tokens(self) -> int | None:
        """The same number; None as well if it is a lower bound."""
        return None if self.tokens and self.tokens.is_least else self.used_tokens

    @property
    def all_tokens(self) -> int | None:
        """The number of all tokens; None unless those read from a cache are known."""
        if self.tokens is None or self.tokens.cache_read is None:
            return None
        return _total((self.used_tokens, self.tokens.cache_read))

    @property
    def failed(self) -> int | None:
        """The number of failed calls, which is the same in every output.

        Those that hide failed tests are among them; refused and unfinished ones, and
        those whose status is an answer, are not. None if `calls` is.
        """
        if self.errors is None:
            return None
        return self.errors - (self.answers or 0) + (self.hidden or 0)


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
        self._failures = Failures()
        self.changed_files = ChangedFiles()
        # The text after the last call, if it may name a file that was not changed.
        self._said: list[str] = []

    def add(self, event: Event) -> None:
        """Add what an event records."""
        match event:
            case ToolCall():
                self.add_call(event)
            case Start():
                self._level = event.level
                self._has_outputs = event.has_outputs
                self._failures = Failures(event.directory)
                self.changed_files = ChangedFiles(event.directory)
            case Segment() if self._failures.refusals.has_changes:
                self._said.append(event.text)
            case Result():
                self._result = event
            case End():
                self._state = event.state

    def add_call(self, call: ToolCall) -> None:
        """Add a call that starts or has ended."""
        # To ask for its place takes longer, and hardly any call has one around it.
        place = call.place if call.around else (call.number,)
        if self._said:
            self._said.clear()
        if call.outcome is None:
            if not call.is_repeated:
                self._failures.begin(place)
            return
        outcomes = self._outcomes
        if call.is_repeated and not self._says_more(call, call.outcome):
            self.changed_files.add(call)
            return
        self.changed_files.add(call)
        self._failures.end(place, call, self.changed_files.net.has_changed)
        if call.around:
            self._add_late(call)
            return
        missing = call.number + 1 - len(outcomes)
        if missing > 0:
            outcomes.extend(bytes(missing))
            self._tools.extend([0] * missing)
        outcomes[call.number] = _CODES[call.outcome.status]
        if not call.is_repeated:
            names = self._names
            self._tools[call.number] = names.setdefault(full_name(call), len(names))
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

    def _says_more(self, frame: ToolCall, outcome: Outcome) -> bool:
        """Return True if a further frame of a call says how it ended after all."""
        if frame.around or frame.output is not None:
            return True
        return self._outcomes[frame.number] != _CODES[outcome.status]

    def _add_steps(self, call: ToolCall, around: Place) -> Iterator[_Step]:
        """Add the calls that the steps of a subagent record, and those inside them."""
        for step in call.steps or ():
            if isinstance(step, ToolCall):
                place = (*around, step.number)
                has_changed = step.kind in EDITING and are_changes(edits_of(step))
                self._failures.end(place, step, has_changed)
                status = (step.outcome or UNFINISHED).status
                yield _Step(place, status, full_name(step))
                yield from self._add_steps(step, place)

    @property
    def figures(self) -> Figures:
        """The figures of the events so far."""
        result = self._result
        used = Figures()
        if result:
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
        places = map(place_named, self._failed_numbers())
        return Counter(
            inside[place] if len(place) > 1 else names[self._tools[place[0]]]
            for place in places
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
        """The numbers of the other failed calls, and of those that made them good."""
        return {
            _name(place): _name(later)
            for place, later in self._failures.resolutions.items()
        }

    @property
    def answers(self) -> dict[str, str]:
        """The numbers of calls whose status is an answer, and what it says."""
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
        """The refused calls by what was refused, with their numbers."""
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
        import heapq

        places = heapq.merge(((number,) for number in own), sorted(inside))
        return map(_name, places)

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
    """A call of a subagent, as far as figures need it."""

    place: Place
    status: str
    tool: str


def file_changes_in(net_changes: NetChanges) -> list[FileChange]:
    """Return the files that a run changed, without those that it changed back."""
    changes = []
    for change in net_changes:
        if change.status == "same":
            continue
        added, removed = change.counts or (None, None)
        status = change.status if change.status in ("new", "deleted") else ""
        path = one_line(shown_path(change.path, net_changes.directory))
        changes.append(FileChange(path, added, removed, status))
    return changes


def _by_shown_name(outcomes: dict[tuple[str, str], int]) -> dict[str, int]:
    """Return the number of calls by the names that people know, in their order."""
    shown: dict[str, int] = {}
    for (name, _), calls in outcomes.items():
        known = shown_name(name)
        shown[known] = shown.get(known, 0) + calls
    return dict(sorted(shown.items()))


def figures_of(events: Iterable[Event]) -> Figures:
    """Return the figures of the events of one run."""
    return _folded(events).figures


def _folded(events: Iterable[Event]) -> RunFigures:
    figures = RunFigures()
    for event in by_parent(events):
        figures.add(event)
    return figures


def figures_of_run(run: Run) -> Figures:
    """Return the figures of a run that was read with everything."""
    return run_figures_of(run).figures


def run_figures_of(run: Run) -> RunFigures:
    """Fold a run that was read with everything."""
    start = Start(run=run.number, line=1, level=run.level, directory=run.directory)
    end = End(run=run.number, line=run.last_line, state=run.state)
    result = [run.result] if run.result else []
    said = [] if run.answer is None else [Segment(run=0, line=0, text=run.answer)]
    return _folded([start, *run.calls, *said, *result, end])


def total(figures: Iterable[Figures]) -> Figures:
    """Return the sums over several runs; each is None if no run records it."""
    figures = list(figures)
    tools = [each.tools for each in figures if each.tools is not None]
    reporters = {each.cost_by for each in figures if each.cost_usd is not None}
    changes = [each.file_changes for each in figures if each.file_changes is not None]
    return Figures(
        duration_ms=_total(each.duration_ms for each in figures),
        tokens=_total_tokens(each.tokens for each in figures),
        cost_usd=total_cost(each.cost_usd for each in figures),
        cost_by=reporters.pop() if len(reporters) == 1 else "",
        calls=_total(each.calls for each in figures),
        errors=_total(each.errors for each in figures),
        rejected=_total(each.rejected for each in figures),
        unfinished=_total(each.unfinished for each in figures),
        unresolved=_total(each.unresolved for each in figures),
        answers=_total(each.answers for each in figures),
        hidden=_total(each.hidden for each in figures),
        tools=dict(sorted(sum(map(Counter, tools), Counter()).items()))
        if tools
        else None,
        retries=_total(each.retries for each in figures),
        file_changes=[*itertools.chain.from_iterable(changes)] if changes else None,
    )


def unlike_tokens(one: Figures, other: Figures) -> str:
    """Return a kind of tokens that only one of two runs records; "" for none.

    A log that does not record what was read from a cache may count it as input.
    """
    if one.tokens is None or other.tokens is None:
        return ""
    if one.tokens.is_least or other.tokens.is_least:
        return "output"
    for kind in ("input", "output", "cache_read"):
        is_missing = [
            getattr(used, kind) is None for used in (one.tokens, other.tokens)
        ]
        if is_missing[0] != is_missing[1]:
            return kind
    return ""


def _total_tokens(used: Iterable[Tokens | None]) -> Tokens | None:
    recorded = [tokens for tokens in used if tokens is not None]
    if not recorded:
        return None
    kinds = zip(*map(astuple, recorded), strict=True)
    return Tokens(*map(_total, kinds))


def _total(numbers: Iterable[int | None]) -> int | None:
    """Return the sum of what is recorded; None if nothing is."""
    recorded = [number for number in numbers if number is not None]
    return sum(recorded) if recorded else None
