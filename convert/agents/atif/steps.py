"""The events in the steps of a document, in their order."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from convert.agents.atif.calls import EndedCall, calls_of, lost_results
from convert.agents.atif.document import (
    Document,
    Step,
    StepFacts,
    facts_of_step,
    member_value,
    prompt_of,
    text_of,
)
from convert.agents.lines import milliseconds_of
from convert.agents.tools import call_of
from convert.model.events import (
    Event,
    Image,
    Incident,
    Prompt,
    Segment,
    Thinking,
    ToolCall,
)
from convert.model.needs import EVERYTHING, CallDetail, Needs
from convert.source.unknown_types import UnknownTypes
from convert.wording.escapes import repair_surrogates


def steps_of(document: Document) -> list[Step]:
    """Return the steps of a run, without those that repeat an earlier run."""
    return [step for step in document.steps or () if not step.is_copied_context]


class StepReader:
    """Reads the steps of a run, or of a subagent, whose events have the run 0."""

    def __init__(
        self,
        document: Document,
        run: int,
        line: int,
        needs: Needs,
        unknown: UnknownTypes,
        *,
        is_ours: bool,
    ) -> None:
        self.first_ms: int | None = None
        # The tools of the calls that no text follows.
        self.tools_at_end: set[str] = set()
        self._document = document
        self._run, self._line = run, line
        self._needs = needs
        self._unknown = unknown
        self._is_ours = is_ours
        self._text: list[str] = []
        self._calls = 0
        self._referred: set[str] = set()
        # The calls that have not ended yet, by their numbers.
        self._open: dict[int, ToolCall] = {}

    def events(self) -> Iterator[Event]:
        """Yield the events of all steps."""
        steps = steps_of(self._document)
        for step in steps:
            facts = facts_of_step(step.extra)
            match step.source:
                case "user":
                    yield from self._prompt(step, facts)
                    yield from self._step_calls(step, facts, is_last=False)
                case "agent":
                    yield from self._response(step, facts, is_last=step is steps[-1])
                case "system":
                    yield from self._system(step, facts)
                case source:
                    self._unknown.add(f"step/{source}")
        yield from self._segment()
        yield from self._open.values()
        for inner in self._document.subagent_trajectories or ():
            if inner.trajectory_id not in self._referred:
                self._unknown.add("trajectory of no call")

    def _prompt(self, step: Step, facts: StepFacts) -> Iterator[Event]:
        yield from self._segment()
        if not self._needs.text:
            return
        text, images = prompt_of(step.message)
        if facts.pictures:
            images = [Image(each.media_type, each.size) for each in facts.pictures]
        yield Prompt(run=self._run, line=self._line, text=text, images=images)

    def _system(self, step: Step, facts: StepFacts) -> Iterator[Event]:
        """Yield the incident of a step; the words of a system prompt are none."""
        if facts.incident is not None:
            yield from self._segment()
            incident = facts.incident
            yield Incident(
                run=self._run,
                line=self._line,
                kind=incident.kind,
                message=text_of(step.message),
                status=incident.status,
                attempt=incident.attempt,
                endpoint=incident.endpoint,
                is_resume=incident.is_resume,
                checkpoint_turn=incident.checkpoint_turn,
                details=member_value(incident.details) or {},
                earlier=incident.earlier,
            )
            yield from self._step_calls(step, facts, is_last=False)
        elif step.observation and step.observation.results:
            self._unknown.add("result of no call")

    def _response(
        self, step: Step, facts: StepFacts, *, is_last: bool
    ) -> Iterator[Event]:
        if step.reasoning_content:
            yield from self._segment()
            if self._needs.thinking:
                yield Thinking(
                    run=self._run,
                    line=self._line,
                    text=repair_surrogates(step.reasoning_content),
                    started_ms=facts.thinking_started_ms,
                    ended_ms=facts.thinking_ended_ms,
                )
        if not facts.is_result and text_of(step.message).strip():
            self.tools_at_end.clear()
        if self._needs.text and not facts.is_result:
            self._text.append(text_of(step.message))
            if self._is_ours:
                yield from self._segment(is_halved=facts.is_halved)
        if step.tool_calls or facts.order:
            yield from self._segment()
            yield from self._step_calls(step, facts, is_last)
        elif step.observation and step.observation.results:
            self._unknown.add("result of no call")

    def _segment(self, *, is_halved: bool = False) -> Iterator[Event]:
        """Yield the text since the last call, in which each step is a response."""
        text = "".join(self._text)
        self._text.clear()
        if text:
            segment = Segment(run=self._run, line=self._line, text=text)
            segment.is_halved = is_halved
            yield segment

    def _step_calls(
        self, step: Step, facts: StepFacts, is_last: bool
    ) -> Iterator[Event]:
        """Yield the calls of a step, and those of earlier steps that end during it."""
        if not self._needs.calls:
            natives = [call_of(call.function_name) for call in step.tool_calls or ()]
            self.tools_at_end.update(native.name or native.kind for native in natives)
            return
        agent = self._document.agent.name
        for _ in range(lost_results(step)):
            self._unknown.add("result of no call")
        found = [*calls_of(step, agent, is_last, self._needs)]
        began = milliseconds_of(step.timestamp) if found else None
        calls = [self._call(ended, began) for ended in found]
        is_begun = self._needs.calls == CallDetail.EVERYTHING
        if self._run == 0 or (len(calls) == 1 and facts.order is None and not is_begun):
            yield from calls
            return
        waiting = {call.number: call for call in calls}
        for number in facts.order or _usual_order(calls, found):
            if call := waiting.pop(number, None):
                yield from self._begun(call)
            elif call := self._open.pop(-number, None):
                yield call
        for call in waiting.values():
            yield from self._begun(call)

    def _begun(self, call: ToolCall) -> Iterator[ToolCall]:
        """Yield a call as it was when it began, if that is needed."""
        self._open[call.number] = call
        if self._needs.calls == CallDetail.EVERYTHING:
            yield _begun(call)

    def _call(self, ended: EndedCall, began: int | None) -> ToolCall:
        facts, result = ended.facts, ended.result
        self._calls += 1
        self._referred.update(ended.references)
        call = ToolCall(
            run=self._run,
            line=self._line,
            number=self._calls,
            id=ended.id,
            kind=ended.call.kind,
            name=ended.call.name,
            native=ended.call.native,
            arguments=ended.call.arguments,
            outcome=result.outcome,
            arm=result.arm,
            is_new_file=result.is_new_file,
            about=facts.about,
            started_line=self._line,
        )
        if not facts.parent:
            self.tools_at_end.add(call.name or call.kind)
        call.parent = facts.parent
        if self._needs.calls >= CallDetail.ARGUMENTS:
            call.response_id = facts.response_id
            call.started_ms = facts.started_ms
            call.since_start_ms = facts.since_start_ms
            if facts.status is None and began is not None:
                call.started_ms = began
                call.since_start_ms = max(began - (self.first_ms or began), 0)
        if self._needs.calls == CallDetail.EVERYTHING:
            call.output, call.duration_ms = result.output, result.duration_ms
            call.ended_ms, call.longest_ms = facts.ended_ms, facts.longest_ms
            call.ended_since_start_ms = facts.ended_since_start_ms
            call.steps = [] if facts.has_no_steps else self._subagent(ended)
        return call

    def _subagent(self, ended: EndedCall) -> list[Event] | None:
        """Return the events of the subagent of a call; None for any other call."""
        references = ended.references
        inner = [
            document
            for document in self._document.subagent_trajectories or ()
            if document.trajectory_id and document.trajectory_id in references
        ]
        if not inner:
            return None
        events: list[Event] = []
        for document in inner:
            reader = StepReader(
                document,
                0,
                self._line,
                EVERYTHING,
                self._unknown,
                is_ours=self._is_ours,
            )
            events += (each for each in reader.events() if not isinstance(each, Prompt))
        return events


def _usual_order(calls: list[ToolCall], found: list[EndedCall]) -> list[int]:
    """Return the order of calls that all began before one ended."""
    pairs = zip(calls, found, strict=True)
    ends = sorted(pairs, key=lambda pair: pair[1].place)
    return [*(call.number for call in calls), *(-call.number for call, _ in ends)]


def _begun(call: ToolCall) -> ToolCall:
    """Return a call as it was when it began."""
    return replace(
        call,
        outcome=None,
        arm="",
        output=None,
        steps=None,
        duration_ms=None,
        is_new_file=False,
    )
